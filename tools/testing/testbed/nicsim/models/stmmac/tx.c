// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit: descriptors from the ring, checksum insertion, launch time, and
 * the write-back with the stamp.
 *
 * The stamp is taken behind a clock domain crossing and is two PTP clock
 * periods late; drivers subtract that, rounded down to ns.
 */
#include <netinet/in.h>

#include "stmmac.h"

/* tx_frame.priv[] */
enum { P_FIRST, P_COUNT, P_FLAGS, P_STATUS };

struct desc {
	u32 des[4];		/* TDES0 - TDES3 */
	u32 lt_sec, lt_ns;	/* TDES4, TDES5 of an enhanced one, or 0 */
};

static u64 base_of(struct stmmac *s, u32 ch)
{
	return (u64)ch_get(s, ch, CH_TX_BASE_HI) << 32 |
	       ch_get(s, ch, CH_TX_BASE);
}

static bool enhanced(const struct ring *r)
{
	return r->stride == 32;
}

/* Offset of TDES0: an enhanced descriptor starts with TDES4 - TDES7. */
static u64 desc_addr(const struct ring *r, u32 index)
{
	return ring_addr(r, index) + (enhanced(r) ? 16 : 0);
}

static bool desc_read(struct stmmac *s, const struct ring *r, u32 index,
		      struct desc *d)
{
	u64 at = desc_addr(r, index);
	u8 raw[16];

	/* Ownership first: the rest is the guest's until then. */
	if (dma_read_le32(s->nic, at + 12, &d->des[3]))
		return false;
	if (dma_read(s->nic, at, raw, 12))
		return false;
	for (int i = 0; i < 3; i++)
		d->des[i] = get_le32(raw + 4 * i);
	d->lt_sec = d->lt_ns = 0;
	if (enhanced(r)) {
		if (dma_read(s->nic, ring_addr(r, index), raw, 8))
			return false;
		d->lt_sec = get_le32(raw);
		d->lt_ns = get_le32(raw + 4);
	}
	return true;
}

void stmmac_tx_start(struct stmmac *s, u32 ch)
{
	struct stmmac_tx *t = &s->chan[ch].tx;
	u32 head = t->fresh ? 0 : t->ring.head;
	bool edse = ch_get(s, ch, CH_TX_CONTROL) & TX_CONTROL_EDSE;

	if (ring_init(s->nic, &t->ring, base_of(s, ch),
		      ch_get(s, ch, CH_TX_RING_LEN) + 1, edse ? 32 : 16))
		return;
	t->ring.head = head < t->ring.count ? head : 0;
	t->fresh = false;
	t->running = true;
	stmmac_tx_kick(s, ch);
}

/*
 * The driver frees ring and buffers as soon as it has told the channel to stop,
 * so nothing may be written back any more.
 */
void stmmac_tx_stop(struct stmmac *s, u32 ch)
{
	s->chan[ch].tx.running = false;
	tx_flush(s->nic, ch);
}

void stmmac_tx_bus_error(struct stmmac *s, u32 ch)
{
	stmmac_tx_stop(s, ch);
	stmmac_status(s, ch, ST_FBE);
}

static void insert_csum(struct stmmac *s, u32 ch, u32 cic, struct tx_frame *f)
{
	struct pkt p;

	if (!cic || !pkt_parse(&p, f->data, f->len))
		return;
	if (p.ip == 4 && !csum_ipv4_insert(&p, f->data, f->len)) {
		f->priv[P_STATUS] |= TDES3_WB_IHE;
		return;
	}
	if (cic == 1 || p.frag || !p.l4)
		return;
	f->req |= TRUTH_REQ_CSUM;
	if (p.proto == IPPROTO_ICMP || p.proto == IPPROTO_ICMPV6) {
		u32 sum = p.ip == 6 ? csum_pseudo(&p, f->data) : 0;

		if (p.l4_len < 4 || p.l4 + p.l4_len > f->len)
			return;
		put_be16(f->data + p.l4 + 2, 0);
		sum = csum_add(sum, f->data + p.l4, p.l4_len);
		put_be16(f->data + p.l4 + 2, ~csum_fold(sum));
		return;
	}
	if (!csum_l4_insert(&p, f->data, f->len, cic == 2)) {
		f->req &= ~TRUTH_REQ_CSUM;
		if (p.proto == IPPROTO_UDP || p.proto == IPPROTO_TCP)
			guest_error(s->nic, "queue %u: checksum insertion, but no room for the field", ch);
	}
}

/*
 * Launch time has 8 bits of seconds. The nearest moment that has them is
 * meant: up to 128 s ahead, or past.
 */
static u64 launch_time(struct nic *nic, const struct desc *d)
{
	u64 now = nic_clock_ns(nic, mono_now());
	u32 ns = TDES5_LT(d->lt_ns);
	s64 sec = now / NSEC_PER_SEC;
	s8 ahead = TDES4_LT(d->lt_sec) - (u8)sec;

	sec += ahead;
	return sec < 0 ? 0 : sec * NSEC_PER_SEC + ns;
}

/* Close descriptors that carry no frame status. */
static void close_desc(struct stmmac *s, const struct ring *r, u32 index,
		       u32 des3)
{
	dma_write_le32(s->nic, desc_addr(r, index) + 12, des3 & ~TDES3_OWN);
}

/*
 * Reads one frame from the ring's head and sends it. False: nothing more to
 * do now.
 */
