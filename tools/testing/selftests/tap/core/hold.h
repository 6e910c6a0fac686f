/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A device whose frames stay under way for a known time: a macvlan over a veth
 * whose queueing discipline (fq, the one that leaves the skb its owner) paces. The
 * skb, and with it the request, lives until it leaves, whatever happens to its
 * sender meanwhile.
 */
#ifndef HOLD_H
#define HOLD_H

#define HOLD_IF		"hold0"		/* bind here */
#define HOLD_LOWER	"holdl"		/* the delaying veth */
#define HOLD_PEER	"holdp"		/* where the frames come out */

struct uxsk;

#define HOLD_MS		300	/* what follows the primer waits this long ... */
#define HOLD_ALL_MS	1000	/* ... and 32 frames of up to 100 bytes this long */

/* Makes the devices in @netns (NULL: here). */
void hold_make(const char *netns);

/*
 * Sends one large frame from the UMEM's last chunk and waits for its completion:
 * the frames after it have to wait.
 */
void hold_prime(struct uxsk *x);

/* Removes the devices; does nothing where there are none. */
void hold_remove(const char *netns);

#endif /* HOLD_H */
