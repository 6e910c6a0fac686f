// SPDX-License-Identifier: GPL-2.0
/* Clients that come, go, die and crowd. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/client.h"

static const char *const args[] = { "--nic", "demo,ports=2", NULL };
static struct sim sim;

static u32 open_fds(void)
{
	char cmd[64], line[64] = "";
	FILE *f;

	snprintf(cmd, sizeof(cmd), "ls /proc/%d/fd | wc -l", sim.pid);
	f = popen(cmd, "r");
	if (!f || !fgets(line, sizeof(line), f))
		tap_bail("popen: %m");
	pclose(f);
	return (u32)atoi(line);
}

static void session(u64 seq)
{
	struct client a, b;

	client_open_mem(&b, &sim, "b", 0, 4 << 20);
	client_open_mem(&a, &sim, "a", 0, 4 << 20);
	demo_start(&b);
	demo_start(&a);
	demo_post(&a, 0, 0, 200, seq, 0, 0);
	demo_tail(&a, false, 0, 1);
	if (!demo_wait(&b, true, 0, 0, 10000))
		tap_ok(false, "frame %llu arrives", (unsigned long long)seq);
	client_close(&a);
	client_close(&b);
}

static void again(void)
{
	unsigned long i, n = tap_rounds(1000);
	u32 fds;
	char line[512];

	session(1);
	poll(NULL, 0, 50);
	fds = open_fds();
	for (i = 1; i < n; i++)
		session(i + 1);
	for (i = 0; i < 100 && open_fds() > fds; i++)
		poll(NULL, 0, 20);
	tap_ok(open_fds() <= fds, "no descriptor leaks in %lu sessions", n);
	tap_ok(truth_line(&sim, (u32)n - 1, line, sizeof(line)),
	       "each session's frame is in the truth log");
}

static void state(void)
{
	static const u8 zero[32];
	struct client c;
	u64 val;
	int i;

	client_open_mem(&c, &sim, "a", 0, 4 << 20);
	demo_start(&c);
	wr32(&c, DEMO_SCRATCH, 42);
	tap_is(rd32(&c, DEMO_SCRATCH), 42, "a register is set");
	client_close(&c);
	client_open(&c, &sim, "a");
	tap_is(rd32(&c, DEMO_SCRATCH), 0x5a5a5a5a, "the next client finds a reset NIC");
	client_read(&c, 7, 4, 2, &val);
	tap_is((long long)val, 0, "with bus mastering off");
	tap_is(client_map(&c, 0, 4096, 0, VFU_MAP_READ, -1), 0,
	       "and no memory mapped");
	/* Half a message, then gone. */
	for (i = 0; i < 40; i++) {
		client_msg(&c, VFU_DMA_MAP, 0, 48, zero, (u32)i % 32, NULL, 0);
		client_close(&c);
		client_open(&c, &sim, "a");
	}
	tap_is(rd32(&c, DEMO_ID), DEMO_MAGIC, "clients that leave in mid-message");
	client_close(&c);
}

static void crowd(void)
{
	struct client c, other = { .memfd = -1 };

	client_open(&c, &sim, "a");
	other.fd = client_connect_raw(&sim, "a");
	tap_ok(client_closed(&other, 5000), "a second client is turned away");
	tap_is(rd32(&c, DEMO_ID), DEMO_MAGIC, "the first doesn't notice");
	client_close(&other);
	client_close(&c);
}

static void killed(void)
{
	struct client c;
	int status, pid = fork();

	if (!pid) {
		/* As QEMU dies: memory mapped, interrupts set, frames under way. */
		int fd = eventfd(0, 0);
		u32 i;

		client_open_mem(&c, &sim, "a", 0, 4 << 20);
		demo_start(&c);
		client_irqs(&c, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1,
			    VFIO_IRQ_SET_DATA_EVENTFD |
			    VFIO_IRQ_SET_ACTION_TRIGGER, &fd, 1);
		for (i = 0; i < 60; i++)
			demo_post(&c, 0, i, 1514, i, DEMO_F_LAUNCH,
				  demo_time(&c) + 1000000000);
		demo_tail(&c, false, 0, 60);
		rd32(&c, DEMO_ID);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	tap_ok(WIFSIGNALED(status), "a client is killed with 60 frames pending");
	client_open_mem(&c, &sim, "a", 0, 4 << 20);
	demo_start(&c);
	demo_post(&c, 0, 0, 64, 1, 0, 0);
	demo_tail(&c, false, 0, 1);
	tap_ok(demo_wait(&c, false, 0, 0, 10000), "the next one sends at once");
	client_close(&c);
}

static void second_sim(void)
{
	char cmd[4400];

	snprintf(cmd, sizeof(cmd),
		 "%s --dir %s --nic demo 2>&1 | grep -q 'in use by another'",
		 sim_binary(), sim.dir);
	tap_is(system(cmd), 0,
	       "a second nicsim in the same folder says what is wrong");
	tap_ok(sim_alive(&sim), "and leaves the first alone");
}

int main(void)
{
	int status;

	sim_start(&sim, args);
	again();
	state();
	crowd();
	killed();
	second_sim();
	/* A killed nicsim leaves sockets; the next one starts over them. */
	kill(sim.pid, SIGKILL);
	waitpid(sim.pid, &status, 0);
	sim_start(&sim, args);
	session(1);
	tap_ok(sim_alive(&sim), "restart after SIGKILL in the same folder");
	sim_stop(&sim);
	return tap_done();
}
