// SPDX-License-Identifier: GPL-2.0
#include <linux/if_xdp.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "json.h"
#include "tx.h"

static const char *mode_name(const struct tx *t)
{
	return t->zerocopy ? "zerocopy" : "copy";
}

static const char *clock_name(const struct tx *t)
{
	return t->map.clock == CLOCK_SYS_TAI ? "tai" : t->map.clock == CLOCK_PHC ? "phc" : NULL;
}

static void text_dist(FILE *f, const char *name, const struct dist *d)
{
	if (d->n)
		fprintf(f, "  %-21s %9lld %9lld %9lld %9lld   %llu\n", name, d->p50, d->p99,
			d->p999, d->max, d->max_frame);
	else
		fprintf(f, "  %-21s   unknown\n", name);
}

void report_text(const struct tx *t, FILE *f)
{
	const struct verdict *v = &t->verdict;
	struct utsname u;

	uname(&u);
	fprintf(f, "%s queue %u: %s mode%s%s%s, driver %s, kernel %s\n", t->o->ifname, t->o->queue,
		t->zerocopy ? "zero-copy" : "copy", t->fallback ? " (" : "",
		t->fallback ? t->fallback : "", t->fallback ? ")" : "",
		*t->dev.driver ? t->dev.driver : "unknown", u.release);
	fprintf(f, "frames      sent %llu, completed %llu, never completed %llu, twice %llu\n",
		v->sent, v->completed, v->incomplete, v->twice);
	fprintf(f, "timestamps  requested %llu, stamped %llu, zero %llu, late %llu, out of order %llu, duplicate %llu, early %llu, request's own bytes %llu; unasked %llu\n",
		v->requested, v->stamped, v->zero, v->late, v->out_of_order, v->duplicate,
		v->early, v->echo, v->unasked);
	if (v->zero && v->zero_explained)
		fprintf(f, "            the driver's counters account for each zero\n");
	if (!t->run.has_peer) {
		fprintf(f, "checksums   requested %llu; nobody looked at the wire (no --peer)\n",
			v->csum_requested);
	} else {
		fprintf(f, "checksums   requested %llu, of these right on the wire %llu; of all: right %llu, wrong %llu, still to be filled in %llu\n",
			v->csum_requested, v->csum_right, v->right, v->wrong, v->unfilled);
		fprintf(f, "peer        arrived %llu, lost %llu, duplicated %llu, changed %llu, never sent %llu, missed by the capture %llu\n",
			v->arrived, v->lost, v->twice_arrived, v->corrupt, t->run.peer_unknown,
			t->run.peer_drops);
	}
	if (v->launch_requested)
		fprintf(f, "launch time requested %llu, left before %llu, more than 1 ms after %llu, refused %llu\n",
			v->launch_requested, v->ahead, v->behind, t->run.launch_refused);
	if (v->requested) {
		fprintf(f, "latency, ns                 p50       p99     p99.9       max   of frame\n");
		text_dist(f, "submit -> stamp", &v->submit_to_stamp);
		text_dist(f, "stamp -> completion", &v->stamp_to_completion);
		if (v->launch_requested)
			text_dist(f, "launch time -> stamp", &v->launch_to_stamp);
	}
	if (v->pass)
		fprintf(f, "PASS\n");
	else
		fprintf(f, "FAIL: %s%s\n", v->reason, v->faults > 1 ? " (and more, see above)" : "");
}

static void json_dist(struct json *j, const char *key, const struct dist *d)
{
	if (!d->n) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '{');
	json_u64(j, "count", d->n);
	json_s64(j, "min_ns", d->min);
	json_s64(j, "p50_ns", d->p50);
	json_s64(j, "p99_ns", d->p99);
	json_s64(j, "p999_ns", d->p999);
	json_s64(j, "max_ns", d->max);
	json_u64(j, "max_frame", d->max_frame);
	json_close(j, '}');
}

/* null where it is not known. */
static void json_text(struct json *j, const char *key, const char *v)
{
	json_str(j, key, *v ? v : NULL);
}

static void json_size(struct json *j, const char *key, __u32 v)
{
	if (v)
		json_u64(j, key, v);
	else
		json_null(j, key);
}

