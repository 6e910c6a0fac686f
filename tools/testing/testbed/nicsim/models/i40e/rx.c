// SPDX-License-Identifier: GPL-2.0
/*
 * Receive: switch, flow director, RSS, timestamp latch, buffers, write-back.
 */
#include "i40e.h"

#define HASH_KEY_WORDS		(I40E_PFQF_HKEY_MAX_INDEX + 1)
#define PROTO_ICMP		1
#define PROTO_TCP		6
#define PROTO_UDP		17
#define PROTO_ICMPV6		58
#define PROTO_SCTP		132
#define ETYPE_ARP		0x0806
#define ETYPE_LLDP		0x88cc
#define ETYPE_PTP		0x88f7

static u32 ptype_of(const struct pkt *p)
{
	u32 base = p->ip == 4 ? PTYPE_V4_BASE : PTYPE_V6_BASE;

	switch (p->ip ? 0 : p->ethertype) {
	case 0:
		break;
	case ETYPE_ARP:
		return PTYPE_ARP;
	case ETYPE_LLDP:
		return PTYPE_LLDP;
	case ETYPE_PTP:
		return PTYPE_TIMESYNC;
	default:
		return PTYPE_L2;
	}
	if (p->frag)
		return base + PTYPE_CLS_FRAG;
	switch (p->l4 ? p->proto : 0) {
	case PROTO_UDP:
		return base + PTYPE_CLS_UDP;
	case PROTO_TCP:
		return base + PTYPE_CLS_TCP;
	case PROTO_SCTP:
		return base + PTYPE_CLS_SCTP;
	case PROTO_ICMP:
	case PROTO_ICMPV6:
		return base + PTYPE_CLS_ICMP;
	default:
		return base + PTYPE_CLS_PAY3;
	}
}

static u32 pctype_of(const struct pkt *p, bool *ports)
{
	u32 v6 = p->ip == 6 ? PCTYPE_V6_UDP - PCTYPE_V4_UDP : 0;

	*ports = false;
	if (!p->ip)
		return PCTYPE_L2;
	if (p->frag)
		return PCTYPE_V4_FRAG + v6;
	*ports = p->l4;
	if (p->l4 && p->proto == PROTO_TCP)
		return PCTYPE_V4_TCP + v6;
	if (p->l4 && p->proto == PROTO_UDP)
		return PCTYPE_V4_UDP + v6;
	*ports = false;
	return PCTYPE_V4_OTHER + v6;
}

/* False: this kind of packet is not hashed. */
static bool rss_hash(struct i40e *s, const struct pkt *p, const u8 *data, u32 *hash)
{
	u8 key[HASH_KEY_WORDS * 4];
	bool ports;
	u32 pctype = pctype_of(p, &ports), i;

	if (!(reg_get(s->regs, I40E_PFQF_HENA(pctype / 32)) & BIT(pctype % 32)) || !p->ip)
		return false;
	for (i = 0; i < HASH_KEY_WORDS; i++)
		put_le32(key + i * 4, reg_get(s->regs, I40E_PFQF_HKEY(i)));
	*hash = rss_toeplitz(key, sizeof(key), p, data, ports);
	return true;
}

static u32 vsi_queue(const struct i40e_vsi *v, u32 index)
{
	u16 tc = le16toh(v->info.tc_mapping[0]);
	u32 first = (le16toh(v->info.queue_mapping[0]) & 0x7ff) + (tc & 0x1ff);

	return first + (index & (BIT((tc >> I40E_AQ_VSI_TC_QUE_NUMBER_SHIFT) & 7) - 1));
}

static u32 rss_queue(struct i40e *s, const struct i40e_vsi *v, u32 hash)
{
	bool big = reg_get(s->regs, I40E_PFQF_CTL_0) & I40E_PFQF_CTL_0_HASHLUTSIZE_MASK;
	u32 e = hash & (big ? 511 : 127);
	u32 lut = reg_get(s->regs, I40E_PFQF_HLUT(e / 4)) >> e % 4 * 8 & 0x3f;

	return vsi_queue(v, lut);
}

static void wb(struct i40e *s, struct i40e_rxq *r, u32 index, u64 qw0, u64 qw1)
{
	u64 at = ring_addr(&r->ring, index);

	if (r->ring.stride == 32) {
		u64 zero[2] = { 0, 0 };

		dma_write(s->nic, at + 16, zero, sizeof(zero));
	}
	dma_write_le64(s->nic, at, qw0);
	dma_write_le64(s->nic, at + 8, qw1);
}

void i40e_rx_status(struct i40e *s, u32 q, u64 qw0, u64 qw1)
{
	struct i40e_rxq *r = &s->rxq[q];

	if (q >= I40E_QUEUES || !r->on || !ring_pending(&r->ring)) {
		nic_log(s->nic, LOG_INFO, "no room for a programming status on RX queue %u", q);
		return;
	}
	wb(s, r, r->ring.head, qw0, qw1);
	ring_advance(&r->ring);
	i40e_rxq_cause(s, q);
}

