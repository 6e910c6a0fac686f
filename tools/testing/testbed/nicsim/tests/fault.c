// SPDX-License-Identifier: GPL-2.0
/* Each fault does what it says, to the frames that it should, and no others. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/client.h"

static struct sim sim;
static struct client a, b;
static u32 next, lines;

static u32 post(u32 flags)
{
	u32 i = next++ % RING_ENTRIES;

	demo_post(&a, 0, i, 200, 500 + i, flags, 0);
	demo_tail(&a, false, 0, next % RING_ENTRIES);
	return i;
}

static struct demo_desc *sent(u32 i)
{
	if (!demo_wait(&a, false, 0, i, 10000))
		tap_ok(false, "descriptor %u completes", i);
	return &demo_ring(&a, false, 0)[i];
}

static void arm(const char *fault)
{
	if (sim_ctl(&sim, NULL, 0, "fault a %s", fault))
		tap_ok(false, "fault %s is accepted", fault);
}

static const char *truth(void)
{
	static char line[512];

	if (!truth_line(&sim, lines++, line, sizeof(line)))
		tap_bail("truth log has no line %u", lines);
	return line;
}

static bool struck(const char *line, const char *fault)
{
	char want[64];

	snprintf(want, sizeof(want), "\"fault\": \"%s\"", fault);
	return strstr(line, want);
}

static void stamps(void)
{
	const char *line;
	struct demo_desc *d;
	u32 i, k;
	u64 stamp;

	arm("stamp-lose skip=1 count=1");
	for (k = 0; k < 4; k++) {
		i = post(k == 0 ? 0 : DEMO_F_TS);
		d = sent(i);
		line = truth();
		if (k == 2)
			tap_ok(!(d->flags & DEMO_F_STAMPED) &&
			       struck(line, "stamp-lose") &&
			       truth_num(line, "stamp_ns") == TRUTH_NULL,
			       "stamp-lose takes the second frame that asked");
		else
			tap_ok(!!(d->flags & DEMO_F_STAMPED) == (k > 0) &&
			       strstr(line, "\"fault\": null"),
			       "and leaves frame %u alone", k);
	}
	arm("stamp-delay arg=200000000 count=1");
	stamp = demo_time(&a);
	d = sent(post(DEMO_F_TS));
	tap_ok(demo_time(&a) - stamp >= 200000000,
	       "stamp-delay: the descriptor comes late");
	tap_ok(d->stamp_ns - stamp < 200000000, "with the true stamp");
	truth();
	arm("stamp-off arg=-5 count=1");
	d = sent(post(DEMO_F_TS));
	line = truth();
	tap_ok(truth_num(line, "egress_ns") - d->stamp_ns == 5 &&
	       truth_num(line, "stamp_ns") == d->stamp_ns,
	       "stamp-off: off by that much, and truth knows both");
}

static void completions(void)
{
	struct demo_desc *ring = demo_ring(&a, false, 0);
	const char *line;
	u32 i[4], k, done = 0;

	arm("hold count=1 skip=1");
	for (k = 0; k < 4; k++)
		i[k] = post(0);
	sent(i[0]);
	poll(NULL, 0, 100);
	for (k = 1; k < 4; k++)
		done += !!(ring[i[k]].flags & DEMO_F_DONE);
	tap_is(done, 0, "hold: completions wait in order");
	sim_ctl(&sim, NULL, 0, "release a");
	for (k = 1; k < 4; k++)
		sent(i[k]);
	for (k = 0; k < 4; k++) {
		line = truth();
		tap_is((long long)truth_num(line, "desc"), i[k],
		       "released in order");
	}

	arm("gap arg=200000000 count=1");
	i[0] = post(DEMO_F_TS);
	sent(i[0]);
	tap_ok(!(ring[i[0]].flags & DEMO_F_STAMPED),
	       "gap: write-back has no stamp to give");
	sim_ctl(&sim, NULL, 0, "sync");
	poll(NULL, 0, 300);
	line = truth();
	tap_ok(struck(line, "gap") && truth_num(line, "egress_ns") != TRUTH_NULL &&
	       truth_num(line, "stamp_ns") == TRUTH_NULL,
	       "the frame leaves later");

	arm("error count=1 arg=7");
	tap_ok(sent(post(0))->flags & DEMO_F_ERROR, "error completion");
	line = truth();
	tap_ok(struck(line, "error") && truth_num(line, "egress_ns") == TRUTH_NULL,
	       "and the frame stays");
	arm("tx-drop count=1");
	tap_ok(!(sent(post(DEMO_F_TS))->flags & DEMO_F_ERROR),
	       "tx-drop completes as sent");
	line = truth();
	tap_ok(struck(line, "tx-drop") &&
	       truth_num(line, "egress_ns") == TRUTH_NULL, "and the frame stays");
}

static void hang(void)
{
	struct demo_desc *ring = demo_ring(&a, false, 0);
	u32 i, k;

	arm("hang queue=0");
	i = post(0);
	demo_post(&a, 1, 0, 64, 9, 0, 0);
	demo_tail(&a, false, 1, 1);
	tap_ok(demo_wait(&a, false, 1, 0, 10000), "hang: another queue goes on");
	truth();
	tap_ok(!(ring[i].flags & DEMO_F_DONE), "this one doesn't");
	sim_ctl(&sim, NULL, 0, "clear a hang");
	sent(i);
	truth();
	tap_ok(true, "until cleared");

	arm("hang queue=0 count=1");
	i = post(0);
	rd32(&a, DEMO_ID);
	poll(NULL, 0, 50);
	tap_ok(!(ring[i].flags & DEMO_F_DONE), "hang with a count");
	demo_start(&a);
	next = 0;
	for (k = 0; k < RING_ENTRIES; k++)
		ring[k].flags = 0;
	sent(post(0));
	truth();
	tap_ok(true, "ends with the queue's reset");
}

static void csum(void)
{
	static u8 good[2], bad[2];
	u32 i, rx = rd32(&b, DEMO_RX(0) + DEMO_HEAD);
	u32 ok[2];

	for (i = 0; i < 2; i++) {
		u32 at = (rx + i) % RING_ENTRIES;
		u8 *p = b.mem + (demo_buf(&b, true, 0, at) - b.iova);

		if (i)
			arm("csum-bad count=1");
		demo_ring(&b, true, 0)[at].flags = 0;
		/* The pseudo-header's sum is what Linux leaves in the field. */
		demo_post(&a, 0, next % RING_ENTRIES, 200, 7, DEMO_F_CSUM, 0);
		u8 *f = a.mem + (demo_buf(&a, false, 0, next % RING_ENTRIES) -
				 a.iova);
		u32 sum = 0x11 + 166 + 0xc000 + 0x0201 + 0xc000 + 0x0202;

		put_be16(f + 40, (u16)((sum & 0xffff) + (sum >> 16)));
		next++;
		demo_tail(&a, false, 0, next % RING_ENTRIES);
		demo_wait(&b, true, 0, at, 10000);
		memcpy(i ? bad : good, p + 40, 2);
		ok[i] = demo_ring(&b, true, 0)[at].flags & DEMO_F_CSUM_OK;
		truth();
	}
	tap_ok(ok[0], "an inserted checksum is right at the other end");
	tap_ok(!ok[1] && get_be16(bad) == (u16)(get_be16(good) + 1),
	       "csum-bad: off by one");
}

