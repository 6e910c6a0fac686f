// SPDX-License-Identifier: GPL-2.0
/*
 * Socket traffic, XDP_TX, redirected frames and AF_XDP on one queue: each
 * AF_XDP address comes back exactly once, each request is answered, and the
 * other traffic arrives.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "md.h"

#define RING 256

static pid_t background(const char *cmd)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		setsid();
		execl("/bin/sh", "sh", "-c", cmd, NULL);
		_exit(127);
	}
	return pid;
}

static void stop(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void account(const char *what, struct md_sock *m, uint64_t first, size_t n)
{
	struct md_frame *f = md_frames(n, first);
	size_t done = 0, once = 0, right = 0, asked = 0, same = 0;
	struct md_stats before;
	uint64_t others;

	for (size_t i = 0; i < n; i++) {
		f[i].option = i % 3 == 0;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	/* The others' traffic has to flow. */
	others = nic_model_stat("a", "tx_frames");
	for (int i = 0; i < 100 && nic_model_stat("a", "tx_frames") < others + 20; i++)
		usleep(50000);
	md_stats(&before);
	truth_mark();
	others = nic_model_stat("a", "tx_frames");
	/* In bursts of all sizes, with room for the others. */
	for (size_t i = 0, k; i < n; i += k) {
		static const size_t burst[] = { 1, 7, 64, RING, 16 };

		k = burst[i % 5];
		if (k > n - i)
			k = n - i;
		done += md_run(m, f + i, k, RING, 20000);
		usleep(10000);
	}
	tap_is(done, n, "%s: all complete", what);
	truth_wait("a", first, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", first + i);

		once += f[i].completions == 1;
		if (f[i].option) {
			asked++;
			right += t && (f[i].stamp == truth_time(t) ||
				       (!nic->stamp_each && !f[i].stamp));
		} else {
			same += f[i].same;
		}
	}
	others = nic_model_stat("a", "tx_frames") - others - n;
	tap_ok(others >= 5, "%s: %llu frames of others left meanwhile", what,
	       (unsigned long long)others);
	tap_is(once, n, "%s: each address once", what);
	tap_is(m->strays, 0, "%s: and no other", what);
	tap_is(right, asked, "%s: who asked has its own stamp", what);
	tap_is(same, n - asked, "%s: who did not is left alone", what);
	md_sum_holds(&before, what);
	free(f);
}

/* Pings from the peer, which a program that returns XDP_TX sends back. */
static const char to_us[] =
	"to=$(cat /sys/class/net/$IF/address); ip netns exec peer sh -c \"ip neigh replace 192.0.2.1 lladdr $to dev $PEER; while :; do ping -q -c 100000 -i 0.005 192.0.2.1; done\" >/dev/null 2>&1";

/* On a queue that a program has just been attached to; @s: any socket. */
static void open_socket(struct md_sock *m, int s)
{
	nic_wait_carrier(5000);
	nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	if (md_open(m, 0, RING, MD_LEN, 0))
		tap_bail("no zero-copy socket");
}

int main(void)
{
	size_t n;
	struct md_sock m;
	pid_t bg, bg2, bg3;
	int xdp, peer, s;

	md_init();
	/* Fewer are gone before the others get a turn. */
	n = tap_rounds(10000) < 1000 ? 1000 : tap_rounds(10000);
	s = socket(AF_INET, SOCK_DGRAM, 0);

	/* Everything on queue 0. */
	nic_sh(nic->combined ? "ethtool -L %s combined 1" : "ethtool -L %s rx 1 tx 1", nic_if);
	nic_wait_carrier(5000);
	xdp = nic_xdp_pass(nic_if);
	open_socket(&m, s);
	bg = background("while :; do ping -q -c 100000 -i 0.005 -s 900 192.0.2.2; done >/dev/null 2>&1");
	account("with socket traffic", &m, 70000000, n);
	stop(bg);
	md_close(&m);
	close(xdp);

	/* What the peer sends comes back by XDP_TX. */
	xdp = nic_xdp_tx(nic_if);
	open_socket(&m, s);
	bg = background(to_us);
	account("with XDP_TX", &m, 71000000, n);
	stop(bg);
	nic_peer_sh("ip neigh del 192.0.2.1 dev %s", nic_peer);
	md_close(&m);
	close(xdp);

	/* Frames of a veth pair are redirected to the port. */
	nic_sh("ip link add md0 type veth peer name md1 && ip link set md0 up && ip link set md1 up && ip addr add 198.51.100.1/24 dev md1");
	peer = nic_xdp_redirect("md0", nic_if);
	xdp = nic_xdp_pass(nic_if);
	open_socket(&m, s);
	bg = background("ip neigh replace 198.51.100.2 lladdr 02:00:00:00:00:02 dev md1; while :; do ping -q -c 100000 -i 0.005 198.51.100.2; done >/dev/null 2>&1");
	bg2 = background("while :; do ping -q -c 100000 -i 0.01 -s 300 192.0.2.2; done >/dev/null 2>&1");
	account("with redirected and socket traffic", &m, 72000000, n);
	stop(bg);
	stop(bg2);
	md_close(&m);
	close(xdp);

	/* All of it at once; sockets send without an answer. */
	xdp = nic_xdp_tx(nic_if);
	open_socket(&m, s);
	nic_sh("ip neigh replace 192.0.2.2 lladdr $(ip netns exec peer cat /sys/class/net/%s/address) dev %s",
	       nic_peer, nic_if);
	bg = background("while :; do ping -q -c 100000 -i 0.005 198.51.100.2; done >/dev/null 2>&1");
	bg2 = background("while :; do ping -q -c 100000 -i 0.005 -s 900 192.0.2.2; done >/dev/null 2>&1");
	bg3 = background(to_us);
	account("with all of it", &m, 73000000, n);
	stop(bg);
	stop(bg2);
	stop(bg3);
	nic_sh("ip neigh del 192.0.2.2 dev %s", nic_if);
	nic_peer_sh("ip neigh del 192.0.2.1 dev %s", nic_peer);
	md_close(&m);
	close(peer);
	close(xdp);
	nic_sh("ip link del md0");
	nic_sh(nic->combined ? "ethtool -L %1$s combined %2$u" : "ethtool -L %1$s rx %2$u tx %2$u", nic_if,
	       nic->queues);
	tap_ok(nic_works(), "the stack still sends");
	return tap_done();
}
