// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../diag.h"
#include "../opts.h"
#include "tap.h"

static struct opts o;
static char said[1024];

/* Parses a line of words; what went to stderr is in said[]. */
static int parse(const char *line)
{
	static char copy[512];
	char *argv[32], *word;
	int argc = 0, ret, saved = dup(2);
	FILE *f = tmpfile();

	snprintf(copy, sizeof(copy), "%s", line);
	argv[argc++] = "xdp_hw_metadata";
	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;

	fflush(stderr);
	dup2(fileno(f), 2);
	ret = opts_parse(&o, argc, argv);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	rewind(f);
	said[fread(said, 1, sizeof(said) - 1, f)] = 0;
	fclose(f);
	return ret;
}

static void accepts(void)
{
	tap_ok(!parse("tx eth0"), "tx eth0");
	tap_ok(o.cmd == CMD_TX && !strcmp(o.ifname, "eth0") && o.count == 10000 && o.size == 128 &&
	       o.batch == 64 && o.mode == MODE_AUTO && !o.csum && !o.timestamp && !o.peer &&
	       o.every == 1 && o.port == 9091, "its defaults");
	tap_ok(!parse("tx --queue 3 --count=5 --size 60 --rate 7 --batch 1 --csum --timestamp --peer ns:p0 --copy --sw-csum --ipv4 --json a --frames b eth0"),
	       "every option");
	tap_ok(o.queue == 3 && o.count == 5 && o.size == 60 && o.rate == 7 && o.batch == 1 &&
	       o.csum && o.timestamp && o.sw_csum && o.mode == MODE_COPY && o.ip == IP_V4 &&
	       !strcmp(o.peer, "p0") && !strcmp(o.peer_netns, "ns") && !strcmp(o.json, "a") &&
	       !strcmp(o.frames, "b"), "is stored");
	tap_ok(!parse("tx eth0 --peer p0") && !o.peer_netns[0] && !strcmp(o.peer, "p0"),
	       "a peer in this namespace");
	tap_ok(!parse("tx eth0 --dst-mac 02:00:00:00:0a:ff") && o.dst_mac[5] == 0xff, "a MAC");
	tap_ok(!parse("tx eth0 --copy --copy"), "the same choice twice");
	tap_ok(!parse("tx eth0 --timestamp --launch 500000") && o.launch == 500000, "a launch time");
	tap_ok(!parse("tx --ipv6 -- -odd") && !strcmp(o.ifname, "-odd") && o.ip == IP_V6,
	       "-- ends the options");
	tap_ok(!parse("probe eth0") && o.cmd == CMD_PROBE, "probe");
	tap_ok(!parse("eth0 -c -r") && o.cmd == CMD_RX && o.mode == MODE_COPY && o.rx_only,
	       "mainline's own syntax");
	tap_ok(!parse("-c eth0") && o.cmd == CMD_RX, "and the other way round");
	tap_ok(!parse("rx tx") && o.cmd == CMD_RX && !strcmp(o.ifname, "tx"),
	       "an interface with a command's name");
	tap_ok(!parse("--help") && o.cmd == CMD_HELP, "--help");
	tap_ok(!parse("-h") && o.help, "-h");
	tap_ok(!parse("tx --help") && o.help, "tx --help needs no interface");
}

static void refuses(void)
{
	static const struct {
		const char *line, *says;
	} bad[] = {
		{ "", "no interface given" },
		{ "tx", "no interface given" },
		{ "tx eth0 eth1", "unexpected eth1" },
		{ "tx eth0 --nope", "unknown option --nope" },
		{ "tx eth0 --copyx", "unknown option --copyx" },
		{ "tx eth0 -c", "unknown option -c" },
		{ "probe eth0 --count 3", "unknown option --count" },
		{ "tx eth0 --queue", "missing after --queue" },
		{ "tx eth0 --queue x", "bad number: x" },
		{ "tx eth0 --queue -1", "bad number: -1" },
		{ "tx eth0 --queue 1x", "bad number: 1x" },
		{ "tx eth0 --queue=", "bad number:" },
		{ "tx eth0 --count 0", "from 1 to 50000000" },
		{ "tx eth0 --count 99999999999999999999999", "bad number" },
		{ "tx eth0 --size 59", "from 60" },
		{ "tx eth0 --ipv6 --size 60", "IPv6 takes at least 70" },
		{ "tx eth0 --copy --zerocopy", "--copy and --zerocopy exclude each other" },
		{ "tx eth0 --ipv6 --ipv4", "exclude each other" },
		{ "tx eth0 --csum=1", "no value" },
		{ "tx eth0 --sw-csum", "without --csum" },
		{ "tx eth0 --csum --sw-csum --zerocopy", "copy mode only" },
		{ "tx eth0 --every 3", "without --timestamp" },
		{ "tx eth0 --launch 500000", "nothing else tells when a frame left" },
		{ "tx eth0 --launch 500000 --timestamp --every 2", "nothing else tells" },
		{ "tx eth0 --launch 500000 --timestamp --copy", "copy mode" },
		{ "tx eth0 --launch 0 --timestamp", "from 1" },
		{ "tx eth0 --peer :p0", "bad peer" },
		{ "tx eth0 --peer ns:", "bad peer" },
		{ "tx eth0 --peer ../x:p0", "bad peer" },
		{ "tx eth0 --peer sixteenletters_x", "bad peer" },
		{ "tx eth0 --dst-mac 1:2:3", "bad MAC" },
		{ "tx eth0 --peer p --dst-mac 02:00:00:00:00:01", "exclude each other" },
		{ "tx eth0 --json=", "empty file name" },
		{ "eth0 -m", "multi-buffer" },
		{ "eth0 -l 5", "no RX stamps" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int ret = parse(bad[i].line);
		char *nl = strchr(said, '\n');

		if (!tap_ok(ret == EX_START && strstr(said, bad[i].says) && strstr(said, "; ") &&
			    nl && !nl[1] && !strncmp(said, TOOL ": ", strlen(TOOL) + 2),
			    "'%s' is refused in one line", bad[i].line))
			tap_diag("ret %d, said: %s", ret, said);
	}
}

int main(void)
{
	accepts();
	refuses();
	return tap_done();
}
