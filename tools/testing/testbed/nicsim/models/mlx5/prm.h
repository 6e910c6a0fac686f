/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the model knows of the device's programming interface.
 *
 * Field layouts and opcodes come from the kernel under test: the build links
 * its include/linux/mlx5 into the include path, nothing of it is kept here.
 * The types and helpers those headers expect from the kernel are below, and
 * so are the few work-queue constants that sit in kernel-only headers.
 */
#ifndef NICSIM_MLX5_PRM_H
#define NICSIM_MLX5_PRM_H

#include "hw/types.h"

#define __force
#ifndef __packed
#define __packed		__attribute__((packed))
#endif
#define PAGE_SIZE		4096
#define cpu_to_be16		htobe16
#define cpu_to_be32		htobe32
#define cpu_to_be64		htobe64
#define be16_to_cpu		be16toh
#define be32_to_cpu		be32toh
#define be64_to_cpu		be64toh
#define BUILD_BUG_ON(cond)	_Static_assert(!(cond), #cond)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#include <linux/mlx5/device.h>
#pragma GCC diagnostic pop

/* Work queue entries, in 16-byte units ("ds") and 64-byte basic blocks. */
enum {
	M5_DS			= 16,
	M5_WQEBB		= 64,
	M5_WQE_DS_MASK		= 0x3f,
};

/* Control segment: opmod_idx_opcode, qpn_ds, then the byte fm_ce_se at 11. */
enum {
	M5_CTRL_FM_CE_SE	= 11,
	M5_CTRL_CE_MASK		= 3 << 2,
	M5_CTRL_CE_CQ_UPDATE	= 2 << 2,
};

/* Ethernet segment, at byte 16 of a SEND, LSO or multi-packet WQE. */
enum {
	M5_ETH_CS_FLAGS		= 4,
	M5_ETH_MSS		= 6,
	M5_ETH_INLINE_SZ	= 12,
	M5_ETH_INLINE_START	= 14,
	M5_ETH_L3_CSUM		= 1 << 6,
	M5_ETH_L4_CSUM		= 1 << 7,
	M5_ETH_INSERT_SVLAN	= 1 << 0,
	M5_ETH_INSERT_VLAN	= 1 << 15,
	M5_ETH_INLINE_SZ_MASK	= 0x3ff,
};

/* Who may drive the function, in the initialisation segment. */
enum {
	M5_NIC_IFC_FULL		= 0,
	M5_NIC_IFC_DISABLED	= 1,
};

/* Doorbells inside a user access region (one 4 KiB page each). */
enum {
	M5_UAR_CQ_ARM		= 0x20,
	M5_UAR_EQ_ARM		= 0x40,
	M5_UAR_EQ_CI		= 0x48,
	M5_UAR_SQ		= 0x800,
};

/* Doorbell record: receive counter, then send counter (CQ: ci, then arm). */
enum {
	M5_DBR_RCV		= 0,
	M5_DBR_SND		= 4,
};

/* Completion opcodes (CQE op_own, upper half) and syndromes of bad ones. */
enum {
	M5_CQE_REQ		= 0,
	M5_CQE_RESP_SEND	= 2,
	M5_CQE_REQ_ERR		= 13,
	M5_CQE_RESP_ERR		= 14,
	M5_SYND_LOCAL_LENGTH	= 0x01,
	M5_SYND_LOCAL_QP_OP	= 0x02,
	M5_SYND_LOCAL_PROT	= 0x04,
};

/* An RQ's scatter entry with this key ends the list. */
#define M5_INVALID_LKEY		0x100

/* ACCESS_REG: the registers the model has, and the op_mod of a read. */
enum {
	M5_REG_PCAP		= 0x5001,
	M5_REG_PMLP		= 0x5002,
	M5_REG_PMTU		= 0x5003,
	M5_REG_PTYS		= 0x5004,
	M5_REG_PAOS		= 0x5006,
	M5_REG_PFCC		= 0x5007,
	M5_REG_PPCNT		= 0x5008,
	M5_REG_PCAM		= 0x507f,
	M5_REG_HOST_ENDIANNESS	= 0x7004,
	M5_REG_MCIA		= 0x9014,
	M5_REG_MFRL		= 0x9028,
	M5_REG_MTUTC		= 0x9055,
	M5_REG_MCAM		= 0x907f,
	M5_REG_DTOR		= 0xc00e,
	M5_REG_OP_WRITE		= 0,
	M5_REG_OP_READ		= 1,
};

#endif
