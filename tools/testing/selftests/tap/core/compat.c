// SPDX-License-Identifier: GPL-2.0
/*
 * Sockets without a metadata area, as all programs had so far: nothing of the
 * UMEM is read or written for them but the frame itself.
 */
#include <stdlib.h>
#include <string.h>

#include "core.h"

static struct core core;
static struct sniff sniff;

static void frames(struct uxsk *x, const char *name)
{
	static __u64 seq;
	unsigned int i, bad = 0, n;
	struct sniff_frame f;
	struct pkt p[32];
	__u64 addrs[32];
	__u8 *copy;

	/* Before each frame lies what would be a request for everything. */
	memset(x->area, 0xff, x->size);
	for (i = 0; i < 32; i++) {
		__u64 addr = (__u64)(i + 1) * x->chunk_size + (i & 7) * 8;
		struct xsk_tx_metadata *m = (void *)(x->area + addr - 24);

		p[i] = (struct pkt){ .payload = 20 + 3 * i, .seq = ++seq, .v6 = i & 1 };
		pkt_build(&p[i], x->area + addr);
		m->flags = META_TS | META_CSUM | META_LAUNCH;
		m->request.csum_start = p[i].csum_start;
		m->request.csum_offset = p[i].csum_offset;
		core_put(x, addr, p[i].len, 0);
	}
	copy = malloc(x->size);
	if (!copy)
		tap_bail("malloc");
	memcpy(copy, x->area, x->size);
	n = uxsk_drain(x, addrs, 32, TIMEOUT_MS, NULL);
	tap_is(n, 32, "%s: all complete", name);
	for (i = 0; i < 32; i++) {
		__u64 addr = (__u64)(i + 1) * x->chunk_size + (i & 7) * 8;

		bad += !core_arrives_as(&sniff, &f, p[i].seq, copy + addr, p[i].len) ||
		       f.csum_missing;
		bad += i < n && addrs[i] != addr;
	}
	tap_is(bad, 0, "%s: each frame arrives byte for byte, in order", name);
	tap_ok(!memcmp(copy, x->area, x->size), "%s: nothing in the UMEM changed", name);
	tap_is(core_invalid(x), 0, "%s: none is invalid", name);
	free(copy);
}

static void all(const char *name, __u32 flags, __u32 meta_len, __u32 optlen, __u32 chunk)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 0);
	struct uxsk x;
	int csum;

	cfg.umem_flags = flags;
	cfg.tx_metadata_len = meta_len;
	cfg.optlen = optlen;
	cfg.chunk_size = chunk;
	for (csum = 0; csum < 2; csum++) {
		net_tx_csum(core.ifname, csum);
		core_open(&x, &cfg);
		frames(&x, name);
		uxsk_close(&x);
	}
}

/* Address 0 and frames that fill a chunk are theirs. */
static void edges(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 0);
	struct pkt p = { .payload = 1400, .seq = 1 << 20 };
	__u64 got[8], addr;
	struct sniff_frame f;
	struct uxsk x;
	__u32 i;

	core_open(&x, &cfg);
	pkt_build(&p, x.area);
	core_put(&x, 0, p.len, 0);
	addr = x.size - p.len;
	p.seq++;
	pkt_build(&p, x.area + addr);
	core_put(&x, addr, p.len, 0);
	core_put(&x, x.chunk_size, x.chunk_size, 0);
	tap_is(uxsk_drain(&x, got, 3, TIMEOUT_MS, NULL), 3,
	       "no area: first byte, last byte and a full chunk are valid");
	tap_ok(core_arrives(&sniff, &f, (1 << 20)) && core_arrives(&sniff, &f, (1 << 20) + 1),
	       "no area: and arrive");
	for (i = 2; i < 32; i++)
		core_put(&x, 2048, 60, 1U << i);
	core_put(&x, 2048, 60, 1);
	core_put(&x, 0, p.len, 0);
	tap_ok(uxsk_drain(&x, got, 1, TIMEOUT_MS, NULL) == 1 && got[0] == 0 &&
	       core_invalid(&x) == 31, "no area: every option bit is refused as before");
	uxsk_close(&x);
}

static void restore(void)
{
	net_tx_csum(core.ifname, true);
}

int main(void)
{
	core_init(&core);
	core_stay_on_cpu(0);
	atexit(restore);
	sniff_open(&sniff, core.peer_netns, core.peer);
	all("no area", 0, 0, 0, 2048);
	all("no area, chunks of 4096", 0, 0, 0, 4096);
	all("first layout of the registration", 0, 0, 24, 2048);
	all("unaligned chunks", XDP_UMEM_UNALIGNED_CHUNK_FLAG, 0, 0, 3000);
	all("length without its flag", 0, 24, 0, 2048);
	edges();
	return tap_done();
}
