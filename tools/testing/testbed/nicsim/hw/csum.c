// SPDX-License-Identifier: GPL-2.0
#include "hw/csum.h"

#define ETH_HEADER 14
#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define PROTO_TCP 6
#define PROTO_UDP 17
/* Extension headers a parser in hardware would follow. */
#define IPV6_HEADERS 8

static bool is_vlan(u16 type)
{
	return type == 0x8100 || type == 0x88a8;
}

static void parse_l4(struct pkt *p, const u8 *data, u32 len)
{
	u32 room = len - p->l4;

	if (p->frag || (p->proto != PROTO_TCP && p->proto != PROTO_UDP) ||
	    room < 8)
		return;
	p->sport = get_be16(data + p->l4);
	p->dport = get_be16(data + p->l4 + 2);
	if (p->proto == PROTO_UDP) {
		p->payload = p->l4 + 8;
	} else if (room >= 20) {
		u32 hlen = (data[p->l4 + 12] >> 4) * 4;

		if (hlen >= 20 && hlen <= room)
			p->payload = (u16)(p->l4 + hlen);
	}
}

static void parse_ipv4(struct pkt *p, const u8 *data, u32 len)
{
	const u8 *ip = data + p->l3;
	u32 room = len - p->l3, hlen, total;

	if (room < 20 || ip[0] >> 4 != 4)
		return;
	hlen = (ip[0] & 15) * 4;
	total = get_be16(ip + 2);
	if (hlen < 20 || hlen > room || total < hlen || total > room)
		return;
	p->ip = 4;
	p->proto = ip[9];
	p->frag = get_be16(ip + 6) & 0x3fff;
	p->l4 = (u16)(p->l3 + hlen);
	p->l4_len = total - hlen;
	parse_l4(p, data, p->l3 + total);
}

static void parse_ipv6(struct pkt *p, const u8 *data, u32 len)
{
	const u8 *ip = data + p->l3;
	u32 room = len - p->l3, end, off = 40;
	u8 next;
	int i;

	if (room < 40 || ip[0] >> 4 != 6)
		return;
	end = 40U + get_be16(ip + 4);
	if (end > room)
		return;
	p->ip = 6;
	next = ip[6];
	for (i = 0; i < IPV6_HEADERS; i++) {
		bool ext = next == 0 || next == 43 || next == 60;

		if (!ext && next != 44)
			break;
		if (end - off < 8)
			return;
		if (next == 44) {
			p->frag = get_be16(ip + off + 2) & 0xfff9;
			next = ip[off];
			off += 8;
		} else {
			u32 hlen = (ip[off + 1] + 1U) * 8;

			if (hlen > end - off)
				return;
			next = ip[off];
			off += hlen;
		}
	}
	p->proto = next;
	p->l4 = (u16)(p->l3 + off);
	p->l4_len = end - off;
	parse_l4(p, data, p->l3 + end);
}

bool pkt_parse(struct pkt *p, const u8 *data, u32 len)
{
	u32 off = 12;

	memset(p, 0, sizeof(*p));
	/* Offsets are 16 bits; no NIC here sends more. */
	if (len < ETH_HEADER || len > UINT16_MAX)
		return false;
	p->ethertype = get_be16(data + off);
	while (p->vlan_tags < 2 && is_vlan(p->ethertype) && len - off >= 6) {
		if (!p->vlan_tags++)
			p->vlan = get_be16(data + off + 2);
		off += 4;
		p->ethertype = get_be16(data + off);
	}
	off += 2;
	if (p->ethertype == ETHERTYPE_IPV4 || p->ethertype == ETHERTYPE_IPV6)
		p->l3 = (u16)off;
	if (p->ethertype == ETHERTYPE_IPV4)
		parse_ipv4(p, data, len);
	else if (p->ethertype == ETHERTYPE_IPV6)
		parse_ipv6(p, data, len);
	return true;
}

u32 csum_add(u32 sum, const void *data, u32 len)
{
	const u8 *p = data;
	u64 acc = sum;
	u32 i;

	for (i = 0; i + 1 < len; i += 2)
		acc += get_be16(p + i);
	if (len & 1)
		acc += (u32)p[len - 1] << 8;
	while (acc >> 32)
		acc = (acc & UINT32_MAX) + (acc >> 32);
	return (u32)acc;
}

u16 csum_fold(u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (u16)sum;
}

