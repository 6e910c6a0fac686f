// SPDX-License-Identifier: GPL-2.0
/*
 * ptp4l brings the clock of port B to that of port A, by stamps of the socket
 * path in both directions.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic.h"

static pid_t start(const char *log, bool peer)
{
	char cmd[512];
	pid_t pid;

	/* Rounds are short so that a test is: 8 a second, step rather than slew. */
	snprintf(cmd, sizeof(cmd),
		 "exec %s ptp4l -i %s -2 -E -m --logSyncInterval=-3 --logMinDelayReqInterval=-3 --logAnnounceInterval=-1 --tx_timestamp_timeout=5000 --sanity_freq_limit=0 --step_threshold=%s --first_step_threshold=0.00002 --priority1=%d >%s 2>&1",
		 peer ? "ip netns exec peer" : "", peer ? nic_peer : nic_if,
		 nic->step_by_set ? "0" : "0.00002", peer ? 200 : 100, log);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", cmd, NULL);
		_exit(127);
	}
	return pid;
}

/* The offset that the last servo line of the log reports; false: none yet. */
static bool last_offset(const char *log, long *offset, unsigned int *lines, unsigned int *faults)
{
	FILE *f = fopen(log, "re");
	char line[256];
	bool any = false;

	*lines = *faults = 0;
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		char *p = strstr(line, "master offset ");

		*faults += !!strstr(line, "FAULT");
		if (!p)
			continue;
		*offset = strtol(p + 14, NULL, 10);
		*lines += !!strstr(p, " s2 ");
		any = true;
	}
	fclose(f);
	return any;
}

int main(void)
{
	unsigned int lines = 0, faults, faults_a, calm = 0;
	long offset = 0, worst = 0;
	pid_t a, b;

	nic_init();
	a = start("/tmp/ptp4l.a", false);
	b = start("/tmp/ptp4l.b", true);
	for (int i = 0; i < 600 && calm < 20; i++) {
		unsigned int before = lines;

		usleep(100000);
		if (!last_offset("/tmp/ptp4l.b", &offset, &lines, &faults) || lines == before)
			continue;
		calm = labs(offset) < 1000 ? calm + 1 : 0;
		if (!calm)
			worst = 0;
		else if (labs(offset) > worst)
			worst = labs(offset);
	}
	kill(a, SIGTERM);
	kill(b, SIGTERM);
	waitpid(a, NULL, 0);
	waitpid(b, NULL, 0);
	last_offset("/tmp/ptp4l.a", &offset, &lines, &faults_a);
	last_offset("/tmp/ptp4l.b", &offset, &lines, &faults);
	if (!tap_ok(calm >= 20, "the offset stays below 1 us"))
		nic_sh("tail -n 15 /tmp/ptp4l.a /tmp/ptp4l.b");
	tap_diag("worst offset of the last %u rounds: %ld ns", calm, worst);
	tap_is(faults + faults_a, 0, "no port had a fault");
	return tap_done();
}
