// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "core.h"

#define WIRES_MAX 26
#define MIN_FRAME 60
/* Preamble and SFD 8, FCS 4, gap 12. */
#define LINE_OVERHEAD 24
#define DELAY_MAX (10 * NSEC_PER_SEC)

struct wire {
	struct nic *end[2];
	struct wire_cfg cfg;
	u64 rng;
	bool down[2];		/* forced, an end each */
	struct timer flap;
	struct flight *flights;
};

/* A frame between two ports. */
struct flight {
	struct timer arrive;
	struct wire *wire;
	struct nic *to;
	struct flight *next, **prev;
	u64 mono;
	u32 len;
	u8 data[];
};

static struct wire *wires[WIRES_MAX];
static u32 wire_count;

static u32 end_of(const struct wire *w, const struct nic *nic)
{
	return w->end[0] != nic;
}

static struct nic *peer_of(const struct nic *nic)
{
	return nic->wire->end[!end_of(nic->wire, nic)];
}

bool wire_link(const struct nic *nic)
{
	return nic->wire && !nic->wire->down[0] && !nic->wire->down[1];
}

static void tell(struct wire *w)
{
	int i;

	for (i = 0; i < 2; i++) {
		struct nic *nic = w->end[i];

		if (i && nic == w->end[0])
			break;
		nic_log(nic, LOG_INFO, "link %s", wire_link(nic) ? "up" : "down");
		if (nic->ops->link)
			nic->ops->link(nic);
		tx_kick(nic);
	}
}

static void flap_over(struct timer *t)
{
	struct wire *w = container_of(t, struct wire, flap);

	w->down[0] = false;
	w->down[1] = false;
	tell(w);
}

void wire_force_down(struct nic *nic, bool down)
{
	struct wire *w = nic->wire;
	bool before;

	if (!w)
		return;
	before = wire_link(nic);
	timer_cancel(&w->flap);
	w->down[end_of(w, nic)] = down;
	if (wire_link(nic) != before)
		tell(w);
}

void wire_flap(struct nic *nic, u64 ns)
{
	if (!nic->wire)
		return;
	wire_force_down(nic, true);
	timer_set(&nic->wire->flap, mono_now() + ns);
}

void wire_set_speed(struct nic *nic, u32 mbps)
{
	nic->speed_mbps = mbps;
	if (nic->tx)
		tx_kick(nic);
}

u64 wire_line_ns(const struct nic *nic, u32 len)
{
	u64 bits = 8ULL * ((len < MIN_FRAME ? MIN_FRAME : len) + LINE_OVERHEAD);
	u64 mbps = nic->speed_mbps;

	if (nic->wire && nic->wire->cfg.rate_mbps)
		mbps = nic->wire->cfg.rate_mbps;
	if (!mbps)
		mbps = 1000;
	return (bits * 1000 + mbps - 1) / mbps;
}

static void flight_free(struct flight *fl)
{
	timer_cancel(&fl->arrive);
	*fl->prev = fl->next;
	if (fl->next)
		fl->next->prev = fl->prev;
	free(fl);
}

static void arrived(struct timer *t)
{
	struct flight *fl = container_of(t, struct flight, arrive);
	struct nic *nic = fl->to;
	struct rx_frame f = {
		.data = fl->data, .len = fl->len, .mono = fl->mono,
		.stamp_ns = nic_clock_ns(nic, fl->mono),
	};

	if (wire_link(nic) && nic->ops->rx && nic->ops->rx(nic, &f)) {
		nic->stats.rx_frames++;
		nic->stats.rx_bytes += fl->len;
	} else {
		nic->stats.rx_dropped++;
	}
	flight_free(fl);
}

/* A small xorshift: the same seed loses the same frames. */
static bool lost(struct wire *w)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 7;
	w->rng ^= w->rng << 17;
	return w->cfg.loss_ppm && w->rng % 1000000 < w->cfg.loss_ppm;
}

