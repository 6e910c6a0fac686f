/* SPDX-License-Identifier: GPL-2.0 */
/* AF_XDP TX metadata: what a sender may ask for each frame, and the answer.
 *
 * The life of a request in a zero-copy driver:
 *
 *	meta = xsk_buff_get_metadata(pool, desc.addr, desc.options);
 *	xsk_tx_metadata_request_len(pool, &meta, desc.len, &ops, &priv);
 *	... program the hardware as the ops' callbacks noted in priv ...
 *	xsk_tx_metadata_to_compl(meta, &tx_buffer->compl);
 *
 * and, when the hardware has sent the frame, before xsk_tx_completed():
 *
 *	xsk_tx_metadata_complete(&tx_buffer->compl, &ops, &priv);
 *
 * The request is shared memory of a possibly hostile process. It is read once,
 * into a copy on the stack, and that copy is checked and acted on; drivers get
 * a handle that they pass on and never dereference. A frame that wants a stamp
 * holds an answer slot until it is completed. Slots outlive the pool if they
 * must: completing one after its pool has gone is harmless.
 */

#ifndef _NET_XSK_TX_METADATA_H
#define _NET_XSK_TX_METADATA_H

#include <linux/if_xdp.h>
#include <linux/types.h>
#include <asm/local64.h>

struct net_device;
struct sk_buff;
struct sock;
struct xdp_desc;
struct xsk_buff_pool;
struct xsk_tx_slot;

/**
 * struct xsk_tx_metadata_ops - what a driver does with requests
 * @tmo_request_timestamp: the frame wants a hardware stamp
 * @tmo_fill_timestamp: the stamp of a frame that has been sent, in ns of the
 *	device's PTP clock; 0 if there is none
 * @tmo_request_checksum: the frame wants its checksum filled in. @csum_start
 *	counts from the frame's first byte, @csum_offset from there to the
 *	field; the field lies inside the frame. Nothing else is known about
 *	the frame: hardware that parses needs a driver that checks
 * @tmo_request_launch_time: the frame must not leave before @launch_time, in
 *	ns of the device's PTP clock. Any value may come
 *
 * A driver leaves out what its device cannot do; such requests are refused and
 * counted by the core. The callbacks run in the context in which the driver
 * calls xsk_tx_metadata_request() and xsk_tx_metadata_complete(), and get the
 * last argument of these.
 */
struct xsk_tx_metadata_ops {
	void	(*tmo_request_timestamp)(void *priv);
	u64	(*tmo_fill_timestamp)(void *priv);
	void	(*tmo_request_checksum)(u16 csum_start, u16 csum_offset, void *priv);
	void	(*tmo_request_launch_time)(u64 launch_time, void *priv);
};

/**
 * struct xsk_tx_metadata_compl - what a driver remembers of a frame in flight
 * @slot: the answer that the frame waits for, NULL for none. Only for the core
 *
 * One pointer in the driver's record of the frame. A record that is reused for
 * another kind of frame must not carry an old slot: xsk_tx_metadata_complete()
 * clears it.
 */
struct xsk_tx_metadata_compl {
	struct xsk_tx_slot *slot;
};

/**
 * enum xsk_tx_md_stat - counters of TX metadata, for each queue
 * @XSK_TX_TS_REQUESTED: frames that asked for a stamp, the sum of the next four
 * @XSK_TX_TS_OK: stamped (while frames are in flight, the four lag behind)
 * @XSK_TX_TS_SKIPPED: sent without a stamp because the hardware was not free,
 *	not set up or not able to take one
 * @XSK_TX_TS_TIMEOUT: the hardware was asked and did not deliver in time
 * @XSK_TX_TS_FLUSHED: not sent, or sent while the queue was torn down
 * @XSK_TX_CSUM_OK: checksums left to the hardware
 * @XSK_TX_CSUM_REFUSED: sent as given, the hardware cannot do this one
 * @XSK_TX_LAUNCH_OK: launch times given to the hardware, or past already
 * @XSK_TX_LAUNCH_REFUSED: sent at once, the hardware cannot do this one
 * @XSK_TX_META_INVALID: malformed requests, sent as given
 * @XSK_TX_MD_STATS: how many there are
 */
enum xsk_tx_md_stat {
	XSK_TX_TS_REQUESTED,
	XSK_TX_TS_OK,
	XSK_TX_TS_SKIPPED,
	XSK_TX_TS_TIMEOUT,
	XSK_TX_TS_FLUSHED,
	XSK_TX_CSUM_OK,
	XSK_TX_CSUM_REFUSED,
	XSK_TX_LAUNCH_OK,
	XSK_TX_LAUNCH_REFUSED,
	XSK_TX_META_INVALID,
	XSK_TX_MD_STATS
};

