/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults, armed by control verbs ("fault <port> <name> [queue=Q] [count=N]
 * [skip=N] [every=N] [arg=V]") and taken where they bite. tx.h serves those
 * about frames; a model serves "cmd", "error" and "reset" itself.
 */
#ifndef NICSIM_FAULT_H
#define NICSIM_FAULT_H

#include "hw/types.h"

struct nic;

enum fault_kind {
	FAULT_STAMP_LOSE,	/* the stamp never appears */
	FAULT_STAMP_DELAY,	/* arg: ns it is late */
	FAULT_HOLD,		/* completions wait for "release" */
	FAULT_GAP,		/* arg: ns from write-back to egress */
	FAULT_HANG,		/* the queue sends no more */
	FAULT_CMD,		/* arg: opcode, val: status; the model fails it */
	FAULT_ERROR,		/* error completion, arg: syndrome or 0 */
	FAULT_TX_DROP,		/* the frame never leaves, completes as sent */
	FAULT_CSUM_BAD,		/* an inserted checksum is off by one */
	FAULT_STAMP_OFF,	/* arg: signed ns added to the stamp */
	FAULT_KINDS
};

#define FAULT_ANY UINT64_MAX

struct fault {
	bool armed;
	u64 queue;	/* or FAULT_ANY */
	u64 arg;
	u64 val;
	u64 skip;	/* matches let through first */
	u64 every;	/* then each n-th match; 0 = each */
	u64 count;	/* hits left; UINT64_MAX = until cleared */
	u64 seen;	/* matches since armed */
	u64 hits;
};

struct faults {
	struct fault f[FAULT_KINDS];
};

const char *fault_name(enum fault_kind kind);
/* -1 if there is none. */
int fault_by_name(const char *name);

/*
 * Does the fault strike now? @queue may be FAULT_ANY (not about a queue). Takes
 * one hit; the fault disarms itself when its count is used up. *@arg (may be
 * NULL) gets its argument.
 */
bool fault_take(struct nic *nic, enum fault_kind kind, u64 queue, u64 *arg);
/* FAULT_CMD: does the command @opcode fail? *@status: the armed val. */
bool fault_take_cmd(struct nic *nic, u64 opcode, u64 *status);
/* Armed for this queue? Takes nothing. */
bool fault_armed(const struct nic *nic, enum fault_kind kind, u64 queue);
void fault_clear_all(struct nic *nic);

#endif
