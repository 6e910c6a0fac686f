/* SPDX-License-Identifier: GPL-2.0 */
/* AF_XDP TX metadata in zero-copy mode, see stmmac_xsk_meta.c */

#ifndef __STMMAC_XSK_META_H__
#define __STMMAC_XSK_META_H__

#include <net/xdp_sock_drv.h>

struct dma_desc;
struct stmmac_priv;
struct stmmac_tx_info;
struct stmmac_tx_queue;

#define STMMAC_XSK_CSUM		BIT(0)	/* have the hardware fill checksums in */
#define STMMAC_XSK_IC		BIT(1)	/* the interrupt bit was set */

u32 stmmac_xsk_tx_request(struct stmmac_priv *priv, u32 queue,
			  const struct xdp_desc *xdp_desc, struct dma_desc *tx_desc);
void stmmac_xsk_tx_answer(struct stmmac_priv *priv, struct stmmac_tx_info *info,
			  struct dma_desc *tx_desc, int status);
void stmmac_xsk_tx_flush(struct stmmac_tx_info *info);
void stmmac_xsk_set_ops(struct net_device *dev);

unsigned int stmmac_xsk_stats_count(struct stmmac_priv *priv);
void stmmac_xsk_stats_strings(struct stmmac_priv *priv, u8 *data);
void stmmac_xsk_stats(struct stmmac_priv *priv, u64 *data);

#endif /* __STMMAC_XSK_META_H__ */
