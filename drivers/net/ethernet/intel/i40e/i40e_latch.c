// SPDX-License-Identifier: GPL-2.0
/* The one TX timestamp register of a port, see i40e_latch.h. */

#include "i40e.h"
#include "i40e_latch.h"

static u64 i40e_latch_fill_timestamp(void *priv)
{
	return *(u64 *)priv;
}

/* Only to answer; requests come through the ring's own ops. */
static const struct xsk_tx_metadata_ops i40e_latch_answer_ops = {
	.tmo_fill_timestamp	= i40e_latch_fill_timestamp,
};

/**
 * i40e_latch_time - the clock's time
 * @pf: board private structure
 *
 * The read of the low half latches the high one, so the lock must be held.
 *
 * Return: ns.
 */
u64 i40e_latch_time(struct i40e_pf *pf)
{
	struct i40e_hw *hw = &pf->hw;
	u32 lo;

	lockdep_assert_held(&pf->latch.lock);
	lo = rd32(hw, I40E_PRTTSYN_TIME_L);

	return ((u64)rd32(hw, I40E_PRTTSYN_TIME_H) << 32) | lo;
}

static void i40e_latch_grant(struct i40e_pf *pf, enum i40e_latch_owner owner)
{
	struct i40e_latch *l = &pf->latch;

	l->granted = l->doubt ? i40e_latch_time(pf) : 0;
	l->start = jiffies;
	WRITE_ONCE(l->owner, owner);
}

static void i40e_latch_wake(struct i40e_pf *pf)
{
	struct i40e_vsi *vsi = pf->vsi[pf->lan_vsi];

	if (!test_bit(__I40E_VSI_DOWN, vsi->state))
		netif_wake_subqueue(vsi->netdev, pf->latch.wait_queue);
}

static void i40e_latch_free(struct i40e_pf *pf)
{
	struct i40e_latch *l = &pf->latch;

	WRITE_ONCE(l->owner, I40E_LATCH_FREE);
	if (l->wait == I40E_LATCH_WAITING)
		i40e_latch_wake(pf);
}

/* The end of every grant. @got: with its stamp, or without having been sent. */
static void i40e_latch_release(struct i40e_pf *pf, bool got)
{
	struct i40e_latch *l = &pf->latch;

	lockdep_assert_held(&l->lock);
	if (l->owner == I40E_LATCH_XSK) {
		struct i40e_ring *ring = l->ring;

		hrtimer_try_to_cancel(&l->timer);
		/* The answer is there: see i40e_latch_completable(). */
		smp_store_release(&l->ring, NULL);
		/* The ring stopped at this frame: let it go on. */
		if (l->held && !test_bit(__I40E_VSI_DOWN, ring->vsi->state))
			i40e_force_wb(ring->vsi, ring->q_vector);
	}
	l->held = false;
	l->skb = NULL;

	if (got) {
		i40e_latch_free(pf);
		return;
	}

	l->doubt = true;
	WRITE_ONCE(l->owner, I40E_LATCH_RESTS);
	hrtimer_start(&l->timer, ns_to_ktime(I40E_LATCH_REST), HRTIMER_MODE_REL);
}

/* Can this stamp only be the owner's? */
static bool i40e_latch_is_own(struct i40e_latch *l, u64 ns)
{
	if (!l->doubt)
		return true;

	if (l->suspect && time_after(jiffies, l->suspect_end))
		l->suspect = 0;

	return ns >= l->granted && ns > l->suspect;
}

/* A stamp has been read. Returns the skb to give it to once unlocked. */
static struct sk_buff *i40e_latch_deliver(struct i40e_pf *pf, u64 ns)
{
	struct i40e_latch *l = &pf->latch;
	struct sk_buff *skb = l->skb;

