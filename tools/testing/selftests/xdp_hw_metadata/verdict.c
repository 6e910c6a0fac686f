// SPDX-License-Identifier: GPL-2.0
#include <linux/if_xdp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if_xdp.h>
#include "verdict.h"

const char *verdict_name(enum frame_verdict v)
{
	static const char *const names[FV_COUNT] = {
		[FV_OK] = "ok",
		[FV_UNSENT] = "unsent",
		[FV_INCOMPLETE] = "incomplete",
		[FV_TWICE] = "completed_twice",
		[FV_UNASKED] = "unasked",
		[FV_ZERO] = "zero",
		[FV_ECHO] = "echo",
		[FV_LATE] = "late",
		[FV_EARLY] = "early",
		[FV_DUPLICATE] = "duplicate",
		[FV_ORDER] = "out_of_order",
		[FV_AHEAD] = "ahead",
		[FV_BEHIND] = "behind",
	};

	return names[v];
}

/* What can be said of a frame without looking at others. */
static enum frame_verdict judge_alone(const struct frame *f, const struct clockmap *map,
				      bool times, __u64 tol)
{
	__u64 dev;

	if (!f->submit_ns)
		return FV_UNSENT;
	if (!f->completions)
		return FV_INCOMPLETE;
	if (f->completions > 1)
		return FV_TWICE;
	if (!(f->req & XDP_TXMD_FLAGS_TIMESTAMP))
		return f->stamp != f->asked || f->changed ? FV_UNASKED : FV_OK;
	if (f->changed)
		return FV_LATE;
	if (!f->stamp)
		return FV_ZERO;
	if (f->stamp == f->asked)
		return FV_ECHO;
	if (!times)
		return FV_OK;
	if (clockmap_dev(map, f->submit_ns, &dev) && f->stamp < dev && dev - f->stamp > tol)
		return FV_EARLY;
	if (clockmap_dev(map, f->complete_ns, &dev) && f->stamp > dev && f->stamp - dev > tol)
		return FV_LATE;
	return FV_OK;
}

/* A frame with a stamp of its own: did it leave when it was to? */
static enum frame_verdict judge_launch(const struct frame *f)
{
	if (!f->launch)
		return FV_OK;
	if (f->stamp < f->launch && f->launch - f->stamp > LAUNCH_EARLY_NS)
		return FV_AHEAD;
	if (f->stamp > f->launch && f->stamp - f->launch > LAUNCH_LATE_NS)
		return FV_BEHIND;
	return FV_OK;
}

static bool launch_errors(const struct run *run, struct verdict *v)
{
	struct sample *s = malloc((v->launch_requested + 1) * sizeof(*s));
	__u64 i, n = 0;

	if (!s)
		return false;
	for (i = 0; i < run->count; i++) {
		const struct frame *f = &run->frame[i];

		if (f->launch && (f->verdict == FV_OK || f->verdict == FV_AHEAD ||
				  f->verdict == FV_BEHIND))
			s[n++] = (struct sample){ f->stamp - f->launch, i };
	}
	v->launch_to_stamp = dist_of(s, n);
	free(s);
	return true;
}

struct stamp_at {
	__u64 stamp, seq;
};

