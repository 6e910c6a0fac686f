/* SPDX-License-Identifier: GPL-2.0 */
/* AF_XDP TX metadata: timestamps and checksums, for each frame */

#ifndef __MLX5_EN_XSK_TX_META_H__
#define __MLX5_EN_XSK_TX_META_H__

#include <net/xdp_sock_drv.h>
#include "en.h"
#include "en/xdp.h"
#include "en_stats.h"

bool mlx5e_xsk_tx_meta(struct mlx5e_xdpsq *sq, unsigned int budget);
void mlx5e_xsk_tx_meta_complete(struct mlx5e_xdpsq *sq, struct mlx5e_xdp_info *xdpi,
				struct mlx5_cqe64 *cqe);
void mlx5e_xsk_tx_meta_open(struct mlx5e_xdpsq *sq);
void mlx5e_xsk_tx_meta_set_ops(struct net_device *netdev);

/**
 * mlx5e_xsk_has_tx_meta - may this queue's frames carry requests?
 * @sq: AF_XDP send queue
 *
 * Return: true if the pool has a metadata area, for the queue's lifetime.
 */
static inline bool mlx5e_xsk_has_tx_meta(const struct mlx5e_xdpsq *sq)
{
	return sq->xsk_pool->tx_metadata_len;
}

#endif /* __MLX5_EN_XSK_TX_META_H__ */
