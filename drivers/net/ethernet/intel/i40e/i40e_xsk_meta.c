// SPDX-License-Identifier: GPL-2.0
/* AF_XDP TX metadata in zero-copy mode: checksums and timestamps.
 *
 * A frame that gets a timestamp takes two descriptors, a context descriptor with
 * TSYN and directly behind it the data descriptor. The context descriptor's
 * tx_bi is marked, and counted in xdp_tx_active as frames that are not AF_XDP's
 * are: cleaning then looks at each descriptor and counts frames, not descriptors.
 */

#include <linux/if_vlan.h>
#include <net/ipv6.h>
#include "i40e.h"
#include "i40e_latch.h"
#include "i40e_txrx_common.h"
#include "i40e_xsk.h"
#include "i40e_xsk_meta.h"

/* IPv6 extension headers that are worth following. */
#define I40E_XSK_MAX_EXTHDR	8
/* Widths of the length fields in a data descriptor. */
#define I40E_XSK_MAX_MACLEN	(127 * 2)
#define I40E_XSK_MAX_IPLEN	(127 * 4)

/**
 * struct i40e_xsk_req - what a frame's request comes to
 * @pool: the frame's pool
 * @data: the frame. Shared with user space: each byte is read once
 * @len: its length
 * @td_cmd: commands for the data descriptor
 * @td_offset: header lengths for the data descriptor
 */
struct i40e_xsk_req {
	const struct xsk_buff_pool *pool;
	const u8 *data;
	u32 len;
	u32 td_cmd;
	u32 td_offset;
};

static u8 i40e_xsk_u8(const struct i40e_xsk_req *req, u32 off)
{
	return READ_ONCE(req->data[off]);
}

static u16 i40e_xsk_be16(const struct i40e_xsk_req *req, u32 off)
{
	return i40e_xsk_u8(req, off) << 8 | i40e_xsk_u8(req, off + 1);
}

/* Length of the IPv4 header at @l3, 0 if there is none with a whole L4 behind.
 * The hardware sums to the end of the frame, so nothing may follow the packet.
 */
static u32 i40e_xsk_ipv4(const struct i40e_xsk_req *req, u32 l3, u8 *proto)
{
	u8 first;

	if (l3 + sizeof(struct iphdr) > req->len)
		return 0;

	first = i40e_xsk_u8(req, l3);
	if (first >> 4 != 4 || (first & 0xf) < 5 ||
	    l3 + i40e_xsk_be16(req, l3 + offsetof(struct iphdr, tot_len)) != req->len ||
	    i40e_xsk_be16(req, l3 + offsetof(struct iphdr, frag_off)) &
	    (IP_MF | IP_OFFSET))
		return 0;

	*proto = i40e_xsk_u8(req, l3 + offsetof(struct iphdr, protocol));

	return (first & 0xf) * 4;
}

/* The same for IPv6, with the extension headers that leave the packet whole. */
static u32 i40e_xsk_ipv6(const struct i40e_xsk_req *req, u32 l3, u8 *proto)
{
	u32 off = l3 + sizeof(struct ipv6hdr);
	int i;

	if (off > req->len || i40e_xsk_u8(req, l3) >> 4 != 6 ||
	    off + i40e_xsk_be16(req, l3 + offsetof(struct ipv6hdr, payload_len)) !=
	    req->len)
		return 0;

	*proto = i40e_xsk_u8(req, l3 + offsetof(struct ipv6hdr, nexthdr));
	for (i = 0; i < I40E_XSK_MAX_EXTHDR; i++) {
		if (*proto != NEXTHDR_HOP && *proto != NEXTHDR_ROUTING &&
		    *proto != NEXTHDR_DEST)
			return off - l3;
		if (off + sizeof(struct ipv6_opt_hdr) > req->len)
			return 0;
		*proto = i40e_xsk_u8(req, off);
		off += (i40e_xsk_u8(req, off + 1) + 1) * 8;
		if (off > req->len)
			return 0;
	}

	return 0;
}

