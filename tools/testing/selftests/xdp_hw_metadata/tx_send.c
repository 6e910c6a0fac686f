// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diag.h"
#include "phc.h"
#include "tx.h"

#define STALL_NS	10000000000ULL	/* no completion for so long: there won't be one */
#define PHC_EVERY_NS	100000000ULL
#define PROGRESS_NS	2000000000ULL
/*
 * Frames in flight. In copy mode they may sit in the receiving CPU's backlog
 * (net.core.netdev_max_backlog, 1000), which drops what is over it.
 */
#define WINDOW_ZC	XSK_RING
#define WINDOW_COPY	512
/*
 * Frames on their way to a peer on this machine, which takes longer to read one
 * than the sender to send it: a NIC drops what its receive ring (512 as a rule)
 * has no room for. Those not heard of for a while are taken for lost.
 */
#define WINDOW_PEER	256
#define PEER_IDLE_NS	200000000ULL
#define NOBODY		(~0ULL)
#define CANARY		0xc5a5c3a3c5a5c3a3ULL

volatile sig_atomic_t tx_stop;

/* Chunks are used in turn, so that a late write has time to show. */
struct sender {
	struct tx *t;
	struct uxsk *u;
	__u64 owner[XSK_FRAMES];	/* the frame that used it last */
	bool in_flight[XSK_FRAMES];
	__u32 free[XSK_FRAMES];		/* a ring: */
	__u32 head, n_free;
	__u64 next;			/* frame to be submitted */
	__u32 outstanding, window;
	__u64 start, last_done, last_phc, last_progress;
	__u64 launch;			/* launch time of the first frame, or of the batch */
	__u64 heard, last_heard, lost;	/* at the peer */
};

static __u64 mono_now(void)
{
	return uxsk_now_ns();
}

static __u64 read_stamp(const struct uxsk *u, __u64 addr)
{
	/* The kernel writes it before the completion that was seen. */
	return __atomic_load_n(&uxsk_meta(u, addr)->completion.tx_timestamp, __ATOMIC_ACQUIRE);
}

/* Notes whether the area was written after the completion of who used it last. */
static void look_back(struct sender *s, __u32 chunk)
{
	struct frame *f;

	if (s->owner[chunk] == NOBODY || s->in_flight[chunk])
		return;
	f = &s->t->run.frame[s->owner[chunk]];
	if (f->completions && read_stamp(s->u, f->addr) != f->stamp)
		f->changed = 1;
}

static __u32 prepare(struct sender *s, __u64 seq, __u32 chunk, struct xdp_desc *desc)
{
	const struct opts *o = s->t->o;
	struct frame *f = &s->t->run.frame[seq];
	__u64 addr = uxsk_addr(s->u, chunk);
	struct xsk_tx_metadata *m = uxsk_meta(s->u, addr);

	look_back(s, chunk);
	packet_build(&s->t->flow, uxsk_data(s->u, addr), o->size, seq,
		     o->csum ? FILL_PSEUDO : FILL_FULL);
	if (o->wrong_pseudo)
		((__u8 *)uxsk_data(s->u, addr))[packet_csum_start(s->t->flow.ipv6) +
						PACKET_CSUM_OFFSET] ^= 0x40;
	memset(m, 0, sizeof(*m));
	if (o->csum) {
		m->flags |= XDP_TXMD_FLAGS_CHECKSUM;
		m->request.csum_start = packet_csum_start(s->t->flow.ipv6);
		m->request.csum_offset = PACKET_CSUM_OFFSET;
	}
	if (o->timestamp && seq % o->every == 0)
		m->flags |= XDP_TXMD_FLAGS_TIMESTAMP;
	if (o->launch) {
		f->launch = s->launch + (o->rate ? (__u64)((long double)seq * 1000000000 / o->rate) : 0);
		m->flags |= XDP_TXMD_FLAGS_LAUNCH_TIME;
		m->request.launch_time = f->launch;
	}
	if (!m->flags)
		m->completion.tx_timestamp = CANARY ^ seq;

	f->addr = addr;
	f->req = m->flags;
	f->asked = m->completion.tx_timestamp;
	s->owner[chunk] = seq;
	s->in_flight[chunk] = true;
	*desc = (struct xdp_desc){
		.addr = addr, .len = o->size, .options = m->flags ? XDP_TX_METADATA : 0,
	};
	return chunk;
}

