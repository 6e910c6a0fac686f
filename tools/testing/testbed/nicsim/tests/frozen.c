// SPDX-License-Identifier: GPL-2.0
/*
 * What models and readers of the truth log stand on: when each callback of
 * struct nic_ops comes and with what, and the truth log's lines to the letter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit.h"

#define CLOCK_OFFSET 7000

static char seen[1024];
static u64 rx_stamp, egress;

/* Notes that a callback came. */
static void note(const struct nic *nic, const char *what, int arg)
{
	size_t n = strlen(seen);

	snprintf(seen + n, sizeof(seen) - n, "%s.%s:%d ", nic->name, what, arg);
}

static bool saw(const char *want)
{
	bool same = !strcmp(seen, want);

	if (!same)
		tap_diag("saw \"%s\"", seen);
	seen[0] = '\0';
	return same;
}

static int t_init(struct nic *nic, struct optset *o)
{
	u32 knob = 1;

	if (opt_u32(o, "knob", &knob, 1, 9))
		return -EINVAL;
	note(nic, "init", (int)knob);
	nic->pci = (struct nic_pci) { .vendor = 1, .device = 2,
				      .bar[0].size = 4096 };
	return *(u8 *)nic->priv ? -EINVAL : 0;	/* zeroed memory */
}

static void t_teardown(struct nic *nic)
{
	note(nic, "teardown", 0);
}

static void t_reset(struct nic *nic, enum nic_reset_kind kind)
{
	note(nic, "reset", kind);
	if (kind == RESET_FAULT)
		tx_flush(nic, TX_ALL_QUEUES);
}

static void t_egress(struct nic *nic, struct tx_frame *f)
{
	note(nic, "egress", (int)f->desc);
	egress = f->egress_ns;
}

static void t_done(struct nic *nic, struct tx_frame *f)
{
	note(nic, "done", (int)f->desc);
	if (f->stamp_ns != TRUTH_NONE)
		f->stamp_ns += 5;
}

static bool t_rx(struct nic *nic, const struct rx_frame *f)
{
	note(nic, "rx", (int)f->len);
	rx_stamp = f->stamp_ns;
	return f->len != 99;
}

static void t_link(struct nic *nic)
{
	note(nic, "link", wire_link(nic));
}

static u64 t_clock_ns(struct nic *nic, u64 mono)
{
	return phc_units(&nic->phc, mono) + CLOCK_OFFSET;
}

static u64 t_clock_mono(struct nic *nic, u64 ns)
{
	return phc_mono(&nic->phc, ns - CLOCK_OFFSET);
}

static const struct nic_ops ops = {
	.name = "frozen", .priv_size = 8, .init = t_init, .teardown = t_teardown,
	.reset = t_reset, .tx_egress = t_egress, .tx_done = t_done, .rx = t_rx,
	.link = t_link, .clock_ns = t_clock_ns, .clock_mono = t_clock_mono,
};

static u64 now = NSEC_PER_SEC;

static u64 fake(void)
{
	return now;
}

static void run(u64 ns)
{
	now += ns;
	loop_run_until(now);
}

static void send(struct nic *nic, u32 desc, u32 len, u32 req, u64 launch)
{
	struct tx_frame *f = tx_alloc(nic, len);

	memset(f->data, 0, len);
	f->queue = 3;
	f->desc = desc;
	f->req = req;
	f->launch_ns = launch;
	tx_send(f);
}

