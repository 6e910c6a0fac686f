// SPDX-License-Identifier: GPL-2.0
#include <linux/if_xdp.h>
#include <string.h>

#include "../verdict.h"
#include <linux/if_xdp.h>
#include "tap.h"

#define N 100
#define T0 1700000000000000000ULL

static struct frame frame[N];
static struct clockmap map;
static struct run run;
static struct verdict v;

/* A perfect run: a stamp 3 us after each submission, completion 2 us later. */
static void good(void)
{
	unsigned int i;

	map = (struct clockmap){ .clock = CLOCK_SYS_TAI };
	memset(frame, 0, sizeof(frame));
	for (i = 0; i < N; i++)
		frame[i] = (struct frame){
			.addr = i * 4096 + 24,
			.submit_ns = T0 + i * 10000,
			.stamp = T0 + i * 10000 + 3000,
			.complete_ns = T0 + i * 10000 + 5000,
			.asked = 34 | 6 << 16,
			.req = XDP_TXMD_FLAGS_TIMESTAMP | XDP_TXMD_FLAGS_CHECKSUM,
			.completions = 1, .rx = 1, .rx_state = PKT_RIGHT,
		};
	run = (struct run){ .frame = frame, .count = N, .map = &map, .has_peer = true };
}

static bool judge(void)
{
	return verdict_judge(&run, &v);
}

static void check_good(void)
{
	good();
	tap_ok(judge() && v.pass && !v.reason[0], "a run without fault passes");
	tap_is(v.requested, N, "all requested");
	tap_is(v.stamped, N, "all stamped");
	tap_is(v.csum_right, N, "all checksums right");
	tap_is(v.submit_to_stamp.p999, 3000, "submit to stamp");
	tap_is(v.stamp_to_completion.max, 2000, "stamp to completion");
}

/* Each plants one fault in a good run and says where it must be counted. */
#define PLANT(what, counter, want, ...) do { \
	good(); \
	__VA_ARGS__; \
	judge(); \
	tap_ok(!v.pass && v.reason[0], "%s fails", what); \
	tap_is(v.counter, want, "%s is counted as " #counter, what); \
} while (0)

static void planted(void)
{
	PLANT("no stamp", zero, 1, frame[5].stamp = 0);
	PLANT("393250 ns", echo, 1, frame[5].stamp = 393250);
	PLANT("a stamp before the submission", early, 1,
	      frame[5].stamp = frame[5].submit_ns - 2000);
	PLANT("the stamp of the frame before", early, 1, frame[5].stamp = frame[4].stamp);
	PLANT("a small number", early, 1, frame[5].stamp = 12345);
	PLANT("all ones", late, 1, frame[5].stamp = ~0ULL);
	PLANT("a stamp after the completion", late, 1,
	      frame[5].stamp = frame[5].complete_ns + 2000);
	PLANT("a stamp written after the completion", late, 1,
	      frame[5].stamp = 0; frame[5].changed = 1);
	PLANT("one stamp for two", duplicate, 1,
	      frame[5].submit_ns = frame[4].submit_ns; frame[5].stamp = frame[4].stamp);
	PLANT("two stamps in the wrong order", out_of_order, 1,
	      frame[5].submit_ns = frame[4].submit_ns; frame[5].stamp = frame[4].stamp - 100);
	PLANT("a stamp that nobody asked for", unasked, 1, frame[5].req = 0);
	PLANT("a late write that nobody asked for", unasked, 1,
	      frame[5].req = 0; frame[5].stamp = frame[5].asked; frame[5].changed = 1);
	PLANT("no completion", incomplete, 1, frame[5].completions = 0);
	PLANT("two completions", twice, 1, frame[5].completions = 2);
	PLANT("a wrong checksum", wrong, 1, frame[5].rx_state = PKT_WRONG);
	PLANT("a checksum to be filled in", unfilled, 1, frame[5].rx_state = PKT_UNFILLED);
	PLANT("a changed frame", corrupt, 1, frame[5].rx_state = PKT_CORRUPT);
	PLANT("a lost frame", lost, 1, frame[5].rx = 0);
	PLANT("a doubled frame", twice_arrived, 1, frame[5].rx = 2);
	PLANT("SIGINT", sent, 50, run.interrupted = true;
	      memset(&frame[50], 0, 50 * sizeof(frame[0])));
	PLANT("a stray completion", sent, N, run.stray_completions = 1);
	PLANT("an invalid descriptor", sent, N, run.invalid_descs = 1);
	PLANT("an arrival that was never sent", sent, N, run.peer_unknown = 1);
	PLANT("a capture that overflowed", sent, N, run.peer_drops = 1);
	PLANT("nothing sent", sent, 0, memset(frame, 0, sizeof(frame)));
}

