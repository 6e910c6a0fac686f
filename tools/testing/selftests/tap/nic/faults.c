// SPDX-License-Identifier: GPL-2.0
/*
 * Stamps that are lost or late, held completions, a flapping link, stamping
 * switched off: no frame is lost by the driver, the ring goes on, the next
 * request is served, and each request is counted in one class.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "md.h"

static uint64_t next_seq = 40000000;
static int sock;

/* @n frames that ask; how many got the true stamp, how many 0. */
static size_t stamped(struct md_sock *m, size_t n, size_t *zero, unsigned int ms)
{
	struct md_frame *f = md_frames(n, next_seq);
	size_t done, good = 0;

	*zero = 0;
	for (size_t i = 0; i < n; i++) {
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	done = md_run(m, f, n, 32, ms);
	truth_wait("a", next_seq, done, 3000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", next_seq + i);

		*zero += f[i].completions == 1 && !f[i].stamp;
		good += f[i].completions == 1 && t && f[i].stamp == truth_time(t);
	}
	next_seq += n;
	free(f);
	return good;
}

static void next_is_served(struct md_sock *m, const char *after)
{
	size_t zero;

	tap_is(stamped(m, 1, &zero, 10000), 1, "%s: the next request is served", after);
}

static void lost(struct md_sock *m)
{
	struct md_stats before, s;
	size_t good, zero;

	md_stats(&before);
	truth_mark();
	nic_ctl("fault a stamp-lose every=5");
	good = stamped(m, 100, &zero, 20000);
	nic_ctl("clear a");
	s = md_since(&before);
	tap_is(good + zero, 100, "stamps lost: every frame completes, with a true stamp or 0");
	tap_ok(zero >= 1, "stamps lost: some were");
	if (nic->stamp_each) {
		tap_is(zero, 20, "stamps lost: each fifth");
		tap_is(s.timeout, 20, "stamps lost: counted as timed out");
	}
	md_sum_holds(&before, "stamps lost");
	next_is_served(m, "stamps lost");
}

static void late(struct md_sock *m)
{
	struct md_stats before;
	size_t good, zero;

	md_stats(&before);
	truth_mark();
	nic_ctl("fault a stamp-delay every=10 arg=3000000");
	good = stamped(m, 100, &zero, 20000);
	nic_ctl("clear a");
	tap_is(good + zero, 100, "stamps late: every frame completes, with its own stamp or 0");
	if (nic->stamp_each)
		tap_is(good, 100, "stamps late: all of them right");
	md_sum_holds(&before, "stamps late");
	next_is_served(m, "stamps late");
}

static void held(struct md_sock *m)
{
	struct md_frame *f = md_frames(10, next_seq);
	struct md_stats before;
	size_t good = 0;

	md_stats(&before);
	truth_mark();
	for (size_t i = 0; i < 10; i++) {
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	nic_ctl("fault a hold queue=%u skip=3 count=1", m->queue);
	md_run(m, f, 10, 10, 500);
	tap_ok(!f[9].completions, "completions held: they wait");
	nic_ctl("clear a");
	for (int i = 0; i < 500 && !f[9].completions; i++) {
		uxsk_kick(&m->x);
		md_reap(m);
		usleep(1000);
	}
	truth_wait("a", next_seq, 10, 3000);
	for (size_t i = 0; i < 10; i++) {
		const struct truth *t = truth_find("a", next_seq + i);

		good += f[i].completions == 1 && t &&
			(f[i].stamp == truth_time(t) || (!nic->stamp_each && !f[i].stamp));
	}
	tap_is(good, 10, "completions held, then released: once each, with the true stamp");
	md_sum_holds(&before, "completions held");
	next_seq += 10;
	free(f);
	next_is_served(m, "completions held");
}

static void flap(struct md_sock *m)
{
	struct md_frame *f = md_frames(200, next_seq);
	struct md_stats before;
	size_t done, sent = 0;

	md_stats(&before);
	for (size_t i = 0; i < 200; i++) {
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	while (sent < 64 && md_put(m, &f[sent]))
		sent++;
	nic_ctl("link a flap 1500");
	uxsk_kick(&m->x);
	/* Some drivers look at the PHY once a second. */
	for (int i = 0; i < 3000 && nic_wait_carrier(0); i++)
		usleep(1000);
	for (int i = 0; i < 8000; i++) {
		md_reap(m);
		done = 0;
		for (size_t k = 0; k < sent; k++)
			done += f[k].completions;
		if (done == sent)
			break;
		uxsk_kick(&m->x);
		usleep(1000);
	}
	tap_is(done, sent, "link flap: all frames complete");
	tap_ok(nic_wait_carrier(10000), "link flap: the link is back");
	md_sum_holds(&before, "link flap");
	next_seq += 200;
	free(f);
	truth_mark();
	next_is_served(m, "link flap");
}

static void stamping_off(struct md_sock *m)
{
	struct md_stats before, s;
	size_t good, zero;

	md_stats(&before);
	truth_mark();
	nic_hwtstamp(sock, nic_if, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	good = stamped(m, 50, &zero, 10000);
	s = md_since(&before);
	if (nic->needs_tx_on) {
		tap_is(zero, 50, "stamping off: the answer is 0");
		tap_is(s.skipped, 50, "stamping off: counted as skipped");
	} else {
		tap_is(good, 50, "stamping off: this NIC stamps anyhow");
	}
	md_sum_holds(&before, "stamping off");
	nic_hwtstamp(sock, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	next_is_served(m, "stamping off and on");
}

static void error(struct md_sock *m)
{
	struct md_stats before;
	size_t good, zero;

	md_stats(&before);
	truth_mark();
	nic_ctl("fault a error queue=%u skip=10 count=5", m->queue);
	good = stamped(m, 100, &zero, 20000);
	nic_ctl("clear a");
	tap_is(good + zero, 100, "errors: every frame completes");
	md_sum_holds(&before, "errors");
	next_is_served(m, "errors");
}

/*
 * Frames that are on a slow wire while the socket closes: from then on the memory
 * is the test's own again, and no stamp may come.
 */
static void after_close(void)
{
	enum { FRAMES = 64, SIZE = 2 * FRAMES * 2048 };
	struct uxsk_cfg cfg = uxsk_cfg_tx(nic_if, MD_LEN);
	size_t written = 0, left = 0;
	struct md_stats before;
	unsigned char *area;
	struct uxsk x;

	area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		tap_bail("out of memory");
	cfg.area = area;
	cfg.comp = cfg.tx = FRAMES;
	cfg.chunks = 2 * FRAMES;
	cfg.bind_flags = XDP_ZEROCOPY | XDP_USE_NEED_WAKEUP;
	md_stats(&before);
	nic_ctl("wire a rate=5");
	for (int round = 0; round < 5; round++) {
		int err = uxsk_open(&x, &cfg);

		if (err)
			tap_bail("%s: %s", x.step, strerror(-err));
		nic_wait_carrier(5000);
		for (unsigned int i = 0; i < FRAMES; i++) {
			memset(uxsk_data(&x, uxsk_addr(&x, i)), 0x55, 1400);
			uxsk_meta(&x, uxsk_addr(&x, i))->flags = XDP_TXMD_FLAGS_TIMESTAMP;
			uxsk_put(&x, uxsk_addr(&x, i), 1400, XDP_TX_METADATA);
		}
		uxsk_kick(&x);
		while (!uxsk_reap(&x, NULL, 1))
			uxsk_kick(&x);
		uxsk_close(&x);
		memset(area, MD_CANARY, SIZE);
		usleep(300000);
		for (size_t i = 0; i < SIZE; i++)
			written += area[i] != MD_CANARY;
	}
	nic_ctl("wire a rate=0");
	tap_is(written, 0, "closed with frames on the wire: no byte is written after close()");
	left = md_since(&before).requested;
	tap_is(left, 5 * FRAMES, "... all of which had asked");
	md_sum_holds(&before, "closed with frames on the wire");
	munmap(area, SIZE);
}

/* This NIC stops a queue for good; whoever opens it next starts it anew. */
static void stopped(struct md_sock *m)
{
	struct md_stats before;
	size_t zero;

	md_stats(&before);
	nic_ctl("fault a error queue=%u skip=10 count=1", m->queue);
	stamped(m, 100, &zero, 1000);
	nic_ctl("clear a");
	md_close(m);
	if (md_open(m, 0, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	md_sum_holds(&before, "queue stopped");
	truth_mark();
	next_is_served(m, "queue stopped, a new socket");
}

int main(void)
{
	struct md_sock m;
	int xdp;

	md_init();
	sock = socket(AF_INET, SOCK_DGRAM, 0);
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	nic_hwtstamp(sock, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	if (md_open(&m, 0, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	if (!nic->stamp_in_cqe) {
		lost(&m);
		late(&m);
	}
	held(&m);
	stamping_off(&m);
	flap(&m);
	if (nic->error_stops)
		stopped(&m);
	else
		error(&m);
	tap_is(m.strays, 0, "no address came back that was not sent");
	md_close(&m);
	after_close();
	close(xdp);
	tap_ok(nic_works(), "the stack still sends");
	return tap_done();
}
