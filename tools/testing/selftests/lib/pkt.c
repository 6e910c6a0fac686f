// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <endian.h>
#include <string.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include "pkt.h"

static const __u8 v4_addrs[8] = { 192, 0, 2, 1, 192, 0, 2, 2 };
static const __u8 v6_addrs[32] = {
	0x20, 0x01, 0x0d, 0xb8, [15] = 1, 0x20, 0x01, 0x0d, 0xb8, [31] = 2,
};

__u32 pkt_sum(const void *data, size_t len, __u32 sum)
{
	const __u8 *b = data;
	size_t i;

	for (i = 0; i + 1 < len; i += 2) {
		sum += b[i] << 8 | b[i + 1];
		sum = (sum & 0xffff) + (sum >> 16);
	}
	if (len & 1)
		sum += b[len - 1] << 8;
	return sum;
}

__u16 pkt_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

static __u16 pseudo_sum(const void *addrs, size_t len, __u8 proto, size_t l4len)
{
	return pkt_fold(pkt_sum(addrs, len, proto + (l4len & 0xffff) + (l4len >> 16)));
}

static void put16(__u8 *p, __u16 v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static __u16 get16(const __u8 *p)
{
	return p[0] << 8 | p[1];
}

static __u8 *put_l3(const struct pkt *p, __u8 *b, __u8 proto, size_t l4len)
{
	if (p->v6) {
		struct ipv6hdr h = {
			.version = 6,
			.payload_len = htons(l4len),
			.nexthdr = proto,
			.hop_limit = 64,
		};

		memcpy(&h.saddr, v6_addrs, sizeof(v6_addrs));
		memcpy(b, &h, sizeof(h));
		return b + sizeof(h);
	}

	struct iphdr h = {
		.version = 4, .ihl = 5,
		.tot_len = htons(sizeof(h) + l4len),
		.id = htons(p->seq),
		.ttl = 64,
		.protocol = proto,
	};

	memcpy(&h.saddr, v4_addrs, sizeof(v4_addrs));
	h.check = htons(~pkt_fold(pkt_sum(&h, sizeof(h), 0)));
	memcpy(b, &h, sizeof(h));
	return b + sizeof(h);
}

void pkt_build(struct pkt *p, __u8 *buf)
{
	size_t l4hdr = p->tcp ? sizeof(struct tcphdr) : sizeof(struct udphdr);
	__u8 proto = p->tcp ? IPPROTO_TCP : IPPROTO_UDP;
	size_t l4len = l4hdr + p->payload;
	__u8 *b = buf, *l4, *data;
	__u64 seq = htobe64(p->seq);
	__u16 i, sum;

	if (p->dst_mac)
		memcpy(b, p->dst_mac, ETH_ALEN);
	else
		memset(b, 0xff, ETH_ALEN);
	memcpy(b + ETH_ALEN, PKT_SRC "\x01", ETH_ALEN);
	b += 2 * ETH_ALEN;
	if (p->vlan) {
		put16(b, ETH_P_8021Q);
		put16(b + 2, p->vlan);
		b += 4;
	}
	put16(b, p->v6 ? ETH_P_IPV6 : ETH_P_IP);
	l4 = put_l3(p, b + 2, proto, l4len);

	memset(l4, 0, l4hdr);
	put16(l4, PKT_UDP_PORT);
	put16(l4 + 2, PKT_UDP_PORT);
	if (p->tcp) {
		l4[12] = 5 << 4;	/* header of 20 bytes */
		l4[13] = 0x10;		/* ACK */
		p->csum_offset = 16;
	} else {
		put16(l4 + 4, l4len);
		p->csum_offset = 6;
	}
	p->csum_start = l4 - buf;
	p->len = l4 + l4len - buf;

	data = l4 + l4hdr;
	memcpy(data, &seq, sizeof(seq));
	for (i = sizeof(seq); i < p->payload; i++)
		data[i] = i * 37 + p->seq;

	sum = pseudo_sum(p->v6 ? v6_addrs : v4_addrs,
			 p->v6 ? sizeof(v6_addrs) : sizeof(v4_addrs), proto, l4len);
	put16(l4 + p->csum_offset, sum);
	if (p->sum_zero) {
		/* The complement is 0 when the sum of everything is 0xffff. */
		memset(data + sizeof(seq), 0, 2);
		put16(data + sizeof(seq), ~pkt_fold(pkt_sum(l4, l4len, 0)));
	}
}

__u16 pkt_csum(const struct pkt *p, const __u8 *buf)
{
	return get16(buf + p->csum_start + p->csum_offset);
}

void pkt_fill_csum(const struct pkt *p, __u8 *buf)
{
	__u16 sum = ~pkt_fold(pkt_sum(buf + p->csum_start, p->len - p->csum_start, 0));

	put16(buf + p->csum_start + p->csum_offset, sum ?: 0xffff);
}

/* Finds the UDP/TCP header; NULL if there is none. */
static const __u8 *parse(const __u8 *frame, size_t len, bool *v6, __u8 *proto, size_t *l4len)
{
	size_t off = 2 * ETH_ALEN, l4;

	if (len < off + 2)
		return NULL;
	if (get16(frame + off) == ETH_P_8021Q)
		off += 4;
	if (len < off + 2)
		return NULL;
	*v6 = get16(frame + off) == ETH_P_IPV6;
	if (!*v6 && get16(frame + off) != ETH_P_IP)
		return NULL;
	off += 2;
	if (len < off + (*v6 ? 40 : 20))
		return NULL;
	l4 = off + (*v6 ? 40 : (frame[off] & 15) * 4);
	*proto = frame[off + (*v6 ? 6 : 9)];
	*l4len = *v6 ? get16(frame + off + 4) : get16(frame + off + 2) - (l4 - off);
	if (l4 + *l4len > len || *l4len < 8 || (*proto == IPPROTO_TCP && *l4len < 20))
		return NULL;
	return *proto == IPPROTO_TCP || *proto == IPPROTO_UDP ? frame + l4 : NULL;
}

bool pkt_csum_ok(const __u8 *frame, size_t len)
{
	const __u8 *l4, *addrs;
	size_t l4len;
	__u8 proto;
	bool v6;

	l4 = parse(frame, len, &v6, &proto, &l4len);
	if (!l4)
		return false;
	if (proto == IPPROTO_UDP && !get16(l4 + 6))
		return false;
	addrs = l4 - (v6 ? 32 : 8);
	return pkt_fold(pkt_sum(l4, l4len, pseudo_sum(addrs, v6 ? 32 : 8, proto, l4len))) == 0xffff;
}

__u64 pkt_seq(const __u8 *frame, size_t len)
{
	const __u8 *l4;
	size_t l4len, hdr;
	__u8 proto;
	__u64 seq;
	bool v6;

	l4 = parse(frame, len, &v6, &proto, &l4len);
	if (!l4)
		return ~0ULL;
	hdr = proto == IPPROTO_TCP ? 20 : 8;
	if (l4len < hdr + sizeof(seq))
		return ~0ULL;
	memcpy(&seq, l4 + hdr, sizeof(seq));
	return be64toh(seq);
}
