// SPDX-License-Identifier: GPL-2.0
/* AF_XDP TX metadata in zero-copy mode: stamps, checksums, launch times
 *
 * The DMA writes a frame's stamp into the frame's own descriptor, so any
 * number of them may be under way. Checksums are inserted by an engine that
 * parses the frame itself, and launch times go into the enhanced descriptors
 * of queues with time based scheduling.
 */

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <asm/unaligned.h>

#include "stmmac.h"
#include "stmmac_ptp.h"
#include "stmmac_xsk_meta.h"

/* A request on its way through the core's callbacks. */
struct stmmac_xsk_req {
	struct stmmac_priv *priv;
	struct stmmac_tx_queue *tx_q;
	struct dma_desc *tx_desc;
	const u8 *frame;
	u32 len;
	unsigned int entry;
	u32 flags;
	bool no_stamp;
};

/* A completion on its way through the core's callback. */
struct stmmac_xsk_compl {
	struct stmmac_priv *priv;
	struct dma_desc *tx_desc;
};

/* XGMAC keeps one stamp in a register, which is the skb path's to read. A core
 * without extended descriptors puts half of the stamp where the address of the
 * frame was, and stmmac_tx_clean() needs that word before it comes to us.
 */
static bool stmmac_xsk_can_stamp(const struct stmmac_priv *priv)
{
	return priv->hwts_tx_en && !priv->plat->has_xgmac &&
	       (priv->plat->has_gmac4 || priv->extend_desc);
}

static void stmmac_xsk_request_timestamp(void *_req)
{
	struct stmmac_xsk_req *req = _req;

	if (!stmmac_xsk_can_stamp(req->priv)) {
		req->no_stamp = true;
		return;
	}

	stmmac_enable_tx_timestamp(req->priv, req->tx_desc);
	/* Whoever asks waits for the answer. */
	stmmac_set_tx_ic(req->priv, req->tx_desc);
	req->flags |= STMMAC_XSK_IC;
}

static u64 stmmac_xsk_fill_timestamp(void *_compl)
{
	struct stmmac_xsk_compl *compl = _compl;
	struct stmmac_priv *priv = compl->priv;
	u64 ns = 0;

	stmmac_get_timestamp(priv, compl->tx_desc, priv->adv_ts, &ns);

	return ns - priv->plat->cdc_error_adj;
}

/* The frame is shared with its sender: read each byte once. */
static u16 stmmac_xsk_be16(const u8 *p)
{
	return READ_ONCE(p[0]) << 8 | READ_ONCE(p[1]);
}

/* Does the engine put the checksum where the sender wants it? It fills in
 * the TCP or UDP checksum of an unfragmented packet behind at most one VLAN
 * tag, over as many bytes as the IP header says. IPv6 extension headers are
 * left to the sender: one with a routing header needs another address in the
 * pseudo header.
 */
static bool stmmac_xsk_csum_fits(const u8 *frame, u32 len, u32 start, u32 offset)
{
	u32 l3 = ETH_HLEN, hdr, tot;
	u16 proto;
	u8 l4;

	if (len < l3)
		return false;

	proto = stmmac_xsk_be16(frame + 2 * ETH_ALEN);
	if (proto == ETH_P_8021Q) {
		l3 += VLAN_HLEN;
		if (len < l3)
			return false;
		proto = stmmac_xsk_be16(frame + l3 - 2);
	}

	len -= l3;
	frame += l3;
	if (proto == ETH_P_IP) {
		u8 first;

		if (len < sizeof(struct iphdr))
			return false;
		first = READ_ONCE(frame[0]);
		hdr = (first & 15) * 4;
		tot = stmmac_xsk_be16(frame + offsetof(struct iphdr, tot_len));
		l4 = READ_ONCE(frame[offsetof(struct iphdr, protocol)]);
		if (first >> 4 != 4 || hdr < sizeof(struct iphdr) ||
		    stmmac_xsk_be16(frame + offsetof(struct iphdr, frag_off)) & 0x3fff)
			return false;
	} else if (proto == ETH_P_IPV6) {
		if (len < sizeof(struct ipv6hdr))
			return false;
		hdr = sizeof(struct ipv6hdr);
		tot = hdr + stmmac_xsk_be16(frame + offsetof(struct ipv6hdr, payload_len));
		l4 = READ_ONCE(frame[offsetof(struct ipv6hdr, nexthdr)]);
		if (READ_ONCE(frame[0]) >> 4 != 6)
			return false;
	} else {
		return false;
	}

	if (tot > len || start != l3 + hdr)
		return false;

	if (l4 == IPPROTO_UDP)
		return tot >= hdr + sizeof(struct udphdr) &&
		       offset == offsetof(struct udphdr, check) &&
		       stmmac_xsk_be16(frame + hdr + offsetof(struct udphdr, len)) == tot - hdr;

	return l4 == IPPROTO_TCP && tot >= hdr + sizeof(struct tcphdr) &&
	       offset == offsetof(struct tcphdr, check);
}

