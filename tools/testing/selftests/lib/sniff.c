// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/virtio_net.h>

#include "net.h"
#include "tap.h"
#include "uxsk.h"

static void set(int fd, int level, int opt, int val, const char *name)
{
	if (setsockopt(fd, level, opt, &val, sizeof(val)))
		tap_bail("sniffer: %s: %s", name, strerror(errno));
}

void sniff_open(struct sniff *s, const char *netns, const char *ifname)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};
	int old = net_enter(netns);

	/* Protocol 0 until it is bound: nothing of other interfaces gets in. */
	s->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	sll.sll_ifindex = if_nametoindex(ifname);
	if (s->fd < 0 || !sll.sll_ifindex)
		tap_bail("sniffer on %s: %s", ifname, strerror(errno));
	set(s->fd, SOL_PACKET, PACKET_AUXDATA, 1, "PACKET_AUXDATA");
	set(s->fd, SOL_PACKET, PACKET_VNET_HDR, 1, "PACKET_VNET_HDR");
	set(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20, "SO_RCVBUFFORCE");
	set(s->fd, SOL_SOCKET, SO_TIMESTAMPING,
	    SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
	    SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE,
	    "SO_TIMESTAMPING");
	if (bind(s->fd, (struct sockaddr *)&sll, sizeof(sll)))
		tap_bail("sniffer on %s: bind: %s", ifname, strerror(errno));
	net_leave(old);
}

void sniff_close(struct sniff *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static __u64 to_ns(const struct timespec *ts)
{
	return ts->tv_sec * 1000000000ULL + ts->tv_nsec;
}

/* 1: a frame, 0: none there */
static int receive(struct sniff *s, struct sniff_frame *f)
{
	struct virtio_net_hdr vh = {};
	struct sockaddr_ll sll;
	struct iovec iov[] = {
		{ &vh, sizeof(vh) },
		{ f->data + 4, sizeof(f->data) - 4 },
	};
	char control[256];
	struct msghdr m = {
		.msg_name = &sll, .msg_namelen = sizeof(sll),
		.msg_iov = iov, .msg_iovlen = 2,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int vlan = -1, shift;
	ssize_t n;

	n = recvmsg(s->fd, &m, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR || errno == ENETDOWN))
		return 0;
	if (n < (ssize_t)sizeof(vh))
		tap_bail("sniffer: recvmsg: %s", strerror(errno));

	f->len = n - sizeof(vh);
	f->outgoing = sll.sll_pkttype == PACKET_OUTGOING;
	f->csum_missing = vh.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM;
	f->csum_start = vh.csum_start;
	f->csum_offset = vh.csum_offset;
	f->sw_ns = 0;
	f->hw_ns = 0;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA) {
			struct tpacket_auxdata aux;

			memcpy(&aux, CMSG_DATA(c), sizeof(aux));
			if (aux.tp_status & TP_STATUS_CSUMNOTREADY)
				f->csum_missing = true;
			if (aux.tp_status & TP_STATUS_VLAN_VALID)
				vlan = aux.tp_vlan_tci;
		} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPING) {
			struct scm_timestamping tss;

			memcpy(&tss, CMSG_DATA(c), sizeof(tss));
			f->sw_ns = to_ns((struct timespec *)&tss.ts[0]);
			f->hw_ns = to_ns((struct timespec *)&tss.ts[2]);
		}
	}

	/* The receive path takes the tag out; put it back, or close the gap. */
	shift = vlan < 0 ? 4 : 0;
	if (shift) {
		memmove(f->data, f->data + 4, f->len);
	} else if (f->len >= 2 * ETH_ALEN) {
		memmove(f->data, f->data + 4, 2 * ETH_ALEN);
		f->data[12] = ETH_P_8021Q >> 8;
		f->data[13] = ETH_P_8021Q & 0xff;
		f->data[14] = vlan >> 8;
		f->data[15] = vlan & 0xff;
		f->len += 4;
		f->csum_start += 4;
	}
	return 1;
}

static int next(struct sniff *s, struct sniff_frame *f, unsigned int timeout_ms, bool any)
{
	__u64 end = uxsk_now_ns() + timeout_ms * 1000000ULL, now;
	struct pollfd pfd = { .fd = s->fd, .events = POLLIN };

	for (;;) {
		while (receive(s, f)) {
			if (any || (f->len >= 2 * ETH_ALEN &&
				    !memcmp(f->data + ETH_ALEN, PKT_SRC, 5)))
				return 1;
		}
		now = uxsk_now_ns();
		if (now >= end)
			return 0;
		poll(&pfd, 1, (end - now) / 1000000 + 1);
	}
}

int sniff_next(struct sniff *s, struct sniff_frame *f, unsigned int timeout_ms)
{
	return next(s, f, timeout_ms, false);
}

int sniff_next_any(struct sniff *s, struct sniff_frame *f, unsigned int timeout_ms)
{
	return next(s, f, timeout_ms, true);
}

unsigned int sniff_flush(struct sniff *s)
{
	struct sniff_frame f;
	unsigned int n = 0;

	while (sniff_next(s, &f, 0))
		n++;
	return n;
}
