// SPDX-License-Identifier: GPL-2.0
/*
 * Mainline's own way to be called: takes UDP packets to port 9091 off every
 * queue and answers each with its ends swapped, the checksum left to the
 * device and a TX timestamp asked for. The metadata of received packets that
 * mainline shows needs kernel functions for XDP that 6.1 does not have.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "packet.h"
#include "phc.h"
#include "tx.h"

#define PORT 9091

struct queue {
	struct uxsk u;
	__u64 sent, answered;
};

struct rx {
	const struct opts *o;
	struct netdev_info dev;
	struct hwts hwts;
	struct xsk x;			/* the first queue, with the program */
	struct queue *queue;		/* the others, from 1 on */
	__u32 n;
	__u64 received, stamped, unstamped;
};

static void on_signal(int sig)
{
	(void)sig;
	tx_stop = 1;
}

static struct uxsk *socket_of(struct rx *r, __u32 q)
{
	return q ? &r->queue[q].u : &r->x.u;
}

/* Chunks in the upper half receive, those in the lower half send. */
static void fill_all(struct uxsk *u)
{
	__u32 idx, i;

	if (!xsk_ring_prod__reserve(&u->fill, XSK_RING, &idx))
		return;
	for (i = 0; i < XSK_RING; i++)
		*xsk_ring_prod__fill_addr(&u->fill, idx + i) =
			(__u64)(XSK_RING + i) * XSK_CHUNK;
	xsk_ring_prod__submit(&u->fill, XSK_RING);
}

static void refill(struct uxsk *u, __u64 addr)
{
	__u32 idx;

	if (!xsk_ring_prod__reserve(&u->fill, 1, &idx))
		return;
	*xsk_ring_prod__fill_addr(&u->fill, idx) = addr & ~(__u64)(XSK_CHUNK - 1);
	xsk_ring_prod__submit(&u->fill, 1);
}

static void swap(__u8 *a, __u8 *b, size_t len)
{
	__u8 tmp[16];

	memcpy(tmp, a, len);
	memcpy(a, b, len);
	memcpy(b, tmp, len);
}

/* Turns the packet round; returns where its UDP header is, 0: it's none. */
static __u32 turn_round(__u8 *p, __u32 len, bool *ipv6)
{
	__u32 start;

	if (len < 14 + 20 + 8)
		return 0;
	*ipv6 = p[12] == 0x86;
	start = packet_csum_start(*ipv6);
	if (len < start + 8)
		return 0;
	swap(p, p + 6, 6);
	if (*ipv6)
		swap(p + 22, p + 38, 16);
	else
		swap(p + 26, p + 30, 4);
	swap(p + start, p + start + 2, 2);
	return start;
}

/* Sends the answer and prints what the wire's checksum must be. */
static void reply(struct rx *r, struct queue *q, struct uxsk *u, const __u8 *pkt, __u32 len)
{
	__u64 addr = uxsk_addr(u, q->sent % XSK_RING);
	struct xsk_tx_metadata *m = uxsk_meta(u, addr);
	__u8 *p = uxsk_data(u, addr);
	struct flow f = { 0 };
	__u32 start, ip_len;
	__u16 want, pseudo;

	if (q->sent - q->answered >= XSK_RING || len > XSK_CHUNK - XSK_META)
		return;
	memcpy(p, pkt, len);
	start = turn_round(p, len, &f.ipv6);
	if (!start)
		return;
	/* What Ethernet padded is not part of the datagram. */
	ip_len = f.ipv6 ? 54u + (p[18] << 8 | p[19]) : 14u + (p[16] << 8 | p[17]);
	if (ip_len < start + 8 || ip_len > len)
		return;
	memcpy(f.src, p + (f.ipv6 ? 22 : 26), f.ipv6 ? 16 : 4);
	memcpy(f.dst, p + (f.ipv6 ? 38 : 30), f.ipv6 ? 16 : 4);
	pseudo = csum_fold(csum_pseudo(&f, ip_len - start));
	p[start + 6] = 0;
	p[start + 7] = 0;
	want = ~csum_fold(csum_add(csum_pseudo(&f, ip_len - start), p + start, ip_len - start));
	p[start + 6] = pseudo >> 8;
	p[start + 7] = pseudo;
	*m = (struct xsk_tx_metadata){
		.flags = XDP_TXMD_FLAGS_TIMESTAMP | XDP_TXMD_FLAGS_CHECKSUM,
	};
	m->request.csum_start = start;
	m->request.csum_offset = PACKET_CSUM_OFFSET;
	if (uxsk_put(u, addr, ip_len, XDP_TX_METADATA))
		return;
	q->sent++;
	printf("%s: reply, pseudo-header sum 0x%04x, on the wire it must be 0x%04x\n",
	       r->o->ifname, pseudo, want ? want : 0xffff);
	if (xsk_ring_prod__needs_wakeup(&u->tx))
		uxsk_kick(u);
}

static void answers(struct rx *r, struct queue *q, struct uxsk *u)
{
	__u64 addr[16];
	unsigned int n = uxsk_reap(u, addr, 16), i;

	for (i = 0; i < n; i++) {
		const struct xsk_tx_metadata *m = uxsk_meta(u, addr[i]);
		__u64 stamp = m->completion.tx_timestamp;
		bool echo = stamp == (packet_csum_start(false) | PACKET_CSUM_OFFSET << 16) ||
			    stamp == (packet_csum_start(true) | PACKET_CSUM_OFFSET << 16);

		q->answered++;
		/* The request's own bytes would read as a stamp. */
		if (!stamp || echo) {
			r->unstamped++;
			printf("%s: reply sent, no TX timestamp%s\n", r->o->ifname,
			       echo ? " (the request's own bytes)" : "");
		} else {
			r->stamped++;
			printf("%s: reply sent, %s TX timestamp %llu.%09llu\n", r->o->ifname,
			       r->x.zerocopy ? "hardware" : "software (TAI)",
			       stamp / 1000000000, stamp % 1000000000);
		}
	}
}

