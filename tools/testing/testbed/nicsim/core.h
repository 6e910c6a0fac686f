/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of nicsim's core know of each other; not for models.
 */
#ifndef NICSIM_CORE_H
#define NICSIM_CORE_H

#include "hw/pcap.h"
#include "nic.h"

#define NICS_MAX 26	/* ports are named by a letter */

/* nic.c: every port of the process. */
extern struct nic *nics[NICS_MAX];
extern u32 nic_count;

/* NULL after a message on stderr. @spec: "model,key=value,..." */
int nic_create(const char *spec);
void nic_destroy_all(void);
struct nic *nic_by_name(const char *name);
void nic_list_models(FILE *out);
const struct nic_ops *nic_model(const char *name, size_t len);
/* One port, no wire yet. */
struct nic *nic_new(const struct nic_ops *ops, struct optset *o, u32 port,
		    u32 ports);
void nic_free(struct nic *nic);
/* Common part, then the model's. */
void nic_reset(struct nic *nic, enum nic_reset_kind kind);

/* tx.c */
int tx_init(struct nic *nic);
void tx_exit(struct nic *nic);
/* Look at the queues again: link, speed, a fault or the clock changed. */
void tx_kick(struct nic *nic);
/* Let completions out that the fault "hold" keeps back. */
void tx_release(struct nic *nic);

/* wire.c */
struct wire *wire_new(struct nic *a, struct nic *b, const struct wire_cfg *cfg);
void wire_free(struct wire *w);
/* "a-b,delay=NS,rate=MBPS,loss=PPM,seed=N"; 0 or -EINVAL with a message. */
int wire_create(const char *spec);
/* Ports without a wire are joined in pairs, in order. */
int wire_default(void);
void wire_destroy_all(void);
struct wire_cfg *wire_config(struct nic *nic);
/* Time on the line, rounded up to ns. */
u64 wire_line_ns(const struct nic *nic, u32 len);
/* The frame left @nic at @mono. True: it was lost on the way. */
bool wire_carry(struct nic *nic, u64 mono, const u8 *data, u32 len);
/* When a frame that left at @mono comes to the other port, by that one's clock. */
u64 wire_arrival_ns(const struct nic *nic, u64 mono);
void wire_force_down(struct nic *nic, bool down);
void wire_flap(struct nic *nic, u64 ns);

/* irq.c, dma.c, pci_config.c in vfio_user/ */
int irq_init(struct nic *nic);
void irq_exit(struct nic *nic);
void irq_reset(struct nic *nic);
int dma_init(struct nic *nic);
void dma_exit(struct nic *nic);
int pci_config_init(struct nic *nic);
void pci_config_exit(struct nic *nic);
void pci_config_reset(struct nic *nic);

/* server.c */
int vfu_listen(struct nic *nic, const char *path);
void vfu_close(struct nic *nic);
bool vfu_connected(const struct nic *nic);

/* ctl.c */
int ctl_listen(const char *path, bool guest);
void ctl_close(void);

#endif
