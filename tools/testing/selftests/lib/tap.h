/* SPDX-License-Identifier: GPL-2.0 */
/*
 * TAP 13 on stdout. A test calls tap_ok() and friends once per check and
 * ends with "return tap_done();", which prints the plan and gives the exit
 * status: 0 if every check held and there was at least one, 1 otherwise.
 * One thread at a time.
 */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

#define TAP_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* One check. The name says what holds when it passes. Returns @ok. */
bool tap_ok(bool ok, const char *name, ...) TAP_PRINTF(2, 3);

/* As tap_ok(got == want), and shows both numbers when they differ. */
bool tap_is(long long got, long long want, const char *name, ...) TAP_PRINTF(3, 4);

/* A check that can't be made here; @why names what is missing. */
void tap_skip(const char *name, const char *why, ...) TAP_PRINTF(2, 3);

/* A comment line; does not influence the result. */
void tap_diag(const char *fmt, ...) TAP_PRINTF(1, 2);

/* Ends the program with "Bail out!" and status 255: the set-up failed. */
void tap_bail(const char *fmt, ...) TAP_PRINTF(1, 2) __attribute__((noreturn));

/* Number of checks that failed so far. */
int tap_failed(void);

/* Prints the plan, returns main()'s exit status. */
int tap_done(void);

/* Value of the environment variable ROUNDS times @n, at least 1. */
unsigned long tap_rounds(unsigned long n);

#endif /* TAP_H */
