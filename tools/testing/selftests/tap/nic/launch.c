// SPDX-License-Identifier: GPL-2.0
/*
 * Launch times in zero-copy mode: on a queue with the ETF offload a frame leaves
 * at its time, rounded down to what the NIC can do; past and now leave at once;
 * what lies beyond the horizon, and everything on other queues, leaves at once
 * and is counted as refused. Frames without a launch time leave as ever.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "md.h"
#include "ptp.h"

static unsigned int queue = 1;

static void series(struct md_sock *m, size_t n)
{
	struct md_frame *f = md_frames(n, 50000000);
	size_t exact = 0, stamp = 0;
	struct md_stats before;

	md_stats(&before);
	truth_mark();
	/* In parts that stay below the horizon and fit the ring. */
	for (size_t part = 0; part < n; part += 1000) {
		size_t k = n - part < 1000 ? n - part : 1000;
		uint64_t start = nic_phc_ns() + 600000000;

		for (size_t i = 0; i < k; i++) {
			f[part + i].option = true;
			f[part + i].flags = XDP_TXMD_FLAGS_TIMESTAMP | XDP_TXMD_FLAGS_LAUNCH_TIME;
			f[part + i].launch_ns = start + i * 100000;
		}
		md_run(m, f + part, k, 64 * 16, 5000);
	}
	truth_wait("a", 50000000, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", 50000000 + i);
		uint64_t want = f[i].launch_ns - f[i].launch_ns % 1000000000 % nic->launch_step;

		exact += t && t->launch_ns == want && t->egress_ns == want;
		if (t && t->egress_ns != want && i < 3)
			tap_diag("frame %zu: wanted %llu, launch %llu, left %lld ns later", i,
				 (unsigned long long)want, (unsigned long long)t->launch_ns,
				 (long long)(t->egress_ns - want));
		stamp += t && f[i].stamp == t->egress_ns;
	}
	tap_is(exact, n, "%zu frames 100 us apart: each leaves at its time", n);
	tap_is(stamp, n, "... and says so in its stamp");
	tap_is(md_since(&before).launch_ok, n, "... counted");
	md_sum_holds(&before, "launch times");
	free(f);
}

/* One frame with a launch time @ahead of now, or the time itself. */
static void one(struct md_sock *m, const char *what, int64_t ahead, bool absolute, bool waits,
		bool refused)
{
	static uint64_t seq = 51000000;
	struct md_frame *f = md_frames(1, seq);
	const struct truth *t = NULL;
	struct md_stats before, s;
	uint64_t before_ns = 0;

	f->option = true;
	f->flags = XDP_TXMD_FLAGS_LAUNCH_TIME | XDP_TXMD_FLAGS_TIMESTAMP;
	/* On a busy host we may be late ourselves; then try again. */
	for (int tries = 0; tries < 5; tries++) {
		f->spec.seq = ++seq;
		f->completions = 0;
		md_stats(&before);
		truth_mark();
		before_ns = nic_phc_ns();
		f->launch_ns = absolute ? (uint64_t)ahead : before_ns + ahead;
		md_run(m, f, 1, 1, 5000);
		truth_wait("a", seq, 1, 2000);
		t = truth_find("a", seq);
		s = md_since(&before);
		if (!waits || (t && t->egress_ns <= f->launch_ns))
			break;
	}
	if (!tap_ok(t && f->completions == 1, "%s: leaves", what))
		return;
	if (waits)
		tap_ok(t->egress_ns >= f->launch_ns - nic->launch_step &&
		       t->egress_ns <= f->launch_ns, "%s: at its time", what);
	else
		tap_ok(t->launch_ns == TRUTH_NONE, "%s: at once", what);
	tap_is(s.launch_refused, refused, "%s: launch_refused", what);
	tap_is(s.launch_ok, !refused, "%s: launch_ok", what);
	tap_is(f->stamp, t->egress_ns, "%s: true stamp", what);
	free(f);
}

