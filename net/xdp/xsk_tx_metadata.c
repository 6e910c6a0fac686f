// SPDX-License-Identifier: GPL-2.0
/* AF_XDP TX metadata: requests, answers, and copy mode
 *
 * See include/net/xsk_tx_metadata.h for how a driver uses it and
 * Documentation/networking/xsk-tx-metadata.rst for what a sender may expect.
 */

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/timekeeping.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <asm/unaligned.h>

#include "xsk_queue.h"
#include "xsk_tx_metadata.h"

#define XDP_TXMD_FLAGS_VALID	(XDP_TXMD_FLAGS_TIMESTAMP | \
				 XDP_TXMD_FLAGS_CHECKSUM | \
				 XDP_TXMD_FLAGS_LAUNCH_TIME)

/**
 * struct xsk_tx_slot - an answer that a frame in flight waits for
 * @slots: the table that this one belongs to
 * @meta: taken: the frame's metadata area, NULL if it must not be written any more
 * @next: free: next free slot
 * @addr: copy mode: the frame's descriptor address
 * @sk: copy mode, taken: the socket that sent the frame; else NULL
 * @taken: not on the list of free slots
 */
struct xsk_tx_slot {
	struct xsk_tx_slots *slots;
	union {
		void *meta;
		struct xsk_tx_slot *next;
	};
	u64 addr;
	const struct sock *sk;
	bool taken;
};

/**
 * struct xsk_tx_slots - the answer slots of a pool
 * @lock: protects all else; taken in any context, nothing is taken inside
 * @free: list of free slots
 * @stats: as &struct xsk_buff_pool has it; here it is under the lock
 * @rcu: to free it from any context
 * @cnt: number of slots
 * @taken: number of slots in use
 * @silent: the UMEM must not be written any more
 * @dead: the pool is gone, the last slot in use frees the table
 * @slot: as many as the completion ring has entries, which bounds the frames
 *	in flight
 */
struct xsk_tx_slots {
	spinlock_t lock; /* All of this; innermost, any context */
	struct xsk_tx_slot *free;
	struct xsk_tx_md_stats *stats;
	struct rcu_head rcu;
	u32 cnt;
	u32 taken;
	bool silent;
	bool dead;
	struct xsk_tx_slot slot[];
};

static void xsk_tx_stats_count(struct xsk_tx_md_stats *stats,
			       enum xsk_tx_md_stat stat)
{
	if (stats)
		local64_inc(&stats->cnt[stat]);
}

/* The area has the alignment that the sender chose: none. */
static void xsk_tx_md_write_stamp(void *meta, u64 ts)
{
	put_unaligned(ts, (u64 *)(meta + offsetof(struct xsk_tx_metadata,
						  completion.tx_timestamp)));
}

static struct xsk_tx_slot *xsk_tx_slot_take(struct xsk_tx_slots *slots, void *meta)
{
	struct xsk_tx_slot *slot;
	unsigned long flags;

	spin_lock_irqsave(&slots->lock, flags);
	xsk_tx_stats_count(slots->stats, XSK_TX_TS_REQUESTED);
	slot = slots->free;
	if (likely(slot)) {
		slots->free = slot->next;
		slots->taken++;
		slot->taken = true;
		slot->meta = meta;
	} else {
		/* A driver keeps slots of completed frames, or user space moves
		 * the completion ring's consumer index as it likes.
		 */
		xsk_tx_stats_count(slots->stats, XSK_TX_TS_SKIPPED);
		xsk_tx_md_write_stamp(meta, 0);
	}
	spin_unlock_irqrestore(&slots->lock, flags);

	return slot;
}

/* Returns true if the caller must free the table after unlocking. */
static bool xsk_tx_slot_release(struct xsk_tx_slot *slot)
{
	struct xsk_tx_slots *slots = slot->slots;

	lockdep_assert_held(&slots->lock);
	slot->sk = NULL;
	slot->taken = false;
	slot->next = slots->free;
	slots->free = slot;

	return !--slots->taken && slots->dead;
}

static void xsk_tx_slot_answer(struct xsk_tx_slot *slot, u64 ts,
			       enum xsk_tx_md_stat stat)
{
	struct xsk_tx_slots *slots = slot->slots;
	unsigned long flags;
	bool last;

