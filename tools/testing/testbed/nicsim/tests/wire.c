// SPDX-License-Identifier: GPL-2.0
/* Frames between two ports: bytes, times, the truth about them. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/client.h"

/* 8 bit times a byte at 1 Gbit/s; preamble, FCS and gap are 24 bytes. */
#define LINE_NS(len) (8ULL * (((len) < 60 ? 60 : (len)) + 24))

static struct sim sim;
static struct client a, b;
static u32 lines;

static void open_both(void)
{
	client_open_mem(&b, &sim, "b", 0x100000000ULL, 8 << 20);
	client_open_mem(&a, &sim, "a", 0, 8 << 20);
	demo_start(&b);
	demo_start(&a);
}

static void bytes(void)
{
	static const u32 len[] = { 14, 42, 60, 64, 200, 1400, 1514, 2048 };
	char line[512];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(len); i++) {
		struct demo_desc *rx = &demo_ring(&b, true, i < 2 ? 0 : 1)[i < 2 ? i :
			i - 2];
		u32 q = i < 2 ? 0 : 1, n = i < 2 ? i : i - 2;
		u8 *sent = a.mem + (demo_buf(&a, false, q, n) - a.iova);
		u8 *got = b.mem + (demo_buf(&b, true, q, n) - b.iova);

		demo_post(&a, q, n, len[i], 100 + i, DEMO_F_TS, 0);
		/* Too short for IP: no port to steer by, so queue 0. */
		if (len[i] < 50)
			memset(sent, 0xee, len[i]);
		demo_tail(&a, false, q, n + 1);
		tap_ok(demo_wait(&b, true, q, n, 10000) &&
		       demo_wait(&a, false, q, n, 10000) && rx->len == len[i] &&
		       !memcmp(sent, got, len[i]),
		       "%u bytes arrive as they were", len[i]);
		if (!truth_line(&sim, lines++, line, sizeof(line)))
			tap_bail("no truth");
		tap_ok(truth_num(line, "len") == len[i] &&
		       truth_num(line, "queue") == q &&
		       truth_num(line, "desc") == n &&
		       truth_num(line, "req") == 1 &&
		       truth_num(line, "launch_ns") == TRUTH_NULL &&
		       strstr(line, "\"port\": \"a\"") &&
		       strstr(line, "\"fault\": null"), "and are in the truth log");
		tap_is((long long)truth_num(line, "seq"),
		       len[i] < 50 ? -1 : 100 + (int)i, "with their sequence number");
		tap_ok(truth_num(line, "stamp_ns") ==
		       demo_ring(&a, false, q)[n].stamp_ns &&
		       truth_num(line, "stamp_ns") == truth_num(line, "egress_ns"),
		       "and the stamp that was given");
	}
	tap_ok(demo_ring(&b, true, 1)[3].len == 1400, "demo ring in order");
}

static void crc(void)
{
	char line[512];
	u8 *p = a.mem + (demo_buf(&a, false, 2, 0) - a.iova);

	/* The check value of CRC-32 is that of "123456789". */
	demo_post(&a, 2, 0, 64, 1, 0, 0);
	memcpy(p, "123456789", 9);
	demo_ring(&a, false, 2)[0].len = 9;
	demo_tail(&a, false, 2, 1);
	demo_wait(&a, false, 2, 0, 10000);
	truth_line(&sim, lines++, line, sizeof(line));
	tap_is((long long)truth_num(line, "crc32"), 0xcbf43926, "crc32");
	tap_is((long long)truth_num(line, "stamp_ns"), -1,
	       "no stamp was asked for, none given");
}

/* A burst leaves back to back at line rate and arrives after the delay. */
static void rate(void)
{
	enum { N = 20 };
	u64 egress[N], offset;
	char line[512];
	u32 i;
	int good = 0;

	/* The two clocks started at different moments; compare by the first. */
	for (i = 0; i < N; i++)
		demo_post(&a, 3, i, i % 2 ? 64 : 1514, i, DEMO_F_TS, 0);
	demo_tail(&a, false, 3, N);
	demo_wait(&b, true, 3, N - 1, 10000);
	demo_wait(&a, false, 3, N - 1, 10000);
	for (i = 0; i < N; i++) {
		truth_line(&sim, lines++, line, sizeof(line));
		egress[i] = truth_num(line, "egress_ns");
	}
	for (i = 1; i < N; i++)
		good += egress[i] - egress[i - 1] == LINE_NS(i % 2 ? 1514U : 64U);
	tap_is(good, N - 1, "a burst leaves back to back at line rate");
	offset = demo_ring(&b, true, 3)[0].stamp_ns - egress[0];
	good = 0;
	for (i = 0; i < N; i++)
		good += demo_ring(&b, true, 3)[i].stamp_ns - egress[i] == offset;
	tap_is(good, N, "every receive stamp is its egress plus one constant");
}

