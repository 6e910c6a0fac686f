/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the system's TAI time to the clock that the stamps are taken with.
 * Software stamps are TAI already. A device's clock is read together with the
 * system's before, during and after a run; times in between are interpolated.
 */
#ifndef CLOCKMAP_H
#define CLOCKMAP_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

enum stamp_clock {
	CLOCK_NONE,		/* unknown: no time can be compared with a stamp */
	CLOCK_SYS_TAI,
	CLOCK_PHC,
};

struct clock_pair {
	__u64 tai, dev;		/* ns, the same moment */
	__u64 unc;		/* ns that it may be off */
};

struct clockmap {
	enum stamp_clock clock;
	struct clock_pair *pair;	/* ascending in tai; CLOCK_PHC only */
	size_t n, room;
};

/* Appends; false: no memory, or not later than the last one. */
bool clockmap_add(struct clockmap *m, struct clock_pair p);

/* The device's time at @tai. false: unknown. */
bool clockmap_dev(const struct clockmap *m, __u64 tai, __u64 *dev);

/*
 * ns by which a time may seem wrong without being so: how far off the pairs
 * may be, and what interpolation cannot see.
 */
__u64 clockmap_tolerance(const struct clockmap *m);

/*
 * The device's clock was set during the run: between two pairs it moved by
 * more than 1 ms and 1% against the system's.
 */
bool clockmap_stepped(const struct clockmap *m);

void clockmap_free(struct clockmap *m);

#endif /* CLOCKMAP_H */
