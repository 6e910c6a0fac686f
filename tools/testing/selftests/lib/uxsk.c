// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "uxsk.h"

static int result(long ret)
{
	return ret < 0 ? -errno : (int)ret;
}

static __u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

__u64 uxsk_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

__u64 uxsk_tai_ns(void)
{
	return clock_ns(CLOCK_TAI);
}

struct uxsk_cfg uxsk_cfg_tx(const char *ifname, __u32 tx_metadata_len)
{
	return (struct uxsk_cfg){
		.umem_flags = tx_metadata_len ? XDP_UMEM_TX_METADATA_LEN : 0,
		.tx_metadata_len = tx_metadata_len,
		.fill = 64, .comp = 64, .tx = 64,
		.ifname = ifname,
		.bind_flags = XDP_COPY,
		.busy_ms = 5000,
	};
}

int uxsk_socket(void)
{
	return result(socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0));
}

int uxsk_umem_reg(int fd, const void *reg, socklen_t optlen)
{
	return result(setsockopt(fd, SOL_XDP, XDP_UMEM_REG, reg, optlen));
}

int uxsk_bind(int fd, const char *ifname, __u32 queue, __u16 flags, int shared_fd)
{
	struct sockaddr_xdp sa = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = flags,
		.sxdp_queue_id = queue,
	};

	sa.sxdp_ifindex = if_nametoindex(ifname);
	if (!sa.sxdp_ifindex)
		return -errno;
	if (flags & XDP_SHARED_UMEM)
		sa.sxdp_shared_umem_fd = shared_fd;
	return result(bind(fd, (struct sockaddr *)&sa, sizeof(sa)));
}

static int map_ring(struct uxsk *x, int slot, const struct xdp_ring_offset *off,
		    __u32 entries, size_t entry_size, off_t pgoff)
{
	size_t len = off->desc + entries * entry_size;
	void *map;

	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		   x->fd, pgoff);
	if (map == MAP_FAILED)
		return -errno;
	x->maps[slot].map = map;
	x->maps[slot].len = len;
	return 0;
}

/* Both kinds of ring have the same members, but are different types. */
#define RING_INIT(r, base, off, entries) do { \
	(r)->size = (entries); \
	(r)->mask = (entries) - 1; \
	(r)->producer = (__u32 *)((char *)(base) + (off)->producer); \
	(r)->consumer = (__u32 *)((char *)(base) + (off)->consumer); \
	(r)->flags = (__u32 *)((char *)(base) + (off)->flags); \
	(r)->ring = (char *)(base) + (off)->desc; \
	(r)->cached_prod = *(r)->producer; \
	(r)->cached_cons = *(r)->consumer; \
} while (0)

static int set_ring(int fd, int opt, __u32 entries)
{
	return result(setsockopt(fd, SOL_XDP, opt, &entries, sizeof(entries)));
}

static int make_rings(struct uxsk *x, const struct uxsk_cfg *cfg)
{
	const struct {
		__u32 entries;
		int opt;
	} want[] = {
		{ cfg->fill, XDP_UMEM_FILL_RING },
		{ cfg->comp, XDP_UMEM_COMPLETION_RING },
		{ cfg->rx, XDP_RX_RING },
		{ cfg->tx, XDP_TX_RING },
	};
	struct xdp_mmap_offsets off;
	socklen_t optlen = sizeof(off);
	unsigned int i;
	int err;

	x->step = "ring";
	for (i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		if (!want[i].entries)
			continue;
		err = set_ring(x->fd, want[i].opt, want[i].entries);
		if (err)
			return err;
	}

	x->step = "mmap";
	err = result(getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &off, &optlen));
	if (err)
		return err;
	if (cfg->fill) {
		err = map_ring(x, 0, &off.fr, cfg->fill, sizeof(__u64),
			       XDP_UMEM_PGOFF_FILL_RING);
		if (err)
			return err;
		RING_INIT(&x->fill, x->maps[0].map, &off.fr, cfg->fill);
		x->fill.cached_cons += cfg->fill;
	}
	if (cfg->comp) {
		err = map_ring(x, 1, &off.cr, cfg->comp, sizeof(__u64),
			       XDP_UMEM_PGOFF_COMPLETION_RING);
		if (err)
			return err;
		RING_INIT(&x->comp, x->maps[1].map, &off.cr, cfg->comp);
	}
	if (cfg->rx) {
		err = map_ring(x, 2, &off.rx, cfg->rx, sizeof(struct xdp_desc),
			       XDP_PGOFF_RX_RING);
		if (err)
			return err;
		RING_INIT(&x->rx, x->maps[2].map, &off.rx, cfg->rx);
	}
	if (cfg->tx) {
		err = map_ring(x, 3, &off.tx, cfg->tx, sizeof(struct xdp_desc),
			       XDP_PGOFF_TX_RING);
		if (err)
			return err;
		RING_INIT(&x->tx, x->maps[3].map, &off.tx, cfg->tx);
		/* libxdp keeps the producer's view of the consumer size ahead */
		x->tx.cached_cons += cfg->tx;
	}
	return 0;
}

