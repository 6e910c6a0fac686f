// SPDX-License-Identifier: GPL-2.0
/*
 * Checksum requests over IP versions, protocols, VLAN tags, IP options, extension
 * headers and odd lengths: the frame on the wire is right, or it is as it was
 * given and the refusal is counted. Copy mode on this NIC is always right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "md.h"

static const size_t payloads[] = { 18, 19, 63, 200, 1001, 1400 };
#define PAYLOADS (sizeof(payloads) / sizeof(payloads[0]))

/* Can the NIC do this one? Otherwise it has to be left alone. */
static bool served(const struct frame_spec *s)
{
	return s->vlans <= nic->csum_vlans && !s->fragment &&
	       !(s->ip == 6 && s->options && !nic->csum_ip6_ext);
}

static size_t matrix(struct md_frame *f, size_t max, uint64_t first)
{
	struct frame_spec spec = { 0 };
	size_t n = 0;

	frame_to_peer(&spec);
	for (unsigned int i = 0; i < 2 * 2 * 3 * 2 * 2 * PAYLOADS && n < max; i++) {
		unsigned int k = i;

		spec.ip = k % 2 ? 6 : 4;
		k /= 2;
		spec.tcp = k % 2;
		k /= 2;
		spec.vlans = k % 3;
		k /= 3;
		spec.options = k % 2;
		k /= 2;
		spec.fragment = k % 2;
		k /= 2;
		spec.payload = payloads[k];
		spec.seq = first + i;
		f[n].spec = spec;
		f[n].option = true;
		f[n].flags = XDP_TXMD_FLAGS_CHECKSUM;
		n++;
	}
	return n;
}

/* Truth knows no seq of TCP frames: look for the bytes. */
static const struct truth *on_wire(uint32_t crc, uint32_t len)
{
	const struct truth *t;
	size_t n;

	t = truth_all(&n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(t[i].port, "a") && t[i].crc32 == crc && t[i].len == len)
			return &t[i];
	return NULL;
}

static const char *describe(const struct frame_spec *s)
{
	static char buf[96];

	snprintf(buf, sizeof(buf), "IPv%u %s, %u tags%s%s, %zu bytes", s->ip,
		 s->tcp ? "TCP" : "UDP", s->vlans, s->options ? ", options" : "",
		 s->fragment ? ", fragment" : "", s->payload);
	return buf;
}

static void check(const char *mode, bool copy, unsigned int queue)
{
	struct md_frame f[2 * 2 * 3 * 2 * 2 * PAYLOADS] = { 0 };
	size_t n = matrix(f, sizeof(f) / sizeof(f[0]), 30000000), can = 0, right = 0, given = 0;
	struct md_stats before;
	struct md_sock m;

	if (md_open(&m, queue, 64, MD_LEN, copy ? XDP_COPY : 0)) {
		tap_ok(false, "%s: bind", mode);
		return;
	}
	md_stats(&before);
	truth_mark();
	tap_is(md_run(&m, f, n, 64, 10000), n, "%s: all %zu frames complete", mode, n);
	truth_read(NULL);
	for (size_t i = 0; i < n; i++) {
		bool ok = served(&f[i].spec);
		uint32_t len, good = md_crc(&f[i], true, &len), raw = md_crc(&f[i], false, &len);

		can += ok;
		if (copy || ok) {
			if (on_wire(good, len))
				right++;
			else
				tap_diag("%s: not right: %s", mode, describe(&f[i].spec));
		} else if (on_wire(raw, len)) {
			given++;
		} else {
			tap_diag("%s: not as given: %s", mode, describe(&f[i].spec));
		}
	}
	tap_is(right, copy ? n : can, "%s: right on the wire", mode);
	if (!copy) {
		tap_is(given, n - can, "%s: what can't be served leaves as given", mode);
		tap_is(md_since(&before).csum_ok, can, "%s: csum_ok", mode);
		tap_is(md_since(&before).csum_refused, n - can, "%s: csum_refused", mode);
	}
	md_close(&m);
}

