// SPDX-License-Identifier: GPL-2.0
#include "../clockmap.h"
#include "../stats.h"
#include "tap.h"

int main(void)
{
	static struct sample s[2000];
	struct clockmap m = { .clock = CLOCK_PHC };
	struct dist d;
	__u64 dev;
	int i;

	tap_is(dist_of(s, 0).n, 0, "nothing");
	s[0] = (struct sample){ 42, 7 };
	d = dist_of(s, 1);
	tap_ok(d.min == 42 && d.p50 == 42 && d.p99 == 42 && d.p999 == 42 && d.max == 42 &&
	       d.max_frame == 7, "one value is every percentile");

	for (i = 0; i < 2000; i++)
		s[i] = (struct sample){ 2000 - i, i };
	d = dist_of(s, 2000);
	tap_is(d.min, 1, "min of 1..2000");
	tap_is(d.p50, 1000, "p50");
	tap_is(d.p99, 1980, "p99");
	tap_is(d.p999, 1998, "p99.9");
	tap_is(d.max, 2000, "max");
	tap_is(d.max_frame, 0, "and its frame");

	s[0] = (struct sample){ -5, 1 };
	s[1] = (struct sample){ 9, 8 };
	s[2] = (struct sample){ 9, 3 };
	d = dist_of(s, 3);
	tap_is(d.min, -5, "negative values keep their sign");
	tap_is(d.max_frame, 3, "of equals the first frame counts");
	tap_is(d.p50, 9, "p50 of three");

	clockmap_add(&m, (struct clock_pair){ 1000, 50, 3 });
	tap_ok(clockmap_dev(&m, 1010, &dev) && dev == 60, "one pair: an offset");
	clockmap_add(&m, (struct clock_pair){ 2000, 2050, 9 });
	clockmap_add(&m, (struct clock_pair){ 3000, 2550, 4 });
	tap_ok(!clockmap_add(&m, (struct clock_pair){ 3000, 1, 1 }), "pairs ascend");
	tap_ok(clockmap_dev(&m, 1500, &dev) && dev == 1050, "between the first two");
	tap_ok(clockmap_dev(&m, 2000, &dev) && dev == 2050, "on a pair");
	tap_ok(clockmap_dev(&m, 2500, &dev) && dev == 2300, "between the last two");
	tap_ok(clockmap_dev(&m, 900, &dev) && (__s64)dev == -150, "before the first");
	tap_ok(clockmap_dev(&m, 4000, &dev) && dev == 3050, "after the last");
	tap_is(clockmap_tolerance(&m), 1009, "the worst reading counts");
	clockmap_free(&m);
	return tap_done();
}