u32 csum_pseudo(const struct pkt *p, const u8 *data)
{
	u32 sum = p->proto + csum_fold(p->l4_len);

	if (p->ip == 4)
		return csum_add(sum, data + p->l3 + 12, 8);
	return csum_add(sum, data + p->l3 + 8, 32);
}

bool csum_ipv4_insert(const struct pkt *p, u8 *data, u32 len)
{
	u8 *ip = data + p->l3;

	if (p->ip != 4 || p->l4 > len)
		return false;
	put_be16(ip + 10, 0);
	put_be16(ip + 10, (u16)~csum_fold(csum_add(0, ip, p->l4 - p->l3)));
	return true;
}

/* Offset of the checksum in the L4 header, 0: no such packet. */
static u32 field_of(const struct pkt *p, u32 len)
{
	u32 off = p->proto == PROTO_TCP ? 16 : p->proto == PROTO_UDP ? 6 : 0;

	if (!p->ip || p->frag || !off || p->l4_len < off + 2 ||
	    p->l4_len > len || p->l4 > len - p->l4_len)
		return 0;
	return off;
}

static void put_csum(u8 *field, u32 sum, bool udp)
{
	u16 csum = (u16)~csum_fold(sum);

	put_be16(field, csum || !udp ? csum : 0xffff);
}

bool csum_l4_insert(const struct pkt *p, u8 *data, u32 len,
		    bool pseudo_in_field)
{
	u32 off = field_of(p, len);
	u8 *l4 = data + p->l4;
	u32 sum = 0;

	if (!off)
		return false;
	if (!pseudo_in_field) {
		put_be16(l4 + off, 0);
		sum = csum_pseudo(p, data);
	}
	put_csum(l4 + off, csum_add(sum, l4, p->l4_len), p->proto == PROTO_UDP);
	return true;
}

bool csum_insert_at(u8 *data, u32 len, u32 start, u32 offset, bool udp)
{
	if (start >= len || offset > len - start || len - start - offset < 2)
		return false;
	put_csum(data + start + offset, csum_add(0, data + start, len - start),
		 udp);
	return true;
}

enum csum_state csum_ipv4_check(const struct pkt *p, const u8 *data, u32 len)
{
	if (p->ip != 4 || p->l4 > len)
		return CSUM_NONE;
	return csum_fold(csum_add(0, data + p->l3, p->l4 - p->l3)) == 0xffff ?
		CSUM_GOOD : CSUM_BAD;
}

enum csum_state csum_l4_check(const struct pkt *p, const u8 *data, u32 len)
{
	u32 off = field_of(p, len);
	u32 sum;

	if (!off)
		return CSUM_NONE;
	if (p->proto == PROTO_UDP && !get_be16(data + p->l4 + off))
		return p->ip == 4 ? CSUM_NONE : CSUM_BAD;
	sum = csum_add(csum_pseudo(p, data), data + p->l4, p->l4_len);
	return csum_fold(sum) == 0xffff ? CSUM_GOOD : CSUM_BAD;
}

u16 csum_complete(const u8 *data, u32 len, u32 from)
{
	return from < len ? csum_fold(csum_add(0, data + from, len - from)) : 0;
}

u32 crc32_eth(const u8 *data, u32 len)
{
	static u32 table[256];
	u32 crc = UINT32_MAX, i;

	if (!table[1]) {
		for (i = 0; i < 256; i++) {
			u32 c = i;
			int k;

			for (k = 0; k < 8; k++)
				c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
			table[i] = c;
		}
	}
	for (i = 0; i < len; i++)
		crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
	return ~crc;
}

u32 rss_toeplitz(const u8 *key, u32 key_len, const struct pkt *p,
		 const u8 *data, bool ports)
{
	u8 input[36];
	u32 n, i, hash = 0, window;

	if (!p->ip || key_len < 4)
		return 0;
	n = p->ip == 4 ? 8 : 32;
	memcpy(input, data + p->l3 + (p->ip == 4 ? 12 : 8), n);
	if (ports && p->payload) {
		memcpy(input + n, data + p->l4, 4);
		n += 4;
	}
	/* The window slides along the key, a bit an input bit. */
	window = get_be32(key);
	for (i = 0; i < n * 8; i++) {
		u32 next = i + 32;

		if (input[i / 8] & 0x80 >> i % 8)
			hash ^= window;
		window <<= 1;
		if (next / 8 < key_len && key[next / 8] & 0x80 >> next % 8)
			window |= 1;
	}
	return hash;
}
