// SPDX-License-Identifier: GPL-2.0
#include "core.h"
#include "hold.h"

#define PRIMER	1410	/* bytes of the frame */

void hold_make(const char *netns)
{
	int old = net_enter(netns);

	net_sh("ip link add " HOLD_LOWER " type veth peer name " HOLD_PEER);
	net_sh("ip link add link " HOLD_LOWER " name " HOLD_IF " type macvlan mode private");
	net_sh("ip link set " HOLD_PEER " up && ip link set " HOLD_LOWER " up && "
	       "ip link set " HOLD_IF " up");
	/* bytes: PRIMER / HOLD_MS = 4700/s */
	net_sh("tc qdisc add dev " HOLD_LOWER " root fq maxrate 37600bit");
	net_leave(old);
}

void hold_prime(struct uxsk *x)
{
	struct pkt p = { .payload = PRIMER - 42, .seq = 1ULL << 48 };
	__u64 addr = core_frame(x, x->chunks - 1, &p);

	core_put(x, addr, p.len, 0);
	if (uxsk_drain(x, NULL, 1, TIMEOUT_MS, NULL) != 1)
		tap_bail("the first frame does not leave " HOLD_LOWER);
}

void hold_remove(const char *netns)
{
	int old = net_enter(netns);

	net_try("ip link del " HOLD_LOWER " 2>/dev/null");
	net_leave(old);
}
