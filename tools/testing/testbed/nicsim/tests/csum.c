// SPDX-License-Identifier: GPL-2.0
/* Parsing, checksums, CRC and RSS against known values. */
#include <stdio.h>
#include <stdlib.h>

#include "hw/csum.h"
#include "tap.h"

/* A frame with @tags VLAN tags; @v6 with @ext hop-by-hop headers; @l4 bytes. */
static u32 build(u8 *buf, int tags, bool v6, int ext, u8 proto, u32 l4)
{
	u32 off = 12, i;
	u8 *ip;

	memset(buf, 0, 2048);
	for (i = 0; i < (u32)tags; i++) {
		put_be16(buf + off, i ? 0x8100 : 0x88a8);
		put_be16(buf + off + 2, (u16)(100 + i));
		off += 4;
	}
	put_be16(buf + off, v6 ? 0x86dd : 0x0800);
	ip = buf + off + 2;
	off += 2;
	if (v6) {
		ip[0] = 0x60;
		put_be16(ip + 4, (u16)(l4 + (u32)ext * 8));
		ip[6] = ext ? 0 : proto;
		for (i = 8; i < 40; i++)
			ip[i] = (u8)(i * 7);
		off += 40;
		for (i = 0; i < (u32)ext; i++) {
			buf[off] = i + 1 < (u32)ext ? 60 : proto;
			off += 8;
		}
	} else {
		ip[0] = 0x45;
		put_be16(ip + 2, (u16)(20 + l4));
		ip[8] = 64;
		ip[9] = proto;
		for (i = 12; i < 20; i++)
			ip[i] = (u8)(i * 11);
		off += 20;
	}
	for (i = 0; i < l4; i++)
		buf[off + i] = (u8)(i * 31 + 7);
	if (proto == 17)
		put_be16(buf + off + 4, (u16)l4);
	else
		buf[off + 12] = 0x50;
	return off + l4;
}

static void insert(void)
{
	static u8 buf[2048];
	int tags, v6, ext, good = 0, bad = 0, n = 0;
	u32 l4;

	for (tags = 0; tags <= 2; tags++)
		for (v6 = 0; v6 <= 1; v6++)
			for (ext = 0; ext <= (v6 ? 2 : 0); ext++)
				for (l4 = 20; l4 < 1400; l4 += 37) {
					u8 proto = l4 & 1 ? 17 : 6;
					u32 len = build(buf, tags, v6, ext, proto,
							l4);
					struct pkt p;

					n++;
					pkt_parse(&p, buf, len);
					if (p.vlan_tags != tags || !p.payload ||
					    (tags && p.vlan != 100))
						continue;
					csum_ipv4_insert(&p, buf, len);
					if (!csum_l4_insert(&p, buf, len, false))
						continue;
					good += csum_l4_check(&p, buf, len) ==
						CSUM_GOOD &&
						csum_ipv4_check(&p, buf, len) ==
						(v6 ? CSUM_NONE : CSUM_GOOD);
					buf[len - 1] ^= 4;
					bad += csum_l4_check(&p, buf, len) ==
						CSUM_BAD;
				}
	tap_is(good, n, "insert, then check: %d shapes", n);
	tap_is(bad, n, "one bit wrong is seen in each");
}

