// SPDX-License-Identifier: GPL-2.0
/*
 * Receive: address filter, queue choice, descriptors, checksum verdict, and the
 * stamp in a context descriptor behind the frame's last one.
 *
 * A channel that starts with its tail at the ring's base has no descriptors
 * yet. Later every write of the tail resumes it; it then takes what it owns and
 * pauses when it owns no more, or has come round to the tail.
 */
#include <netinet/in.h>

#include "stmmac.h"

#define FCS_LEN 4

/* What the driver finds behind the frame, and what becomes of it. */
struct verdict {
	u32 rdes1;
	bool drop;
};

static u64 base_of(struct stmmac *s, u32 ch)
{
	return (u64)ch_get(s, ch, CH_RX_BASE_HI) << 32 |
	       ch_get(s, ch, CH_RX_BASE);
}

static bool tail_of(struct stmmac *s, u32 ch, u32 *tail)
{
	struct ring *r = &s->chan[ch].rx.ring;
	u64 at = (r->base & ~0xffffffffULL) | ch_get(s, ch, CH_RX_TAIL);

	/* One past the end is where a full ring's tail points. */
	if (at == ring_addr(r, r->count)) {
		*tail = 0;
		return true;
	}
	return !ring_index(s->nic, r, at, tail);
}

void stmmac_rx_start(struct stmmac *s, u32 ch)
{
	struct stmmac_rx *x = &s->chan[ch].rx;
	u32 head = x->fresh ? 0 : x->ring.head;

	if (ring_init(s->nic, &x->ring, base_of(s, ch),
		      ch_get(s, ch, CH_RX_RING_LEN) + 1, 16))
		return;
	x->ring.head = head < x->ring.count ? head : 0;
	x->suspended = ch_get(s, ch, CH_RX_TAIL) ==
		       (u32)ring_addr(&x->ring, x->ring.head);
	x->fresh = false;
	x->running = true;
}

void stmmac_rx_stop(struct stmmac *s, u32 ch)
{
	s->chan[ch].rx.running = false;
	timer_cancel(&s->chan[ch].rx.watchdog);
}

void stmmac_rx_kick(struct stmmac *s, u32 ch)
{
	struct stmmac_rx *x = &s->chan[ch].rx;
	u32 tail;

	if (x->running && tail_of(s, ch, &tail))
		x->suspended = false;
}

static bool perfect_match(struct stmmac *s, const u8 *da)
{
	u32 low = get_le32(da), high = get_le16(da + 4);

	for (u32 i = 0; i < MAC_ADDRS; i++) {
		u32 h = reg_get(s->regs, MAC_ADDR_HIGH(i));

		if ((!i || (h & MAC_ADDR_AE)) && (h & 0xffff) == high &&
		    reg_get(s->regs, MAC_ADDR_LOW(i)) == low)
			return true;
	}
	return false;
}

static bool hash_match(struct stmmac *s, const u8 *da)
{
	u32 crc = crc32_eth(da, 6), bit = 0;

	/* The CRC's upper six bits, first bit on the wire first. */
	for (int i = 0; i < 6; i++)
		bit |= (crc >> i & 1) << (5 - i);
	return reg_get(s->regs, MAC_HASH(bit >> 5)) >> (bit & 31) & 1;
}

static bool addressed(struct stmmac *s, const u8 *da)
{
	static const u8 all[6] = { 255, 255, 255, 255, 255, 255 };
	u32 filter = reg_get(s->regs, MAC_FILTER);

	if (filter & (MAC_FILTER_PR | MAC_FILTER_RA))
		return true;
	if (!memcmp(da, all, 6))
		return !(filter & MAC_FILTER_DBF);
	if (da[0] & 1)
		return (filter & MAC_FILTER_PM) ||
		       ((filter & MAC_FILTER_HMC) && hash_match(s, da));
	return perfect_match(s, da);
}

