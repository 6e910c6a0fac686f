// SPDX-License-Identifier: GPL-2.0
/*
 * nicsim: NICs for a virtual machine, each one a vfio-user socket, and the wires
 * between them.
 */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"

#define SPECS_MAX 26
#define POLL_US_DEFAULT 50

struct setup {
	const char *dir;
	const char *truth;
	const char *pcap;
	const char *log;
	const char *nic[SPECS_MAX];
	u32 nics;
	const char *wire[SPECS_MAX];
	u32 wires;
	u64 poll_us;
	bool debug;
};

static void usage(FILE *out)
{
	fputs("Usage: nicsim --dir DIR --nic MODEL[,ports=N][,OPTION=VALUE]... [...]\n"
	      "\n"
	      "  --dir DIR      sockets: DIR/PORT.sock (a, b, ... in order of --nic),\n"
	      "                 DIR/ctl.sock, DIR/guest.sock\n"
	      "  --nic SPEC     a NIC; drift=PPB sets its oscillator off\n"
	      "  --wire A-B[,delay=NS][,rate=MBPS][,loss=PPM][,seed=N]\n"
	      "                 default: ports are joined in pairs\n"
	      "  --truth FILE   one JSON line a frame sent (hw/truth.h)\n"
	      "  --pcap FILE    all frames, as pcapng\n"
	      "  --log FILE     default: stderr\n"
	      "  --poll USEC    busy-poll so long after activity (default 50)\n"
	      "  --debug        log every message\n"
	      "  --help\n"
	      "\n"
	      "Prints \"ready\" once all sockets listen. Models and their options:\n",
	      out);
	nic_list_models(out);
}

static int bad(const char *what, const char *arg, int err)
{
	fprintf(stderr, "nicsim: %s %s: %s\n", what, arg, strerror(-err));
	return err;
}

static int parse_args(int argc, char **argv, struct setup *s)
{
	static const struct option longopts[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "nic", required_argument, NULL, 'n' },
		{ "wire", required_argument, NULL, 'w' },
		{ "truth", required_argument, NULL, 't' },
		{ "pcap", required_argument, NULL, 'p' },
		{ "log", required_argument, NULL, 'l' },
		{ "poll", required_argument, NULL, 'b' },
		{ "debug", no_argument, NULL, 'D' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1) {
		switch (c) {
		case 'd':
			s->dir = optarg;
			break;
		case 'n':
			if (s->nics == SPECS_MAX)
				return bad("--nic", optarg, -ENOSPC);
			s->nic[s->nics++] = optarg;
			break;
		case 'w':
			if (s->wires == SPECS_MAX)
				return bad("--wire", optarg, -ENOSPC);
			s->wire[s->wires++] = optarg;
			break;
		case 't':
			s->truth = optarg;
			break;
		case 'p':
			s->pcap = optarg;
			break;
		case 'l':
			s->log = optarg;
			break;
		case 'b':
			s->poll_us = strtoull(optarg, &end, 10);
			if (!*optarg || *end || s->poll_us > 1000000)
				return bad("--poll", optarg, -EINVAL);
			break;
		case 'D':
			s->debug = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			return -EINVAL;
		}
	}
	if (optind < argc)
		return bad("what is", argv[optind], -EINVAL);
	if (!s->dir || !s->nics) {
		fputs("nicsim: --dir and --nic are needed; see --help\n", stderr);
		return -EINVAL;
	}
	return 0;
}

/*
 * The lock tells a live nicsim from the sockets that a killed one left behind.
 * The descriptor stays open until the process ends.
 */
static int lock_dir(const char *dir)
{
	char path[4096];
	int fd;

	if (mkdir(dir, 0700) && errno != EEXIST)
		return bad("--dir", dir, -errno);
	snprintf(path, sizeof(path), "%s/lock", dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return bad("open", path, -errno);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		fprintf(stderr, "nicsim: --dir %s: in use by another nicsim; end it or name another folder\n",
			dir);
		return -EBUSY;
	}
	return 0;
}

static int listen_all(const char *dir)
{
	char path[4096];
	u32 i;
	int err;

	for (i = 0; i < nic_count; i++) {
		snprintf(path, sizeof(path), "%s/%s.sock", dir, nics[i]->name);
		err = vfu_listen(nics[i], path);
		if (err)
			return bad("socket", path, err);
	}
	snprintf(path, sizeof(path), "%s/ctl.sock", dir);
	err = ctl_listen(path, false);
	if (err)
		return bad("socket", path, err);
	snprintf(path, sizeof(path), "%s/guest.sock", dir);
	err = ctl_listen(path, true);
	return err ? bad("socket", path, err) : 0;
}

static void on_signal(void *arg)
{
	struct signalfd_siginfo si;

	if (read(*(int *)arg, &si, sizeof(si)) == sizeof(si))
		nic_log(NULL, LOG_INFO, "signal %u, ending", si.ssi_signo);
	loop_stop();
}

static int catch_signals(int *fd)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	*fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (*fd < 0)
		return -errno;
	return loop_add(*fd, on_signal, fd);
}

static int start(const struct setup *s, int *sigfd)
{
	u32 i;
	int err;

	err = log_open(s->log);
	if (err)
		return bad("--log", s->log, err);
	if (s->debug)
		log_set_level(LOG_DEBUG);
	err = lock_dir(s->dir);
	if (err)
		return err;
	if (s->truth) {
		err = truth_open(s->truth);
		if (err)
			return bad("--truth", s->truth, err);
	}
	if (s->pcap) {
		err = pcap_open(s->pcap);
		if (err)
			return bad("--pcap", s->pcap, err);
	}
	for (i = 0; i < s->nics; i++) {
		err = nic_create(s->nic[i]);
		if (err)
			return err;
	}
	for (i = 0; i < s->wires; i++) {
		err = wire_create(s->wire[i]);
		if (err)
			return err;
	}
	err = wire_default();
	if (err)
		return bad("wires", "", err);
	err = catch_signals(sigfd);
	if (err)
		return bad("signals", "", err);
	return listen_all(s->dir);
}

int main(int argc, char **argv)
{
	struct setup s = { .poll_us = POLL_US_DEFAULT };
	int sigfd = -1;
	int err;

	if (parse_args(argc, argv, &s))
		return 2;
	err = start(&s, &sigfd);
	if (!err) {
		loop_set_poll(s.poll_us * 1000);
		puts("ready");
		fflush(stdout);
		err = loop_run();
	}
	ctl_close();
	wire_destroy_all();
	nic_destroy_all();
	truth_close();
	pcap_close();
	log_close();
	if (sigfd >= 0)
		close(sigfd);
	return err ? 1 : 0;
}