/* The hardware finds the checksum by header lengths, not by an offset, and wrong
 * lengths can stop the queue (malicious-driver detection). So look for the
 * headers, and refuse unless the field asked for is where the hardware would
 * put the sum.
 */
static bool i40e_xsk_csum(struct i40e_xsk_req *req, u16 csum_start,
			  u16 csum_offset)
{
	u32 l3 = ETH_HLEN, iplen, l4, l4len;
	u32 cmd = 0;
	u16 proto;
	u8 l4proto;
	int i;

	if (req->len < ETH_HLEN)
		return false;

	proto = i40e_xsk_be16(req, offsetof(struct ethhdr, h_proto));
	for (i = 0; i < 2 && (proto == ETH_P_8021Q || proto == ETH_P_8021AD); i++) {
		if (l3 + VLAN_HLEN > req->len)
			return false;
		proto = i40e_xsk_be16(req, l3 + 2);
		l3 += VLAN_HLEN;
	}

	if (proto == ETH_P_IP) {
		iplen = i40e_xsk_ipv4(req, l3, &l4proto);
		cmd |= I40E_TX_DESC_CMD_IIPT_IPV4;
	} else if (proto == ETH_P_IPV6) {
		iplen = i40e_xsk_ipv6(req, l3, &l4proto);
		cmd |= I40E_TX_DESC_CMD_IIPT_IPV6;
	} else {
		return false;
	}

	l4 = l3 + iplen;
	if (!iplen || iplen > I40E_XSK_MAX_IPLEN || l3 > I40E_XSK_MAX_MACLEN ||
	    l4 != csum_start)
		return false;

	if (l4proto == IPPROTO_TCP &&
	    csum_offset == offsetof(struct tcphdr, check) &&
	    l4 + sizeof(struct tcphdr) <= req->len) {
		l4len = (i40e_xsk_u8(req, l4 + 12) >> 4) * 4;
		if (l4len < sizeof(struct tcphdr))
			return false;
		cmd |= I40E_TX_DESC_CMD_L4T_EOFT_TCP;
	} else if (l4proto == IPPROTO_UDP &&
		   csum_offset == offsetof(struct udphdr, check)) {
		l4len = sizeof(struct udphdr);
		cmd |= I40E_TX_DESC_CMD_L4T_EOFT_UDP;
	} else {
		return false;
	}
	if (l4 + l4len > req->len)
		return false;

	req->td_cmd |= cmd;
	req->td_offset = (l3 / 2) << I40E_TX_DESC_LENGTH_MACLEN_SHIFT |
			 (iplen / 4) << I40E_TX_DESC_LENGTH_IPLEN_SHIFT |
			 (l4len / 4) << I40E_TX_DESC_LENGTH_L4_FC_LEN_SHIFT;

	return true;
}

static void i40e_xsk_request_checksum(u16 csum_start, u16 csum_offset, void *priv)
{
	struct i40e_xsk_req *req = priv;

	xsk_tx_md_count(req->pool, i40e_xsk_csum(req, csum_start, csum_offset) ?
				   XSK_TX_CSUM_OK : XSK_TX_CSUM_REFUSED);
}

/* Decided when the frame's place in the ring is known. */
static void i40e_xsk_request_timestamp(void *priv)
{
}

static u64 i40e_xsk_fill_timestamp(void *priv)
{
	return *(u64 *)priv;
}

const struct xsk_tx_metadata_ops i40e_xsk_tx_metadata_ops = {
	.tmo_request_timestamp	= i40e_xsk_request_timestamp,
	.tmo_fill_timestamp	= i40e_xsk_fill_timestamp,
	.tmo_request_checksum	= i40e_xsk_request_checksum,
};

static u16 i40e_xsk_next(const struct i40e_ring *xdp_ring, u16 i)
{
	return ++i < xdp_ring->count ? i : 0;
}

