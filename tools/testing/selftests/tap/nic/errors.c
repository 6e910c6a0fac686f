// SPDX-License-Identifier: GPL-2.0
/*
 * Error completions under load, for NICs that have them: counted, the queue is
 * recovered, each address completes once, the next frame is served. And frames
 * that can't be sent, whose slots must serve the next ones unharmed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "md.h"

#define RING 64
#define TOO_LONG 1600

static uint64_t next_seq = 95000000;

/* @n frames, each third asks for a stamp; @zero: askers that got 0. */
static void burst(struct md_sock *m, size_t n, const char *what, size_t *zero, size_t *bad)
{
	struct md_frame *f = md_frames(n, next_seq);
	size_t done;

	for (size_t i = 0; i < n; i++) {
		f[i].option = i % 3 == 0;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP | XDP_TXMD_FLAGS_CHECKSUM;
		f[i].finish = !f[i].option;
	}
	truth_mark();
	done = md_run(m, f, n, 32, 10000);
	if (done != n)
		tap_diag("%s: %zu of %zu frames complete", what, done, n);
	truth_read(NULL);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", next_seq + i);

		*bad += f[i].completions != 1;
		if (!f[i].option) {
			*bad += !f[i].same;
		} else if (!f[i].stamp) {
			++*zero;
		} else {
			*bad += !t || f[i].stamp != truth_time(t);
		}
	}
	next_seq += n;
	free(f);
}

