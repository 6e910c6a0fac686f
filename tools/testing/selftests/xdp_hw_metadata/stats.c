// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "stats.h"

static int by_ns(const void *pa, const void *pb)
{
	const struct sample *a = pa, *b = pb;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	/* The first frame of the longest ends up last. */
	return a->frame < b->frame ? 1 : a->frame > b->frame ? -1 : 0;
}

/* Nearest rank of the fraction @num / 1000. */
static __s64 rank(const struct sample *s, size_t n, unsigned int num)
{
	return s[(n * num + 999) / 1000 - 1].ns;
}

struct dist dist_of(struct sample *s, size_t n)
{
	struct dist d = { .n = n };

	if (!n)
		return d;
	qsort(s, n, sizeof(*s), by_ns);
	d.min = s[0].ns;
	d.p50 = rank(s, n, 500);
	d.p99 = rank(s, n, 990);
	d.p999 = rank(s, n, 999);
	d.max = s[n - 1].ns;
	d.max_frame = s[n - 1].frame;
	return d;
}