/* With a rate the first frame's launch time is the start of all others'. */
static void choose_launch(struct sender *s)
{
	struct clock_pair pair;

	if (!s->t->o->launch || (s->launch && s->t->o->rate))
		return;
	if (!phc_read(s->t->phc, &pair))
		s->launch = pair.dev + (tai_now() - pair.tai) + s->t->o->launch;
}

static void submit(struct sender *s, __u32 n)
{
	__u64 now;
	__u32 idx, i;

	choose_launch(s);

	if (!xsk_ring_prod__reserve(&s->u->tx, n, &idx))
		return;
	for (i = 0; i < n; i++) {
		prepare(s, s->next + i, s->free[s->head],
			xsk_ring_prod__tx_desc(&s->u->tx, idx + i));
		s->head = (s->head + 1) % XSK_FRAMES;
		s->n_free--;
	}
	now = tai_now();
	for (i = 0; i < n; i++)
		s->t->run.frame[s->next + i].submit_ns = now;
	xsk_ring_prod__submit(&s->u->tx, n);
	s->next += n;
	s->outstanding += n;
}

static void complete(struct sender *s, __u64 addr, __u64 now)
{
	__u64 chunk = addr / XSK_CHUNK;
	struct frame *f;

	if (chunk >= XSK_FRAMES || s->owner[chunk] == NOBODY ||
	    s->t->run.frame[s->owner[chunk]].addr != addr) {
		s->t->run.stray_completions++;
		return;
	}
	f = &s->t->run.frame[s->owner[chunk]];
	if (f->completions < 255)
		f->completions++;
	if (!s->in_flight[chunk])
		return;
	f->complete_ns = now;
	f->stamp = read_stamp(s->u, addr);
	s->in_flight[chunk] = false;
	s->free[(s->head + s->n_free++) % XSK_FRAMES] = chunk;
	s->outstanding--;
}

static unsigned int reap(struct sender *s)
{
	__u64 addr[64], now;
	unsigned int n, i;

	n = uxsk_reap(s->u, addr, 64);
	if (!n)
		return 0;
	now = tai_now();
	for (i = 0; i < n; i++)
		complete(s, addr[i], now);
	s->last_done = mono_now();
	return n;
}

static __u32 ring_consumed(const struct uxsk *u)
{
	return __atomic_load_n(u->tx.consumer, __ATOMIC_ACQUIRE);
}

/*
 * 0, or the errno that ends the sending. In copy mode a call takes 32 frames
 * and goes on where it stopped, so it is repeated while that helps; else a
 * backlog would build up and be measured.
 */
static int kick(struct sender *s)
{
	__u32 before;
	int err;

	if (!s->outstanding || !xsk_ring_prod__needs_wakeup(&s->u->tx))
		return 0;
	do {
		before = ring_consumed(s->u);
		err = uxsk_kick(s->u);
	} while (!s->t->zerocopy && (!err || err == -EAGAIN) && ring_consumed(s->u) != before);
	if (err == -EAGAIN || err == -EBUSY || err == -ENOBUFS || err == -EINTR)
		return 0;
	return -err;
}

static void housekeeping(struct sender *s, __u64 now)
{
	struct clock_pair pair;

	if (s->t->phc >= 0 && now - s->last_phc >= PHC_EVERY_NS) {
		if (!phc_read(s->t->phc, &pair))
			clockmap_add(&s->t->map, pair);
		s->last_phc = now;
	}
	if (now - s->last_progress >= PROGRESS_NS) {
		diag_note(s->t->o->ifname, "%llu of %llu frames, %.0f s left", s->next,
			  s->t->run.count, s->next ? (now - s->start) / 1e9 *
			  (s->t->run.count - s->next) / s->next : 0.0);
		s->last_progress = now;
	}
}

