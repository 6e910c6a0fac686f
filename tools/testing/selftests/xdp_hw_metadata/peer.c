// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "diag.h"
#include "peer.h"
#include "tx.h"

#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

#define RCVBUF (64 << 20)
#define VLEN 64
#define LINK_TRIES 200

static int open_socket(const struct netdev_info *dev)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = dev->ifindex,
	};
	int fd, one = 1, buf = RCVBUF, err;

	/* Protocol 0: nothing arrives before it is bound to the interface. */
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buf, sizeof(buf)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buf, sizeof(buf));
	setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	if (setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) ||
	    bind(fd, (struct sockaddr *)&ll, sizeof(ll))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

static int look(struct peer *p, const char *ifname, const char *netns, const char *peer_if)
{
	const char *where = *netns ? " in network namespace " : "";
	char remedy[320];
	int err = netdev_info(peer_if, &p->dev);

	if (err == -ENODEV) {
		snprintf(remedy, sizeof(remedy), "%s%s%s", "see ip ", *netns ? "-n " : "", netns);
		strncat(remedy, " link", sizeof(remedy) - strlen(remedy) - 1);
		return diag_error(ifname, EX_START, remedy, "no peer interface %s%s%s", peer_if,
				  where, netns);
	}
	if (err)
		return diag_error(ifname, EX_START, "see ip link", "peer %s: %s", peer_if,
				  strerror(-err));
	if (!p->dev.up || !netdev_wait_link(peer_if, LINK_TRIES, &tx_stop)) {
		snprintf(remedy, sizeof(remedy), "ip %s%s%slink set dev %s up, and see the cable",
			 *netns ? "-n " : "", netns, *netns ? " " : "", peer_if);
		return diag_error(ifname, EX_START, remedy, "peer %s%s%s has no link", peer_if,
				  where, netns);
	}
	p->has_v4 = netdev_ipv4(peer_if, p->v4);
	p->has_v6 = netdev_ipv6(peer_if, p->v6);
	p->fd = open_socket(&p->dev);
	if (p->fd < 0) {
		err = -p->fd;
		p->fd = -1;
		return diag_errno(ifname, STEP_PEER_SOCKET, err);
	}
	return 0;
}

int peer_open(struct peer *p, const char *ifname, const char *netns, const char *peer_if)
{
	char path[300];
	int home = -1, there = -1, ret;

	*p = PEER_NONE;
	if (!*netns)
		return look(p, ifname, netns, peer_if);

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (home < 0 || there < 0 || setns(there, CLONE_NEWNET)) {
		const struct diag_entry *e = diag_lookup(STEP_NETNS_ENTER, errno);

		ret = diag_error(ifname, e->code, e->remedy, "peer namespace %s: %s (%s)", netns,
				 e->cause, strerror(errno));
	} else {
		ret = look(p, ifname, netns, peer_if);
		if (setns(home, CLONE_NEWNET)) {
			ret = diag_error(ifname, EX_START, "run as root",
					 "cannot come back from network namespace %s (%s)", netns,
					 strerror(errno));
			peer_close(p);
		}
	}
	if (there >= 0)
		close(there);
	if (home >= 0)
		close(home);
	return ret;
}

static bool is_ready(struct msghdr *m)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		struct tpacket_auxdata aux;

		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA ||
		    c->cmsg_len < CMSG_LEN(sizeof(aux)))
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		return !(aux.tp_status & TP_STATUS_CSUMNOTREADY);
	}
	/* Nobody says that it is filled in. */
	return false;
}

/* From the most to the least serious; what came worst of a frame counts. */
static bool worse(enum packet_state a, enum packet_state b)
{
	return a < b;
}

static void judge(struct peer *p, const __u8 *buf, size_t len, bool ready, __u8 *scratch)
{
	__u16 want = 0, got = 0;
	enum packet_state s;
	struct frame *f;
	__u64 seq;

	s = packet_check(p->flow, buf, len, ready, p->size, p->count, scratch, &seq, &want, &got);
	if (s == PKT_FOREIGN)
		return;
	if (s == PKT_UNKNOWN) {
		p->unknown++;
		return;
	}
	f = &p->frame[seq];
	if (!f->rx++ || worse(s, f->rx_state)) {
		f->rx_state = s;
		f->want = want;
		f->got = got;
	}
	if (f->rx == 1)
		atomic_fetch_add(&p->arrived, 1);
}

struct batch {
	struct mmsghdr msg[VLEN];
	struct iovec iov[VLEN];
	char ctl[VLEN][CMSG_SPACE(sizeof(struct tpacket_auxdata))];
};

static void *capture(void *arg)
{
	struct peer *p = arg;
	size_t room = p->size + 64;	/* longer frames of the flow show as such */
	struct batch *b = calloc(1, sizeof(*b));
	__u8 *data = malloc(VLEN * room), *scratch = malloc(p->size);
	int i, n;

	while (b && data && scratch) {
		struct pollfd pfd = { .fd = p->fd, .events = POLLIN };

		for (i = 0; i < VLEN; i++) {
			b->iov[i] = (struct iovec){ data + i * room, room };
			b->msg[i].msg_hdr = (struct msghdr){
				.msg_iov = &b->iov[i], .msg_iovlen = 1,
				.msg_control = b->ctl[i], .msg_controllen = sizeof(b->ctl[i]),
			};
		}
		n = recvmmsg(p->fd, b->msg, VLEN, MSG_DONTWAIT | MSG_TRUNC, NULL);
		for (i = 0; i < n; i++) {
			size_t len = b->msg[i].msg_len;

			judge(p, data + i * room, len < room ? len : room,
			      is_ready(&b->msg[i].msg_hdr), scratch);
		}
		if (n > 0)
			continue;
		if (atomic_load(&p->stop))
			break;
		poll(&pfd, 1, 20);
	}
	free(b);
	free(data);
	free(scratch);
	return NULL;
}

int peer_start(struct peer *p, const struct flow *flow, struct frame *frame, __u64 count,
	       __u32 size)
{
	sigset_t all, old;
	int err;

	p->flow = flow;
	p->frame = frame;
	p->count = count;
	p->size = size;
	/* Signals are the main thread's. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = pthread_create(&p->thread, NULL, capture, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	p->running = !err;
	return -err;
}

void peer_stop(struct peer *p, __u64 want, unsigned int idle_ms)
{
	struct tpacket_stats st;
	socklen_t len = sizeof(st);
	__u64 last = atomic_load(&p->arrived);
	unsigned int idle = 0;

	if (!p->running)
		return;
	while (last < want && idle < idle_ms) {
		__u64 now;

		poll(NULL, 0, 10);
		now = atomic_load(&p->arrived);
		idle = now == last ? idle + 10 : 0;
		last = now;
	}
	/* Duplicates come behind; leave them a moment. */
	poll(NULL, 0, 20);
	atomic_store(&p->stop, true);
	pthread_join(p->thread, NULL);
	p->running = false;
	if (!getsockopt(p->fd, SOL_PACKET, PACKET_STATISTICS, &st, &len))
		p->drops = st.tp_drops;
}

void peer_close(struct peer *p)
{
	if (p->running)
		peer_stop(p, 0, 0);
	if (p->fd >= 0)
		close(p->fd);
	*p = PEER_NONE;
}
