// SPDX-License-Identifier: GPL-2.0
/*
 * xsk-txload: a fixed number of zero-copy frames between two markers that the
 * instruction counter (tools/testing/bench/icount.c) knows. Each run of frames is
 * one section; the first section is empty: it spins for a while, which shows what
 * the kernel does anyway. Frames in batches are cheap to send: eight times as many,
 * so that what happens now and then weighs as little.
 *
 * stdout: a line "section N len L batch B frames F" for each, in order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic.h"

#define RING 512
#define WARMUP 128
#define SPIN 5000
#define EMPTY_NS 500000000ULL
#define PATIENCE_NS 60000000000ULL

/* Long no-ops that no compiler emits; the counter looks for their bytes. */
#define MARK_START() __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0x01,0x74,0x78,0x6d" ::: "memory")
#define MARK_STOP() __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0x02,0x74,0x78,0x6d" ::: "memory")

static void fail(const char *ifname, const char *what, int err)
{
	fprintf(stderr, "xsk-txload: %s: %s: %s\n", ifname, what, strerror(-err));
	exit(1);
}

/* A number of instructions; "pause" would cost an emulator far more than one. */
static void spin(unsigned int loops)
{
	while (loops--)
		__asm__ volatile("");
}

/* Sends @batch frames and waits until they are back. */
static void send_batch(struct uxsk *x, unsigned int batch, unsigned int len,
		       const char *ifname)
{
	unsigned long long end = uxsk_now_ns() + PATIENCE_NS;
	unsigned int i, done = 0;
	__u64 addrs[RING];

	for (i = 0; i < batch; i++)
		if (uxsk_put(x, uxsk_addr(x, i), len, 0))
			fail(ifname, "TX ring is full", -ENOSPC);
	uxsk_kick(x);
	while (done < batch) {
		spin(SPIN);
		done += uxsk_reap(x, addrs, batch - done);
		if (done < batch && uxsk_now_ns() > end)
			fail(ifname, "a frame does not complete", -ETIMEDOUT);
	}
}

static void run(struct uxsk *x, const char *ifname, unsigned int section, unsigned int len,
		unsigned int batch, unsigned int frames)
{
	unsigned int i;

	for (i = 0; i < RING; i++) {
		unsigned char *p = uxsk_data(x, uxsk_addr(x, i));

		/* To nobody: the other port, in the same guest, shall not take them. */
		memset(p, 0x06, 6);
		memset(p + 6, 0x02, 6);
		/* An EtherType for local experiments. */
		memcpy(p + 12, "\x88\xb5", 2);
		memset(p + 14, (int)i, len - 14);
	}
	for (i = 0; i < WARMUP; i += batch)
		send_batch(x, batch, len, ifname);
	MARK_START();
	for (i = 0; i < frames; i += batch)
		send_batch(x, batch, len, ifname);
	MARK_STOP();
	printf("section %u len %u batch %u frames %u\n", section, len, batch, i);
}

static void empty(void)
{
	unsigned long long end = uxsk_now_ns() + EMPTY_NS;

	MARK_START();
	while (uxsk_now_ns() < end)
		spin(SPIN);
	MARK_STOP();
	puts("section 0 len 0 batch 0 frames 0");
}

int main(int argc, char **argv)
{
	static const unsigned int lens[] = { 64, 200, 1400 };
	static const unsigned int batches[] = { 1, 64 };
	unsigned int l, b, section = 0, frames;
	struct uxsk_cfg cfg;
	struct uxsk x;
	int xdp, err;

	if (argc != 3 || atoi(argv[2]) < 64) {
		fprintf(stderr, "Usage: xsk-txload IFNAME FRAMES    FRAMES >= 64\n");
		return 2;
	}
	frames = (unsigned int)atoi(argv[2]);
	/* Drivers want an XDP program for their zero-copy queues. */
	xdp = nic_xdp_pass(argv[1]);
	cfg = uxsk_cfg_tx(argv[1], 0);
	cfg.chunks = cfg.comp = cfg.tx = RING;
	cfg.bind_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP;
	err = uxsk_open(&x, &cfg);
	if (err)
		fail(argv[1], x.step, err);
	empty();
	for (l = 0; l < 3; l++)
		for (b = 0; b < 2; b++)
			run(&x, argv[1], ++section, lens[l], batches[b],
			    batches[b] == 1 ? frames : 8 * frames);
	uxsk_close(&x);
	close(xdp);
	return 0;
}