static void stmmac_xsk_request_checksum(u16 start, u16 offset, void *_req)
{
	struct stmmac_xsk_req *req = _req;
	struct xsk_buff_pool *pool = req->tx_q->xsk_pool;

	if (!req->priv->plat->tx_coe ||
	    !stmmac_xsk_csum_fits(req->frame, req->len, start, offset)) {
		xsk_tx_md_count(pool, XSK_TX_CSUM_REFUSED);
		return;
	}

	req->flags |= STMMAC_XSK_CSUM;
	xsk_tx_md_count(pool, XSK_TX_CSUM_OK);
}

/* The clock, read once for all frames of a batch: reading it for each would
 * cost more than sending it. What is past by then leaves at once anyhow.
 */
static u64 stmmac_xsk_now(struct stmmac_priv *priv, struct stmmac_tx_queue *tx_q)
{
	unsigned long flags;

	if (!tx_q->xsk_now) {
		read_lock_irqsave(&priv->ptp_lock, flags);
		stmmac_get_systime(priv, priv->ptpaddr, &tx_q->xsk_now);
		read_unlock_irqrestore(&priv->ptp_lock, flags);
	}

	return tx_q->xsk_now;
}

static void stmmac_xsk_request_launch_time(u64 launch_time, void *_req)
{
	struct stmmac_xsk_req *req = _req;
	struct stmmac_tx_queue *tx_q = req->tx_q;
	u64 now;
	u32 ns;

	if (!(tx_q->tbs & STMMAC_TBS_EN)) {
		xsk_tx_md_count(tx_q->xsk_pool, XSK_TX_LAUNCH_REFUSED);
		return;
	}

	now = stmmac_xsk_now(req->priv, tx_q);
	if (launch_time > now) {
		if (launch_time - now > STMMAC_LAUNCH_HORIZON) {
			xsk_tx_md_count(tx_q->xsk_pool, XSK_TX_LAUNCH_REFUSED);
			return;
		}

		/* In steps of 256 ns, rounded down. */
		launch_time = div_u64_rem(launch_time, NSEC_PER_SEC, &ns);
		stmmac_set_desc_tbs(req->priv, &tx_q->dma_entx[req->entry],
				    launch_time, ns);
	}

	xsk_tx_md_count(tx_q->xsk_pool, XSK_TX_LAUNCH_OK);
}

static const struct xsk_tx_metadata_ops stmmac_xsk_ops = {
	.tmo_request_timestamp		= stmmac_xsk_request_timestamp,
	.tmo_fill_timestamp		= stmmac_xsk_fill_timestamp,
	.tmo_request_checksum		= stmmac_xsk_request_checksum,
	.tmo_request_launch_time	= stmmac_xsk_request_launch_time,
};

/**
 * stmmac_xsk_tx_request - take in what a frame asks for
 * @priv: driver private structure
 * @queue: the queue, locked by its transmitter, with a pool
 * @xdp_desc: the frame, with XDP_TX_METADATA
 * @tx_desc: its descriptor, the queue's current one, cleared, before
 *	stmmac_prepare_tx_desc()
 *
 * Return: STMMAC_XSK_* bits.
 */
u32 stmmac_xsk_tx_request(struct stmmac_priv *priv, u32 queue,
			  const struct xdp_desc *xdp_desc, struct dma_desc *tx_desc)
{
	struct stmmac_tx_queue *tx_q = &priv->dma_conf.tx_queue[queue];
	struct stmmac_xsk_req req = {
		.priv = priv,
		.tx_q = tx_q,
		.tx_desc = tx_desc,
		.frame = xsk_buff_raw_get_data(tx_q->xsk_pool, xdp_desc->addr),
		.len = xdp_desc->len,
		.entry = tx_q->cur_tx,
	};
	struct xsk_tx_metadata *meta;

	meta = xsk_buff_get_metadata(tx_q->xsk_pool, xdp_desc->addr,
				     xdp_desc->options);
	xsk_tx_metadata_request_len(tx_q->xsk_pool, &meta, xdp_desc->len,
				    &stmmac_xsk_ops, &req);
	if (req.no_stamp)
		xsk_tx_metadata_skip(&meta);
	if (meta) {
		struct stmmac_tx_info *info = &tx_q->tx_skbuff_dma[req.entry];

		xsk_tx_metadata_to_compl(meta, &info->xsk_compl);
		info->buf_type = STMMAC_TXBUF_T_XSK_MD;
	}

	return req.flags;
}

