// SPDX-License-Identifier: GPL-2.0
/*
 * Launch time in copy mode: any value is a valid request in an area of 24
 * bytes, the frame goes out as given, and a timestamp asked for besides is
 * answered. What the sender wrote is no time for anyone else: the receiver's
 * timestamp does not show it.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core.h"

#define MAGIC	0x0badcafe12345678ULL

static struct core core;

static void restore(void)
{
	net_try("ip link del launch0 2>/dev/null");
}

static __u64 real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void one(struct uxsk *x, struct sniff *s, const char *where, const char *name,
		__u64 launch, __u64 flags)
{
	static __u64 seq;
	struct pkt p = { .payload = 60, .seq = ++seq };
	__u64 addr = core_frame(x, 1, &p), from, got, ts;
	struct xsk_tx_metadata *m = uxsk_meta(x, addr);
	struct sniff_frame f;
	unsigned int n;

	core_request(x, addr, META_LAUNCH | flags, &p);
	m->request.launch_time = launch;
	from = uxsk_tai_ns();
	core_put(x, addr, p.len, META_TX);
	n = uxsk_drain(x, &got, 1, TIMEOUT_MS, NULL);
	ts = m->completion.tx_timestamp;
	tap_ok(n == 1 && got == addr && !core_invalid(x), "%s: %s: completes", where, name);
	if (flags & META_TS)
		tap_ok(!ts || (ts >= from && ts <= uxsk_tai_ns()),
		       "%s: %s: the stamp is a time or 0", where, name);
	tap_is(m->request.launch_time, launch, "%s: %s: the time is still in place", where, name);
	tap_ok(core_arrives_as(s, &f, p.seq, uxsk_data(x, addr), p.len),
	       "%s: %s: sent as given", where, name);
	tap_ok(!f.hw_ns && (!f.sw_ns || (f.sw_ns + 60000000000 > real_ns() &&
					f.sw_ns < real_ns() + 1000000000)),
	       "%s: %s: the receiver's timestamp is its own", where, name);
	if (f.hw_ns || f.sw_ns < 1000000000000000000ULL)
		tap_diag("software %llu, hardware %llu", f.sw_ns, f.hw_ns);
}

static void all(const char *ifname, const char *netns, const char *peer, const char *where)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(ifname, 24);
	struct sniff s;
	struct uxsk x;

	sniff_open(&s, netns, peer);
	core_open(&x, &cfg);
	one(&x, &s, where, "time 0", 0, META_TS);
	one(&x, &s, where, "time 1", 1, 0);
	one(&x, &s, where, "in the past", uxsk_tai_ns() - 1000000000, META_TS);
	one(&x, &s, where, "in 100 ms", uxsk_tai_ns() + 100000000, META_TS);
	one(&x, &s, where, "in a day", uxsk_tai_ns() + 86400000000000, 0);
	one(&x, &s, where, "a magic number", MAGIC, META_TS);
	one(&x, &s, where, "2^63", 1ULL << 63, META_TS);
	one(&x, &s, where, "2^64 - 1", ~0ULL, META_TS);
	uxsk_close(&x);
	sniff_close(&s);
}

int main(void)
{
	core_init(&core);
	atexit(restore);
	all(core.ifname, core.peer_netns, core.peer, "other netns");
	/* Within one network namespace veth keeps more of the skb. */
	net_sh("ip link add launch0 type veth peer name launch1 && "
	       "ip link set launch0 up && ip link set launch1 up");
	all("launch0", NULL, "launch1", "same netns");
	return tap_done();
}
