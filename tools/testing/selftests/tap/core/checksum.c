// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums as they arrive at the peer: from the device's own offload path, by
 * the kernel because the device's is switched off, and with
 * XDP_UMEM_TX_SW_CSUM. A frame whose checksum is still to be filled in never
 * counts as right; with the offload of a virtual device it stays so, and then
 * must say where the sum goes, and a UDP socket must take it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core.h"

enum mode { DEVICE_ON, DEVICE_OFF, SOFTWARE, MODES };

static const char *const mode_names[] = {
	[DEVICE_ON] = "device offload on",
	[DEVICE_OFF] = "device offload off",
	[SOFTWARE] = "software checksum",
};

static struct core core;
static struct sniff sniff;
static __u64 seq;

static void restore(void)
{
	net_tx_csum(core.ifname, true);
}

static void open_mode(struct uxsk *x, enum mode mode)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 24);
	int err = net_tx_csum(core.ifname, mode != DEVICE_OFF);

	if (err)
		tap_bail("tx checksumming of %s: %s", core.ifname, strerror(-err));
	if (mode == SOFTWARE)
		cfg.umem_flags |= XDP_UMEM_TX_SW_CSUM;
	core_open(x, &cfg);
}

/* Sends what lies at @addr and waits for its completion. */
static bool send_one(struct uxsk *x, __u64 addr, __u16 len)
{
	__u64 got;

	core_put(x, addr, len, META_TX);
	if (uxsk_drain(x, &got, 1, TIMEOUT_MS, NULL) == 1 && got == addr)
		return true;
	tap_diag("frame %llu does not complete", seq);
	return false;
}

/* The frame as it must arrive; fills in what a device would have filled in. */
static bool arrives_summed(const struct pkt *p, const __u8 *sent, enum mode mode)
{
	struct sniff_frame f;
	__u8 want[PKT_MAX];

	memcpy(want, sent, p->len);
	if (!core_arrives(&sniff, &f, p->seq))
		return false;
	if (f.csum_missing) {
		if (mode != DEVICE_ON || f.csum_start != p->csum_start ||
		    f.csum_offset != p->csum_offset) {
			tap_diag("checksum still missing (start %u, offset %u)",
				 f.csum_start, f.csum_offset);
			return false;
		}
		/* Left to the device: unchanged so far. */
		return f.len == p->len && !memcmp(f.data, want, p->len);
	}
	pkt_fill_csum(p, want);
	if (f.len == p->len && !memcmp(f.data, want, p->len) && pkt_csum_ok(f.data, f.len))
		return true;
	tap_diag("checksum %04x, want %04x, length %zu, want %u", pkt_csum(p, f.data),
		 pkt_csum(p, want), f.len, p->len);
	return false;
}

static void matrix(enum mode mode)
{
	static const __u16 sizes[] = { 8, 9, 33, 100, 101, 1023, 1400 };
	unsigned int i, bad = 0, n = 0, v6, tcp, vlan;
	struct uxsk x;

	open_mode(&x, mode);
	for (v6 = 0; v6 < 2; v6++)
	for (tcp = 0; tcp < 2; tcp++)
	for (vlan = 0; vlan < 2; vlan++) {
		bad = 0;
		n = 0;
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct pkt p = {
				.v6 = v6, .tcp = tcp, .vlan = vlan * 5,
				.payload = sizes[i], .seq = ++seq,
			};
			__u64 addr = core_frame(&x, i, &p);
			__u8 sent[PKT_MAX];

			memcpy(sent, uxsk_data(&x, addr), p.len);
			core_request(&x, addr, META_CSUM, &p);
			n++;
			if (!send_one(&x, addr, p.len) || !arrives_summed(&p, sent, mode)) {
				bad++;
				tap_diag("payload of %u bytes", p.payload);
			}
			if (memcmp(sent, uxsk_data(&x, addr), p.len)) {
				bad++;
				tap_diag("the frame in the UMEM was changed");
			}
		}
		tap_is(bad, 0, "%s: IPv%d %s%s: %u sizes", mode_names[mode], v6 ? 6 : 4,
		       tcp ? "TCP" : "UDP", vlan ? " in a VLAN" : "", n);
	}
	uxsk_close(&x);
}

static void sum_zero(enum mode mode)
{
	struct sniff_frame f;
	struct uxsk x;
	int v6;

	open_mode(&x, mode);
	for (v6 = 0; v6 < 2; v6++) {
		struct pkt p = { .v6 = v6, .payload = 50, .seq = ++seq, .sum_zero = true };
		__u64 addr = core_frame(&x, 1, &p);
		bool ok;

		core_request(&x, addr, META_CSUM, &p);
		ok = send_one(&x, addr, p.len) && core_arrives(&sniff, &f, p.seq);
		if (mode == DEVICE_ON && f.csum_missing)
			tap_skip("a sum of 0", "the virtual device leaves it to the receiver");
		else
			tap_is(ok ? pkt_csum(&p, f.data) : 0, 0xffff,
			       "%s: IPv%d UDP: a sum of 0 is sent as ffff",
			       mode_names[mode], v6 ? 6 : 4);
	}
	uxsk_close(&x);
}

struct place {
	const char *name;
	__u16 start, offset;
};

/*
 * Any field inside the frame is a valid request, whatever it hits: the sum of
 * what is there from start to end goes to the field.
 */
