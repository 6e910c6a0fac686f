// SPDX-License-Identifier: GPL-2.0
#include "json.h"

/* Length of the UTF-8 sequence at @p, 0: none. Overlong forms are let through. */
static int utf8_len(const unsigned char *p)
{
	int n = *p >= 0xf0 && *p < 0xf5 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0, i;

	if (*p >= 0xf5)
		return 0;
	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void string(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	int n;

	fputc('"', f);
	while (*p) {
		if (*p == '"' || *p == '\\') {
			fprintf(f, "\\%c", *p++);
		} else if (*p < 0x20 || *p == 0x7f) {
			fprintf(f, "\\u%04x", *p++);
		} else if (*p < 0x80) {
			fputc(*p++, f);
		} else {
			n = utf8_len(p);
			if (n)
				fwrite(p, 1, n, f);
			else
				fputs("\\ufffd", f);
			p += n ? n : 1;
		}
	}
	fputc('"', f);
}

static void newline(struct json *j)
{
	int i;

	if (j->compact)
		return;
	fputc('\n', j->f);
	for (i = 0; i < j->depth; i++)
		fputc('\t', j->f);
}

static void lead(struct json *j, const char *key)
{
	if (j->some)
		fputs(j->compact ? ", " : ",", j->f);
	if (j->depth)
		newline(j);
	if (key) {
		string(j->f, key);
		fputs(": ", j->f);
	}
	j->some = true;
}

void json_open(struct json *j, const char *key, char bracket)
{
	lead(j, key);
	fputc(bracket, j->f);
	j->depth++;
	j->some = false;
}

void json_close(struct json *j, char bracket)
{
	j->depth--;
	if (j->some)
		newline(j);
	fputc(bracket, j->f);
	j->some = true;
	if (!j->depth) {
		fputc('\n', j->f);
		j->some = false;
	}
}

void json_u64(struct json *j, const char *key, __u64 v)
{
	lead(j, key);
	fprintf(j->f, "%llu", v);
}

void json_s64(struct json *j, const char *key, __s64 v)
{
	lead(j, key);
	fprintf(j->f, "%lld", v);
}

void json_bool(struct json *j, const char *key, bool v)
{
	lead(j, key);
	fputs(v ? "true" : "false", j->f);
}

void json_null(struct json *j, const char *key)
{
	lead(j, key);
	fputs("null", j->f);
}

void json_str(struct json *j, const char *key, const char *v)
{
	if (!v) {
		json_null(j, key);
		return;
	}
	lead(j, key);
	string(j->f, v);
}
