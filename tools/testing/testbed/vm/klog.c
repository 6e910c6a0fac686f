// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "klog.h"

static const char *const panics[] = { "Kernel panic - not syncing", NULL };

/*
 * lockdep, DMA-API, refcount and ODEBUG reports are all "WARNING: ". Texts that
 * are part of a normal run must not match: fault injection prints stack
 * traces, an OOM kill of a user process is that process's own affair.
 */
static const char *const splats[] = {
	"Kernel panic - not syncing",
	"BUG: ",
	"WARNING: ",
	"KASAN: ",
	"UBSAN: ",
	"Oops: ",
	"general protection fault",
	"kernel BUG at",
	"INFO: task ",
	"INFO: trying to register non-static key",
	"rcu: INFO: ",
	"suspicious RCU usage",
	"unregister_netdevice: waiting for",
	"init: unreferenced object",
	NULL
};

static bool find(const char *path, const char *const *what, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t max = 0;
	char *line = NULL;
	bool found = false;

	if (!f)
		return false;
	while (!found && getline(&line, &max, f) > 0) {
		for (int i = 0; what[i] && !found; i++)
			found = strstr(line, what[i]);
	}
	if (found) {
		char *text = strstr(line, "] ");

		text = line[0] == '[' && text ? text + 2 : line;
		text[strcspn(text, "\r\n")] = 0;
		snprintf(buf, size, "%s", text);
	}
	free(line);
	fclose(f);
	return found;
}

bool klog_find_panic(const char *path, char *buf, size_t size)
{
	return find(path, panics, buf, size);
}

bool klog_find_splat(const char *path, char *buf, size_t size)
{
	return find(path, splats, buf, size);
}
