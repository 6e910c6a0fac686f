// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit offloads, driven by the lengths in the descriptors alone, as the
 * hardware is: a checksum goes where MACLEN, IPLEN and the L4 type say it
 * goes, so wrong lengths give a wrong sum. Lengths that cannot be a packet's
 * trip malicious-driver detection.
 */
#include "i40e.h"

#define ETH_MIN			60
#define ETH_HDR			14
#define TX_MIN			17	/* shortest packet the hardware takes */
#define MSS_MIN			64

enum {
	MDD_LENGTHS = 16,
	MDD_SIZE,
	MDD_TSO,
};

static u32 l4_field(u32 cmd)
{
	switch (cmd & TXD_CMD_L4T) {
	case TXD_CMD_L4T_TCP:
		return 16;
	case TXD_CMD_L4T_UDP:
		return 6;
	default:
		return 0;
	}
}

/* NULL, or what is wrong with the descriptor's lengths for @len bytes. */
static const char *lengths_bad(u64 qw1, u32 len)
{
	u32 cmd = TXD_CMD(qw1), iipt = cmd & TXD_CMD_IIPT;
	u32 mac = TXD_MACLEN(qw1), ip = TXD_IPLEN(qw1), l4 = TXD_L4LEN(qw1);

	if (!(cmd & TXD_CMD_L4T) && iipt != TXD_CMD_IIPT_V4_CSUM)
		return NULL;
	if (!iipt)
		return "L4 checksum of no IP packet";
	if (mac < ETH_HDR)
		return "MACLEN below an Ethernet header";
	if (ip < (iipt == TXD_CMD_IIPT_V6 ? 40 : 20))
		return "IPLEN below an IP header";
	if ((cmd & TXD_CMD_L4T) == TXD_CMD_L4T_TCP && l4 < 20)
		return "L4LEN below a TCP header";
	if ((cmd & TXD_CMD_L4T) == TXD_CMD_L4T_UDP && l4 < 8)
		return "L4LEN below a UDP header";
	if (mac + ip + l4 > len)
		return "headers beyond the packet";
	return NULL;
}

static void checksums(struct i40e *s, u64 qw1, u8 *data, u32 len)
{
	u32 cmd = TXD_CMD(qw1), mac = TXD_MACLEN(qw1), l4 = mac + TXD_IPLEN(qw1);

	if ((cmd & TXD_CMD_IIPT) == TXD_CMD_IIPT_V4_CSUM) {
		put_be16(data + mac + 10, 0);
		put_be16(data + mac + 10, ~csum_fold(csum_add(0, data + mac, TXD_IPLEN(qw1))));
	}
	switch (cmd & TXD_CMD_L4T) {
	case TXD_CMD_L4T_TCP:
	case TXD_CMD_L4T_UDP:
		csum_insert_at(data, len, l4, l4_field(cmd),
			       (cmd & TXD_CMD_L4T) == TXD_CMD_L4T_UDP);
		break;
	case TXD_CMD_L4T_SCTP:
		guest_error(s->nic, "SCTP checksum is not modelled, frame left as it is");
		break;
	}
}

static void vlan_insert(u8 *data, u32 len, u16 tci)
{
	memmove(data + 16, data + 12, len - 12);
	put_be16(data + 12, 0x8100);
	put_be16(data + 14, tci);
}

static void count_tx(struct i40e *s, const u8 *data, u32 len)
{
	u32 cast = data[0] == 0xff ? 2 : data[0] & 1;
	static const u32 prt[] = { I40E_GLPRT_UPTCL(0), I40E_GLPRT_MPTCL(0), I40E_GLPRT_BPTCL(0) };
	static const u32 vsi[] = { I40E_GLV_UPTCL(0), I40E_GLV_MPTCL(0), I40E_GLV_BPTCL(0) };

	i40e_count(s, prt[cast], 1);
	i40e_count(s, vsi[cast], 1);
	i40e_count(s, I40E_GLPRT_GOTCL(0), len + 4);
	i40e_count(s, I40E_GLV_GOTCL(0), len + 4);
}

/* One frame of the packet; @last: the one whose egress completes it. */
static void emit(struct i40e *s, const struct i40e_tx_job *job, const u8 *head, u32 hlen,
		 const u8 *body, u32 blen, bool first, bool last)
{
	u32 len = hlen + blen, cmd = TXD_CMD(job->qw1);
	bool tag = cmd & TXD_CMD_IL2TAG1;
	u32 wire = len + (tag ? 4 : 0);
	struct tx_frame *f = tx_alloc(s->nic, wire < ETH_MIN ? ETH_MIN : wire);

	if (!f)
		return;
	memcpy(f->data, head, hlen);
	memcpy(f->data + hlen, body, blen);
	checksums(s, job->qw1, f->data, len);
	if (tag)
		vlan_insert(f->data, len, TXD_L2TAG1(job->qw1));
	if (wire < ETH_MIN)
		memset(f->data + wire, 0, ETH_MIN - wire);
	f->queue = job->q;
	f->as_queue = i40e_txq_channel(s, job->q);
	f->desc = job->first;
	f->req = 0;
	if (cmd & TXD_CMD_L4T)
		f->req |= TRUTH_REQ_CSUM;
	if (first && (TXC_CMD(job->ctx) & TXC_CMD_TSYN) && s->txq[job->q].timesync)
		f->req |= TRUTH_REQ_TS;
	f->launch_ns = TRUTH_NONE;
	f->priv[0] = last ? job->next + 1 : 0;
	f->priv[1] = cmd & TXD_CMD_RS;
	count_tx(s, f->data, f->len);
	tx_send(f);
}