	switch (l->owner) {
	case I40E_LATCH_FREE:
	case I40E_LATCH_RESTS:
		break;
	case I40E_LATCH_SKB:
		if (!i40e_latch_is_own(l, ns))
			break;
		i40e_latch_release(pf, true);
		return skb;
	case I40E_LATCH_XSK:
		if (!i40e_latch_is_own(l, ns))
			break;
		xsk_tx_metadata_complete(&l->compl, &i40e_latch_answer_ops, &ns);
		i40e_latch_release(pf, true);
		break;
	}

	return NULL;
}

/* Read the register, which unlocks it. */
static u64 i40e_latch_read(struct i40e_pf *pf)
{
	struct i40e_hw *hw = &pf->hw;
	u32 lo = rd32(hw, I40E_PRTTSYN_TXTIME_L);

	return ((u64)rd32(hw, I40E_PRTTSYN_TXTIME_H) << 32) | lo;
}

/* Look at the register's state. STAT_0 clears as it is read, so its other bit
 * has to be passed on.
 */
static u32 i40e_latch_poll(struct i40e_pf *pf, u64 *ns, struct sk_buff **skb)
{
	u32 stat = rd32(&pf->hw, I40E_PRTTSYN_STAT_0);

	*skb = NULL;
	if (stat & I40E_PRTTSYN_STAT_0_TXTIME_MASK) {
		*ns = i40e_latch_read(pf);
		*skb = i40e_latch_deliver(pf, *ns);
	}

	return stat;
}

static void i40e_latch_skb_done(struct sk_buff *skb, u64 ns)
{
	struct skb_shared_hwtstamps hwtstamps = { .hwtstamp = ns_to_ktime(ns) };

	if (!skb)
		return;

	skb_tstamp_tx(skb, &hwtstamps);
	dev_kfree_skb_any(skb);
}

/**
 * i40e_latch_intr - TIMESYNC interrupt
 * @pf: board private structure
 *
 * Return: PRTTSYN_STAT_0, whose event bits are left to the caller.
 */
u32 i40e_latch_intr(struct i40e_pf *pf)
{
	struct i40e_latch *l = &pf->latch;
	struct sk_buff *skb;
	unsigned long flags;
	u64 ns = 0;
	u32 stat;

	spin_lock_irqsave(&l->lock, flags);
	stat = i40e_latch_poll(pf, &ns, &skb);
	spin_unlock_irqrestore(&l->lock, flags);
	i40e_latch_skb_done(skb, ns);

	return stat;
}

/* Look for the stamp for the last time, then end the grant without it. Returns
 * the skb whose stamp was there after all.
 */
static struct sk_buff *i40e_latch_give_up(struct i40e_pf *pf, u64 *ns)
{
	struct i40e_latch *l = &pf->latch;
	enum i40e_latch_owner owner = l->owner;
	struct sk_buff *skb = l->skb, *got;
	u32 stat;

	stat = i40e_latch_poll(pf, ns, &got);
	if (stat & I40E_PRTTSYN_STAT_0_EVENT0_MASK)
		schedule_work(&pf->ptp_extts0_work);
	if (l->owner == I40E_LATCH_FREE)
		return got;

	rd32(&pf->hw, I40E_PRTTSYN_TXTIME_H);
	if (owner == I40E_LATCH_XSK) {
		xsk_tx_metadata_complete_none(&l->compl, XSK_TX_TS_TIMEOUT);
	} else {
		pf->tx_hwtstamp_timeouts++;
		dev_kfree_skb_any(skb);
	}
	i40e_latch_release(pf, false);

	return NULL;
}

/* A timer that was cancelled too late may find itself started anew. */
static bool i40e_latch_is_early(const struct hrtimer *t)
{
	return ktime_after(hrtimer_get_expires(t), ktime_get());
}

static enum hrtimer_restart i40e_latch_timer(struct hrtimer *t)
{
	struct i40e_latch *l = container_of(t, struct i40e_latch, timer);
	struct i40e_pf *pf = container_of(l, struct i40e_pf, latch);
	struct sk_buff *skb = NULL;
	unsigned long flags;
	u64 ns = 0;

