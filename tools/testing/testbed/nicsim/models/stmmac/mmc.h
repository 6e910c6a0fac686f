/* SPDX-License-Identifier: GPL-2.0 */
/*
 * MAC management counters: what the MAC saw pass on the wire.
 *
 * Lengths count from the destination address to the end of the FCS, as the
 * hardware does; frames handed to mmc_tx() and mmc_rx() come without the FCS.
 */
#ifndef STMMAC_MMC_H
#define STMMAC_MMC_H

#include "hw/types.h"

#define MMC_BYTES	0x200

struct mmc {
	u32 ctrl;
	u32 reg[MMC_BYTES / 4];
};

/* Why mmc_rx() counts a frame as it does. */
enum mmc_rx_fate {
	MMC_RX_GOOD,
	MMC_RX_OVERFLOW,	/* no descriptor: lost in the queue */
};

/* @off counts from the block's start. False: no such register. */
bool mmc_read(struct mmc *m, u32 off, u32 *val);
bool mmc_write(struct mmc *m, u32 off, u32 val);

void mmc_tx(struct mmc *m, const u8 *frame, size_t len);
void mmc_rx(struct mmc *m, const u8 *frame, size_t len,
	    enum mmc_rx_fate fate);

#endif
