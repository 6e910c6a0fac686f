// SPDX-License-Identifier: GPL-2.0
/*
 * xsk-txload: a fixed number of zero-copy frames between two markers that the
 * instruction counter (tools/testing/bench/icount.c) knows. Each run of frames is
 * one section; the first section is empty: it spins for a while, which shows what
 * the kernel does anyway. Frames in batches are cheap to send: eight times as many,
 * so that what happens now and then weighs as little.
 *
 * Sections without a metadata area come first, on every kernel; then, where the
 * kernel knows metadata, those of a socket with an area.
 *
 * stdout: a line "section N len L batch B meta M frames F" for each, in order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/net_tstamp.h>

#include "nic.h"
#include "pkt.h"

#define RING 512
#define WARMUP 128
#define SPIN 5000
#define EMPTY_NS 500000000ULL
#define PATIENCE_NS 60000000000ULL
#define HEADERS 42	/* Ethernet, IPv4, UDP */

/* Long no-ops that no compiler emits; the counter looks for their bytes. */
#define MARK_START() __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0x01,0x74,0x78,0x6d" ::: "memory")
#define MARK_STOP() __asm__ volatile(".byte 0x0f,0x1f,0x84,0x00,0x02,0x74,0x78,0x6d" ::: "memory")

/* One section */
struct load {
	const char *meta;	/* name for the report */
	unsigned int len, batch, frames;
	uint64_t flags;		/* of the request */
	unsigned int every;	/* frames from one request to the next, 0: none asks */
};

static const char *ifname;

static void fail(const char *what, int err)
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

/* Sends a batch from chunk @first on, and waits until all are back. */
static void send_batch(struct uxsk *x, const struct load *l, unsigned int first)
{
	unsigned long long end = uxsk_now_ns() + PATIENCE_NS;
	unsigned int i, n, done = 0;
	__u64 addrs[RING];

	for (i = 0; i < l->batch; i++) {
		n = (first + i) % RING;
		if (uxsk_put(x, uxsk_addr(x, n), l->len,
			     l->every && n % l->every == 0 ? XDP_TX_METADATA : 0))
			fail("TX ring is full", -ENOSPC);
	}
	uxsk_kick(x);
	while (done < l->batch) {
		spin(SPIN);
		done += uxsk_reap(x, addrs, l->batch - done);
		if (done < l->batch && uxsk_now_ns() > end)
			fail("a frame does not complete", -ETIMEDOUT);
	}
}

/*
 * UDP to nobody: the other port, in the same guest, shall not take it. A checksum
 * is asked for by its place; the request stays as it is, a stamp lies over other bytes.
 */
static void fill(struct uxsk *x, const struct load *l)
{
	static const __u8 nobody[6] = { 6, 6, 6, 6, 6, 6 };
	struct xsk_tx_metadata *meta;
	__u8 frame[PKT_MAX];
	unsigned int i;

	for (i = 0; i < RING; i++) {
		struct pkt p = { .payload = l->len - HEADERS, .seq = i, .dst_mac = nobody };

		pkt_build(&p, frame);
		if (!(l->flags & XDP_TXMD_FLAGS_CHECKSUM))
			pkt_fill_csum(&p, frame);
		memcpy(uxsk_data(x, uxsk_addr(x, i)), frame, p.len);
		if (!x->meta_len)
			continue;
		meta = uxsk_meta(x, uxsk_addr(x, i));
		memset(meta, 0, x->meta_len);
		meta->flags = l->flags;
		if (l->flags & XDP_TXMD_FLAGS_CHECKSUM) {
			meta->request.csum_start = p.csum_start;
			meta->request.csum_offset = p.csum_offset;
		}
	}
}

static void run(struct uxsk *x, const struct load *l)
{
	static unsigned int section;
	unsigned int i;

	fill(x, l);
	for (i = 0; i < WARMUP; i += l->batch)
		send_batch(x, l, i);
	MARK_START();
	for (i = 0; i < l->frames; i += l->batch)
		send_batch(x, l, i);
	MARK_STOP();
	printf("section %u len %u batch %u meta %s frames %u\n", ++section, l->len, l->batch,
	       l->meta, i);
}

static void empty(void)
{
	unsigned long long end = uxsk_now_ns() + EMPTY_NS;

	MARK_START();
	while (uxsk_now_ns() < end)
		spin(SPIN);
	MARK_STOP();
	puts("section 0 len 0 batch 0 meta none frames 0");
}

/* Each length and batch with one kind of request. */
static void runs(struct uxsk *x, struct load l, unsigned int frames)
{
	static const unsigned int lens[] = { 64, 200, 1400 };
	static const unsigned int batches[] = { 1, 64 };
	unsigned int i, b;

	for (i = 0; i < 3; i++)
		for (b = 0; b < 2; b++) {
			l.len = lens[i];
			l.batch = batches[b];
			l.frames = l.batch == 1 ? frames : 8 * frames;
			run(x, &l);
		}
}

static void open_socket(struct uxsk *x, unsigned int meta_len)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(ifname, meta_len);
	int err;

	cfg.chunks = RING;
	cfg.comp = RING;
	cfg.tx = RING;
	cfg.bind_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP;
	err = uxsk_open(x, &cfg);
	if (err)
		fail(x->step, err);
}

static bool kernel_knows_metadata(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(NULL, sizeof(struct xsk_tx_metadata));
	struct uxsk x;

	if (uxsk_open(&x, &cfg))
		return false;
	uxsk_close(&x);
	return true;
}

static void set_stamps(int tx_type)
{
	int sock = socket(AF_INET, SOCK_DGRAM, 0);

	nic_hwtstamp(sock, ifname, tx_type, HWTSTAMP_FILTER_NONE);
	close(sock);
}

int main(int argc, char **argv)
{
	static const struct load with_area[] = {
		{ .meta = "area" },
		{ .meta = "csum", .flags = XDP_TXMD_FLAGS_CHECKSUM, .every = 1 },
		{ .meta = "stamp64", .flags = XDP_TXMD_FLAGS_TIMESTAMP, .every = 64 },
		{ .meta = "stamp", .flags = XDP_TXMD_FLAGS_TIMESTAMP, .every = 1 },
	};
	unsigned int i, frames;
	struct uxsk x;
	int xdp;

	if (argc != 3 || atoi(argv[2]) < 64) {
		fprintf(stderr, "Usage: xsk-txload IFNAME FRAMES    FRAMES >= 64\n");
		return 2;
	}
	ifname = argv[1];
	frames = (unsigned int)atoi(argv[2]);
	/* Drivers want an XDP program for their zero-copy queues. */
	xdp = nic_xdp_pass(ifname);
	open_socket(&x, 0);
	empty();
	runs(&x, (struct load){ .meta = "none" }, frames);
	uxsk_close(&x);
	if (kernel_knows_metadata()) {
		open_socket(&x, sizeof(struct xsk_tx_metadata));
		for (i = 0; i < sizeof(with_area) / sizeof(with_area[0]); i++) {
			if (with_area[i].flags & XDP_TXMD_FLAGS_TIMESTAMP)
				set_stamps(HWTSTAMP_TX_ON);
			runs(&x, with_area[i], frames);
		}
		uxsk_close(&x);
		set_stamps(HWTSTAMP_TX_OFF);
	}
	close(xdp);
	return 0;
}
