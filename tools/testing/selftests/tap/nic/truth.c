// SPDX-License-Identifier: GPL-2.0
/* The truth log, as far as it grew since the last mark. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic.h"

static struct truth *recs;
static size_t count, room;
static long pos;

static FILE *open_log(void)
{
	FILE *f = fopen(getenv("TRUTH"), "re");

	if (!f)
		tap_bail("%s: %s", getenv("TRUTH"), strerror(errno));
	return f;
}

void truth_mark(void)
{
	FILE *f;

	nic_ctl("sync");
	f = open_log();
	if (fseek(f, 0, SEEK_END))
		tap_bail("truth log: %s", strerror(errno));
	pos = ftell(f);
	fclose(f);
	free(recs);
	recs = NULL;
	count = room = 0;
}

static uint64_t number(const char *line, const char *key)
{
	char quoted[24];
	const char *p;

	snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
	p = strstr(line, quoted);
	if (!p || !strncmp(p + strlen(quoted), "null", 4))
		return TRUTH_NONE;
	return strtoull(p + strlen(quoted), NULL, 10);
}

static void text(const char *line, const char *key, char *to, size_t size)
{
	char quoted[24];
	const char *p;
	size_t n;

	to[0] = 0;
	snprintf(quoted, sizeof(quoted), "\"%s\": \"", key);
	p = strstr(line, quoted);
	if (!p)
		return;
	p += strlen(quoted);
	n = strcspn(p, "\"");
	if (n >= size)
		n = size - 1;
	memcpy(to, p, n);
	to[n] = 0;
}

const struct truth *truth_read(size_t *n)
{
	char line[512];
	FILE *f;

	nic_ctl("sync");
	f = open_log();
	if (fseek(f, pos, SEEK_SET))
		tap_bail("truth log: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		struct truth *t;

		if (!strchr(line, '\n'))
			break;
		pos = ftell(f);
		if (count == room) {
			room = room ? 2 * room : 1024;
			recs = realloc(recs, room * sizeof(*recs));
			if (!recs)
				tap_bail("out of memory");
		}
		t = &recs[count++];
		text(line, "port", t->port, sizeof(t->port));
		text(line, "fault", t->fault, sizeof(t->fault));
		t->queue = number(line, "queue");
		t->desc = number(line, "desc");
		t->len = number(line, "len");
		t->crc32 = number(line, "crc32");
		t->req = number(line, "req");
		t->seq = number(line, "seq");
		t->egress_ns = number(line, "egress_ns");
		t->stamp_ns = number(line, "stamp_ns");
		t->launch_ns = number(line, "launch_ns");
		t->rx_ns = number(line, "rx_ns");
		t->cqe_ns = number(line, "cqe_ns");
	}
	fclose(f);
	if (n)
		*n = count;
	return recs;
}

const struct truth *truth_all(size_t *n)
{
	*n = count;
	return recs;
}

const struct truth *truth_find(const char *port, uint64_t seq)
{
	/* Frames are mostly looked up in the order in which they left. */
	static size_t hint;

	for (size_t i = 0; i < count; i++) {
		size_t at = (hint + i) % count;

		if (recs[at].seq == seq && !strcmp(recs[at].port, port)) {
			hint = at;
			return &recs[at];
		}
	}
	return NULL;
}

static size_t matching(const char *port, uint64_t first, size_t n)
{
	size_t hits = 0;

	for (size_t i = 0; i < count; i++)
		hits += recs[i].seq != TRUTH_NONE && recs[i].seq - first < n &&
			!strcmp(recs[i].port, port);
	return hits;
}

size_t truth_wait(const char *port, uint64_t first, size_t n, unsigned int ms)
{
	uint64_t end = uxsk_now_ns() + ms * 1000000ULL;
	size_t hits;

	for (;;) {
		truth_read(NULL);
		hits = matching(port, first, n);
		if (hits >= n || uxsk_now_ns() >= end)
			return hits;
		usleep(10000);
	}
}
