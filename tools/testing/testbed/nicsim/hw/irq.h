/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts towards the guest. A model declares its vectors in nic->pci and
 * raises them by number; which mechanism is on is the guest's choice.
 */
#ifndef NICSIM_IRQ_H
#define NICSIM_IRQ_H

#include "hw/types.h"

struct nic;

enum irq_mode { IRQ_NONE, IRQ_INTX, IRQ_MSI, IRQ_MSIX };

enum irq_mode irq_mode(const struct nic *nic);
/* Vectors the guest has connected in the current mode. */
u32 irq_vectors(const struct nic *nic);

/*
 * Raise @vector of MSI-X or MSI. Out of range or not connected: dropped and
 * counted ("irq_dropped"), as the message would be lost on hardware. MSI with
 * fewer vectors than the model uses: the model maps them.
 */
void irq_raise(struct nic *nic, u32 vector);
/* Level of INTx; ignored in other modes. */
void irq_intx(struct nic *nic, bool level);

#endif
