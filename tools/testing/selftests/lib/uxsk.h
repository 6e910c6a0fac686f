/* SPDX-License-Identifier: GPL-2.0 */
/*
 * AF_XDP sockets with every knob in the caller's hand: UMEM registration with
 * any flags, metadata length and optlen, each ring on its own, shared UMEMs.
 * Libraries that register the UMEM on their own can't do that. The rings are
 * libxdp's structs and are to be used with libxdp's inline helpers
 * (<xdp/xsk.h>); nothing of libxdp is linked. No XDP program is loaded.
 *
 * Errors: functions that return int give 0 (or a count) or a negative errno.
 * After a failed uxsk_open() the member .step says which call failed, the
 * socket is closed again and the memory released.
 * Threads: a struct uxsk belongs to one thread at a time.
 */
#ifndef UXSK_H
#define UXSK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <xdp/xsk.h>


#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif

/*
 * struct xdp_umem_reg as of kernels with TX metadata, whatever header is
 * installed; 32 bytes, the length lies in what 6.1 had as padding.
 */
struct uxsk_umem_reg {
	__u64 addr;
	__u64 len;
	__u32 chunk_size;
	__u32 headroom;
	__u32 flags;
	__u32 tx_metadata_len;
};

struct uxsk_cfg {
	/* UMEM; not looked at by uxsk_open_shared() */
	void *area;		/* page aligned memory, NULL: allocate */
	__u32 chunks;		/* 0: 64; the UMEM has chunks * chunk_size bytes */
	__u32 chunk_size;	/* bytes, 0: 2048 */
	__u32 headroom;		/* bytes */
	__u32 umem_flags;	/* XDP_UMEM_* */
	__u32 tx_metadata_len;	/* bytes; needs XDP_UMEM_TX_METADATA_LEN to count */
	__u32 optlen;		/* of the registration, 0: all 32 bytes */

	/* Entries of each ring, a power of 2; 0: no such ring */
	__u32 fill, comp, rx, tx;

	/* Binding */
	const char *ifname;	/* NULL: leave the socket unbound */
	__u32 queue;
	__u16 bind_flags;	/* XDP_COPY, XDP_ZEROCOPY, XDP_USE_NEED_WAKEUP */
	/* Try for so long while the queue is taken: the kernel lets go of the last
	 * socket's queue a while after its close().
	 */
	__u32 busy_ms;
};

struct uxsk {
	int fd;			/* -1: closed */
	const char *step;	/* what uxsk_open() did last: "socket", "umem", ... */
	__u8 *area;		/* start of the UMEM */
	size_t size;		/* of the UMEM in bytes */
	__u32 chunks, chunk_size;
	__u32 meta_len;		/* 0 unless XDP_UMEM_TX_METADATA_LEN is set */
	bool own_area;		/* uxsk_close() unmaps it */
	struct xsk_ring_prod fill, tx;	/* .ring is NULL without such a ring */
	struct xsk_ring_cons comp, rx;
	struct { void *map; size_t len; } maps[4];
};

/*
 * A configuration that transmits in copy mode: 64 chunks of 2 KiB, rings of
 * 64 entries (fill and completion, TX), metadata as given (0: none).
 */
struct uxsk_cfg uxsk_cfg_tx(const char *ifname, __u32 tx_metadata_len);

/* Socket, UMEM, rings, mmap, bind, in this order. */
int uxsk_open(struct uxsk *x, const struct uxsk_cfg *cfg);

/*
 * A further socket on @first's UMEM. Same device and queue: cfg->fill and
 * cfg->comp are 0 and the pair of @first serves both.
 */
int uxsk_open_shared(struct uxsk *x, const struct uxsk_cfg *cfg, const struct uxsk *first);

/* Closes and unmaps everything; fine on a struct that is closed already. */
void uxsk_close(struct uxsk *x);

/* The single steps, for sockets that uxsk_open() would not make. */
int uxsk_socket(void);					/* fd */
int uxsk_umem_reg(int fd, const void *reg, socklen_t optlen);
int uxsk_bind(int fd, const char *ifname, __u32 queue, __u16 flags, int shared_fd);

/* Memory: a chunk's packet, and the metadata that lies before it. */
void *uxsk_data(const struct uxsk *x, __u64 addr);
struct xsk_tx_metadata *uxsk_meta(const struct uxsk *x, __u64 addr);

/*
 * Address of the packet in chunk @i that leaves room for the metadata in
 * the same chunk.
 */
__u64 uxsk_addr(const struct uxsk *x, __u32 i);

/* Puts one descriptor on the TX ring and submits it. -ENOSPC: ring full. */
int uxsk_put(struct uxsk *x, __u64 addr, __u32 len, __u32 options);

/* Puts @n chunks, from @first on, on the fill ring. -ENOSPC: not room for all. */
int uxsk_fill(struct uxsk *x, __u32 first, __u32 n);

/* One sendto(). 0 or -errno. */
int uxsk_kick(struct uxsk *x);

/* Takes up to @n addresses off the completion ring; returns how many. */
unsigned int uxsk_reap(struct uxsk *x, __u64 *addrs, unsigned int n);

/*
 * Kicks and reaps until @n addresses came back or @timeout_ms passed;
 * returns how many came. @addrs may be NULL. *@err, if given, is the last
 * kick's error other than EAGAIN, EBUSY and ENOBUFS, which mean "again".
 */
unsigned int uxsk_drain(struct uxsk *x, __u64 *addrs, unsigned int n,
			unsigned int timeout_ms, int *err);

/* XDP_STATISTICS. */
int uxsk_stats(const struct uxsk *x, struct xdp_statistics *st);

/* ns of CLOCK_MONOTONIC and of CLOCK_TAI, the clock of software TX stamps. */
__u64 uxsk_now_ns(void);
__u64 uxsk_tai_ns(void);

#endif /* UXSK_H */
