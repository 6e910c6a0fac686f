// SPDX-License-Identifier: GPL-2.0
/*
 * Turns the output of a group's topics, each TAP 13 of its own, into one TAP
 * stream: tests are renumbered, named "GROUP/TOPIC: description", and each topic
 * ends with a test of its own that fails when the topic's plan, numbering or exit
 * status is wrong. What is not TAP becomes a comment.
 *
 *   tapmerge GROUP MARK COUNT WHY < output > tap
 *
 * topics.sh frames each topic, and group.sh the whole, by lines that begin with
 * MARK, which no topic can know:
 *   MARK start TOPIC
 *   MARK end TOPIC STATUS SECONDS		STATUS "timeout": had to be killed
 *   MARK done STATUS			STATUS of vm.sh, 0 on the host
 * COUNT topics are expected. If the machine went away before the last of them
 * ended, the stream closes with "Bail out!" and the last "vm: " line of the file
 * WHY. Progress and failures go to stderr.
 *
 * Exit status: 0 if all is well, 1 if a test failed, 255 after "Bail out!".
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topic {
	char name[128];
	bool open;
	bool planned, bailed, disordered, replanned;
	bool failing;		/* the last test failed: comments explain it */
	bool yaml;
	long plan, count, failed;
	char skip[200];		/* reason of a "1..0 # SKIP" */
};

static const char *group;
static struct topic t;
static long total, failures, topics_ended, topics_expected;

/* No control character may reach the terminal or split a line. */
static void put_clean(FILE *f, const char *s)
{
	for (; *s; s++) {
		unsigned char c = *s;

		if (c == '\t' || (c >= 0x20 && c != 0x7f))
			fputc(c, f);
		else
			fprintf(f, "\\x%02x", c);
	}
}

static void put_line(FILE *f, const char *prefix, const char *text)
{
	fputs(prefix, f);
	put_clean(f, text);
	fputc('\n', f);
}

static void comment(const char *prefix, const char *text)
{
	put_line(stdout, prefix, text);
	if (t.failing)
		put_line(stderr, prefix, text);
}

static void __attribute__((format(printf, 2, 3))) point(bool ok, const char *fmt, ...)
{
	char what[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	printf("%s %ld - ", ok ? "ok" : "not ok", ++total);
	put_line(stdout, "", what);
	if (!ok) {
		failures++;
		put_line(stderr, "not ok - ", what);
	}
}

/* Has the description a directive of this name, as in "# SKIP reason"? */
static bool directive(const char *desc, const char *name)
{
	const char *hash = strchr(desc, '#');

	if (!hash)
		return false;
	hash++;
	while (*hash == ' ')
		hash++;
	return !strncasecmp(hash, name, strlen(name));
}

static void test_line(bool ok, char *rest)
{
	bool counts = !ok;
	long number;
	char *end;

	while (*rest == ' ')
		rest++;
	number = strtol(rest, &end, 10);
	t.count++;
	if (end != rest && number != t.count)
		t.disordered = true;
	while (*end == ' ')
		end++;
	if (*end == '-' && (end[1] == ' ' || !end[1]))
		end++;
	while (*end == ' ')
		end++;
	if (directive(end, "TODO"))
		counts = false;
	printf("%s %ld - %s/%s: ", ok ? "ok" : "not ok", ++total, group, t.name);
	put_line(stdout, "", end);
	t.failing = counts;
	if (counts) {
		t.failed++;
		failures++;
		fprintf(stderr, "not ok - %s/%s: ", group, t.name);
		put_line(stderr, "", end);
	}
}

static bool plan_line(const char *line)
{
	char *end;
	long n;

	if (strncmp(line, "1..", 3) || !isdigit((unsigned char)line[3]))
		return false;
	n = strtol(line + 3, &end, 10);
	if (t.planned)
		t.replanned = true;
	t.planned = true;
	t.plan = n;
	if (!n && directive(end, "SKIP")) {
		const char *why = strchr(end, '#') + 1;

		while (*why == ' ')
			why++;
		why += strlen("SKIP");
		while (*why == ' ' || *why == ':')
			why++;
		snprintf(t.skip, sizeof(t.skip), "%s", *why ? why : "no reason given");
	}
	return true;
}

static bool is_test(const char *line, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(line, word, n) && (!line[n] || line[n] == ' ');
}

static void topic_line(char *line)
{
	if (t.yaml) {
		put_line(stdout, "", line);
		if (t.failing)
			put_line(stderr, "", line);
		t.yaml = strcmp(line, "  ...");
	} else if (!strcmp(line, "  ---") && t.count) {
		t.yaml = true;
		put_line(stdout, "", line);
	} else if (is_test(line, "ok")) {
		test_line(true, line + 2);
	} else if (is_test(line, "not ok")) {
		test_line(false, line + 6);
	} else if (!strncmp(line, "TAP version ", 12) || plan_line(line)) {
		/* the merged stream has its own */
	} else if (!strncmp(line, "Bail out!", 9)) {
		t.bailed = true;
		t.failing = true;
		comment("# ", line);
	} else if (line[0] == '#') {
		comment("", line);
	} else if (line[0]) {
		comment("# ", line);
	}
}

static void topic_end(const char *status, const char *seconds)
{
	char why[300] = "";

	if (t.yaml)
		puts("  ...");
	if (!strcmp(status, "timeout"))
		snprintf(why, sizeof(why), "timed out after %s s", seconds);
	else if (t.bailed)
		snprintf(why, sizeof(why), "bailed out, status %s", status);
	else if (!t.planned)
		snprintf(why, sizeof(why), "ended without a plan, status %s", status);
	else if (t.replanned)
		snprintf(why, sizeof(why), "has more than one plan");
	else if (t.plan != t.count)
		snprintf(why, sizeof(why), "planned %ld tests, ran %ld", t.plan, t.count);
	else if (!t.plan && !t.skip[0])
		snprintf(why, sizeof(why), "ran no test");
	else if (t.disordered)
		snprintf(why, sizeof(why), "numbers its tests wrongly");
	else if (t.failed)
		snprintf(why, sizeof(why), "%ld of %ld tests failed, status %s", t.failed,
			 t.count, status);
	else if (strcmp(status, "0"))
		snprintf(why, sizeof(why), "all tests passed, but its status is %s", status);

	topics_ended++;
	if (why[0])
		point(false, "%s/%s %s", group, t.name, why);
	else if (t.skip[0])
		point(true, "%s/%s # SKIP %s", group, t.name, t.skip);
	else
		point(true, "%s/%s", group, t.name);
	fprintf(stderr, "[%ld/%ld] %s/%s: %s, %ld tests, %s s\n", topics_ended, topics_expected,
		group, t.name, why[0] ? "FAILED" : t.skip[0] ? "skipped" : "ok", t.count, seconds);
	t.open = false;
}

/* The last line that vmrun or vm.sh had to say. */
static void find_reason(const char *path, char *why, size_t size)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t max = 0;

	while (f && getline(&line, &max, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "vm: ", 4) || !strncmp(line, "vm.sh: ", 7))
			snprintf(why, size, "%s", line);
	}
	free(line);
	if (f)
		fclose(f);
}