/* How many more the peer has room for. */
static __u32 peer_room(struct sender *s, __u64 now)
{
	__u64 heard, gone;

	/* Launch times hold frames back in the NIC, which paces them. */
	if (s->t->peer.fd < 0 || s->t->o->launch)
		return s->window;
	heard = atomic_load(&s->t->peer.arrived);
	if (heard != s->heard || !s->next) {
		s->heard = heard;
		s->last_heard = now;
	} else if (now - s->last_heard >= PEER_IDLE_NS) {
		s->lost = s->next - heard;
		s->last_heard = now;
	}
	gone = heard + s->lost;
	if (gone > s->next)	/* one given up came after all */
		gone = s->next;
	return s->next - gone < WINDOW_PEER ? WINDOW_PEER - (s->next - gone) : 0;
}

/* How many frames may be submitted now; *@wait is ns until it's time for more. */
static __u32 allowed(struct sender *s, __u64 now, __u64 *wait)
{
	const struct opts *o = s->t->o;
	__u64 left = s->t->run.count - s->next, due;
	__u32 n = o->batch, room = peer_room(s, now);

	*wait = 0;
	if (o->rate) {
		due = s->start + (__u64)((long double)s->next * 1000000000 / o->rate);
		if (now < due) {
			*wait = due - now;
			return 0;
		}
	}
	if (n > left)
		n = left;
	if (n > s->n_free)
		n = s->n_free;
	if (n > s->window - s->outstanding)
		n = s->window - s->outstanding;
	return n > room ? room : n;
}

static void rest(__u64 ns)
{
	struct timespec ts = { .tv_nsec = ns < 1000000 ? ns : 1000000 };

	nanosleep(&ts, NULL);
}

static void loop(struct sender *s)
{
	struct run *run = &s->t->run;

	while (s->next < run->count || s->outstanding) {
		bool sending = s->next < run->count && !run->interrupted;
		__u64 now = mono_now(), wait = 0;
		__u32 n = sending ? allowed(s, now, &wait) : 0;
		unsigned int done;

		if (tx_stop && s->next < run->count)
			run->interrupted = true;
		if (run->interrupted && !s->outstanding)
			break;
		if (n)
			submit(s, n);
		run->send_errno = kick(s);
		if (run->send_errno)
			break;
		done = reap(s);
		housekeeping(s, now);
		if (!s->outstanding)
			s->last_done = mono_now();
		else if (mono_now() - s->last_done > STALL_NS)
			break;
		if (!n && !done)
			rest(wait && wait < 50000 ? wait : 50000);
	}
}

/*
 * In copy mode a sender that moves to another CPU leaves frames in the backlog
 * of the first, and later ones overtake them. Where it can't be kept in place,
 * that shows in the verdict.
 */
static void stay_on_cpu(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int tx_send(struct tx *t)
{
	struct sender *s = calloc(1, sizeof(*s));
	__u32 i;

	if (!s)
		return -ENOMEM;
	stay_on_cpu();
	s->t = t;
	s->u = &t->x.u;
	s->n_free = XSK_FRAMES;
	s->window = t->zerocopy ? WINDOW_ZC : WINDOW_COPY;
	for (i = 0; i < XSK_FRAMES; i++) {
		s->free[i] = i;
		s->owner[i] = NOBODY;
	}
	s->start = mono_now();
	s->last_done = s->start;
	s->last_progress = s->start;
	s->last_phc = s->start - PHC_EVERY_NS;
	t->start_ns = tai_now();
	housekeeping(s, s->start);
	loop(s);
	t->end_ns = tai_now();
	s->last_phc = 0;
	housekeeping(s, mono_now());

	/* What is still on its way to the peer, and to the metadata areas, may come. */
	peer_stop(&t->peer, s->next, 500);
	poll(NULL, 0, 10);
	for (i = 0; i < XSK_FRAMES; i++)
		look_back(s, i);
	/* And completions too many. */
	while (reap(s))
		;
	free(s);
	return 0;
}
