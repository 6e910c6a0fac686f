// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "opts.h"
#include "packet.h"

#define BIT(n) (1u << (n))
#define TX BIT(CMD_TX)
#define RX BIT(CMD_RX)
#define PROBE BIT(CMD_PROBE)

enum kind {
	K_FLAG,			/* bool = true */
	K_CHOICE,		/* int = .min; excludes the field's other choices */
	K_U32,
	K_U64,
	K_STR,
	K_PEER,			/* [NETNS:]IFNAME */
	K_MAC,
	K_ABSENT,		/* mainline has it, this kernel line cannot; .help says why */
};

struct opt_def {
	const char *name;	/* without the dashes, NULL: short form only */
	char letter;		/* 0: long form only */
	unsigned int cmds;
	enum kind kind;
	size_t field;
	__u64 min, max;
	const char *arg, *help;
};

#define FIELD(f) offsetof(struct opts, f)

static const struct opt_def table[] = {
	{ "queue", 0, TX, K_U32, FIELD(queue), 0, 65535, "N", "transmit queue (0)" },
	{ "count", 0, TX, K_U64, FIELD(count), 1, 50000000, "N", "frames to send (10000)" },
	{ "size", 0, TX, K_U32, FIELD(size), 60, 65535, "N",
	  "bytes of a frame, Ethernet header included, FCS not (128)" },
	{ "rate", 0, TX, K_U64, FIELD(rate), 1, 1000000000, "PPS",
	  "frames a second (as fast as possible)" },
	{ "batch", 0, TX, K_U32, FIELD(batch), 1, 2048, "N", "frames handed over at once (64)" },
	{ "csum", 0, TX, K_FLAG, FIELD(csum), 0, 0, NULL, "ask for the UDP checksum" },
	{ "timestamp", 0, TX, K_FLAG, FIELD(timestamp), 0, 0, NULL, "ask for TX timestamps" },
	{ "every", 0, TX, K_U32, FIELD(every), 1, 1000000, "N",
	  "ask for a timestamp on each Nth frame only (1)" },
	{ "launch", 0, TX, K_U64, FIELD(launch), 1, 100000000000, "NS",
	  "ask for a launch time so far ahead; with --rate: evenly spaced ones" },
	{ "peer", 0, TX, K_PEER, FIELD(peer), 0, 0, "[NETNS:]IFNAME",
	  "where the frames arrive: captures and verifies them there" },
	{ "copy", 0, TX, K_CHOICE, FIELD(mode), MODE_COPY, 0, NULL,
	  "copy mode (zero-copy where the device can)" },
	{ "zerocopy", 0, TX, K_CHOICE, FIELD(mode), MODE_ZEROCOPY, 0, NULL, "zero-copy or nothing" },
	{ "sw-csum", 0, TX, K_FLAG, FIELD(sw_csum), 0, 0, NULL,
	  "let the kernel compute the checksums (copy mode)" },
	{ "wrong-pseudo", 0, TX, K_FLAG, FIELD(wrong_pseudo), 0, 0, NULL,
	  "give wrong pseudo-header sums: with --csum and --peer the verdict must be FAIL" },
	{ "ipv4", 0, TX, K_CHOICE, FIELD(ip), IP_V4, 0, NULL, "UDP over IPv4 (default)" },
	{ "ipv6", 0, TX, K_CHOICE, FIELD(ip), IP_V6, 0, NULL, "UDP over IPv6" },
	{ "dst-mac", 0, TX, K_MAC, FIELD(dst_mac), 0, 0, "MAC",
	  "destination without --peer (01:80:c2:00:00:0e, which no bridge forwards)" },
	{ "port", 0, TX, K_U32, FIELD(port), 1, 65535, "N", "UDP destination port (9091)" },
	{ "json", 0, TX | PROBE, K_STR, FIELD(json), 0, 0, "FILE", "write a summary" },
	{ "frames", 0, TX, K_STR, FIELD(frames), 0, 0, "FILE",
	  "write a line of JSON for each frame" },
	{ NULL, 'c', RX, K_CHOICE, FIELD(mode), MODE_COPY, 0, NULL,
	  "copy mode (zero-copy where the device can)" },
	{ NULL, 'r', RX, K_FLAG, FIELD(rx_only), 0, 0, NULL, "receive only, send no replies" },
	{ NULL, 'm', RX, K_ABSENT, 0, 0, 0, NULL, "multi-buffer AF_XDP: this kernel has none" },
	{ NULL, 'l', RX, K_ABSENT, 0, 0, 0, "N",
	  "launch time relative to the RX stamp: this kernel has no RX stamps for XDP" },
	{ NULL, 'L', RX, K_ABSENT, 0, 0, 0, "N",
	  "queue set up for launch time: this kernel has no RX stamps for XDP" },
	{ "help", 'h', TX | RX | PROBE, K_FLAG, FIELD(help), 0, 0, NULL, "this text" },
};