static void reset(void)
{
	wr32(&a, DEMO_SCRATCH, 1);
	sim_ctl(&sim, NULL, 0, "reset a");
	tap_is(rd32(&a, DEMO_SCRATCH), 0x5a5a5a5a, "reset by control verb");
	tap_is(rd32(&a, DEMO_CTRL), 0, "the NIC is off");
}

static void every(void)
{
	char out[1024];
	u32 k, lost = 0;

	arm("stamp-lose every=3");
	for (k = 0; k < 12; k++)
		lost += !(sent(post(DEMO_F_TS))->flags & DEMO_F_STAMPED);
	tap_is(lost, 4, "every=3: four of twelve");
	sim_ctl(&sim, out, sizeof(out), "fault a");
	tap_ok(strstr(out, "stamp-lose armed hits 4"), "\"fault a\" shows it");
	sim_ctl(&sim, NULL, 0, "clear a");
	tap_ok(sent(post(DEMO_F_TS))->flags & DEMO_F_STAMPED, "clear ends it");
	lines += 13;
}

int main(void)
{
	static const char *const args[] = { "--nic", "demo,ports=2", NULL };

	sim_start(&sim, args);
	client_open_mem(&b, &sim, "b", 0, 8 << 20);
	client_open_mem(&a, &sim, "a", 0, 8 << 20);
	demo_start(&b);
	demo_start(&a);
	stamps();
	completions();
	every();
	csum();
	hang();
	reset();
	client_close(&a);
	client_close(&b);
	sim_stop(&sim);
	return tap_done();
}