static void queues(void)
{
	u64 launch, now = demo_time(&a);
	char line[512];
	u64 at[3];
	u32 i;

	/* A launch time holds up its own queue, not the others. */
	launch = now + 300000000;
	demo_post(&a, 0, 2, 200, 1, DEMO_F_LAUNCH | DEMO_F_TS, launch);
	demo_post(&a, 0, 3, 200, 2, DEMO_F_TS, 0);
	demo_post(&a, 1, 6, 200, 3, DEMO_F_TS, 0);
	demo_tail(&a, false, 0, 4);
	demo_tail(&a, false, 1, 7);
	tap_ok(demo_wait(&a, false, 1, 6, 10000) &&
	       !(demo_ring(&a, false, 0)[2].flags & DEMO_F_DONE),
	       "a frame with a launch time waits, another queue's doesn't");
	tap_ok(demo_wait(&a, false, 0, 3, 10000), "it leaves in the end");
	for (i = 0; i < 3; i++) {
		truth_line(&sim, lines + i, line, sizeof(line));
		at[i] = truth_num(line, "egress_ns");
		if (i == 1)
			tap_is((long long)truth_num(line, "launch_ns"),
			       (long long)launch, "truth has the launch time");
	}
	lines += 3;
	tap_is((long long)at[1], (long long)launch, "exactly at its launch time");
	tap_is((long long)(at[2] - at[1]), LINE_NS(200),
	       "and the next of its queue right behind it");
	tap_ok(at[0] < at[1], "truth is in the order of completion");

	/* A launch time in the past is now. */
	demo_post(&a, 0, 4, 200, 1, DEMO_F_LAUNCH | DEMO_F_TS, 1);
	now = demo_time(&a);
	demo_tail(&a, false, 0, 5);
	tap_ok(demo_wait(&a, false, 0, 4, 10000), "a launch time in the past");
	truth_line(&sim, lines++, line, sizeof(line));
	tap_ok(truth_num(line, "egress_ns") >= now, "is sent at once, not then");
}

static void clocks(void)
{
	u64 t0, t1;

	sim_ctl(&sim, NULL, 0, "clock a set 5000000000000000000");
	t0 = demo_time(&a);
	tap_ok(t0 >= 5000000000000000000ULL && t0 < 5000000100000000000ULL,
	       "the clock is set");
	sim_ctl(&sim, NULL, 0, "clock a adjust -4000000000000000000");
	t1 = demo_time(&a);
	tap_ok(t1 > 1000000000000000000ULL && t1 < 1000000200000000000ULL,
	       "and adjusted");
	/* Under way while the clock jumps: the stamp is that of its moment. */
	demo_post(&a, 0, 5, 64, 1, DEMO_F_TS, 0);
	demo_tail(&a, false, 0, 6);
	demo_wait(&a, false, 0, 5, 10000);
	sim_ctl(&sim, NULL, 0, "clock a set 0");
	tap_ok(demo_ring(&a, false, 0)[5].stamp_ns > t1, "stamps follow it");
	lines++;
}

static void faults(void)
{
	char line[512], out[512];
	u32 i;

	sim_ctl(&sim, NULL, 0, "link b down");
	tap_is(rd32(&a, DEMO_LINK), 0, "a link that is down at one end is down");
	demo_post(&a, 0, 6, 64, 1, DEMO_F_TS, 0);
	demo_tail(&a, false, 0, 7);
	tap_ok(demo_wait(&a, false, 0, 6, 10000), "a frame without link completes");
	truth_line(&sim, lines++, line, sizeof(line));
	tap_ok(strstr(line, "\"fault\": \"link-down\"") &&
	       truth_num(line, "egress_ns") == TRUTH_NULL &&
	       truth_num(line, "stamp_ns") == TRUTH_NULL,
	       "and is known to have gone nowhere");
	sim_ctl(&sim, NULL, 0, "link b up");
	tap_is(rd32(&a, DEMO_LINK), 1, "link up");
	sim_ctl(&sim, NULL, 0, "link a flap 50");
	tap_is(rd32(&a, DEMO_LINK), 0, "flap: down");
	for (i = 0; i < 500 && !rd32(&a, DEMO_LINK); i++)
		poll(NULL, 0, 10);
	tap_is(rd32(&a, DEMO_LINK), 1, "flap: up again by itself");

	tap_is(sim_ctl(&sim, out, sizeof(out), "wire a loss=1000000 delay=7"), 0,
	       "loss is set");
	demo_post(&a, 0, 7, 64, 1, DEMO_F_TS, 0);
	demo_tail(&a, false, 0, 8);
	demo_wait(&a, false, 0, 7, 10000);
	truth_line(&sim, lines++, line, sizeof(line));
	tap_ok(strstr(line, "\"fault\": \"wire-loss\"") &&
	       truth_num(line, "egress_ns") != TRUTH_NULL,
	       "a frame lost on the wire has left");
	sim_ctl(&sim, NULL, 0, "wire a loss=0");
}

static void pcap(void)
{
	static u8 buf[1 << 20];
	FILE *f = fopen(sim.pcap, "re");
	size_t n, off = 0;
	u32 frames = 0, ports = 0;

	sim_ctl(&sim, NULL, 0, "sync");
	if (!f)
		tap_bail("%s: %m", sim.pcap);
	n = fread(buf, 1, sizeof(buf), f);
	fclose(f);
	while (off + 12 <= n) {
		u32 type = get_le32(buf + off), len = get_le32(buf + off + 4);

		if (len < 12 || len % 4 || off + len > n ||
		    get_le32(buf + off + len - 4) != len)
			break;
		ports += type == 1;
		frames += type == 6;
		off += len;
	}
	tap_is((long long)off, (long long)n, "pcap: every block is whole");
	tap_is(ports, 2, "pcap: two interfaces");
	tap_is(frames, lines - 1, "pcap: every frame that left");
}

int main(void)
{
	static const char *const args[] = { "--nic", "demo,ports=2",
		"--wire", "a-b,delay=50000", NULL };

	sim_start(&sim, args);
	open_both();
	bytes();
	crc();
	rate();
	queues();
	clocks();
	faults();
	pcap();
	client_close(&a);
	client_close(&b);
	sim_stop(&sim);
	return tap_done();
}