static u32 route(struct stmmac *s, const struct pkt *p, const u8 *da)
{
	u32 c1 = reg_get(s->regs, MAC_RXQ_CTRL1);

	if (p->vlan_tags) {
		u32 prio = p->vlan >> 13;

		for (u32 q = 0; q < STMMAC_QUEUES; q++) {
			u32 map = reg_get(s->regs, q < 4 ? MAC_RXQ_CTRL2 :
							   MAC_RXQ_CTRL3);

			if (map >> (8 * (q & 3) + prio) & 1)
				return q;
		}
		return 0;
	}
	if (p->ethertype == 0x88f7)
		return FIELD(GENMASK(6, 4), c1);
	if (p->ethertype == 0x88cc)
		return FIELD(GENMASK(10, 8), c1);
	if ((da[0] & 1) && (c1 & BIT(20)))
		return FIELD(GENMASK(18, 16), c1);
	return FIELD(GENMASK(14, 12), c1);
}

static struct verdict check(struct stmmac *s, const struct pkt *p,
			    const struct rx_frame *f)
{
	struct verdict v = { 0 };

	if (!(reg_get(s->regs, MAC_CONFIG) & MAC_CONFIG_IPC) || !p->ip)
		return v;
	v.rdes1 |= p->ip == 4 ? RDES1_WB_IPV4 : RDES1_WB_IPV6;
	if (p->ip == 4 && csum_ipv4_check(p, f->data, f->len) == CSUM_BAD) {
		v.rdes1 |= RDES1_WB_IPHE;
		v.drop = true;
	}
	switch (p->frag ? 0 : p->proto) {
	case IPPROTO_UDP:
		v.rdes1 |= RDES1_WB_PT_UDP;
		break;
	case IPPROTO_TCP:
		v.rdes1 |= RDES1_WB_PT_TCP;
		break;
	case IPPROTO_ICMP:
	case IPPROTO_ICMPV6:
		v.rdes1 |= RDES1_WB_PT_ICMP;
		break;
	default:
		v.rdes1 |= RDES1_WB_IPCB;
	}
	if (csum_l4_check(p, f->data, f->len) == CSUM_BAD) {
		v.rdes1 |= RDES1_WB_IPCE;
		v.drop = true;
	}
	return v;
}

static void watchdog(struct timer *t)
{
	struct stmmac_chan *c = container_of(t, struct stmmac_chan,
					     rx.watchdog);

	stmmac_status(stmmac_of(c->nic), c->index, ST_RI);
}

/* The driver is told at once, or when the watchdog ends. */
static void signal_rx(struct stmmac *s, u32 ch, bool ioc)
{
	struct timer *t = &s->chan[ch].rx.watchdog;
	u32 wdt = ch_get(s, ch, CH_RX_WDT);
	u64 ns = FIELD(GENMASK(7, 0), wdt) *
		 (256ULL << FIELD(GENMASK(17, 16), wdt)) * 1000000000ULL /
		 s->clk_hz;

	t->fn = watchdog;
	if (ioc || !ns) {
		timer_cancel(t);
		stmmac_status(s, ch, ST_RI);
	} else if (!timer_pending(t)) {
		timer_set(t, mono_now() + ns);
	}
}

/* Does the channel own the @n descriptors from its head on? */
static bool owns(struct stmmac *s, const struct ring *r, u32 n, u32 *des3)
{
	for (u32 i = 0, at = r->head; i < n; i++, at = ring_next(r, at))
		if (dma_read_le32(s->nic, ring_addr(r, at) + 12, &des3[i]) ||
		    !(des3[i] & RDES3_OWN))
			return false;
	return true;
}

/* One descriptor's buffer. */
static bool put_data(struct stmmac *s, u64 desc, u32 des3, const u8 *data,
		     u32 len)
{
	u8 raw[8];
	u64 to;

	if (dma_read(s->nic, desc, raw, sizeof(raw)))
		return false;
	to = (u64)(get_le32(raw + 4) & 0xff) << 32 | get_le32(raw);
	if (!to || !(des3 & RDES3_BUF1V)) {
		guest_error(s->nic, "receive descriptor at 0x%llx without a buffer",
			    (unsigned long long)desc);
		return false;
	}
	return !dma_write(s->nic, to, data, len);
}

static void put_desc(struct stmmac *s, const struct ring *r, u32 index,
		     u32 des0, u32 des1, u32 des3)
{
	u8 raw[12] = { 0 };

	put_le32(raw, des0);
	put_le32(raw + 4, des1);
	dma_write(s->nic, ring_addr(r, index), raw, sizeof(raw));
	dma_write_le32(s->nic, ring_addr(r, index) + 12, des3);
}

