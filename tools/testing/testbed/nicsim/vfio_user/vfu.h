/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files of vfio_user/: all return 0 or -errno, which is what the
 * client is told.
 */
#ifndef NICSIM_VFU_H
#define NICSIM_VFU_H

#include "core.h"
#include "vfio_user/proto.h"

/* dma.c. @fd: or -1; not taken. */
int dma_add(struct nic *nic, const struct vfu_dma_map *m, int fd);
int dma_del(struct nic *nic, const struct vfu_dma_unmap *u);
void dma_del_all(struct nic *nic);
u32 dma_maps(const struct nic *nic);

/* irq.c */
int irq_info(struct nic *nic, struct vfio_irq_info *info);
/*
 * @data: @len bytes behind the fixed part. Descriptors that are kept are
 * replaced by -1 in @fds.
 */
int irq_set(struct nic *nic, const struct vfio_irq_set *set, const u8 *data,
	    u32 len, int *fds, u32 nfds);

/* pci_config.c. Any offset and length inside the configuration space. */
u32 pci_config_size(const struct nic *nic);
void pci_config_read(struct nic *nic, u32 off, void *buf, u32 len);
void pci_config_write(struct nic *nic, u32 off, const void *buf, u32 len);
bool pci_bus_master(const struct nic *nic);

/*
 * server.c: a connection fed by hand, for tests and fuzzing. @out gets replies.
 */
struct vfu_conn;
struct vfu_conn *vfu_conn_new(struct nic *nic, int fd);
void vfu_conn_free(struct vfu_conn *c);
/* @fds belong to the last byte of @data. False: the connection must close. */
bool vfu_feed(struct vfu_conn *c, const void *data, size_t len, int *fds,
	      u32 nfds);

#endif
