/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A frame's way from a model's descriptor to the wire. The model parses its
 * descriptors, applies its offloads to the bytes and hands the frame over:
 *
 *	f = tx_alloc(nic, len);
 *	... fill data, queue, desc, req, launch_ns, priv ...
 *	tx_send(f);
 *
 * The core queues it on its transmit queue, waits for launch time and line,
 * computes the true egress time, applies faults, delivers to the other port
 * and calls back from the loop:
 *
 *	ops->tx_egress(nic, f)	the frame has left, egress_* are valid. Optional;
 *				for stamps with a way of their own (a latch).
 *				A delayed stamp delays this call.
 *	ops->tx_done(nic, f)	write the descriptor back, raise the interrupt.
 *
 * tx_egress comes first unless a gap is set (the model's nic->tx_gap_ns or the
 * fault "gap"): then tx_done comes @gap ns before the frame leaves, with
 * egress_* not yet known (TRUTH_NONE). After both, the core writes the truth
 * record from the frame's fields and frees it. Per queue, tx_done keeps the
 * order of tx_send().
 *
 * The model says what the guest was told: stamp_ns. It is preset to egress_ns
 * if the frame asked for a stamp and no fault took it, else to TRUTH_NONE;
 * overwrite it with exactly the time that the driver will compute, or with
 * TRUTH_NONE if none was given.
 */
#ifndef NICSIM_TX_H
#define NICSIM_TX_H

#include "hw/truth.h"
#include "hw/types.h"

struct nic;

#define TX_MAX_FRAME	16384
#define TX_QUEUES	1024
#define TX_SAME_QUEUE	UINT32_MAX

struct tx_frame {
	/* the model's, set between tx_alloc() and tx_send() */
	struct nic *nic;
	u32 queue;	/* < TX_QUEUES; frames of one queue leave in order */
	u32 as_queue;	/* the queue's number in faults and the truth log; */
			/* preset to TX_SAME_QUEUE: queue */
	u32 desc;
	u32 req;	/* TRUTH_REQ_* */
	u64 launch_ns;	/* in ops->clock_ns() time, TRUTH_NONE: at once */
	u64 priv[6];	/* whatever the model wants to find again */

	/* the core's */
	u64 send_mono;		/* tx_send() */
	u64 egress_mono;	/* first byte on the wire */
	u64 egress_ns;		/* the same by ops->clock_ns(), or TRUTH_NONE */
	u64 stamp_ns;		/* see above */
	u64 cqe_ns;		/* see truth.h; preset to TRUTH_NONE */
	bool stamp_lost;	/* give no stamp: a fault took it */
	bool error;		/* complete with an error, error_arg says which */
	bool dropped;		/* never left: fault or link down */
	u64 error_arg;
	const char *fault;

	/* private to tx.c */
	struct tx_frame *next;
	u64 order;
	u8 state;

	u32 len;
	u8 data[];
};

/* @len 1 .. TX_MAX_FRAME, bytes not cleared. NULL (logged) otherwise. */
struct tx_frame *tx_alloc(struct nic *nic, u32 len);
/* A frame that will not be sent after all. */
void tx_free(struct tx_frame *f);
/* Takes the frame. */
void tx_send(struct tx_frame *f);

/* Frames accepted and not yet done, of one queue. */
u32 tx_inflight(const struct nic *nic, u32 queue);
/*
 * Forget all frames of a queue (TX_ALL_QUEUES: of the port) without callbacks:
 * reset, queue disable. Frames already on the line still arrive at the peer
 * and still enter the truth log.
 */
#define TX_ALL_QUEUES UINT32_MAX
void tx_flush(struct nic *nic, u32 queue);

#endif