	spin_lock_irqsave(&slots->lock, flags);
	if (likely(slot->meta && !slots->silent))
		xsk_tx_md_write_stamp(slot->meta, ts);
	xsk_tx_stats_count(slots->stats, stat);
	last = xsk_tx_slot_release(slot);
	spin_unlock_irqrestore(&slots->lock, flags);

	if (unlikely(last))
		kvfree_rcu(slots, rcu);
}

/**
 * xsk_tx_slots_create - give a pool its answer slots
 * @pool: new pool with its completion ring, of a UMEM with a metadata area
 *
 * Return: 0 or -ENOMEM. May sleep.
 */
int xsk_tx_slots_create(struct xsk_buff_pool *pool)
{
	struct xsk_tx_slots *slots;
	u32 i, n = pool->cq->nentries;

	slots = kvzalloc(struct_size(slots, slot, n), GFP_KERNEL);
	if (!slots)
		return -ENOMEM;

	spin_lock_init(&slots->lock);
	slots->cnt = n;
	for (i = 0; i < n; i++) {
		slots->slot[i].slots = slots;
		slots->slot[i].next = slots->free;
		slots->free = &slots->slot[i];
	}

	pool->tx_slots = slots;
	return 0;
}

/**
 * xsk_tx_slots_silence - never write to the UMEM again
 * @pool: pool without users, slots may still be in use
 *
 * When it returns, no answer is being written. Any context.
 */
void xsk_tx_slots_silence(struct xsk_buff_pool *pool)
{
	struct xsk_tx_slots *slots = pool->tx_slots;
	unsigned long flags;

	if (!slots)
		return;

	spin_lock_irqsave(&slots->lock, flags);
	slots->silent = true;
	spin_unlock_irqrestore(&slots->lock, flags);
}

/**
 * xsk_tx_slots_detach - the driver has let go of the pool
 * @pool: pool whose driver's XDP_SETUP_XSK_POOL has returned
 *
 * Frames that the driver did not answer will not be: count them as flushed, so
 * that the sum of the classes stays right, and forget the driver's counters.
 */
void xsk_tx_slots_detach(struct xsk_buff_pool *pool)
{
	struct xsk_tx_slots *slots = pool->tx_slots;
	unsigned long flags;

	WRITE_ONCE(pool->tx_md_stats, NULL);
	if (!slots)
		return;

	spin_lock_irqsave(&slots->lock, flags);
	if (slots->stats) {
		local64_add(slots->taken, &slots->stats->cnt[XSK_TX_TS_FLUSHED]);
		slots->stats = NULL;
	}
	spin_unlock_irqrestore(&slots->lock, flags);
}

/**
 * xsk_tx_slots_destroy - end a pool's hold on its slots
 * @pool: pool that is being freed; slots may still be in use
 */
void xsk_tx_slots_destroy(struct xsk_buff_pool *pool)
{
	struct xsk_tx_slots *slots = pool->tx_slots;
	unsigned long flags;
	bool last;

	if (!slots)
		return;

	pool->tx_slots = NULL;
	spin_lock_irqsave(&slots->lock, flags);
	slots->silent = true;
	slots->dead = true;
	last = !slots->taken;
	spin_unlock_irqrestore(&slots->lock, flags);

	if (last)
		kvfree(slots);
}

/* Reads each field once. Every one is checked here or harmless with any value,
 * so it does not matter that the sender may change them meanwhile, or that an
 * area without alignment is not read in one piece.
 */
static bool xsk_tx_md_read(const struct xsk_buff_pool *pool, const void *area,
			   u32 len, struct xsk_tx_md_req *req)
{
	const struct xsk_tx_metadata *meta = area;
	bool has_launch_time = pool->tx_metadata_len >=
		offsetofend(struct xsk_tx_metadata, request.launch_time);

	req->flags = get_unaligned(&meta->flags);
	req->csum_start = get_unaligned(&meta->request.csum_start);
	req->csum_offset = get_unaligned(&meta->request.csum_offset);
	req->launch_time = has_launch_time ?
		get_unaligned(&meta->request.launch_time) : 0;
	/* From here on the compiler has to work with what it has read. */
	barrier();

	if (req->flags & ~(u64)XDP_TXMD_FLAGS_VALID)
		return false;

	if ((req->flags & XDP_TXMD_FLAGS_LAUNCH_TIME) && !has_launch_time)
		return false;

	if (req->flags & XDP_TXMD_FLAGS_CHECKSUM &&
	    (u32)req->csum_start + req->csum_offset + sizeof(__sum16) > len)
		return false;

	return true;
}