static void callbacks(struct nic *a, struct nic *b)
{
	u64 at;

	send(a, 1, 60, TRUTH_REQ_TS, TRUTH_NONE);
	run(100000);
	tap_ok(saw("a.egress:1 a.done:1 b.rx:60 "), "tx_egress, tx_done, and rx at the other end");
	tap_is((long long)rx_stamp, (long long)(egress + 50), "the stamp is the receiver's clock, 50 ns on");
	tap_is((long long)b->stats.rx_frames, 1, "a frame taken counts");
	send(a, 2, 99, 0, TRUTH_NONE);
	run(100000);
	seen[0] = '\0';
	tap_is((long long)b->stats.rx_dropped, 1, "one not taken counts as dropped");
	at = t_clock_ns(a, now) + 500000;
	send(a, 3, 60, TRUTH_REQ_LAUNCH, at);
	run(400000);
	tap_ok(saw(""), "a launch time is waited for, by the model's clock");
	run(200000);
	tap_ok(saw("a.egress:3 a.done:3 b.rx:60 ") && egress == at, "and kept");
	a->tx_gap_ns = 1000;
	send(a, 4, 60, 0, TRUTH_NONE);
	run(100000);
	tap_ok(saw("a.done:4 a.egress:4 b.rx:60 "), "a gap: tx_done first");
	a->tx_gap_ns = 0;
	wire_force_down(a, true);
	tap_ok(saw("a.link:0 b.link:0 "), "link at both ends, down");
	wire_force_down(a, false);
	tap_ok(saw("a.link:1 b.link:1 "), "and up");
	nic_reset(a, RESET_BUS);
	nic_reset(a, RESET_CLIENT);
	nic_reset(b, RESET_FAULT);
	tap_ok(saw("a.reset:1 a.reset:2 b.reset:3 "), "the kinds of reset");
}

static void line_is(FILE *f, const char *want, const char *name)
{
	char line[512] = "";

	truth_flush();
	if (!fgets(line, sizeof(line), f))
		tap_bail("no line in the truth log");
	if (!tap_ok(!strcmp(line, want), "%s", name))
		tap_diag("%s", line);
}

static void truth(const char *path)
{
	static u8 udp[60] = {
		2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 8, 0,
		0x45, 0, 0, 46, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2,
		0, 9, 0, 9, 0, 26, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2,
	};
	struct truth_rec rec = {
		.port = "b", .queue = 3, .desc = 17, .egress_ns = 1000000000000000001ULL,
		.stamp_ns = TRUTH_NONE, .cqe_ns = TRUTH_NONE, .launch_ns = TRUTH_NONE,
		.rx_ns = TRUTH_NONE, .data = udp, .len = 60,
	};
	FILE *f;

	if (truth_open(path))
		tap_bail("%s: %m", path);
	f = fopen(path, "re");
	truth_log(&rec);
	line_is(f, "{\"port\": \"b\", \"queue\": 3, \"desc\": 17, \"seq\": 258, \"egress_ns\": 1000000000000000001, "
		"\"stamp_ns\": null, \"len\": 60, \"crc32\": 3754744991, \"req\": 0, \"launch_ns\": null, "
		"\"rx_ns\": null, \"fault\": null}\n", "a line of the truth log, as little as there is");
	rec.stamp_ns = 1;
	rec.launch_ns = 2;
	rec.rx_ns = 3;
	rec.cqe_ns = 4;
	rec.req = 7;
	rec.fault = "gap";
	rec.len = 14;
	truth_log(&rec);
	line_is(f, "{\"port\": \"b\", \"queue\": 3, \"desc\": 17, \"seq\": null, \"egress_ns\": 1000000000000000001, "
		"\"stamp_ns\": 1, \"len\": 14, \"crc32\": 2424024184, \"req\": 7, \"launch_ns\": 2, "
		"\"rx_ns\": 3, \"fault\": \"gap\", \"cqe_ns\": 4}\n", "and all there can be");
	tap_is((long long)truth_lines(), 2, "lines are counted");
	truth_close();
	fclose(f);
	tap_ok(TRUTH_REQ_TS == 1 && TRUTH_REQ_CSUM == 2 && TRUTH_REQ_LAUNCH == 4,
	       "req has the bits of XDP_TXMD_FLAGS_*");
}

int main(void)
{
	struct wire_cfg cfg = { .delay_ns = 50 };
	char path[] = "/tmp/frozen.XXXXXX";
	int fd = mkstemp(path);
	struct nic *a, *b;
	struct wire *w;

	unit_quiet();
	mono_fake(fake);
	a = unit_nic(&ops, ",knob=4");
	b = unit_nic(&ops, "");
	tap_ok(saw("a.init:4 a.reset:0 b.init:1 b.reset:0 "), "init with its options, then reset");
	w = wire_new(a, b, &cfg);
	tap_ok(w && wire_link(a) && wire_link(b), "a wire: link at both ends");
	callbacks(a, b);
	wire_free(w);
	seen[0] = '\0';
	nic_destroy_all();
	tap_ok(saw("b.teardown:0 a.teardown:0 "), "teardown");
	truth(path);
	close(fd);
	unlink(path);
	return tap_done();
}
