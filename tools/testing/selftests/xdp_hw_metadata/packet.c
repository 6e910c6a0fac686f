// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "packet.h"

#define ETH_LEN 14
#define UDP_LEN 8
#define PROTO_UDP 17
#define ZERO_SUM_EVERY 1024

static void put16(__u8 *p, __u16 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static __u16 get16(const __u8 *p)
{
	return p[0] << 8 | p[1];
}

static void put64(__u8 *p, __u64 v)
{
	put16(p, v >> 48);
	put16(p + 2, v >> 32);
	put16(p + 4, v >> 16);
	put16(p + 6, v);
}

static __u64 get64(const __u8 *p)
{
	return (__u64)get16(p) << 48 | (__u64)get16(p + 2) << 32 |
	       (__u64)get16(p + 4) << 16 | get16(p + 6);
}

__u64 csum_add(__u64 sum, const void *data, size_t len)
{
	const __u8 *p = data;

	for (; len > 1; len -= 2, p += 2)
		sum += get16(p);
	if (len)
		sum += *p << 8;
	return sum;
}

__u16 csum_fold(__u64 sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

__u64 csum_pseudo(const struct flow *flow, __u32 udp_len)
{
	size_t alen = flow->ipv6 ? 16 : 4;
	__u64 sum = (__u64)PROTO_UDP + (udp_len >> 16) + (udp_len & 0xffff);

	sum = csum_add(sum, flow->src, alen);
	return csum_add(sum, flow->dst, alen);
}

static void put_ipv4(const struct flow *flow, __u8 *ip, __u32 len, __u64 seq)
{
	ip[0] = 0x45;
	ip[1] = 0;
	put16(ip + 2, len);
	put16(ip + 4, seq);
	put16(ip + 6, 0x4000);		/* don't fragment */
	ip[8] = 64;
	ip[9] = PROTO_UDP;
	put16(ip + 10, 0);
	memcpy(ip + 12, flow->src, 4);
	memcpy(ip + 16, flow->dst, 4);
	put16(ip + 10, ~csum_fold(csum_add(0, ip, 20)));
}

static void put_ipv6(const struct flow *flow, __u8 *ip, __u32 udp_len)
{
	memset(ip, 0, 8);
	ip[0] = 0x60;
	put16(ip + 4, udp_len);
	ip[6] = PROTO_UDP;
	ip[7] = 64;
	memcpy(ip + 8, flow->src, 16);
	memcpy(ip + 24, flow->dst, 16);
}

static void put_payload(__u8 *p, __u32 len, __u64 seq)
{
	__u32 x = ((__u32)seq * 2654435761u ^ 0x9e3779b9u) | 1, i;

	put64(p, seq);
	for (i = 8; i < len; i++) {
		/* xorshift32: never 0 for a start that is not 0 */
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		p[i] = x;
	}
}

void packet_build(const struct flow *flow, __u8 *buf, __u32 size, __u64 seq,
		  enum packet_fill fill)
{
	__u32 start = packet_csum_start(flow->ipv6);
	__u32 udp_len = size - start;
	__u8 *udp = buf + start, *payload = udp + UDP_LEN;
	__u64 pseudo = csum_pseudo(flow, udp_len);
	__u16 sum;

	memcpy(buf, flow->dmac, 6);
	memcpy(buf + 6, flow->smac, 6);
	put16(buf + 12, flow->ipv6 ? 0x86dd : 0x0800);
	if (flow->ipv6)
		put_ipv6(flow, buf + ETH_LEN, udp_len);
	else
		put_ipv4(flow, buf + ETH_LEN, size - ETH_LEN, seq);

	put16(udp, flow->sport);
	put16(udp + 2, flow->dport);
	put16(udp + 4, udp_len);
	put16(udp + 6, 0);
	put_payload(payload, udp_len - UDP_LEN, seq);
	if (seq % ZERO_SUM_EVERY == ZERO_SUM_EVERY - 1 && udp_len >= UDP_LEN + 10) {
		put16(payload + 8, 0);
		put16(payload + 8, ~csum_fold(csum_add(pseudo, udp, udp_len)));
	}

	if (fill == FILL_PSEUDO) {
		sum = csum_fold(pseudo);
	} else {
		sum = ~csum_fold(csum_add(pseudo, udp, udp_len));
		if (!sum)
			sum = 0xffff;
	}
	put16(udp + 6, sum);
}

/* Same addresses, protocol and ports. */
static bool same_flow(const struct flow *flow, const __u8 *buf, size_t len)
{
	const __u8 *ip = buf + ETH_LEN, *udp = buf + packet_csum_start(flow->ipv6);

	if (len < packet_csum_start(flow->ipv6) + UDP_LEN + 8)
		return false;
	if (flow->ipv6)
		return get16(buf + 12) == 0x86dd && ip[0] >> 4 == 6 && ip[6] == PROTO_UDP &&
		       !memcmp(ip + 24, flow->dst, 16) && get16(udp + 2) == flow->dport;
	return get16(buf + 12) == 0x0800 && ip[0] == 0x45 && ip[9] == PROTO_UDP &&
	       !(get16(ip + 6) & 0x3fff) &&
	       !memcmp(ip + 16, flow->dst, 4) && get16(udp + 2) == flow->dport;
}

enum packet_state packet_check(const struct flow *flow, const __u8 *buf, size_t len, bool ready,
			       __u32 size, __u64 count, __u8 *scratch,
			       __u64 *seq, __u16 *want, __u16 *got)
{
	__u32 start = packet_csum_start(flow->ipv6), field = start + PACKET_CSUM_OFFSET;

	if (!same_flow(flow, buf, len))
		return PKT_FOREIGN;
	*seq = get64(buf + start + UDP_LEN);
	if (*seq >= count)
		return PKT_UNKNOWN;
	packet_build(flow, scratch, size, *seq, FILL_FULL);
	if (len != size || memcmp(buf, scratch, field) ||
	    memcmp(buf + field + 2, scratch + field + 2, size - field - 2))
		return PKT_CORRUPT;

	*want = get16(scratch + field);
	*got = get16(buf + field);
	if (!ready)
		return PKT_UNFILLED;
	/*
	 * Summed over what came, so that a slip in packet_build() shows too.
	 * A field of 0 would mean "no checksum".
	 */
	if (!*got || csum_fold(csum_add(csum_pseudo(flow, size - start), buf + start,
					size - start)) != 0xffff)
		return PKT_WRONG;
	return *got == *want ? PKT_RIGHT : PKT_WRONG;
}
