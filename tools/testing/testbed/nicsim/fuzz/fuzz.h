/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common to the fuzz targets: two wired ports of a model, time that moves only
 * when the input says so, and a reader of the input.
 */
#ifndef NICSIM_FUZZ_H
#define NICSIM_FUZZ_H

#include "core.h"
#include "vfio_user/vfu.h"

struct input {
	const u8 *p;
	size_t left;
};

/* Zero once the input is used up. */
u64 take(struct input *in, u32 bytes);

/* Ports "a" and "b" of $FUZZ_MODEL (default demo). Once. */
void fuzz_ports(void);
/* Time goes on by @ns and what is due runs. */
void fuzz_advance(u64 ns);

#endif
