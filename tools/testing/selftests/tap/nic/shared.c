// SPDX-License-Identifier: GPL-2.0
/*
 * The ring that a zero-copy socket shares: with the interface, which may go down
 * and come up, and with frames that are redirected to it on another CPU than the
 * one that its interrupt runs on.
 */
#include <arpa/inet.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "md.h"

static uint64_t seq = 90000000;

/*
 * @n frames through the socket: on the wire and completed, each once. @beside: who
 * sends as well, until they are through; 0: nobody.
 */
static void once(struct md_sock *m, size_t n, pid_t beside, const char *when)
{
	struct md_frame *f = md_frames(n, seq);
	size_t done, single = 0, left = 0, all;
	const struct truth *t;

	truth_mark();
	done = md_run(m, f, n, 64, 10000);
	if (beside) {
		kill(beside, SIGKILL);
		waitpid(beside, NULL, 0);
	}
	tap_is(done, n, "%s: all complete", when);
	truth_wait("a", seq, done, 5000);
	t = truth_all(&all);
	for (size_t i = 0; i < all; i++)
		left += t[i].seq != TRUTH_NONE && t[i].seq - seq < n && !strcmp(t[i].port, "a");
	for (size_t i = 0; i < n; i++)
		single += f[i].completions == 1;
	tap_is(single, n, "%s: once each", when);
	tap_is(left, n, "%s: each leaves once", when);
	tap_is(m->strays, 0, "%s: no address comes back that was not sent", when);
	seq += n;
	free(f);
}

static void down_up(void)
{
	struct md_sock m;
	int xdp = nic_xdp_pass(nic_if);

	nic_wait_carrier(5000);
	if (md_open(&m, 0, 256, 0, 0))
		tap_bail("no zero-copy socket");
	once(&m, 100, 0, "before ifdown");
	for (int i = 0; i < 3; i++) {
		nic_sh("ip link set %1$s down && ip link set %1$s up", nic_if);
		nic_wait_carrier(10000);
		once(&m, 100, 0, "after ifdown and ifup");
	}
	md_close(&m);
	close(xdp);
	tap_ok(nic_works(), "... and the stack still sends");
}

static void pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		tap_bail("no CPU %d", cpu);
}

/* UDP in bursts to a veth pair, on CPU 0, which redirects it. */
static pid_t redirected(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	pid_t pid;
	int s;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	pin(0, 0);
	inet_pton(AF_INET, "198.51.100.2", &to.sin_addr);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	for (;;) {
		for (int i = 0; i < 16; i++)
			sendto(s, "redirected", 10, MSG_DONTWAIT, (void *)&to, sizeof(to));
		usleep(100);
	}
}

static void two_cpus(void)
{
	unsigned long n = tap_rounds(200000);
	uint64_t others;
	struct md_sock m;
	int xdp, veth;
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		tap_diag("one CPU: nobody to race with");
		return;
	}
	nic_sh("ip link add md0 type veth peer name md1 && ip link set md0 up && ip link set md1 up && ip addr add 198.51.100.1/24 dev md1 && ip neigh replace 198.51.100.2 lladdr 02:00:00:00:00:02 dev md1");
	veth = nic_xdp_redirect("md0", nic_if);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	/* Queue 0, whose ring redirected frames of CPU 0 take, interrupts CPU 1. */
	tap_ok(!nic_sh("n=0; for i in $(sed -n 's/^ *\\([0-9]*\\):.*%s-%s-TxRx-0$/\\1/p' /proc/interrupts); do echo 1 >/proc/irq/$i/smp_affinity_list && n=1; done; [ $n = 1 ]",
		       nic->driver, nic_if), "queue 0 interrupts CPU 1");
	if (md_open(&m, 0, 256, 0, 0))
		tap_bail("no zero-copy socket");
	pin(0, 1);
	pid = redirected();
	others = nic_model_stat("a", "tx_frames");
	for (int i = 0; i < 100 && nic_model_stat("a", "tx_frames") < others + 20; i++)
		usleep(50000);
	others = nic_model_stat("a", "tx_frames");
	once(&m, n, pid, "beside frames redirected on another CPU");
	others = nic_model_stat("a", "tx_frames") - others - n;
	tap_ok(others > 100, "... and %llu frames of theirs left", (unsigned long long)others);
	md_close(&m);
	close(veth);
	close(xdp);
	nic_sh("ip link del md0");
	tap_ok(nic_works(), "... and the stack still sends");
}

int main(void)
{
	nic_init();
	down_up();
	/* There the CPU's number picks the ring, and nothing but that. */
	if (!strcmp(nic->name, "i40e"))
		two_cpus();
	return tap_done();
}
