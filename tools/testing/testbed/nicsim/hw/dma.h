/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory as the device sees it. Every access is checked against what the
 * client mapped with DMA_MAP, its access rights and the function's bus-master
 * bit; a bad one is logged as a guest error, counted, and returns -EFAULT with
 * no byte moved. The guest may change memory at any moment: read a descriptor
 * once into a local copy and act on the copy.
 */
#ifndef NICSIM_DMA_H
#define NICSIM_DMA_H

#include "hw/types.h"

struct nic;

/* Ranges may cross adjacent mappings. 0 or -EFAULT; @len 0 is a no-op. */
int dma_read(struct nic *nic, u64 iova, void *buf, size_t len);
int dma_write(struct nic *nic, u64 iova, const void *buf, size_t len);

/*
 * Direct pointer into one mapping, NULL (logged) when [@iova, @iova + @len) is
 * not wholly inside one. Only valid until the callback that asked returns:
 * the next message may unmap it. For bulk data; not for what must be stable.
 */
void *dma_map(struct nic *nic, u64 iova, size_t len, bool write);

/*
 * One aligned word, stored in a single access after all earlier dma_write()s
 * are visible: for ownership bits, write-back heads, doorbell records, CQE
 * owner bytes. Misaligned: -EFAULT.
 */
int dma_write_le32(struct nic *nic, u64 iova, u32 val);
int dma_write_le64(struct nic *nic, u64 iova, u64 val);
int dma_write_be32(struct nic *nic, u64 iova, u32 val);
int dma_write_be64(struct nic *nic, u64 iova, u64 val);
int dma_write_u8(struct nic *nic, u64 iova, u8 val);
/* The mirror: a single access, ordered before all later dma_read()s. */
int dma_read_le32(struct nic *nic, u64 iova, u32 *val);
int dma_read_le64(struct nic *nic, u64 iova, u64 *val);
int dma_read_be32(struct nic *nic, u64 iova, u32 *val);
int dma_read_be64(struct nic *nic, u64 iova, u64 *val);

#endif
