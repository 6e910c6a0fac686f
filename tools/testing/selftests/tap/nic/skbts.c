// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "skbts.h"

#define SKBTS_LEN 64

static void timestamping(int fd, int flags)
{
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)))
		tap_bail("SO_TIMESTAMPING: %s", strerror(errno));
}

bool skbts_receive(int fd, bool sent, int ms, struct skbts *s)
{
	struct pollfd p = { .fd = fd, .events = sent ? 0 : POLLIN };
	uint8_t data[256];
	char ctrl[512];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = ctrl, .msg_controllen = sizeof(ctrl) };
	ssize_t n;

	if (poll(&p, 1, ms) <= 0)
		return false;
	n = recvmsg(fd, &msg, sent ? MSG_ERRQUEUE : 0);
	if (n < 8)
		return false;
	/* The error queue gives the whole frame back, the payload is its end. */
	s->seq = 0;
	for (int i = 0; i < 8; i++)
		s->seq = s->seq << 8 | data[(sent ? n - SKBTS_LEN : 0) + i];
	s->ns = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		struct scm_timestamping *ts = (void *)CMSG_DATA(c);

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPING)
			s->ns = ts->ts[2].tv_sec * 1000000000ULL + ts->ts[2].tv_nsec;
	}
	return true;
}

int skbts_socket(bool peer)
{
	int fd = peer ? nic_peer_socket(AF_INET, SOCK_DGRAM, 0) :
			socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(319) };

	if (bind(fd, (void *)&a, sizeof(a)))
		tap_bail("bind: %s", strerror(errno));
	timestamping(fd, SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE |
			 SOF_TIMESTAMPING_RAW_HARDWARE);
	return fd;
}

uint64_t skbts_base(void)
{
	return nic->rx_filter_all ? 0 : 2ULL << 48;
}

void skbts_send(int fd, const struct sockaddr_in *to, uint64_t seq)
{
	uint8_t data[SKBTS_LEN] = { 0 };

	for (int b = 0; b < 8; b++)
		data[b] = seq >> (56 - 8 * b);
	if (sendto(fd, data, sizeof(data), 0, (void *)to, sizeof(*to)) < 0)
		tap_bail("sendto: %s", strerror(errno));
}