/* What the hardware rewrites in each segment's headers. */
static void tso_headers(struct i40e *s, const struct i40e_tx_job *job, u8 *hdr, u32 off,
			u32 seg, u32 n, bool last)
{
	u32 mac = TXD_MACLEN(job->qw1), ip = TXD_IPLEN(job->qw1), l4 = mac + ip;
	u32 cmd = TXD_CMD(job->qw1), l4len = TXD_L4LEN(job->qw1) + n;
	const u8 *orig = s->gather;
	u32 sum;

	if ((cmd & TXD_CMD_IIPT) == TXD_CMD_IIPT_V6) {
		put_be16(hdr + mac + 4, ip - 40 + l4len);
	} else {
		put_be16(hdr + mac + 2, ip + l4len);
		put_be16(hdr + mac + 4, get_be16(orig + mac + 4) + seg);
	}
	if ((cmd & TXD_CMD_L4T) == TXD_CMD_L4T_TCP) {
		u32 mask = seg ? last ? I40E_GLLAN_TSOMSK_L : I40E_GLLAN_TSOMSK_M :
				 I40E_GLLAN_TSOMSK_F;

		put_be32(hdr + l4 + 4, get_be32(orig + l4 + 4) + off);
		if (!(last && !seg))
			put_be16(hdr + l4 + 12, get_be16(orig + l4 + 12) &
				 ~(reg_get(s->regs, mask) & 0xfff));
	} else {
		put_be16(hdr + l4 + 4, l4len);
	}
	/* The driver leaves the pseudo-header's sum without the length. */
	sum = csum_add(get_be16(orig + l4 + l4_field(cmd)), (u8[]){ l4len >> 8, l4len }, 2);
	put_be16(hdr + l4 + l4_field(cmd), csum_fold(sum));
}

static void tso(struct i40e *s, const struct i40e_tx_job *job)
{
	u32 hlen = TXD_MACLEN(job->qw1) + TXD_IPLEN(job->qw1) + TXD_L4LEN(job->qw1);
	u32 mss = TXC_MSS(job->ctx), left = job->len - hlen, off = 0, seg = 0;
	u8 hdr[127 * 2 + 127 * 4 + 15 * 4];

	while (left) {
		u32 n = left < mss ? left : mss;

		memcpy(hdr, s->gather, hlen);
		tso_headers(s, job, hdr, off, seg, n, n == left);
		emit(s, job, hdr, hlen, s->gather + hlen + off, n, !seg, n == left);
		off += n;
		left -= n;
		seg++;
	}
}

/* A packet that completes without a frame: filter programming. */
static void complete_dummy(struct i40e *s, const struct i40e_tx_job *job)
{
	struct i40e_txq *t = &s->txq[job->q];

	t->done = job->next;
	if (TXD_CMD(job->qw1) & TXD_CMD_RS)
		i40e_txq_report(s, job->q);
	i40e_txq_cause(s, job->q, TXD_CMD(job->qw1) & TXD_CMD_RS);
}

void i40e_tx_packet(struct i40e *s, const struct i40e_tx_job *job)
{
	u32 cmd = TXD_CMD(job->qw1);
	const char *bad = lengths_bad(job->qw1, job->len);

	if (cmd & TXD_CMD_DUMMY) {
		complete_dummy(s, job);
		return;
	}
	if (bad) {
		i40e_mdd_tx(s, job->q, MDD_LENGTHS, bad);
		return;
	}
	if (job->len < TX_MIN) {
		i40e_mdd_tx(s, job->q, MDD_SIZE, "packet below 17 bytes");
		return;
	}
	if (!(TXC_CMD(job->ctx) & TXC_CMD_TSO)) {
		if (job->len > I40E_MTU_MAX)
			i40e_mdd_tx(s, job->q, MDD_SIZE, "packet beyond 9728 bytes");
		else
			emit(s, job, s->gather, job->len, s->gather, 0, true, true);
		return;
	}
	if (!l4_field(cmd) || TXC_MSS(job->ctx) < MSS_MIN || TXC_MSS(job->ctx) > I40E_MTU_MAX ||
	    TXD_MACLEN(job->qw1) + TXD_IPLEN(job->qw1) + TXD_L4LEN(job->qw1) >= job->len) {
		i40e_mdd_tx(s, job->q, MDD_TSO, "segmentation without header, payload or MSS");
		return;
	}
	if (job->len - TXC_TSO_LEN(job->ctx) != TXD_MACLEN(job->qw1) + TXD_IPLEN(job->qw1) +
						TXD_L4LEN(job->qw1)) {
		i40e_mdd_tx(s, job->q, MDD_TSO, "segmentation length is not the payload's");
		return;
	}
	tso(s, job);
}