/**
 * stmmac_xsk_tx_answer - give a frame that has been sent its stamp
 * @priv: driver private structure
 * @info: the frame's slot, with an answer to give
 * @tx_desc: its descriptor, written back and not yet released
 * @status: of stmmac_tx_status()
 *
 * Before xsk_tx_completed().
 */
void stmmac_xsk_tx_answer(struct stmmac_priv *priv, struct stmmac_tx_info *info,
			  struct dma_desc *tx_desc, int status)
{
	struct stmmac_xsk_compl compl = {
		.priv = priv,
		.tx_desc = tx_desc,
	};

	if (unlikely(status & tx_err))
		xsk_tx_metadata_complete_none(&info->xsk_compl, XSK_TX_TS_FLUSHED);
	else if (unlikely(!stmmac_get_tx_timestamp_status(priv, tx_desc)))
		xsk_tx_metadata_complete_none(&info->xsk_compl, XSK_TX_TS_TIMEOUT);
	else
		xsk_tx_metadata_complete(&info->xsk_compl, &stmmac_xsk_ops, &compl);
}

/**
 * stmmac_xsk_tx_flush - answer for a frame that the hardware will not send
 * @info: the frame's slot
 */
void stmmac_xsk_tx_flush(struct stmmac_tx_info *info)
{
	xsk_tx_metadata_complete_none(&info->xsk_compl, XSK_TX_TS_FLUSHED);
}

/**
 * stmmac_xsk_set_ops - tell the core that this device serves requests
 * @dev: device that is being set up
 */
void stmmac_xsk_set_ops(struct net_device *dev)
{
#if IS_ENABLED(CONFIG_XDP_SOCKETS)
	dev->xsk_tx_metadata_ops = &stmmac_xsk_ops;
#endif
}

static const char * const stmmac_xsk_stat_names[XSK_TX_MD_STATS] =
	XSK_TX_MD_STAT_NAMES;

/**
 * stmmac_xsk_stats_count - number of counters in ethtool -S
 * @priv: driver private structure
 *
 * Return: those of the device and those of each queue in use.
 */
unsigned int stmmac_xsk_stats_count(struct stmmac_priv *priv)
{
	return (1 + priv->plat->tx_queues_to_use) * XSK_TX_MD_STATS;
}

/**
 * stmmac_xsk_stats_strings - their names
 * @priv: driver private structure
 * @data: where to put them
 */
void stmmac_xsk_stats_strings(struct stmmac_priv *priv, u8 *data)
{
	unsigned int q, i;

	for (i = 0; i < XSK_TX_MD_STATS; i++, data += ETH_GSTRING_LEN)
		snprintf(data, ETH_GSTRING_LEN, "tx_xsk_%s",
			 stmmac_xsk_stat_names[i]);

	for (q = 0; q < priv->plat->tx_queues_to_use; q++)
		for (i = 0; i < XSK_TX_MD_STATS; i++, data += ETH_GSTRING_LEN)
			snprintf(data, ETH_GSTRING_LEN, "q%u_tx_xsk_%s", q,
				 stmmac_xsk_stat_names[i]);
}

/**
 * stmmac_xsk_stats - their values
 * @priv: driver private structure
 * @data: where to put them
 *
 * The device's are sums over all queues that there can be, so that they don't
 * go backwards when the number of queues changes.
 */
void stmmac_xsk_stats(struct stmmac_priv *priv, u64 *data)
{
	unsigned int q, i;

	for (i = 0; i < XSK_TX_MD_STATS; i++) {
		u64 sum = 0;

		for (q = 0; q < MTL_MAX_TX_QUEUES; q++)
			sum += local64_read(&priv->xsk_md_stats[q].cnt[i]);
		*data++ = sum;
	}

	for (q = 0; q < priv->plat->tx_queues_to_use; q++)
		for (i = 0; i < XSK_TX_MD_STATS; i++)
			*data++ = local64_read(&priv->xsk_md_stats[q].cnt[i]);
}
