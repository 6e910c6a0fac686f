/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The demo NIC: what the transport tests drive, and the smallest complete model
 * to start a new one from. It resembles no product.
 *
 * BAR 0, 64 KiB. Four queues, each with a transmit and a receive ring of 32-byte
 * descriptors. Vector 2 n is queue n's transmit interrupt, 2 n + 1 its receive
 * interrupt; vector 8 is the link.
 */
#ifndef NICSIM_DEMO_H
#define NICSIM_DEMO_H

#include "hw/types.h"

#define DEMO_VENDOR	0x1b36
#define DEMO_DEVICE	0x7e57
#define DEMO_MAGIC	0x4f4d4544
#define DEMO_QUEUES	4
#define DEMO_VECTORS	9

#define DEMO_ID		0x0000	/* ro */
#define DEMO_CTRL	0x0004	/* rw; bit 0 enables, bit 31 resets itself */
#define DEMO_LINK	0x0008	/* ro; bit 0 */
#define DEMO_CAUSE	0x000c	/* w1c; bit n: vector n was raised */
#define DEMO_EVENTS	0x0010	/* interrupts raised, cleared by reading */
#define DEMO_SCRATCH	0x0014	/* rw */
#define DEMO_TIME_LO	0x0020	/* ro; reading latches the high half */
#define DEMO_TIME_HI	0x0024
#define DEMO_SET_LO	0x0028	/* rw */
#define DEMO_SET_HI	0x002c	/* rw; writing sets the clock */
#define DEMO_PPB	0x0030	/* rw; signed frequency offset */
#define DEMO_TX(n)	(0x1000 + 0x40 * (n))
#define DEMO_RX(n)	(0x2000 + 0x40 * (n))
#define DEMO_BASE_LO	0x00	/* of a ring */
#define DEMO_BASE_HI	0x04
#define DEMO_COUNT	0x08	/* writing starts the ring */
#define DEMO_TAIL	0x0c	/* doorbell */
#define DEMO_HEAD	0x10	/* ro */
#define DEMO_MSIX_TABLE	0x8000
#define DEMO_MSIX_PBA	0x9000

/* Little-endian, 32 bytes. */
struct demo_desc {
	u64 addr;
	u32 len;	/* transmit: bytes; receive: room, then bytes */
	u32 flags;
	u64 launch_ns;	/* transmit only */
	u64 stamp_ns;	/* written back */
};

#define DEMO_F_TS	BIT(0)	/* transmit requests */
#define DEMO_F_CSUM	BIT(1)
#define DEMO_F_LAUNCH	BIT(2)
#define DEMO_F_STAMPED	BIT(28)	/* write-back */
#define DEMO_F_CSUM_OK	BIT(29)
#define DEMO_F_ERROR	BIT(30)
#define DEMO_F_DONE	BIT(31)

#endif
