// SPDX-License-Identifier: GPL-2.0
/*
 * Timestamps in copy mode: TAI, taken between the send and the completion, in
 * place when the completion is seen, and written to frames that asked for one,
 * to nothing else of the area and to no other frame.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>

#include "core.h"
#include "hold.h"

#define CANARY	0xc0ffee00deadbeefULL

static struct core core;
static __u64 seq;

/* Away from 0, so that TAI is not just CLOCK_REALTIME. */
static void set_tai(int offset)
{
	struct timex t = { .modes = ADJ_TAI, .constant = offset };

	if (adjtimex(&t) < 0)
		tap_bail("adjtimex: %s", strerror(errno));
}

static void restore(void)
{
	set_tai(0);
	hold_remove(NULL);
}

static bool within(__u64 ts, __u64 from, __u64 to)
{
	if (ts >= from && ts <= to)
		return true;
	tap_diag("stamp %llu is not in %llu ... %llu", ts, from, to);
	return false;
}

static void sizes(void)
{
	static const __u32 lens[] = { 16, 24, 32, 128, 248 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, lens[i]);
		struct pkt p = { .payload = 50, .seq = ++seq };
		__u8 before[4096], *b;
		struct xsk_tx_metadata *m;
		__u64 addr, from, to, ts;
		struct uxsk x;

		core_open(&x, &cfg);
		addr = core_frame(&x, 1, &p);
		m = uxsk_meta(&x, addr);
		memset(m, 0xa5, lens[i]);
		/* C7: what lies in the union must not survive as a stamp */
		core_request(&x, addr, META_TS | META_CSUM, &p);
		memcpy(before, x.area, sizeof(before));
		from = uxsk_tai_ns();
		core_put(&x, addr, p.len, META_TX);
		uxsk_drain(&x, NULL, 1, TIMEOUT_MS, NULL);
		ts = m->completion.tx_timestamp;
		to = uxsk_tai_ns();
		tap_ok(within(ts, from, to), "area of %u bytes: TAI between send and completion",
		       lens[i]);
		b = before + ((__u8 *)&m->completion - x.area);
		memcpy(b, &m->completion, 8);
		tap_ok(!memcmp(before, x.area, sizeof(before)),
		       "area of %u bytes: nothing else is written", lens[i]);
		uxsk_close(&x);
	}
}

/* Every other frame asks; the rest carry a canary in three different ways. */
static void alternate(unsigned long rounds)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	unsigned int i, bad_stamp = 0, bad_canary = 0, lost = 0;
	unsigned long r;
	struct uxsk x;

	core_open(&x, &cfg);
	for (r = 0; r < rounds; r++) {
		__u64 from = uxsk_tai_ns(), to;

		for (i = 0; i < 32; i++) {
			struct pkt p = { .payload = 20, .seq = ++seq };
			__u64 addr = core_frame(&x, i, &p);

			core_request(&x, addr, i % 4 == 1 ? 0 : META_TS, NULL);
			uxsk_meta(&x, addr)->completion.tx_timestamp = CANARY;
			/* 0: asks. 1: option, no flag. 2: asks. 3: flag, no option. */
			core_put(&x, addr, p.len, i % 4 == 3 ? 0 : META_TX);
		}
		lost += 32 - uxsk_drain(&x, NULL, 32, TIMEOUT_MS, NULL);
		to = uxsk_tai_ns();
		for (i = 0; i < 32; i++) {
			__u64 ts = uxsk_meta(&x, uxsk_addr(&x, i))->completion.tx_timestamp;

			if (i & 1)
				bad_canary += ts != CANARY;
			else
				bad_stamp += !within(ts, from, to);
		}
	}
	tap_is(lost, 0, "%lu batches of 32, every other frame asks: all complete", rounds);
	tap_is(bad_stamp, 0, "those that ask have a stamp of their own batch");
	tap_is(bad_canary, 0, "those that don't keep their canary");
	uxsk_close(&x);
}

