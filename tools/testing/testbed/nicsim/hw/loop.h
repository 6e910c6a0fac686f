/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The event loop: one thread, so no model needs a lock. File descriptors are
 * watched by epoll; timers are kept in a heap and run when due. After activity
 * the loop polls for a while before it sleeps, which halves the time of the
 * guest's register reads (see loop_set_poll()).
 *
 * Time is the host's CLOCK_MONOTONIC in ns, called "mono" everywhere. It never
 * reaches a guest: what guests see is a struct phc's time.
 */
#ifndef NICSIM_LOOP_H
#define NICSIM_LOOP_H

#include "hw/types.h"

/* Now, in mono ns. */
u64 mono_now(void);
/*
 * When this round of the loop began. What one doorbell starts has this one time,
 * however long a busy host takes to serve it.
 */
u64 loop_now(void);
/* For tests: time comes from @now. */
void mono_fake(u64 (*now)(void));

/*
 * A timer is embedded in its user's structure and zeroed before first use.
 * @fn runs from the loop, never early; @fn may set the timer again.
 */
struct timer {
	void (*fn)(struct timer *t);
	u64 due;	/* mono ns; read it to learn when the timer was meant for */
	u64 order;	/* private: timers due at one time run in the order set */
	u32 slot;	/* private: place in the heap + 1, 0 = not pending */
};

/* (Re)start @t to run at @mono. A time in the past means: next round. */
void timer_set(struct timer *t, u64 mono);
void timer_cancel(struct timer *t);
static inline bool timer_pending(const struct timer *t)
{
	return t->slot;
}

/* Call @fn whenever @fd is readable or hung up. 0 or -errno. */
int loop_add(int fd, void (*fn)(void *arg), void *arg);
/* Also call it when writable, or no longer. */
void loop_want_write(int fd, bool on);
/* Safe inside any callback, also for another descriptor. */
void loop_del(int fd);

/* How long to poll after activity before sleeping; 0 = sleep at once. */
void loop_set_poll(u64 ns);

/* Run until loop_stop(). */
int loop_run(void);
void loop_stop(void);
/* Run what is due until @mono; for tests. */
void loop_run_until(u64 mono);

#endif
