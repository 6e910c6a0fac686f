// SPDX-License-Identifier: GPL-2.0
/*
 * IEEE 1588 block: a clock of 64-bit nanoseconds, one transmit and four receive
 * latches. A latch that software has not read by its high half is not
 * overwritten: the later frame gets no stamp.
 */
#include "i40e.h"

#define ETYPE_PTP		0x88f7
#define PTP_PORT		319
#define PTP_EVENT_MAX		8	/* message types below are event messages */
#define TSYNTYPE(v)		(((v) >> I40E_PRTTSYN_CTL1_TSYNTYPE_SHIFT) & 3)
#define ADJ_SIGN		BIT(31)
#define ADJ_NS			0x3fffffff

/*
 * The increment is what one clock tick adds, in 2^-32 ns. A port at 10 Gb/s
 * ticks at 312.5 MHz: rate = INC / 2^32 * 0.3125.
 */
#define INC_NUM			5ULL
#define INC_DEN			(1ULL << 36)
#define INC_10G			0x333333332ULL

void i40e_ptp_reset(struct i40e *s)
{
	u64 t = s->ptp.tx_latched, m = s->ptp.tx_missed, r = s->ptp.rx_missed;

	memset(&s->ptp, 0, sizeof(s->ptp));
	s->ptp.tx_latched = t;
	s->ptp.tx_missed = m;
	s->ptp.rx_missed = r;
}

static u32 time_l_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	u64 now = phc_units(&nic->phc, mono_now());

	(void)ref;
	(void)val;
	i40e_of(nic)->ptp.time_hi = now >> 32;
	return now;
}

static u32 time_h_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)ref;
	(void)val;
	return i40e_of(nic)->ptp.time_hi;
}

static void time_h_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	(void)old;
	phc_set_units(&nic->phc, mono_now(),
		      (u64)val << 32 | reg_get(ref->regs, I40E_PRTTSYN_TIME_L));
}

static void inc_h_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	u64 inc = (u64)(val & 0x3f) << 32 | reg_get(ref->regs, I40E_PRTTSYN_INC_L);

	(void)old;
	phc_set_rate(&nic->phc, mono_now(), inc * INC_NUM, INC_DEN);
}

static void adj_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	s64 ns = val & ADJ_NS;

	(void)ref;
	(void)old;
	phc_adjust(&nic->phc, mono_now(), val & ADJ_SIGN ? -ns : ns);
}

static u32 txtime_h_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)ref;
	i40e_of(nic)->ptp.tx_locked = false;
	return val;
}

static u32 rxtime_h_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	i40e_of(nic)->ptp.rx_locked[ref->index] = false;
	reg_clear_bits(ref->regs, I40E_PRTTSYN_STAT_1, BIT(ref->index));
	return val;
}

const struct reg_desc i40e_ptp_regs[] = {
	{ I40E_PRTTSYN_CTL0, "PRTTSYN_CTL0", REG_RW(0xffffffff) },
	{ I40E_PRTTSYN_CTL1, "PRTTSYN_CTL1", REG_RW(0xffffffff) },
	{ I40E_PRTTSYN_STAT_0, "PRTTSYN_STAT_0", REG_RC(0xffffffff) },
	{ I40E_PRTTSYN_STAT_1, "PRTTSYN_STAT_1", REG_RO },
	{ I40E_PRTTSYN_INC_L, "PRTTSYN_INC_L", REG_RW(0xffffffff), .reset = (u32)INC_10G },
	{ I40E_PRTTSYN_INC_H, "PRTTSYN_INC_H", REG_RW(0x3f), .reset = INC_10G >> 32,
	  .wr = inc_h_wr },
	{ I40E_PRTTSYN_TIME_L, "PRTTSYN_TIME_L", REG_RW(0xffffffff), .rd = time_l_rd },
	{ I40E_PRTTSYN_TIME_H, "PRTTSYN_TIME_H", REG_RW(0xffffffff), .rd = time_h_rd,
	  .wr = time_h_wr },
	{ I40E_PRTTSYN_ADJ, "PRTTSYN_ADJ", REG_RW(0xffffffff), .wr = adj_wr },
	{ I40E_PRTTSYN_TXTIME_L, "PRTTSYN_TXTIME_L", REG_RO },
	{ I40E_PRTTSYN_TXTIME_H, "PRTTSYN_TXTIME_H", REG_RO, .rd = txtime_h_rd },
	{ I40E_PRTTSYN_RXTIME_L(0), "PRTTSYN_RXTIME_L", REG_RO, .count = 4, .stride = 32 },
	{ I40E_PRTTSYN_RXTIME_H(0), "PRTTSYN_RXTIME_H", REG_RO, .count = 4, .stride = 32,
	  .rd = rxtime_h_rd },
	/* Pins and pulses: kept, without effect; no pin leads out of the model. */
	{ I40E_PRTTSYN_EVNT_H(0), "PRTTSYN_EVNT_H", REG_RO, .count = 2, .stride = 32 },
	{ I40E_PRTTSYN_EVNT_L(0), "PRTTSYN_EVNT_L", REG_RO, .count = 2, .stride = 32 },
	{ I40E_PRTTSYN_AUX_0(0), "PRTTSYN_AUX_0", REG_RW(0xffffffff), .count = 2, .stride = 32 },
	{ I40E_PRTTSYN_AUX_1(0), "PRTTSYN_AUX_1", REG_RW(0xffffffff), .count = 2, .stride = 32 },
	{ I40E_PRTTSYN_TGT_H(0), "PRTTSYN_TGT_H", REG_RW(0xffffffff), .count = 2, .stride = 32 },
	{ I40E_PRTTSYN_TGT_L(0), "PRTTSYN_TGT_L", REG_RW(0xffffffff), .count = 2, .stride = 32 },
	{ I40E_PRTTSYN_CLKO(0), "PRTTSYN_CLKO", REG_RW(0xffffffff), .count = 2, .stride = 32 },
};
const size_t i40e_ptp_nregs = ARRAY_SIZE(i40e_ptp_regs);

