// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit queues and egress. A frame is first in its queue's "pending" list,
 * then, once the scheduler has given it the line, in its "going" list until
 * descriptor write-back and egress are both over.
 *
 * The scheduler works in the past: woken late, it still computes the times at
 * which a port that never sleeps would have sent.
 */
#include <stdlib.h>

#include "core.h"

/* A launch time is looked at this often: its clock may be adjusted meanwhile. */
#define LAUNCH_LOOK_NS 1000000ULL

enum frame_state {
	TX_LEFT = 1,	/* tx_egress is over */
	TX_DONE = 2,	/* tx_done is over */
	TX_READY = 4,	/* may be completed once it is the oldest */
	TX_HELD = 8,	/* not before "release" */
	TX_ORPHAN = 16,	/* flushed: no callbacks any more */
};

struct tx_event {
	struct timer timer;
	u64 gap;
	u64 stamp_delay;
	s64 stamp_off;
};

struct frame_list {
	struct tx_frame *head, **tail;
};

struct tx_queue {
	struct frame_list pending;
	struct frame_list going;
	u32 inflight;
	bool completing;	/* guards against reentry from tx_done */
	bool withheld;		/* the fault "hang" kept a frame back */
};

struct tx_port {
	struct nic *nic;
	struct tx_queue *queue[TX_QUEUES];
	u32 used[TX_QUEUES];	/* queues that exist, in order of first use */
	u32 queues;
	struct timer sched;
	u64 line_free;		/* when the line is */
	u64 next_start;		/* when the next frame may be taken */
	u64 order;
	struct tx_frame *orphans;
};

/* The timer lives before the frame, out of the models' sight. */
struct tx_box {
	struct tx_event ev;
	struct tx_frame f;
};

static struct tx_event *event_of(struct tx_frame *f)
{
	return &container_of(f, struct tx_box, f)->ev;
}

static void list_init(struct frame_list *l)
{
	l->head = NULL;
	l->tail = &l->head;
}

static void list_add(struct frame_list *l, struct tx_frame *f)
{
	f->next = NULL;
	*l->tail = f;
	l->tail = &f->next;
}

static struct tx_frame *list_take(struct frame_list *l)
{
	struct tx_frame *f = l->head;

	if (!f)
		return NULL;
	l->head = f->next;
	if (!l->head)
		l->tail = &l->head;
	f->next = NULL;
	return f;
}

struct tx_frame *tx_alloc(struct nic *nic, u32 len)
{
	struct tx_box *b;

	if (!len || len > TX_MAX_FRAME) {
		guest_error(nic, "frame of %u bytes refused", len);
		return NULL;
	}
	b = malloc(sizeof(*b) + len);
	if (!b)
		return NULL;
	memset(b, 0, sizeof(*b));
	b->f.nic = nic;
	b->f.len = len;
	b->f.as_queue = TX_SAME_QUEUE;
	b->f.launch_ns = TRUTH_NONE;
	b->f.egress_ns = TRUTH_NONE;
	b->f.stamp_ns = TRUTH_NONE;
	b->f.cqe_ns = TRUTH_NONE;
	return &b->f;
}

void tx_free(struct tx_frame *f)
{
	timer_cancel(&event_of(f)->timer);
	free(container_of(f, struct tx_box, f));
}

static bool lost_on_wire(const struct tx_frame *f)
{
	return f->fault && !strcmp(f->fault, "wire-loss");
}

static u32 shown_queue(const struct tx_frame *f)
{
	return f->as_queue == TX_SAME_QUEUE ? f->queue : f->as_queue;
}

static void log_truth(const struct tx_frame *f)
{
	struct truth_rec rec = {
		.port = f->nic->name, .queue = shown_queue(f), .desc = f->desc,
		.egress_ns = f->egress_ns, .stamp_ns = f->stamp_ns,
		.cqe_ns = f->cqe_ns, .launch_ns = f->launch_ns, .req = f->req,
		.fault = f->fault, .data = f->data, .len = f->len,
		.rx_ns = TRUTH_NONE,
	};

	if (f->egress_ns != TRUTH_NONE && !lost_on_wire(f) && f->nic->wire)
		rec.rx_ns = wire_arrival_ns(f->nic, f->egress_mono);

	truth_log(&rec);
}

static struct tx_queue *queue_of(struct tx_port *p, u32 queue)
{
	struct tx_queue *q = p->queue[queue];

	if (!q) {
		q = calloc(1, sizeof(*q));
		if (!q)
			return NULL;
		list_init(&q->pending);
		list_init(&q->going);
		p->queue[queue] = q;
		p->used[p->queues++] = queue;
	}
	return q;
}

static void finish(struct tx_frame *f)
{
	log_truth(f);
	tx_free(f);
}

