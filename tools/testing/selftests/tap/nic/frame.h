/* SPDX-License-Identifier: GPL-2.0 */
/* Frames as tests want them, and what their checksums should be. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX 2048

struct frame_spec {
	uint8_t src[6], dst[6];
	unsigned int vlans;	/* 0 .. 2, the outer of two is an S-tag */
	unsigned int ip;	/* 4 or 6 */
	bool tcp;		/* else UDP */
	bool options;		/* IPv4 options, IPv6 destination options */
	bool fragment;
	uint64_t seq;		/* at the payload's start */
	size_t payload;		/* bytes, at least 8 */
};

struct frame {
	size_t len;
	size_t l3, l4, payload;	/* offsets */
	size_t check;		/* offset of the L4 checksum field */
	unsigned int proto;
	unsigned int ip;
	uint8_t data[FRAME_MAX];
};

/*
 * Builds the frame with a right IPv4 header checksum. The L4 checksum field
 * holds the pseudo header's sum, as a sender leaves it for hardware.
 */
void frame_build(struct frame *f, const struct frame_spec *s);
/* Complete the L4 checksum, as it has to be on the wire. */
void frame_finish(struct frame *f);
/* The Internet checksum: 16-bit words of @p added to @sum, and @sum folded. */
uint32_t frame_sum(uint32_t sum, const uint8_t *p, size_t len);
uint16_t frame_fold(uint32_t sum);
/* Addresses of the two ports' MACs into the spec: nic_if to nic_peer. */
void frame_to_peer(struct frame_spec *s);

#endif
