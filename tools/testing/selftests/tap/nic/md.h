/* SPDX-License-Identifier: GPL-2.0 */
/* Zero-copy sockets that send frames with and without requests, and account for each. */
#ifndef MD_H
#define MD_H

#include "frame.h"
#include "nic.h"

#define MD_LEN 24
#define MD_CANARY 0xa5

struct md_frame {
	/* what to send */
	struct frame_spec spec;
	bool finish;		/* fill in the checksum in software */
	bool option;		/* set XDP_TX_METADATA */
	uint64_t flags;
	uint16_t csum_start, csum_offset;
	uint64_t launch_ns;
	/* what became of it */
	unsigned int completions;
	uint64_t stamp;		/* tx_timestamp after completion */
	bool same;		/* the area is as it was before */
	uint64_t submit_ns, complete_ns;	/* CLOCK_MONOTONIC */
};

struct md_sock {
	struct uxsk x;
	unsigned int queue;
	unsigned int chunks;	/* for sending; as many again are for receiving */
	struct md_frame **chunk;	/* frame in flight in each chunk */
	uint8_t (*before)[MD_LEN];
	unsigned int next;		/* chunk to try first */
	unsigned long strays;		/* completions of nothing in flight */
};

/*
 * @bind_flags 0: zero-copy. Chunks and rings of @ring entries. The queue can receive,
 * so that what an XDP program makes of that goes on. 0 or -errno.
 */
int md_open(struct md_sock *m, unsigned int queue, unsigned int ring, unsigned int meta_len,
	    unsigned int bind_flags);
void md_close(struct md_sock *m);

/* Puts a frame on the ring, does not kick. False: no room. */
bool md_put(struct md_sock *m, struct md_frame *f);
/* Takes completions, returns how many. */
unsigned int md_reap(struct md_sock *m);
/*
 * Sends @n frames, at most @batch of them in flight, until all are completed
 * or @ms without progress passed. Returns how many were completed.
 */
size_t md_run(struct md_sock *m, struct md_frame *f, size_t n, unsigned int batch, unsigned int ms);

/* Frames of a test: UDP over IPv4 to the peer, seq from @first on, no request. */
struct md_frame *md_frames(size_t n, uint64_t first);
/* The bytes that frame @f should have on the wire, checksum complete or as given. */
uint32_t md_crc(const struct md_frame *f, bool complete, uint32_t *len);

/* tx_xsk_* of ethtool -S, device totals. */
struct md_stats {
	long long requested, ok, skipped, timeout, flushed;
	long long csum_ok, csum_refused, launch_ok, launch_refused, invalid;
};

void md_stats(struct md_stats *s);
/* What was counted since @before. */
struct md_stats md_since(const struct md_stats *before);
/* requested = ok + skipped + timeout + flushed, since @before. */
bool md_sum_holds(const struct md_stats *before, const char *when);

/* Metadata topics run only on the patched kernel. */
void md_init(void);

#endif
