// SPDX-License-Identifier: GPL-2.0
/* AF_XDP TX metadata: timestamps and checksums, for each frame
 *
 * What the device gives, and what follows from it:
 *
 * - A timestamp comes with a completion, and a completion is for a WQE. A
 *   frame that wants a stamp gets a WQE of its own that asks for a completion
 *   of its own; the others share multi-packet WQEs and completions as before.
 * - The stamp is the completion's time, taken when the device is done with the
 *   WQE, not the wire's. It needs no SIOCSHWTSTAMP: the device always stamps.
 * - Checksums are asked for in the Ethernet segment, which the frames of a
 *   multi-packet WQE share: the WQE ends where the setting changes.
 * - The device finds headers by parsing the frame. csum_start and csum_offset
 *   are what the sender believes; where that is not what the device will find,
 *   or is not known to be, the request is refused.
 *
 * The completion record of a stamped frame takes the place that AF_XDP frames
 * leave unused in the frame's own FIFO entry.
 */

#include <linux/if_vlan.h>
#include <net/geneve.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/tcp.h>
#include <net/udp.h>
#include <net/vxlan.h>
#include "en/xsk/tx.h"
#include "en/xsk/tx_meta.h"
#include "lib/clock.h"
#include "lib/vxlan.h"

/* What the frame at hand asks for; @priv of the request callbacks. */
struct mlx5e_xsk_tx_req {
	struct mlx5e_xdpsq *sq;
	const struct mlx5e_xmit_data *xdptxd;
	u8 cs_flags;
	bool stamp;
	bool fits;	/* the frame can be sent at all */
};

/* @priv of the completion callback */
struct mlx5e_xsk_tx_done {
	struct mlx5e_xdpsq *sq;
	struct mlx5_cqe64 *cqe;
};

/* Does the device take UDP to this port for a tunnel, and look inside? */
static bool mlx5e_xsk_is_tunnel(struct mlx5_core_dev *mdev, u16 port)
{
	return port == IANA_VXLAN_UDP_PORT || port == GENEVE_UDP_PORT ||
	       mlx5_vxlan_lookup_port(mdev->vxlan, port);
}

/* The frame belongs to a process that may change it under our eyes: headers are
 * copied, and only the copy is looked at.
 */
static void mlx5e_xsk_copy_hdr(void *hdr, const void *data, u32 len)
{
	memcpy(hdr, data, len);
	barrier();
}

/* Finds the checksum field as the device does: Ethernet, at most two VLAN tags,
 * IPv4 or IPv6 without extension headers, TCP or UDP.
 */
static bool mlx5e_xsk_csum_parses(struct mlx5_core_dev *mdev, const void *data,
				  u32 len, u16 start, u16 offset)
{
	u32 l3 = ETH_HLEN, l4, ip_len;
	__be16 proto;
	u8 l4_proto;
	int tags;

	if (len < ETH_HLEN)
		return false;

	mlx5e_xsk_copy_hdr(&proto, data + l3 - sizeof(proto), sizeof(proto));
	for (tags = 0; eth_type_vlan(proto); tags++) {
		if (tags == 2 || len < l3 + VLAN_HLEN)
			return false;
		l3 += VLAN_HLEN;
		mlx5e_xsk_copy_hdr(&proto, data + l3 - sizeof(proto), sizeof(proto));
	}

	if (proto == htons(ETH_P_IP)) {
		struct iphdr iph;

		if (len < l3 + sizeof(iph))
			return false;
		mlx5e_xsk_copy_hdr(&iph, data + l3, sizeof(iph));
		if (iph.version != 4 || iph.ihl < 5 || ip_is_fragment(&iph))
			return false;
		l4 = l3 + iph.ihl * 4;
		l4_proto = iph.protocol;
		ip_len = ntohs(iph.tot_len);
	} else if (proto == htons(ETH_P_IPV6)) {
		struct ipv6hdr ip6h;

		if (len < l3 + sizeof(ip6h))
			return false;
		mlx5e_xsk_copy_hdr(&ip6h, data + l3, sizeof(ip6h));
		if (ip6h.version != 6)
			return false;
		l4 = l3 + sizeof(ip6h);
		l4_proto = ip6h.nexthdr;
		ip_len = sizeof(ip6h) + ntohs(ip6h.payload_len);
	} else {
		return false;
	}

	/* The device sums up as many bytes as the IP header says. */
	if (start != l4 || ip_len > len - l3)
		return false;

	switch (l4_proto) {
	case IPPROTO_TCP:
		return offset == offsetof(struct tcphdr, check) &&
		       ip_len >= l4 - l3 + sizeof(struct tcphdr);
	case IPPROTO_UDP: {
		struct udphdr uh;

		if (offset != offsetof(struct udphdr, check) ||
		    ip_len < l4 - l3 + sizeof(uh))
			return false;
		mlx5e_xsk_copy_hdr(&uh, data + l4, sizeof(uh));
		return ntohs(uh.len) == ip_len - (l4 - l3) &&
		       !mlx5e_xsk_is_tunnel(mdev, ntohs(uh.dest));
	}
	}

	return false;
}

