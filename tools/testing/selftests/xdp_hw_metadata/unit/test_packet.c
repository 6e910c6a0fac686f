// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "../packet.h"
#include "tap.h"

static struct flow flow_of(bool ipv6)
{
	struct flow f = {
		.ipv6 = ipv6,
		.smac = { 2, 0, 0, 0, 0, 1 }, .dmac = { 2, 0, 0, 0, 0, 2 },
		.sport = 9092, .dport = 9091,
	};

	if (ipv6) {
		memcpy(f.src, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
		memcpy(f.dst, "\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2", 16);
	} else {
		memcpy(f.src, "\xc0\0\2\1", 4);
		memcpy(f.dst, "\xc0\0\2\2", 4);
	}
	return f;
}

/* What a device makes of a request: sums from csum_start on, stores. */
static void device(__u8 *buf, __u32 size, __u32 start)
{
	__u16 sum = ~csum_fold(csum_add(0, buf + start, size - start));

	if (!sum)
		sum = 0xffff;
	buf[start + PACKET_CSUM_OFFSET] = sum >> 8;
	buf[start + PACKET_CSUM_OFFSET + 1] = sum;
}

static enum packet_state check(const struct flow *f, const __u8 *buf, __u32 len, bool ready,
			       __u32 size)
{
	__u8 scratch[2048];
	__u16 want, got;
	__u64 seq;

	return packet_check(f, buf, len, ready, size, 5000, scratch, &seq, &want, &got);
}

static void known_sums(void)
{
	/* A frame worked out by hand: 192.0.2.1:1 -> 192.0.2.2:2, "ab". */
	static const __u8 udp[] = { 0, 1, 0, 2, 0, 10, 0, 0, 'a', 'b' };
	struct flow f = flow_of(false);

	tap_is(csum_fold(csum_pseudo(&f, 10)), 0xc000 + 0x0201 + 0xc000 + 0x0202 + 17 + 10 - 0xffff,
	       "IPv4 pseudo header folds");
	tap_is((__u16)~csum_fold(csum_add(csum_pseudo(&f, 10), udp, 10)), 0x1a71,
	       "a whole UDP checksum, worked out by hand");
	tap_is(csum_fold(csum_add(0, "\x12\x34\x56", 3)), 0x1234 + 0x5600,
	       "an odd byte counts as the high half");
	tap_is(csum_fold(0x1ffff), 1, "a fold that carries again");
}

static void round_trip(bool ipv6)
{
	struct flow f = flow_of(ipv6);
	__u32 start = packet_csum_start(ipv6), sizes[] = { packet_min_size(ipv6), 128, 1001, 1514 };
	__u8 full[2048], pseudo[2048];
	int v = ipv6 ? 6 : 4, right = 0, same = 0, rounds = 0;
	size_t i;
	__u64 seq;

	for (i = 0; i < 4; i++) {
		for (seq = 0; seq < 1100; seq += i ? 341 : 1, rounds++) {
			packet_build(&f, full, sizes[i], seq, FILL_FULL);
			right += check(&f, full, sizes[i], true, sizes[i]) == PKT_RIGHT;
			packet_build(&f, pseudo, sizes[i], seq, FILL_PSEUDO);
			device(pseudo, sizes[i], start);
			same += !memcmp(full, pseudo, sizes[i]);
		}
	}
	tap_is(right, rounds, "IPv%d: what is built is judged right", v);
	tap_is(same, rounds, "IPv%d: pseudo sum plus device gives the same frame", v);

	packet_build(&f, full, 128, 1023, FILL_FULL);
	tap_is(full[start + 6] << 8 | full[start + 7], 0xffff,
	       "IPv%d: frame 1023 has the sum that must not go out as 0", v);
	full[start + 6] = 0;
	full[start + 7] = 0;
	tap_is(check(&f, full, 128, true, 128), PKT_WRONG, "IPv%d: and 0 there is wrong", v);
}

static void faults(bool ipv6)
{
	struct flow f = flow_of(ipv6), other;
	__u32 start = packet_csum_start(ipv6), i;
	int v = ipv6 ? 6 : 4, bad = 0;
	__u8 buf[2048];

	packet_build(&f, buf, 128, 7, FILL_PSEUDO);
	tap_is(check(&f, buf, 128, false, 128), PKT_UNFILLED,
	       "IPv%d: a checksum still to be filled in is not right", v);
	tap_is(check(&f, buf, 128, true, 128), PKT_WRONG,
	       "IPv%d: a pseudo sum that nobody completed is wrong", v);

	packet_build(&f, buf, 128, 7, FILL_FULL);
	tap_is(check(&f, buf, 128, false, 128), PKT_UNFILLED,
	       "IPv%d: not even when it happens to be right", v);

	/* The sender forgets one part of the pseudo header. */
	other = f;
	memset(other.src, 0, sizeof(other.src));
	packet_build(&f, buf, 128, 7, FILL_PSEUDO);
	buf[start + 6] = csum_fold(csum_pseudo(&other, 128 - start)) >> 8;
	buf[start + 7] = csum_fold(csum_pseudo(&other, 128 - start));
	device(buf, 128, start);
	tap_is(check(&f, buf, 128, true, 128), PKT_WRONG, "IPv%d: wrong pseudo header is wrong", v);

	for (i = 0; i < 128; i++) {
		enum packet_state s;

		packet_build(&f, buf, 128, 7, FILL_FULL);
		buf[i] ^= 0x10;
		s = check(&f, buf, 128, true, 128);
		bad += s == PKT_RIGHT;
	}
	tap_is(bad, 0, "IPv%d: no changed byte goes unseen", v);

	packet_build(&f, buf, 128, 7, FILL_FULL);
	tap_is(check(&f, buf, 127, true, 128), PKT_CORRUPT, "IPv%d: cut short", v);
	tap_is(check(&f, buf, 30, true, 128), PKT_FOREIGN, "IPv%d: runt", v);
	tap_is(check(&f, buf, 0, true, 128), PKT_FOREIGN, "IPv%d: nothing", v);
	other = f;
	other.dport = 53;
	tap_is(check(&other, buf, 128, true, 128), PKT_FOREIGN, "IPv%d: another port", v);
	packet_build(&f, buf, 128, 5000, FILL_FULL);
	tap_is(check(&f, buf, 128, true, 128), PKT_UNKNOWN, "IPv%d: a number never sent", v);
}

int main(void)
{
	known_sums();
	round_trip(false);
	round_trip(true);
	faults(false);
	faults(true);
	return tap_done();
}
