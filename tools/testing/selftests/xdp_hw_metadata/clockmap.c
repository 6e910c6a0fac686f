// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "clockmap.h"

/* Software stamps and the tool read one and the same clock. */
#define TAI_TOLERANCE 1000

bool clockmap_add(struct clockmap *m, struct clock_pair p)
{
	if (m->n && p.tai <= m->pair[m->n - 1].tai)
		return false;
	if (m->n == m->room) {
		size_t room = m->room ? m->room * 2 : 64;
		struct clock_pair *pair = realloc(m->pair, room * sizeof(*pair));

		if (!pair)
			return false;
		m->pair = pair;
		m->room = room;
	}
	m->pair[m->n++] = p;
	return true;
}

bool clockmap_dev(const struct clockmap *m, __u64 tai, __u64 *dev)
{
	const struct clock_pair *a, *b;
	size_t lo = 0, hi;

	if (m->clock == CLOCK_SYS_TAI) {
		*dev = tai;
		return true;
	}
	if (m->clock != CLOCK_PHC || !m->n)
		return false;
	if (m->n == 1) {
		*dev = m->pair[0].dev + (tai - m->pair[0].tai);
		return true;
	}
	/* The last pair that is not later, so that one follows it. */
	hi = m->n - 1;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->pair[mid].tai <= tai)
			lo = mid;
		else
			hi = mid;
	}
	a = &m->pair[lo];
	b = &m->pair[lo + 1];
	*dev = a->dev + (__s64)((long double)(__s64)(tai - a->tai) *
				(__s64)(b->dev - a->dev) / (__s64)(b->tai - a->tai));
	return true;
}

__u64 clockmap_tolerance(const struct clockmap *m)
{
	__u64 worst = 0;
	size_t i;

	if (m->clock != CLOCK_PHC)
		return TAI_TOLERANCE;
	for (i = 0; i < m->n; i++)
		if (m->pair[i].unc > worst)
			worst = m->pair[i].unc;
	return worst + TAI_TOLERANCE;
}

bool clockmap_stepped(const struct clockmap *m)
{
	size_t i;

	for (i = 1; i < m->n; i++) {
		__s64 sys = m->pair[i].tai - m->pair[i - 1].tai;
		__s64 off = (__s64)(m->pair[i].dev - m->pair[i - 1].dev) - sys;

		if (off < 0)
			off = -off;
		if (off > 1000000 + sys / 100)
			return true;
	}
	return false;
}

void clockmap_free(struct clockmap *m)
{
	free(m->pair);
	m->pair = NULL;
	m->n = 0;
	m->room = 0;
}