static void mlx5e_xsk_request_timestamp(void *priv)
{
	struct mlx5e_xsk_tx_req *req = priv;

	req->stamp = true;
}

static void mlx5e_xsk_request_checksum(u16 csum_start, u16 csum_offset, void *priv)
{
	struct mlx5e_xsk_tx_req *req = priv;

	if (!req->fits ||
	    !mlx5e_xsk_csum_parses(req->sq->channel->mdev, req->xdptxd->data,
				   req->xdptxd->len, csum_start, csum_offset)) {
		xsk_tx_md_count(req->sq->xsk_pool, XSK_TX_CSUM_REFUSED);
		return;
	}

	/* L4 is never asked for without L3: an IPv4 header's checksum is filled
	 * in as well.
	 */
	req->cs_flags = MLX5_ETH_WQE_L3_CSUM | MLX5_ETH_WQE_L4_CSUM;
	xsk_tx_md_count(req->sq->xsk_pool, XSK_TX_CSUM_OK);
}

static u64 mlx5e_xsk_fill_timestamp(void *priv)
{
	struct mlx5e_xsk_tx_done *done = priv;
	struct mlx5_core_dev *mdev = done->sq->channel->mdev;

	return ktime_to_ns(mlx5e_cqe_ts_to_ns(mlx5_sq_ts_translator(mdev),
					      &mdev->clock, get_cqe_ts(done->cqe)));
}

static const struct xsk_tx_metadata_ops mlx5e_xsk_tx_metadata_ops = {
	.tmo_request_timestamp	= mlx5e_xsk_request_timestamp,
	.tmo_fill_timestamp	= mlx5e_xsk_fill_timestamp,
	.tmo_request_checksum	= mlx5e_xsk_request_checksum,
};

/* Once for each frame with XDP_TX_METADATA. If the frame has to be answered,
 * xdpi becomes the record that does it.
 */
static noinline void mlx5e_xsk_tx_request(struct mlx5e_xsk_tx_req *req, struct xdp_desc *desc,
					  struct mlx5e_xdp_info *xdpi)
{
	struct xsk_buff_pool *pool = req->sq->xsk_pool;
	struct xsk_tx_metadata *meta;

	meta = xsk_buff_get_metadata(pool, desc->addr, desc->options);
	xsk_tx_metadata_request_len(pool, &meta, desc->len,
				    &mlx5e_xsk_tx_metadata_ops, req);

	/* Without a PTP clock there is nothing to convert with. */
	if (req->stamp && unlikely(!req->sq->channel->mdev->clock.ptp)) {
		xsk_tx_metadata_skip(&meta);
		req->stamp = false;
	}

	if (!meta)
		return;

	xdpi->mode = MLX5E_XDP_XMIT_MODE_XSK_META;
	xsk_tx_metadata_to_compl(meta, &xdpi->xsk.compl);
}

/* A frame in a WQE of its own, which takes one basic block. Everything that is
 * not the same for all frames is written, so nothing leaks to the slot's next.
 */
