// SPDX-License-Identifier: GPL-2.0
/*
 * Which descriptors are valid. Each one is followed by a good frame: an invalid
 * one is counted, not sent and not completed, a valid one is completed, and in
 * both cases the good frame arrives.
 */
#include <errno.h>
#include <string.h>

#include "core.h"

#define CHUNK	2048ULL
#define CHUNKS	16ULL
#define SIZE	(CHUNK * CHUNKS)
#define GOOD	15		/* chunk of the good frame */
#define OFF(base, off)	((base) | (__u64)(off) << XSK_UNALIGNED_BUF_OFFSET_SHIFT)

struct desc_case {
	const char *name;
	__u64 addr;
	__u32 len;
	__u32 options;
	bool valid;
};

static const struct desc_case aligned[] = {
	{ "first address with room before it", 24, 60, META_TX, true },
	{ "the same without the option", 24, 60, 0, true },
	{ "one byte less", 23, 60, META_TX },
	{ "address 0", 0, 60, META_TX },
	{ "address 8", 8, 60, META_TX },
	{ "address 16", 16, 60, META_TX },
	{ "start of chunk 1: the area would lie in chunk 0", CHUNK, 60, META_TX },
	{ "8 bytes into chunk 1", CHUNK + 8, 60, META_TX },
	{ "23 bytes into chunk 1", CHUNK + 23, 60, META_TX },
	{ "24 bytes into chunk 1", CHUNK + 24, 60, META_TX, true },
	{ "an odd address", 3 * CHUNK + 101, 61, META_TX, true },
	{ "the largest frame", CHUNK + 24, CHUNK - 24, META_TX, true },
	{ "one byte more", CHUNK + 24, CHUNK - 23, META_TX },
	{ "last byte of a chunk", 2 * CHUNK - 60, 60, META_TX, true },
	{ "one byte across", 2 * CHUNK - 59, 60, META_TX },
	{ "length 0", CHUNK + 24, 0, META_TX },
	{ "length 2^32 - 1", CHUNK + 24, 0xffffffff, META_TX },
	{ "length 2^32 - 16", CHUNK + 24, 0xfffffff0, META_TX },
	{ "length 2^32 - 24: the area makes it 0", CHUNK + 24, 0xffffffe8, META_TX },
	{ "length 2^32 - 23", CHUNK + 24, 0xffffffe9, META_TX },
	{ "length 2^32 + 36 - 24", CHUNK + 24, 0xfffffff4, META_TX },
	{ "length 2^32 - 1 at address 0", 0, 0xffffffff, META_TX },
	{ "length 2^31", CHUNK + 24, 0x80000000, META_TX },
	{ "end of the UMEM", SIZE, 60, META_TX },
	{ "24 bytes past the end", SIZE + 24, 60, META_TX },
	{ "far past the end", 1ULL << 40, 60, META_TX },
	{ "address 2^48 + 24", OFF(24, 1), 60, META_TX },
	{ "address -1", -1ULL, 60, META_TX },
	{ "address -24", -24ULL, 60, META_TX },
	{ "address -24, length that wraps to 60", -24ULL, 84, META_TX },
	{ "option bit 0, packet continues", CHUNK + 24, 60, 1 },
	{ "option bits 0 and 1", CHUNK + 24, 60, 1 | META_TX },
	{ "option bit 2", CHUNK + 24, 60, 4 },
	{ "option bits 1 and 2", CHUNK + 24, 60, 4 | META_TX },
	{ "option bit 31", CHUNK + 24, 60, 1U << 31 | META_TX },
	{ "all option bits", CHUNK + 24, 60, 0xffffffff },
};

static const struct desc_case unaligned[] = {
	{ "first address with room before it", 24, 60, META_TX, true },
	{ "first address, as an offset", OFF(0, 24), 60, META_TX, true },
	{ "first address, half of it as an offset", OFF(12, 12), 60, META_TX, true },
	{ "one byte less", 23, 60, META_TX },
	{ "one byte less, as an offset", OFF(0, 23), 60, META_TX },
	{ "one byte less, partly as an offset", OFF(8, 15), 60, META_TX },
	{ "address 0", 0, 60, META_TX },
	{ "offset 8", OFF(0, 8), 60, META_TX },
	{ "across two chunks", CHUNK - 30, 60, META_TX, true },
	{ "area and frame on two pages", 4096 + 8, 60, META_TX, true },
	{ "frame across two pages", 4096 - 30, 60, META_TX, true },
	{ "offset into another page", OFF(4000, 400), 60, META_TX, true },
	{ "the largest frame", 100, CHUNK - 24, META_TX, true },
	{ "one byte more: frame and area exceed a chunk", 100, CHUNK - 23, META_TX },
	{ "larger than a chunk", 100, CHUNK + 1, META_TX },
	{ "length 0", 100, 0, META_TX },
	{ "length 2^32 - 1", 100, 0xffffffff, META_TX },
	{ "length 2^32 - 24: the area makes it 0", 100, 0xffffffe8, META_TX },
	{ "length 2^32 - 16, offset 65535", OFF(100, 65535), 0xfffffff0, META_TX },
	{ "last bytes", SIZE - 60, 60, META_TX, true },
	{ "one byte past the end", SIZE - 59, 60, META_TX },
	{ "offset past the end", OFF(SIZE - 100, 60), 60, META_TX },
	{ "offset far past the end", OFF(SIZE - 1, 65535), 60, META_TX },
	{ "base at the end", SIZE, 60, META_TX },
	{ "base with all 48 bits", OFF((1ULL << 48) - 1, 0), 60, META_TX },
	{ "base with all 48 bits, offset 25", OFF((1ULL << 48) - 1, 25), 60, META_TX },
	{ "address -1", -1ULL, 60, META_TX },
	{ "option bit 0", 100, 60, 1 },
	{ "option bit 2", 100, 60, 4 | META_TX },
};

