// SPDX-License-Identifier: GPL-2.0
/*
 * A NIC with one stamp register for all: how many of the frames that ask are
 * served, whose stamp is whose when stamps are lost, late or frames leave late,
 * and that a frame of the socket path comes first.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "md.h"
#include "skbts.h"

/* What Documentation says of i40e: nobody gets the register for 4 ms after a loss. */
#define REST_US 4500

static uint64_t seq = 100000000;

static struct md_frame *asking(size_t n)
{
	struct md_frame *f = md_frames(n, seq);

	for (size_t i = 0; i < n; i++) {
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	return f;
}

/* Each frame once, with its own stamp or 0. Returns how many were stamped. */
static size_t judge(const struct md_frame *f, size_t n, const char *what)
{
	size_t own = 0, zero = 0, once = 0;

	truth_wait("a", seq, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", seq + i);

		once += f[i].completions == 1;
		zero += !f[i].stamp;
		own += t && f[i].stamp == truth_time(t);
	}
	tap_is(once, n, "%s: each frame completes once", what);
	tap_is(own + zero, n, "%s: its own stamp, or 0", what);
	seq += n;
	return own;
}

/* One frame every @gap_ns; 0: the next when the last one is through. Stamps a second. */
static double paced(struct md_sock *m, size_t n, uint64_t gap_ns, unsigned int min_percent,
		    double capacity, const char *what)
{
	struct md_frame *f = asking(n);
	size_t sent = 0, done = 0, own;
	uint64_t start, next, end;
	double rate;

	truth_mark();
	start = next = uxsk_now_ns();
	end = start + 60000000000ULL;
	while (done < n && uxsk_now_ns() < end) {
		bool due = gap_ns ? uxsk_now_ns() >= next : sent == done;

		if (due && sent < n && md_put(m, &f[sent])) {
			sent++;
			next += gap_ns;
			uxsk_kick(&m->x);
		}
		done += md_reap(m);
	}
	rate = (uxsk_now_ns() - start) / 1e9;
	own = judge(f, n, what);
	tap_diag("%s: %zu of %zu stamped, %.0f frames and %.0f stamps a second", what, own, n,
		 n / rate, own / rate);
	rate = own / rate;
	if (capacity)
		tap_ok(rate >= capacity * min_percent / 100, "%s: at least %u%% of what the register can",
		       what, min_percent);
	else
		tap_ok(own * 100 >= n * min_percent, "%s: at least %u%% stamped", what, min_percent);
	free(f);
	return rate;
}

static void rates(struct md_sock *m)
{
	size_t n = tap_rounds(20000);
	struct md_stats before;
	struct md_frame *f;
	double can;

	md_stats(&before);
	/* Nothing in between: that is what the register can do. */
	can = paced(m, n, 0, 95, 0, "one after the other");
	paced(m, n, 1000000, 95, 0, "1,000 a second");
	paced(m, n, 100000, can < 10000 ? 90 : 85, can < 10000 ? can : 0, "10,000 a second");
	n *= 4;
	f = asking(n);
	truth_mark();
	tap_is(md_run(m, f, n, 64, 10000), n, "full ring: all complete");
	tap_diag("full ring: %zu of %zu stamped", judge(f, n, "full ring"), n);
	free(f);
	md_sum_holds(&before, "rates");
}

/*
 * @fault for the first of each pair of frames, whose descriptor completes @gap_ns
 * before it leaves; the second follows @pause_us later. @lost: no stamp in time.
 */
static void pairs(struct md_sock *m, const char *fault, unsigned int gap_ns, bool lost,
		  unsigned int pause_us)
{
	size_t n = tap_rounds(2000) < 20 ? 20 : tap_rounds(2000), second = 0;
	struct md_frame *f = asking(2 * n);
	uint64_t took = 0, usual = 0, first = seq;
	struct md_stats before;

	md_stats(&before);
	truth_mark();
	for (size_t i = 0; i < n; i++) {
		if (gap_ns)
			nic_ctl("fault a gap arg=%u count=1", gap_ns);
		if (*fault)
			nic_ctl("fault a %s count=1", fault);
		usleep(REST_US);
		md_run(m, f + 2 * i, 1, 1, 5000);
		took += f[2 * i].complete_ns - f[2 * i].submit_ns;
		usleep(pause_us);
		md_run(m, f + 2 * i + 1, 1, 1, 5000);
		usual += f[2 * i + 1].complete_ns - f[2 * i + 1].submit_ns;
	}
	fault = *fault ? fault : "frames that leave late";
	judge(f, 2 * n, fault);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", first + 2 * i + 1);

		second += t && f[2 * i + 1].stamp == truth_time(t);
	}
	nic_ctl("clear a");
	tap_diag("%s: %llu us from submission to completion, the next one %llu us, on average; that is served in %zu of %zu",
		 fault, (unsigned long long)took / n / 1000, (unsigned long long)usual / n / 1000,
		 second, n);
	tap_ok(took < usual + n * 2000000, "%s: held for less than 2 ms", fault);
	if (lost)
		tap_is(md_since(&before).timeout, n, "%s: each one counted as timed out", fault);
	if (pause_us >= REST_US)
		tap_ok(second * 100 >= n * 95, "%s: the next request is served", fault);
	md_sum_holds(&before, fault);
	free(f);
}

