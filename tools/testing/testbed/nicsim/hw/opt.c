// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "hw/opt.h"

#define OPT_MAX 32

struct optset {
	char *text;
	u32 n;
	struct {
		const char *key;
		const char *val;	/* NULL: key alone */
		bool used;
	} o[OPT_MAX];
};

void opt_free(struct optset *o)
{
	if (!o)
		return;
	free(o->text);
	free(o);
}

struct optset *opt_parse(const char *text)
{
	struct optset *o = calloc(1, sizeof(*o));
	char *p, *word;

	if (!o)
		return NULL;
	o->text = strdup(text);
	if (!o->text)
		goto fail;
	p = o->text;
	while ((word = strsep(&p, ","))) {
		char *eq = strchr(word, '=');

		if (!*word)
			continue;
		if (o->n == OPT_MAX) {
			fprintf(stderr, "nicsim: more than %d options in \"%s\"\n",
				OPT_MAX, text);
			goto fail;
		}
		if (eq)
			*eq++ = '\0';
		o->o[o->n].key = word;
		o->o[o->n++].val = eq;
	}
	return o;
fail:
	opt_free(o);
	return NULL;
}

const char *opt_unused(const struct optset *o)
{
	u32 i;

	for (i = 0; i < o->n; i++)
		if (!o->o[i].used)
			return o->o[i].key;
	return NULL;
}

/* The last one given wins; @val NULL means a key alone. */
static bool find(struct optset *o, const char *key, const char **val)
{
	bool found = false;
	u32 i;

	for (i = 0; i < o->n; i++) {
		if (strcmp(o->o[i].key, key))
			continue;
		o->o[i].used = true;
		*val = o->o[i].val;
		found = true;
	}
	return found;
}

static int bad(const char *key, const char *val, const char *want)
{
	fprintf(stderr, "nicsim: option %s=%s: must be %s\n", key,
		val ? val : "", want);
	return -EINVAL;
}

int opt_u64(struct optset *o, const char *key, u64 *val, u64 min, u64 max)
{
	const char *text = NULL;
	char want[64], *end;
	u64 v;

	if (!find(o, key, &text))
		return 0;
	snprintf(want, sizeof(want), "a number from %llu to %llu",
		 (unsigned long long)min, (unsigned long long)max);
	if (!text || !*text || *text == '-')
		return bad(key, text, want);
	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || *end || v < min || v > max)
		return bad(key, text, want);
	*val = v;
	return 0;
}

int opt_u32(struct optset *o, const char *key, u32 *val, u32 min, u32 max)
{
	u64 v = *val;
	int err = opt_u64(o, key, &v, min, max);

	if (!err)
		*val = (u32)v;
	return err;
}

int opt_s64(struct optset *o, const char *key, s64 *val, s64 min, s64 max)
{
	const char *text = NULL;
	char want[64], *end;
	s64 v;

	if (!find(o, key, &text))
		return 0;
	snprintf(want, sizeof(want), "a number from %lld to %lld",
		 (long long)min, (long long)max);
	if (!text || !*text)
		return bad(key, text, want);
	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno || *end || v < min || v > max)
		return bad(key, text, want);
	*val = v;
	return 0;
}

int opt_bool(struct optset *o, const char *key, bool *val)
{
	const char *text = NULL;

	if (!find(o, key, &text))
		return 0;
	if (!text || !strcmp(text, "on") || !strcmp(text, "1"))
		*val = true;
	else if (!strcmp(text, "off") || !strcmp(text, "0"))
		*val = false;
	else
		return bad(key, text, "on or off");
	return 0;
}

int opt_str(struct optset *o, const char *key, const char **val)
{
	const char *text = NULL;

	if (!find(o, key, &text))
		return 0;
	if (!text || !*text)
		return bad(key, text, "given a value");
	*val = text;
	return 0;
}

int opt_enum(struct optset *o, const char *key, u32 *val,
	     const char *const *names)
{
	char want[256] = "one of";
	const char *text = NULL;
	u32 i;

	if (!find(o, key, &text))
		return 0;
	for (i = 0; names[i]; i++) {
		size_t len = strlen(want);

		if (text && !strcmp(text, names[i])) {
			*val = i;
			return 0;
		}
		snprintf(want + len, sizeof(want) - len, " %s", names[i]);
	}
	return bad(key, text, want);
}