static void places(enum mode mode)
{
	static const struct place list[] = {
		{ "in the payload", 60, 4 },
		{ "at an odd place", 61, 5 },
		{ "from the frame's start", 0, 80 },
		{ "two before the end", 98, 0 },
		{ "from the IP header", 14, 60 },
		{ "TCP's field in a UDP frame", 34, 16 },
		{ "one byte before the UDP header", 33, 6 },
	};
	struct uxsk x;
	unsigned int i;

	open_mode(&x, mode);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		struct pkt p = { .payload = 58, .seq = ++seq };
		__u64 addr = core_frame(&x, i, &p);
		__u8 sent[PKT_MAX];

		memcpy(sent, uxsk_data(&x, addr), p.len);
		p.csum_start = list[i].start;
		p.csum_offset = list[i].offset;
		core_request(&x, addr, META_CSUM, &p);
		if (send_one(&x, addr, p.len)) {
			struct sniff_frame f;
			bool ok = core_arrives(&sniff, &f, p.seq);

			if (f.csum_missing)
				ok &= mode == DEVICE_ON && f.csum_start == p.csum_start &&
				      f.csum_offset == p.csum_offset;
			else
				pkt_fill_csum(&p, sent);
			ok &= f.len == p.len && !memcmp(f.data, sent, p.len);
			tap_ok(ok, "%s: %s", mode_names[mode], list[i].name);
		} else {
			tap_ok(false, "%s: %s", mode_names[mode], list[i].name);
		}
	}
	uxsk_close(&x);
}

/* Requests of one frame must not reach its neighbours in the batch. */
static void mixed(enum mode mode)
{
	unsigned int i, bad = 0, n;
	struct pkt p[32];
	struct uxsk x;

	open_mode(&x, mode);
	for (i = 0; i < 32; i++) {
		__u64 addr;

		p[i] = (struct pkt){ .payload = 20 + i, .seq = ++seq, .v6 = i & 2 };
		addr = core_frame(&x, i, &p[i]);
		/* every 4th without the option but with all that a request needs */
		core_request(&x, addr, i & 1 || i % 4 == 0 ? META_CSUM : 0, &p[i]);
		core_put(&x, addr, p[i].len, i % 4 ? META_TX : 0);
	}
	n = uxsk_drain(&x, NULL, 32, TIMEOUT_MS, NULL);
	for (i = 0; i < 32; i++) {
		__u8 *sent = uxsk_data(&x, uxsk_addr(&x, i));
		struct sniff_frame f;

		if (i & 1) {
			bad += !arrives_summed(&p[i], sent, mode);
		} else {
			bad += !core_arrives_as(&sniff, &f, p[i].seq, sent, p[i].len) ||
			       f.csum_missing;
		}
	}
	tap_ok(n == 32 && !bad, "%s: a batch with and without requests: each frame has its own",
	       mode_names[mode]);
	uxsk_close(&x);
}

/* The stack of the peer takes the frame, so the sum is right or declared. */
static void to_socket(enum mode mode)
{
	struct sockaddr_in a4 = { .sin_family = AF_INET, .sin_port = htons(PKT_UDP_PORT) };
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6, .sin6_port = htons(PKT_UDP_PORT) };
	struct uxsk x;
	int v6, old;

	open_mode(&x, mode);
	for (v6 = 0; v6 < 2; v6++) {
		struct pkt p = { .v6 = v6, .payload = 64, .seq = ++seq, .dst_mac = core.peer_mac };
		struct sniff_frame f;
		struct pollfd pfd = { .events = POLLIN };
		char buf[128];
		__u64 addr;

		old = net_enter(core.peer_netns);
		pfd.fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0);
		net_leave(old);
		if (pfd.fd < 0 || bind(pfd.fd, v6 ? (void *)&a6 : (void *)&a4,
				       v6 ? sizeof(a6) : sizeof(a4)))
			tap_bail("UDP socket: %s", strerror(errno));
		addr = core_frame(&x, 1, &p);
		core_request(&x, addr, META_CSUM, &p);
		tap_ok(send_one(&x, addr, p.len) && poll(&pfd, 1, TIMEOUT_MS) == 1 &&
		       recv(pfd.fd, buf, sizeof(buf), 0) == p.payload,
		       "%s: a UDP socket on IPv%d takes it", mode_names[mode], v6 ? 6 : 4);
		core_arrives(&sniff, &f, p.seq);

		/* and refuses it with a wrong pseudo-header sum, so the above says something */
		p.seq = ++seq;
		addr = core_frame(&x, 1, &p);
		core_request(&x, addr, META_CSUM, &p);
		((__u8 *)uxsk_data(&x, addr))[p.csum_start + p.csum_offset] ^= 1;
		if (send_one(&x, addr, p.len) && core_arrives(&sniff, &f, p.seq)) {
			if (f.csum_missing)
				tap_skip("a wrong pseudo-header sum",
					 "the virtual device does not look at it");
			else
				tap_ok(!pkt_csum_ok(f.data, f.len) &&
				       poll(&pfd, 1, QUIET_MS) == 0,
				       "%s: a wrong pseudo-header sum makes a wrong checksum on IPv%d",
				       mode_names[mode], v6 ? 6 : 4);
		} else {
			tap_ok(false, "a frame with a wrong pseudo-header sum is sent");
		}
		close(pfd.fd);
	}
	uxsk_close(&x);
}

int main(void)
{
	enum mode mode;

	core_init(&core);
	core_stay_on_cpu(0);
	atexit(restore);
	sniff_open(&sniff, core.peer_netns, core.peer);
	for (mode = 0; mode < MODES; mode++) {
		matrix(mode);
		sum_zero(mode);
		places(mode);
		mixed(mode);
		to_socket(mode);
	}
	return tap_done();
}
