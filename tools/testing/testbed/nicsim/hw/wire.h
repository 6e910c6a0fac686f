/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A wire joins two ports. A frame of n bytes occupies the line for
 * 8 * (max(n, 60) + 24) bit times (preamble, SFD, FCS, gap); it arrives
 * @delay_ns after it left, first byte to first byte, and is handed to the peer
 * when its last byte is in. Models see it only through tx.h and ops->rx().
 */
#ifndef NICSIM_WIRE_H
#define NICSIM_WIRE_H

#include "hw/types.h"

struct nic;

struct rx_frame {
	const u8 *data;		/* valid during ops->rx() only */
	u32 len;		/* without FCS */
	u64 mono;		/* first byte's arrival */
	u64 stamp_ns;		/* the same by the port's ops->clock_ns() */
};

struct wire_cfg {
	u64 delay_ns;		/* default 0 */
	u64 rate_mbps;		/* 0: the ports' own speed */
	u64 loss_ppm;
	u64 seed;
};

/* Carrier: the wire is plugged, not forced down, and both ports exist. */
bool wire_link(const struct nic *nic);
/* Set nic->speed_mbps before or while running; tells the wire. */
void wire_set_speed(struct nic *nic, u32 mbps);

#endif