/**
 * struct xsk_tx_md_stats - the counters of one queue, in the driver's keeping
 * @cnt: one for each &enum xsk_tx_md_stat
 *
 * Lives where it survives ifdown, resets and changes of the channel count. The
 * stamp counters change under the slots' lock, the others in the queue's
 * transmit path; read with local64_read() at any time.
 */
struct xsk_tx_md_stats {
	local64_t cnt[XSK_TX_MD_STATS];
};

/* What follows "tx_xsk_" in ethtool -S, in the order of the enum. */
#define XSK_TX_MD_STAT_NAMES { \
	[XSK_TX_TS_REQUESTED]	= "ts_requested", \
	[XSK_TX_TS_OK]		= "ts_ok", \
	[XSK_TX_TS_SKIPPED]	= "ts_skipped", \
	[XSK_TX_TS_TIMEOUT]	= "ts_timeout", \
	[XSK_TX_TS_FLUSHED]	= "ts_flushed", \
	[XSK_TX_CSUM_OK]	= "csum_ok", \
	[XSK_TX_CSUM_REFUSED]	= "csum_refused", \
	[XSK_TX_LAUNCH_OK]	= "launch_ok", \
	[XSK_TX_LAUNCH_REFUSED]	= "launch_refused", \
	[XSK_TX_META_INVALID]	= "meta_invalid", \
}

/**
 * struct xsk_tx_md_req - the kernel's own copy of a request
 * @flags: XDP_TXMD_FLAGS_*, only known ones; 0 if nothing is to be done
 * @launch_time: ns, valid with XDP_TXMD_FLAGS_LAUNCH_TIME
 * @csum_start: as in &struct xsk_tx_metadata, checked against the frame
 * @csum_offset: likewise
 */
struct xsk_tx_md_req {
	u64 flags;
	u64 launch_time;
	u16 csum_start;
	u16 csum_offset;
};

#ifdef CONFIG_XDP_SOCKETS

struct xsk_tx_metadata *__xsk_buff_get_metadata(const struct xsk_buff_pool *pool,
						u64 addr);
void __xsk_tx_md_request(const struct xsk_buff_pool *pool,
			 struct xsk_tx_metadata **pmeta, u32 len,
			 struct xsk_tx_md_req *req);
void __xsk_tx_md_skip(struct xsk_tx_metadata **pmeta);
void __xsk_tx_md_complete(struct xsk_tx_metadata_compl *compl, u64 ts,
			  enum xsk_tx_md_stat without);
void xsk_tx_md_count(const struct xsk_buff_pool *pool, enum xsk_tx_md_stat stat);
void xsk_pool_set_tx_md_stats(struct xsk_buff_pool *pool,
			      struct xsk_tx_md_stats *stats);

/**
 * xsk_buff_get_metadata - handle of a frame's request
 * @pool: the queue's pool
 * @addr: the descriptor's address
 * @options: the descriptor's options
 *
 * Only for descriptors from xsk_tx_peek_desc() or
 * xsk_tx_peek_release_desc_batch(), which has checked them.
 *
 * Return: the handle, NULL if the frame asks for nothing.
 */
static inline struct xsk_tx_metadata *
xsk_buff_get_metadata(const struct xsk_buff_pool *pool, u64 addr, u32 options)
{
	if (likely(!(options & XDP_TX_METADATA)))
		return NULL;

	return __xsk_buff_get_metadata(pool, addr);
}

/**
 * xsk_tx_metadata_request_len - read a request, check it, tell the driver
 * @pool: the queue's pool
 * @pmeta: handle from xsk_buff_get_metadata(). Becomes the handle to give to
 *	xsk_tx_metadata_to_compl(), NULL if the frame needs no answer
 * @len: the frame's length, to check the checksum field against
 * @ops: the driver's callbacks
 * @priv: for them
 *
 * Called once for each frame, by the queue's only transmitter. A malformed
 * request calls nothing, leaves the area alone and is counted.
 */
static inline void
xsk_tx_metadata_request_len(const struct xsk_buff_pool *pool,
			    struct xsk_tx_metadata **pmeta, u32 len,
			    const struct xsk_tx_metadata_ops *ops, void *priv)
{
	struct xsk_tx_md_req req;

	if (likely(!*pmeta))
		return;

	__xsk_tx_md_request(pool, pmeta, len, &req);

	if (req.flags & XDP_TXMD_FLAGS_LAUNCH_TIME) {
		if (ops->tmo_request_launch_time)
			ops->tmo_request_launch_time(req.launch_time, priv);
		else
			xsk_tx_md_count(pool, XSK_TX_LAUNCH_REFUSED);
	}

	if (req.flags & XDP_TXMD_FLAGS_CHECKSUM) {
		if (ops->tmo_request_checksum)
			ops->tmo_request_checksum(req.csum_start,
						  req.csum_offset, priv);
		else
			xsk_tx_md_count(pool, XSK_TX_CSUM_REFUSED);
	}

	if (*pmeta) {
		if (ops->tmo_request_timestamp)
			ops->tmo_request_timestamp(priv);
		else
			__xsk_tx_md_skip(pmeta);
	}
}

