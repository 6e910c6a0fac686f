/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a NIC model is to the rest of nicsim. A model is one struct nic_ops, put
 * into the list of models by NIC_MODEL(); the Makefile builds every .c file
 * under models/<name>/ (with <name>/model.mk for flags of its own, if present).
 *
 * A struct nic is one port, one PCI function and one socket. "--nic stmmac,
 * ports=2" makes two of them, joined by a wire; nic->port tells them apart.
 * All callbacks run in one thread (hw/loop.h) and must not block.
 *
 * Rules: an unknown register, command or descriptor is logged with
 * guest_error() and refused, never answered with success; no input from a
 * guest may end the process or make it loop without bound.
 */
#ifndef NICSIM_NIC_H
#define NICSIM_NIC_H

#include <stdio.h>
#include "hw/csum.h"
#include "hw/dma.h"
#include "hw/fault.h"
#include "hw/irq.h"
#include "hw/log.h"
#include "hw/loop.h"
#include "hw/opt.h"
#include "hw/phc.h"
#include "hw/regs.h"
#include "hw/ring.h"
#include "hw/truth.h"
#include "hw/tx.h"
#include "hw/types.h"
#include "hw/wire.h"

#define NIC_BARS 6

enum nic_bar_flags {
	BAR_MEM64 = 1,		/* takes the next BAR's place too */
	BAR_PREFETCH = 2,
};

struct nic_bar {
	u64 size;		/* power of two >= 16, 0: none */
	u32 flags;
};

/* Filled in by ops->init(), constant afterwards. */
struct nic_pci {
	u16 vendor, device, subvendor, subdevice;
	u32 class;		/* 24 bits; 0: Ethernet controller 0x020000 */
	u8 revision;
	bool intx;		/* has an INTx pin */
	struct nic_bar bar[NIC_BARS];
	u32 msi_vectors;	/* 0 = no capability, power of two <= 32 */
	u32 msix_vectors;	/* 0 = no capability, <= 2048 */
	u32 msix_bar;		/* where table and PBA live; the core serves */
	u32 msix_table;		/* offsets, multiples of 8; the range must not */
	u32 msix_pba;		/* hold registers of the model */
	u64 serial;		/* device serial number capability, 0 = none */
};

enum nic_reset_kind {
	RESET_START,		/* once, after init */
	RESET_BUS,		/* DEVICE_RESET or FLR: everything */
	RESET_CLIENT,		/* the VM went away */
	RESET_FAULT,		/* control verb "reset": the NIC's own mishap */
};

/* Where a verb's answer goes: text lines, no empty ones. */
typedef FILE nic_reply;

struct nic_ops {
	const char *name;	/* "--nic NAME" */
	const char *help;	/* its options, one line each */
	u32 max_ports;		/* 0 means 2 */
	size_t priv_size;	/* zeroed memory at nic->priv */

	/*
	 * Read options, fill nic->pci, mac and speed_mbps, create registers
	 * and clock. 0 or -errno after saying what is wrong.
	 */
	int (*init)(struct nic *nic, struct optset *opts);
	void (*teardown)(struct nic *nic);

	/*
	 * Back to power-on state; the core has flushed tx (RESET_FAULT: the
	 * model decides by tx_flush()) and, at RESET_BUS and RESET_CLIENT,
	 * disabled interrupts and bus mastering.
	 */
	void (*reset)(struct nic *nic, enum nic_reset_kind kind);

	/*
	 * A guest's access to a BAR. @size 1, 2, 4 or 8, naturally aligned and
	 * inside the BAR. @val: little-endian semantics (the low byte is the
	 * one at @off), host integer. 0 or -errno: the read answers as a
	 * refused request (the guest sees ones), the write is dropped.
	 */
	int (*read)(struct nic *nic, u32 bar, u64 off, u32 size, u64 *val);
	int (*write)(struct nic *nic, u32 bar, u64 off, u32 size, u64 val);

	/* See tx.h. */
	void (*tx_egress)(struct nic *nic, struct tx_frame *f);
	void (*tx_done)(struct nic *nic, struct tx_frame *f);

	/* A frame from the wire. False: not taken, counted as rx_dropped. */
	bool (*rx)(struct nic *nic, const struct rx_frame *f);

	/* Carrier changed; ask wire_link(). */
	void (*link)(struct nic *nic);

	/*
	 * The NIC's time at a past or present @mono, in ns as the driver's
	 * PHC would read it. NULL: phc_units(&nic->phc, mono).
	 */
	u64 (*clock_ns)(struct nic *nic, u64 mono);
	/* When the clock reads @ns. NULL: phc_mono(&nic->phc, ns). */
	u64 (*clock_mono)(struct nic *nic, u64 ns);
	/* Control verb "clock <port> set NS". NULL: phc_set_units(). */
	void (*clock_set)(struct nic *nic, u64 ns);

	/*
	 * A verb the core doesn't know: "model <port> ...", argv[0] is the first
	 * word behind the port. -ENOENT: no such verb; other -errno: answered
	 * as "error" with what was written to @out as the text.
	 */
	int (*control)(struct nic *nic, int argc, char **argv, nic_reply *out);
	/* Lines "name value" behind the core's own, for verb "stats". */
	void (*stats)(struct nic *nic, nic_reply *out);
	/* Coverage of registers and commands, for verb "coverage". */
	void (*coverage)(struct nic *nic, nic_reply *out);
};

struct nic_stats {
	u64 tx_frames, tx_bytes, tx_dropped;
	u64 rx_frames, rx_bytes, rx_dropped;
	u64 irq_raised, irq_dropped;
	u64 dma_faults, guest_errors;
	u64 mmio_reads, mmio_writes, mmio_refused;
	u64 resets;
};

struct vfu_conn;
struct dma_space;
struct irq_state;
struct pci_config;
struct tx_port;
struct wire;

struct nic {
	const struct nic_ops *ops;
	void *priv;
	char name[8];		/* "a", "b", ... over the whole process */
	u32 id;			/* 0, 1, ... over the whole process */
	u32 port;		/* 0, 1, ... within its --nic */
	u32 ports;		/* ... of so many */
	u8 mac[6];		/* preset; unique in the process */

	struct nic_pci pci;
	u32 speed_mbps;		/* preset 1000; see wire_set_speed() */
	u64 tx_gap_ns;		/* see tx.h, preset 0 */
	struct phc phc;		/* preset: ns clock at TAI-less host time 0 */
	s64 drift_ppb;		/* option "drift", the core reads it */

	struct faults faults;
	struct nic_stats stats;

	/* the core's */
	struct dma_space *dma;
	struct irq_state *irq;
	struct pci_config *config;
	struct tx_port *tx;
	struct wire *wire;
	struct vfu_conn *conn;
};

static inline u64 nic_clock_ns(struct nic *nic, u64 mono)
{
	return nic->ops->clock_ns ? nic->ops->clock_ns(nic, mono) :
				    phc_units(&nic->phc, mono);
}

static inline u64 nic_clock_mono(struct nic *nic, u64 ns)
{
	return nic->ops->clock_mono ? nic->ops->clock_mono(nic, ns) :
				      phc_mono(&nic->phc, ns);
}

/* Puts @ops into the list of models. */
#define NIC_MODEL(ops_)							\
	static const struct nic_ops *const nic_model_##ops_		\
	__attribute__((used, retain, section("nic_models"))) = &(ops_)

#endif