static void receive(struct rx *r, __u32 index)
{
	struct uxsk *u = socket_of(r, index);
	struct queue *q = &r->queue[index];
	unsigned int n, i;
	__u32 idx;

	n = xsk_ring_cons__peek(&u->rx, 16, &idx);
	for (i = 0; i < n; i++) {
		const struct xdp_desc *d = xsk_ring_cons__rx_desc(&u->rx, idx + i);

		r->received++;
		printf("%s: queue %u, %u bytes, system time %llu (TAI); RX timestamp, hash and VLAN: not on this kernel\n",
		       r->o->ifname, index, d->len, tai_now());
		if (!r->o->rx_only)
			reply(r, q, u, uxsk_data(u, d->addr), d->len);
		refill(u, d->addr);
	}
	if (n)
		xsk_ring_cons__release(&u->rx, n);
	answers(r, q, u);
	fflush(stdout);
}

static int open_others(struct rx *r)
{
	struct uxsk_cfg cfg = {
		.chunks = XSK_FRAMES, .chunk_size = XSK_CHUNK,
		.umem_flags = r->x.core == CORE_FULL ? XDP_UMEM_TX_METADATA_LEN : 0,
		.tx_metadata_len = XSK_META,
		.fill = XSK_RING, .comp = XSK_RING, .rx = XSK_RING, .tx = XSK_RING,
		.ifname = r->o->ifname,
		.bind_flags = (r->x.zerocopy ? XDP_ZEROCOPY : XDP_COPY) | XDP_USE_NEED_WAKEUP,
	};
	__u32 q;
	int err;

	for (q = 1; q < r->n; q++) {
		cfg.queue = q;
		err = uxsk_open(&r->queue[q].u, &cfg);
		if (err)
			return diag_errno(r->o->ifname,
					  r->x.zerocopy ? STEP_BIND_ZC : STEP_BIND_COPY, -err);
		r->queue[q].u.meta_len = XSK_META;
		err = xdpprog_set(&r->x.prog, q, r->queue[q].u.fd);
		if (err)
			return diag_errno(r->o->ifname, STEP_XDP_LOAD, -err);
	}
	for (q = 0; q < r->n; q++)
		fill_all(socket_of(r, q));
	return 0;
}

static int start(struct rx *r, const struct xsk_want *want)
{
	int ret = xsk_check(want), err;

	if (ret)
		return ret;
	if (want->mode != MODE_COPY && r->dev.hw_tx_stamps && !r->o->rx_only) {
		err = hwts_enable(&r->hwts, r->o->ifname);
		if (err && err != -EOPNOTSUPP)
			return diag_errno(r->o->ifname, STEP_HWTSTAMP, -err);
	}
	ret = xsk_open(&r->x, want);
	return ret ? ret : open_others(r);
}

static void serve(struct rx *r)
{
	struct pollfd *pfd = calloc(r->n, sizeof(*pfd));
	__u32 q;

	if (!pfd)
		return;
	diag_note(r->o->ifname, "waiting for UDP packets to port %d on %u queues, %s mode; ^C ends it",
		  PORT, r->n, r->x.zerocopy ? "zero-copy" : "copy");
	while (!tx_stop) {
		bool pending = false;

		for (q = 0; q < r->n; q++) {
			pfd[q] = (struct pollfd){ .fd = socket_of(r, q)->fd, .events = POLLIN };
			pending |= r->queue[q].sent != r->queue[q].answered;
		}
		poll(pfd, r->n, pending ? 1 : 500);
		for (q = 0; q < r->n; q++)
			receive(r, q);
	}
	free(pfd);
}

int cmd_rx(const struct opts *o)
{
	struct rx r = { .o = o, .hwts = HWTS_NONE, .x = XSK_NONE };
	struct sigaction stop = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };
	struct xsk_want want = {
		.ifname = o->ifname, .dev = &r.dev, .mode = o->mode, .redirect_port = PORT,
	};
	int ret, err;
	__u32 q;

	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	ret = netdev_info(o->ifname, &r.dev);
	if (ret)
		return diag_error(o->ifname, EX_START, "ip link shows those that exist",
				  ret == -ENODEV ? "no such interface" : "it cannot be looked at");
	r.n = netdev_xsk_queues(&r.dev);
	want.map_size = r.n;
	r.queue = calloc(r.n, sizeof(*r.queue));
	if (!r.queue)
		return diag_error(o->ifname, EX_START, "free memory", "not enough memory");
	for (q = 0; q < r.n; q++)
		r.queue[q].u.fd = -1;

	ret = start(&r, &want);
	if (!ret) {
		serve(&r);
		printf("%s: received %llu, replies stamped %llu, not stamped %llu\n", o->ifname,
		       r.received, r.stamped, r.unstamped);
		ret = r.unstamped ? EX_FAIL : EX_PASS;
	}
	for (q = 1; q < r.n; q++)
		uxsk_close(&r.queue[q].u);
	xsk_close(&r.x);
	err = hwts_restore(&r.hwts);
	if (err)
		ret = diag_errno(o->ifname, STEP_HWTSTAMP_OFF, -err);
	free(r.queue);
	return ret;
}
