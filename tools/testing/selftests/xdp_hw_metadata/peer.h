/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The other end of the wire: a packet socket on the peer interface, in its
 * network namespace, and a thread that judges what arrives while the frames
 * are sent. TP_STATUS_CSUMNOTREADY tells a checksum that was not filled in.
 */
#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <stdatomic.h>

#include "netdev.h"
#include "packet.h"
#include "verdict.h"

struct peer {
	int fd;				/* -1: none */
	bool running;			/* the thread is */
	struct netdev_info dev;
	bool has_v4, has_v6;
	__u8 v4[4], v6[16];
	/* for the thread */
	pthread_t thread;
	atomic_bool stop;
	atomic_ullong arrived;		/* frames of the flow, first arrivals only */
	const struct flow *flow;
	struct frame *frame;
	__u64 count;
	__u32 size;
	/* after peer_stop() */
	__u64 unknown;			/* numbers that were never sent */
	__u64 drops;			/* that the socket had no room for */
};

#define PEER_NONE ((struct peer){ .fd = -1 })

/*
 * Opens the socket and learns the peer's addresses. @netns may be "". 0, or
 * an exit code after one line on stderr that names @ifname, the sender's.
 */
int peer_open(struct peer *p, const char *ifname, const char *netns, const char *peer_if);

/* Starts the capture: fills in rx, rx_state, want and got of @frame. 0 or -errno. */
int peer_start(struct peer *p, const struct flow *flow, struct frame *frame, __u64 count,
	       __u32 size);

/*
 * Waits until @want different frames arrived, or nothing more has for
 * @idle_ms. Then ends the thread.
 */
void peer_stop(struct peer *p, __u64 want, unsigned int idle_ms);

void peer_close(struct peer *p);

#endif /* PEER_H */