static bool fetch(struct stmmac *s, u32 ch)
{
	struct stmmac_tx *t = &s->chan[ch].tx;
	struct ring *r = &t->ring;
	u32 first = r->head, left = ring_pending(r), n, size = 0;
	struct desc d, fd = { 0 };
	struct tx_frame *f;

	for (n = 0; ; n++, left--) {
		u32 i = (first + n) % r->count;

		if (!left)
			return false;	/* the frame's end is still to come */
		if (!desc_read(s, r, i, &d)) {
			stmmac_tx_bus_error(s, ch);
			return false;
		}
		if (!(d.des[3] & TDES3_OWN)) {
			stmmac_status(s, ch, ST_TBU);
			return false;
		}
		if (d.des[3] & TDES3_CTXT) {
			if (n) {
				guest_error(s->nic, "queue %u: context descriptor inside a frame", ch);
				stmmac_tx_bus_error(s, ch);
				return false;
			}
			close_desc(s, r, i, d.des[3]);
			ring_advance(r);
			return true;
		}
		if (!n) {
			fd = d;
			if (!(d.des[3] & TDES3_FD) || (d.des[3] & TDES3_TSE)) {
				guest_error(s->nic, "queue %u: descriptor %u: TDES3 0x%08x is not the start of a plain frame",
					    ch, i, d.des[3]);
				stmmac_tx_bus_error(s, ch);
				return false;
			}
		}
		size += TDES2_B1L(d.des[2]);
		if (d.des[3] & TDES3_LD)
			break;
	}
	n++;

	/* The MAC pads; what it pads with is zeroes. */
	f = tx_alloc(s->nic, size < 60 ? 60 : size);
	if (!f) {
		stmmac_tx_bus_error(s, ch);
		return false;
	}
	memset(f->data + (size < 60 ? size : 0), 0, size < 60 ? 60 - size : 0);
	for (u32 i = 0, at = 0; i < n; i++) {
		struct desc b;
		u32 len;

		/* The first was copied; of the others only address and length count. */
		if (!i)
			b = fd;
		else if (!desc_read(s, r, (first + i) % r->count, &b))
			goto bus_error;
		len = TDES2_B1L(b.des[2]);
		if (len > size - at)
			goto bus_error;
		if (dma_read(s->nic, (u64)(b.des[1] & 0xff) << 32 | b.des[0],
			     f->data + at, len))
			goto bus_error;
		at += len;
	}
	r->head = (first + n) % r->count;

	f->queue = ch;
	f->desc = (first + n - 1) % r->count;
	f->req = 0;
	f->launch_ns = TRUTH_NONE;
	f->priv[P_FIRST] = first;
	f->priv[P_COUNT] = n;
	f->priv[P_FLAGS] = d.des[2] & TDES2_IOC;
	f->priv[P_STATUS] = 0;
	if (fd.des[2] & TDES2_TTSE)
		f->req |= TRUTH_REQ_TS;
	if (enhanced(r) && (fd.lt_sec & TDES4_LTV)) {
		f->req |= TRUTH_REQ_LAUNCH;
		f->launch_ns = launch_time(s->nic, &fd);
	}
	insert_csum(s, ch, TDES3_CIC(fd.des[3]), f);
	tx_send(f);
	return true;

bus_error:
	tx_free(f);
	stmmac_tx_bus_error(s, ch);
	return false;
}

/* Read frames up to the tail, as long as the FIFO has room. */
void stmmac_tx_kick(struct stmmac *s, u32 ch)
{
	struct stmmac_tx *t = &s->chan[ch].tx;
	u32 tail;

	if (!t->running || !(reg_get(s->regs, MAC_CONFIG) & MAC_CONFIG_TE))
		return;
	if (ring_index(s->nic, &t->ring, (t->ring.base & ~0xffffffffULL) |
		       ch_get(s, ch, CH_TX_TAIL), &tail) ||
	    ring_set_tail(s->nic, &t->ring, tail))
		return;
	while (t->running && ring_pending(&t->ring) &&
	       tx_inflight(s->nic, ch) < TX_FIFO_FRAMES && fetch(s, ch))
		;
	reg_set(s->regs, DMA_CH(ch) + CH_CUR_TX_DESC,
		ring_addr(&t->ring, t->ring.head));
}

void stmmac_tx_done(struct nic *nic, struct tx_frame *f)
{
	struct stmmac *s = stmmac_of(nic);
	struct stmmac_tx *t = &s->chan[f->queue].tx;
	const struct ring *r = &t->ring;
	u32 first = f->priv[P_FIRST], n = f->priv[P_COUNT];
	u32 des3 = TDES3_LD | (n == 1 ? TDES3_FD : 0) | f->priv[P_STATUS];
	u8 raw[12] = { 0 };

	if (!f->dropped)
		mmc_tx(&s->mmc, f->data, f->len);
	for (u32 i = 0; i + 1 < n; i++)
		close_desc(s, r, (first + i) % r->count, i ? 0 : TDES3_FD);
	if (f->stamp_ns != TRUTH_NONE) {
		u64 late = f->stamp_ns + s->cdc_ns;

		put_le32(raw, late % NSEC_PER_SEC);
		put_le32(raw + 4, late / NSEC_PER_SEC);
		des3 |= TDES3_WB_TTSS;
	}
	if (f->error)
		des3 |= TDES3_WB_ES | (f->error_arg ? f->error_arg & 0x7fff :
						      TDES3_WB_LOC);
	if (dma_write(nic, desc_addr(r, f->desc), raw, sizeof(raw)) ||
	    dma_write_le32(nic, desc_addr(r, f->desc) + 12, des3)) {
		stmmac_tx_bus_error(s, f->queue);
		return;
	}
	if (f->priv[P_FLAGS])
		stmmac_status(s, f->queue, ST_TI);
	stmmac_tx_kick(s, f->queue);
	if (!ring_pending(r) && !tx_inflight(nic, f->queue))
		stmmac_status(s, f->queue, ST_TBU);
}