static bool rx_drop(struct i40e *s, u32 vsi)
{
	u32 prt = I40E_GLPRT_RDPC(0), v = I40E_GLV_RDPC(vsi);

	reg_set(s->regs, prt, reg_get(s->regs, prt) + 1);
	reg_set(s->regs, v, reg_get(s->regs, v) + 1);
	return false;
}

static void count_rx(struct i40e *s, u32 vsi, const u8 *data, u32 len)
{
	u32 cast = data[0] == 0xff ? 2 : data[0] & 1;
	static const u32 prt[] = { I40E_GLPRT_UPRCL(0), I40E_GLPRT_MPRCL(0), I40E_GLPRT_BPRCL(0) };
	const u32 v[] = { I40E_GLV_UPRCL(vsi), I40E_GLV_MPRCL(vsi), I40E_GLV_BPRCL(vsi) };

	i40e_count(s, prt[cast], 1);
	i40e_count(s, v[cast], 1);
	i40e_count(s, I40E_GLPRT_GORCL(0), len + 4);
	i40e_count(s, I40E_GLV_GORCL(vsi), len + 4);
}

/* The frame into as many buffers as it takes; the last one carries @qw1. */
static bool rx_place(struct i40e *s, u32 q, const u8 *data, u32 len, u64 qw0, u64 qw1)
{
	struct i40e_rxq *r = &s->rxq[q];
	u32 need = (len + r->buf_size - 1) / r->buf_size, i;

	if (len > r->max_frame || need > I40E_RX_CHAIN || ring_pending(&r->ring) < need)
		return false;
	for (i = 0; i < need; i++) {
		u32 n = len < r->buf_size ? len : r->buf_size;
		u64 addr;

		if (ring_read(s->nic, &r->ring, r->ring.head, &addr, sizeof(addr)) ||
		    dma_write(s->nic, le64toh(addr), data, n))
			return false;
		data += n;
		len -= n;
		wb(s, r, r->ring.head, qw0,
		   len ? RXD_DD | RXD_LEN(n) : qw1 | RXD_DD | RXD_EOF | RXD_LEN(n));
		ring_advance(&r->ring);
	}
	return true;
}

bool i40e_rx(struct nic *nic, const struct rx_frame *f)
{
	struct i40e *s = i40e_of(nic);
	const u8 *data = f->data;
	u8 stripped[I40E_MTU_MAX + 8];
	struct i40e_fd_filter *fd;
	u32 len = f->len, hash = 0, q, vsi;
	u64 qw0 = 0, qw1 = 0;
	struct i40e_vsi *v;
	struct pkt p;
	int latch;

	if (len > I40E_MTU_MAX || !pkt_parse(&p, data, len))
		return false;
	v = i40e_switch_rx(s, data, &p);
	/* The latch sits in the MAC, before the switch. */
	latch = i40e_ptp_rx(s, &p, data, len, f->stamp_ns);
	if (!v)
		return false;
	vsi = v - s->vsi;
	q = vsi_queue(v, 0);
	if (rss_hash(s, &p, data, &hash)) {
		q = rss_queue(s, v, hash);
		qw0 |= (u64)hash << 32;
		qw1 |= RXD_FLTSTAT_RSS;
	}
	fd = i40e_fd_match(s, &p, data, len);
	if (fd) {
		if (fd->drop)
			return false;
		q = vsi_queue(v, 0) + fd->queue;
		qw1 |= RXD_FLM;
	}
	if (q >= I40E_QUEUES || !s->rxq[q].on)
		return rx_drop(s, vsi);
	if (p.ip) {
		qw1 |= RXD_L3L4P;
		if (csum_ipv4_check(&p, data, len) == CSUM_BAD)
			qw1 |= RXD_ERR_IPE;
		if (csum_l4_check(&p, data, len) == CSUM_BAD)
			qw1 |= RXD_ERR_L4E;
	}
	if (latch >= 0)
		qw1 |= RXD_TSYNVALID | RXD_TSYNINDX(latch);
	qw1 |= RXD_PTYPE(ptype_of(&p)) | RXD_UMBCAST(data[0] == 0xff ? 2 : data[0] & 1);
	if (p.vlan_tags && len >= 18 &&
	    (v->info.port_vlan_flags & I40E_AQ_VSI_PVLAN_EMOD_MASK) != I40E_AQ_VSI_PVLAN_EMOD_NOTHING) {
		memcpy(stripped, data, 12);
		memcpy(stripped + 12, data + 16, len - 16);
		data = stripped;
		len -= 4;
		qw0 |= (u64)p.vlan << 16;
		qw1 |= RXD_L2TAG1P;
	}
	if (!rx_place(s, q, data, len, qw0, qw1))
		return rx_drop(s, vsi);
	count_rx(s, vsi, data, len);
	i40e_rxq_cause(s, q);
	return true;
}
