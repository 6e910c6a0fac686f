/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From what was seen of each frame to a verdict. No I/O, no clock: everything
 * judged comes in, so every fault can be planted in a test.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "clockmap.h"
#include "packet.h"
#include "stats.h"

/* What is known of one frame, and what is thought of it. */
struct frame {
	__u64 addr;		/* in the UMEM */
	__u64 submit_ns;	/* TAI, just before the kernel could see it; 0: never sent */
	__u64 complete_ns;	/* TAI, just after its completion was seen; 0: not yet */
	__u64 stamp;		/* completion.tx_timestamp when completed */
	__u64 asked;		/* the same eight bytes when submitted */
	__u64 launch;		/* launch time asked for, in the device's clock; 0: none */
	__u32 rx;		/* times it reached the peer */
	__u16 want, got;	/* UDP checksum at the peer, host order */
	__u8 req;		/* XDP_TXMD_FLAGS_* */
	__u8 completions;
	__u8 rx_state;		/* worst enum packet_state among its arrivals */
	__u8 changed;		/* the eight bytes changed after the completion */
	__u8 verdict;		/* enum frame_verdict */
};

enum frame_verdict {
	FV_OK,
	FV_UNSENT,		/* never handed over */
	FV_INCOMPLETE,		/* no completion */
	FV_TWICE,		/* completed more than once */
	FV_UNASKED,		/* asked for no stamp, and its area was written */
	FV_ZERO,		/* no stamp */
	FV_ECHO,		/* the request's own bytes instead of a stamp */
	FV_LATE,		/* written, or taken, after the completion */
	FV_EARLY,		/* from before the frame was submitted: another frame's */
	FV_DUPLICATE,		/* the same as a frame before it */
	FV_ORDER,		/* earlier than a frame before it */
	FV_AHEAD,		/* left before its launch time */
	FV_BEHIND,		/* left long after its launch time */
	FV_COUNT
};

const char *verdict_name(enum frame_verdict v);

/* What the run as a whole saw. */
struct run {
	struct frame *frame;
	__u64 count;			/* frames that were to be sent */
	const struct clockmap *map;
	bool has_peer;
	bool interrupted;
	__u64 stray_completions;	/* addresses that were not in flight */
	__u64 invalid_descs;		/* XDP_STATISTICS, since the start */
	__u64 peer_unknown;		/* arrivals with a number that was never sent */
	__u64 peer_drops;		/* arrivals that the capture lost */
	bool has_counters;		/* the driver says what became of requests: */
	__u64 ts_unserved;		/* skipped, timed out or flushed */
	__u64 csum_refused, launch_refused;
	int send_errno;			/* sending ended with it, 0: it did not */
};

struct verdict {
	__u64 sent, completed, incomplete, twice, not_asked, unasked;
	/* requested = stamped + zero + echo + late + early + duplicate + out_of_order
	 *	     + ahead + behind + those of the incomplete and twice that asked
	 */
	__u64 requested, stamped, zero, echo, late, early, duplicate, out_of_order;
	__u64 launch_requested, ahead, behind;
	bool zero_explained;		/* the driver's counters account for each of them */
	bool times_known;		/* early and late could be judged */
	/* at the peer, counted in frames */
	__u64 arrived, lost, twice_arrived, corrupt, unfilled, wrong, right;
	__u64 csum_requested, csum_right;
	struct dist submit_to_stamp, stamp_to_completion;
	struct dist launch_to_stamp;	/* of all that were stamped, right or not */
	bool pass;
	char reason[256];		/* the first thing that is wrong; "" if nothing is */
	unsigned int faults;		/* how many kinds of thing are wrong */
};

/* How far a stamp may lie from the launch time. */
#define LAUNCH_EARLY_NS 1024	/* hardware rounds launch times down */
#define LAUNCH_LATE_NS 1000000	/* a frame may wait for those before it */

/*
 * Fills in the frames' verdicts and @v. false: no memory.
 * Late and early are judged where the clock is known and was not set.
 */
bool verdict_judge(struct run *run, struct verdict *v);

#endif /* VERDICT_H */