/* A socket asks for a stamp while a frame of ours has the register. */
static void behind(struct md_sock *m, int s, const char *fault, bool served)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(319) };
	size_t n = tap_rounds(1000) < 20 ? 20 : tap_rounds(1000), got = 0, own = 0, late = 0;
	uint64_t first = skbts_base() + 5000000;
	struct md_frame *f = asking(n);
	long long skipped = nic_stat(nic_if, "port.tx_hwtstamp_skipped");
	struct skbts *ts = calloc(n, sizeof(*ts));

	inet_pton(AF_INET, "192.0.2.2", &to.sin_addr);
	truth_mark();
	for (size_t i = 0; i < n; i++) {
		nic_ctl("fault a %s count=1", fault);
		usleep(REST_US);
		md_put(m, &f[i]);
		uxsk_kick(&m->x);
		skbts_send(s, &to, first + i);
		got += skbts_receive(s, true, served ? 500 : 200, &ts[i]);
		for (int k = 0; k < 1000 && !f[i].completions; k++) {
			md_reap(m);
			usleep(100);
		}
	}
	nic_ctl("clear a");
	judge(f, n, fault);
	truth_wait("a", first, n, 5000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", first + i);

		late += !t;
		own += t && ts[i].ns == truth_time(t) && ts[i].seq == first + i;
	}
	skipped = nic_stat(nic_if, "port.tx_hwtstamp_skipped") - skipped;
	tap_is(late, 0, "a socket behind %s: its frames leave", fault);
	tap_is(own, got, "a socket behind %s: no foreign stamp", fault);
	if (served)
		tap_ok(own * 100 >= n * 90, "a socket behind %s: gets its stamp (%zu of %zu)", fault, own, n);
	else
		tap_is(got + skipped, n, "a socket behind %s: goes without and is counted (%lld of %zu)",
		       fault, skipped, n);
	free(ts);
	free(f);
}

int main(void)
{
	struct md_sock m;
	int xdp, s;

	md_init();
	if (nic->stamp_each) {
		puts("TAP version 13\n1..0 # SKIP this NIC has a stamp in each descriptor");
		return 0;
	}
	s = skbts_socket(false);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	tap_ok(nic_works(), "the peer answers");
	nic_hwtstamp(s, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	/* Its queue is not the one that sockets of this CPU use, or it is: either goes. */
	if (md_open(&m, 0, 256, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	rates(&m);
	pairs(&m, "stamp-lose", 0, true, REST_US);
	pairs(&m, "stamp-delay arg=8000000", 1000, true, 0);
	pairs(&m, "stamp-delay arg=30000000", 1000, true, REST_US);
	/* In time or not, as the machine goes. */
	pairs(&m, "", 3000000, false, 0);
	behind(&m, s, "stamp-delay arg=500000", true);
	behind(&m, s, "stamp-lose", false);
	tap_is(m.strays, 0, "no address came back that was not sent");
	md_close(&m);
	close(xdp);
	return tap_done();
}
