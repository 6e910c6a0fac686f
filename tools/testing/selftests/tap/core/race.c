// SPDX-License-Identifier: GPL-2.0
/*
 * A sender that changes everything it shares with the kernel while the kernel
 * works on it. What to find is in the kernel's log (KASAN, UBSAN); here each
 * address must come back exactly once and nothing but the frames' own areas
 * may change.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

#define CHUNKS	64	/* every other one holds a frame, the rest a canary */
#define FRAMES	(CHUNKS / 2)
#define CANARY	0x5c

static struct core core;

static void restore(void)
{
	net_tx_csum(core.ifname, true);
}

struct flipper {
	const struct uxsk *x;
	bool stop;
	bool ring;		/* descriptors as well */
	unsigned long flips;
};

/* Every byte of every request in turn, with values that make and break it. */
static void *flip(void *arg)
{
	static const __u8 values[] = { 0, 1, 2, 3, 4, 6, 7, 8, 16, 34, 0x7f, 0x80, 0xff };
	struct flipper *f = arg;
	__u32 r = 12345;

	while (!__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
		volatile __u8 *m;
		__u32 i;

		for (i = 0; i < FRAMES; i++) {
			m = (volatile __u8 *)uxsk_meta(f->x, uxsk_addr(f->x, 2 * i));
			r = r * 1664525 + 1013904223;
			m[(r >> 8) % 24] = values[(r >> 16) % ARRAY_SIZE(values)];
			/* often enough a good request */
			if (r >> 30 == 0) {
				m[0] = r >> 24 & 3;
				memset((void *)(m + 1), 0, 7);
				m[8] = 34;
				m[9] = 0;
			}
			if (r >> 30 == 1)
				m[10] = r >> 20 & 1 ? 6 : 0;
			if (r >> 30 == 2)
				m[11] = r >> 20 & 1 ? 0xff : 0;
		}
		__atomic_fetch_add(&f->flips, FRAMES, __ATOMIC_RELAXED);
		if (f->ring) {
			volatile struct xdp_desc *d;

			r = r * 1664525 + 1013904223;
			d = xsk_ring_prod__tx_desc((struct xsk_ring_prod *)&f->x->tx, r >> 16);
			switch (r >> 29) {
			case 0:
				d->addr = r;
				break;
			case 1:
				d->len = -(r & 0xff);
				break;
			case 2:
				d->options = r >> 8;
				break;
			case 3:
				d->addr = (r >> 8 & 0x1ffff) - 64;
				break;
			case 4:
				d->len = r >> 12 & 0xfff;
				break;
			}
		}
	}
	return NULL;
}

/* Returns when the thread is at work. */
static void start(pthread_t *t, struct flipper *f)
{
	if (pthread_create(t, NULL, flip, f))
		tap_bail("pthread_create");
	while (!__atomic_load_n(&f->flips, __ATOMIC_RELAXED))
		sched_yield();
}

static bool canaries(const struct uxsk *x)
{
	__u32 i, j;

	for (i = 0; i < FRAMES; i++) {
		const __u8 *c = x->area + (2 * i + 1) * x->chunk_size;

		for (j = 0; j < x->chunk_size; j++) {
			if (c[j] != CANARY) {
				tap_diag("chunk %u, byte %u is %02x", 2 * i + 1, j, c[j]);
				return false;
			}
		}
	}
	return true;
}

static void requests(const char *name, bool device, __u32 flags, __u32 v6, unsigned long total)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	unsigned long sent = 0, back = 0, wrong = 0;
	__u64 end = uxsk_now_ns() + 60000000000ULL, addrs[FRAMES];
	bool busy[CHUNKS] = {};
	struct pkt good = { .payload = 40, .v6 = v6 };
	struct flipper f = {};
	struct uxsk x;
	unsigned int n, i;
	pthread_t t;
	int ret;

	net_tx_csum(core.ifname, device);
	cfg.chunks = CHUNKS;
	cfg.umem_flags |= flags;
	core_open(&x, &cfg);
	memset(x.area, CANARY, x.size);
	for (i = 0; i < FRAMES; i++) {
		good.seq = i;
		core_frame(&x, 2 * i, &good);
	}
	f.x = &x;
	start(&t, &f);
	while (back < total && uxsk_now_ns() < end) {
		for (i = 0; i < FRAMES && sent < total; i++) {
			if (busy[2 * i])
				continue;
			/* The stamp of its last round lies where the place of the sum was. */
			core_request(&x, uxsk_addr(&x, 2 * i), META_CSUM | META_TS, &good);
			core_put(&x, uxsk_addr(&x, 2 * i), 82 + v6 * 20, META_TX);
			busy[2 * i] = true;
			sent++;
		}
		ret = uxsk_kick(&x);
		if (ret && ret != -EAGAIN && ret != -EBUSY)
			tap_bail("send: %s", strerror(-ret));
		n = uxsk_reap(&x, addrs, FRAMES);
		for (i = 0; i < n; i++) {
			__u64 chunk = addrs[i] / x.chunk_size;

			wrong += chunk >= CHUNKS || !busy[chunk] ||
				 addrs[i] != uxsk_addr(&x, chunk);
			if (chunk < CHUNKS)
				busy[chunk] = false;
		}
		back += n;
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	tap_diag("%s: %lu frames, %lu flips, %llu refused", name, back, f.flips, core_invalid(&x));
	tap_is(back, total, "%s: %lu frames while the requests change: all complete", name, total);
	tap_is(wrong, 0, "%s: each address once", name);
	tap_ok(core_invalid(&x) > 0 && core_invalid(&x) < total,
	       "%s: some requests were good, some were not", name);
	tap_ok(f.flips > total, "%s: each request was changed", name);
	tap_ok(canaries(&x), "%s: nothing else in the UMEM changed", name);
	uxsk_close(&x);
}

