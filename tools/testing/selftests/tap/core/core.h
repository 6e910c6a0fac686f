/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of the core group share: the testbed's interface pair, sockets
 * in copy mode, and frames placed in their UMEM. All bail out on set-up errors.
 */
#ifndef CORE_H
#define CORE_H

#include "net.h"
#include "pkt.h"
#include "tap.h"
#include "uxsk.h"

#define TIMEOUT_MS	10000	/* for what must happen; TCG with KASAN is slow */
#define QUIET_MS	50	/* for what must not happen */

#define META_TX		XDP_TX_METADATA
#define META_TS		XDP_TXMD_FLAGS_TIMESTAMP
#define META_CSUM	XDP_TXMD_FLAGS_CHECKSUM
#define META_LAUNCH	XDP_TXMD_FLAGS_LAUNCH_TIME

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct core {
	const char *ifname, *peer, *peer_netns;
	__u8 peer_mac[6];
};

/* Reads the environment; the pair is up when it returns. */
void core_init(struct core *c);

/* For tests of order: veth queues a frame on the sender's CPU, so frames of a
 * sender that migrates overtake each other.
 */
void core_stay_on_cpu(unsigned int cpu);

/* Opens a socket, or bails out. */
void core_open(struct uxsk *x, const struct uxsk_cfg *cfg);

/*
 * Builds @p in chunk @i, clears the metadata area, gives the address of the
 * packet. Sequence numbers are the caller's.
 */
__u64 core_frame(const struct uxsk *x, __u32 i, struct pkt *p);

/*
 * Fills in a request for the frame at @addr: @flags, and the checksum field's
 * place from @p (which may be NULL).
 */
void core_request(const struct uxsk *x, __u64 addr, __u64 flags, const struct pkt *p);

/* uxsk_put() that bails out when the ring is full. */
void core_put(struct uxsk *x, __u64 addr, __u32 len, __u32 options);

/* tx_invalid_descs of the socket. */
__u64 core_invalid(const struct uxsk *x);

/*
 * Expects frame @seq next at the sniffer. Returns false (and reports by
 * tap_diag()) if another one or none came.
 */
bool core_arrives(struct sniff *s, struct sniff_frame *f, __u64 seq);

/* As above, and the bytes are those of @want. */
bool core_arrives_as(struct sniff *s, struct sniff_frame *f, __u64 seq,
		     const __u8 *want, size_t len);

/* A pseudo random number; the seed is fixed unless SEED is set, and printed. */
__u32 core_random(void);

#endif /* CORE_H */
