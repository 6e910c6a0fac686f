// SPDX-License-Identifier: GPL-2.0
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

#include "hw/loop.h"

#define LOOP_EVENTS 32
/* Between two looks at the descriptors, so that neither side starves. */
#define TIMERS_A_ROUND 256

struct watch {
	int fd;
	bool dead;
	void (*fn)(void *arg);
	void *arg;
	struct watch *next;
};

static struct {
	int epfd;
	bool ready;
	bool stop;
	u64 now;	/* of this round; 0 outside of run() */
	u64 poll_ns;
	struct watch *watches;
	struct timer **heap;
	u32 timers, room;
	u64 order;
} loop = { .epfd = -1 };

static u64 (*fake_now)(void);

void mono_fake(u64 (*now)(void))
{
	fake_now = now;
}

u64 mono_now(void)
{
	struct timespec ts;

	if (fake_now)
		return fake_now();
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec;
}

u64 loop_now(void)
{
	return loop.now ? loop.now : mono_now();
}

static bool before(const struct timer *a, const struct timer *b)
{
	return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void place(struct timer *t, u32 slot)
{
	loop.heap[slot] = t;
	t->slot = slot + 1;
}

static void sift(struct timer *t, u32 slot)
{
	while (slot) {
		u32 up = (slot - 1) / 2;

		if (!before(t, loop.heap[up]))
			break;
		place(loop.heap[up], slot);
		slot = up;
	}
	for (;;) {
		u32 down = 2 * slot + 1;

		if (down >= loop.timers)
			break;
		if (down + 1 < loop.timers &&
		    before(loop.heap[down + 1], loop.heap[down]))
			down++;
		if (!before(loop.heap[down], t))
			break;
		place(loop.heap[down], slot);
		slot = down;
	}
	place(t, slot);
}

void timer_cancel(struct timer *t)
{
	u32 slot;
	struct timer *last;

	if (!t->slot)
		return;
	slot = t->slot - 1;
	t->slot = 0;
	last = loop.heap[--loop.timers];
	if (last != t)
		sift(last, slot);
}

void timer_set(struct timer *t, u64 mono)
{
	timer_cancel(t);
	if (loop.timers == loop.room) {
		u32 room = loop.room ? 2 * loop.room : 64;
		struct timer **heap;

		heap = realloc(loop.heap, room * sizeof(*heap));
		if (!heap) {
			perror("nicsim: timers");
			abort();
		}
		loop.heap = heap;
		loop.room = room;
	}
	t->due = mono;
	t->order = ++loop.order;
	sift(t, loop.timers++);
}

static bool run_timers(u64 now)
{
	u32 n;

	for (n = 0; n < TIMERS_A_ROUND && loop.timers &&
	     loop.heap[0]->due <= now; n++) {
		struct timer *t = loop.heap[0];

		timer_cancel(t);
		t->fn(t);
	}
	return n;
}

static int loop_init(void)
{
	if (loop.ready)
		return 0;
	loop.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (loop.epfd < 0)
		return -errno;
	loop.ready = true;
	return 0;
}

int loop_add(int fd, void (*fn)(void *arg), void *arg)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct watch *w;
	int err = loop_init();

	if (err)
		return err;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->fd = fd;
	w->fn = fn;
	w->arg = arg;
	ev.data.ptr = w;
	if (epoll_ctl(loop.epfd, EPOLL_CTL_ADD, fd, &ev)) {
		err = -errno;
		free(w);
		return err;
	}
	w->next = loop.watches;
	loop.watches = w;
	return 0;
}

static struct watch *find_watch(int fd)
{
	struct watch *w;

	for (w = loop.watches; w; w = w->next)
		if (w->fd == fd && !w->dead)
			return w;
	return NULL;
}

void loop_want_write(int fd, bool on)
{
	struct watch *w = find_watch(fd);
	struct epoll_event ev = {
		.events = EPOLLIN | (on ? EPOLLOUT : 0),
		.data.ptr = w,
	};

	if (w)
		epoll_ctl(loop.epfd, EPOLL_CTL_MOD, fd, &ev);
}

void loop_del(int fd)
{
	struct watch *w = find_watch(fd);

	if (!w)
		return;
	epoll_ctl(loop.epfd, EPOLL_CTL_DEL, fd, NULL);
	/* A pending event of this round may still point here. */
	w->dead = true;
}

static void bury(void)
{
	struct watch **p = &loop.watches;

	while (*p) {
		struct watch *w = *p;

		if (w->dead) {
			*p = w->next;
			free(w);
		} else {
			p = &w->next;
		}
	}
}

void loop_set_poll(u64 ns)
{
	loop.poll_ns = ns;
}

/* One look at the descriptors; @wait_ns 0 doesn't sleep. */
static int run_fds(u64 wait_ns)
{
	struct epoll_event ev[LOOP_EVENTS];
	struct timespec ts = {
		.tv_sec = (time_t)(wait_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(wait_ns % NSEC_PER_SEC),
	};
	int i, n;

	n = epoll_pwait2(loop.epfd, ev, LOOP_EVENTS,
			 wait_ns == UINT64_MAX ? NULL : &ts, NULL);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	loop.now = mono_now();
	for (i = 0; i < n; i++) {
		struct watch *w = ev[i].data.ptr;

		if (!w->dead)
			w->fn(w->arg);
	}
	bury();
	return n;
}

static int run(u64 until)
{
	u64 active = 0;
	int err = loop_init();

	if (err)
		return err;
	loop.stop = false;
	while (!loop.stop) {
		u64 now = mono_now();
		u64 wait = UINT64_MAX;

		loop.now = now;
		if (run_timers(now))
			active = now;
		if (loop.stop || now >= until)
			break;
		if (until != UINT64_MAX)
			wait = until - now;
		if (loop.timers) {
			u64 due = loop.heap[0]->due;

			if (due <= now)
				wait = 0;
			else if (due - now < wait)
				wait = due - now;
		}
		if (wait && now - active < loop.poll_ns) {
			wait = 0;
			sched_yield();
		}
		err = run_fds(wait);
		if (err < 0)
			break;
		if (err)
			active = loop.now;
	}
	loop.now = 0;
	return err < 0 ? err : 0;
}

int loop_run(void)
{
	return run(UINT64_MAX);
}

void loop_run_until(u64 mono)
{
	run(mono);
}

void loop_stop(void)
{
	loop.stop = true;
}
