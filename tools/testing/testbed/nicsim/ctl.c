// SPDX-License-Identifier: GPL-2.0
/*
 * The control verbs; ctl.h says what they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core.h"
#include "ctl.h"

#define LISTENERS 2
#define CLIENTS 16
#define ARGS_MAX 24

struct client {
	int fd;
	bool guest;
	bool skip;	/* an overlong line: drop the rest of it */
	u32 len;
	char buf[CTL_LINE];
};

struct listener {
	int fd;
	bool guest;
	char path[108];
};

static struct listener listeners[LISTENERS];
static u32 listener_count;
static struct client *clients[CLIENTS];

/* One request. @err text goes out as "error ...". */
struct request {
	struct nic *nic;
	int argc;
	char **argv;	/* behind the port, or behind the verb without one */
	FILE *out;
	bool guest;
	char err[256];
};

static int fail(struct request *r, const char *fmt, const char *arg)
{
	snprintf(r->err, sizeof(r->err), fmt, arg);
	return -EINVAL;
}

static int number(struct request *r, const char *text, u64 *val)
{
	char *end;

	errno = 0;
	*val = strtoull(text, &end, 0);
	if (!*text || *text == '-' || *end || errno)
		return fail(r, "%s: not a number", text);
	return 0;
}

static int verb_sync(struct request *r)
{
	int err = truth_flush() ?: pcap_flush();

	fprintf(r->out, "truth_lines %llu\n",
		(unsigned long long)truth_lines());
	return err ? fail(r, "truth or pcap: %s", strerror(-err)) : 0;
}

static int verb_ports(struct request *r)
{
	u32 i;

	for (i = 0; i < nic_count; i++)
		fprintf(r->out, "%s %s %s %s\n", nics[i]->name,
			nics[i]->ops->name, wire_link(nics[i]) ? "up" : "down",
			vfu_connected(nics[i]) ? "connected" : "idle");
	return 0;
}

static int verb_stats(struct request *r)
{
	static const struct {
		const char *name;
		size_t off;
	} stats[] = {
#define STAT(n) { #n, offsetof(struct nic_stats, n) }
		STAT(tx_frames), STAT(tx_bytes), STAT(tx_dropped),
		STAT(rx_frames), STAT(rx_bytes), STAT(rx_dropped),
		STAT(irq_raised), STAT(irq_dropped), STAT(dma_faults),
		STAT(guest_errors), STAT(mmio_reads), STAT(mmio_writes),
		STAT(mmio_refused), STAT(resets),
#undef STAT
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(stats); i++)
		fprintf(r->out, "%s %llu\n", stats[i].name, (unsigned long long)
			*(u64 *)((char *)&r->nic->stats + stats[i].off));
	if (r->nic->ops->stats)
		r->nic->ops->stats(r->nic, r->out);
	return 0;
}

static int verb_coverage(struct request *r)
{
	if (r->nic->ops->coverage)
		r->nic->ops->coverage(r->nic, r->out);
	return 0;
}

static int verb_link(struct request *r)
{
	u64 ms;

	if (r->argc == 2 && !strcmp(r->argv[0], "flap")) {
		if (number(r, r->argv[1], &ms))
			return -EINVAL;
		wire_flap(r->nic, ms * 1000000);
		return 0;
	}
	if (r->argc != 1 || (strcmp(r->argv[0], "up") &&
			     strcmp(r->argv[0], "down")))
		return fail(r, "link PORT %s", "up|down|flap MS");
	if (!r->nic->wire)
		return fail(r, "%s has no wire", r->nic->name);
	wire_force_down(r->nic, !strcmp(r->argv[0], "down"));
	return 0;
}

static int clock_change(struct request *r)
{
	struct nic *nic = r->nic;
	u64 now = mono_now(), val;
	const char *what = r->argv[0], *text = r->argv[1];
	bool minus = *text == '-';

	if (number(r, text + minus, &val))
		return -EINVAL;
	if (minus)
		val = -val;
	if (!strcmp(what, "ppb")) {
		phc_set_ppb(&nic->phc, now, (s64)val);
	} else if (!strcmp(what, "drift")) {
		if ((s64)val < -DRIFT_MAX_PPB || (s64)val > DRIFT_MAX_PPB)
			return fail(r, "a drift is at most 1000000 ppb either way, not %s",
				    text);
		phc_set_drift(&nic->phc, now, (s64)val);
	} else if (!strcmp(what, "set") || !strcmp(what, "adjust")) {
		if (*what == 'a')
			val += nic_clock_ns(nic, now);
		if (nic->ops->clock_set)
			nic->ops->clock_set(nic, val);
		else
			phc_set_units(&nic->phc, now, val);
	} else {
		return fail(r, "clock PORT %s", "[set|adjust|ppb|drift N]");
	}
	tx_kick(nic);
	return 0;
}

static int verb_clock(struct request *r)
{
	if (r->argc == 2)
		return clock_change(r);
	if (r->argc)
		return fail(r, "clock PORT %s", "[set|adjust|ppb|drift N]");
	fprintf(r->out, "ns %llu\n",
		(unsigned long long)nic_clock_ns(r->nic, mono_now()));
	return 0;
}

