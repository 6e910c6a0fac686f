// SPDX-License-Identifier: GPL-2.0
/*
 * Resets: PFR (the function's queues, interrupts, cache and switch elements),
 * CORER and GLOBR (announced by an interrupt, then a while of GLGEN_RSTAT, then
 * everything but the admin queue and, for CORER, the clock), and power-on.
 */
#include "i40e.h"

#define CORE_RESET_NS		(30 * 1000 * 1000ULL)

/* What keeps its value over CORER, and over GLOBR up to @ptp. */
static const struct keep {
	u32 off;
	bool ptp;
} keep[] = {
	{ I40E_PF_ATQBAL, false }, { I40E_PF_ATQBAH, false },
	{ I40E_PF_ATQLEN, false }, { I40E_PF_ATQH, false },
	{ I40E_PF_ATQT, false },	 { I40E_PF_ARQBAL, false },
	{ I40E_PF_ARQBAH, false }, { I40E_PF_ARQLEN, false },
	{ I40E_PF_ARQH, false },	 { I40E_PF_ARQT, false },
	{ I40E_GLGEN_RSTAT, false }, { I40E_GLLAN_RCTL_0, false },
	{ I40E_PRTTSYN_CTL0, true }, { I40E_PRTTSYN_INC_L, true },
	{ I40E_PRTTSYN_INC_H, true },
};

static void queues_off(struct i40e *s)
{
	u32 q, v;

	i40e_lan_reset(s);
	for (q = 0; q < I40E_QUEUES; q++) {
		reg_set(s->regs, I40E_QTX_ENA(q), 0);
		reg_set(s->regs, I40E_QRX_ENA(q), 0);
		reg_set(s->regs, I40E_QTX_TAIL(q), 0);
	}
	for (v = 0; v < I40E_VECTORS - 1; v++) {
		reg_set(s->regs, I40E_PFINT_DYN_CTLN(v), 0);
		reg_set(s->regs, I40E_PFINT_LNKLSTN(v), I40E_QUEUE_EOL);
	}
	i40e_irq_reset(s);
}

void i40e_pf_reset(struct i40e *s)
{
	s->pf_resets++;
	queues_off(s);
	i40e_hmc_reset(s);
	i40e_switch_reset(s);
	i40e_fd_clear(s);
	reg_set(s->regs, I40E_PFINT_ICR0, 0);
	reg_set(s->regs, I40E_PFINT_DYN_CTL0, 0);
}

static void core_reset_done(struct timer *t)
{
	struct i40e *s = container_of(t, struct i40e, reset_timer);
	u32 type = FIELD(I40E_GLGEN_RSTAT_RESET_TYPE_MASK, reg_get(s->regs, I40E_GLGEN_RSTAT));
	u32 val[ARRAY_SIZE(keep)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keep); i++)
		val[i] = reg_get(s->regs, keep[i].off);
	queues_off(s);
	regs_reset(s->regs);
	for (i = 0; i < ARRAY_SIZE(keep); i++)
		if (!keep[i].ptp || type == 1)
			reg_set(s->regs, keep[i].off, val[i]);
	i40e_hmc_reset(s);
	i40e_switch_reset(s);
	i40e_fd_clear(s);
	i40e_ptp_reset(s);
	if (type != 1)
		phc_set_units(&s->nic->phc, mono_now(), 0);
	reg_clear_bits(s->regs, I40E_GLGEN_RSTAT, I40E_GLGEN_RSTAT_DEVSTATE_MASK);
}

/* @type: 1 CORER, 2 GLOBR. The function is warned; the reset follows. */
void i40e_core_reset(struct i40e *s, u32 type)
{
	if (timer_pending(&s->reset_timer))
		return;
	s->core_resets++;
	reg_set(s->regs, I40E_GLGEN_RSTAT, 1 | type << I40E_GLGEN_RSTAT_RESET_TYPE_SHIFT);
	i40e_icr0_raise(s, I40E_PFINT_ICR0_GRST_MASK);
	s->reset_timer.fn = core_reset_done;
	timer_set(&s->reset_timer, mono_now() + CORE_RESET_NS);
}

void i40e_full_reset(struct i40e *s)
{
	timer_cancel(&s->reset_timer);
	i40e_lan_reset(s);
	regs_reset(s->regs);
	i40e_irq_reset(s);
	i40e_hmc_reset(s);
	i40e_switch_reset(s);
	i40e_fd_clear(s);
	i40e_ptp_reset(s);
	s->lse = false;
	s->link_enabled = true;
	s->event_mask = 0xffff;
}
