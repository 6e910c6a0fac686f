/* SPDX-License-Identifier: GPL-2.0 */
/* ptp4l on both ports, port A the master. */
#ifndef PTP_H
#define PTP_H

/*
 * Tests that port B's clock, set wrong and drifting at first, comes to port A's and
 * stays within 1 us of it, and that no port has a fault. Takes up to a minute.
 */
void ptp4l_converges(const char *what);

#endif