/* The same in copy mode, where the driver has the time from the skb. */
static void copied(struct md_sock *m, const char *what, int64_t ahead, bool absolute, bool waits)
{
	static uint64_t seq = 54000000;
	struct md_frame *f = md_frames(1, seq);
	const struct truth *t = NULL;

	f->option = true;
	f->flags = XDP_TXMD_FLAGS_LAUNCH_TIME;
	for (int tries = 0; tries < 5; tries++) {
		f->spec.seq = ++seq;
		f->completions = 0;
		truth_mark();
		f->launch_ns = absolute ? (uint64_t)ahead : nic_phc_ns() + ahead;
		md_run(m, f, 1, 1, 5000);
		truth_wait("a", seq, 1, 2000);
		t = truth_find("a", seq);
		if (!waits || (t && t->launch_ns != TRUTH_NONE))
			break;
	}
	if (tap_ok(t && f->completions == 1, "copy mode, %s: leaves", what) && waits)
		tap_ok(t->egress_ns >= f->launch_ns - nic->launch_step &&
		       t->egress_ns <= f->launch_ns, "copy mode, %s: at its time", what);
	else if (t)
		tap_ok(t->launch_ns == TRUTH_NONE, "copy mode, %s: at once", what);
	free(f);
}

/* A frame of the stack that passes the queueing discipline by has no launch time. */
static void plain_skbs(unsigned int n)
{
	int s = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP)), one = 1, prio = 1;
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_ifindex = if_nametoindex(nic_if) };
	struct frame_spec spec = { .ip = 4, .payload = 40, .seq = 53000000 };
	size_t left = 0, here = 0;

	if (s < 0 || setsockopt(s, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) ||
	    setsockopt(s, SOL_SOCKET, SO_PRIORITY, &prio, sizeof(prio)))
		tap_bail("packet socket: %s", strerror(errno));
	frame_to_peer(&spec);
	truth_mark();
	for (unsigned int i = 0; i < n; i++, spec.seq++) {
		struct frame f;

		frame_build(&f, &spec);
		frame_finish(&f);
		if (sendto(s, f.data, f.len, 0, (void *)&to, sizeof(to)) < 0)
			tap_bail("sendto: %s", strerror(errno));
	}
	truth_wait("a", 53000000, n, 3000);
	for (unsigned int i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", 53000000 + i);

		left += t && t->launch_ns == TRUTH_NONE;
		here += t && t->queue == queue;
	}
	tap_is(left, n, "frames of the stack without a time leave at once");
	tap_is(here, n, "... on that queue");
	close(s);
}

/* Frames with a launch time, a few ms ahead, until killed. */
static pid_t launch_for_ever(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	for (struct md_sock m; ; ) {
		struct md_frame *f = md_frames(64, 54000000);

		if (md_open(&m, queue, 64, MD_LEN, 0))
			_exit(1);
		for (;;) {
			uint64_t start = nic_phc_ns() + 5000000;

			for (int i = 0; i < 16; i++) {
				f[i].option = true;
				f[i].flags = XDP_TXMD_FLAGS_LAUNCH_TIME;
				f[i].launch_ns = start + i * 100000;
			}
			md_run(&m, f, 16, 16, 1000);
			usleep(20000);
		}
	}
}

/* ptp4l on the queue itself: taprio gives each frame of the stack a time. */
static void with_ptp4l(void)
{
	size_t n, timed = 0;
	const struct truth *t;
	pid_t pid;

	nic_phc_to_tai();
	if (nic_sh("tc qdisc del dev %s root && tc qdisc replace dev %s root handle 200: taprio num_tc 2 map 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 queues 1@0 1@%u base-time 0 sched-entry S ff 1000000 clockid CLOCK_TAI flags 0x1 txtime-delay 100000000 && tc qdisc replace dev %s parent 200:%u etf clockid CLOCK_TAI delta 80000000 offload skip_sock_check",
		   nic_if, nic_if, queue, nic_if, queue + 1))
		tap_bail("no taprio over ETF on queue %u", queue);
	truth_mark();
	pid = launch_for_ever();
	ptp4l_converges("ptp4l on a queue with launch times");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	t = truth_read(&n);
	for (size_t i = 0; i < n; i++)
		timed += !strcmp(t[i].port, "a") && t[i].queue == queue &&
			 t[i].launch_ns != TRUTH_NONE && t[i].req & 1;
	tap_ok(timed > 20, "... whose frames had a launch time there (%zu that were stamped)", timed);
}

