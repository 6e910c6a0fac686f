/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test frames: building them with a checksum left to fill in, and judging
 * what arrives. Every frame carries PKT_SRC as source MAC prefix, by which
 * the sniffer knows it, and a 64 bit sequence number (big endian) at the start
 * of its payload. Nothing here allocates or keeps state.
 */
#ifndef PKT_H
#define PKT_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#define PKT_SRC		"\x02\x74\x78\x6d\x64"	/* first 5 bytes of the source MAC */
#define PKT_MAX		2048
#define PKT_UDP_PORT	7109

struct pkt {
	/* wanted */
	bool v6, tcp;
	__u16 vlan;		/* VLAN id, 0: untagged */
	__u16 payload;		/* bytes after the UDP/TCP header, >= 8 */
	__u64 seq;
	const __u8 *dst_mac;	/* NULL: broadcast */
	bool sum_zero;		/* choose the payload so that the sum computes to 0 */

	/* filled in by pkt_build() */
	__u16 len;		/* of the frame */
	__u16 csum_start;	/* from the frame's start to the UDP/TCP header */
	__u16 csum_offset;	/* from there to the checksum field */
};

/*
 * Writes the frame to @buf (PKT_MAX bytes). 192.0.2.1 -> .2 or 2001:db8::1 ->
 * ::2. The checksum field holds the folded pseudo-header sum, as a request for
 * checksum offload wants it.
 */
void pkt_build(struct pkt *p, __u8 *buf);

/* Fills in the checksum that pkt_build() left, by the book: 0 becomes 0xffff. */
void pkt_fill_csum(const struct pkt *p, __u8 *buf);

/* The checksum field of a frame built as @p. */
__u16 pkt_csum(const struct pkt *p, const __u8 *buf);

/*
 * Whether a received frame's UDP/TCP checksum is right, found by parsing the
 * frame itself. A UDP checksum of 0, "none", is not right.
 */
bool pkt_csum_ok(const __u8 *frame, size_t len);

/* Sequence number of a frame with PKT_SRC, ~0 if it can't be parsed. */
__u64 pkt_seq(const __u8 *frame, size_t len);

/* One's complement sum of @len bytes, not folded, on top of @sum. */
__u32 pkt_sum(const void *data, size_t len, __u32 sum);
__u16 pkt_fold(__u32 sum);

#endif /* PKT_H */
