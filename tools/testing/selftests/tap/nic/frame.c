// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/in.h>
#include <string.h>

#include "frame.h"
#include "nic.h"

static void put16(uint8_t *p, unsigned int v)
{
	p[0] = v >> 8;
	p[1] = v;
}

uint32_t frame_sum(uint32_t sum, const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] << 8;
	return sum;
}

uint16_t frame_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

static uint16_t pseudo(const struct frame *f)
{
	const uint8_t *ip = f->data + f->l3;
	uint32_t sum = f->proto + f->len - f->l4;

	return frame_fold(f->ip == 4 ? frame_sum(sum, ip + 12, 8) : frame_sum(sum, ip + 8, 32));
}

static size_t ip4(struct frame *f, const struct frame_spec *s, size_t l4_len)
{
	uint8_t *ip = f->data + f->l3;
	/* Record route with room for one address, and the end of the list. */
	static const uint8_t options[] = { 7, 7, 4, 0, 0, 0, 0, 0 };
	size_t hdr = 20 + (s->options ? sizeof(options) : 0);

	memset(ip, 0, hdr);
	ip[0] = 0x40 | hdr / 4;
	put16(ip + 2, hdr + l4_len);
	put16(ip + 6, s->fragment ? 0x2000 : 0x4000);
	ip[8] = 64;
	ip[9] = f->proto;
	inet_pton(AF_INET, "192.0.2.1", ip + 12);
	inet_pton(AF_INET, "192.0.2.2", ip + 16);
	if (s->options)
		memcpy(ip + 20, options, sizeof(options));
	put16(ip + 10, ~frame_fold(frame_sum(0, ip, hdr)));
	return hdr;
}

static size_t ip6(struct frame *f, const struct frame_spec *s, size_t l4_len)
{
	uint8_t *ip = f->data + f->l3;
	size_t ext = s->options || s->fragment ? 8 : 0;

	memset(ip, 0, 40 + ext);
	ip[0] = 0x60;
	put16(ip + 4, ext + l4_len);
	ip[6] = f->proto;
	ip[7] = 64;
	inet_pton(AF_INET6, "2001:db8::1", ip + 8);
	inet_pton(AF_INET6, "2001:db8::2", ip + 24);
	if (s->fragment) {
		ip[6] = IPPROTO_FRAGMENT;
		ip[40] = f->proto;
		ip[43] = 1;		/* more fragments */
	} else if (s->options) {
		ip[6] = IPPROTO_DSTOPTS;
		ip[40] = f->proto;
		ip[42] = 1;		/* PadN of six bytes */
		ip[43] = 4;
	}
	return 40 + ext;
}

void frame_build(struct frame *f, const struct frame_spec *s)
{
	uint8_t *p = f->data;
	size_t hdr = s->tcp ? 20 : 8, l4_len = hdr + s->payload;

	memcpy(p, s->dst, 6);
	memcpy(p + 6, s->src, 6);
	p += 12;
	for (unsigned int i = 0; i < s->vlans; i++, p += 4) {
		put16(p, s->vlans - i == 2 ? ETH_P_8021AD : ETH_P_8021Q);
		put16(p + 2, 100 + i);
	}
	put16(p, s->ip == 4 ? ETH_P_IP : ETH_P_IPV6);
	f->l3 = p + 2 - f->data;
	f->ip = s->ip;
	f->proto = s->tcp ? IPPROTO_TCP : IPPROTO_UDP;
	f->l4 = f->l3 + (s->ip == 4 ? ip4(f, s, l4_len) : ip6(f, s, l4_len));
	f->payload = f->l4 + hdr;
	f->len = f->payload + s->payload;
	f->check = f->l4 + (s->tcp ? 16 : 6);

	p = f->data + f->l4;
	memset(p, 0, hdr);
	put16(p, 4242);
	put16(p + 2, 4243);
	if (s->tcp) {
		p[12] = 5 << 4;
		p[13] = 0x10;
		put16(p + 14, 1000);
	} else {
		put16(p + 4, l4_len);
	}
	put16(f->data + f->check, pseudo(f));
	p = f->data + f->payload;
	for (size_t i = 0; i < s->payload; i++)
		p[i] = i < 8 ? s->seq >> (56 - 8 * i) : i * 7 + s->seq;
}

void frame_finish(struct frame *f)
{
	uint16_t sum = ~frame_fold(frame_sum(0, f->data + f->l4, f->len - f->l4));

	put16(f->data + f->check, sum ?: 0xffff);
}

void frame_to_peer(struct frame_spec *s)
{
	nic_mac(nic_if, s->src);
	nic_mac(nic_peer, s->dst);
}