/* How many of @n frames, numbered from @first, left with their checksum filled in or not. */
static size_t left_as(const struct md_frame *f, uint64_t first, size_t n, bool finished)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		const struct truth *t = truth_find("a", first + i);
		uint32_t len, crc = md_crc(&f[i], finished, &len);

		same += t && t->crc32 == crc && t->len == len;
	}
	return same;
}

/* Requests that name a wrong place. */
static void wrong_places(void)
{
	static const struct { uint16_t start, offset; bool malformed; } places[] = {
		{ 14, 6, false }, { 34, 16, false }, { 35, 6, false }, { 33, 7, false },
		{ 58, 6, true }, { 65535, 65535, true }, { 1, 65535, true },
	};
	const size_t n = sizeof(places) / sizeof(places[0]);
	struct md_frame *f = md_frames(n, 31000000);
	size_t malformed = 0, same = 0;
	struct md_stats before, s;
	struct md_sock m;

	if (md_open(&m, 0, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	for (size_t i = 0; i < n; i++) {
		f[i].spec.payload = 18;
		f[i].finish = false;
		f[i].option = true;
		f[i].flags = XDP_TXMD_FLAGS_CHECKSUM;
		f[i].csum_start = places[i].start;
		f[i].csum_offset = places[i].offset;
		malformed += places[i].malformed;
	}
	md_stats(&before);
	truth_mark();
	tap_is(md_run(&m, f, n, 64, 5000), n, "wrong places: all complete");
	truth_wait("a", 31000000, n, 3000);
	for (size_t i = 0; i < n; i++)
		same += f[i].same;
	s = md_since(&before);
	tap_is(left_as(f, 31000000, n, false), n, "wrong places: sent as given");
	tap_is(same, n, "wrong places: area untouched");
	tap_is(s.invalid, malformed, "wrong places: malformed ones are counted");
	tap_is(s.csum_refused, n - malformed, "wrong places: the others are refused");
	md_close(&m);
	free(f);
}

/* With an area, who does not ask keeps its checksum field as it is. */
static void not_asked(void)
{
	struct md_frame *f = md_frames(40, 33000000);
	struct md_sock m;

	if (md_open(&m, 0, 64, MD_LEN, 0))
		tap_bail("no zero-copy socket");
	for (size_t i = 0; i < 40; i++) {
		f[i].finish = false;
		f[i].option = i % 2;
	}
	truth_mark();
	tap_is(md_run(&m, f, 40, 64, 5000), 40, "not asked: all complete");
	truth_wait("a", 33000000, 40, 3000);
	tap_is(left_as(f, 33000000, 40, false), 40, "not asked: sent as given");
	md_close(&m);
	free(f);
}

/* Without an area all frames go the way they always went. */
static void no_area(void)
{
	struct md_frame *f = md_frames(20, 32000000);
	struct md_sock m;

	if (md_open(&m, 0, 64, 0, 0))
		tap_bail("no zero-copy socket");
	for (size_t i = 0; i < 20; i++)
		f[i].finish = !nic->csum_always;
	truth_mark();
	tap_is(md_run(&m, f, 20, 64, 5000), 20, "no area: all complete");
	truth_wait("a", 32000000, 20, 3000);
	tap_is(left_as(f, 32000000, 20, true), 20, "no area: checksums as before the patches");
	md_close(&m);
	free(f);
}

int main(void)
{
	int xdp;

	md_init();
	/* The peer must not be disturbed by what it is sent. */
	xdp = nic_xdp_pass(nic_if);
	nic_wait_carrier(5000);
	check("zero-copy", false, 0);
	check("zero-copy, last queue", false, nic->queues - 1);
	check("copy mode", true, 0);
	wrong_places();
	not_asked();
	no_area();
	close(xdp);
	return tap_done();
}