static int by_stamp(const void *pa, const void *pb)
{
	const struct stamp_at *a = pa, *b = pb;

	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

/* Of frames that are right by themselves: the same stamp twice, wrong order. */
static bool judge_together(struct run *run)
{
	struct stamp_at *s = malloc((run->count ? run->count : 1) * sizeof(*s));
	__u64 i, n = 0, newest = 0;

	if (!s)
		return false;
	for (i = 0; i < run->count; i++)
		if (run->frame[i].verdict == FV_OK && run->frame[i].req & XDP_TXMD_FLAGS_TIMESTAMP)
			s[n++] = (struct stamp_at){ run->frame[i].stamp, i };
	qsort(s, n, sizeof(*s), by_stamp);
	for (i = 1; i < n; i++)
		if (s[i].stamp == s[i - 1].stamp)
			run->frame[s[i].seq].verdict = FV_DUPLICATE;
	free(s);

	for (i = 0; i < run->count; i++) {
		struct frame *f = &run->frame[i];

		if (f->verdict != FV_OK || !(f->req & XDP_TXMD_FLAGS_TIMESTAMP))
			continue;
		if (f->stamp < newest)
			f->verdict = FV_ORDER;
		else
			newest = f->stamp;
	}
	for (i = 0; i < run->count; i++)
		if (run->frame[i].verdict == FV_OK)
			run->frame[i].verdict = judge_launch(&run->frame[i]);
	return true;
}

static bool latencies(const struct run *run, struct verdict *v)
{
	struct sample *a = malloc((v->stamped + 1) * sizeof(*a));
	struct sample *b = malloc((v->stamped + 1) * sizeof(*b));
	__u64 i, n = 0, dev_s, dev_c;

	if (a && b) {
		for (i = 0; i < run->count; i++) {
			const struct frame *f = &run->frame[i];

			if (f->verdict != FV_OK || !(f->req & XDP_TXMD_FLAGS_TIMESTAMP) ||
			    !clockmap_dev(run->map, f->submit_ns, &dev_s) ||
			    !clockmap_dev(run->map, f->complete_ns, &dev_c))
				continue;
			a[n] = (struct sample){ f->stamp - dev_s, i };
			b[n++] = (struct sample){ dev_c - f->stamp, i };
		}
		v->submit_to_stamp = dist_of(a, n);
		v->stamp_to_completion = dist_of(b, n);
	}
	free(a);
	free(b);
	return a && b;
}

static void count_stamps(const struct frame *f, struct verdict *v)
{
	bool asked = f->req & XDP_TXMD_FLAGS_TIMESTAMP;

	if (f->verdict == FV_UNSENT)
		return;
	v->sent++;
	v->requested += asked;
	v->not_asked += !asked;
	v->completed += f->completions > 0;
	v->launch_requested += !!f->launch;
	switch ((enum frame_verdict)f->verdict) {
	case FV_OK:
		v->stamped += asked;
		break;
	case FV_INCOMPLETE:
		v->incomplete++;
		break;
	case FV_TWICE:
		v->twice++;
		break;
	case FV_UNASKED:
		v->unasked++;
		break;
	case FV_ZERO:
		v->zero++;
		break;
	case FV_ECHO:
		v->echo++;
		break;
	case FV_LATE:
		v->late++;
		break;
	case FV_EARLY:
		v->early++;
		break;
	case FV_DUPLICATE:
		v->duplicate++;
		break;
	case FV_ORDER:
		v->out_of_order++;
		break;
	case FV_AHEAD:
		v->ahead++;
		break;
	case FV_BEHIND:
		v->behind++;
		break;
	case FV_UNSENT:
	case FV_COUNT:
		break;
	}
}

static void count_arrivals(const struct frame *f, struct verdict *v)
{
	bool asked = f->req & XDP_TXMD_FLAGS_CHECKSUM;

	if (f->verdict == FV_UNSENT)
		return;
	v->csum_requested += asked;
	if (!f->rx) {
		v->lost++;
		return;
	}
	v->arrived++;
	v->twice_arrived += f->rx > 1;
	switch ((enum packet_state)f->rx_state) {
	case PKT_CORRUPT:
		v->corrupt++;
		break;
	case PKT_UNFILLED:
		v->unfilled++;
		break;
	case PKT_WRONG:
		v->wrong++;
		break;
	case PKT_RIGHT:
		v->right++;
		v->csum_right += asked;
		break;
	case PKT_FOREIGN:
	case PKT_UNKNOWN:
		break;
	}
}

static void fault(struct verdict *v, __u64 n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Notes a kind of fault if @n is not 0; the text of the first is kept. */
static void fault(struct verdict *v, __u64 n, const char *fmt, ...)
{
	va_list ap;

	if (!n)
		return;
	if (!v->faults++) {
		va_start(ap, fmt);
		vsnprintf(v->reason, sizeof(v->reason), fmt, ap);
		va_end(ap);
	}
}

static void conclude(const struct run *run, struct verdict *v)
{
	fault(v, run->interrupted, "interrupted after %llu of %llu frames", v->sent, run->count);
	fault(v, run->send_errno, "sending ended after %llu of %llu frames: %s", v->sent,
	      run->count, strerror(run->send_errno));
	fault(v, v->incomplete, "%llu frames never completed", v->incomplete);
	fault(v, v->twice, "%llu frames completed more than once", v->twice);
	fault(v, run->stray_completions, "%llu completions of frames that were not in flight",
	      run->stray_completions);
	fault(v, run->invalid_descs, "the kernel called %llu descriptors invalid",
	      run->invalid_descs);
	fault(v, v->echo, "%llu stamps are the request's own bytes: nobody served the request",
	      v->echo);
	fault(v, v->early, "%llu stamps are from before their frame was submitted", v->early);
	fault(v, v->late, "%llu stamps came, or lie, after their frame's completion", v->late);
	fault(v, v->duplicate, "%llu stamps are the same as another frame's", v->duplicate);
	fault(v, v->out_of_order, "%llu stamps are out of order", v->out_of_order);
	fault(v, v->unasked, "%llu metadata areas were written without a request", v->unasked);
	fault(v, v->zero && v->zero == v->requested, "none of %llu requests was stamped",
	      v->requested);
	fault(v, v->zero_explained ? 0 : v->zero, "%llu of %llu requests were not stamped",
	      v->zero, v->requested);
	fault(v, run->launch_refused,
	      "the driver refused %llu launch times: no ETF offload on the queue (tc qdisc ... etf offload), or too far ahead for the device (lower --launch)",
	      run->launch_refused);
	fault(v, v->ahead, "%llu frames left before their launch time", v->ahead);
	fault(v, v->behind, "%llu frames left more than 1 ms after their launch time: raise --launch if they were handed over too late",
	      v->behind);
	fault(v, run->csum_refused, "the driver refused %llu checksum requests",
	      run->csum_refused);
	if (run->has_peer) {
		fault(v, run->peer_drops,
		      "the capture at the peer lost %llu frames, nothing can be said of those: lower --rate",
		      run->peer_drops);
		fault(v, v->unfilled,
		      "%llu checksums had still to be filled in at the peer: a virtual device passes them on, use ethtool -K IFNAME tx off or --sw-csum",
		      v->unfilled);
		fault(v, v->wrong, "%llu checksums are wrong at the peer", v->wrong);
		fault(v, v->corrupt, "%llu frames arrived changed", v->corrupt);
		fault(v, v->lost, "%llu of %llu frames never reached the peer", v->lost, v->sent);
		fault(v, v->twice_arrived, "%llu frames reached the peer more than once",
		      v->twice_arrived);
		fault(v, run->peer_unknown, "%llu frames that were never sent reached the peer",
		      run->peer_unknown);
	}
	fault(v, !v->sent, "no frame was sent");
	v->pass = !v->faults;
}

bool verdict_judge(struct run *run, struct verdict *v)
{
	__u64 tol = clockmap_tolerance(run->map), i;

	*v = (struct verdict){
		.times_known = run->map->clock == CLOCK_SYS_TAI ||
			       (run->map->clock == CLOCK_PHC && run->map->n &&
				!clockmap_stepped(run->map)),
	};
	for (i = 0; i < run->count; i++)
		run->frame[i].verdict = judge_alone(&run->frame[i], run->map, v->times_known, tol);
	if (!judge_together(run))
		return false;
	for (i = 0; i < run->count; i++) {
		count_stamps(&run->frame[i], v);
		if (run->has_peer)
			count_arrivals(&run->frame[i], v);
		else if (run->frame[i].verdict != FV_UNSENT)
			v->csum_requested += !!(run->frame[i].req & XDP_TXMD_FLAGS_CHECKSUM);
	}
	v->zero_explained = run->has_counters && v->zero <= run->ts_unserved;
	if (v->times_known && !latencies(run, v))
		return false;
	if (v->launch_requested && !launch_errors(run, v))
		return false;
	conclude(run, v);
	return true;
}