static void under_load(const char *kind, unsigned long n)
{
	long long errors, recovered, want = 0;
	size_t zero = 0, bad = 0, late = 0;
	struct md_stats before, s;
	struct md_sock m;

	if (md_open(&m, 0, RING, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	md_stats(&before);
	errors = nic_stat(nic_if, "tx_xsk_cqe_err");
	recovered = nic_stat(nic_if, "tx_xsk_recover");
	for (unsigned long i = 0; i < n; i++) {
		long long stack = nic_stat(nic_if, "tx_cqe_err");

		nic_ctl("fault a error queue=0 skip=%lu count=1", i * 7 % 60);
		burst(&m, 96, kind, &zero, &bad);
		/* Now and then a frame of the stack gets it. */
		if (nic_stat(nic_if, "tx_cqe_err") == stack)
			want++;
		/* Nothing is wrong any more. */
		nic_ctl("clear a");
		burst(&m, 8, kind, &late, &bad);
	}
	s = md_since(&before);
	errors = nic_stat(nic_if, "tx_xsk_cqe_err") - errors;
	recovered = nic_stat(nic_if, "tx_xsk_recover") - recovered;
	tap_is(bad, 0, "%s: each address once, each stamp right or 0, the others left alone", kind);
	tap_is(m.strays, 0, "%s: no address came back that was not sent", kind);
	tap_is(late, 0, "%s: after each error the next frames are stamped", kind);
	tap_ok(errors >= want, "%s: %lld error completions of %lld faults counted", kind, errors, want);
	tap_ok(want > (long long)n / 2, "%s: %lld faults were this queue's", kind, want);
	tap_is(recovered, want, "%s: recovered each time", kind);
	tap_is(s.flushed, zero, "%s: %zu requests counted as flushed", kind, zero);
	md_sum_holds(&before, kind);
	md_close(&m);
}

/* Frames beyond the MTU between others, over all slots of the ring. */
static void unsendable(const char *kind, unsigned int meta_len)
{
	size_t n = 6 * RING, once = 0, zero = 0, left = 0, refused = 0;
	struct md_frame *f = md_frames(n, next_seq);
	struct md_stats before, s;
	struct md_sock m;

	if (md_open(&m, 0, RING, meta_len, 0))
		tap_bail("no zero-copy socket");
	md_stats(&before);
	for (size_t i = 0; i < n; i++) {
		f[i].option = meta_len;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
		if (i % 5 == 3) {
			f[i].spec.payload = TOO_LONG;
			refused++;
		}
	}
	truth_mark();
	tap_is(md_run(&m, f, n, 16, 10000), n, "%s: all complete", kind);
	truth_wait("a", next_seq, n - refused, 3000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", next_seq + i);

		once += f[i].completions == 1;
		left += t != NULL;
		if (meta_len)
			zero += !f[i].stamp && f[i].spec.payload == TOO_LONG;
	}
	s = md_since(&before);
	tap_is(once, n, "%s: once each", kind);
	tap_is(left, n - refused, "%s: the others leave", kind);
	if (meta_len) {
		tap_is(zero, refused, "%s: who was not sent has stamp 0", kind);
		tap_is(s.flushed, refused, "%s: and is counted as flushed", kind);
		tap_is(s.ok, n - refused, "%s: the others have theirs", kind);
	}
	next_seq += n;
	md_close(&m);
	free(f);
}

/* The queues of XDP_TX and of redirected frames. */
static void forwarding(const char *what, const char *counter)
{
	long long before = nic_stat(nic_if, counter), now = before;
	uint64_t sent;

	nic_ctl("fault a error count=1");
	for (int i = 0; i < 500 && now == before; i++) {
		usleep(20000);
		now = nic_stat(nic_if, counter);
	}
	nic_ctl("clear a");
	tap_is(now - before, 1, "%s: recovered from an error completion", what);
	sent = nic_model_stat("a", "tx_frames");
	for (int i = 0; i < 500 && nic_model_stat("a", "tx_frames") < sent + 20; i++)
		usleep(20000);
	tap_ok(nic_model_stat("a", "tx_frames") >= sent + 20, "%s: goes on", what);
}

static void xdp_tx(void)
{
	int xdp = nic_xdp_tx(nic_if);

	nic_wait_carrier(5000);
	nic_peer_sh("sh -c 'ip neigh replace 192.0.2.1 lladdr '$(cat /sys/class/net/%s/address)' dev %s; ping -q -i 0.01 192.0.2.1 >/dev/null 2>&1 & echo $! >/run/ping'",
		    nic_if, nic_peer);
	forwarding("XDP_TX", "rx_xdp_tx_recover");
	nic_sh("kill $(cat /run/ping)");
	nic_peer_sh("ip neigh del 192.0.2.1 dev %s", nic_peer);
	close(xdp);
}

static void redirected(void)
{
	int from, xdp;

	nic_sh("ip link add md0 type veth peer name md1 && ip link set md0 up && ip link set md1 up && ip addr add 198.51.100.1/24 dev md1 && ip neigh replace 198.51.100.2 lladdr 02:00:00:00:00:02 dev md1");
	from = nic_xdp_redirect("md0", nic_if);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	nic_sh("ping -q -i 0.01 198.51.100.2 >/dev/null 2>&1 & echo $! >/run/ping");
	forwarding("redirect", "tx_xdp_recover");
	nic_sh("kill $(cat /run/ping)");
	close(from);
	close(xdp);
	nic_sh("ip link del md0");
}

int main(void)
{
	unsigned long n = tap_rounds(100) < 6 ? 6 : tap_rounds(100);
	int xdp;

	md_init();
	if (!nic->multi_flag) {
		puts("TAP version 13\n1..0 # SKIP this NIC has no error completions");
		return 0;
	}
	/* Each slot has to come up several times. */
	nic_sh("ethtool -G %s tx %u", nic_if, RING);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	under_load("multi-packet WQEs", n);
	unsendable("too long, multi-packet WQEs", MD_LEN);
	nic_sh("ethtool --set-priv-flags %s %s off", nic_if, nic->multi_flag);
	nic_wait_carrier(5000);
	under_load("plain WQEs", n);
	unsendable("too long, plain WQEs", MD_LEN);
	unsendable("too long, plain WQEs, no area", 0);
	nic_sh("ethtool --set-priv-flags %s %s on && ethtool -G %s tx 1024", nic_if,
	       nic->multi_flag, nic_if);
	close(xdp);
	xdp_tx();
	redirected();
	tap_ok(nic_works(), "the stack still sends");
	return tap_done();
}