/* A context descriptor with TSYN at next_to_use, which moves on. */
static void i40e_xsk_tsyn(struct i40e_ring *xdp_ring)
{
	u16 i = xdp_ring->next_to_use;
	struct i40e_tx_context_desc *desc = I40E_TX_CTXTDESC(xdp_ring, i);

	desc->tunneling_params = 0;
	desc->l2tag2 = 0;
	desc->rsvd = 0;
	desc->type_cmd_tso_mss =
		cpu_to_le64(I40E_TX_DESC_DTYPE_CONTEXT |
			    (u64)I40E_TX_CTX_DESC_TSYN << I40E_TXD_CTX_QW1_CMD_SHIFT);

	xdp_ring->tx_bi[i].tx_flags = I40E_TX_FLAGS_XSK_CTX;
	xdp_ring->xdp_tx_active++;
	xdp_ring->next_to_use = i40e_xsk_next(xdp_ring, i);
}

static void i40e_xmit_pkt_meta(struct i40e_ring *xdp_ring, struct xdp_desc *desc,
			       unsigned int *total_bytes)
{
	struct xsk_buff_pool *pool = xdp_ring->xsk_pool;
	struct xsk_tx_metadata *meta;
	struct i40e_tx_desc *tx_desc;
	struct i40e_xsk_req req = {
		.pool	= pool,
		.len	= desc->len,
		.td_cmd	= I40E_TX_DESC_CMD_ICRC | I40E_TX_DESC_CMD_EOP,
	};
	dma_addr_t dma;
	u16 ntu;

	meta = xsk_buff_get_metadata(pool, desc->addr, desc->options);
	if (meta) {
		req.data = xsk_buff_raw_get_data(pool, desc->addr);
		xsk_tx_metadata_request_len(pool, &meta, desc->len,
					    &i40e_xsk_tx_metadata_ops, &req);
	}
	if (meta) {
		ntu = i40e_xsk_next(xdp_ring, xdp_ring->next_to_use);
		if (i40e_latch_get_xsk(xdp_ring, ntu, meta))
			i40e_xsk_tsyn(xdp_ring);
		else
			xsk_tx_metadata_skip(&meta);
	}

	ntu = xdp_ring->next_to_use;
	dma = i40e_xsk_tx_dma(xdp_ring, ntu, desc);
	tx_desc = I40E_TX_DESC(xdp_ring, ntu);
	tx_desc->buffer_addr = cpu_to_le64(dma);
	tx_desc->cmd_type_offset_bsz = build_ctob(req.td_cmd, req.td_offset,
						  desc->len, 0);
	xdp_ring->next_to_use = i40e_xsk_next(xdp_ring, ntu);

	*total_bytes += desc->len;
}

/**
 * i40e_xsk_meta_fill - put frames into a ring whose pool has a metadata area
 * @xdp_ring: ring with room for two descriptors a frame
 * @descs: the frames
 * @nb_pkts: how many
 * @total_bytes: their length is added to this
 *
 * As many frames at a time as the compiler unrolls the loop for go the way of
 * frames without an area if none of them asks for anything.
 */
void i40e_xsk_meta_fill(struct i40e_ring *xdp_ring, struct xdp_desc *descs,
			u32 nb_pkts, unsigned int *total_bytes)
{
	u32 i = 0, k, options;

	while (i < nb_pkts) {
		if (i + PKTS_PER_BATCH <= nb_pkts &&
		    xdp_ring->next_to_use + PKTS_PER_BATCH <= xdp_ring->count) {
			options = 0;
			loop_unrolled_for(k = 0; k < PKTS_PER_BATCH; k++)
				options |= descs[i + k].options;
			if (likely(!(options & XDP_TX_METADATA))) {
				i40e_xmit_pkt_batch(xdp_ring, &descs[i], total_bytes);
				if (xdp_ring->next_to_use == xdp_ring->count)
					xdp_ring->next_to_use = 0;
				i += PKTS_PER_BATCH;
				continue;
			}
		}
		i40e_xmit_pkt_meta(xdp_ring, &descs[i++], total_bytes);
	}
}

/**
 * i40e_xsk_meta_init - counters for all queues the device can have
 * @pf: board private structure
 *
 * They live as long as @pf: counting goes on over resets and channel changes.
 *
 * Return: 0 or -ENOMEM.
 */
