// SPDX-License-Identifier: GPL-2.0
/*
 * Time stamps of the socket path are the truth to the nanosecond: a frame's TX
 * stamp when it left in the sender's clock (or when its completion was written,
 * if the NIC stamps those), its RX stamp when it came in the receiver's.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "nic.h"

struct stamp {
	uint64_t seq, ns;
};

static void timestamping(int fd, int flags)
{
	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)))
		tap_bail("SO_TIMESTAMPING: %s", strerror(errno));
}

/* One hardware stamp with the sequence number of its payload; false: none came. */
static bool receive(int fd, int flags, struct stamp *s)
{
	struct pollfd p = { .fd = fd, .events = flags & MSG_ERRQUEUE ? 0 : POLLIN };
	uint8_t data[256];
	char ctrl[512];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = ctrl, .msg_controllen = sizeof(ctrl) };
	ssize_t n;

	if (poll(&p, 1, 2000) <= 0)
		return false;
	n = recvmsg(fd, &msg, flags);
	if (n < 8)
		return false;
	/* The error queue gives the whole frame back, the payload is its end. */
	s->seq = 0;
	for (int i = 0; i < 8; i++)
		s->seq = s->seq << 8 | data[(flags & MSG_ERRQUEUE ? n - 64 : 0) + i];
	s->ns = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		struct scm_timestamping *ts = (void *)CMSG_DATA(c);

		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPING)
			s->ns = ts->ts[2].tv_sec * 1000000000ULL + ts->ts[2].tv_nsec;
	}
	return true;
}

static void direction(const char *port, int tx, int rx, const char *to, uint64_t first,
		      unsigned long frames)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(319) };
	struct stamp *out = calloc(frames, sizeof(*out)), *in = calloc(frames, sizeof(*in));
	unsigned long got_tx = 0, got_rx = 0, tx_equal = 0, rx_equal = 0;

	inet_pton(AF_INET, to, &a.sin_addr);
	truth_mark();
	for (unsigned long i = 0; i < frames; i++) {
		/* Without a filter for all frames: the first bytes of a PTPv2 Sync. */
		uint8_t data[64] = { 0 };

		for (int b = 0; b < 8; b++)
			data[b] = (first + i) >> (56 - 8 * b);
		if (sendto(tx, data, sizeof(data), 0, (void *)&a, sizeof(a)) < 0)
			tap_bail("sendto: %s", strerror(errno));
		got_tx += receive(tx, MSG_ERRQUEUE, &out[i]);
		got_rx += receive(rx, 0, &in[i]);
	}
	tap_is(truth_wait(port, first, frames, 5000), frames, "port %s: truth saw every frame", port);
	tap_is(got_tx, frames, "port %s: each frame gets a TX stamp", port);
	tap_is(got_rx, frames, "port %s: each frame arrives with an RX stamp", port);
	for (unsigned long i = 0; i < frames; i++) {
		const struct truth *t = truth_find(port, out[i].seq);
		const struct truth *r = truth_find(port, in[i].seq);
		uint64_t truth = t ? truth_time(t) : 0;

		tx_equal += t && truth == out[i].ns;
		rx_equal += r && r->rx_ns == in[i].ns;
		if (t && truth != out[i].ns && i < 3)
			tap_diag("seq %llu: TX stamp %llu, truth %llu",
				 (unsigned long long)out[i].seq, (unsigned long long)out[i].ns,
				 (unsigned long long)truth);
		if (r && r->rx_ns != in[i].ns && i < 3)
			tap_diag("seq %llu: RX stamp %llu, truth %llu",
				 (unsigned long long)in[i].seq, (unsigned long long)in[i].ns,
				 (unsigned long long)r->rx_ns);
	}
	tap_is(tx_equal, frames, "port %s: TX stamp = truth", port);
	tap_is(rx_equal, frames, "port %s: RX stamp at the other end = truth", port);
	free(out);
	free(in);
}

static int udp_socket(bool peer)
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

int main(void)
{
	unsigned long frames = tap_rounds(200);
	int a, b, filter;
	uint64_t base;

	nic_init();
	base = nic->rx_filter_all ? 0 : 2ULL << 48;
	if (frames < 20)
		frames = 20;
	filter = nic->rx_filter_all ? HWTSTAMP_FILTER_ALL : HWTSTAMP_FILTER_PTP_V2_EVENT;
	a = udp_socket(false);
	b = udp_socket(true);
	nic_hwtstamp(a, nic_if, HWTSTAMP_TX_ON, filter);
	nic_hwtstamp(b, nic_peer, HWTSTAMP_TX_ON, filter);
	direction("a", a, b, "192.0.2.2", base + 3000000, frames);
	direction("b", b, a, "192.0.2.1", base + 4000000, frames);
	nic_hwtstamp(a, nic_if, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	nic_hwtstamp(b, nic_peer, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_NONE);
	return tap_done();
}