static struct core core;

static __u64 place(bool is_unaligned, __u64 addr)
{
	return is_unaligned ? xsk_umem__add_offset_to_addr(addr) : addr;
}

static void one(struct uxsk *x, struct sniff *s, const struct desc_case *c,
		const char *mode, bool is_unaligned)
{
	static __u64 seq;
	struct pkt good = { .payload = 40, .seq = ++seq };
	struct sniff_frame f;
	__u64 before = core_invalid(x), addrs[8], at = place(is_unaligned, c->addr), addr;
	unsigned int n, want = c->valid ? 2 : 1;
	bool ok;
	int err;

	/* Something recognisable where the descriptor points. */
	memset(x->area, 0, x->size);
	if (at < x->size && x->size - at >= 128) {
		struct pkt p = { .payload = 18, .seq = 1000000 + seq };

		pkt_build(&p, x->area + at);
	}
	addr = core_frame(x, GOOD, &good);
	core_put(x, c->addr, c->len, c->options);
	core_put(x, addr, good.len, META_TX);
	n = uxsk_drain(x, addrs, want, TIMEOUT_MS, &err);
	ok = n == want && !err && addrs[n - 1] == addr && (!c->valid || addrs[0] == c->addr);
	if (!ok)
		tap_diag("%u completions, want %u, first 0x%llx, error %d", n, want,
			 n ? addrs[0] : 0, err);

	/* Frames that the device drops for their size are not waited for. */
	do {
		if (!sniff_next(s, &f, TIMEOUT_MS)) {
			tap_diag("the good frame did not arrive");
			ok = false;
			break;
		}
		if (!c->valid && pkt_seq(f.data, f.len) != seq) {
			tap_diag("a frame of the invalid descriptor went out");
			ok = false;
		}
	} while (pkt_seq(f.data, f.len) != seq);

	if (core_invalid(x) - before != !c->valid) {
		tap_diag("tx_invalid_descs rose by %llu", core_invalid(x) - before);
		ok = false;
	}
	if (uxsk_drain(x, addrs, 1, 2, NULL)) {
		tap_diag("0x%llx completed once too often", addrs[0]);
		ok = false;
	}
	tap_ok(ok, "%s: %s: %s", mode, c->name, c->valid ? "sent" : "refused");
}

static void all(struct sniff *s, const struct desc_case *c, size_t n, bool is_unaligned)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct uxsk x;
	size_t i;

	cfg.chunk_size = CHUNK;
	cfg.chunks = CHUNKS;
	if (is_unaligned)
		cfg.umem_flags |= XDP_UMEM_UNALIGNED_CHUNK_FLAG;
	core_open(&x, &cfg);
	for (i = 0; i < n; i++)
		one(&x, s, &c[i], is_unaligned ? "unaligned" : "aligned", is_unaligned);
	uxsk_close(&x);
}

/* A ring full of invalid descriptors does not hide the valid one at its end. */
static void many(struct sniff *s)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct pkt p = { .payload = 40, .seq = 77 };
	struct sniff_frame f;
	__u64 addr, got[2];
	struct uxsk x;
	int i, err;

	cfg.tx = 256;
	core_open(&x, &cfg);
	addr = core_frame(&x, 1, &p);
	for (i = 0; i < 255; i++)
		core_put(&x, i % 24, 60, META_TX);
	core_put(&x, addr, p.len, META_TX);
	tap_ok(uxsk_drain(&x, got, 1, TIMEOUT_MS, &err) == 1 && !err && got[0] == addr,
	       "the valid one behind 255 invalid ones completes");
	tap_ok(core_arrives(s, &f, 77), "and arrives");
	tap_is(core_invalid(&x), 255, "each invalid one is counted once");
	uxsk_close(&x);
}

/* The kernel looks at no more entries than the ring has, whatever the producer says. */
static void runaway(struct sniff *s)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct pkt p = { .payload = 60, .seq = 1 };
	struct sniff_frame f;
	__u32 i, producer;
	__u64 addr, before;
	struct uxsk x;

	core_open(&x, &cfg);
	for (i = 0; i < cfg.tx; i++)
		core_put(&x, 1ULL << 40, 60, 0);
	producer = *x.tx.producer;
	before = core_invalid(&x);
	*x.tx.producer = producer + (1 << 20);
	uxsk_kick(&x);
	tap_is(core_invalid(&x) - before, cfg.tx, "a producer far ahead: the ring is walked once");
	/* All that is in the ring has been looked at, shown by the next look. */
	x.tx.cached_prod = producer;
	x.tx.cached_cons = producer + cfg.tx;
	*x.tx.producer = producer;
	addr = core_frame(&x, 0, &p);
	core_put(&x, addr, p.len, 0);
	tap_is(uxsk_drain(&x, NULL, 1, TIMEOUT_MS, NULL), 1, "and a frame behind it is sent");
	tap_ok(core_arrives(s, &f, 1), "and arrives");
	uxsk_close(&x);
}

int main(void)
{
	struct sniff s;

	core_init(&core);
	sniff_open(&s, core.peer_netns, core.peer);
	all(&s, aligned, ARRAY_SIZE(aligned), false);
	all(&s, unaligned, ARRAY_SIZE(unaligned), true);
	many(&s);
	runaway(&s);
	return tap_done();
}
