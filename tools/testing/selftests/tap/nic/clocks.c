// SPDX-License-Identifier: GPL-2.0
/*
 * Stamps through each format of the NIC's clock: real time, which the device
 * converts, and a free-running counter, which the driver does. The latter has
 * an offset of its own to the counter: it must be the same for every frame, but
 * for the conversion's rounding; over the counter's wrap too, and a step of the
 * clock must move it by just that much.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "md.h"

#define RING 64
#define STEP_NS 1500000000LL
/* Time for a busy machine to get there. */
#define BEFORE_WRAP_NS 10000000000LL
/* The driver looks at this many bits of the counter. */
#define COUNTER_BITS 41

static uint64_t next_seq = 97000000;
static int sock;

struct spread {
	int64_t min, max;	/* stamp - truth */
	uint64_t first, last;	/* truth */
	size_t asked, stamped;
};

static void start(struct spread *s)
{
	*s = (struct spread) { .min = INT64_MAX, .max = INT64_MIN, .first = UINT64_MAX };
}

static void submit(struct md_sock *m, size_t n, struct spread *s)
{
	struct md_frame *f = md_frames(n, next_seq);

	for (size_t i = 0; i < n; i++) {
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_TIMESTAMP;
	}
	truth_mark();
	md_run(m, f, n, 32, 5000);
	truth_wait("a", next_seq, n, 3000);
	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", next_seq + i);
		int64_t off = t ? f[i].stamp - truth_time(t) : 0;

		s->asked++;
		if (!t || !f[i].stamp)
			continue;
		s->stamped++;
		if (off < s->min)
			s->min = off;
		if (off > s->max)
			s->max = off;
		if (truth_time(t) < s->first)
			s->first = truth_time(t);
		if (truth_time(t) > s->last)
			s->last = truth_time(t);
	}
	next_seq += n;
	free(f);
}

/*
 * The stamp is whole ns of both sides' rounding, 2 at most; and the driver's ns
 * per cycle has 23 bits behind the point, which is off by up to 6 in 10^9.
 */
static bool constant(const struct spread *s, const char *what)
{
	int64_t room = 2 + 6 * (s->last - s->first) / 1000000000;

	tap_is(s->stamped, s->asked, "%s: each frame has a stamp", what);
	tap_diag("%s: stamp - truth spreads over %lld ns in %llu ms", what,
		 (long long)(s->max - s->min), (unsigned long long)(s->last - s->first) / 1000000);
	return tap_ok(s->max - s->min <= room, "%s: as far from the truth as the others, to %lld ns",
		      what, (long long)room);
}

static void step(long long ns)
{
	struct timex t = { .modes = ADJ_SETOFFSET | ADJ_NANO };

	/* The ns part must not be negative. */
	t.time.tv_sec = ns / 1000000000 - (ns % 1000000000 < 0);
	t.time.tv_usec = ns - t.time.tv_sec * 1000000000LL;
	if (clock_adjtime(nic_phc_clock(), &t) < 0)
		tap_bail("the PTP clock can't be stepped: %s", strerror(errno));
}

static void format(const char *args)
{
	nic_unbind();
	nic_ctl("model a clock-format %s", args);
	nic_bind();
	nic_wait_carrier(10000);
}

static void open_socket(struct md_sock *m, int *xdp)
{
	*xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	nic_hwtstamp(sock, nic_if, HWTSTAMP_TX_ON, HWTSTAMP_FILTER_NONE);
	if (md_open(m, 0, RING, MD_LEN, 0))
		tap_bail("no zero-copy socket");
}

static void real(void)
{
	struct md_sock m;
	struct spread s;
	int xdp;

	open_socket(&m, &xdp);
	start(&s);
	submit(&m, tap_rounds(2000) < 64 ? 64 : tap_rounds(2000), &s);
	tap_is(s.stamped, s.asked, "real time: each frame has a stamp");
	tap_ok(!s.min && !s.max, "real time: it is the completion's time");
	step(STEP_NS);
	submit(&m, 64, &s);
	step(-STEP_NS);
	submit(&m, 64, &s);
	tap_ok(!s.min && !s.max, "real time, stepped: it is the completion's time");
	md_close(&m);
	close(xdp);
}

static void free_running(const char *what, unsigned int khz)
{
	uint64_t wrap = (uint64_t)((unsigned __int128)(1ULL << COUNTER_BITS) * 1000000 / khz);
	size_t n = tap_rounds(2000) < 64 ? 64 : tap_rounds(2000);
	char args[32], name[64];
	struct spread s, t;
	struct md_sock m;
	int xdp;

	snprintf(args, sizeof(args), "free %u", khz);
	format(args);
	open_socket(&m, &xdp);
	start(&s);
	for (int i = 0; i < 4; i++) {
		submit(&m, n / 4, &s);
		usleep(200000);
	}
	constant(&s, what);
	step(STEP_NS);
	start(&t);
	submit(&m, 64, &t);
	tap_ok(llabs(t.min - s.min - STEP_NS) <= 2 + 6 * (int64_t)(t.last - s.first) / 1000000000,
	       "%s: a step moves the stamps by as much (%lld ns)", what, (long long)(t.min - s.min));

	/* Up to the wrap and beyond; the driver is told of the jump by reading. */
	snprintf(name, sizeof(name), "%s, wrap", what);
	nic_ctl("clock a set %llu", (unsigned long long)wrap - BEFORE_WRAP_NS);
	nic_phc_ns();
	start(&s);
	do {
		submit(&m, 32, &s);
		usleep(100000);
	} while (s.last < wrap + 500000000 && s.stamped == s.asked);
	tap_ok(s.first < wrap && s.last > wrap, "%s: the counter has wrapped", name);
	constant(&s, name);
	md_close(&m);
	close(xdp);
}

int main(void)
{
	md_init();
	if (!nic->stamp_in_cqe) {
		puts("TAP version 13\n1..0 # SKIP this NIC's clock has one format");
		return 0;
	}
	sock = socket(AF_INET, SOCK_DGRAM, 0);

	real();
	free_running("counter of 1 GHz", 1000000);
	free_running("counter of 78.125 MHz", 78125);
	format("real");
	real();
	tap_ok(nic_works(), "the stack still sends");
	return tap_done();
}
