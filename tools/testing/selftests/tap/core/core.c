// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

void core_init(struct core *c)
{
	int old;

	c->ifname = net_env("IF");
	c->peer = net_env("PEER");
	c->peer_netns = net_env("PEER_NETNS");
	old = net_enter(c->peer_netns);
	net_mac(c->peer, c->peer_mac);
	net_leave(old);
}

void core_stay_on_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		tap_bail("CPU %u is not to be had", cpu);
}

void core_open(struct uxsk *x, const struct uxsk_cfg *cfg)
{
	int err = uxsk_open(x, cfg);

	if (err)
		tap_bail("AF_XDP socket on %s: %s: %s", cfg->ifname ?: "no interface",
			 x->step, strerror(-err));
}

__u64 core_frame(const struct uxsk *x, __u32 i, struct pkt *p)
{
	__u64 addr = uxsk_addr(x, i);

	memset(uxsk_meta(x, addr), 0, x->meta_len);
	pkt_build(p, uxsk_data(x, addr));
	return addr;
}

void core_request(const struct uxsk *x, __u64 addr, __u64 flags, const struct pkt *p)
{
	struct xsk_tx_metadata *m = uxsk_meta(x, addr);

	m->flags = flags;
	if (p) {
		m->request.csum_start = p->csum_start;
		m->request.csum_offset = p->csum_offset;
	}
}

void core_put(struct uxsk *x, __u64 addr, __u32 len, __u32 options)
{
	if (uxsk_put(x, addr, len, options))
		tap_bail("the TX ring is full");
}

__u64 core_invalid(const struct uxsk *x)
{
	struct xdp_statistics st;
	int err = uxsk_stats(x, &st);

	if (err)
		tap_bail("XDP_STATISTICS: %s", strerror(-err));
	return st.tx_invalid_descs;
}

bool core_arrives(struct sniff *s, struct sniff_frame *f, __u64 seq)
{
	__u64 got;

	if (!sniff_next(s, f, TIMEOUT_MS)) {
		tap_diag("frame %llu did not arrive", seq);
		return false;
	}
	got = pkt_seq(f->data, f->len);
	if (got != seq) {
		tap_diag("got frame %llu (%zu bytes), want %llu", got, f->len, seq);
		return false;
	}
	return true;
}

bool core_arrives_as(struct sniff *s, struct sniff_frame *f, __u64 seq,
		     const __u8 *want, size_t len)
{
	size_t i;

	if (!core_arrives(s, f, seq))
		return false;
	if (f->len != len) {
		tap_diag("frame %llu has %zu bytes, want %zu", seq, f->len, len);
		return false;
	}
	for (i = 0; i < len; i++) {
		if (f->data[i] != want[i]) {
			tap_diag("frame %llu: byte %zu is %02x, want %02x", seq, i,
				 f->data[i], want[i]);
			return false;
		}
	}
	return true;
}

__u32 core_random(void)
{
	static __u64 state;

	if (!state) {
		const char *seed = getenv("SEED");

		state = seed ? strtoull(seed, NULL, 0) : 0x7478;
		tap_diag("SEED=%llu", state);
		state = state * 2 + 1;
	}
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return state >> 32;
}
