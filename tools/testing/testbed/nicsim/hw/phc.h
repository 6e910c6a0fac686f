/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A NIC's clock: a counter of "units" (ns for stmmac and i40e, cycles for
 * mlx5's free-running one) with 32 fractional bits, derived from the host's
 * monotonic clock by piecewise linear segments. The last PHC_HISTORY changes
 * are kept, so the value at a moment in the recent past is the one that a read
 * at that moment would have given, whatever was set since.
 *
 * The oscillator of every real NIC is a little off: @drift_ppb of phc_init()
 * scales all rates. A model with its own notion of frequency (addend, increment)
 * turns it into a rate by phc_set_rate(); everything else is common.
 */
#ifndef NICSIM_PHC_H
#define NICSIM_PHC_H

#include "hw/types.h"

#define PHC_HISTORY 32
#define DRIFT_MAX_PPB 1000000

/* Units and 2^-32 units. */
struct phc_time {
	u64 units;
	u32 frac;
};

struct phc_segment {
	u64 mono;		/* start, host ns */
	struct phc_time at;	/* value at the start */
	u64 rate;		/* 2^-48 units a host ns, drift included */
};

struct phc {
	struct phc_segment seg[PHC_HISTORY];
	u32 last;		/* index of the newest segment */
	u32 used;
	u64 wrap;		/* mask of the counter's width */
	s64 drift_ppb;
	u64 nominal, rate;	/* as in a segment, drift left out */
};

/*
 * Starts at 0 with @num / @den units a ns (1/1 for a ns clock), counting in
 * @bits bits (1 .. 64).
 */
void phc_init(struct phc *p, u64 mono, u64 num, u64 den, u32 bits,
	      s64 drift_ppb);

/* Value at @mono; the newest if @mono is in the future, extrapolated. */
struct phc_time phc_at(const struct phc *p, u64 mono);
/* The same, whole units. */
u64 phc_units(const struct phc *p, u64 mono);

void phc_set(struct phc *p, u64 mono, struct phc_time t);
void phc_set_units(struct phc *p, u64 mono, u64 units);
/* Jump by a signed number of units. */
void phc_adjust(struct phc *p, u64 mono, s64 delta);
/* Rate from now on: @num / @den units a ns; 0/1 stops the clock. */
void phc_set_rate(struct phc *p, u64 mono, u64 num, u64 den);
/* Nominal rate scaled by (1 + ppb / 10^9). */
void phc_set_ppb(struct phc *p, u64 mono, s64 ppb);
/* The oscillator itself changes; what the guest set stays on top of it. */
void phc_set_drift(struct phc *p, u64 mono, s64 ppb);

/*
 * When will (or did) the clock read @units? By the newest segment; UINT64_MAX
 * when the clock stands still. Rounds up: at the returned time the clock has
 * reached @units.
 */
u64 phc_mono(const struct phc *p, u64 units);

/* seconds + ns <-> ns for clocks with split registers. */
static inline u64 phc_join(u32 sec, u32 nsec)
{
	return sec * NSEC_PER_SEC + nsec;
}

#endif
