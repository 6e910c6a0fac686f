// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: vector 0 for the causes of ICR0, one vector a queue pair for the
 * others, each moderated by the interval that its cause names. A message
 * disables its vector until software enables it again; causes that arrive
 * meanwhile wait. A message also writes back the TX heads of its queues, which
 * is how descriptors without RS get reported.
 */
#include "i40e.h"

#define ITR_UNIT_NS		2000
#define ICR0_CAUSES		(~(u32)(I40E_PFINT_ICR0_INTEVENT_MASK))

static u64 itr_ns(struct i40e *s, u32 vec, u32 itr)
{
	u32 val;

	if (itr >= I40E_ITR_NONE)
		return 0;
	val = vec ? reg_get(s->regs, I40E_PFINT_ITRN(itr, vec - 1)) :
		    reg_get(s->regs, I40E_PFINT_ITR0(itr));
	return (val & 0xfff) * (u64)ITR_UNIT_NS;
}

static void vec_fire(struct i40e_vector *v)
{
	struct i40e *s = v->s;
	u32 q;

	v->ena = false;
	v->pending = false;
	v->last = mono_now();
	for (q = 0; v->n && q < I40E_QUEUES; q++)
		if (s->txq[q].on && (reg_get(s->regs, I40E_QINT_TQCTL(q)) & 0xff) == v->n)
			i40e_txq_report(s, q);
	irq_raise(s->nic, v->n);
}

static void vec_timer(struct timer *t)
{
	struct i40e_vector *v = container_of(t, struct i40e_vector, timer);

	if (v->ena && v->pending)
		vec_fire(v);
}

/* @lazy: the cause itself may wait for the interval, counted from now. */
static void vec_cause(struct i40e_vector *v, u32 itr, bool lazy)
{
	u64 now = mono_now(), due = (lazy ? now : v->last) + itr_ns(v->s, v->n, itr);

	v->pending = true;
	if (!v->ena)
		return;
	if (due <= now)
		vec_fire(v);
	else if (!timer_pending(&v->timer) || due < v->timer.due)
		timer_set(&v->timer, due);
}

void i40e_irq_reset(struct i40e *s)
{
	u32 i;

	for (i = 0; i < I40E_VECTORS; i++) {
		struct i40e_vector *v = &s->vec[i];

		timer_cancel(&v->timer);
		v->s = s;
		v->n = i;
		v->ena = false;
		v->pending = false;
		v->timer.fn = vec_timer;
	}
}

/* Raise vector 0 if an enabled cause stands in ICR0. */
void i40e_icr0_check(struct i40e *s)
{
	u32 itr = (reg_get(s->regs, I40E_PFINT_STAT_CTL0) >> 2) & 3;

	if (reg_get(s->regs, I40E_PFINT_ICR0) & ICR0_CAUSES &
	    (reg_get(s->regs, I40E_PFINT_ICR0_ENA) | I40E_PFINT_ICR0_SWINT_MASK))
		vec_cause(&s->vec[0], itr, false);
}

void i40e_icr0_raise(struct i40e *s, u32 bits)
{
	reg_set_bits(s->regs, I40E_PFINT_ICR0, bits);
	i40e_icr0_check(s);
}

/* What a read returns; the register table clears the causes behind it. */
u32 i40e_icr0_read(struct i40e *s, u32 val)
{
	u32 ena = reg_get(s->regs, I40E_PFINT_ICR0_ENA) | I40E_PFINT_ICR0_SWINT_MASK;

	s->vec[0].pending = false;
	return val & ICR0_CAUSES & ena ? val | I40E_PFINT_ICR0_INTEVENT_MASK : val;
}

/* A write of DYN_CTL0 (@vec 0) or DYN_CTLN(@vec - 1). */
void i40e_dyn_ctl(struct i40e *s, u32 vec, u32 val)
{
	struct i40e_vector *v = &s->vec[vec];
	u32 itr = (val >> I40E_PFINT_DYN_CTLN_ITR_INDX_SHIFT) & 3;
	u32 interval = (val & I40E_PFINT_DYN_CTLN_INTERVAL_MASK) >>
		       I40E_PFINT_DYN_CTLN_INTERVAL_SHIFT;

	if (itr != I40E_ITR_NONE)
		reg_set(s->regs, vec ? I40E_PFINT_ITRN(itr, vec - 1) : I40E_PFINT_ITR0(itr),
			interval);
	if (!(val & I40E_DYN_CTL_INTENA_MSK))
		v->ena = val & I40E_PFINT_DYN_CTLN_INTENA_MASK;
	if (val & I40E_PFINT_DYN_CTLN_SWINT_TRIG_MASK) {
		u32 sw = (val >> I40E_PFINT_DYN_CTLN_SW_ITR_INDX_SHIFT) & 3;

		if (!vec)
			reg_set_bits(s->regs, I40E_PFINT_ICR0, I40E_PFINT_ICR0_SWINT_MASK);
		if (!(val & I40E_PFINT_DYN_CTLN_SW_ITR_INDX_ENA_MASK))
			sw = I40E_ITR_NONE;
		vec_cause(v, sw, false);
		return;
	}
	if (!v->ena)
		return;
	if (!vec)
		i40e_icr0_check(s);
	else if (v->pending)
		vec_cause(v, itr != I40E_ITR_NONE ? itr : 0, false);
}

/*
 * A queue has completed a descriptor. With RS that is a cause. Without RS the
 * interval has to pass first: the driver sets RS on every fourth descriptor
 * only and still counts on the others being reported (BQL would stall).
 */
void i40e_txq_cause(struct i40e *s, u32 q, bool rs)
{
	u32 ctl = reg_get(s->regs, I40E_QINT_TQCTL(q));
	u32 vec = ctl & I40E_QINT_TQCTL_MSIX_INDX_MASK;

	if (!(ctl & I40E_QINT_TQCTL_CAUSE_ENA_MASK) || vec >= I40E_VECTORS)
		return;
	if (!vec)
		i40e_icr0_raise(s, I40E_PFINT_ICR0_QUEUE_0_MASK);
	else
		vec_cause(&s->vec[vec], (ctl >> I40E_QINT_TQCTL_ITR_INDX_SHIFT) & 3, !rs);
}

void i40e_rxq_cause(struct i40e *s, u32 q)
{
	u32 ctl = reg_get(s->regs, I40E_QINT_RQCTL(q));
	u32 vec = ctl & I40E_QINT_RQCTL_MSIX_INDX_MASK;

	if (!(ctl & I40E_QINT_RQCTL_CAUSE_ENA_MASK) || vec >= I40E_VECTORS)
		return;
	if (!vec)
		i40e_icr0_raise(s, I40E_PFINT_ICR0_QUEUE_0_MASK);
	else
		vec_cause(&s->vec[vec], (ctl >> I40E_QINT_RQCTL_ITR_INDX_SHIFT) & 3, false);
}

/*
 * A channel has two TX queues when XDP is on, far apart. Both interrupt through
 * the channel's vector, by which a user's queue number is known.
 */
u32 i40e_txq_channel(struct i40e *s, u32 q)
{
	u32 vec = reg_get(s->regs, I40E_QINT_TQCTL(q)) & I40E_QINT_TQCTL_MSIX_INDX_MASK;

	return vec ? vec - 1 : q;
}
