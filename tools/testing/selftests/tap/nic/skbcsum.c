// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums that the stack leaves to the NIC are right on the wire: UDP and TCP
 * over IPv4 and IPv6, odd and even lengths. The peer's packet socket sees the
 * frame as it came; its NIC is told not to drop bad ones.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frame.h"
#include "nic.h"

/* 1 right, 0 wrong, -1 not one of ours. */
static int verdict(const uint8_t *f, size_t len, int proto, size_t *payload)
{
	size_t l3 = 14, l4, n;
	uint32_t sum;

	if (len < 54)
		return -1;
	if (f[12] == 0x08 && f[13] == 0x00) {
		l4 = l3 + (f[l3] & 15) * 4;
		if (f[l3 + 9] != proto)
			return -1;
		n = (f[l3 + 2] << 8 | f[l3 + 3]) - (l4 - l3);
		sum = frame_sum(proto + n, f + l3 + 12, 8);
		if (frame_fold(frame_sum(0, f + l3, l4 - l3)) != 0xffff)
			return 0;
	} else if (f[12] == 0x86 && f[13] == 0xdd) {
		l4 = l3 + 40;
		if (f[l3 + 6] != proto)
			return -1;
		n = f[l3 + 4] << 8 | f[l3 + 5];
		sum = frame_sum(proto + n, f + l3 + 8, 32);
	} else {
		return -1;
	}
	if (l4 + n > len)
		return -1;
	*payload = n - (proto == IPPROTO_UDP ? 8 : (f[l4 + 12] >> 4) * 4);
	return frame_fold(frame_sum(sum, f + l4, n)) == 0xffff;
}

static int packet_socket(void)
{
	int fd = nic_peer_socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int here;
	struct ifreq { char name[16]; int index; char fill[64]; } ifr = { .index = 0 };

	strncpy(ifr.name, nic_peer, sizeof(ifr.name) - 1);
	here = ioctl(fd, 0x8933 /* SIOCGIFINDEX */, &ifr);
	ll.sll_ifindex = ifr.index;
	if (here || bind(fd, (struct sockaddr *)&ll, sizeof(ll)))
		tap_bail("packet socket on %s: %s", nic_peer, strerror(errno));
	return fd;
}

/* Next verdict about a frame of @proto with a payload of @want bytes; -1: none. */
static int next(int fd, int proto, size_t want)
{
	uint64_t end = uxsk_now_ns() + 3000000000ULL;
	uint8_t buf[2048];
	size_t payload = 0;

	while (uxsk_now_ns() < end) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;
		int v;

		if (poll(&p, 1, 100) <= 0)
			continue;
		n = recv(fd, buf, sizeof(buf), 0);
		v = n > 0 ? verdict(buf, n, proto, &payload) : -1;
		if (v >= 0 && payload == want)
			return v;
	}
	return -1;
}

static socklen_t address(struct sockaddr_storage *ss, int family, const char *host4,
			 const char *host6, int port)
{
	struct sockaddr_in *a = (void *)ss;
	struct sockaddr_in6 *b = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	ss->ss_family = family;
	if (family == AF_INET) {
		a->sin_port = htons(port);
		inet_pton(AF_INET, host4, &a->sin_addr);
		return sizeof(*a);
	}
	b->sin6_port = htons(port);
	inet_pton(AF_INET6, host6, &b->sin6_addr);
	return sizeof(*b);
}

static void udp(int raw, int family, unsigned long frames)
{
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage to;
	socklen_t len = address(&to, family, "192.0.2.2", "2001:db8::2", 5001);
	unsigned long good = 0;
	char buf[1400] = "checksums of UDP";

	for (unsigned long i = 0; i < frames; i++) {
		size_t n = 20 + i * 37 % 1300;

		memset(buf + 16, i, sizeof(buf) - 16);
		if (sendto(fd, buf, n, 0, (void *)&to, len) != (ssize_t)n)
			tap_bail("sendto: %s", strerror(errno));
		good += next(raw, IPPROTO_UDP, n) == 1;
	}
	tap_is(good, frames, "UDP over IPv%d: right checksum", family == AF_INET ? 4 : 6);
	close(fd);
}

static void tcp(int raw, int family, unsigned long frames)
{
	int srv = nic_peer_socket(family, SOCK_STREAM, 0), one = 1, conn, fd;
	struct sockaddr_storage to;
	socklen_t len = address(&to, family, "192.0.2.2", "2001:db8::2", 5002);
	unsigned long good = 0;
	char buf[1400] = "checksums of TCP";

	setsockopt(srv, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(srv, (void *)&to, len) || listen(srv, 1))
		tap_bail("listen: %s", strerror(errno));
	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof(one));
	if (!tap_ok(!connect(fd, (void *)&to, len), "TCP over IPv%d: connect",
		    family == AF_INET ? 4 : 6))
		goto out;
	conn = accept(srv, NULL, NULL);
	for (unsigned long i = 0; i < frames; i++) {
		size_t n = 20 + i * 41 % 1300;

		memset(buf + 16, i, sizeof(buf) - 16);
		if (send(fd, buf, n, 0) != (ssize_t)n)
			tap_bail("send: %s", strerror(errno));
		good += next(raw, IPPROTO_TCP, n) == 1;
	}
	tap_is(good, frames, "TCP over IPv%d: right checksum", family == AF_INET ? 4 : 6);
	close(conn);
out:
	close(fd);
	close(srv);
}

int main(void)
{
	unsigned long frames = tap_rounds(200);
	int raw;

	nic_init();
	if (frames < 20)
		frames = 20;
	tap_ok(!nic_sh("ethtool -k %s | grep -q 'tx-checksumming: on'", nic_if),
	       "the stack leaves checksums to %s", nic_if);
	if (nic_peer_sh("ethtool -K %s rx off", nic_peer))
		tap_bail("%s: can't turn receive checksums off", nic_peer);
	raw = packet_socket();
	udp(raw, AF_INET, frames);
	udp(raw, AF_INET6, frames);
	tcp(raw, AF_INET, frames);
	tcp(raw, AF_INET6, frames);
	nic_peer_sh("ethtool -K %s rx on", nic_peer);
	return tap_done();
}
