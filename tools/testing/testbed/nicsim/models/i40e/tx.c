// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit: walk the ring packet by packet (context, filter program and data
 * descriptors up to EOP), gather the bytes, hand them to the offloads, and
 * account for what completes.
 */
#include "i40e.h"

/* Frames of one queue on their way; the ring waits beyond that. */
#define INFLIGHT_MAX		512

/* MDD events, numbered for the log only: the datasheet's list is longer. */
enum {
	MDD_NO_BUFFER = 1,
	MDD_TOO_MANY_BUFS,
	MDD_TOO_LONG,
	MDD_BAD_ORDER,
	MDD_BAD_DMA,
};

/* Head in, or what is left undone: false stops the walk. */
static bool tx_one(struct i40e *s, u32 q)
{
	struct i40e_txq *t = &s->txq[q];
	struct i40e_tx_job job = { .q = q };
	struct i40e_desc prog, d;
	u32 i = t->ring.head, bufs = 0, seen = 0;
	bool have_prog = false, data = false;

	for (;;) {
		u32 dtype;

		/* A packet whose end is not posted yet, or never. */
		if (i == t->ring.tail || seen++ >= t->ring.count)
			return false;
		if (ring_read(s->nic, &t->ring, i, &d, sizeof(d))) {
			i40e_mdd_tx(s, q, MDD_BAD_DMA, "descriptor outside memory");
			return false;
		}
		d.qw0 = le64toh(d.qw0);
		d.qw1 = le64toh(d.qw1);
		dtype = TXD_DTYPE(d.qw1);
		if (dtype == TXD_DTYPE_CTX && !data) {
			job.ctx = d.qw1;
		} else if (dtype == TXD_DTYPE_FLTR && !data) {
			prog = d;
			have_prog = true;
		} else if (dtype == TXD_DTYPE_DATA) {
			u32 len = TXD_BSZ(d.qw1);

			if (!data)
				job.first = i;
			data = true;
			if (!len) {
				i40e_mdd_tx(s, q, MDD_NO_BUFFER, "buffer of 0 bytes");
				return false;
			}
			if (++bufs > I40E_TX_BUFS && !(TXC_CMD(job.ctx) & TXC_CMD_TSO)) {
				i40e_mdd_tx(s, q, MDD_TOO_MANY_BUFS, "more than 8 buffers");
				return false;
			}
			if (len > sizeof(s->gather) - job.len) {
				i40e_mdd_tx(s, q, MDD_TOO_LONG, "packet beyond 256 KiB");
				return false;
			}
			if (dma_read(s->nic, d.qw0, s->gather + job.len, len)) {
				i40e_mdd_tx(s, q, MDD_BAD_DMA, "buffer outside memory");
				return false;
			}
			job.len += len;
			if (TXD_CMD(d.qw1) & TXD_CMD_EOP)
				break;
		} else {
			i40e_mdd_tx(s, q, MDD_BAD_ORDER, "descriptor type or order");
			return false;
		}
		i = ring_next(&t->ring, i);
	}
	job.qw1 = d.qw1;
	job.next = ring_next(&t->ring, i);
	t->ring.head = job.next;
	if (have_prog && t->fd_ena)
		i40e_fd_program(s, q, &prog, s->gather, job.len, TXD_CMD(d.qw1) & TXD_CMD_DUMMY);
	i40e_tx_packet(s, &job);
	return !t->stopped;
}

void i40e_tx_run(struct i40e *s, u32 q)
{
	struct i40e_txq *t = &s->txq[q];

	while (t->on && !t->stopped && t->ring.head != t->ring.tail &&
	       tx_inflight(s->nic, q) < INFLIGHT_MAX)
		if (!tx_one(s, q))
			break;
}

/* priv[0]: head behind the packet + 1, 0: not its last frame; priv[1]: RS. */
void i40e_tx_done(struct nic *nic, struct tx_frame *f)
{
	struct i40e *s = i40e_of(nic);
	struct i40e_txq *t = &s->txq[f->queue];

	if (f->error)
		i40e_mdd_tx(s, f->queue, f->error_arg ? f->error_arg : MDD_BAD_ORDER,
			    "fault injected");
	if (!t->on || t->stopped)
		return;
	if (f->priv[0]) {
		t->done = f->priv[0] - 1;
		if (f->priv[1])
			i40e_txq_report(s, f->queue);
		i40e_txq_cause(s, f->queue, f->priv[1]);
	}
	i40e_tx_run(s, f->queue);
}
