/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frame parsing, Internet checksums, Ethernet CRC and Toeplitz hash. Nothing
 * here trusts a length: what doesn't fit is not parsed.
 */
#ifndef NICSIM_CSUM_H
#define NICSIM_CSUM_H

#include "hw/types.h"

struct pkt {
	u16 ethertype;	/* behind VLAN tags, host order */
	u16 vlan;	/* outermost TCI, valid if vlan_tags */
	u8 vlan_tags;	/* 0 .. 2 */
	u8 ip;		/* 4, 6 or 0 */
	u8 proto;	/* L4 protocol, behind IPv6 extension headers */
	bool frag;	/* a fragment: no L4 header to look at, or not all of it */
	u16 l3;		/* offset of the IP header, 0 = none */
	u16 l4;		/* offset of the L4 header, 0 = none */
	u16 payload;	/* offset of the L4 payload (UDP, TCP), 0 = none */
	u32 l4_len;	/* L4 bytes by the IP header, header included */
	u16 sport, dport;	/* host order, UDP/TCP with l4 */
};

/* False if not even an Ethernet header fits. */
bool pkt_parse(struct pkt *p, const u8 *data, u32 len);

/* One's complement sum of @len bytes added to @sum; fold for the field. */
u32 csum_add(u32 sum, const void *data, u32 len);
u16 csum_fold(u32 sum);		/* folded, not inverted, host order */
/* The pseudo-header's sum for the packet, without the L4 bytes. */
u32 csum_pseudo(const struct pkt *p, const u8 *data);

/* Write the IPv4 header checksum. False if not IPv4. */
bool csum_ipv4_insert(const struct pkt *p, u8 *data, u32 len);
/*
 * Write the L4 checksum of a TCP/UDP packet, not a fragment. @pseudo_in_field:
 * the driver has put the pseudo-header's sum there (as Linux does), else the
 * hardware computes it. A UDP result of 0 goes out as 0xffff.
 */
bool csum_l4_insert(const struct pkt *p, u8 *data, u32 len,
		    bool pseudo_in_field);
/* Generic: sum from @start to the end into start + offset. False: outside. */
bool csum_insert_at(u8 *data, u32 len, u32 start, u32 offset, bool udp);

enum csum_state { CSUM_NONE, CSUM_GOOD, CSUM_BAD };

enum csum_state csum_ipv4_check(const struct pkt *p, const u8 *data, u32 len);
/* NONE: not TCP/UDP, a fragment, or UDP/IPv4 without checksum. */
enum csum_state csum_l4_check(const struct pkt *p, const u8 *data, u32 len);
/* Sum over everything behind the Ethernet header (CHECKSUM_COMPLETE). */
u16 csum_complete(const u8 *data, u32 len, u32 from);

/* Ethernet's CRC-32 as it would stand in the FCS. */
u32 crc32_eth(const u8 *data, u32 len);

/* Toeplitz hash over addresses and, with @ports, ports. 0 if not IP. */
u32 rss_toeplitz(const u8 *key, u32 key_len, const struct pkt *p,
		 const u8 *data, bool ports);

#endif