struct xsk_tx_metadata *__xsk_buff_get_metadata(const struct xsk_buff_pool *pool,
						u64 addr)
{
	addr = pool->unaligned ? xp_unaligned_add_offset_to_addr(addr) : addr;
	return pool->addrs + addr - pool->tx_metadata_len;
}
EXPORT_SYMBOL_GPL(__xsk_buff_get_metadata);

void __xsk_tx_md_request(const struct xsk_buff_pool *pool,
			 struct xsk_tx_metadata **pmeta, u32 len,
			 struct xsk_tx_md_req *req)
{
	void *meta = *pmeta;

	*pmeta = NULL;
	if (unlikely(!xsk_tx_md_read(pool, meta, len, req))) {
		xsk_tx_md_count(pool, XSK_TX_META_INVALID);
		req->flags = 0;
		return;
	}

	if (req->flags & XDP_TXMD_FLAGS_TIMESTAMP)
		*pmeta = (struct xsk_tx_metadata *)
			xsk_tx_slot_take(pool->tx_slots, meta);
}
EXPORT_SYMBOL_GPL(__xsk_tx_md_request);

void __xsk_tx_md_skip(struct xsk_tx_metadata **pmeta)
{
	xsk_tx_slot_answer((struct xsk_tx_slot *)*pmeta, 0, XSK_TX_TS_SKIPPED);
	*pmeta = NULL;
}
EXPORT_SYMBOL_GPL(__xsk_tx_md_skip);

void __xsk_tx_md_complete(struct xsk_tx_metadata_compl *compl, u64 ts,
			  enum xsk_tx_md_stat without)
{
	struct xsk_tx_slot *slot = compl->slot;

	compl->slot = NULL;
	xsk_tx_slot_answer(slot, ts, ts ? XSK_TX_TS_OK : without);
}
EXPORT_SYMBOL_GPL(__xsk_tx_md_complete);

/**
 * xsk_tx_md_count - count a checksum or launch time in the queue's counters
 * @pool: the queue's pool
 * @stat: one of the counters that are not about stamps; those the core counts
 *
 * In the queue's transmit path.
 */
void xsk_tx_md_count(const struct xsk_buff_pool *pool, enum xsk_tx_md_stat stat)
{
	xsk_tx_stats_count(READ_ONCE(pool->tx_md_stats), stat);
}
EXPORT_SYMBOL_GPL(xsk_tx_md_count);

/**
 * xsk_pool_set_tx_md_stats - tell the core where a queue's counters are
 * @pool: pool that the driver is enabling
 * @stats: the queue's counters; valid until the pool is disabled
 *
 * For every pool, with a metadata area or without, before it transmits.
 */
void xsk_pool_set_tx_md_stats(struct xsk_buff_pool *pool,
			      struct xsk_tx_md_stats *stats)
{
	WRITE_ONCE(pool->tx_md_stats, stats);
	if (pool->tx_slots)
		pool->tx_slots->stats = stats;
}
EXPORT_SYMBOL_GPL(xsk_pool_set_tx_md_stats);

/**
 * xsk_tx_md_screen - keep a request from a zero-copy driver that can't see it
 * @pool: the queue's pool, without an area or of a driver without
 *	xsk_tx_metadata_ops
 * @desc: descriptor with XDP_TX_METADATA that is about to go to the driver
 *
 * The frame goes out as given. Where a stamp was asked for, the request's own
 * bytes must not stay behind to be taken for one.
 *
 * Return: true, there is a frame.
 */
bool xsk_tx_md_screen(const struct xsk_buff_pool *pool, struct xdp_desc *desc)
{
	struct xsk_tx_md_req req;
	void *meta;

	desc->options &= ~XDP_TX_METADATA;
	if (!pool->tx_metadata_len) {
		xsk_tx_md_count(pool, XSK_TX_META_INVALID);
		return true;
	}

	meta = __xsk_buff_get_metadata(pool, desc->addr);
	if (xsk_tx_md_read(pool, meta, desc->len, &req) &&
	    req.flags & XDP_TXMD_FLAGS_TIMESTAMP)
		xsk_tx_md_write_stamp(meta, 0);

	return true;
}

bool __xsk_tx_md_copy_request(const struct xsk_buff_pool *pool,
			      const struct xdp_desc *desc,
			      struct xsk_tx_md_req *req)
{
	const struct net_device *dev = pool->netdev;