	spin_lock_irqsave(&l->lock, flags);
	/* Early: started again since, the next time is the one. */
	if (!i40e_latch_is_early(t)) {
		if (l->owner == I40E_LATCH_XSK && l->held)
			skb = i40e_latch_give_up(pf, &ns);
		else if (l->owner == I40E_LATCH_RESTS)
			i40e_latch_free(pf);
	}
	spin_unlock_irqrestore(&l->lock, flags);
	i40e_latch_skb_done(skb, ns);

	return HRTIMER_NORESTART;
}

static enum hrtimer_restart i40e_latch_wait_over(struct hrtimer *t)
{
	struct i40e_latch *l = container_of(t, struct i40e_latch, wait_timer);
	struct i40e_pf *pf = container_of(l, struct i40e_pf, latch);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	if (i40e_latch_is_early(t)) {
		/* The next skb's wait has already begun. */
	} else if (l->wait == I40E_LATCH_WAITING) {
		l->wait = I40E_LATCH_WAIT_OVER;
		i40e_latch_wake(pf);
		hrtimer_forward_now(t, ns_to_ktime(I40E_LATCH_SKB_BACK));
		ret = HRTIMER_RESTART;
	} else if (l->wait == I40E_LATCH_WAIT_OVER) {
		l->wait = I40E_LATCH_WAIT_NONE;
	}
	spin_unlock_irqrestore(&l->lock, flags);

	return ret;
}

/**
 * i40e_latch_watchdog - end a grant whose frame seems to be stuck
 * @pf: board private structure
 *
 * From the service task, once a second. An AF_XDP frame whose descriptor has
 * completed does not get here: its own timer is faster.
 */
void i40e_latch_watchdog(struct i40e_pf *pf)
{
	struct i40e_latch *l = &pf->latch;
	struct sk_buff *skb = NULL;
	unsigned long flags;
	u64 ns = 0;

	if (READ_ONCE(l->owner) == I40E_LATCH_FREE)
		return;

	spin_lock_irqsave(&l->lock, flags);
	if ((l->owner == I40E_LATCH_SKB || l->owner == I40E_LATCH_XSK) &&
	    time_after(jiffies, l->start + HZ))
		skb = i40e_latch_give_up(pf, &ns);
	spin_unlock_irqrestore(&l->lock, flags);
	i40e_latch_skb_done(skb, ns);
}

/**
 * i40e_latch_flush - nobody has the register any more, nobody waits for it
 * @pf: board private structure
 *
 * For a change of the time stamping mode, a reset, and the end of PTP.
 */
void i40e_latch_flush(struct i40e_pf *pf)
{
	struct i40e_latch *l = &pf->latch;
	struct sk_buff *skb = NULL;
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	if (l->owner == I40E_LATCH_XSK)
		xsk_tx_metadata_complete_none(&l->compl, XSK_TX_TS_TIMEOUT);
	else
		skb = l->skb;
	if (skb)
		pf->tx_hwtstamp_timeouts++;
	if (l->owner == I40E_LATCH_SKB || l->owner == I40E_LATCH_XSK)
		i40e_latch_release(pf, false);
	if (l->wait == I40E_LATCH_WAITING)
		i40e_latch_wake(pf);
	l->wait = I40E_LATCH_WAIT_NONE;
	spin_unlock_irqrestore(&l->lock, flags);
	dev_kfree_skb_any(skb);
}

/**
 * i40e_latch_get_skb - an skb asks for a stamp
 * @tx_ring: the skb's ring
 * @skb: may come again if told to try later
 *
 * Under the queue's transmit lock, before anything of the skb is in the ring.
 *
 * Return: what to do with it; if granted, a reference to @skb was taken.
 */
