// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of malformed requests in copy mode: not sent, completed exactly
 * once, counted in tx_invalid_descs, the area untouched, and neither the send
 * nor the frames behind are any the worse for it. Well-formed ones at the edge
 * of the rules are sent.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "core.h"

static struct core core;
static struct sniff sniff;
static __u64 seq;

struct req_case {
	const char *name;
	__u64 flags;
	__u16 csum_start, csum_offset;
	__u16 len;		/* of the frame, 0: 60 */
	__u8 meta_len;		/* 0: 24 */
	bool good;
};

static const struct req_case cases[] = {
	{ "unknown flag bit 3", 1 << 3, .good = false },
	{ "unknown flag bit 31", 1U << 31 },
	{ "unknown flag bit 32", 1ULL << 32 },
	{ "unknown flag bit 63", 1ULL << 63 },
	{ "a known and an unknown flag", META_TS | 1 << 5 },
	{ "all flags", ~0ULL },
	{ "checksum field one byte outside", META_CSUM, 34, 25 },
	{ "checksum field outside", META_CSUM, 34, 26 },
	{ "checksum field behind the end", META_CSUM, 58, 6 },
	{ "checksum start at the end", META_CSUM, 60, 0 },
	{ "checksum start one before the end", META_CSUM, 59, 0 },
	{ "checksum start far outside", META_CSUM, 2000, 6 },
	{ "start and offset 65535, which 16 bits would wrap", META_CSUM, 65535, 65535 },
	{ "start and offset that 16 bits would wrap to 0", META_CSUM, 32768, 32768 },
	{ "start 2 and offset 65534, which 16 bits would wrap", META_CSUM, 2, 65534 },
	{ "bad checksum field with a timestamp", META_CSUM | META_TS, 34, 300 },
	{ "launch time in an area of 16 bytes", META_LAUNCH, .meta_len = 16 },
	{ "launch time and timestamp in 16 bytes", META_LAUNCH | META_TS, .meta_len = 16 },
	{ "all three in 16 bytes", META_LAUNCH | META_TS | META_CSUM, 34, 6, .meta_len = 16 },
	{ "no flags", 0, .good = true },
	{ "no flags, wild checksum fields", 0, 65535, 65535, .good = true },
	{ "timestamp, wild checksum fields", META_TS, 65535, 65535, .good = true },
	{ "checksum field in the last two bytes", META_CSUM, 34, 24, .good = true },
	{ "checksum start in the last two bytes", META_CSUM, 58, 0, .good = true },
	{ "timestamp in 16 bytes", META_TS, .meta_len = 16, .good = true },
	{ "timestamp in 248 bytes", META_TS, .meta_len = 248, .good = true },
	{ "launch time in 24 bytes", META_LAUNCH, .good = true },
};

static unsigned int count(const __u64 *addrs, unsigned int n, __u64 addr)
{
	unsigned int found = 0;

	while (n--)
		found += addrs[n] == addr;
	return found;
}

/* Sends with nothing new on the ring must not complete or send anything more. */
static bool quiet(struct uxsk *x)
{
	__u64 addrs[64];
	unsigned int n = 0, i;
	bool ok = true;

	for (i = 0; i < 5; i++) {
		ok &= !uxsk_kick(x);
		n += uxsk_reap(x, addrs, 64);
	}
	if (n)
		tap_diag("%u further completions, first 0x%llx", n, addrs[0]);
	return ok && !n;
}

static void one(const struct req_case *c)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, c->meta_len ?: 24);
	struct pkt a = { .payload = (c->len ?: 60) - 42, .seq = ++seq };
	struct pkt b = { .payload = 30, .seq = ++seq };
	__u8 image[4096];
	struct xsk_tx_metadata *m;
	struct sniff_frame f;
	__u64 addrs[8], bad, good;
	unsigned int n;
	struct uxsk x;
	int ret;

	core_open(&x, &cfg);
	/* Payload that must not be taken for a time. */
	bad = core_frame(&x, 1, &a);
	good = core_frame(&x, 2, &b);
	m = uxsk_meta(&x, bad);
	memset(m, 0x5a, x.meta_len);
	m->flags = c->flags;
	m->request.csum_start = c->csum_start;
	m->request.csum_offset = c->csum_offset;
	memcpy(image, x.area, sizeof(image));

	core_put(&x, bad, a.len, META_TX);
	core_put(&x, good, b.len, 0);
	ret = uxsk_kick(&x);
	n = uxsk_drain(&x, addrs, 2, TIMEOUT_MS, NULL);
	tap_is(ret, 0, "%s: send returns 0", c->name);
	tap_ok(n == 2 && count(addrs, n, bad) == 1 && count(addrs, n, good) == 1,
	       "%s: it and the frame behind it complete", c->name);
	tap_is(core_invalid(&x), !c->good, "%s: %scounted", c->name, c->good ? "not " : "");
	if (c->good)
		tap_ok(core_arrives(&sniff, &f, a.seq), "%s: sent", c->name);
	tap_ok(core_arrives(&sniff, &f, b.seq), "%s: the frame behind it %s", c->name,
	       c->good ? "is sent too" : "is sent alone");
	if (c->good && c->flags & META_TS)
		memcpy(image + ((__u8 *)&m->completion - x.area), &m->completion, 8);
	tap_ok(!memcmp(image, x.area, sizeof(image)), "%s: area untouched", c->name);
	tap_ok(quiet(&x), "%s: nothing completes twice", c->name);
	uxsk_close(&x);
}