static void json_options(struct json *j, const struct opts *o)
{
	json_open(j, "options", '{');
	json_u64(j, "queue", o->queue);
	json_u64(j, "count", o->count);
	json_u64(j, "size", o->size);
	if (o->rate)
		json_u64(j, "rate", o->rate);
	else
		json_null(j, "rate");
	json_u64(j, "batch", o->batch);
	json_bool(j, "csum", o->csum);
	json_bool(j, "sw_csum", o->sw_csum);
	json_bool(j, "timestamp", o->timestamp);
	json_u64(j, "every", o->every);
	if (o->launch)
		json_u64(j, "launch", o->launch);
	else
		json_null(j, "launch");
	json_str(j, "ip", o->ip == IP_V6 ? "ipv6" : "ipv4");
	json_str(j, "peer", o->peer);
	json_str(j, "peer_netns", o->peer && *o->peer_netns ? o->peer_netns : NULL);
	json_close(j, '}');
}

static void json_environment(struct json *j, const struct tx *t)
{
	struct utsname u;

	uname(&u);
	json_open(j, "environment", '{');
	json_str(j, "kernel", u.release);
	json_str(j, "kernel_version", u.version);
	json_str(j, "machine", u.machine);
	json_str(j, "interface", t->o->ifname);
	json_text(j, "driver", t->dev.driver);
	json_text(j, "driver_version", t->dev.version);
	json_text(j, "firmware", t->dev.firmware);
	json_text(j, "bus", t->dev.bus);
	json_u64(j, "mtu", t->dev.mtu);
	json_open(j, "queues", '{');
	json_u64(j, "rx", t->dev.rx_queues);
	json_u64(j, "tx", t->dev.tx_queues);
	json_close(j, '}');
	json_open(j, "rings", '{');
	json_size(j, "device_rx", t->dev.rx_ring);
	json_size(j, "device_tx", t->dev.tx_ring);
	json_u64(j, "socket_tx", XSK_RING);
	json_u64(j, "socket_completion", XSK_RING);
	json_u64(j, "umem_chunks", XSK_FRAMES);
	json_u64(j, "chunk_size", XSK_CHUNK);
	json_u64(j, "metadata_len", XSK_META);
	json_close(j, '}');
	json_str(j, "mode", mode_name(t));
	json_str(j, "fallback", t->fallback);
	if (t->dev.tx_csum < 0)
		json_null(j, "tx_checksumming");
	else
		json_bool(j, "tx_checksumming", t->dev.tx_csum);
	json_str(j, "hwtstamp_tx", t->has_hwtstamp ? hwts_tx_name(t->hwtstamp.tx_type) : NULL);
	json_str(j, "hwtstamp_rx", t->has_hwtstamp ? hwts_rx_name(t->hwtstamp.rx_filter) : NULL);
	if (t->dev.phc >= 0)
		json_u64(j, "phc", t->dev.phc);
	else
		json_null(j, "phc");
	json_str(j, "clock", clock_name(t));
	if (t->map.clock == CLOCK_NONE)
		json_null(j, "clock_uncertainty_ns");
	else
		json_u64(j, "clock_uncertainty_ns", clockmap_tolerance(&t->map));
	json_close(j, '}');
}

static void json_counters(struct json *j, const struct tx *t)
{
	int i;

	json_open(j, "driver_counters", '{');
	for (i = 0; i < t->n_after; i++) {
		const struct netdev_counter *c = &t->after[i];
		__u64 was;

		if (strstr(c->name, "xsk_") &&
		    netdev_counter(t->before, t->n_before, c->name, &was))
			json_u64(j, c->name, c->value - was);
	}
	json_close(j, '}');
}

