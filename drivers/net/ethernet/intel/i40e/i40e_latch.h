/* SPDX-License-Identifier: GPL-2.0 */
/* The one TX timestamp register of a port, and who may use it when.
 *
 * Hardware: a frame with TSYN in its context descriptor leaves its egress time
 * in PRTTSYN_TXTIME_L/H and raises TIMESYNC. Until software has read TXTIME_H,
 * later frames leave nothing. Nothing says whose stamp it is.
 *
 * So the register is granted to one frame at a time, and every grant ends in
 * one of three ways: with its stamp; by giving up, which reads the register for
 * the last time and so unlocks it; or by a flush. After the latter two the
 * frame may yet leave, and its stamp must not go to somebody else:
 *  - The register rests for %I40E_LATCH_REST. What comes meanwhile is thrown
 *    away.
 *  - From then on each grant notes the clock's time, and a stamp from before
 *    that is thrown away. Setting the clock moves that time along. Setting it
 *    back makes stamps up to the time shown before ambiguous: for
 *    %I40E_LATCH_AMBIGUOUS they are thrown away as well.
 * What remains is a frame that leaves later than the rest after it was given up,
 * between another frame's grant and egress: nothing could tell the two.
 *
 * Who gets the register:
 *  - An skb behind another skb goes without (tx_hwtstamp_skipped), as ever.
 *  - An skb behind an AF_XDP frame, or a rest, waits, its queue stopped, for at
 *    most %I40E_LATCH_SKB_WAIT. While it waits no AF_XDP frame gets the
 *    register.
 *  - An AF_XDP frame never waits for the register. Its completion waits for its
 *    stamp: at most %I40E_LATCH_XSK_HOLD after the descriptor completed.
 *
 * All state is under one lock, taken in any context, so that the order of the
 * events (grant, stamp, completion, time-out, flush) does not matter: whichever
 * comes first under the lock ends the grant, and the others find it ended. A
 * waiting skb registers and stops its queue under the lock, and whatever frees
 * the register wakes that queue under the lock, so that no wake-up is lost.
 */

#ifndef _I40E_LATCH_H_
#define _I40E_LATCH_H_

#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <net/xdp_sock_drv.h>

struct i40e_pf;
struct i40e_ring;
struct sk_buff;

/* From the completion of the descriptor; the promise is 2 ms. */
#define I40E_LATCH_XSK_HOLD	(1 * NSEC_PER_MSEC)
/* Of an skb that asks while an AF_XDP frame has the register. */
#define I40E_LATCH_SKB_WAIT	(1 * NSEC_PER_MSEC)
/* How long an skb that waited in vain is recognised when it comes back. */
#define I40E_LATCH_SKB_BACK	(20 * NSEC_PER_MSEC)
/* After a grant without a stamp. */
#define I40E_LATCH_REST		(4 * NSEC_PER_MSEC)
/* After the clock was set back, in jiffies. */
#define I40E_LATCH_AMBIGUOUS	HZ

enum i40e_latch_owner {
	I40E_LATCH_FREE,
	I40E_LATCH_SKB,
	I40E_LATCH_XSK,
	I40E_LATCH_RESTS,
};

enum i40e_latch_wait {
	I40E_LATCH_WAIT_NONE,
	I40E_LATCH_WAITING,
	I40E_LATCH_WAIT_OVER,	/* in vain, the skb has yet to come back */
};

/**
 * struct i40e_latch - state of the timestamp register
 * @lock: protects everything here and the clock's latched high half
 * @owner: who has the grant
 * @doubt: a grant has once ended without its stamp
 * @suspect: a stamp up to this time may be from before the clock was set back,
 *	ns; 0 for none
 * @suspect_end: jiffies until when that counts
 * @granted: clock's time at the grant, ns; 0 if it was not needed
 * @start: jiffies of the grant
 * @skb: I40E_LATCH_SKB: the frame, with a reference
 * @ring: I40E_LATCH_XSK: the frame's ring
 * @idx: I40E_LATCH_XSK: the frame's data descriptor
 * @held: I40E_LATCH_XSK: the descriptor has completed, the ring waits
 * @compl: I40E_LATCH_XSK: the answer
 * @hold: I40E_LATCH_XSK: gives up
 * @wait: state of a waiting skb
 * @waiter: the skb, only to compare with
 * @wait_queue: its queue
 * @wait_timer: ends the wait
 */
struct i40e_latch {
	spinlock_t lock; /* All of this; any context */
	enum i40e_latch_owner owner;
	bool doubt;
	u64 suspect;
	unsigned long suspect_end;
	u64 granted;
	unsigned long start;

	struct sk_buff *skb;

	struct i40e_ring *ring;
	u16 idx;
	bool held;
	struct xsk_tx_metadata_compl compl;
	struct hrtimer timer;

	enum i40e_latch_wait wait;
	const struct sk_buff *waiter;
	u16 wait_queue;
	struct hrtimer wait_timer;
};

/* Answer to an skb that asks for a stamp. */
enum i40e_latch_skb {
	I40E_LATCH_GO_WITHOUT,
	I40E_LATCH_GRANTED,
	I40E_LATCH_TRY_LATER,	/* its queue is stopped */
};

void i40e_latch_init(struct i40e_pf *pf);
void i40e_latch_exit(struct i40e_pf *pf);
void i40e_latch_flush(struct i40e_pf *pf);
u32 i40e_latch_intr(struct i40e_pf *pf);
void i40e_latch_watchdog(struct i40e_pf *pf);

enum i40e_latch_skb i40e_latch_get_skb(struct i40e_ring *tx_ring,
				       struct sk_buff *skb);
void i40e_latch_put_skb(struct i40e_pf *pf, struct sk_buff *skb);

bool i40e_latch_get_xsk(struct i40e_ring *xdp_ring, u16 idx,
			struct xsk_tx_metadata *meta);
u32 i40e_latch_completable(struct i40e_ring *xdp_ring, u32 descs);
void i40e_latch_ring_gone(struct i40e_ring *xdp_ring);

u64 i40e_latch_time(struct i40e_pf *pf);
void i40e_latch_step(struct i40e_pf *pf, s64 delta);

#endif /* _I40E_LATCH_H_ */