static void mlx5e_xsk_tx_single(struct mlx5e_xdpsq *sq, const struct mlx5e_xmit_data *xdptxd,
				u8 cs_flags, u8 fm_ce_se)
{
	u16 pi = mlx5_wq_cyc_ctr2ix(&sq->wq, sq->pc);
	struct mlx5e_tx_wqe *wqe = mlx5_wq_cyc_get_wqe(&sq->wq, pi);
	u16 ds_cnt = MLX5E_TX_WQE_EMPTY_DS_COUNT + 1;
	struct mlx5_wqe_ctrl_seg *cseg = &wqe->ctrl;
	struct mlx5_wqe_data_seg *dseg = wqe->data;
	struct mlx5_wqe_eth_seg *eseg = &wqe->eth;
	dma_addr_t dma_addr = xdptxd->dma_addr;
	u32 dma_len = xdptxd->len;

	memset(eseg, 0, sizeof(*eseg));
	eseg->cs_flags = cs_flags;

	if (unlikely(sq->min_inline_mode != MLX5_INLINE_MODE_NONE)) {
		size_t in_eseg = sizeof(eseg->inline_hdr.start);

		eseg->inline_hdr.sz = cpu_to_be16(MLX5E_XDP_MIN_INLINE);
		memcpy(eseg->inline_hdr.start, xdptxd->data, in_eseg);
		memcpy(dseg, xdptxd->data + in_eseg, MLX5E_XDP_MIN_INLINE - in_eseg);
		dma_len -= MLX5E_XDP_MIN_INLINE;
		dma_addr += MLX5E_XDP_MIN_INLINE;
		dseg++;
		ds_cnt++;
	}

	dseg->addr = cpu_to_be64(dma_addr);
	dseg->byte_count = cpu_to_be32(dma_len);
	dseg->lkey = sq->mkey_be;

	memset(&cseg->trailer, 0, sizeof(cseg->trailer));
	cseg->opmod_idx_opcode = cpu_to_be32((sq->pc << 8) | MLX5_OPCODE_SEND);
	cseg->qpn_ds = cpu_to_be32((sq->sqn << 8) | ds_cnt);
	cseg->fm_ce_se = fm_ce_se;

	sq->db.wqe_info[pi] = (struct mlx5e_xdp_wqe_info) {
		.num_wqebbs = 1,
		.num_pkts = 1,
	};

	sq->pc++;
	sq->doorbell_cseg = cseg;
	sq->stats->xmit++;
}

/* An open multi-packet WQE keeps one basic block free behind it, for a frame
 * that has to end it. This is what it takes to open one.
 */
static bool mlx5e_xsk_tx_may_open(struct mlx5e_xdpsq *sq)
{
	return mlx5e_wqc_has_room_for(&sq->wq, sq->cc, sq->pc, sq->stop_room + 1);
}

static bool mlx5e_xsk_tx_has_room(struct mlx5e_xdpsq *sq, bool mpwqe)
{
	if (mpwqe) {
		if (likely(sq->mpwqe.wqe) || likely(mlx5e_xsk_tx_may_open(sq)))
			return true;
	} else if (likely(mlx5e_wqc_has_room_for(&sq->wq, sq->cc, sq->pc, 1))) {
		return true;
	}

	mlx5e_xmit_xdp_doorbell(sq);
	sq->stats->full++;
	return false;
}

/* A frame without a stamp, with multi-packet WQEs. */
static void mlx5e_xsk_tx_mpwqe(struct mlx5e_xdpsq *sq, struct mlx5e_xmit_data *xdptxd,
			       u8 cs_flags)
{
	struct mlx5e_tx_mpwqe *session = &sq->mpwqe;

	if (unlikely(session->wqe && session->wqe->eth.cs_flags != cs_flags)) {
		mlx5e_xdp_mpwqe_complete(sq);
		if (unlikely(!mlx5e_xsk_tx_may_open(sq))) {
			mlx5e_xsk_tx_single(sq, xdptxd, cs_flags, 0);
			return;
		}
	}

	if (!session->wqe) {
		mlx5e_xdp_mpwqe_session_start(sq);
		session->wqe->eth.cs_flags = cs_flags;
	}

	mlx5e_xdp_mpwqe_add_dseg(sq, xdptxd, sq->stats);
	if (unlikely(mlx5e_xdp_mpwqe_is_full(session, sq->max_sq_mpw_wqebbs)))
		mlx5e_xdp_mpwqe_complete(sq);

	sq->stats->xmit++;
}

