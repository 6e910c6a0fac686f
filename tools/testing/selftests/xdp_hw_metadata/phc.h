/* SPDX-License-Identifier: GPL-2.0 */
/* Reading a device's PTP clock together with the system's. */
#ifndef PHC_H
#define PHC_H

#include "clockmap.h"

/* CLOCK_TAI in ns. */
__u64 tai_now(void);

/* Opens /dev/ptpINDEX. A file descriptor or -errno. */
int phc_open(int index);

/*
 * One pair: by the precise cross-timestamp if the device has one, else the
 * tightest of a few readings between two system times. 0 or -errno.
 */
int phc_read(int fd, struct clock_pair *pair);

#endif /* PHC_H */
