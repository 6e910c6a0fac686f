// SPDX-License-Identifier: GPL-2.0
/*
 * A frame that asks for nothing keeps its metadata area byte for byte, between
 * frames that ask, and when its sender sets flags after the submission.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md.h"

#define RING 256

static struct md_sock m;
static bool flipping;

/* Requests that come too late must not be honoured. */
static void *flip(void *arg)
{
	while (__atomic_load_n(&flipping, __ATOMIC_RELAXED))
		for (unsigned int c = 0; c < RING; c++) {
			struct xsk_tx_metadata *meta = uxsk_meta(&m.x, uxsk_addr(&m.x, c));

			__atomic_xor_fetch(&meta->flags, 3, __ATOMIC_RELAXED);
		}
	return arg;
}

int main(void)
{
	size_t n, same = 0, asked = 0, right = 0, kept = 0, quiet = 0;
	struct md_frame *f;
	struct md_stats before;
	uint8_t canary[8];
	pthread_t thread;
	int xdp, s;

	md_init();
	n = tap_rounds(20000);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	if (md_open(&m, 1 % nic->queues, RING, MD_LEN, 0))
		tap_bail("no zero-copy socket");

	/* By turns: no option, an option without flags, a stamp, a checksum. */
	md_stats(&before);
	f = md_frames(n, 20000000);
	for (size_t i = 0; i < n; i++) {
		f[i].option = i % 4;
		f[i].flags = i % 4 == 2 ? XDP_TXMD_FLAGS_TIMESTAMP :
			     i % 4 == 3 ? XDP_TXMD_FLAGS_CHECKSUM : 0;
		f[i].finish = i % 4 != 3;
	}
	truth_mark();
	tap_is(md_run(&m, f, n, RING, 10000), n, "mixed: all complete");
	truth_wait("a", 20000000, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", 20000000 + i);

		if (f[i].flags & XDP_TXMD_FLAGS_TIMESTAMP) {
			asked++;
			right += t && (truth_time(t) == f[i].stamp ||
				       (!nic->stamp_each && !f[i].stamp));
		} else {
			same += f[i].same;
			/* Completions are stamped, asked for or not. */
			quiet += t && (t->stamp_ns == TRUTH_NONE || t->cqe_ns != TRUTH_NONE);
		}
	}
	tap_is(right, asked, "mixed: who asked has a stamp");
	tap_is(same, n - asked, "mixed: the areas of the others are byte-identical");
	tap_is(quiet, n - asked, "mixed: the NIC was not asked to stamp them");
	tap_is(md_since(&before).requested, asked, "mixed: counted");
	md_sum_holds(&before, "mixed");
	free(f);

	/* No option, and a second thread that sets and clears flags all the time. */
	memset(canary, MD_CANARY, sizeof(canary));
	md_stats(&before);
	f = md_frames(n, 21000000);
	flipping = true;
	pthread_create(&thread, NULL, flip, NULL);
	tap_is(md_run(&m, f, n, RING, 10000), n, "flags flipped: all complete");
	for (size_t i = 0; i < n; i++)
		kept += !memcmp(&f[i].stamp, canary, 8);
	tap_is(kept, n, "flags flipped, no option: no stamp is written");
	tap_is(md_since(&before).requested, 0, "flags flipped, no option: nothing was asked for");
	free(f);

	/* With the option: each frame asked or not, at the moment it was taken. */
	md_stats(&before);
	f = md_frames(n, 22000000);
	for (size_t i = 0; i < n; i++)
		f[i].option = true;
	truth_mark();
	tap_is(md_run(&m, f, n, RING, 10000), n, "flags flipped, option: all complete");
	__atomic_store_n(&flipping, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	truth_wait("a", 22000000, n, 5000);
	right = 0;
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", 22000000 + i);
		bool taken = t && t->req & XDP_TXMD_FLAGS_TIMESTAMP;

		/* Who shares a completion did not ask for it. */
		if (t && t->cqe_ns != TRUTH_NONE)
			taken = memcmp(&f[i].stamp, canary, 8);

		right += t && (taken ? f[i].stamp == truth_time(t) :
			       !memcmp(&f[i].stamp, canary, 8) || !f[i].stamp);
	}
	tap_is(right, n, "flags flipped, option: a stamp where the NIC was asked, else none");
	md_sum_holds(&before, "flags flipped");
	free(f);
	md_close(&m);
	close(xdp);
	return tap_done();
}
