/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device's timestamp setting, which belongs to everybody on the machine:
 * only tx_type is changed, the receive filter stays, and what was there comes
 * back, even when the tool is killed. For that a child process waits on a pipe.
 */
#ifndef HWTS_H
#define HWTS_H

#include <linux/net_tstamp.h>
#include <stdbool.h>
#include <sys/types.h>

struct hwts {
	bool changed;			/* there is something to restore */
	char ifname[16];
	struct hwtstamp_config old, set;
	int pipe;			/* to the child, -1: none */
	pid_t child;
};

#define HWTS_NONE ((struct hwts){ .pipe = -1 })

/* What to set so that frames are stamped and nothing else changes. */
struct hwtstamp_config hwts_merge(struct hwtstamp_config old);

/*
 * Whether to put @old back, given what we @set and what is there @now. Not if
 * somebody else has changed it meanwhile: it's theirs then.
 */
bool hwts_ours(struct hwtstamp_config set, struct hwtstamp_config now);

/* Reads the setting. 0 or -errno; -EOPNOTSUPP: the driver has none. */
int hwts_get(const char *ifname, struct hwtstamp_config *cfg);

/* Turns TX stamps on; nothing happens if they are. 0 or -errno. */
int hwts_enable(struct hwts *h, const char *ifname);

/* Puts back what was there. 0 or -errno; fine on HWTS_NONE. */
int hwts_restore(struct hwts *h);

/* "OFF", "ON", ... and "NONE", "ALL", ...; the number where there is no name. */
const char *hwts_tx_name(int tx_type);
const char *hwts_rx_name(int rx_filter);

#endif /* HWTS_H */