/* The descriptors change as well: each ends as a completion or as invalid. */
static void descriptors(const char *name, __u32 flags, unsigned long rounds)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct flipper f = { .ring = true };
	struct pkt p = { .payload = 40, .seq = 1 };
	unsigned long r, stuck = 0;
	struct uxsk x;
	unsigned int i;
	pthread_t t;

	cfg.chunks = CHUNKS;
	cfg.umem_flags |= flags;
	core_open(&x, &cfg);
	memset(x.area, 0, x.size);
	f.x = &x;
	start(&t, &f);
	for (r = 0; r < rounds; r++) {
		__u64 end = uxsk_now_ns() + TIMEOUT_MS * 1000000ULL;

		for (i = 0; i < FRAMES; i++)
			core_put(&x, uxsk_addr(&x, 2 * i), p.len ?: 82, META_TX);
		while (xsk_prod_nb_free(&x.tx, x.tx.size) < x.tx.size && uxsk_now_ns() < end) {
			uxsk_kick(&x);
			uxsk_reap(&x, NULL, 64);
		}
		stuck += xsk_prod_nb_free(&x.tx, x.tx.size) < x.tx.size;
		if (stuck)
			break;
	}
	__atomic_store_n(&f.stop, true, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	tap_is(stuck, 0, "%s: %lu rings of descriptors that change: none gets stuck", name, rounds);
	/* The socket is still good for something. */
	pkt_build(&p, uxsk_data(&x, uxsk_addr(&x, 2)));
	memset(uxsk_meta(&x, uxsk_addr(&x, 2)), 0, 24);
	uxsk_drain(&x, NULL, 64, 10, NULL);
	core_put(&x, uxsk_addr(&x, 2), p.len, META_TX);
	tap_is(uxsk_drain(&x, NULL, 1, TIMEOUT_MS, NULL), 1, "%s: a good frame goes out after it",
	       name);
	uxsk_close(&x);
}

/* Frames whose headers lie about themselves, with requests that fit them or don't. */
static void headers(unsigned long total)
{
	static const __u16 types[] = { 0x0800, 0x86dd, 0x8100, 0x88a8, 0x0806, 0x88cc };
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	unsigned long i, back = 0;
	struct uxsk x;

	net_tx_csum(core.ifname, core_random() & 1);
	core_open(&x, &cfg);
	for (i = 0; i < total; i++) {
		__u32 chunk = i % 64, j, len;
		struct pkt p = {
			.v6 = core_random() & 1, .tcp = core_random() & 1,
			.vlan = core_random() & 1 ? 7 : 0, .payload = 8 + core_random() % 64,
			.seq = i,
		};
		__u64 addr = core_frame(&x, chunk, &p);
		__u8 *b = uxsk_data(&x, addr);

		for (j = core_random() % 6; j; j--)
			b[12 + core_random() % (p.len - 12)] = core_random();
		if (core_random() % 4 == 0) {
			__u16 type = types[core_random() % ARRAY_SIZE(types)];
			__u32 at = core_random() & 1 ? 12 : 16;

			b[at] = type >> 8;
			b[at + 1] = type;
		}
		len = core_random() % 3 ? p.len : 14 + core_random() % (p.len - 13);
		core_request(&x, addr, META_CSUM, &p);
		if (core_random() & 1) {
			uxsk_meta(&x, addr)->request.csum_start = core_random() % 100;
			uxsk_meta(&x, addr)->request.csum_offset = core_random() % 30;
		}
		core_put(&x, addr, len, META_TX);
		if (chunk == 31 || chunk == 63)
			back += uxsk_drain(&x, NULL, 32, TIMEOUT_MS, NULL);
	}
	back += uxsk_drain(&x, NULL, total - back, TIMEOUT_MS, NULL);
	tap_is(back, total, "%lu frames with broken headers: all complete", total);
	uxsk_close(&x);
}

int main(void)
{
	unsigned long n = tap_rounds(5000);

	core_init(&core);
	atexit(restore);
	requests("device offload off", false, 0, 0, n);
	requests("device offload on, IPv6", true, 0, 1, n);
	requests("software checksum", true, XDP_UMEM_TX_SW_CSUM, 0, n);
	descriptors("aligned", 0, tap_rounds(60));
	descriptors("unaligned", XDP_UMEM_UNALIGNED_CHUNK_FLAG, tap_rounds(60));
	headers(tap_rounds(1000));
	headers(tap_rounds(1000));
	return tap_done();
}