/**
 * xsk_tx_metadata_request - mainline's form of xsk_tx_metadata_request_len()
 * @pool: the queue's pool
 * @pmeta: see there
 * @ops: see there
 * @priv: see there
 *
 * For a caller that does not have the frame's length at hand. The checksum
 * field may then lie behind the frame: the driver has to check that.
 */
static inline void
xsk_tx_metadata_request(const struct xsk_buff_pool *pool,
			struct xsk_tx_metadata **pmeta,
			const struct xsk_tx_metadata_ops *ops, void *priv)
{
	xsk_tx_metadata_request_len(pool, pmeta, U32_MAX, ops, priv);
}

/**
 * xsk_tx_metadata_skip - answer now that there will be no stamp
 * @pmeta: handle after xsk_tx_metadata_request(); becomes NULL
 *
 * For a driver that finds out at submission, for instance because the
 * hardware's only timestamp register is taken. Counted as skipped.
 */
static inline void xsk_tx_metadata_skip(struct xsk_tx_metadata **pmeta)
{
	if (*pmeta)
		__xsk_tx_md_skip(pmeta);
}

/**
 * xsk_tx_metadata_to_compl - remember that a frame waits for an answer
 * @meta: handle after xsk_tx_metadata_request(), may be NULL
 * @compl: in the driver's record of the frame
 */
static inline void xsk_tx_metadata_to_compl(struct xsk_tx_metadata *meta,
					    struct xsk_tx_metadata_compl *compl)
{
	compl->slot = (struct xsk_tx_slot *)meta;
}

/**
 * xsk_tx_metadata_complete - answer a frame that has been sent
 * @compl: from xsk_tx_metadata_to_compl(); cleared
 * @ops: the driver's callbacks
 * @priv: for tmo_fill_timestamp
 *
 * Before the frame's address is handed back by xsk_tx_completed(). Any
 * context. A stamp of 0 counts as skipped.
 */
static inline void
xsk_tx_metadata_complete(struct xsk_tx_metadata_compl *compl,
			 const struct xsk_tx_metadata_ops *ops, void *priv)
{
	if (likely(!compl->slot))
		return;

	__xsk_tx_md_complete(compl, ops->tmo_fill_timestamp(priv),
			     XSK_TX_TS_SKIPPED);
}

/**
 * xsk_tx_metadata_complete_none - answer a frame that gets no stamp
 * @compl: from xsk_tx_metadata_to_compl(); cleared
 * @why: XSK_TX_TS_SKIPPED, XSK_TX_TS_TIMEOUT or XSK_TX_TS_FLUSHED
 *
 * Otherwise as xsk_tx_metadata_complete(); tx_timestamp becomes 0.
 */
static inline void
xsk_tx_metadata_complete_none(struct xsk_tx_metadata_compl *compl,
			      enum xsk_tx_md_stat why)
{
	if (likely(!compl->slot))
		return;

	__xsk_tx_md_complete(compl, 0, why);
}

#else

static inline struct xsk_tx_metadata *
xsk_buff_get_metadata(const struct xsk_buff_pool *pool, u64 addr, u32 options)
{
	return NULL;
}

static inline void
xsk_tx_metadata_request_len(const struct xsk_buff_pool *pool,
			    struct xsk_tx_metadata **pmeta, u32 len,
			    const struct xsk_tx_metadata_ops *ops, void *priv)
{
}

static inline void
xsk_tx_metadata_request(const struct xsk_buff_pool *pool,
			struct xsk_tx_metadata **pmeta,
			const struct xsk_tx_metadata_ops *ops, void *priv)
{
}

static inline void xsk_tx_metadata_skip(struct xsk_tx_metadata **pmeta)
{
}

static inline void xsk_tx_metadata_to_compl(struct xsk_tx_metadata *meta,
					    struct xsk_tx_metadata_compl *compl)
{
}

static inline void
xsk_tx_metadata_complete(struct xsk_tx_metadata_compl *compl,
			 const struct xsk_tx_metadata_ops *ops, void *priv)
{
}

static inline void
xsk_tx_metadata_complete_none(struct xsk_tx_metadata_compl *compl,
			      enum xsk_tx_md_stat why)
{
}

static inline void xsk_tx_md_count(const struct xsk_buff_pool *pool,
				   enum xsk_tx_md_stat stat)
{
}

static inline void xsk_pool_set_tx_md_stats(struct xsk_buff_pool *pool,
					    struct xsk_tx_md_stats *stats)
{
}

#endif /* CONFIG_XDP_SOCKETS */

#endif /* _NET_XSK_TX_METADATA_H */