enum i40e_latch_skb i40e_latch_get_skb(struct i40e_ring *tx_ring,
				       struct sk_buff *skb)
{
	struct i40e_pf *pf = tx_ring->vsi->back;
	struct i40e_latch *l = &pf->latch;
	enum i40e_latch_skb ret = I40E_LATCH_GO_WITHOUT;
	unsigned long flags;
	bool back;

	spin_lock_irqsave(&l->lock, flags);
	back = l->wait != I40E_LATCH_WAIT_NONE && l->waiter == skb;

	if (!pf->ptp_tx) {
		/* Switched off since the caller looked: nobody is flushed again. */
	} else if (l->owner == I40E_LATCH_FREE &&
		   (back || l->wait != I40E_LATCH_WAITING)) {
		l->skb = skb_get(skb);
		i40e_latch_grant(pf, I40E_LATCH_SKB);
		ret = I40E_LATCH_GRANTED;
	} else if ((l->owner == I40E_LATCH_XSK || l->owner == I40E_LATCH_RESTS) &&
		   tx_ring->vsi == pf->vsi[pf->lan_vsi] &&
		   (l->wait == I40E_LATCH_WAIT_NONE ||
		    (back && l->wait == I40E_LATCH_WAITING))) {
		netif_stop_subqueue(tx_ring->netdev, tx_ring->queue_index);
		if (!back) {
			l->wait = I40E_LATCH_WAITING;
			l->waiter = skb;
			l->wait_queue = tx_ring->queue_index;
			hrtimer_start(&l->wait_timer,
				      ns_to_ktime(I40E_LATCH_SKB_WAIT),
				      HRTIMER_MODE_REL);
		}
		ret = I40E_LATCH_TRY_LATER;
	}

	if (ret != I40E_LATCH_TRY_LATER && back) {
		l->wait = I40E_LATCH_WAIT_NONE;
		hrtimer_try_to_cancel(&l->wait_timer);
	}
	if (ret == I40E_LATCH_GO_WITHOUT)
		pf->tx_hwtstamp_skipped++;
	spin_unlock_irqrestore(&l->lock, flags);

	return ret;
}

/**
 * i40e_latch_put_skb - an skb with a grant was not sent after all
 * @pf: board private structure
 * @skb: the skb
 */
void i40e_latch_put_skb(struct i40e_pf *pf, struct sk_buff *skb)
{
	struct i40e_latch *l = &pf->latch;
	unsigned long flags;
	bool mine;

	spin_lock_irqsave(&l->lock, flags);
	mine = l->owner == I40E_LATCH_SKB && l->skb == skb;
	if (mine)
		i40e_latch_release(pf, true);
	spin_unlock_irqrestore(&l->lock, flags);
	if (mine)
		dev_kfree_skb_any(skb);
}

/**
 * i40e_latch_get_xsk - an AF_XDP frame asks for a stamp
 * @xdp_ring: the frame's ring
 * @idx: where its data descriptor is going to be
 * @meta: handle of the answer, taken over if granted
 *
 * In the ring's transmit path, before the hardware sees the descriptor.
 *
 * Return: true if the frame may set TSYN.
 */
bool i40e_latch_get_xsk(struct i40e_ring *xdp_ring, u16 idx,
			struct xsk_tx_metadata *meta)
{
	struct i40e_pf *pf = xdp_ring->vsi->back;
	struct i40e_latch *l = &pf->latch;
	unsigned long flags;
	bool ok = false;

	if (!(pf->flags & I40E_FLAG_PTP) || !READ_ONCE(pf->ptp_tx) ||
	    READ_ONCE(l->owner) != I40E_LATCH_FREE)
		return false;

	spin_lock_irqsave(&l->lock, flags);
	if (l->owner == I40E_LATCH_FREE && l->wait != I40E_LATCH_WAITING &&
	    pf->ptp_tx) {
		xsk_tx_metadata_to_compl(meta, &l->compl);
		l->idx = idx;
		l->held = false;
		WRITE_ONCE(l->ring, xdp_ring);
		i40e_latch_grant(pf, I40E_LATCH_XSK);
		ok = true;
	}
	spin_unlock_irqrestore(&l->lock, flags);

