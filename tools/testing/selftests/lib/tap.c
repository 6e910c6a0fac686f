// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static int count, failed;

static void header(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("TAP version 13");
}

static void result(bool ok, const char *name, va_list ap)
{
	header();
	failed += !ok;
	printf("%s %d - ", ok ? "ok" : "not ok", ++count);
	vprintf(name, ap);
	putchar('\n');
}

bool tap_ok(bool ok, const char *name, ...)
{
	va_list ap;

	va_start(ap, name);
	result(ok, name, ap);
	va_end(ap);
	return ok;
}

bool tap_is(long long got, long long want, const char *name, ...)
{
	va_list ap;

	va_start(ap, name);
	result(got == want, name, ap);
	va_end(ap);
	if (got != want)
		tap_diag("got %lld (0x%llx), want %lld (0x%llx)", got, got, want, want);
	return got == want;
}

void tap_skip(const char *name, const char *why, ...)
{
	va_list ap;

	header();
	printf("ok %d - %s # SKIP ", ++count, name);
	va_start(ap, why);
	vprintf(why, ap);
	va_end(ap);
	putchar('\n');
}

void tap_diag(const char *fmt, ...)
{
	va_list ap;

	header();
	fputs("# ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void tap_bail(const char *fmt, ...)
{
	va_list ap;

	header();
	fputs("Bail out! ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(255);
}

int tap_failed(void)
{
	return failed;
}

int tap_done(void)
{
	header();
	printf("1..%d\n", count);
	if (failed)
		tap_diag("%d of %d checks failed", failed, count);
	return failed || !count;
}

unsigned long tap_rounds(unsigned long n)
{
	const char *s = getenv("ROUNDS");
	double f = s && *s ? atof(s) : 1;
	double r = n * f;

	return r < 1 ? 1 : (unsigned long)r;
}