#define TABLE_LEN (sizeof(table) / sizeof(table[0]))

static const struct {
	const char *name;
	enum opt_cmd cmd;
	const char *usage, *what;
} commands[] = {
	{ "tx", CMD_TX, "tx IFNAME [OPTIONS]",
	  "send UDP frames with TX metadata and judge what comes of it" },
	{ "probe", CMD_PROBE, "probe IFNAME [OPTIONS]",
	  "say what kernel, driver and device can do; changes nothing" },
	{ "rx", CMD_RX, "[rx] [OPTIONS] IFNAME",
	  "answer UDP packets to port 9091, as mainline's tool does" },
};

#define COMMANDS_LEN (sizeof(commands) / sizeof(commands[0]))

void opts_help(FILE *f, enum opt_cmd cmd)
{
	size_t c, i;

	for (c = 0; c < COMMANDS_LEN; c++) {
		if (cmd != CMD_HELP && commands[c].cmd != cmd)
			continue;
		fprintf(f, "%s %s\n  %s\n", TOOL, commands[c].usage, commands[c].what);
		for (i = 0; i < TABLE_LEN; i++) {
			const struct opt_def *d = &table[i];
			char left[48];

			if (!(d->cmds & BIT(commands[c].cmd)))
				continue;
			if (d->name)
				snprintf(left, sizeof(left), "--%s%s%s", d->name,
					 d->arg ? " " : "", d->arg ? d->arg : "");
			else
				snprintf(left, sizeof(left), "-%c%s%s", d->letter,
					 d->arg ? " " : "", d->arg ? d->arg : "");
			fprintf(f, "    %-24s %s\n", left, d->help);
		}
		fputc('\n', f);
	}
	if (cmd == CMD_TX || cmd == CMD_HELP)
		fputs("Exit status: 0 pass, 1 ran and failed, 2 could not start, 4 the device lacks it.\n"
		      "SIGINT and SIGTERM end a run early: a verdict on what was sent, status 1.\n", f);
}

static int bad(const struct opts *o, const char *remedy, const char *what, const char *arg)
{
	return diag_error(o->ifname, EX_START, remedy, "%s%s%s", what, arg ? " " : "",
			  arg ? arg : "");
}

static const char *help_hint(const struct opts *o)
{
	switch (o->cmd) {
	case CMD_TX:
		return "see " TOOL " tx --help";
	case CMD_PROBE:
		return "see " TOOL " probe --help";
	default:
		return "see " TOOL " --help";
	}
}

static int parse_number(const struct opts *o, const struct opt_def *d, const char *val, __u64 *out)
{
	char range[96], *end;
	__u64 n;

	errno = 0;
	n = strtoull(val, &end, 10);
	if (errno || end == val || *end || *val == '-' || *val == '+' || *val == ' ' ||
	    n < d->min || n > d->max) {
		snprintf(range, sizeof(range), "give --%s a number from %llu to %llu", d->name,
			 d->min, d->max);
		return bad(o, range, "bad number:", val);
	}
	*out = n;
	return 0;
}

static int parse_peer(struct opts *o, const char *val)
{
	const char *colon = strchr(val, ':');
	const char *ifname = colon ? colon + 1 : val;
	size_t ns = colon ? (size_t)(colon - val) : 0;

	if ((colon && !ns) || ns >= sizeof(o->peer_netns) || !*ifname ||
	    strlen(ifname) >= IFNAMSIZ || memchr(val, '/', ns))
		return bad(o, "give --peer as IFNAME or NETNS:IFNAME", "bad peer:", val);
	memcpy(o->peer_netns, val, ns);
	o->peer_netns[ns] = 0;
	o->peer = ifname;
	return 0;
}

static int parse_mac(struct opts *o, const char *val)
{
	unsigned int b[6], i;
	char rest;

	if (sscanf(val, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5],
		   &rest) != 6)
		return bad(o, "give --dst-mac as aa:bb:cc:dd:ee:ff", "bad MAC address:", val);
	for (i = 0; i < 6; i++)
		o->dst_mac[i] = b[i];
	o->has_dst_mac = true;
	return 0;
}

static int store(struct opts *o, const struct opt_def *d, const char *val)
{
	char *field = (char *)o + d->field;
	__u64 n = 0;
	int ret;

	switch (d->kind) {
	case K_FLAG:
		*(bool *)field = true;
		return 0;
	case K_CHOICE:
		*(int *)field = d->min;
		return 0;
	case K_U32:
		ret = parse_number(o, d, val, &n);
		*(__u32 *)field = n;
		return ret;
	case K_U64:
		ret = parse_number(o, d, val, &n);
		*(__u64 *)field = n;
		return ret;
	case K_STR:
		if (!*val)
			return bad(o, help_hint(o), "empty file name for", d->name);
		*(const char **)field = val;
		return 0;
	case K_PEER:
		return parse_peer(o, val);
	case K_MAC:
		return parse_mac(o, val);
	case K_ABSENT:
		return bad(o, "leave the option out", d->help, NULL);
	}
	return 0;
}