static void call_done(struct tx_frame *f)
{
	struct nic *nic = f->nic;

	if (f->stamp_lost)
		f->stamp_ns = TRUTH_NONE;
	if (nic->ops->tx_done)
		nic->ops->tx_done(nic, f);
}

/* Completions in order, as far as they are ready. */
static void complete(struct tx_queue *q)
{
	if (q->completing)
		return;
	q->completing = true;
	while (q->going.head) {
		struct tx_frame *f = q->going.head;

		if (!(f->state & TX_READY) || f->state & TX_HELD)
			break;
		list_take(&q->going);
		q->inflight--;
		call_done(f);
		f->state |= TX_DONE;
		if (f->state & TX_LEFT)
			finish(f);
	}
	q->completing = false;
}

/* The frame's last byte has left (or would have). */
static void left(struct timer *t)
{
	struct tx_event *ev = container_of(t, struct tx_event, timer);
	struct tx_frame *f = &container_of(ev, struct tx_box, ev)->f;
	struct nic *nic = f->nic;
	struct tx_port *p = nic->tx;

	if (f->state & TX_ORPHAN) {
		struct tx_frame **o;

		for (o = &p->orphans; *o != f; o = &(*o)->next)
			;
		*o = f->next;
		f->egress_ns = nic_clock_ns(nic, f->egress_mono);
		finish(f);
		return;
	}
	if (!f->dropped) {
		f->egress_ns = nic_clock_ns(nic, f->egress_mono);
		/* Who has no tx_egress can't give a stamp after write-back. */
		if (f->req & TRUTH_REQ_TS && !f->stamp_lost &&
		    (nic->ops->tx_egress || !(f->state & TX_DONE)))
			f->stamp_ns = f->egress_ns + (u64)ev->stamp_off;
		if (nic->ops->tx_egress)
			nic->ops->tx_egress(nic, f);
	}
	f->state |= TX_LEFT;
	if (f->state & TX_DONE) {
		finish(f);
	} else {
		f->state |= TX_READY;
		complete(p->queue[f->queue]);
	}
}

/* An inserted checksum goes wrong by one. */
static void spoil_csum(struct tx_frame *f)
{
	struct pkt p;
	u32 off;

	if (!pkt_parse(&p, f->data, f->len) || !p.payload)
		return;
	off = p.l4 + (p.proto == 6 ? 16U : 6U);
	put_be16(f->data + off, get_be16(f->data + off) + 1);
	f->fault = fault_name(FAULT_CSUM_BAD);
}

static bool take(struct tx_frame *f, enum fault_kind kind, u64 *arg)
{
	if (!fault_take(f->nic, kind, shown_queue(f), arg))
		return false;
	f->fault = fault_name(kind);
	return true;
}

static void apply_faults(struct tx_frame *f, struct tx_event *ev)
{
	u64 arg = 0;

	if (take(f, FAULT_ERROR, &f->error_arg)) {
		f->error = true;
		f->dropped = true;
	}
	if (take(f, FAULT_TX_DROP, NULL))
		f->dropped = true;
	if (take(f, FAULT_GAP, &arg))
		ev->gap = arg;
	if (take(f, FAULT_HOLD, NULL))
		f->state |= TX_HELD;
	if (f->req & TRUTH_REQ_CSUM &&
	    fault_take(f->nic, FAULT_CSUM_BAD, shown_queue(f), NULL))
		spoil_csum(f);
	if (!(f->req & TRUTH_REQ_TS))
		return;
	if (take(f, FAULT_STAMP_LOSE, NULL))
		f->stamp_lost = true;
	if (take(f, FAULT_STAMP_DELAY, &arg))
		ev->stamp_delay = arg;
	if (take(f, FAULT_STAMP_OFF, &arg))
		ev->stamp_off = (s64)arg;
}

static void start(struct tx_port *p, struct tx_queue *q, u64 when)
{
	struct tx_frame *f = list_take(&q->pending);
	struct tx_event *ev = event_of(f);
	struct nic *nic = p->nic;
	u64 line = wire_line_ns(nic, f->len);

	ev->gap = nic->tx_gap_ns;
	apply_faults(f, ev);
	if (!wire_link(nic)) {
		f->dropped = true;
		f->fault = f->fault ?: "link-down";
	}
	p->next_start = when + line;
	f->egress_mono = when + ev->gap;
	if (f->egress_mono < p->line_free)
		f->egress_mono = p->line_free;
	if (!f->dropped) {
		p->line_free = f->egress_mono + line;
		nic->stats.tx_frames++;
		nic->stats.tx_bytes += f->len;
		if (wire_carry(nic, f->egress_mono, f->data, f->len))
			f->fault = f->fault ?: "wire-loss";
	} else {
		nic->stats.tx_dropped++;
	}
	list_add(&q->going, f);
	ev->timer.fn = left;
	timer_set(&ev->timer, f->egress_mono + line + ev->stamp_delay);
	if (ev->gap) {
		f->state |= TX_READY;
		complete(q);
	}
}