bool wire_carry(struct nic *nic, u64 mono, const u8 *data, u32 len)
{
	struct wire *w = nic->wire;
	struct flight *fl;

	pcap_frame(nic->id, mono, data, len);
	if (lost(w))
		return true;
	fl = malloc(sizeof(*fl) + len);
	if (!fl)
		return true;
	memset(fl, 0, sizeof(*fl));
	fl->arrive.fn = arrived;
	fl->wire = w;
	fl->to = peer_of(nic);
	fl->mono = mono + w->cfg.delay_ns;
	fl->len = len;
	memcpy(fl->data, data, len);
	fl->next = w->flights;
	if (fl->next)
		fl->next->prev = &fl->next;
	fl->prev = &w->flights;
	w->flights = fl;
	timer_set(&fl->arrive, fl->mono + wire_line_ns(nic, len));
	return false;
}

u64 wire_arrival_ns(const struct nic *nic, u64 mono)
{
	return nic_clock_ns(peer_of(nic), mono + nic->wire->cfg.delay_ns);
}

struct wire_cfg *wire_config(struct nic *nic)
{
	return nic->wire ? &nic->wire->cfg : NULL;
}

struct wire *wire_new(struct nic *a, struct nic *b, const struct wire_cfg *cfg)
{
	struct wire *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->end[0] = a;
	w->end[1] = b;
	w->cfg = *cfg;
	w->rng = cfg->seed * 0x9e3779b97f4a7c15ULL + 1;
	w->flap.fn = flap_over;
	a->wire = w;
	b->wire = w;
	return w;
}

void wire_free(struct wire *w)
{
	if (!w)
		return;
	timer_cancel(&w->flap);
	while (w->flights)
		flight_free(w->flights);
	w->end[0]->wire = NULL;
	w->end[1]->wire = NULL;
	free(w);
}

static int add(struct nic *a, struct nic *b, const struct wire_cfg *cfg)
{
	if (wire_count == WIRES_MAX)
		return -ENOSPC;
	wires[wire_count] = wire_new(a, b, cfg);
	return wires[wire_count] ? (wire_count++, 0) : -ENOMEM;
}

static int ends(const char *text, size_t len, struct nic *end[2])
{
	char name[2] = "";
	int i;

	if (len != 3 || text[1] != '-') {
		fprintf(stderr, "nicsim: --wire %.*s: must be two ports, as in a-b\n",
			(int)len, text);
		return -EINVAL;
	}
	for (i = 0; i < 2; i++) {
		name[0] = text[2 * i];
		end[i] = nic_by_name(name);
		if (!end[i] || end[i]->wire) {
			fprintf(stderr, "nicsim: --wire %.*s: port %s %s\n",
				(int)len, text, name, end[i] ?
				"has a wire already" : "does not exist");
			return -EINVAL;
		}
	}
	return 0;
}

int wire_create(const char *spec)
{
	size_t len = strcspn(spec, ",");
	struct wire_cfg cfg = { 0 };
	struct nic *end[2];
	struct optset *o;
	int err = ends(spec, len, end);

	if (err)
		return err;
	o = opt_parse(spec + len);
	if (!o)
		return -EINVAL;
	err = opt_u64(o, "delay", &cfg.delay_ns, 0, DELAY_MAX);
	err = err ?: opt_u64(o, "rate", &cfg.rate_mbps, 1, 400000);
	err = err ?: opt_u64(o, "loss", &cfg.loss_ppm, 0, 1000000);
	err = err ?: opt_u64(o, "seed", &cfg.seed, 0, UINT32_MAX);
	if (!err && opt_unused(o)) {
		fprintf(stderr, "nicsim: --wire %s: no option %s; known: delay rate loss seed\n",
			spec, opt_unused(o));
		err = -EINVAL;
	}
	opt_free(o);
	return err ?: add(end[0], end[1], &cfg);
}

int wire_default(void)
{
	const struct wire_cfg cfg = { 0 };
	struct nic *waiting = NULL;
	u32 i;
	int err;

	for (i = 0; i < nic_count; i++) {
		if (nics[i]->wire)
			continue;
		if (!waiting) {
			waiting = nics[i];
			continue;
		}
		err = add(waiting, nics[i], &cfg);
		if (err)
			return err;
		waiting = NULL;
	}
	return 0;
}

void wire_destroy_all(void)
{
	while (wire_count)
		wire_free(wires[--wire_count]);
}
