/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes JSON: commas, escapes and indentation. @key is NULL for the outermost
 * value and inside an array. A compact writer puts everything on one line.
 * Write errors are the stream's and show at fclose() or ferror().
 */
#ifndef JSON_H
#define JSON_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdio.h>

struct json {
	FILE *f;
	bool compact;
	int depth;
	bool some;		/* the open object or array has a member */
};

void json_open(struct json *j, const char *key, char bracket);	/* '{' or '[' */
void json_close(struct json *j, char bracket);			/* '}' or ']' */
void json_u64(struct json *j, const char *key, __u64 v);
void json_s64(struct json *j, const char *key, __s64 v);
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);
/* NULL gives null. Bytes that are not UTF-8 come out as U+FFFD. */
void json_str(struct json *j, const char *key, const char *v);

#endif /* JSON_H */