static const struct opt_def *find(const struct opts *o, const char *arg, size_t len)
{
	size_t i;

	for (i = 0; i < TABLE_LEN; i++) {
		const struct opt_def *d = &table[i];

		if (!(d->cmds & BIT(o->cmd)))
			continue;
		if (arg[1] == '-' ? d->name && strlen(d->name) == len - 2 &&
				    !strncmp(d->name, arg + 2, len - 2) :
				    len == 2 && d->letter == arg[1])
			return d;
	}
	return NULL;
}

/* Choices of one field exclude each other; the same one twice is fine. */
static int check_choice(const struct opts *o, const struct opt_def *d, bool *seen)
{
	size_t i;

	for (i = 0; d->kind == K_CHOICE && i < TABLE_LEN; i++) {
		if (seen[i] && table[i].kind == K_CHOICE && table[i].field == d->field &&
		    table[i].min != d->min)
			return diag_error(o->ifname, EX_START, "give one of them",
					  "--%s and --%s exclude each other", table[i].name,
					  d->name);
	}
	seen[d - table] = true;
	return 0;
}

static int check_together(const struct opts *o)
{
	__u32 min = packet_min_size(o->ip == IP_V6);

	if (o->cmd != CMD_TX)
		return 0;
	if (o->sw_csum && !o->csum)
		return bad(o, "add --csum", "--sw-csum without --csum does nothing", NULL);
	if (o->sw_csum && o->mode == MODE_ZEROCOPY)
		return bad(o, "give --copy, or leave out --sw-csum",
			   "--sw-csum works in copy mode only", NULL);
	if (o->every > 1 && !o->timestamp)
		return bad(o, "add --timestamp", "--every without --timestamp does nothing", NULL);
	if (o->launch && (!o->timestamp || o->every > 1))
		return bad(o, "add --timestamp, without --every",
			   "--launch: nothing else tells when a frame left", NULL);
	if (o->launch && (o->mode == MODE_COPY || o->sw_csum))
		return bad(o, "leave out --copy and --sw-csum",
			   "--launch: copy mode's stamps do not tell when a frame left", NULL);
	if (o->peer && o->has_dst_mac)
		return bad(o, "give one of them", "--peer and --dst-mac exclude each other", NULL);
	if (o->size < min)
		return diag_error(o->ifname, EX_START, "give a larger --size",
				  "--size %u is too small, IPv%c takes at least %u bytes", o->size,
				  o->ip == IP_V6 ? '6' : '4', min);
	return 0;
}

int opts_parse(struct opts *o, int argc, char **argv)
{
	bool seen[TABLE_LEN] = { false };
	bool only_names = false;
	int i = 1, ret;
	size_t c;

	*o = (struct opts){
		.cmd = CMD_RX, .count = 10000, .size = 128, .batch = 64, .every = 1, .port = 9091,
	};
	if (argc < 2 || !strcmp(argv[1], "help")) {
		o->cmd = CMD_HELP;
		return argc < 2 ? bad(o, help_hint(o), "no interface given", NULL) : 0;
	}
	for (c = 0; c < COMMANDS_LEN; c++) {
		if (!strcmp(argv[1], commands[c].name)) {
			o->cmd = commands[c].cmd;
			i = 2;
		}
	}
	if (i == 1 && !strcmp(argv[1], "--help")) {
		o->cmd = CMD_HELP;
		return 0;
	}

	for (; i < argc; i++) {
		const char *arg = argv[i], *val = NULL, *eq;
		const struct opt_def *d;

		if (only_names || arg[0] != '-' || !arg[1]) {
			if (o->ifname)
				return bad(o, help_hint(o), "one interface is enough, unexpected",
					   arg);
			o->ifname = arg;
			continue;
		}
		if (!strcmp(arg, "--")) {
			only_names = true;
			continue;
		}
		eq = arg[1] == '-' ? strchr(arg, '=') : NULL;
		d = find(o, arg, eq ? (size_t)(eq - arg) : strlen(arg));
		if (!d)
			return bad(o, help_hint(o), "unknown option", arg);
		if (d->arg && d->kind != K_ABSENT) {
			val = eq ? eq + 1 : argv[++i];
			if (!val)
				return bad(o, help_hint(o), "a value is missing after", arg);
		} else if (eq) {
			return bad(o, help_hint(o), "no value can be given to", arg);
		}
		ret = check_choice(o, d, seen);
		if (!ret)
			ret = store(o, d, val);
		if (ret)
			return ret;
	}
	if (o->help)
		return 0;
	if (!o->ifname)
		return bad(o, help_hint(o), "no interface given", NULL);
	return check_together(o);
}