static void sums(void)
{
	unsigned int i;

	good();
	frame[1].stamp = 0;
	frame[2].stamp = frame[2].asked;
	frame[3].stamp = 1;
	frame[4].stamp = ~0ULL;
	frame[6].submit_ns = frame[5].submit_ns;
	frame[6].stamp = frame[5].stamp;
	frame[8].submit_ns = frame[7].submit_ns;
	frame[8].stamp = frame[7].stamp - 1;
	frame[9].completions = 0;
	judge();
	tap_is(v.stamped + v.zero + v.echo + v.early + v.late + v.duplicate + v.out_of_order +
	       v.incomplete, v.requested, "each request is in exactly one class");
	tap_is(v.faults, 7, "each kind of fault is counted");

	/* A driver with one latch, that says so. */
	good();
	for (i = 0; i < N; i += 2)
		frame[i].stamp = 0;
	run.has_counters = true;
	run.ts_unserved = N / 2;
	judge();
	tap_ok(v.pass && v.zero == N / 2, "zeros that the driver accounts for pass");
	run.ts_unserved = N / 2 - 1;
	judge();
	tap_ok(!v.pass, "one more zero than it accounts for fails");
	for (i = 0; i < N; i++)
		frame[i].stamp = 0;
	run.ts_unserved = N;
	judge();
	tap_ok(!v.pass, "no stamp at all fails, accounted for or not");

	/* Without a peer nothing is said of checksums. */
	good();
	run.has_peer = false;
	for (i = 0; i < N; i++)
		frame[i].rx = 0;
	judge();
	tap_ok(v.pass && !v.right && !v.lost && v.csum_requested == N, "no peer, no claim");
}

static void launch_times(void)
{
	unsigned int i;

	good();
	for (i = 0; i < N; i++)
		frame[i].launch = frame[i].stamp + (i % 2 ? 255 : -40000);
	judge();
	tap_ok(v.pass && v.launch_requested == N && v.launch_to_stamp.n == N,
	       "launch times that are kept");
	tap_is(v.launch_to_stamp.min, -255, "rounded down");
	tap_is(v.launch_to_stamp.max, 40000, "and waited for others");
	frame[5].launch = frame[5].stamp + 2000;
	judge();
	tap_ok(!v.pass && v.ahead == 1 && v.stamped == N - 1, "a frame that left too early");
	frame[5].launch = frame[5].stamp - 2000000;
	judge();
	tap_ok(!v.pass && v.behind == 1 && v.launch_to_stamp.max == 2000000,
	       "a frame that left much too late");
	frame[5].launch = frame[5].stamp;
	run.launch_refused = 1;
	judge();
	tap_ok(!v.pass && strstr(v.reason, "refused 1 launch times"), "a refusal");
}

static void device_clock(void)
{
	unsigned int i;

	/* The PHC is 37 s behind and 100 ppm fast; frames take 1 ms in all. */
	good();
	map = (struct clockmap){ .clock = CLOCK_PHC };
	clockmap_add(&map, (struct clock_pair){ T0 - 1000000, T0 - 37000000000 - 1000100, 500 });
	clockmap_add(&map, (struct clock_pair){ T0 + 1000000, T0 - 37000000000 + 1000100, 700 });
	for (i = 0; i < N; i++)
		frame[i].stamp -= 37000000000;
	judge();
	tap_ok(v.pass && v.times_known, "stamps of a device's clock are compared in that clock");
	tap_ok(v.submit_to_stamp.p50 > 2890 && v.submit_to_stamp.p50 < 3110,
	       "and the latency is right");
	frame[5].stamp = frame[5].submit_ns;
	judge();
	tap_is(v.late, 1, "a stamp of the wrong clock is late");

	frame[5].stamp -= 37000000000 + 1500;
	judge();
	tap_is(v.early, 0, "what the reading of the clocks cannot tell is not held against a stamp");
	frame[5].stamp -= 1000;
	judge();
	tap_is(v.early, 1, "what it can is");

	clockmap_add(&map, (struct clock_pair){ T0 + 2000000, T0 + 1000000, 500 });
	judge();
	tap_ok(!v.times_known && !v.submit_to_stamp.n, "a clock set midway: times unknown");
	clockmap_free(&map);
	judge();
	tap_ok(!v.times_known, "a device clock without readings: times unknown");

	good();
	map.clock = CLOCK_NONE;
	judge();
	tap_ok(v.pass && !v.times_known && !v.submit_to_stamp.n, "no clock: latencies unknown");
	frame[5].stamp = 393250;
	judge();
	tap_ok(!v.pass && v.echo == 1, "no clock: 393250 ns is still no stamp");
}

int main(void)
{
	check_good();
	planted();
	sums();
	launch_times();
	device_clock();
	return tap_done();
}