void report_json(const struct tx *t, FILE *f)
{
	const struct verdict *v = &t->verdict;
	const struct run *run = &t->run;
	struct json j = { .f = f };

	json_open(&j, NULL, '{');
	json_u64(&j, "schema", 1);
	json_str(&j, "command", "tx");
	json_str(&j, "verdict", v->pass ? "PASS" : "FAIL");
	json_str(&j, "reason", *v->reason ? v->reason : NULL);
	json_bool(&j, "interrupted", run->interrupted);
	json_options(&j, t->o);
	json_environment(&j, t);
	json_u64(&j, "duration_ns", t->end_ns - t->start_ns);
	json_open(&j, "frames", '{');
	json_u64(&j, "sent", v->sent);
	json_u64(&j, "completed", v->completed);
	json_u64(&j, "incomplete", v->incomplete);
	json_u64(&j, "completed_twice", v->twice);
	json_u64(&j, "stray_completions", run->stray_completions);
	json_u64(&j, "invalid_descs", run->invalid_descs);
	json_close(&j, '}');
	json_open(&j, "timestamps", '{');
	json_u64(&j, "requested", v->requested);
	json_u64(&j, "stamped", v->stamped);
	json_u64(&j, "zero", v->zero);
	json_bool(&j, "zero_explained", v->zero_explained);
	json_u64(&j, "late", v->late);
	json_u64(&j, "early", v->early);
	json_u64(&j, "out_of_order", v->out_of_order);
	json_u64(&j, "duplicate", v->duplicate);
	json_u64(&j, "echo", v->echo);
	json_u64(&j, "not_asked", v->not_asked);
	json_u64(&j, "unasked", v->unasked);
	json_bool(&j, "times_known", v->times_known);
	json_close(&j, '}');
	if (v->launch_requested) {
		json_open(&j, "launch_times", '{');
		json_u64(&j, "requested", v->launch_requested);
		json_u64(&j, "ahead", v->ahead);
		json_u64(&j, "behind", v->behind);
		json_u64(&j, "refused", run->launch_refused);
		json_close(&j, '}');
	} else {
		json_null(&j, "launch_times");
	}
	json_open(&j, "checksums", '{');
	json_u64(&j, "requested", v->csum_requested);
	if (run->has_peer) {
		json_u64(&j, "requested_right", v->csum_right);
		json_u64(&j, "right", v->right);
		json_u64(&j, "wrong", v->wrong);
		json_u64(&j, "unfilled", v->unfilled);
	} else {
		json_null(&j, "requested_right");
		json_null(&j, "right");
		json_null(&j, "wrong");
		json_null(&j, "unfilled");
	}
	json_close(&j, '}');
	if (run->has_peer) {
		json_open(&j, "peer", '{');
		json_u64(&j, "arrived", v->arrived);
		json_u64(&j, "lost", v->lost);
		json_u64(&j, "duplicated", v->twice_arrived);
		json_u64(&j, "changed", v->corrupt);
		json_u64(&j, "never_sent", run->peer_unknown);
		json_u64(&j, "missed_by_capture", run->peer_drops);
		json_close(&j, '}');
	} else {
		json_null(&j, "peer");
	}
	json_open(&j, "latency", '{');
	json_dist(&j, "submit_to_stamp", &v->submit_to_stamp);
	json_dist(&j, "stamp_to_completion", &v->stamp_to_completion);
	json_dist(&j, "launch_to_stamp", &v->launch_to_stamp);
	json_close(&j, '}');
	json_counters(&j, t);
	json_close(&j, '}');
}

/* A system time in the clock of the stamps where that is known, else as it is. */
static void json_time(struct json *j, const char *key, const struct tx *t, __u64 tai)
{
	__u64 dev;

	if (!tai)
		json_null(j, key);
	else
		json_u64(j, key, clockmap_dev(&t->map, tai, &dev) ? dev : tai);
}

void report_frames(const struct tx *t, FILE *f)
{
	__u64 i;

	for (i = 0; i < t->run.count; i++) {
		const struct frame *fr = &t->run.frame[i];
		struct json j = { .f = f, .compact = true };

		if (fr->verdict == FV_UNSENT)
			continue;
		json_open(&j, NULL, '{');
		json_u64(&j, "seq", i);
		json_u64(&j, "addr", fr->addr);
		json_u64(&j, "queue", t->o->queue);
		json_u64(&j, "req", fr->req);
		json_time(&j, "submit_ns", t, fr->submit_ns);
		json_time(&j, "complete_ns", t, fr->complete_ns);
		if (fr->completions && fr->req & XDP_TXMD_FLAGS_TIMESTAMP)
			json_u64(&j, "tx_timestamp", fr->stamp);
		else
			json_null(&j, "tx_timestamp");
		if (fr->launch)
			json_u64(&j, "launch_ns", fr->launch);
		json_str(&j, "verdict", verdict_name(fr->verdict));
		json_close(&j, '}');
	}
}
