/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frames: UDP over IPv4 or IPv6, no VLAN tag. The payload starts with the
 * sequence number, 64 bits in network order; the rest follows from it, so that
 * the receiver can tell any changed byte. Every 1024th frame has a payload for
 * which the checksum computes to 0 and has to go out as 0xffff.
 */
#ifndef PACKET_H
#define PACKET_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define PACKET_MAX 65535

struct flow {
	bool ipv6;
	__u8 smac[6], dmac[6];
	__u8 src[16], dst[16];	/* network order; IPv4 uses the first 4 bytes */
	__u16 sport, dport;	/* host order */
};

enum packet_fill {
	FILL_FULL,		/* the checksum is right */
	FILL_PSEUDO,		/* the folded pseudo-header sum, as a request wants it */
};

/* What became of a captured frame. */
enum packet_state {
	PKT_FOREIGN,		/* not of this flow */
	PKT_UNKNOWN,		/* of this flow, with a number that was never sent */
	PKT_CORRUPT,		/* something other than the UDP checksum differs */
	PKT_UNFILLED,		/* the checksum has still to be filled in */
	PKT_WRONG,		/* the checksum is wrong */
	PKT_RIGHT,
};

/* Bytes up to the UDP header: where csum_start points. */
static inline __u32 packet_csum_start(bool ipv6)
{
	return 14 + (ipv6 ? 40 : 20);
}

#define PACKET_CSUM_OFFSET 6

/* Smallest frame that holds the number, and that Ethernet takes. */
static inline __u32 packet_min_size(bool ipv6)
{
	__u32 n = packet_csum_start(ipv6) + 8 + 8;

	return n < 60 ? 60 : n;
}

/* Writes frame @seq of @size bytes to @buf. */
void packet_build(const struct flow *flow, __u8 *buf, __u32 size, __u64 seq,
		  enum packet_fill fill);

/*
 * Judges a captured frame of @len bytes against what packet_build() made of
 * it; @ready: its checksum was filled in when it was captured. @count: numbers
 * at or above it were never sent. @scratch holds @size bytes. *@seq is set
 * for all but PKT_FOREIGN; *@want and *@got are the checksum fields in host
 * order, set from PKT_UNFILLED on.
 */
enum packet_state packet_check(const struct flow *flow, const __u8 *buf, size_t len, bool ready,
			       __u32 size, __u64 count, __u8 *scratch,
			       __u64 *seq, __u16 *want, __u16 *got);

/* Ones' complement sum of @len bytes, not folded, added to @sum. */
__u64 csum_add(__u64 sum, const void *data, size_t len);

/* Folds to 16 bits, in host order. */
__u16 csum_fold(__u64 sum);

/* Sum of the UDP pseudo header over @udp_len bytes, not folded. */
__u64 csum_pseudo(const struct flow *flow, __u32 udp_len);

#endif /* PACKET_H */