/* The offload is the queue's until tc takes it away. */
static void after_ifdown(int sock)
{
	struct md_sock m;

	nic_sh("ip link set %s down && ip link set %s up", nic_if, nic_if);
	nic_works();
	nic_hwtstamp(sock, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	if (md_open(&m, queue, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	one(&m, "after ifdown", 300000000, false, true, false);
	md_close(&m);
	nic_sh("tc qdisc del dev %s root", nic_if);
	if (md_open(&m, queue, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	one(&m, "without the offload", 300000000, false, false, true);
	md_close(&m);
}

int main(void)
{
	unsigned long n = tap_rounds(1000) < 100 ? 100 : tap_rounds(1000);
	struct md_frame *plain;
	struct md_sock m, other;
	size_t left = 0;
	int xdp, s;

	md_init();
	if (!nic->launch) {
		puts("TAP version 13\n1..0 # SKIP this NIC has no launch time");
		return 0;
	}
	nic_sh("ethtool -G %s tx %u", nic_if, nic->ring_max);
	/* The stack's frames go to queue 0, those of priority 1 to the one with ETF. */
	if (nic_sh("tc qdisc replace dev %s root handle 100: mqprio num_tc 3 map 0 1 2 2 2 2 2 2 2 2 2 2 2 2 2 2 queues 1@0 1@1 %u@2 hw 0 && tc qdisc replace dev %s parent 100:%u etf clockid CLOCK_TAI delta 500000 offload skip_sock_check",
		   nic_if, nic->queues - 2, nic_if, queue + 1))
		tap_bail("no ETF offload on queue %u", queue);
	s = socket(AF_INET, SOCK_DGRAM, 0);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	if (md_open(&m, queue, 1024, MD_LEN, 0) || md_open(&other, queue + 1, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");

	series(&m, n);
	one(&m, "past", -5000000, false, false, false);
	one(&m, "far past", -200000000000, false, false, false);
	one(&m, "0", 0, true, false, false);
	one(&m, "now", 0, false, false, false);
	one(&m, "in 300 ms", 300000000, false, true, false);
	one(&m, "just below the horizon", nic->launch_horizon - 20000000, false, true, false);
	one(&m, "over the horizon", 3 * nic->launch_horizon, false, false, true);
	one(&m, "in 200 s, an alias of the past", 200000000000, false, false, true);
	one(&m, "in 256.1 s, an alias of 0.1 s", 256100000000, false, false, true);
	one(&m, "U64_MAX", -1, true, false, true);
	one(&other, "queue without the offload", 300000000, false, false, true);

	/* A slot that held a launch time must not give it to the next frame. */
	plain = md_frames(2048, 52000000);
	truth_mark();
	tap_is(md_run(&m, plain, 2048, 1024, 5000), 2048, "plain frames on that queue complete");
	truth_wait("a", 52000000, 2048, 3000);
	for (size_t i = 0; i < 2048; i++) {
		const struct truth *t = truth_find("a", 52000000 + i);

		left += t && t->launch_ns == TRUTH_NONE;
	}
	tap_is(left, 2048, "... and have no launch time");
	plain_skbs(50);
	tap_ok(nic_works(), "the stack still sends");
	md_close(&m);
	md_close(&other);
	if (md_open(&m, queue, 64, MD_LEN, XDP_COPY))
		tap_bail("no copy-mode socket");
	copied(&m, "in 300 ms", 300000000, false, true);
	copied(&m, "past", -5000000, false, false);
	copied(&m, "far past", -200000000000, false, false);
	copied(&m, "over the horizon", 3 * nic->launch_horizon, false, false);
	copied(&m, "in 256.1 s, an alias of 0.1 s", 256100000000, false, false);
	copied(&m, "U64_MAX", -1, true, false);
	md_close(&m);
	with_ptp4l();
	after_ifdown(s);
	close(xdp);
	nic_sh("tc qdisc del dev %s root 2>/dev/null; ethtool -G %s tx 512", nic_if, nic_if);
	free(plain);
	return tap_done();
}
