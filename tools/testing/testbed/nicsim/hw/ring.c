// SPDX-License-Identifier: GPL-2.0
#include "nic.h"

#define RING_MAX 65536
#define STRIDE_MAX 4096

int ring_init(struct nic *nic, struct ring *r, u64 base, u32 count, u32 stride)
{
	memset(r, 0, sizeof(*r));
	if (!count || count > RING_MAX || !stride || stride > STRIDE_MAX) {
		guest_error(nic, "ring of %u x %u bytes refused", count, stride);
		return -EINVAL;
	}
	r->base = base;
	r->count = count;
	r->stride = stride;
	return 0;
}

int ring_set_tail(struct nic *nic, struct ring *r, u32 tail)
{
	if (tail >= r->count) {
		guest_error(nic, "ring tail %u of %u refused", tail, r->count);
		return -EINVAL;
	}
	r->tail = tail;
	return 0;
}

int ring_index(struct nic *nic, const struct ring *r, u64 iova, u32 *index)
{
	u64 off = iova - r->base;

	if (!r->count || off >= (u64)r->count * r->stride || off % r->stride) {
		guest_error(nic, "address %#llx is no entry of the ring at %#llx",
			    (unsigned long long)iova,
			    (unsigned long long)r->base);
		return -EINVAL;
	}
	*index = (u32)(off / r->stride);
	return 0;
}

u32 ring_pending(const struct ring *r)
{
	return r->tail >= r->head ? r->tail - r->head :
				    r->count - r->head + r->tail;
}

static bool ring_bad(struct nic *nic, const struct ring *r, u32 index,
		     size_t len)
{
	if (index < r->count && len <= r->stride)
		return false;
	guest_error(nic, "entry %u (%zu bytes) outside a ring of %u x %u", index,
		    len, r->count, r->stride);
	return true;
}

int ring_read(struct nic *nic, const struct ring *r, u32 index, void *buf,
	      size_t len)
{
	if (ring_bad(nic, r, index, len))
		return -EFAULT;
	return dma_read(nic, ring_addr(r, index), buf, len);
}

int ring_write(struct nic *nic, const struct ring *r, u32 index,
	       const void *buf, size_t len)
{
	if (ring_bad(nic, r, index, len))
		return -EFAULT;
	return dma_write(nic, ring_addr(r, index), buf, len);
}
