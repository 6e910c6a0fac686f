// SPDX-License-Identifier: GPL-2.0
/*
 * The topics that judge the model notice what is planted in it: a checksum off
 * by one, a stamp off by one, a frame that never leaves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic.h"

/* Runs a topic of this folder, returns its exit status. */
static int topic(const char *name)
{
	char dir[256], cmd[512];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);

	if (n < 0)
		tap_bail("/proc/self/exe can't be read");
	dir[n] = 0;
	*strrchr(dir, '/') = 0;
	snprintf(cmd, sizeof(cmd), "ROUNDS=0.05 %s/%s >/tmp/planted.out 2>&1", dir, name);
	fflush(stdout);
	return system(cmd);
}

static void plant(const char *name, const char *fault)
{
	int status;

	nic_ctl("%s", fault);
	status = topic(name);
	nic_ctl("clear a");
	tap_ok(status, "%s fails with \"%s\"", name, fault);
	if (status)
		nic_sh("grep '^not ok' /tmp/planted.out | head -n 3 | sed 's/^/  /'");
	status = topic(name);
	if (!tap_ok(!status, "%s passes without", name))
		nic_sh("grep -A3 '^not ok' /tmp/planted.out");
}

int main(void)
{
	nic_init();
	plant("skbcsum", "fault a csum-bad skip=2 count=1");
	plant("skbstamp", "fault a stamp-off skip=5 count=1 arg=1");
	plant("zerocopy", "fault a tx-drop skip=30 count=1");
	return tap_done();
}
