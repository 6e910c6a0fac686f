/* SPDX-License-Identifier: GPL-2.0 */
/* TX metadata: what the AF_XDP core alone may use */

#ifndef _XSK_TX_METADATA_CORE_H
#define _XSK_TX_METADATA_CORE_H

#include <net/xdp_sock_drv.h>

int xsk_tx_slots_create(struct xsk_buff_pool *pool);
void xsk_tx_slots_silence(struct xsk_buff_pool *pool);
void xsk_tx_slots_detach(struct xsk_buff_pool *pool);
void xsk_tx_slots_destroy(struct xsk_buff_pool *pool);
bool xsk_tx_md_screen(const struct xsk_buff_pool *pool, struct xdp_desc *desc);

bool __xsk_tx_md_copy_request(const struct xsk_buff_pool *pool,
			      const struct xdp_desc *desc,
			      struct xsk_tx_md_req *req);
int xsk_tx_md_prepare_skb(const struct xsk_buff_pool *pool, struct sk_buff *skb,
			  const struct xsk_tx_md_req *req);
bool xsk_tx_md_arm_skb(const struct xsk_buff_pool *pool, struct sk_buff *skb,
		       const struct xdp_desc *desc);
u64 xsk_tx_md_stamp_skb(struct sk_buff *skb);
void xsk_tx_md_disarm_skb(struct sk_buff *skb);
void xsk_tx_md_close(struct xsk_buff_pool *pool, const struct sock *sk);

/**
 * xsk_tx_md_copy_request - read and check the request of a copy-mode frame
 * @pool: the socket's pool
 * @desc: a valid descriptor
 * @req: out: the request; flags is 0 if there is none
 *
 * Return: false if the request is malformed and the frame must not be sent.
 */
static inline bool xsk_tx_md_copy_request(const struct xsk_buff_pool *pool,
					  const struct xdp_desc *desc,
					  struct xsk_tx_md_req *req)
{
	if (unlikely(desc->options & XDP_TX_METADATA))
		return __xsk_tx_md_copy_request(pool, desc, req);

	req->flags = 0;
	return true;
}

#endif /* _XSK_TX_METADATA_CORE_H */