static void show_faults(struct request *r)
{
	u32 i;

	for (i = 0; i < FAULT_KINDS; i++) {
		const struct fault *f = &r->nic->faults.f[i];

		if (f->armed || f->hits)
			fprintf(r->out, "%s %s hits %llu\n", fault_name(i),
				f->armed ? "armed" : "over",
				(unsigned long long)f->hits);
	}
}

static int fault_option(struct request *r, struct fault *f, const char *text)
{
	static const struct {
		const char *key;
		size_t off;
	} keys[] = {
		{ "queue=", offsetof(struct fault, queue) },
		{ "count=", offsetof(struct fault, count) },
		{ "skip=", offsetof(struct fault, skip) },
		{ "every=", offsetof(struct fault, every) },
		{ "arg=", offsetof(struct fault, arg) },
		{ "val=", offsetof(struct fault, val) },
	};
	size_t i;
	u64 val;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t len = strlen(keys[i].key);
		bool minus;

		if (strncmp(text, keys[i].key, len))
			continue;
		minus = text[len] == '-' && !strcmp(keys[i].key, "arg=");
		if (number(r, text + len + minus, &val))
			return -EINVAL;
		*(u64 *)((char *)f + keys[i].off) = minus ? -val : val;
		return 0;
	}
	return fail(r, "%s: must be queue= count= skip= every= arg= or val=",
		    text);
}

static int verb_fault(struct request *r)
{
	struct fault f = {
		.armed = true, .queue = FAULT_ANY, .count = UINT64_MAX,
	};
	int kind, i;

	if (!r->argc) {
		show_faults(r);
		return 0;
	}
	kind = fault_by_name(r->argv[0]);
	if (kind < 0)
		return fail(r, "%s: no such fault", r->argv[0]);
	if (kind == FAULT_CMD)
		f.arg = FAULT_ANY;
	for (i = 1; i < r->argc; i++)
		if (fault_option(r, &f, r->argv[i]))
			return -EINVAL;
	if (!f.count)
		return fail(r, "count=%s: nothing to do", "0");
	r->nic->faults.f[kind] = f;
	return 0;
}

static int verb_clear(struct request *r)
{
	if (!r->argc) {
		fault_clear_all(r->nic);
	} else {
		int kind = fault_by_name(r->argv[0]);

		if (kind < 0)
			return fail(r, "%s: no such fault", r->argv[0]);
		r->nic->faults.f[kind].armed = false;
	}
	if (!fault_armed(r->nic, FAULT_HOLD, FAULT_ANY))
		tx_release(r->nic);
	tx_kick(r->nic);
	return 0;
}

static int verb_release(struct request *r)
{
	tx_release(r->nic);
	return 0;
}

static int verb_reset(struct request *r)
{
	nic_reset(r->nic, RESET_FAULT);
	return 0;
}

static int verb_wire(struct request *r)
{
	struct wire_cfg *cfg = wire_config(r->nic), new;
	int i;

	if (!cfg)
		return fail(r, "%s has no wire", r->nic->name);
	new = *cfg;
	for (i = 0; i < r->argc; i++) {
		const char *text = r->argv[i];
		u64 *field = NULL;

		if (!strncmp(text, "delay=", 6))
			field = &new.delay_ns;
		else if (!strncmp(text, "rate=", 5))
			field = &new.rate_mbps;
		else if (!strncmp(text, "loss=", 5))
			field = &new.loss_ppm;
		if (!field)
			return fail(r, "%s: must be delay= rate= or loss=", text);
		if (number(r, strchr(text, '=') + 1, field))
			return -EINVAL;
	}
	*cfg = new;
	fprintf(r->out, "delay %llu rate %llu loss %llu\n",
		(unsigned long long)cfg->delay_ns,
		(unsigned long long)cfg->rate_mbps,
		(unsigned long long)cfg->loss_ppm);
	return 0;
}

static int verb_model(struct request *r)
{
	int err = -ENOENT;

	if (!r->argc)
		return fail(r, "model PORT %s", "VERB ...");
	if (r->nic->ops->control)
		err = r->nic->ops->control(r->nic, r->argc, r->argv, r->out);
	if (err == -ENOENT)
		return fail(r, "%s: the model has no such verb", r->argv[0]);
	return err ? fail(r, "%s", strerror(-err)) : 0;
}

static int verb_mark(struct request *r)
{
	char text[CTL_LINE] = "";
	size_t len = 0;
	int i;

	for (i = 0; i < r->argc && len < sizeof(text); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %s",
					r->argv[i]);
	nic_log(NULL, LOG_INFO, "mark%s", text);
	return 0;
}

static int verb_quit(struct request *r)
{
	if (r->guest)
		return fail(r, "%s: not from the guest", "quit");
	loop_stop();
	return 0;
}