/* When may the queue's first frame start, going by its own rules? */
static u64 eligible(struct nic *nic, struct tx_queue *q)
{
	struct tx_frame *f = q->pending.head;
	u64 launch;

	if (fault_armed(nic, FAULT_HANG, shown_queue(f))) {
		q->withheld = true;
		return UINT64_MAX;
	}
	if (f->launch_ns == TRUTH_NONE)
		return f->send_mono;
	launch = nic_clock_mono(nic, f->launch_ns);
	return launch > f->send_mono ? launch : f->send_mono;
}

static void schedule(struct timer *t)
{
	struct tx_port *p = container_of(t, struct tx_port, sched);

	for (;;) {
		struct tx_queue *best = NULL;
		u64 best_at = UINT64_MAX, now = mono_now();
		u32 i;

		for (i = 0; i < p->queues; i++) {
			struct tx_queue *q = p->queue[p->used[i]];
			u64 at;

			if (!q->pending.head)
				continue;
			at = eligible(p->nic, q);
			if (at == UINT64_MAX)
				continue;
			if (at < p->next_start)
				at = p->next_start;
			if (!best || at < best_at ||
			    (at == best_at && q->pending.head->order <
					      best->pending.head->order)) {
				best = q;
				best_at = at;
			}
		}
		if (!best)
			return;
		if (best_at > now) {
			u64 look = now + LAUNCH_LOOK_NS;

			timer_set(&p->sched, best_at < look ? best_at : look);
			return;
		}
		start(p, best, best_at);
	}
}

void tx_kick(struct nic *nic)
{
	if (nic->tx)
		timer_set(&nic->tx->sched, 0);
}

void tx_send(struct tx_frame *f)
{
	struct nic *nic = f->nic;
	struct tx_port *p = nic->tx;
	struct tx_queue *q = NULL;

	if (f->queue < TX_QUEUES)
		q = queue_of(p, f->queue);
	if (!q) {
		nic_log(nic, LOG_ERROR, "model sends on queue %u", f->queue);
		tx_free(f);
		return;
	}
	f->send_mono = loop_now();
	f->order = ++p->order;
	q->inflight++;
	list_add(&q->pending, f);
	if (!timer_pending(&p->sched) || p->sched.due > f->send_mono)
		timer_set(&p->sched, f->send_mono);
}

u32 tx_inflight(const struct nic *nic, u32 queue)
{
	const struct tx_port *p = nic->tx;

	return queue < TX_QUEUES && p->queue[queue] ?
		p->queue[queue]->inflight : 0;
}

static void flush_queue(struct tx_port *p, u32 queue)
{
	struct tx_queue *q = p->queue[queue];
	struct tx_frame *f;

	/* A reset ends one count of a hang, if the queue did hang. */
	if (q->withheld && q->pending.head)
		fault_take(p->nic, FAULT_HANG, shown_queue(q->pending.head), NULL);
	q->withheld = false;
	while ((f = list_take(&q->pending)))
		tx_free(f);
	while ((f = list_take(&q->going))) {
		f->fault = f->fault ?: "flushed";
		f->stamp_ns = TRUTH_NONE;
		if (f->state & TX_LEFT) {
			finish(f);
		} else if (f->dropped) {
			tx_free(f);
		} else {
			f->state |= TX_ORPHAN;
			f->next = p->orphans;
			p->orphans = f;
		}
	}
	q->inflight = 0;
}

void tx_flush(struct nic *nic, u32 queue)
{
	struct tx_port *p = nic->tx;
	u32 i;

	for (i = 0; i < p->queues; i++)
		if (queue == TX_ALL_QUEUES || queue == p->used[i])
			flush_queue(p, p->used[i]);
}

void tx_release(struct nic *nic)
{
	struct tx_port *p = nic->tx;
	u32 i;

	for (i = 0; i < p->queues; i++) {
		struct tx_queue *q = p->queue[p->used[i]];
		struct tx_frame *f;

		for (f = q->going.head; f; f = f->next)
			f->state &= (u8)~TX_HELD;
		complete(q);
	}
}

int tx_init(struct nic *nic)
{
	nic->tx = calloc(1, sizeof(*nic->tx));
	if (!nic->tx)
		return -ENOMEM;
	nic->tx->nic = nic;
	nic->tx->sched.fn = schedule;
	return 0;
}

void tx_exit(struct nic *nic)
{
	struct tx_port *p = nic->tx;
	u32 i;

	if (!p)
		return;
	tx_flush(nic, TX_ALL_QUEUES);
	while (p->orphans) {
		struct tx_frame *f = p->orphans;

		p->orphans = f->next;
		tx_free(f);
	}
	for (i = 0; i < p->queues; i++)
		free(p->queue[p->used[i]]);
	timer_cancel(&p->sched);
	free(p);
	nic->tx = NULL;
}
