/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What <linux/if_xdp.h> lacks before the headers of the patched kernel are
 * installed. Empty once they are.
 */
#ifndef IF_XDP_COMPAT_H
#define IF_XDP_COMPAT_H

#include <linux/if_xdp.h>
#include <linux/types.h>

#ifndef XDP_TX_METADATA
#define XDP_UMEM_TX_SW_CSUM		(1 << 1)
#define XDP_UMEM_TX_METADATA_LEN	(1 << 2)

#define XDP_TXMD_FLAGS_TIMESTAMP	(1 << 0)
#define XDP_TXMD_FLAGS_CHECKSUM		(1 << 1)
#define XDP_TXMD_FLAGS_LAUNCH_TIME	(1 << 2)

#define XDP_TX_METADATA			(1 << 1)

struct xsk_tx_metadata {
	__u64 flags;
	union {
		struct {
			__u16 csum_start;
			__u16 csum_offset;
			__u64 launch_time;
		} request;
		struct {
			__u64 tx_timestamp;
		} completion;
	};
};
#endif

#endif /* IF_XDP_COMPAT_H */
