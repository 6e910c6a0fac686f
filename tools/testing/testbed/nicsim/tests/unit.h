/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of hw/ without a process or a socket: a port of a small model, its
 * guest memory a plain memfd, its interrupts nowhere.
 */
#ifndef NICSIM_TEST_UNIT_H
#define NICSIM_TEST_UNIT_H

#include "core.h"
#include "tap.h"

/* A port of @ops with options @opts; bails out if it does not start. */
struct nic *unit_nic(const struct nic_ops *ops, const char *opts);
/* @size bytes at @iova, bus mastering on; unmapped with the port. */
u8 *unit_mem(struct nic *nic, u64 iova, u64 size, bool write);
/* Runs the loop for @ns. */
void unit_run(u64 ns);
void unit_quiet(void);

#endif