static int make_umem(struct uxsk *x, const struct uxsk_cfg *cfg)
{
	struct uxsk_umem_reg reg;

	x->step = "umem";
	x->chunk_size = cfg->chunk_size ?: 2048;
	x->chunks = cfg->chunks ?: 64;
	x->size = (size_t)x->chunks * x->chunk_size;
	if (cfg->umem_flags & XDP_UMEM_TX_METADATA_LEN)
		x->meta_len = cfg->tx_metadata_len;

	x->area = cfg->area;
	if (!x->area) {
		x->area = mmap(NULL, x->size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (x->area == MAP_FAILED) {
			x->area = NULL;
			return -errno;
		}
		x->own_area = true;
	}

	reg = (struct uxsk_umem_reg){
		.addr = (uintptr_t)x->area,
		.len = x->size,
		.chunk_size = x->chunk_size,
		.headroom = cfg->headroom,
		.flags = cfg->umem_flags,
		.tx_metadata_len = cfg->tx_metadata_len,
	};
	return uxsk_umem_reg(x->fd, &reg, cfg->optlen ?: sizeof(reg));
}

static int open_common(struct uxsk *x, const struct uxsk_cfg *cfg, const struct uxsk *first)
{
	const char *step;
	int err;

	*x = (struct uxsk){ .step = "socket" };
	x->fd = uxsk_socket();
	if (x->fd < 0) {
		err = x->fd;
		goto fail;
	}
	if (first) {
		x->area = first->area;
		x->size = first->size;
		x->chunks = first->chunks;
		x->chunk_size = first->chunk_size;
		x->meta_len = first->meta_len;
	} else {
		err = make_umem(x, cfg);
		if (err)
			goto fail;
	}
	err = make_rings(x, cfg);
	if (err)
		goto fail;
	if (cfg->ifname) {
		__u64 end = uxsk_now_ns() + cfg->busy_ms * 1000000ULL;
		__u16 flags = cfg->bind_flags;

		x->step = "bind";
		/* The kernel takes the mode from the first socket. */
		if (first)
			flags = (flags & ~(XDP_COPY | XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP)) |
				XDP_SHARED_UMEM;
		do {
			err = uxsk_bind(x->fd, cfg->ifname, cfg->queue, flags,
					first ? first->fd : 0);
		} while (err == -EBUSY && uxsk_now_ns() < end && !poll(NULL, 0, 5));
		if (err)
			goto fail;
	}
	x->step = "ready";
	return 0;
fail:
	step = x->step;
	uxsk_close(x);
	x->step = step;
	return err;
}

int uxsk_open(struct uxsk *x, const struct uxsk_cfg *cfg)
{
	return open_common(x, cfg, NULL);
}

int uxsk_open_shared(struct uxsk *x, const struct uxsk_cfg *cfg, const struct uxsk *first)
{
	return open_common(x, cfg, first);
}

void uxsk_close(struct uxsk *x)
{
	unsigned int i;

	for (i = 0; i < sizeof(x->maps) / sizeof(x->maps[0]); i++)
		if (x->maps[i].map)
			munmap(x->maps[i].map, x->maps[i].len);
	if (x->fd >= 0)
		close(x->fd);
	if (x->own_area)
		munmap(x->area, x->size);
	*x = (struct uxsk){ .fd = -1, .step = "closed" };
}

void *uxsk_data(const struct uxsk *x, __u64 addr)
{
	return x->area + xsk_umem__add_offset_to_addr(addr);
}

struct xsk_tx_metadata *uxsk_meta(const struct uxsk *x, __u64 addr)
{
	return (void *)((__u8 *)uxsk_data(x, addr) - x->meta_len);
}

__u64 uxsk_addr(const struct uxsk *x, __u32 i)
{
	return (__u64)i * x->chunk_size + x->meta_len;
}

int uxsk_put(struct uxsk *x, __u64 addr, __u32 len, __u32 options)
{
	__u32 idx;

	if (!xsk_ring_prod__reserve(&x->tx, 1, &idx))
		return -ENOSPC;
	*xsk_ring_prod__tx_desc(&x->tx, idx) = (struct xdp_desc){
		.addr = addr, .len = len, .options = options,
	};
	xsk_ring_prod__submit(&x->tx, 1);
	return 0;
}

int uxsk_fill(struct uxsk *x, __u32 first, __u32 n)
{
	__u32 slot, i;

	if (xsk_ring_prod__reserve(&x->fill, n, &slot) != n)
		return -ENOSPC;
	for (i = 0; i < n; i++)
		*xsk_ring_prod__fill_addr(&x->fill, slot + i) = (__u64)(first + i) * x->chunk_size;
	xsk_ring_prod__submit(&x->fill, n);
	return 0;
}

int uxsk_kick(struct uxsk *x)
{
	return result(sendto(x->fd, NULL, 0, MSG_DONTWAIT, NULL, 0));
}

unsigned int uxsk_reap(struct uxsk *x, __u64 *addrs, unsigned int n)
{
	unsigned int got, i;
	__u32 idx;

	got = xsk_ring_cons__peek(&x->comp, n, &idx);
	for (i = 0; addrs && i < got; i++)
		addrs[i] = *xsk_ring_cons__comp_addr(&x->comp, idx + i);
	if (got)
		xsk_ring_cons__release(&x->comp, got);
	return got;
}

unsigned int uxsk_drain(struct uxsk *x, __u64 *addrs, unsigned int n,
			unsigned int timeout_ms, int *err)
{
	__u64 end = uxsk_now_ns() + timeout_ms * 1000000ULL;
	unsigned int got = 0;
	int ret;

	if (err)
		*err = 0;
	for (;;) {
		ret = uxsk_kick(x);
		if (ret && ret != -EAGAIN && ret != -EBUSY && ret != -ENOBUFS && err)
			*err = ret;
		got += uxsk_reap(x, addrs ? addrs + got : NULL, n - got);
		if (got >= n || uxsk_now_ns() >= end)
			return got;
		poll(NULL, 0, 1);
	}
}

int uxsk_stats(const struct uxsk *x, struct xdp_statistics *st)
{
	socklen_t len = sizeof(*st);

	memset(st, 0, sizeof(*st));
	return result(getsockopt(x->fd, SOL_XDP, XDP_STATISTICS, st, &len));
}
