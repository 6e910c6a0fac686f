// SPDX-License-Identifier: GPL-2.0
/*
 * nicsim-ctl: sends one line to nicsim and prints the answer. On the host it
 * speaks to DIR/ctl.sock, in the guest to a virtio-serial port.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"

#define GUEST_PORT "/dev/virtio-ports/nicsim"
#define TIMEOUT_MS 10000

static void usage(FILE *out)
{
	fputs("Usage: nicsim-ctl [--dir DIR|SOCKET|DEVICE] [--timeout MS] VERB [ARGUMENT]...\n"
	      "\n"
	      "Default: $NICSIM_DIR, else " GUEST_PORT ".\n"
	      "Verbs: sync, ports, stats P, coverage P, link P up|down|flap MS,\n"
	      "clock P [set|adjust|ppb N], fault P [NAME [queue= count= skip= every=\n"
	      "arg= val=]], clear P [NAME], release P, reset P, wire P [delay= rate=\n"
	      "loss=], model P VERB ..., mark TEXT, quit. P is a port: a, b, ...\n",
	      out);
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static int open_socket(const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(un.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(un.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&un, sizeof(un))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_target(const char *target, long long deadline)
{
	char path[4096];
	struct stat st;
	int fd;

	if (!stat(target, &st) && S_ISDIR(st.st_mode)) {
		snprintf(path, sizeof(path), "%s/ctl.sock", target);
		target = path;
	}
	if (!stat(target, &st) && S_ISCHR(st.st_mode)) {
		/* A virtio port takes one user at a time: wait for our turn. */
		for (;;) {
			fd = open(target, O_RDWR | O_CLOEXEC | O_NONBLOCK);
			if (fd >= 0 || (errno != EBUSY && errno != EMFILE) ||
			    now_ms() > deadline)
				break;
			poll(NULL, 0, 10);
		}
	} else {
		fd = open_socket(target);
	}
	if (fd < 0)
		fprintf(stderr, "nicsim-ctl: %s: %s; is nicsim running? name its folder with --dir\n",
			target, strerror(errno));
	return fd;
}

/* 1 ready, 0 too late. */
static bool wait_for(int fd, short events, long long deadline)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	long long left = deadline - now_ms();

	return left > 0 && poll(&pfd, 1, (int)left) > 0;
}

static int send_line(int fd, const char *line, size_t len, long long deadline)
{
	while (len) {
		ssize_t n = write(fd, line, len);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -1;
		if (n < 0 && !wait_for(fd, POLLOUT, deadline)) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (n > 0) {
			line += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* The exit code, or -1 if this line isn't the last of our answer. */
static int take_line(char *line, const char *tag)
{
	size_t len = strlen(tag);

	/* Something left over from an asker that went away. */
	if (strncmp(line, tag, len) || line[len] != ' ')
		return -1;
	line += len + 1;
	if (!strcmp(line, "ok"))
		return 0;
	if (!strncmp(line, "error ", 6)) {
		fprintf(stderr, "nicsim-ctl: %s\n", line + 6);
		return 1;
	}
	puts(*line == ' ' ? line + 1 : line);
	return -1;
}

static int answer(int fd, const char *tag, long long deadline)
{
	static char buf[65536];
	size_t len = 0;

	for (;;) {
		char *nl;
		ssize_t n;

		if (!wait_for(fd, POLLIN, deadline)) {
			fputs("nicsim-ctl: no answer; nicsim hangs or nothing is behind the port\n",
			      stderr);
			return 1;
		}
		n = read(fd, buf + len, sizeof(buf) - 1 - len);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n <= 0) {
			fputs("nicsim-ctl: the connection was closed before the answer; nicsim has ended or is about to, its log says why\n",
			      stderr);
			return 1;
		}
		len += (size_t)n;
		while ((nl = memchr(buf, '\n', len))) {
			size_t used = (size_t)(nl - buf) + 1;
			int code;

			*nl = '\0';
			code = take_line(buf, tag);
			if (code >= 0)
				return code;
			len -= used;
			memmove(buf, buf + used, len);
		}
		if (len == sizeof(buf) - 1)
			len = 0;
	}
}

int main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "dir", required_argument, NULL, 's' },
		{ "timeout", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	const char *target = getenv("NICSIM_DIR");
	long long deadline, timeout = TIMEOUT_MS;
	char line[CTL_LINE], tag[32];
	size_t len;
	int c, fd, i;

	while ((c = getopt_long(argc, argv, "+s:t:h", longopts, NULL)) != -1) {
		switch (c) {
		case 's':
			target = optarg;
			break;
		case 't':
			timeout = atoll(optarg);
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return 2;
	}
	/* A write to nobody is an error with a text. */
	signal(SIGPIPE, SIG_IGN);
	deadline = now_ms() + timeout;
	fd = open_target(target ? target : GUEST_PORT, deadline);
	if (fd < 0)
		return 2;
	snprintf(tag, sizeof(tag), "#%d.%lld", (int)getpid(), now_ms());
	/* The empty line ends whatever a killed asker left unfinished. */
	len = (size_t)snprintf(line, sizeof(line), "\n%s", tag);
	for (i = optind; i < argc; i++) {
		int n = snprintf(line + len, sizeof(line) - len, " %s", argv[i]);

		if ((size_t)n >= sizeof(line) - len - 1) {
			fputs("nicsim-ctl: line too long\n", stderr);
			return 2;
		}
		len += (size_t)n;
	}
	line[len++] = '\n';
	if (send_line(fd, line, len, deadline)) {
		fprintf(stderr, "nicsim-ctl: send: %s\n", strerror(errno));
		return 1;
	}
	return answer(fd, tag, deadline);
}