	if (!pool->tx_metadata_len ||
	    !xsk_tx_md_read(pool, __xsk_buff_get_metadata(pool, desc->addr),
			    desc->len, req))
		return false;

	/* An skb counts from the start of its buffer, in 16 bits. With large
	 * pages a field can be too far away for that.
	 */
	return !(req->flags & XDP_TXMD_FLAGS_CHECKSUM) ||
	       req->csum_start <= U16_MAX - max_t(u32, NET_SKB_PAD,
						  L1_CACHE_ALIGN(dev->needed_headroom));
}

/* Drivers find a frame's headers through the skb, and some read lengths from
 * them. So the headers are set, and only if the checksum asked for is the one
 * of a TCP or UDP header that really is where the sender says.
 */
static bool xsk_tx_md_set_headers(struct sk_buff *skb,
				  const struct xsk_tx_md_req *req)
{
	u32 l3, l4 = ETH_HLEN, need, field;
	__be16 outer, proto, frag = 0;
	u8 nexthdr;
	int i;

	if (skb->dev->type != ARPHRD_ETHER && skb->dev->type != ARPHRD_LOOPBACK)
		return false;

	if (skb_copy_bits(skb, offsetof(struct ethhdr, h_proto), &outer, sizeof(outer)))
		return false;

	proto = outer;
	for (i = 0; i < 2 && eth_type_vlan(proto); i++) {
		if (skb_copy_bits(skb, l4 + offsetof(struct vlan_hdr,
						     h_vlan_encapsulated_proto),
				  &proto, sizeof(proto)))
			return false;
		l4 += VLAN_HLEN;
	}

	l3 = l4;
	if (proto == htons(ETH_P_IP)) {
		struct iphdr iph;

		if (skb_copy_bits(skb, l3, &iph, sizeof(iph)) ||
		    iph.version != 4 || iph.ihl < 5)
			return false;
		l4 += iph.ihl * 4;
		nexthdr = iph.protocol;
		frag = iph.frag_off & htons(IP_MF | IP_OFFSET);
	} else if (proto == htons(ETH_P_IPV6) && IS_ENABLED(CONFIG_INET)) {
		struct ipv6hdr ip6h;
		int off;

		if (skb_copy_bits(skb, l3, &ip6h, sizeof(ip6h)) ||
		    ip6h.version != 6)
			return false;
		nexthdr = ip6h.nexthdr;
		off = ipv6_skip_exthdr(skb, l3 + sizeof(ip6h), &nexthdr, &frag);
		if (off < 0)
			return false;
		l4 = off;
	} else {
		return false;
	}

	switch (nexthdr) {
	case IPPROTO_TCP:
		need = sizeof(struct tcphdr);
		field = offsetof(struct tcphdr, check);
		break;
	case IPPROTO_UDP:
		need = sizeof(struct udphdr);
		field = offsetof(struct udphdr, check);
		break;
	default:
		return false;
	}

	if (frag || req->csum_start != l4 || req->csum_offset != field ||
	    l4 + need > skb->len)
		return false;

	skb->protocol = outer;
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, l3);
	skb_set_transport_header(skb, l4);
	return true;
}

static int xsk_tx_md_csum_skb(const struct xsk_buff_pool *pool,
			      struct sk_buff *skb,
			      const struct xsk_tx_md_req *req)
{
	bool leave_to_device = !(pool->umem->flags & XDP_UMEM_TX_SW_CSUM) &&
			       xsk_tx_md_set_headers(skb, req);

	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_headroom(skb) + req->csum_start;
	skb->csum_offset = req->csum_offset;

	/* Whoever sums in software needs a copy that the sender cannot change. */
	if (skb_is_nonlinear(skb))
		skb_shinfo(skb)->flags |= SKBFL_SHARED_FRAG;

	return leave_to_device ? 0 : skb_checksum_help(skb);
}

/**
 * xsk_tx_md_prepare_skb - apply the checksum and launch time of a request
 * @pool: the socket's pool
 * @skb: the frame, with its device set
 * @req: the checked request
 *
 * Return: 0, or -ENOMEM if a checksum needs memory that is not to be had.
 */
