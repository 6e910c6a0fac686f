// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic.h"
#include "ptp.h"

static pid_t start(const char *log, bool peer)
{
	char cmd[640];
	pid_t pid;

	/* Rounds are short so that a test is: 8 a second, step rather than slew. */
	snprintf(cmd, sizeof(cmd),
		 "exec %s ptp4l -i %s -2 -E -m --logSyncInterval=-3 --logMinDelayReqInterval=-3 --logAnnounceInterval=-1 --summary_interval=-8 --tx_timestamp_timeout=5000 --sanity_freq_limit=0 --step_threshold=%s --first_step_threshold=0.00002 --priority1=%d --uds_address=%s.uds >%s 2>&1",
		 peer ? "ip netns exec peer" : "", peer ? nic_peer : nic_if,
		 nic->step_by_set ? "0" : "0.00002", peer ? 200 : 100, log, log);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", cmd, NULL);
		_exit(127);
	}
	return pid;
}

/* More than drivers, which set their clocks at probe, leave between the two. */
#define WRONG_NS 30000000
#define DRIFT_PPB -20000

struct servo {
	/* ns, ns, ppb, of the first and last line; freq is what the clock lacks */
	long first, offset, freq;
	unsigned int lines, faults;
};

/* What the log's servo lines say; false: none yet. */
static bool read_log(const char *log, struct servo *s)
{
	FILE *f = fopen(log, "re");
	char line[256];
	char *p;

	memset(s, 0, sizeof(*s));
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		/* Not the servo's SYNCHRONIZATION_FAULT: a jump of the clock. */
		s->faults += !!strstr(line, "FAULT_DETECTED");
		p = strstr(line, "master offset ");
		if (!p)
			continue;
		s->offset = strtol(p + 14, NULL, 10);
		if (!s->lines++)
			s->first = s->offset;
		p = strstr(p, "freq ");
		if (p)
			s->freq = strtol(p + 5, NULL, 10);
	}
	fclose(f);
	return s->lines;
}

void ptp4l_converges(const char *what)
{
	struct servo sa, sb = { 0 };
	unsigned int calm = 0;
	long worst = 0;
	pid_t a, b;

	nic_ctl("clock b adjust %d", WRONG_NS);
	nic_ctl("clock b drift %d", DRIFT_PPB);
	a = start("/tmp/ptp4l.a", false);
	b = start("/tmp/ptp4l.b", true);
	for (int i = 0; i < 600 && calm < 20; i++) {
		unsigned int before = sb.lines;

		usleep(100000);
		if (!read_log("/tmp/ptp4l.b", &sb) || sb.lines == before)
			continue;
		calm = labs(sb.offset) < 1000 ? calm + 1 : 0;
		if (!calm)
			worst = 0;
		else if (labs(sb.offset) > worst)
			worst = labs(sb.offset);
	}
	/* Before they end: one that waits for a stamp then calls the signal a fault. */
	read_log("/tmp/ptp4l.a", &sa);
	read_log("/tmp/ptp4l.b", &sb);
	kill(a, SIGTERM);
	kill(b, SIGTERM);
	waitpid(a, NULL, 0);
	waitpid(b, NULL, 0);
	nic_ctl("clock b drift 0");
	tap_ok(labs(sb.first) > WRONG_NS / 2, "%s: the clocks differ at first", what);
	if (!tap_ok(calm >= 20, "%s: the offset stays below 1 us", what))
		nic_sh("tail -n 15 /tmp/ptp4l.a /tmp/ptp4l.b");
	tap_diag("%s: worst offset of the last %u rounds: %ld ns", what, calm, worst);
	tap_ok(labs(sb.freq - DRIFT_PPB) < 1000, "%s: the servo found the oscillator's drift", what);
	tap_diag("%s: first offset %ld ns, at last %ld ns, %ld ppb", what, sb.first, sb.offset, sb.freq);
	if (!tap_is(sa.faults + sb.faults, 0, "%s: no port had a fault", what))
		nic_sh("grep -B5 FAULT_DETECTED /tmp/ptp4l.a /tmp/ptp4l.b");
}
