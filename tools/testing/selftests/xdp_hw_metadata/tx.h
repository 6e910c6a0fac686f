/* SPDX-License-Identifier: GPL-2.0 */
/* One run of the subcommand tx: what it holds, what it found. */
#ifndef TX_H
#define TX_H

#include <signal.h>
#include <stdio.h>

#include "clockmap.h"
#include "hwts.h"
#include "netdev.h"
#include "opts.h"
#include "peer.h"
#include "verdict.h"
#include "xsk.h"

/* An output file: opened before anything starts, written at the end. */
struct out {
	FILE *f;		/* NULL: not asked for */
	const char *path;
	bool created;		/* was not there before */
};

struct tx {
	const struct opts *o;
	struct netdev_info dev;
	struct out json, frames;
	struct peer peer;
	struct hwts hwts;
	bool has_hwtstamp;
	struct hwtstamp_config hwtstamp;	/* as during the run */
	struct xsk x;
	bool zerocopy;				/* what x was when it was open */
	const char *fallback;
	int phc;				/* /dev/ptpN, -1: none */
	struct clockmap map;
	struct flow flow;
	struct netdev_counter *before, *after;	/* ethtool -S */
	int n_before, n_after;
	struct run run;
	struct verdict verdict;
	__u64 start_ns, end_ns;			/* TAI, of the sending */
};

/* Set by SIGINT and SIGTERM. */
extern volatile sig_atomic_t tx_stop;

/*
 * Sends run.count frames and waits for their completions, filling in
 * run.frame, .stray_completions, .send_errno and .interrupted. 0, or -ENOMEM
 * before anything was sent.
 */
int tx_send(struct tx *t);

/* How far a counter tx_xsk_NAME went during the run; false: there is none. */
bool tx_counter(const struct tx *t, const char *name, __u64 *delta);

/* The verdict for people; the last line is PASS or FAIL: reason. */
void report_text(const struct tx *t, FILE *f);

/* The summary and the lines a frame, for programs. */
void report_json(const struct tx *t, FILE *f);
void report_frames(const struct tx *t, FILE *f);

/* cmd_*.c: exit status. */
int cmd_tx(const struct opts *o);
int cmd_probe(const struct opts *o);
int cmd_rx(const struct opts *o);

#endif /* TX_H */