/* A UDP packet whose sum works out by hand. */
static void known(void)
{
	static const u8 ip[20] = { 0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11,
		0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7 };
	static u8 buf[2048];
	struct pkt p;
	u32 len = build(buf, 0, false, 0, 17, 95), sum;
	u16 a;

	memcpy(buf + 14, ip, 20);
	pkt_parse(&p, buf, len);
	csum_ipv4_insert(&p, buf, len);
	tap_is(get_be16(buf + 24), 0xb861, "IPv4 header checksum");

	/* Whether the hardware or the driver sums the pseudo-header. */
	csum_l4_insert(&p, buf, len, false);
	a = get_be16(buf + 40);
	put_be16(buf + 40, csum_fold(csum_pseudo(&p, buf)));
	csum_l4_insert(&p, buf, len, true);
	tap_is(get_be16(buf + 40), a, "both ways of the pseudo-header agree");
	put_be16(buf + 40, csum_fold(csum_pseudo(&p, buf)));
	tap_ok(csum_insert_at(buf, len, 34, 6, true), "by offsets");
	tap_is(get_be16(buf + 40), a, "agrees too");

	/* Make the sum come out as 0: UDP says 0xffff. */
	put_be16(buf + 42, 0);
	put_be16(buf + 40, 0);
	sum = csum_fold(csum_add(csum_pseudo(&p, buf), buf + 34, 95));
	put_be16(buf + 42, (u16)~sum);
	csum_l4_insert(&p, buf, len, false);
	tap_is(get_be16(buf + 40), 0xffff, "a UDP sum of 0 goes out as 0xffff");
	tap_is(csum_l4_check(&p, buf, len), CSUM_GOOD, "and is good");
	put_be16(buf + 40, 0);
	tap_is(csum_l4_check(&p, buf, len), CSUM_NONE, "UDP without checksum");
	tap_ok(!csum_insert_at(buf, len, len - 1, 0, false), "field outside");
	tap_ok(!csum_insert_at(buf, len, 34, len - 35, false), "field across the end");
	tap_ok(!csum_insert_at(buf, len, ~0U, 2, false), "start outside");
	tap_is(csum_complete(buf, len, len), 0, "sum of nothing");
	tap_is(crc32_eth((const u8 *)"123456789", 9), 0xcbf43926, "CRC-32");
}

static void damaged(void)
{
	static u8 buf[2048];
	struct pkt p;
	u32 len = build(buf, 2, true, 2, 6, 40), cut;
	int wrong = 0;
	unsigned long i, rounds = tap_rounds(2000000);

	for (cut = 0; cut < len; cut++) {
		u8 *copy = malloc(cut ? cut : 1);

		memcpy(copy, buf, cut);
		if (pkt_parse(&p, copy, cut))
			wrong += p.payload || csum_l4_insert(&p, copy, cut, false);
		free(copy);
	}
	tap_is(wrong, 0, "no truncated packet is taken for a whole one");
	srand(1);
	for (i = 0; i < rounds; i++) {
		u8 *copy;

		len = build(buf, (int)(i % 3), i & 1, i & 1 ? (int)(i % 4) : 0,
			    i & 2 ? 6 : 17, 8 + (u32)(i % 60));
		copy = malloc(len);
		memcpy(copy, buf, len);
		copy[12 + (u32)rand() % (len - 12)] = (u8)rand();
		copy[12 + (u32)rand() % (len - 12)] = (u8)rand();
		if (pkt_parse(&p, copy, len)) {
			csum_ipv4_insert(&p, copy, len);
			csum_l4_insert(&p, copy, len, rand() & 1);
			csum_l4_check(&p, copy, len);
			rss_toeplitz((const u8 *)"0123456789", 10, &p, copy, true);
		}
		free(copy);
	}
	tap_ok(true, "%lu damaged packets, no access outside", i);
	build(buf, 0, false, 0, 17, 40);
	put_be16(buf + 20, 0x2000);
	pkt_parse(&p, buf, 74);
	tap_ok(p.frag && !p.payload && csum_l4_check(&p, buf, 74) == CSUM_NONE,
	       "a fragment has no L4 to look at");
}

/* The verification suite that Microsoft publishes for RSS. */
static void rss(void)
{
	static const u8 key[40] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
		0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
		0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa };
	static const u8 dst[4] = { 161, 142, 100, 80 };
	static const u8 src[4] = { 66, 9, 149, 187 };
	static u8 buf[2048];
	u32 len = build(buf, 0, false, 0, 6, 40);
	struct pkt p;

	memcpy(buf + 26, src, 4);
	memcpy(buf + 30, dst, 4);
	put_be16(buf + 34, 2794);
	put_be16(buf + 36, 1766);
	pkt_parse(&p, buf, len);
	tap_is(rss_toeplitz(key, sizeof(key), &p, buf, true), 0x51ccc178,
	       "Toeplitz with ports");
	tap_is(rss_toeplitz(key, sizeof(key), &p, buf, false), 0x323e8fc2,
	       "Toeplitz without");
}

int main(void)
{
	insert();
	known();
	damaged();
	rss();
	return tap_done();
}