int i40e_xsk_meta_init(struct i40e_pf *pf)
{
	pf->xsk_tx_md_stats = kvcalloc(pf->hw.func_caps.num_tx_qp,
				       sizeof(*pf->xsk_tx_md_stats), GFP_KERNEL);

	return pf->xsk_tx_md_stats ? 0 : -ENOMEM;
}

/**
 * i40e_xsk_meta_exit - undo i40e_xsk_meta_init()
 * @pf: board private structure without pools
 */
void i40e_xsk_meta_exit(struct i40e_pf *pf)
{
	kvfree(pf->xsk_tx_md_stats);
	pf->xsk_tx_md_stats = NULL;
}

/**
 * i40e_xsk_meta_bind - a pool is being enabled
 * @pf: board private structure
 * @pool: the pool
 * @qid: its queue
 */
void i40e_xsk_meta_bind(struct i40e_pf *pf, struct xsk_buff_pool *pool, u16 qid)
{
	xsk_pool_set_tx_md_stats(pool, &pf->xsk_tx_md_stats[qid]);
}

static const char *const i40e_xsk_stat_names[] = XSK_TX_MD_STAT_NAMES;

/* All queues' counters are shown, whether the queues are in use or not: the
 * number of statistics must not change.
 */
static u32 i40e_xsk_meta_queues(struct net_device *netdev)
{
	struct i40e_netdev_priv *np = netdev_priv(netdev);
	struct i40e_pf *pf = np->vsi->back;

	return min_t(u32, netdev->num_tx_queues, pf->hw.func_caps.num_tx_qp);
}

/* Pools are only attached to the main VSI. */
static bool i40e_xsk_meta_none(struct net_device *netdev)
{
	struct i40e_netdev_priv *np = netdev_priv(netdev);

	return np->vsi->type != I40E_VSI_MAIN;
}

/**
 * i40e_xsk_meta_stats_count - number of statistics
 * @netdev: interface
 *
 * Return: device totals and those of each queue.
 */
int i40e_xsk_meta_stats_count(struct net_device *netdev)
{
	if (i40e_xsk_meta_none(netdev))
		return 0;

	return XSK_TX_MD_STATS * (1 + i40e_xsk_meta_queues(netdev));
}

/**
 * i40e_xsk_meta_stat_strings - names of the statistics
 * @netdev: interface
 * @data: where to write them, moves on
 */
void i40e_xsk_meta_stat_strings(struct net_device *netdev, u8 **data)
{
	u32 queues = i40e_xsk_meta_queues(netdev), q;
	int i;

	if (i40e_xsk_meta_none(netdev))
		return;

	for (i = 0; i < XSK_TX_MD_STATS; i++)
		ethtool_sprintf(data, "tx_xsk_%s", i40e_xsk_stat_names[i]);
	for (q = 0; q < queues; q++)
		for (i = 0; i < XSK_TX_MD_STATS; i++)
			ethtool_sprintf(data, "tx-%u.xsk_%s", q,
					i40e_xsk_stat_names[i]);
}

/**
 * i40e_xsk_meta_stats - the statistics
 * @netdev: interface
 * @data: where to write them, moves on
 */
void i40e_xsk_meta_stats(struct net_device *netdev, u64 **data)
{
	struct i40e_netdev_priv *np = netdev_priv(netdev);
	struct xsk_tx_md_stats *stats = np->vsi->back->xsk_tx_md_stats;
	u32 queues = i40e_xsk_meta_queues(netdev), q;
	u64 *total = *data, v;
	int i;

	if (i40e_xsk_meta_none(netdev))
		return;

	memset(total, 0, XSK_TX_MD_STATS * sizeof(*total));
	*data += XSK_TX_MD_STATS;
	for (q = 0; q < queues; q++)
		for (i = 0; i < XSK_TX_MD_STATS; i++) {
			v = local64_read(&stats[q].cnt[i]);
			*(*data)++ = v;
			total[i] += v;
		}
}
