/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vfio-user on the socket: numbers and layouts of protocol version 0.1, from
 * the specification that QEMU ships (docs/interop/vfio-user). All fields are in
 * host byte order; structures are naturally aligned, so none is packed. Names of
 * VFIO itself come from <linux/vfio.h>.
 */
#ifndef NICSIM_PROTO_H
#define NICSIM_PROTO_H

#include <linux/vfio.h>
#include "hw/types.h"

#define VFU_MAJOR 0
#define VFU_MINOR 1

/* What we say we take. */
#define VFU_MAX_FDS	16
#define VFU_MAX_DATA	(1U << 20)
#define VFU_MAX_MAPS	65535

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_GET_INFO = 4,
	VFU_GET_REGION_INFO = 5,
	VFU_GET_REGION_IO_FDS = 6,
	VFU_GET_IRQ_INFO = 7,
	VFU_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DMA_READ = 11,	/* server to client */
	VFU_DMA_WRITE = 12,	/* server to client */
	VFU_RESET = 13,
	VFU_DIRTY_PAGES = 14,	/* only in early versions of the protocol */
	VFU_WRITE_MULTI = 15,
	VFU_FEATURE = 16,
	VFU_MIG_READ = 17,
	VFU_MIG_WRITE = 18,
};

#define VFU_TYPE_MASK	0xfU
#define VFU_TYPE_COMMAND 0U
#define VFU_TYPE_REPLY	1U
#define VFU_NO_REPLY	BIT(4)
#define VFU_ERROR	BIT(5)

struct vfu_header {
	u16 id;
	u16 command;
	u32 size;	/* header included */
	u32 flags;
	u32 error;	/* errno, in a reply with VFU_ERROR */
};

/* Followed by JSON with its NUL, or by nothing. */
struct vfu_version {
	u16 major;
	u16 minor;
};

#define VFU_MAP_READ	BIT(0)
#define VFU_MAP_WRITE	BIT(1)
#define VFU_MAP_MMAP	BIT(2)
#define VFU_MAP_FILE	BIT(3)

struct vfu_dma_map {
	u32 argsz;
	u32 flags;
	u64 offset;	/* in the file */
	u64 address;
	u64 size;
};

/* Not in the specification's text; VFIO's flag, used by clients on reset. */
#define VFU_UNMAP_ALL	BIT(1)

struct vfu_dma_unmap {
	u32 argsz;
	u32 flags;
	u64 address;
	u64 size;
};

/* REGION_READ, REGION_WRITE; data follows where there is any. */
struct vfu_region_io {
	u64 offset;
	u32 region;
	u32 count;
	u8 data[];
};

#define VFU_MAX_MSG (sizeof(struct vfu_header) + \
		     sizeof(struct vfu_region_io) + VFU_MAX_DATA)

#endif