/* While frames are under way the sender changes its mind. */
static void late_change(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(HOLD_IF, 24);
	unsigned int i, n, stamps = 0, canaries = 0, window = 0;
	__u64 from, to;
	struct uxsk x;

	hold_make(NULL);
	core_open(&x, &cfg);
	hold_prime(&x);
	from = uxsk_tai_ns();
	for (i = 0; i < 16; i++) {
		struct pkt p = { .payload = 20, .seq = ++seq };
		__u64 addr = core_frame(&x, i, &p);

		core_request(&x, addr, i & 1 ? META_TS : 0, NULL);
		core_put(&x, addr, p.len, META_TX);
	}
	tap_is(uxsk_kick(&x), 0, "frames are under way");
	for (i = 0; i < 16; i++) {
		struct xsk_tx_metadata *m = uxsk_meta(&x, uxsk_addr(&x, i));

		m->flags = i & 1 ? 0 : META_TS | META_CSUM | META_LAUNCH;
		m->completion.tx_timestamp = CANARY;
	}
	tap_is(uxsk_reap(&x, NULL, 16), 0, "and not complete when their requests change");
	n = uxsk_drain(&x, NULL, 16, TIMEOUT_MS, NULL);
	to = uxsk_tai_ns();
	for (i = 0; i < 16; i++) {
		__u64 ts = uxsk_meta(&x, uxsk_addr(&x, i))->completion.tx_timestamp;

		if (i & 1) {
			stamps += ts != CANARY;
			window += within(ts, from + 200000000, to);
		} else {
			canaries += ts == CANARY;
		}
	}
	tap_is(n, 16, "all complete");
	tap_is(stamps, 8, "a flag cleared after the send: answered all the same");
	tap_is(window, 8, "with the time at which the frame left");
	tap_is(canaries, 8, "a flag set after the send: nothing is written");
	uxsk_close(&x);
	hold_remove(NULL);
}

struct watcher {
	struct uxsk *x;
	unsigned long frames;
	unsigned long early, seen;
};

/* Looks at each frame the moment its completion shows. */
static void *watch(void *arg)
{
	struct watcher *w = arg;
	__u64 end = uxsk_now_ns() + 60000000000ULL, addr;

	while (w->seen < w->frames && uxsk_now_ns() < end) {
		if (!uxsk_reap(w->x, &addr, 1))
			continue;
		w->early += uxsk_meta(w->x, addr)->completion.tx_timestamp == CANARY;
		w->seen++;
	}
	return NULL;
}

static void in_place(unsigned long rounds)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct watcher w = { .frames = rounds * 64 };
	__u64 end = uxsk_now_ns() + 60000000000ULL;
	unsigned long sent = 0;
	struct uxsk x;
	pthread_t t;

	core_open(&x, &cfg);
	w.x = &x;
	if (pthread_create(&t, NULL, watch, &w))
		tap_bail("pthread_create");
	while (sent < w.frames && uxsk_now_ns() < end) {
		struct pkt p = { .payload = 20, .seq = ++seq };
		__u64 addr;

		/* A chunk is free again when everything before it was seen. */
		if (sent - __atomic_load_n(&w.seen, __ATOMIC_ACQUIRE) >= 32) {
			uxsk_kick(&x);
			continue;
		}
		addr = core_frame(&x, sent % 64, &p);
		core_request(&x, addr, META_TS, NULL);
		uxsk_meta(&x, addr)->completion.tx_timestamp = CANARY;
		core_put(&x, addr, p.len, META_TX);
		uxsk_kick(&x);
		sent++;
	}
	pthread_join(t, NULL);
	tap_is(w.seen, w.frames, "%lu frames watched from another CPU: all complete", w.frames);
	tap_is(w.early, 0, "and each has its stamp when its completion shows");
	uxsk_close(&x);
}

/* What the device drops is answered too: a time or 0, never the request. */
static void dropped(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct pkt p = { .payload = 50, .seq = ++seq };
	__u64 addr, from, to, ts;
	struct uxsk x;
	int i;

	for (i = 0; i < 2; i++) {
		unsigned int n;

		core_open(&x, &cfg);
		addr = core_frame(&x, 1, &p);
		core_request(&x, addr, META_TS | META_CSUM, &p);
		if (!i)
			net_sh("ip -n %s link set %s down", core.peer_netns, core.peer);
		from = uxsk_tai_ns();
		/* the second time: larger than the MTU, which veth drops */
		core_put(&x, addr, i ? 2000 : p.len, META_TX);
		n = uxsk_drain(&x, NULL, 1, TIMEOUT_MS, NULL);
		to = uxsk_tai_ns();
		ts = uxsk_meta(&x, addr)->completion.tx_timestamp;
		tap_ok(n == 1 && (!ts || within(ts, from, to)),
		       "%s: completes with a time or 0", i ? "too large" : "no carrier");
		if (!i)
			net_sh("ip -n %s link set %s up", core.peer_netns, core.peer);
		uxsk_close(&x);
	}
	/* IPv6 addresses go with the link; the others stay. */
	net_sh("ip -n %s -6 addr replace 2001:db8::2/64 dev %s nodad", core.peer_netns, core.peer);
}

int main(void)
{
	core_init(&core);
	atexit(restore);
	set_tai(37);
	sizes();
	alternate(tap_rounds(10));
	late_change();
	in_place(tap_rounds(10));
	dropped();
	return tap_done();
}
