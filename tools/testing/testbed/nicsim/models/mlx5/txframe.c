// SPDX-License-Identifier: GPL-2.0
/*
 * From a gathered packet to frames on the wire: VLAN insertion, segmentation
 * and checksums. The hardware finds headers by parsing: offsets are nobody's
 * choice but the packet's own, and what it can't parse it leaves alone.
 */
#include "mlx5.h"

#define IPPROTO_TCP_	6
#define IPPROTO_UDP_	17
#define TCP_FIN_PSH	0x09
#define TCP_CWR		0x80
#define VLAN_LEN	4
#define ETH_ADDRS	12

static void tx_csum(const struct m5_tx *tx, u8 *data, u32 len)
{
	struct pkt p;

	if (!(tx->cs_flags & (M5_ETH_L3_CSUM | M5_ETH_L4_CSUM)) ||
	    !pkt_parse(&p, data, len))
		return;
	if (tx->cs_flags & M5_ETH_L3_CSUM)
		csum_ipv4_insert(&p, data, len);
	/* The pseudo-header is summed anew, whatever the field holds. */
	if ((tx->cs_flags & M5_ETH_L4_CSUM) && !p.frag && p.l4)
		csum_l4_insert(&p, data, len, false);
}

static bool tx_one(struct mlx5 *m, const struct m5_tx *tx, const u8 *hdr,
		   u32 hdr_len, const u8 *data, u32 len, bool last,
		   void (*fix)(u8 *hdr, const struct pkt *p, u32 n, u32 len,
			       bool last),
		   const struct pkt *p, u32 n)
{
	u32 vlan = tx->vlan_type ? VLAN_LEN : 0;
	struct tx_frame *f;
	u8 *to;

	if (hdr_len < ETH_ADDRS && hdr_len + len < ETH_ADDRS)
		return false;
	f = tx_alloc(m->nic, hdr_len + len + vlan);
	if (!f)
		return false;
	/* Put it together behind the place of the tag, then move the addresses. */
	to = f->data + vlan;
	memcpy(to, hdr, hdr_len);
	if (len)
		memcpy(to + hdr_len, data, len);
	if (fix)
		fix(to, p, n, len, last);
	if (vlan) {
		memmove(f->data, to, ETH_ADDRS);
		put_be16(f->data + ETH_ADDRS, tx->vlan_type);
		put_be16(f->data + ETH_ADDRS + 2, tx->vlan_tci);
	}
	tx_csum(tx, f->data, f->len);
	f->queue = tx->sqn;
	f->as_queue = tx->channel;
	f->desc = tx->wqe;
	f->launch_ns = TRUTH_NONE;
	f->priv[0] = tx->pos;
	if (tx->ce && last)
		f->req |= TRUTH_REQ_TS;
	if (tx->cs_flags & M5_ETH_L4_CSUM)
		f->req |= TRUTH_REQ_CSUM;
	m5_count(&m->tx, f->data, f->len);
	tx_send(f);
	return true;
}

/* Segment @n of a TCP or UDP packet: lengths, IDs, sequence, flags. */
static void lso_fix(u8 *hdr, const struct pkt *p, u32 n, u32 len, bool last)
{
	u32 l4_hdr = p->proto == IPPROTO_TCP_ ? (hdr[p->l4 + 12] >> 4) * 4 : 8;
	u32 l4_len = l4_hdr + len;

	if (p->ip == 4) {
		put_be16(hdr + p->l3 + 2, p->l4 - p->l3 + l4_len);
		put_be16(hdr + p->l3 + 4, get_be16(hdr + p->l3 + 4) + n);
	} else {
		put_be16(hdr + p->l3 + 4, p->l4 - p->l3 - 40 + l4_len);
	}
	if (p->proto == IPPROTO_UDP_) {
		put_be16(hdr + p->l4 + 4, l4_len);
		return;
	}
	if (!last)
		hdr[p->l4 + 13] &= ~TCP_FIN_PSH;
	if (n)
		hdr[p->l4 + 13] &= ~TCP_CWR;
}

static u32 tx_lso(struct mlx5 *m, const struct m5_tx *tx, const u8 *data, u32 len)
{
	u8 hdr[M5_ETH_INLINE_SZ_MASK + 1];
	u32 seq = 0, frames = 0, n = 0;
	struct pkt p;

	if (tx->hdr_len > len || !pkt_parse(&p, data, len) || !p.ip ||
	    !p.l4 || (p.proto != IPPROTO_TCP_ && p.proto != IPPROTO_UDP_) ||
	    p.l4 + (p.proto == IPPROTO_TCP_ ? 20 : 8) > tx->hdr_len) {
		m5_log(m, "SQ 0x%x: LSO of what is neither TCP nor UDP", tx->sqn);
		return 0;
	}
	memcpy(hdr, data, tx->hdr_len);
	if (p.proto == IPPROTO_TCP_)
		seq = get_be32(hdr + p.l4 + 4);
	data += tx->hdr_len;
	len -= tx->hdr_len;
	do {
		u32 now = len < tx->mss ? len : tx->mss;

		if (p.proto == IPPROTO_TCP_)
			put_be32(hdr + p.l4 + 4, seq);
		frames += tx_one(m, tx, hdr, tx->hdr_len, data, now, now == len,
				 lso_fix, &p, n++);
		seq += now;
		data += now;
		len -= now;
	} while (len);
	return frames;
}

u32 m5_tx_packet(struct mlx5 *m, const struct m5_tx *tx, const u8 *data, u32 len)
{
	if (tx->mss)
		return tx_lso(m, tx, data, len);
	return tx_one(m, tx, data, len, NULL, 0, true, NULL, NULL, 0);
}
