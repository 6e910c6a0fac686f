/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The truth log: one JSON object a line for each frame that a port sent.
 *
 *	port	  "a", "b", ...
 *	queue	  the NIC's transmit queue
 *	desc	  index of the descriptor that asked (the one written back)
 *	seq	  64 bits, big-endian, at the start of the UDP payload, or null
 *	egress_ns when the frame's first byte left, in the port's own clock as
 *		  the driver would convert it
 *	stamp_ns  what the guest was given, same clock; null: none given
 *	len	  bytes without FCS, as sent
 *	crc32	  of those bytes, as the FCS would hold it
 *	req	  what the descriptor asked for, XDP_TXMD_FLAGS_* bits
 *	launch_ns requested launch time, same clock; null: none
 *	rx_ns	  when the first byte comes to the other port, in that port's
 *		  clock; null: it never does
 *	fault	  name of the fault that struck this frame, or null
 *	cqe_ns	  only from a NIC whose stamp is not taken at the wire: the
 *		  moment that stamp_ns means
 *
 * All numbers are unsigned. Lines appear in the order of completion; sync
 * (truth_flush()) makes them visible to readers.
 */
#ifndef NICSIM_TRUTH_H
#define NICSIM_TRUTH_H

#include "hw/types.h"

#define TRUTH_NONE UINT64_MAX	/* null */

/* The bits of req, values of XDP_TXMD_FLAGS_*. */
#define TRUTH_REQ_TS	 BIT(0)
#define TRUTH_REQ_CSUM	 BIT(1)
#define TRUTH_REQ_LAUNCH BIT(2)

struct truth_rec {
	const char *port;
	u32 queue;
	u32 desc;
	u64 egress_ns;
	u64 stamp_ns;
	u64 cqe_ns;
	u64 launch_ns;
	u64 rx_ns;
	u32 req;
	const char *fault;
	const u8 *data;	/* seq, len and crc32 are taken from here */
	u32 len;
};

/* 0 or -errno. Without it, nothing is logged. */
int truth_open(const char *path);
void truth_log(const struct truth_rec *rec);
/* 0 or -errno of the write. */
int truth_flush(void);
void truth_close(void);
u64 truth_lines(void);

#endif
