// SPDX-License-Identifier: GPL-2.0
/*
 * LAN queues: enable handshake, tails, head write-back, counters, and what
 * malicious-driver detection does to a queue.
 */
#include "i40e.h"

#define QENA_REQ		I40E_QTX_ENA_QENA_REQ_MASK
#define QENA_STAT		I40E_QTX_ENA_QENA_STAT_MASK

/* The hardware counts 48 bits in a pair of registers. */
void i40e_count(struct i40e *s, u32 low_reg, u64 add)
{
	u64 v = reg_get(s->regs, low_reg) | (u64)reg_get(s->regs, low_reg + 4) << 32;

	v += add;
	reg_set(s->regs, low_reg, (u32)v);
	reg_set(s->regs, low_reg + 4, (v >> 32) & 0xffff);
}

void i40e_qtx_ena(struct i40e *s, u32 q, u32 val)
{
	struct i40e_txq *t = &s->txq[q];
	bool on = val & QENA_REQ;

	if (on == t->on)
		return;
	if (on) {
		memset(t, 0, sizeof(*t));
		if (i40e_hmc_txq(s, q, t)) {
			reg_set(s->regs, I40E_QTX_ENA(q), QENA_REQ);
			return;
		}
		reg_set(s->regs, I40E_QTX_TAIL(q), 0);
		reg_set(s->regs, I40E_QTX_HEAD(q), 0);
		t->on = true;
		reg_set(s->regs, I40E_QTX_ENA(q), QENA_REQ | QENA_STAT);
	} else {
		tx_flush(s->nic, q);
		t->on = false;
		reg_set(s->regs, I40E_QTX_ENA(q), 0);
	}
}

void i40e_qrx_ena(struct i40e *s, u32 q, u32 val)
{
	struct i40e_rxq *r = &s->rxq[q];
	bool on = val & QENA_REQ;

	if (on == r->on)
		return;
	if (on) {
		memset(r, 0, sizeof(*r));
		if (i40e_hmc_rxq(s, q, r) ||
		    ring_set_tail(s->nic, &r->ring, reg_get(s->regs, I40E_QRX_TAIL(q)))) {
			reg_set(s->regs, I40E_QRX_ENA(q), QENA_REQ);
			return;
		}
		r->on = true;
		reg_set(s->regs, I40E_QRX_ENA(q), QENA_REQ | QENA_STAT);
	} else {
		r->on = false;
		reg_set(s->regs, I40E_QRX_ENA(q), 0);
	}
}

void i40e_qtx_tail(struct i40e *s, u32 q, u32 val)
{
	struct i40e_txq *t = &s->txq[q];

	if (!t->on || t->stopped || ring_set_tail(s->nic, &t->ring, val))
		return;
	i40e_tx_run(s, q);
}

void i40e_qrx_tail(struct i40e *s, u32 q, u32 val)
{
	if (s->rxq[q].on)
		ring_set_tail(s->nic, &s->rxq[q].ring, val);
}

/* Tell the driver how far the queue has come: head write-back, QTX_HEAD. */
void i40e_txq_report(struct i40e *s, u32 q)
{
	struct i40e_txq *t = &s->txq[q];

	reg_set(s->regs, I40E_QTX_HEAD(q), t->done);
	if (t->reported == t->done)
		return;
	t->reported = t->done;
	if (t->head_wb_ena)
		dma_write_le32(s->nic, t->head_wb_addr, t->done);
}

void i40e_mdd_tx(struct i40e *s, u32 q, u32 event, const char *why)
{
	guest_error(s->nic, "TX queue %u: malicious driver, event %u: %s", q, event, why);
	s->mdd_events++;
	s->txq[q].stopped = true;
	if (!(reg_get(s->regs, I40E_GL_MDET_TX) & BIT(31)))
		reg_set(s->regs, I40E_GL_MDET_TX,
			BIT(31) | event << I40E_GL_MDET_TX_EVENT_SHIFT |
			I40E_PF_ID << I40E_GL_MDET_TX_PF_NUM_SHIFT | q);
	reg_set(s->regs, I40E_PF_MDET_TX, I40E_PF_MDET_TX_VALID_MASK);
	i40e_icr0_raise(s, I40E_PFINT_ICR0_MAL_DETECT_MASK);
}

void i40e_lan_reset(struct i40e *s)
{
	tx_flush(s->nic, TX_ALL_QUEUES);
	memset(s->txq, 0, sizeof(s->txq));
	memset(s->rxq, 0, sizeof(s->rxq));
}
