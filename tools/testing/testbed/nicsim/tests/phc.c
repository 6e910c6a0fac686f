// SPDX-License-Identifier: GPL-2.0
/* The clock, by exact arithmetic on made-up host times. */
#include <stdio.h>

#include "hw/phc.h"
#include "tap.h"

#define SEC NSEC_PER_SEC
#define T0 (1000 * SEC)

static void plain(void)
{
	struct phc p;

	phc_init(&p, T0, 1, 1, 64, 0);
	tap_is((long long)phc_units(&p, T0), 0, "starts at 0");
	tap_is((long long)phc_units(&p, T0 + 12345), 12345, "counts ns");
	phc_set_units(&p, T0 + 100, 5 * SEC);
	tap_is((long long)phc_units(&p, T0 + 150), 5 * SEC + 50, "set");
	tap_is((long long)phc_units(&p, T0 + 99), 99,
	       "the past is what it was before");
	phc_adjust(&p, T0 + 200, -50);
	tap_is((long long)phc_units(&p, T0 + 200), 5 * SEC + 50, "adjust back");
	phc_adjust(&p, T0 + 200, 50);
	tap_is((long long)phc_units(&p, T0 + 200), 5 * SEC + 100, "and forth");
	phc_set_units(&p, T0 + 300, 1);
	phc_adjust(&p, T0 + 300, -2);
	tap_is((long long)phc_units(&p, T0 + 300), -1, "below 0 wraps");
}

static void rates(void)
{
	struct phc p;
	u64 year = 365 * 86400ULL * SEC, got, want;
	u64 m;

	phc_init(&p, 0, 1, 1, 64, 0);
	phc_set_ppb(&p, 0, 1000);
	tap_is((long long)phc_units(&p, SEC), SEC + 1000, "+1000 ppb");
	phc_set_ppb(&p, SEC, -1000);
	got = phc_units(&p, 2 * SEC);
	tap_ok(got == 2 * SEC || got == 2 * SEC - 1,
	       "-1000 ppb, no creep beyond the last 2^-32 ns");
	phc_set_rate(&p, 2 * SEC, 0, 1);
	tap_ok(phc_units(&p, 9 * SEC) == got, "a clock may stand");
	tap_is((long long)phc_mono(&p, 3 * SEC), -1, "and never gets there");

	phc_init(&p, 0, 1, 1, 64, 0);
	got = phc_units(&p, year);
	tap_is((long long)got, (long long)year, "exact over a year");
	phc_init(&p, 0, 1, 1, 64, 25);
	got = phc_units(&p, year);
	want = year + year / 40000000;
	tap_ok(got - want + 200000 < 400000,
	       "drift of 25 ppb over a year, within 0.2 ms (%lld ns)",
	       (long long)(got - want));

	/* The oscillator drifts under a rate that the guest has set. */
	phc_init(&p, 0, 1, 1, 64, 0);
	phc_set_rate(&p, 0, 1001, 1000);
	phc_set_drift(&p, 0, 20000);
	got = phc_units(&p, SEC);
	want = 1001000000 + 20020;
	tap_ok(got - want + 1 <= 2, "drift on top of a set rate (%lld ns)",
	       (long long)(got - want));
	phc_set_drift(&p, SEC, 0);
	tap_ok(phc_units(&p, 2 * SEC) - got - 1001000000 + 1 <= 2,
	       "and off again: the set rate is left");

	/* 204.8 MHz: 2048 units in 10000 ns. */
	phc_init(&p, 0, 2048, 10000, 32, 0);
	tap_is((long long)phc_units(&p, SEC), 204799999, "cycles of 204.8 MHz");
	tap_is((long long)phc_units(&p, 10 * SEC + 1), 2048000000,
	       "below the counter's width");
	tap_is((long long)phc_units(&p, 30 * SEC + 1), 6144000000LL - 4294967296LL,
	       "32 bits wrap");
	m = phc_mono(&p, 2048000);
	tap_ok(phc_units(&p, m) >= 2048000 && phc_units(&p, m - 1) < 2048000,
	       "phc_mono() is the first moment that reads so");
}

static void inverse(void)
{
	struct phc p;
	int good = 0, n = 0;
	u64 ns;

	phc_init(&p, T0, 1, 1, 64, -123456);
	phc_set_units(&p, T0 + 17, 1700000000 * SEC);
	phc_set_ppb(&p, T0 + 1000, 98765);
	for (ns = 1700000000 * SEC + 5000; ns < 1700000010 * SEC;
	     ns += 987654321 / 7, n++) {
		u64 m = phc_mono(&p, ns);

		good += phc_units(&p, m) >= ns && phc_units(&p, m - 1) < ns;
	}
	tap_is(good, n, "phc_mono() inverts phc_units(), %d times", n);
	tap_ok(phc_mono(&p, 1600000000 * SEC) <= T0, "a time long past is past");
}

static void history(void)
{
	struct phc p;
	int i, good = 0;

	phc_init(&p, T0, 1, 1, 64, 0);
	/* The clock jumps by a second every microsecond. */
	for (i = 1; i <= 20; i++)
		phc_set_units(&p, T0 + (u64)i * 1000, (u64)i * SEC);
	for (i = 1; i <= 20; i++)
		good += phc_units(&p, T0 + (u64)i * 1000 + 500) ==
			(u64)i * SEC + 500;
	tap_is(good, 20, "each moment of the recent past has its own value");
	for (i = 21; i <= 100; i++)
		phc_set_units(&p, T0 + (u64)i * 1000, (u64)i * SEC);
	good = 0;
	for (i = 100 - PHC_HISTORY + 1; i <= 100; i++)
		good += phc_units(&p, T0 + (u64)i * 1000 + 500) ==
			(u64)i * SEC + 500;
	tap_is(good, PHC_HISTORY, "also after many changes");
	/* Several changes at one moment are one. */
	for (i = 0; i < 100; i++)
		phc_adjust(&p, T0 + 200000, 1);
	tap_is((long long)phc_units(&p, T0 + 100500), 100 * (long long)SEC + 500,
	       "changes of one moment take one place");
}

static void fraction(void)
{
	struct phc p;
	struct phc_time t;

	phc_init(&p, 0, 1, 3, 64, 0);
	t = phc_at(&p, 1);
	tap_ok(t.units == 0 && t.frac / 1000 == 1431655765 / 1000,
	       "a third of a unit");
	phc_set(&p, 1, (struct phc_time) { .units = 7, .frac = 1U << 31 });
	t = phc_at(&p, 1);
	tap_ok(t.units == 7 && t.frac == 1U << 31, "set with a fraction");
	tap_is((long long)phc_join(3, 5), 3 * (long long)SEC + 5, "seconds and ns");
}

int main(void)
{
	plain();
	rates();
	inverse();
	history();
	fraction();
	return tap_done();
}
