// SPDX-License-Identifier: GPL-2.0
/* TCP bulk transfers in both directions, the bytes compared. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic.h"

static uint8_t pattern(size_t at)
{
	return at * 2654435761u >> 13;
}

/* In a child: sends @size bytes and ends. */
static pid_t sender(int fd, size_t size)
{
	uint8_t buf[16384];
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	for (size_t at = 0; at < size;) {
		size_t want = size - at < sizeof(buf) ? size - at : sizeof(buf);

		for (size_t i = 0; i < want; i++)
			buf[i] = pattern(at + i);
		for (size_t done = 0; done < want;) {
			ssize_t n = send(fd, buf + done, want - done, MSG_NOSIGNAL);

			if (n <= 0)
				_exit(1);
			done += n;
		}
		at += want;
	}
	shutdown(fd, SHUT_WR);
	_exit(0);
}

static void transfer(const char *what, int from, int to, size_t size)
{
	pid_t pid = sender(from, size);
	uint8_t buf[16384];
	size_t at = 0, wrong = 0;
	int status;

	while (at < size) {
		struct pollfd p = { .fd = to, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, 20000) <= 0)
			break;
		n = recv(to, buf, sizeof(buf), 0);
		if (n <= 0)
			break;
		for (ssize_t i = 0; i < n; i++)
			wrong += buf[i] != pattern(at + i);
		at += n;
	}
	if (at < size)
		kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tap_is(at, size, "%s: all bytes arrive", what);
	tap_is(wrong, 0, "%s: unharmed", what);
}

int main(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(5010) };
	int one = 1, srv, here, there;
	size_t size;

	nic_init();
	size = tap_rounds(16 << 20);
	if (size < 1 << 20)
		size = 1 << 20;
	inet_pton(AF_INET, "192.0.2.2", &a.sin_addr);
	srv = nic_peer_socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(srv, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(srv, (void *)&a, sizeof(a)) || listen(srv, 1))
		tap_bail("listen: %s", strerror(errno));
	here = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!tap_ok(!connect(here, (void *)&a, sizeof(a)), "connect"))
		return tap_done();
	there = accept(srv, NULL, NULL);
	transfer("a to b", here, there, size);
	close(here);
	close(there);
	here = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (!tap_ok(!connect(here, (void *)&a, sizeof(a)), "connect again"))
		return tap_done();
	there = accept(srv, NULL, NULL);
	transfer("b to a", there, here, size);
	return tap_done();
}
