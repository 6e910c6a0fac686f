/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stmmac model: DesignWare Ethernet QoS as Intel's Elkhart Lake has it. Port
 * 0 is the PCH's MAC (8086:4b30), port 1 the first one of the PSE (8086:4ba0).
 */
#ifndef STMMAC_H
#define STMMAC_H

#include "defs.h"
#include "mmc.h"
#include "nic.h"
#include "phy.h"

/*
 * Frames that a channel has read and not yet written back, at most. More than the
 * FIFO of 4 KiB holds: we run in a process that may be late, and what is read
 * after its launch time can't leave on time.
 */
#define TX_FIFO_FRAMES	1024

struct stmmac_tx {
	struct ring ring;
	bool fresh;		/* base was written: head starts at 0 */
	bool running;
};

struct stmmac_rx {
	struct ring ring;
	bool fresh;
	bool running;
	bool suspended;		/* out of descriptors, waits for the tail */
	struct timer watchdog;	/* interrupt mitigation */
};

struct stmmac_chan {
	struct nic *nic;
	u32 index;
	struct stmmac_tx tx;
	struct stmmac_rx rx;
	bool tx_line, rx_line;	/* interrupt lines */
};

struct stmmac {
	struct nic *nic;
	struct regs *regs;
	struct stmmac_chan chan[STMMAC_QUEUES];
	struct mmc mmc;
	struct phy phy;
	u32 clk_hz;		/* of the time stamp unit */
	u32 cdc_ns;		/* what a stamp is late, see tx.c */
	u8 mac[6];
	u64 rx_filtered, rx_no_desc, rx_csum_bad, rx_stopped;
};

static inline struct stmmac *stmmac_of(struct nic *nic)
{
	return nic->priv;
}

static inline u32 ch_get(struct stmmac *s, u32 ch, u32 reg)
{
	return reg_get(s->regs, DMA_CH(ch) + reg);
}

/* regs.c */
int stmmac_regs_init(struct stmmac *s);
void stmmac_soft_reset(struct stmmac *s);

/* irq.c */
/* Set status bits of a channel and raise what they raise. */
void stmmac_status(struct stmmac *s, u32 ch, u32 bits);
/* Look at the lines again: status or enable bits have changed. */
void stmmac_irq_update(struct stmmac *s, u32 ch);

/* ptp.c */
void stmmac_ptp_reset(struct stmmac *s);
void stmmac_ptp_control(struct stmmac *s, u32 val);
void stmmac_ptp_rate(struct stmmac *s);
/* Would the MAC stamp this frame on receipt? */
bool stmmac_ptp_match(struct stmmac *s, const struct pkt *p, const u8 *data,
		      u32 len);

/* tx.c */
void stmmac_tx_start(struct stmmac *s, u32 ch);
void stmmac_tx_stop(struct stmmac *s, u32 ch);
void stmmac_tx_kick(struct stmmac *s, u32 ch);
void stmmac_tx_done(struct nic *nic, struct tx_frame *f);
/* The channel met a bus error: it stops and tells. */
void stmmac_tx_bus_error(struct stmmac *s, u32 ch);

/* rx.c */
void stmmac_rx_start(struct stmmac *s, u32 ch);
void stmmac_rx_stop(struct stmmac *s, u32 ch);
void stmmac_rx_kick(struct stmmac *s, u32 ch);
bool stmmac_rx(struct nic *nic, const struct rx_frame *f);

#endif