/* The frame is not sent; its address goes back with the NOP in its place. */
static noinline void mlx5e_xsk_tx_refuse(struct mlx5e_xdpsq *sq, struct mlx5e_xdp_info *xdpi)
{
	sq->stats->err++;

	if (xdpi->mode == MLX5E_XDP_XMIT_MODE_XSK_META) {
		xsk_tx_metadata_complete_none(&xdpi->xsk.compl, XSK_TX_TS_FLUSHED);
		xdpi->mode = MLX5E_XDP_XMIT_MODE_XSK;
	}

	if (sq->mpwqe.wqe)
		mlx5e_xdp_mpwqe_complete(sq);
	mlx5e_xsk_tx_post_err(sq, xdpi);
}

/**
 * mlx5e_xsk_tx_meta - send what is in the AF_XDP ring, honouring requests
 * @sq: the queue, of a pool with a metadata area
 * @budget: frames to send at most
 *
 * Stands in for the loop in mlx5e_xsk_tx(). NAPI context.
 *
 * Return: true if there may be more to send at once.
 */
bool mlx5e_xsk_tx_meta(struct mlx5e_xdpsq *sq, unsigned int budget)
{
	bool mpwqe = test_bit(MLX5E_SQ_STATE_MPWQE, &sq->state);
	struct xsk_buff_pool *pool = sq->xsk_pool;
	struct mlx5e_xmit_data xdptxd;
	struct mlx5e_xsk_tx_req req;
	struct mlx5e_xdp_info xdpi;
	struct xdp_desc desc;
	bool work_done = true;
	bool flush = false;
	u32 min_len;

	/* The limit of mlx5e_xmit_xdp_frame(); multi-packet WQEs have none, but
	 * any frame may have to go in a WQE of its own.
	 */
	min_len = mpwqe && sq->min_inline_mode == MLX5_INLINE_MODE_NONE ?
		0 : MLX5E_XDP_MIN_INLINE;

	for (; budget; budget--) {
		if (unlikely(!mlx5e_xsk_tx_has_room(sq, mpwqe))) {
			work_done = false;
			break;
		}

		if (!xsk_tx_peek_desc(pool, &desc))
			break;

		xdptxd.dma_addr = xsk_buff_raw_get_dma(pool, desc.addr);
		xdptxd.data = xsk_buff_raw_get_data(pool, desc.addr);
		xdptxd.len = desc.len;
		xdpi.mode = MLX5E_XDP_XMIT_MODE_XSK;
		req.cs_flags = 0;
		req.stamp = false;
		req.fits = desc.len <= sq->hw_mtu && desc.len >= min_len;

		if (unlikely(desc.options)) {
			req.sq = sq;
			req.xdptxd = &xdptxd;
			mlx5e_xsk_tx_request(&req, &desc, &xdpi);
		}

		xsk_buff_raw_dma_sync_for_device(pool, xdptxd.dma_addr, xdptxd.len);
		flush = true;

		if (unlikely(!req.fits)) {
			mlx5e_xsk_tx_refuse(sq, &xdpi);
			continue;
		}

		if (unlikely(req.stamp)) {
			if (sq->mpwqe.wqe)
				mlx5e_xdp_mpwqe_complete(sq);
			mlx5e_xsk_tx_single(sq, &xdptxd, req.cs_flags,
					    MLX5_WQE_CTRL_CQ_UPDATE);
		} else if (mpwqe) {
			mlx5e_xsk_tx_mpwqe(sq, &xdptxd, req.cs_flags);
		} else {
			mlx5e_xsk_tx_single(sq, &xdptxd, req.cs_flags, 0);
		}

		mlx5e_xdpi_fifo_push(&sq->db.xdpi_fifo, &xdpi);
	}

	if (flush) {
		if (sq->mpwqe.wqe)
			mlx5e_xdp_mpwqe_complete(sq);
		mlx5e_xmit_xdp_doorbell(sq);

		xsk_tx_release(pool);
	}

	return !(budget && work_done);
}

