// SPDX-License-Identifier: GPL-2.0
/*
 * Requests mixed in a batch, at random and by turns: each frame gets what it
 * asked for and nothing that another asked for, on the wire and in its area.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md.h"

#define RING 256

static uint64_t next_seq = 90000000;

static unsigned int dice(unsigned int sides)
{
	static uint32_t x = 1;

	x = x * 1664525 + 1013904223;
	return (x >> 16) % sides;
}

static void at_random(struct md_frame *f, size_t i)
{
	(void)i;
	f->option = dice(4);
	f->flags = dice(4);		/* TIMESTAMP and CHECKSUM are bits 0 and 1 */
}

static void stamps_by_turns(struct md_frame *f, size_t i)
{
	f->option = i % 2;
	f->flags = XDP_TXMD_FLAGS_TIMESTAMP;
}

static void sums_by_turns(struct md_frame *f, size_t i)
{
	f->option = true;
	f->flags = i % 2 ? XDP_TXMD_FLAGS_CHECKSUM : 0;
}

static bool asks(const struct md_frame *f, uint64_t flag)
{
	return f->option && f->flags & flag;
}

static void run(struct md_sock *m, const char *what, unsigned int batch, size_t n,
		void (*ask)(struct md_frame *f, size_t i))
{
	struct md_frame *f = md_frames(n, next_seq);
	size_t stamps = 0, sums = 0, once = 0, stamped = 0, same = 0, wire = 0;
	struct md_stats before, s;

	for (size_t i = 0; i < n; i++) {
		f[i].spec.ip = dice(2) ? 6 : 4;
		f[i].spec.payload = 18 + dice(dice(8) ? 200 : 1400);
		f[i].finish = false;
		ask(&f[i], i);
		stamps += asks(&f[i], XDP_TXMD_FLAGS_TIMESTAMP);
		sums += asks(&f[i], XDP_TXMD_FLAGS_CHECKSUM);
	}
	md_stats(&before);
	truth_mark();
	tap_is(md_run(m, f, n, batch, 10000), n, "%s, batch %u: all complete", what, batch);
	truth_wait("a", next_seq, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", next_seq + i);
		uint32_t len, crc = md_crc(&f[i], asks(&f[i], XDP_TXMD_FLAGS_CHECKSUM), &len);

		once += f[i].completions == 1;
		wire += t && t->crc32 == crc && t->len == len;
		if (asks(&f[i], XDP_TXMD_FLAGS_TIMESTAMP))
			stamped += t && (f[i].stamp == truth_time(t) ||
					 (!nic->stamp_each && !f[i].stamp));
		else
			same += f[i].same;
	}
	s = md_since(&before);
	tap_is(once, n, "%s, batch %u: once each", what, batch);
	tap_is(wire, n, "%s, batch %u: checksums where asked for, the rest as given", what, batch);
	tap_is(stamped, stamps, "%s, batch %u: who asked has its own stamp", what, batch);
	tap_is(same, n - stamps, "%s, batch %u: the areas of the others are untouched", what, batch);
	tap_is(s.requested, stamps, "%s, batch %u: stamps counted", what, batch);
	tap_is(s.csum_ok, sums, "%s, batch %u: checksums counted", what, batch);
	md_sum_holds(&before, what);
	next_seq += n;
	free(f);
}

static void all(const char *kind)
{
	static const unsigned int batches[] = { 1, 2, 7, 32, 64, RING };
	size_t n = tap_rounds(6000);
	struct md_sock m;
	char what[64];

	if (n < 64)
		n = 64;
	if (md_open(&m, 0, RING, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	snprintf(what, sizeof(what), "%srandom", kind);
	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++)
		run(&m, what, batches[i], batches[i] == 1 ? n / 8 : n, at_random);
	snprintf(what, sizeof(what), "%sstamps by turns", kind);
	run(&m, what, 32, n, stamps_by_turns);
	snprintf(what, sizeof(what), "%schecksums by turns", kind);
	run(&m, what, 32, n, sums_by_turns);
	tap_is(m.strays, 0, "%sno address came back that was not sent", kind);
	md_close(&m);
}

/* Nobody asks, in slots where others did: a batch has one completion, not each frame. */
static void nobody(const char *kind)
{
	size_t n = 4 * RING, once = 0;
	struct md_frame *f = md_frames(n, next_seq);
	long long cqes;
	struct md_sock m;

	if (md_open(&m, 0, RING, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	for (size_t i = 0; i < n; i++) {
		f[i].option = i < RING;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	md_run(&m, f, RING, 32, 10000);
	cqes = nic_stat(nic_if, "tx_xsk_cqes");
	md_run(&m, f + RING, n - RING, 32, 10000);
	cqes = nic_stat(nic_if, "tx_xsk_cqes") - cqes;
	for (size_t i = 0; i < n; i++)
		once += f[i].completions == 1;
	tap_is(once, n, "%snobody asks: once each", kind);
	tap_ok(cqes >= 1 && cqes < (long long)(n - RING) / 8,
	       "%snobody asks: %zu frames in batches of 32 had %lld completions", kind, n - RING, cqes);
	next_seq += n;
	md_close(&m);
	free(f);
}

/* Slots have to serve again; the number of multi-packet WQEs used is returned. */
static long long wqes(int s, const char *kind)
{
	int xdp = nic_xdp_pass(nic_if);
	long long before;

	nic_sh("ethtool -G %s tx %u", nic_if, RING);
	nic_wait_carrier(5000);
	nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	before = nic_stat(nic_if, nic->multi_counter);
	all(kind);
	nobody(kind);
	close(xdp);
	return nic_stat(nic_if, nic->multi_counter) - before;
}

/* The model wants the first bytes of each frame in its WQE, or none. */
static void inline_header(const char *mode)
{
	nic_unbind();
	nic_ctl("model a inline %s", mode);
	nic_bind();
}

int main(void)
{
	int xdp, s;

	md_init();
	s = socket(AF_INET, SOCK_DGRAM, 0);
	if (!nic->multi_flag) {
		xdp = nic_xdp_pass(nic_if);
		nic_wait_carrier(5000);
		nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
		all("");
		close(xdp);
	} else {
		long long used = wqes(s, "multi-packet WQEs, ");

		tap_ok(used > 0, "multi-packet WQEs were in use (%lld)", used);
		nic_sh("ethtool --set-priv-flags %s %s off", nic_if, nic->multi_flag);
		tap_is(wqes(s, "plain WQEs, "), 0, "plain WQEs: no other was in use");
		inline_header("l2");
		tap_is(wqes(s, "WQEs with a header, "), 0, "WQEs with a header: no other was in use");
		inline_header("none");
	}
	tap_ok(nic_works(), "the stack still sends");
	return tap_done();
}