static const struct verb {
	const char *name;
	bool port;
	int (*fn)(struct request *r);
} verbs[] = {
	{ "sync", false, verb_sync },
	{ "ports", false, verb_ports },
	{ "stats", true, verb_stats },
	{ "coverage", true, verb_coverage },
	{ "link", true, verb_link },
	{ "clock", true, verb_clock },
	{ "fault", true, verb_fault },
	{ "clear", true, verb_clear },
	{ "release", true, verb_release },
	{ "reset", true, verb_reset },
	{ "wire", true, verb_wire },
	{ "model", true, verb_model },
	{ "mark", false, verb_mark },
	{ "quit", false, verb_quit },
};

static int run(struct request *r)
{
	const char *name = r->argv[0];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].name, name))
			continue;
		r->argc--;
		r->argv++;
		if (!verbs[i].port)
			return verbs[i].fn(r);
		if (!r->argc)
			return fail(r, "%s: which port?", name);
		r->nic = nic_by_name(r->argv[0]);
		if (!r->nic)
			return fail(r, "%s: no such port", r->argv[0]);
		r->argc--;
		r->argv++;
		return verbs[i].fn(r);
	}
	return fail(r, "%s: no such verb", name);
}

static void drop(struct client *c)
{
	u32 i;

	for (i = 0; i < CLIENTS; i++)
		if (clients[i] == c)
			clients[i] = NULL;
	loop_del(c->fd);
	close(c->fd);
	free(c);
}

/* All of @text's lines, marked as belonging to the answer. */
static void add_lines(FILE *out, const char *tag, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line)
			fprintf(out, "%s%s %s\n", tag, *tag ? " " : "", line);
}

static bool send_text(struct client *c, const char *text, size_t len)
{
	while (len) {
		ssize_t n = send(c->fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT);

		/* Whoever asks and doesn't read gets nothing more. */
		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

/* False: the client is gone. */
static bool serve(struct client *c, char *line)
{
	char *argv[ARGS_MAX + 1], *word, *lines = NULL, *answer = NULL;
	size_t lines_len = 0, answer_len = 0;
	struct request r = { .argv = argv, .guest = c->guest };
	const char *tag = "";
	FILE *out;
	bool ok;
	int err;

	while ((word = strsep(&line, " \t\r"))) {
		if (*word == '#' && !r.argc)
			tag = word;
		else if (*word && r.argc < ARGS_MAX)
			argv[r.argc++] = word;
	}
	if (!r.argc)
		return true;
	r.out = open_memstream(&lines, &lines_len);
	out = open_memstream(&answer, &answer_len);
	if (!r.out || !out)
		abort();
	err = run(&r);
	fclose(r.out);
	add_lines(out, tag, lines);
	if (err)
		fprintf(out, "%s%serror %s\n", tag, *tag ? " " : "", r.err);
	else
		fprintf(out, "%s%sok\n", tag, *tag ? " " : "");
	fclose(out);
	ok = send_text(c, answer, answer_len);
	free(lines);
	free(answer);
	return ok;
}

static void readable(void *arg)
{
	struct client *c = arg;
	char *nl;
	ssize_t n = recv(c->fd, c->buf + c->len, sizeof(c->buf) - c->len,
			 MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop(c);
		return;
	}
	c->len += (u32)n;
	while ((nl = memchr(c->buf, '\n', c->len))) {
		u32 used = (u32)(nl - c->buf) + 1;
		bool skip = c->skip;

		*nl = '\0';
		c->skip = false;
		if (!skip && !serve(c, c->buf)) {
			drop(c);
			return;
		}
		c->len -= used;
		memmove(c->buf, c->buf + used, c->len);
	}
	if (c->len == sizeof(c->buf)) {
		static const char text[] = "error line too long\n";

		if (!c->skip && !send_text(c, text, sizeof(text) - 1)) {
			drop(c);
			return;
		}
		c->skip = true;
		c->len = 0;
	}
}

static void acceptable(void *arg)
{
	struct listener *l = arg;
	struct client *c;
	u32 i;
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	for (i = 0; i < CLIENTS && clients[i]; i++)
		;
	c = i < CLIENTS ? calloc(1, sizeof(*c)) : NULL;
	if (!c || loop_add(fd, readable, c)) {
		nic_log(NULL, LOG_WARN, "control client refused");
		free(c);
		close(fd);
		return;
	}
	c->fd = fd;
	c->guest = l->guest;
	clients[i] = c;
}

int ctl_listen(const char *path, bool guest)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct listener *l = &listeners[listener_count];

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	strcpy(un.sun_path, path);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	unlink(path);
	if (bind(l->fd, (struct sockaddr *)&un, sizeof(un)) ||
	    listen(l->fd, CLIENTS)) {
		int err = -errno;

		close(l->fd);
		return err;
	}
	strcpy(l->path, path);
	l->guest = guest;
	listener_count++;
	return loop_add(l->fd, acceptable, l);
}

void ctl_close(void)
{
	u32 i;

	for (i = 0; i < CLIENTS; i++)
		if (clients[i])
			drop(clients[i]);
	while (listener_count) {
		struct listener *l = &listeners[--listener_count];

		loop_del(l->fd);
		close(l->fd);
		unlink(l->path);
	}
}
