/* SPDX-License-Identifier: GPL-2.0 */
/* AF_XDP TX metadata in zero-copy mode. */

#ifndef _I40E_XSK_META_H_
#define _I40E_XSK_META_H_

#include <net/xdp_sock_drv.h>

struct ethtool_stats;
struct i40e_pf;
struct i40e_ring;
struct net_device;

extern const struct xsk_tx_metadata_ops i40e_xsk_tx_metadata_ops;

int i40e_xsk_meta_init(struct i40e_pf *pf);
void i40e_xsk_meta_exit(struct i40e_pf *pf);
void i40e_xsk_meta_bind(struct i40e_pf *pf, struct xsk_buff_pool *pool, u16 qid);
void i40e_xsk_meta_fill(struct i40e_ring *xdp_ring, struct xdp_desc *descs,
			u32 nb_pkts, unsigned int *total_bytes);

int i40e_xsk_meta_stats_count(struct net_device *netdev);
void i40e_xsk_meta_stat_strings(struct net_device *netdev, u8 **data);
void i40e_xsk_meta_stats(struct net_device *netdev, u64 **data);

#endif /* _I40E_XSK_META_H_ */