	return ok;
}

/**
 * i40e_latch_completable - how far a ring may be completed
 * @xdp_ring: ring with AF_XDP frames
 * @descs: number of descriptors from next_to_clean on that the hardware is done
 *	with
 *
 * The completion ring is positional: a frame that waits for its stamp holds up
 * those behind it. If there is one, the time starts within which it is answered,
 * and then the ring's NAPI is triggered.
 *
 * Return: number of descriptors before that frame, else @descs.
 */
u32 i40e_latch_completable(struct i40e_ring *xdp_ring, u32 descs)
{
	struct i40e_latch *l = &xdp_ring->vsi->back->latch;
	unsigned long flags;
	u32 before;

	/* A frame whose answer was given must not be handed back before it. */
	if (likely(smp_load_acquire(&l->ring) != xdp_ring))
		return descs;

	spin_lock_irqsave(&l->lock, flags);
	if (l->ring == xdp_ring) {
		before = l->idx >= xdp_ring->next_to_clean ?
			 l->idx - xdp_ring->next_to_clean :
			 l->idx + xdp_ring->count - xdp_ring->next_to_clean;
		if (before < descs) {
			descs = before;
			if (!l->held) {
				l->held = true;
				hrtimer_start(&l->timer,
					      ns_to_ktime(I40E_LATCH_XSK_HOLD),
					      HRTIMER_MODE_REL);
			}
		}
	}
	spin_unlock_irqrestore(&l->lock, flags);

	return descs;
}

/**
 * i40e_latch_ring_gone - a ring is emptied without completing its frames
 * @xdp_ring: ring that the hardware no longer uses
 */
void i40e_latch_ring_gone(struct i40e_ring *xdp_ring)
{
	struct i40e_pf *pf = xdp_ring->vsi->back;
	struct i40e_latch *l = &pf->latch;
	unsigned long flags;

	spin_lock_irqsave(&l->lock, flags);
	if (l->owner == I40E_LATCH_XSK && l->ring == xdp_ring) {
		xsk_tx_metadata_complete_none(&l->compl, XSK_TX_TS_FLUSHED);
		/* There is no NAPI to go on. */
		l->held = false;
		i40e_latch_release(pf, false);
	}
	spin_unlock_irqrestore(&l->lock, flags);
}

/**
 * i40e_latch_step - the clock has been set
 * @pf: board private structure
 * @delta: by how many ns it was moved
 *
 * Under the lock that was already held when the clock was written.
 */
void i40e_latch_step(struct i40e_pf *pf, s64 delta)
{
	struct i40e_latch *l = &pf->latch;

	lockdep_assert_held(&l->lock);
	if (l->granted)
		l->granted += delta;
	if (delta < 0 && (l->doubt || l->owner != I40E_LATCH_FREE)) {
		l->suspect = max(l->suspect, i40e_latch_time(pf) - delta);
		l->suspect_end = jiffies + I40E_LATCH_AMBIGUOUS;
	}
}

/**
 * i40e_latch_init - before the first interrupt
 * @pf: board private structure
 */
void i40e_latch_init(struct i40e_pf *pf)
{
	struct i40e_latch *l = &pf->latch;

	spin_lock_init(&l->lock);
	hrtimer_init(&l->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	l->timer.function = i40e_latch_timer;
	hrtimer_init(&l->wait_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	l->wait_timer.function = i40e_latch_wait_over;
}

/**
 * i40e_latch_exit - after the last interrupt and frame
 * @pf: board private structure
 */
void i40e_latch_exit(struct i40e_pf *pf)
{
	hrtimer_cancel(&pf->latch.timer);
	hrtimer_cancel(&pf->latch.wait_timer);
}
