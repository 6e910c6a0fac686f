/* SPDX-License-Identifier: GPL-2.0 */
/* Distribution of a set of times. Percentiles are nearest-rank: a value that occurred. */
#ifndef STATS_H
#define STATS_H

#include <linux/types.h>
#include <stddef.h>

struct sample {
	__s64 ns;
	__u64 frame;
};

struct dist {
	size_t n;		/* 0: the other members mean nothing */
	__s64 min, p50, p99, p999, max;
	__u64 max_frame;	/* the first frame that took the longest */
};

/* Sorts @s in place. */
struct dist dist_of(struct sample *s, size_t n);

#endif /* STATS_H */
