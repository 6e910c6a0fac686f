// SPDX-License-Identifier: GPL-2.0
/*
 * Every frame that asks gets the stamp that the truth log has for it: batches
 * of all sizes, small and large rings, over many wraps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "md.h"

static uint64_t next_seq = 10000000;

static void run(unsigned int queue, unsigned int ring, unsigned int batch, size_t n)
{
	struct md_frame *f = md_frames(n, next_seq);
	struct md_stats before;
	size_t done, equal = 0, once = 0, zero = 0;
	struct md_sock m;

	if (md_open(&m, queue, ring, MD_LEN, 0)) {
		tap_ok(false, "queue %u: bind in zero-copy mode", queue);
		return;
	}
	md_stats(&before);
	for (size_t i = 0; i < n; i++) {
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	truth_mark();
	done = md_run(&m, f, n, batch, 10000);
	tap_is(done, n, "queue %u, ring %u, batch %u: all complete", queue, ring, batch);
	truth_wait("a", next_seq, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", next_seq + i);

		once += f[i].completions == 1;
		zero += !f[i].stamp;
		equal += t && truth_time(t) == f[i].stamp && t->stamp_ns == f[i].stamp;
	}
	tap_is(once, n, "queue %u, ring %u, batch %u: once each", queue, ring, batch);
	if (nic->stamp_each)
		tap_is(equal, n, "queue %u, ring %u, batch %u: stamp = truth", queue, ring, batch);
	else
		tap_is(equal + zero, n, "queue %u, ring %u, batch %u: stamp = truth, or 0",
		       queue, ring, batch);
	tap_is(md_since(&before).requested, n, "... and %zu were asked for", n);
	tap_is(md_since(&before).ok, equal, "... and %zu counted as given", equal);
	md_sum_holds(&before, "...");
	next_seq += n;
	md_close(&m);
	free(f);
}

int main(void)
{
	static const unsigned int rings[] = { 64, 1024 };
	unsigned long n = tap_rounds(6000);
	int xdp, s;

	md_init();
	s = socket(AF_INET, SOCK_DGRAM, 0);
	for (size_t r = 0; r < 2; r++) {
		const unsigned int batches[] = { 1, 7, 64, rings[r] };

		nic_sh("ethtool -G %s tx %u", nic_if, rings[r] < nic->ring_min ?
		       nic->ring_min : rings[r]);
		xdp = nic_xdp_pass(nic_if);
		nic_wait_carrier(5000);
		nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
		for (size_t b = 0; b < 4; b++) {
			run(0, rings[r], batches[b], batches[b] == 1 ? n / 4 + 1 : n * 2);
			run(nic->queues - 1, rings[r], batches[b],
			    batches[b] == 1 ? n / 4 + 1 : n * 2);
		}
		close(xdp);
	}
	nic_sh("ethtool -G %s tx 512", nic_if);
	return tap_done();
}
