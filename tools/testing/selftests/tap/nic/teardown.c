// SPDX-License-Identifier: GPL-2.0
/*
 * The queue goes away under requests in flight: kill -9, ifdown, a change of the
 * channels, XDP detach, unbind, the driver's own reset. Nothing is written after
 * the UMEM is gone (KASAN and the kernel log decide), the link works afterwards,
 * each takes less than five seconds, and the counters add up.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "md.h"

#define RING 64
#define LIMIT_NS 5000000000ULL

static int sock;
/* When what a round measures began and ended, if that is not all of it. */
static uint64_t act_start, act_end;

/* A child that keeps the queue full of requests until it is killed. */
static pid_t flood(void)
{
	int ready[2];
	pid_t pid;
	char c;

	if (pipe(ready))
		tap_bail("pipe");
	fflush(NULL);
	pid = fork();
	if (!pid) {
		struct md_frame *f = md_frames(RING, 60000000);
		struct md_sock m;
		unsigned int xdp = nic_xdp_pass(nic_if);

		close(ready[0]);
		nic_wait_carrier(5000);
		if (md_open(&m, 0, RING, MD_LEN, 0))
			_exit(1);
		for (unsigned int i = 0; ; i++) {
			struct md_frame *next = &f[i % RING];

			next->option = true;
			next->flags = XDP_TXMD_FLAGS_TIMESTAMP | XDP_TXMD_FLAGS_CHECKSUM;
			next->finish = false;
			md_put(&m, next);
			if (i % 16 == 15)
				uxsk_kick(&m.x);
			md_reap(&m);
			if (i == RING && write(ready[1], &xdp, 1) != 1)
				_exit(1);
		}
	}
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		tap_bail("the sender did not start");
	}
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void killed(pid_t pid)
{
	end(pid);
}

static void ifdown(pid_t pid)
{
	nic_sh("ip link set %s down", nic_if);
	nic_sh("ip link set %s up", nic_if);
	end(pid);
}

static void channels(pid_t pid)
{
	/* Drivers refuse while a socket holds a queue that would go. */
	nic_sh(nic->combined ? "ethtool -L %1$s combined %2$u" : "ethtool -L %1$s rx %2$u tx %2$u",
	       nic_if, nic->queues / 2);
	nic_sh(nic->combined ? "ethtool -L %1$s combined %2$u" : "ethtool -L %1$s rx %2$u tx %2$u",
	       nic_if, nic->queues);
	end(pid);
}

static void detach(pid_t pid)
{
	nic_sh("bpftool link list | sed -n 's/^\\([0-9]*\\): xdp.*/\\1/p' | while read id; do bpftool link detach id $id; done");
	end(pid);
}

static void unbind(pid_t pid)
{
	nic_unbind();
	/* What follows is the probe of a new device, with a scan of the MDIO bus. */
	act_end = uxsk_now_ns();
	nic_bind();
	end(pid);
}

static void wait_reset(unsigned int index)
{
	static unsigned int n;

	if (!nic->reset_probes) {
		/* Before the driver knows of it, in the middle of what it does, afterwards. */
		usleep(n++ % 10 * 10000);
		return;
	}
	/* The driver looks at the NIC's health now and then. */
	for (int i = 0; i < 20000 && if_nametoindex(nic_if) == index; i++)
		usleep(1000);
	act_end = uxsk_now_ns();
	nic_probed();
}

static void reset(pid_t pid)
{
	unsigned int index = if_nametoindex(nic_if);

	nic_ctl("reset a");
	wait_reset(index);
	end(pid);
}

/* Before the driver knows, too: socket and XDP program go from a NIC that is lost. */
static void reset_and_killed(pid_t pid)
{
	unsigned int index = if_nametoindex(nic_if);

	nic_ctl("reset a");
	end(pid);
	wait_reset(index);
}

/* A bus error: the driver starts the queue anew. */
static void bus_error(pid_t pid)
{
	nic_ctl("model a bus-error 0");
	usleep(100000);
	end(pid);
}

/* Timeouts of the transmit watchdog so far. */
static unsigned long timeouts(void)
{
	unsigned long sum = 0;
	char path[96], buf[32];

	for (unsigned int q = 0; q < nic->queues; q++) {
		FILE *f;

		snprintf(path, sizeof(path), "/sys/class/net/%s/queues/tx-%u/tx_timeout", nic_if, q);
		f = fopen(path, "re");
		if (f && fgets(buf, sizeof(buf), f))
			sum += strtoul(buf, NULL, 10);
		if (f)
			fclose(f);
	}
	return sum;
}

/* The driver's own reset, after its queues have stood still for a while. */
static void watchdog(pid_t pid)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	unsigned long before = timeouts();
	static char buf[1400];

	inet_pton(AF_INET, "192.0.2.2", &to.sin_addr);
	nic_ctl("fault a hang");
	for (int i = 0; i < 300 && timeouts() == before; i++) {
		for (int k = 0; k < 20; k++)
			sendto(sock, buf, sizeof(buf), MSG_DONTWAIT, (void *)&to, sizeof(to));
		usleep(100000);
	}
	if (timeouts() == before)
		tap_bail("the transmit watchdog sleeps");
	/* What it takes from here on counts. */
	act_start = uxsk_now_ns();
	nic_ctl("clear a");
	end(pid);
}

static void rounds(const char *what, void (*act)(pid_t), unsigned long n, bool keeps_counters)
{
	uint64_t worst = 0, sum = 0;
	unsigned long good = 0;
	struct md_stats before;

	md_stats(&before);
	for (unsigned long i = 0; i < n; i++) {
		pid_t pid = flood();
		uint64_t took;

		nic_hwtstamp(sock, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
		/* Some rounds at once, some in full swing. */
		usleep(i % 5 * 3000);
		act_end = 0;
		act_start = uxsk_now_ns();
		act(pid);
		took = (act_end ?: uxsk_now_ns()) - act_start;
		sum += took;
		if (took > worst)
			worst = took;
		good += nic_works();
	}
	tap_is(good, n, "%s, %lu rounds: the link works after each", what, n);
	tap_ok(worst < LIMIT_NS, "%s: below 5 s each", what);
	tap_diag("%s: at most %llu ms, on average %llu ms", what,
		 (unsigned long long)worst / 1000000, (unsigned long long)sum / n / 1000000);
	if (keeps_counters)
		md_sum_holds(&before, what);
}

int main(void)
{
	unsigned long n = tap_rounds(200);

	md_init();
	if (n < 3)
		n = 3;
	sock = socket(AF_INET, SOCK_DGRAM, 0);

	rounds("kill -9", killed, n, true);
	rounds("ifdown", ifdown, n, true);
	rounds("ethtool -L", channels, n, true);
	rounds("XDP detach", detach, n, true);
	/* Else the second of two within a minute is the driver's end. */
	if (nic->reset_probes)
		nic_sh("devlink health set pci/%s reporter fw_fatal grace_period 0",
		       nic_slot());
	rounds("the NIC's reset", reset, n, !nic->reset_probes);
	if (nic->reset_probes)
		rounds("the NIC's reset and kill -9", reset_and_killed, (n + 1) / 2, false);
	if (!strcmp(nic->name, "stmmac")) {
		rounds("bus error", bus_error, n, true);
		/* Each takes the watchdog's ten seconds. */
		rounds("the driver's reset", watchdog, (n + 9) / 10, true);
	}
	rounds("unbind", unbind, n, false);
	return tap_done();
}
