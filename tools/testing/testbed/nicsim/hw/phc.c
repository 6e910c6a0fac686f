// SPDX-License-Identifier: GPL-2.0
#include "hw/phc.h"

#define RATE_SHIFT 48
#define PPB 1000000000LL

typedef unsigned __int128 u128;
typedef __int128 s128;

/* A time as one number of 2^-32 units. */
static u128 q32(struct phc_time t)
{
	return (u128)t.units << 32 | t.frac;
}

static struct phc_time from_q32(const struct phc *p, u128 q)
{
	return (struct phc_time) {
		.units = (u64)(q >> 32) & p->wrap,
		.frac = (u32)q,
	};
}

/* @rate (1 + @ppb / 10^9), rounded to nearest. */
static u64 scaled(u128 rate, s64 ppb)
{
	s128 part = (s128)rate * ppb;

	part += ppb < 0 ? -PPB / 2 : PPB / 2;
	return (u64)((s128)rate + part / PPB);
}

/* As if the oscillator were right. */
static u64 rate_of(u64 num, u64 den)
{
	return den ? (u64)((((u128)num << RATE_SHIFT) + den / 2) / den) : 0;
}

static struct phc_time seg_at(const struct phc *p, const struct phc_segment *s,
			      u64 mono)
{
	u128 q = q32(s->at);

	/* Before the first segment the clock is thought to have run as well. */
	if (mono >= s->mono)
		q += (u128)(mono - s->mono) * s->rate >> (RATE_SHIFT - 32);
	else
		q -= (u128)(s->mono - mono) * s->rate >> (RATE_SHIFT - 32);
	return from_q32(p, q);
}

static struct phc_segment *newest(struct phc *p)
{
	return &p->seg[p->last];
}

struct phc_time phc_at(const struct phc *p, u64 mono)
{
	u32 i = p->last, n;

	for (n = 1; n < p->used && mono < p->seg[i].mono; n++)
		i = (i + PHC_HISTORY - 1) % PHC_HISTORY;
	return seg_at(p, &p->seg[i], mono);
}

u64 phc_units(const struct phc *p, u64 mono)
{
	return phc_at(p, mono).units;
}

static void change(struct phc *p, u64 mono, struct phc_time at, u64 rate)
{
	if (p->used) {
		/* A change can't come before one that was made already. */
		if (mono < newest(p)->mono)
			mono = newest(p)->mono;
		if (mono > newest(p)->mono)
			p->last = (p->last + 1) % PHC_HISTORY;
	}
	if (p->used <= p->last)
		p->used = p->last + 1;
	p->seg[p->last] = (struct phc_segment) {
		.mono = mono, .at = at, .rate = rate,
	};
}

static void set_rate(struct phc *p, u64 mono, u64 rate)
{
	p->rate = rate;
	change(p, mono, phc_at(p, mono), scaled(rate, p->drift_ppb));
}

void phc_init(struct phc *p, u64 mono, u64 num, u64 den, u32 bits,
	      s64 drift_ppb)
{
	memset(p, 0, sizeof(*p));
	p->wrap = bits < 64 ? (1ULL << bits) - 1 : UINT64_MAX;
	p->drift_ppb = drift_ppb;
	p->nominal = rate_of(num, den);
	p->rate = p->nominal;
	change(p, mono, (struct phc_time) { 0 }, scaled(p->rate, drift_ppb));
}

void phc_set(struct phc *p, u64 mono, struct phc_time t)
{
	t.units &= p->wrap;
	change(p, mono, t, newest(p)->rate);
}

void phc_set_units(struct phc *p, u64 mono, u64 units)
{
	phc_set(p, mono, (struct phc_time) { .units = units });
}

void phc_adjust(struct phc *p, u64 mono, s64 delta)
{
	struct phc_time t = phc_at(p, mono);

	t.units += (u64)delta;
	phc_set(p, mono, t);
}

void phc_set_rate(struct phc *p, u64 mono, u64 num, u64 den)
{
	set_rate(p, mono, rate_of(num, den));
}

void phc_set_ppb(struct phc *p, u64 mono, s64 ppb)
{
	set_rate(p, mono, scaled(p->nominal, ppb));
}

void phc_set_drift(struct phc *p, u64 mono, s64 ppb)
{
	p->drift_ppb = ppb;
	set_rate(p, mono, p->rate);
}

u64 phc_mono(const struct phc *p, u64 units)
{
	const struct phc_segment *s = &p->seg[p->last];
	u64 ahead = (units - s->at.units) & p->wrap;
	u128 q, d;

	if (!s->rate)
		return UINT64_MAX;
	/* Half the range ahead is the future, the rest is the past. */
	if (ahead > p->wrap / 2) {
		u64 behind = (s->at.units - units) & p->wrap;

		q = ((u128)behind << 32) + s->at.frac;
		d = (q << (RATE_SHIFT - 32)) / s->rate;
		return d < s->mono ? s->mono - (u64)d : 0;
	}
	q = (u128)ahead << 32;
	if (q < s->at.frac)
		return s->mono;
	q -= s->at.frac;
	d = ((q << (RATE_SHIFT - 32)) + s->rate - 1) / s->rate;
	return d < UINT64_MAX - s->mono ? s->mono + (u64)d : UINT64_MAX;
}
