/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A NIC's options: "--nic model,key=value,flag". Each opt_*() call that finds
 * its key marks it as used; main() refuses what no one asked for by name.
 * A missing key leaves *@val alone, so set the default first.
 * Return 0, or -EINVAL after printing what is wrong and what is accepted.
 */
#ifndef NICSIM_OPT_H
#define NICSIM_OPT_H

#include "hw/types.h"

struct optset;

struct optset *opt_parse(const char *text);
void opt_free(struct optset *o);
/* First key no one asked for, or NULL. */
const char *opt_unused(const struct optset *o);

int opt_u64(struct optset *o, const char *key, u64 *val, u64 min, u64 max);
int opt_u32(struct optset *o, const char *key, u32 *val, u32 min, u32 max);
int opt_s64(struct optset *o, const char *key, s64 *val, s64 min, s64 max);
/* "key", "key=on|off|1|0" */
int opt_bool(struct optset *o, const char *key, bool *val);
/* The string lives as long as @o. */
int opt_str(struct optset *o, const char *key, const char **val);
/* Index of the value in NULL-ended @names. */
int opt_enum(struct optset *o, const char *key, u32 *val,
	     const char *const *names);

#endif
