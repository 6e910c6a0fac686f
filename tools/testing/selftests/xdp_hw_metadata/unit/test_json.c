// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../json.h"
#include "tap.h"

static char *buf;
static size_t len;

static bool wrote(struct json *j, const char *want)
{
	bool same;

	fclose(j->f);
	same = !strcmp(buf, want);
	if (!same)
		tap_diag("got %s", buf);
	free(buf);
	return same;
}

static struct json start(bool compact)
{
	return (struct json){ .f = open_memstream(&buf, &len), .compact = compact };
}

int main(void)
{
	struct json j = start(true);

	json_open(&j, NULL, '{');
	json_u64(&j, "a", ~0ULL);
	json_s64(&j, "b", -1);
	json_null(&j, "c");
	json_bool(&j, "d", true);
	json_str(&j, "e", NULL);
	json_open(&j, "f", '[');
	json_u64(&j, NULL, 1);
	json_u64(&j, NULL, 2);
	json_close(&j, ']');
	json_open(&j, "g", '{');
	json_close(&j, '}');
	json_close(&j, '}');
	tap_ok(wrote(&j, "{\"a\": 18446744073709551615, \"b\": -1, \"c\": null, \"d\": true, \"e\": null, \"f\": [1, 2], \"g\": {}}\n"),
	       "a compact object");

	j = start(false);
	json_open(&j, NULL, '{');
	json_u64(&j, "schema", 1);
	json_open(&j, "x", '{');
	json_u64(&j, "y", 2);
	json_close(&j, '}');
	json_close(&j, '}');
	tap_ok(wrote(&j, "{\n\t\"schema\": 1,\n\t\"x\": {\n\t\t\"y\": 2\n\t}\n}\n"), "indented");

	j = start(true);
	json_open(&j, NULL, '[');
	json_str(&j, NULL, "a\"b\\c\n\x01\x7f");
	json_str(&j, NULL, "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
	json_str(&j, NULL, "\xff|\xc3|\xe2\x82|\xc0\x80|\xf5");
	json_close(&j, ']');
	tap_ok(wrote(&j, "[\"a\\\"b\\\\c\\u000a\\u0001\\u007f\", \"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\", \"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd|\\ufffd\"]\n"),
	       "escapes, UTF-8 and what is none");

	j = start(true);
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	tap_ok(wrote(&j, "{}\n{}\n"), "one after the other: lines");
	return tap_done();
}
