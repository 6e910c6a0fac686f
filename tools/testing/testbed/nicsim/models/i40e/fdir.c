// SPDX-License-Identifier: GPL-2.0
/*
 * Flow director: filters programmed through the transmit ring, described by the
 * packet that follows the filter program descriptor. That packet is seen from
 * the sender's side, so a received packet matches with its ends swapped.
 */
#include "i40e.h"

#define HEAD_MAX		256

/*
 * A packet to be segmented has no length in its IP header yet. Parse a copy of
 * its headers, @copy, whose length says that the packet ends there.
 */
static const u8 *fill_ip_len(u8 *copy, const u8 *data, u32 *len)
{
	u32 l3 = 14, fixed, field;

	while (l3 < 22 && l3 + 40 < *len && (get_be16(data + l3 - 2) == 0x8100 ||
					     get_be16(data + l3 - 2) == 0x88a8))
		l3 += 4;
	if (l3 + 40 >= *len)
		return data;
	fixed = get_be16(data + l3 - 2) == 0x86dd ? 40 : 0;
	field = l3 + (fixed ? 4 : 2);
	if ((!fixed && get_be16(data + l3 - 2) != 0x0800) || get_be16(data + field))
		return data;
	if (*len > HEAD_MAX)
		*len = HEAD_MAX;
	memcpy(copy, data, *len);
	put_be16(copy + field, *len - l3 - fixed);
	return copy;
}

static bool flow_of(struct i40e_flow *fl, const u8 *frame, u32 len)
{
	u8 copy[HEAD_MAX];
	const u8 *data = fill_ip_len(copy, frame, &len);
	struct pkt p;

	memset(fl, 0, sizeof(*fl));
	if (!pkt_parse(&p, data, len) || !p.ip || p.frag)
		return false;
	fl->ip = p.ip;
	fl->proto = p.proto;
	if (p.ip == 4) {
		memcpy(fl->src, data + p.l3 + 12, 4);
		memcpy(fl->dst, data + p.l3 + 16, 4);
	} else {
		memcpy(fl->src, data + p.l3 + 8, 16);
		memcpy(fl->dst, data + p.l3 + 24, 16);
	}
	fl->sport = p.l4 ? p.sport : 0;
	fl->dport = p.l4 ? p.dport : 0;
	return true;
}

static struct i40e_fd_filter *fd_find(struct i40e *s, const struct i40e_flow *fl)
{
	u32 i;

	for (i = 0; i < I40E_FD_FILTERS; i++)
		if (s->fd[i].used && !memcmp(&s->fd[i].flow, fl, sizeof(*fl)))
			return &s->fd[i];
	return NULL;
}

static void fd_count(struct i40e *s)
{
	u32 i, n = 0;

	for (i = 0; i < I40E_FD_FILTERS; i++)
		n += s->fd[i].used;
	/* Guaranteed space first, best effort behind it. */
	reg_set(s->regs, I40E_PFQF_FDSTAT, n);
	reg_set(s->regs, I40E_GLQF_FDCNT_0, n);
}

void i40e_fd_clear(struct i40e *s)
{
	memset(s->fd, 0, sizeof(s->fd));
	fd_count(s);
}

/* Error bits of the programming status, 0: done. */
static u64 fd_update(struct i40e *s, const struct i40e_desc *d, const struct i40e_flow *fl)
{
	u32 dw0 = (u32)d->qw0, dw2 = (u32)d->qw1, i, n = 0;
	struct i40e_fd_filter *f = fd_find(s, fl);

	if (TXF_PCMD(dw2) == TXF_PCMD_REMOVE) {
		if (!f)
			return RXP_ERR_NO_ENTRY;
		f->used = false;
		return 0;
	}
	for (i = 0; i < I40E_FD_FILTERS; i++)
		n += s->fd[i].used;
	if (!f && n >= s->fd_limit)
		return RXP_ERR_TBL_FULL;
	for (i = 0; !f && i < I40E_FD_FILTERS; i++)
		if (!s->fd[i].used)
			f = &s->fd[i];
	if (!f)
		return RXP_ERR_TBL_FULL;
	f->used = true;
	f->flow = *fl;
	f->queue = TXF_QINDEX(dw0);
	f->drop = TXF_DEST(dw2) == TXF_DEST_DROP;
	f->count = TXF_CNT_ENA(dw2);
	f->cnt_index = TXF_CNTINDEX(dw2);
	f->fd_id = d->qw1 >> 32;
	return 0;
}

void i40e_fd_program(struct i40e *s, u32 q, const struct i40e_desc *d, const u8 *frame, u32 len,
		     bool dummy)
{
	struct i40e_flow fl;
	u64 err;

	if (!(reg_get(s->regs, I40E_PFQF_CTL_0) & I40E_PFQF_CTL_0_FD_ENA_MASK))
		return;
	if (!flow_of(&fl, frame, len)) {
		guest_error(s->nic, "TX queue %u: filter program without a flow", q);
		return;
	}
	err = fd_update(s, d, &fl);
	fd_count(s);
	/* Sideband programming is always answered, sampling only on failure. */
	if (err || dummy)
		i40e_rx_status(s, q, d->qw1 & ~0xffffffffULL,
			       RXD_SPH | RXD_DD | RXP_PROGID_FD | err);
}

struct i40e_fd_filter *i40e_fd_match(struct i40e *s, const struct pkt *p, const u8 *frame,
				     u32 len)
{
	struct i40e_fd_filter *f;
	struct i40e_flow fl, rev;

	if (!p->ip || !(reg_get(s->regs, I40E_PFQF_CTL_0) & I40E_PFQF_CTL_0_FD_ENA_MASK) ||
	    !reg_get(s->regs, I40E_GLQF_FDCNT_0))
		return NULL;
	if (!flow_of(&fl, frame, len))
		return NULL;
	rev = fl;
	memcpy(rev.src, fl.dst, sizeof(rev.src));
	memcpy(rev.dst, fl.src, sizeof(rev.dst));
	rev.sport = fl.dport;
	rev.dport = fl.sport;
	f = fd_find(s, &rev);
	if (f) {
		s->fd_hits++;
		if (f->count) {
			u32 r = I40E_GLQF_PCNT(f->cnt_index);

			reg_set(s->regs, r, reg_get(s->regs, r) + 1);
		}
	}
	return f;
}