/**
 * mlx5e_xsk_tx_meta_complete - answer a frame that wanted a stamp
 * @sq: the queue it was sent on
 * @xdpi: its record
 * @cqe: its completion, NULL if the queue goes down without one
 *
 * Before the frame's address goes to the completion ring. Any context.
 */
void mlx5e_xsk_tx_meta_complete(struct mlx5e_xdpsq *sq, struct mlx5e_xdp_info *xdpi,
				struct mlx5_cqe64 *cqe)
{
	struct mlx5e_xsk_tx_done done = { .sq = sq, .cqe = cqe };

	if (likely(cqe && get_cqe_opcode(cqe) == MLX5_CQE_REQ))
		xsk_tx_metadata_complete(&xdpi->xsk.compl,
					 &mlx5e_xsk_tx_metadata_ops, &done);
	else
		xsk_tx_metadata_complete_none(&xdpi->xsk.compl, XSK_TX_TS_FLUSHED);
}

/**
 * mlx5e_xsk_tx_meta_open - prepare a send queue for requests
 * @sq: AF_XDP send queue that is about to be used
 *
 * Gives the pool its counters, which outlive queue and channel. Process
 * context.
 */
void mlx5e_xsk_tx_meta_open(struct mlx5e_xdpsq *sq)
{
	struct mlx5e_channel *c = sq->channel;

	xsk_pool_set_tx_md_stats(sq->xsk_pool, &c->priv->channel_stats[c->ix]->xsk_tx_md);
}

/**
 * mlx5e_xsk_tx_meta_set_ops - tell the core that this device serves requests
 * @netdev: device that is being set up
 */
void mlx5e_xsk_tx_meta_set_ops(struct net_device *netdev)
{
#if IS_ENABLED(CONFIG_XDP_SOCKETS)
	netdev->xsk_tx_metadata_ops = &mlx5e_xsk_tx_metadata_ops;
#endif
}

/* Counters: device totals, then each channel's. Channels get their statistics
 * when they are first opened and keep them.
 */
static const char * const mlx5e_xsk_tx_md_names[] = XSK_TX_MD_STAT_NAMES;

static MLX5E_DECLARE_STATS_GRP_OP_NUM_STATS(xsk_tx_md)
{
	return XSK_TX_MD_STATS * (1 + mlx5e_stats_nch_read(priv));
}

static MLX5E_DECLARE_STATS_GRP_OP_FILL_STRS(xsk_tx_md)
{
	int nch = mlx5e_stats_nch_read(priv);
	int i, j;

	for (i = 0; i < XSK_TX_MD_STATS; i++)
		snprintf(data + idx++ * ETH_GSTRING_LEN, ETH_GSTRING_LEN,
			 "tx_xsk_%s", mlx5e_xsk_tx_md_names[i]);
	for (j = 0; j < nch; j++)
		for (i = 0; i < XSK_TX_MD_STATS; i++)
			snprintf(data + idx++ * ETH_GSTRING_LEN, ETH_GSTRING_LEN,
				 "tx%d_xsk_%s", j, mlx5e_xsk_tx_md_names[i]);

	return idx;
}

static MLX5E_DECLARE_STATS_GRP_OP_FILL_STATS(xsk_tx_md)
{
	int nch = mlx5e_stats_nch_read(priv);
	u64 *total = data + idx;
	int i, j;

	memset(total, 0, XSK_TX_MD_STATS * sizeof(*total));
	idx += XSK_TX_MD_STATS;
	for (j = 0; j < nch; j++) {
		struct xsk_tx_md_stats *stats = &priv->channel_stats[j]->xsk_tx_md;

		for (i = 0; i < XSK_TX_MD_STATS; i++) {
			data[idx] = local64_read(&stats->cnt[i]);
			total[i] += data[idx++];
		}
	}

	return idx;
}

static MLX5E_DECLARE_STATS_GRP_OP_UPDATE_STATS(xsk_tx_md) { return; }

MLX5E_DEFINE_STATS_GRP(xsk_tx_md, 0);