int xsk_tx_md_prepare_skb(const struct xsk_buff_pool *pool, struct sk_buff *skb,
			  const struct xsk_tx_md_req *req)
{
	const struct xsk_tx_metadata_ops *ops = skb->dev->xsk_tx_metadata_ops;

	/* A device that does not obey could hand the skb on to a receiver here,
	 * which would take this for the time of arrival.
	 */
	if (req->flags & XDP_TXMD_FLAGS_LAUNCH_TIME &&
	    ops && ops->tmo_request_launch_time)
		skb->skb_mstamp_ns = req->launch_time;

	if (req->flags & XDP_TXMD_FLAGS_CHECKSUM)
		return xsk_tx_md_csum_skb(pool, skb, req);

	return 0;
}

/**
 * xsk_tx_md_arm_skb - have a copy-mode frame stamped when it is freed
 * @pool: the socket's pool
 * @skb: the frame
 * @desc: its descriptor
 *
 * Nothing of this is kept where the rest of the stack, or a receiver on this
 * machine, could take it for a timestamp of the skb.
 *
 * Return: true if the skb's destructor must call xsk_tx_md_stamp_skb(); false
 * if the request has been answered already, with 0.
 */
bool xsk_tx_md_arm_skb(const struct xsk_buff_pool *pool, struct sk_buff *skb,
		       const struct xdp_desc *desc)
{
	void *meta = __xsk_buff_get_metadata(pool, desc->addr);
	struct xsk_tx_slot *slot;

	slot = xsk_tx_slot_take(pool->tx_slots, meta);
	if (!slot)
		return false;

	slot->addr = desc->addr;
	slot->sk = skb->sk;
	skb_shinfo(skb)->destructor_arg = slot;
	return true;
}

/**
 * xsk_tx_md_stamp_skb - stamp an armed frame
 * @skb: the frame, still owned by its AF_XDP socket
 *
 * After close() of the socket nothing is written: its memory may serve other
 * purposes by then. Any context.
 *
 * Return: the frame's descriptor address.
 */
u64 xsk_tx_md_stamp_skb(struct sk_buff *skb)
{
	struct xsk_tx_slot *slot = skb_shinfo(skb)->destructor_arg;
	u64 addr = slot->addr, ts = ktime_get_clocktai_ns();
	struct xsk_tx_slots *slots = slot->slots;
	unsigned long flags;

	/* The socket holds the pool, and with it the slots, until it is freed. */
	spin_lock_irqsave(&slots->lock, flags);
	if (likely(slot->meta))
		xsk_tx_md_write_stamp(slot->meta, ts);
	xsk_tx_slot_release(slot);
	spin_unlock_irqrestore(&slots->lock, flags);

	return addr;
}

/**
 * xsk_tx_md_disarm_skb - give up the answer of a frame that was not sent
 * @skb: an armed frame that will be built again from its descriptor
 */
void xsk_tx_md_disarm_skb(struct sk_buff *skb)
{
	struct xsk_tx_slot *slot = skb_shinfo(skb)->destructor_arg;
	unsigned long flags;

	spin_lock_irqsave(&slot->slots->lock, flags);
	xsk_tx_slot_release(slot);
	spin_unlock_irqrestore(&slot->slots->lock, flags);
}

/**
 * xsk_tx_md_close - see that no stamp is written for a closed socket
 * @pool: the socket's pool, NULL if it was never bound
 * @sk: the socket, which sends no more
 *
 * In zero-copy mode nobody knows whose a frame in flight is: these are let go
 * with the last socket that sends on the queue. Frames still under way complete
 * to those that share the pool, which must not find the request's own bytes.
 * When it returns, no answer is being written.
 */
void xsk_tx_md_close(struct xsk_buff_pool *pool, const struct sock *sk)
{
	struct xsk_tx_slots *slots = pool ? pool->tx_slots : NULL;
	struct xsk_tx_slot *slot;
	bool shared, last;
	u32 left;

	if (!slots)
		return;

	spin_lock_irq(&slots->lock);
	shared = refcount_read(&pool->users) > 1;
	last = list_empty(&pool->xsk_tx_list);
	/* They are handed out from the table's end on. */
	slot = slots->slot + slots->cnt;
	for (left = slots->taken; left; ) {
		slot--;
		if (!slot->taken)
			continue;

		left--;
		if (slot->sk ? slot->sk != sk : !last)
			continue;

		if (shared && slot->meta)
			xsk_tx_md_write_stamp(slot->meta, 0);
		slot->meta = NULL;
	}
	spin_unlock_irq(&slots->lock);
}