/* More bad ones than a send handles in one go, and a small completion ring. */
static void storm(__u32 comp)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	__u64 addrs[256], addr;
	unsigned int i, n = 0, once = 0, round, err = 0;
	struct sniff_frame f;
	struct uxsk x;
	int ret;

	cfg.chunks = 256;
	cfg.comp = comp;
	cfg.tx = 256;
	core_open(&x, &cfg);
	for (i = 0; i < 256; i++) {
		struct pkt p = { .payload = 30, .seq = ++seq };

		addr = core_frame(&x, i, &p);
		core_request(&x, addr, i == 255 ? META_TS : i & 1 ? 1 << 7 : META_CSUM, NULL);
		uxsk_meta(&x, addr)->request.csum_start = 60000;
		core_put(&x, addr, p.len, META_TX);
	}
	for (round = 0; n < 256 && round < 1000; round++) {
		ret = uxsk_kick(&x);
		err |= ret && ret != -EAGAIN;
		n += uxsk_reap(&x, addrs + n, 256 - n);
	}
	for (i = 0; i < 256; i++)
		once += count(addrs, n, uxsk_addr(&x, i)) == 1;
	tap_ok(n == 256 && once == 256,
	       "255 bad requests with %u completion entries: each address completes once", comp);
	tap_ok(!err, "and each send returns 0 or EAGAIN");
	tap_is(core_invalid(&x), 255, "and each is counted");
	tap_ok(core_arrives(&sniff, &f, seq), "and the good frame behind them arrives");
	tap_ok(quiet(&x), "and nothing completes twice");
	uxsk_close(&x);
}

/* poll() drives copy mode too. */
static void by_poll(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	struct pkt a = { .payload = 30, .seq = ++seq }, b = { .payload = 30, .seq = ++seq };
	struct pollfd pfd = { .events = POLLOUT };
	struct sniff_frame f;
	__u64 addrs[4], bad, good;
	unsigned int n, i;
	struct uxsk x;

	core_open(&x, &cfg);
	bad = core_frame(&x, 1, &a);
	good = core_frame(&x, 2, &b);
	core_request(&x, bad, ~0ULL, NULL);
	core_put(&x, bad, a.len, META_TX);
	core_put(&x, good, b.len, META_TX);
	pfd.fd = x.fd;
	for (i = 0; i < 3; i++)
		poll(&pfd, 1, 100);
	n = uxsk_reap(&x, addrs, 4);
	tap_ok(n == 2 && count(addrs, n, bad) == 1 && count(addrs, n, good) == 1,
	       "poll: a bad request and the frame behind it complete once");
	tap_ok(core_arrives(&sniff, &f, b.seq), "poll: only the frame behind it is sent");
	uxsk_close(&x);
}

/* The option on a UMEM that has no area is a malformed request as well. */
static void without_area(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 0);
	struct pkt a = { .payload = 30, .seq = ++seq }, b = { .payload = 30, .seq = ++seq };
	struct sniff_frame f;
	__u64 addrs[4], bad, good;
	unsigned int n;
	struct uxsk x;
	int ret;

	core_open(&x, &cfg);
	bad = core_frame(&x, 1, &a);
	good = core_frame(&x, 2, &b);
	core_put(&x, bad, a.len, META_TX);
	core_put(&x, good, b.len, 0);
	ret = uxsk_kick(&x);
	n = uxsk_drain(&x, addrs, 2, 200, NULL);
	tap_is(ret, 0, "option without area: send returns 0");
	tap_ok(n == 2 && count(addrs, n, bad) == 1 && count(addrs, n, good) == 1,
	       "option without area: it and the frame behind it complete");
	tap_ok(core_arrives(&sniff, &f, b.seq),
	       "option without area: the frame behind it is sent alone");
	tap_is(core_invalid(&x), 1, "option without area: counted");
	tap_ok(quiet(&x), "option without area: nothing completes twice");
	uxsk_close(&x);
}

int main(void)
{
	unsigned int i;

	core_init(&core);
	sniff_open(&sniff, core.peer_netns, core.peer);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		one(&cases[i]);
	storm(256);
	storm(4);
	by_poll();
	without_area();
	return tap_done();
}