/* Returns the exit status. */
static int finish(const char *status, const char *reasons)
{
	char why[400] = "the machine ended and gave no reason";

	find_reason(reasons, why, sizeof(why));
	if (t.open || topics_ended != topics_expected || !status) {
		printf("Bail out! ");
		fprintf(stderr, "%s: Bail out! ", group);
		if (t.open) {
			printf("%s/%s: ", group, t.name);
			fprintf(stderr, "%s/%s: ", group, t.name);
		}
		put_line(stdout, "", why);
		put_line(stderr, "", why);
		return 255;
	}
	/* All topics ended: the machine's own verdict is one more test. */
	if (strcmp(status, "0"))
		point(false, "%s: %s", group, why);
	printf("1..%ld\n", total);
	return failures ? 1 : 0;
}

int main(int argc, char **argv)
{
	char *line = NULL, status[16], seconds[16], done[16];
	bool ended = false;
	size_t max = 0, mark;
	ssize_t n;

	if (argc != 5) {
		fprintf(stderr, "usage: tapmerge GROUP MARK COUNT WHY\n");
		return 2;
	}
	group = argv[1];
	mark = strlen(argv[2]);
	topics_expected = atol(argv[3]);
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("TAP version 13");
	while ((n = getline(&line, &max, stdin)) > 0) {
		/* A NUL would hide the rest of the line. */
		for (ssize_t i = 0; i < n; i++)
			if (!line[i])
				line[i] = '\1';
		line[strcspn(line, "\n")] = 0;
		if (n > 1 && line[n - 2] == '\r')
			line[n - 2] = 0;
		if (strncmp(line, argv[2], mark)) {
			if (t.open)
				topic_line(line);
			else if (line[0])
				put_line(stdout, "# ", line);
			continue;
		}
		if (sscanf(line + mark, " done %15s", done) == 1) {
			/* Not the end of file: a process left behind may hold it off. */
			ended = true;
			break;
		} else if (sscanf(line + mark, " end %*s %15s %15s", status, seconds) == 2) {
			topic_end(status, seconds);
		} else {
			memset(&t, 0, sizeof(t));
			if (sscanf(line + mark, " start %127s", t.name) == 1)
				t.open = true;
		}
	}
	free(line);
	return finish(ended ? done : NULL, argv[4]);
}