void i40e_ptp_egress(struct nic *nic, struct tx_frame *f)
{
	struct i40e *s = i40e_of(nic);
	u32 ctl = reg_get(s->regs, I40E_PRTTSYN_CTL0);

	if (!(f->req & TRUTH_REQ_TS))
		return;
	if (f->stamp_lost || f->dropped || !(ctl & I40E_PRTTSYN_CTL0_TSYNENA_MASK)) {
		f->stamp_ns = TRUTH_NONE;
		return;
	}
	if (s->ptp.tx_locked) {
		f->stamp_ns = TRUTH_NONE;
		s->ptp.tx_missed++;
		return;
	}
	s->ptp.tx_locked = true;
	s->ptp.tx_latched++;
	reg_set(s->regs, I40E_PRTTSYN_TXTIME_L, f->stamp_ns);
	reg_set(s->regs, I40E_PRTTSYN_TXTIME_H, f->stamp_ns >> 32);
	reg_set_bits(s->regs, I40E_PRTTSYN_STAT_0, I40E_PRTTSYN_STAT_0_TXTIME_MASK);
	if (ctl & I40E_PRTTSYN_CTL0_TXTIME_INT_ENA_MASK)
		i40e_icr0_raise(s, I40E_PFINT_ICR0_TIMESYNC_MASK);
}

/* Does the receive filter in CTL1 want this frame stamped? */
static bool ptp_wanted(u32 ctl, const struct pkt *p, const u8 *frame, u32 len)
{
	bool udp = p->l4 && p->proto == 17 && p->dport == PTP_PORT;
	u32 at = udp ? p->payload : p->ip ? 0 : 14u + 4 * p->vlan_tags;

	if (!(ctl & I40E_PRTTSYN_CTL1_TSYNENA_MASK) || !at || at + 2 > len)
		return false;
	if (udp && !(ctl & BIT(I40E_PRTTSYN_CTL1_UDP_ENA_SHIFT)))
		return false;
	if (!udp && p->ethertype != ETYPE_PTP)
		return false;
	if (TSYNTYPE(ctl) == 1)
		return udp && (frame[at + 1] & 0xf) == 1;
	return (frame[at + 1] & 0xf) == 2 && (frame[at] & 0xf) < PTP_EVENT_MAX;
}

int i40e_ptp_rx(struct i40e *s, const struct pkt *p, const u8 *frame, u32 len, u64 ns)
{
	int i;

	if (!ptp_wanted(reg_get(s->regs, I40E_PRTTSYN_CTL1), p, frame, len))
		return -1;
	for (i = 0; i < I40E_RX_LATCHES && s->ptp.rx_locked[i]; i++)
		;
	if (i == I40E_RX_LATCHES) {
		s->ptp.rx_missed++;
		return -1;
	}
	s->ptp.rx_locked[i] = true;
	reg_set(s->regs, I40E_PRTTSYN_RXTIME_L(i), ns);
	reg_set(s->regs, I40E_PRTTSYN_RXTIME_H(i), ns >> 32);
	reg_set_bits(s->regs, I40E_PRTTSYN_STAT_1, BIT(i));
	return i;
}