#define MAX_DESCS 16

static bool deliver(struct stmmac *s, u32 ch, const struct rx_frame *f,
		    u32 rdes1, bool stamp)
{
	struct stmmac_rx *x = &s->chan[ch].rx;
	struct ring *r = &x->ring;
	u32 size = RX_CONTROL_RBSZ(ch_get(s, ch, CH_RX_CONTROL));
	u32 total = f->len + FCS_LEN, des3[MAX_DESCS + 1], n, tail, i, at;
	u8 frame[TX_MAX_FRAME + FCS_LEN];
	bool ioc = false;

	if (size < 64 || total > sizeof(frame))
		return false;
	n = (total + size - 1) / size;
	if (n > MAX_DESCS)
		return false;
	if (!owns(s, r, n + stamp, des3)) {
		x->suspended = true;
		stmmac_status(s, ch, ST_RBU);
		return false;
	}
	memcpy(frame, f->data, f->len);
	put_le32(frame + f->len, crc32_eth(f->data, f->len));

	for (i = 0, at = r->head; i < n; i++, at = ring_next(r, at)) {
		u32 len = i + 1 < n ? size : total - i * size;

		if (!put_data(s, ring_addr(r, at), des3[i], frame + i * size,
			      len)) {
			x->suspended = true;
			stmmac_status(s, ch, ST_RBU);
			return false;
		}
		ioc |= des3[i] & RDES3_IOC;
	}
	/* Last to first, so that the driver finds all of it or nothing. */
	at = (r->head + n) % r->count;
	if (stamp) {
		u64 late = f->stamp_ns + s->cdc_ns;

		rdes1 |= RDES1_WB_TSA;
		ioc |= des3[n] & RDES3_IOC;
		put_desc(s, r, at, late % NSEC_PER_SEC, late / NSEC_PER_SEC,
			 RDES3_WB_CTXT);
	}
	for (i = n; i-- > 0;) {
		bool last = i + 1 == n;

		put_desc(s, r, (r->head + i) % r->count, 0, last ? rdes1 : 0,
			 (last ? RDES3_WB_LD | RDES3_WB_RS1V | total :
				 (i + 1) * size) |
			 (i ? 0 : RDES3_WB_FD));
	}
	r->head = (r->head + n + stamp) % r->count;
	reg_set(s->regs, DMA_CH(ch) + CH_CUR_RX_DESC, ring_addr(r, r->head));
	if (tail_of(s, ch, &tail) && r->head == tail)
		x->suspended = true;
	signal_rx(s, ch, ioc);
	return true;
}

bool stmmac_rx(struct nic *nic, const struct rx_frame *f)
{
	struct stmmac *s = stmmac_of(nic);
	struct stmmac_rx *x;
	struct verdict v;
	struct pkt p;
	u32 q, ch;

	if (!(reg_get(s->regs, MAC_CONFIG) & MAC_CONFIG_RE)) {
		s->rx_stopped++;
		return false;
	}
	if (!pkt_parse(&p, f->data, f->len) || !addressed(s, f->data)) {
		s->rx_filtered++;
		return false;
	}
	v = check(s, &p, f);
	if (v.drop) {
		mmc_rx(&s->mmc, f->data, f->len, MMC_RX_GOOD);
		s->rx_csum_bad++;
		return false;
	}
	q = route(s, &p, f->data);
	ch = FIELD(GENMASK(3, 0), reg_get(s->regs, MTL_RXQ_DMA_MAP(q >> 2)) >>
				  8 * (q & 3)) & (STMMAC_QUEUES - 1);
	x = &s->chan[ch].rx;
	if (!x->running || !(reg_get(s->regs, MAC_RXQ_CTRL0) >> 2 * q & 3)) {
		s->rx_stopped++;
		return false;
	}
	if (x->suspended ||
	    !deliver(s, ch, f, v.rdes1, stmmac_ptp_match(s, &p, f->data, f->len))) {
		s->rx_no_desc++;
		mmc_rx(&s->mmc, f->data, f->len, MMC_RX_OVERFLOW);
		return false;
	}
	mmc_rx(&s->mmc, f->data, f->len, MMC_RX_GOOD);
	return true;
}
