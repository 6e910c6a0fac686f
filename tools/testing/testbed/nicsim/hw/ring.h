/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A descriptor ring in guest memory: @count entries of @stride bytes at @base.
 * @head is the device's next entry, @tail the first one it may not touch
 * (software's doorbell). Both are indices in [0, count). Models that use free
 * running counters mask them first.
 */
#ifndef NICSIM_RING_H
#define NICSIM_RING_H

#include "hw/dma.h"

struct ring {
	u64 base;	/* IOVA */
	u32 count;	/* entries, any number up to 65536 */
	u32 stride;	/* bytes an entry */
	u32 head;
	u32 tail;
};

/* head = tail = 0. -EINVAL (logged) on count or stride out of range. */
int ring_init(struct nic *nic, struct ring *r, u64 base, u32 count, u32 stride);
static inline bool ring_ready(const struct ring *r)
{
	return r->count;
}

/* -EINVAL (logged) on @tail >= count: the doorbell is refused. */
int ring_set_tail(struct nic *nic, struct ring *r, u32 tail);
/* The index behind an address inside the ring (tail pointers by address). */
int ring_index(struct nic *nic, const struct ring *r, u64 iova, u32 *index);

/* Entries between head and tail. */
u32 ring_pending(const struct ring *r);
static inline u32 ring_next(const struct ring *r, u32 index)
{
	return index + 1 < r->count ? index + 1 : 0;
}
static inline void ring_advance(struct ring *r)
{
	r->head = ring_next(r, r->head);
}
static inline u64 ring_addr(const struct ring *r, u32 index)
{
	return r->base + (u64)index * r->stride;
}

/* Copy entry @index in or out, @len <= stride bytes. 0 or -EFAULT. */
int ring_read(struct nic *nic, const struct ring *r, u32 index, void *buf,
	      size_t len);
int ring_write(struct nic *nic, const struct ring *r, u32 index,
	       const void *buf, size_t len);

#endif
