// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that travel on inside the machine: over a bridge to another device, and
 * into the local IP stack. Whoever receives them sees neither a kernel pointer
 * nor anything else of the sender's request as a timestamp, and a right checksum.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>

#include "core.h"

#define NETNS	"txmd-forward"
#define FRAMES	32

static struct core core;

static void restore(void)
{
	net_try("ip link del fwa 2>/dev/null; ip link del fwc 2>/dev/null; "
		"ip link del fwbr 2>/dev/null; ip netns del " NETNS " 2>/dev/null");
}

/* fwa - fwb [bridge] fwc - fwd in a netns of its own */
static void make(void)
{
	net_sh("ip netns add " NETNS " && ip link add fwbr type bridge && "
	       "ip link add fwa type veth peer name fwb && "
	       "ip link add fwc type veth peer name fwd netns " NETNS);
	net_sh("ip link set fwb master fwbr && ip link set fwc master fwbr && "
	       "for i in fwbr fwa fwb fwc; do "
	       "echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; ip link set $i up; done");
	net_sh("ip -n " NETNS " link set fwd up && ip -n " NETNS " addr add 192.0.2.2/24 dev fwd");
}

static __u64 real_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* No hardware is involved, and software stamps are of just now. */
static bool stamps_fine(__u64 sw_ns, __u64 hw_ns)
{
	__u64 now = real_ns();

	if (!hw_ns && (!sw_ns || (sw_ns + 60000000000 > now && sw_ns < now + 1000000000)))
		return true;
	tap_diag("software %#llx, hardware %#llx", sw_ns, hw_ns);
	return false;
}

static const __u64 wants[] = {
	META_TS, META_TS | META_CSUM, META_CSUM, 0, META_TS | META_CSUM,
};

static void request_some(struct uxsk *x, __u64 addr, const struct pkt *p, unsigned int i)
{
	if (wants[i % 5] & META_CSUM)
		core_request(x, addr, wants[i % 5], p);
	else {
		pkt_fill_csum(p, uxsk_data(x, addr));
		core_request(x, addr, wants[i % 5], NULL);
	}
}

static void bridged(bool csum, const __u8 mac[6])
{
	static const char *const where[] = { "fwb", "fwbr", "fwc", "fwd" };
	struct uxsk_cfg cfg = uxsk_cfg_tx("fwa", 24);
	unsigned int i, j, n, bad_stamps = 0, bad_sums = 0, seen[4] = {};
	struct sniff s[4];
	struct sniff_frame f;
	__u64 from, to;
	struct uxsk x;

	for (j = 0; j < 4; j++)
		sniff_open(&s[j], j == 3 ? NETNS : NULL, where[j]);
	/* The first device leaves the sum to the next; that one does it or not. */
	if (net_tx_csum("fwa", true) || net_tx_csum("fwc", csum))
		tap_bail("can't switch tx checksumming");
	core_open(&x, &cfg);
	from = uxsk_tai_ns();
	for (i = 0; i < FRAMES; i++) {
		struct pkt p = { .payload = 100 + i, .seq = i, .dst_mac = mac };
		__u64 addr = core_frame(&x, i, &p);

		request_some(&x, addr, &p, i);
		core_put(&x, addr, p.len, META_TX);
	}
	n = uxsk_drain(&x, NULL, FRAMES, TIMEOUT_MS, NULL);
	to = uxsk_tai_ns();
	tap_is(n, FRAMES, "bridge: all complete");
	for (i = 0; i < FRAMES; i++) {
		__u64 ts = uxsk_meta(&x, uxsk_addr(&x, i))->completion.tx_timestamp;

		if (wants[i % 5] & META_TS)
			bad_stamps += ts < from || ts > to;
	}
	tap_is(bad_stamps, 0, "bridge: those that ask are stamped");
	bad_stamps = 0;
	for (i = 0; i < FRAMES && core_arrives(&s[3], &f, i); i++) {
		seen[3]++;
		bad_stamps += !stamps_fine(f.sw_ns, f.hw_ns);
		if (!f.csum_missing)
			bad_sums += !pkt_csum_ok(f.data, f.len);
		else
			bad_sums += !csum;
	}
	tap_is(seen[3], FRAMES, "bridge: all arrive behind it");
	tap_is(bad_sums, 0, "bridge: with right checksums, offload of the second device %s",
	       csum ? "on" : "off");
	for (j = 0; j < 3; j++) {
		while (sniff_next(&s[j], &f, QUIET_MS)) {
			seen[j]++;
			bad_stamps += !stamps_fine(f.sw_ns, f.hw_ns);
		}
	}
	tap_ok(seen[0] >= FRAMES && seen[2] >= FRAMES, "bridge: seen on its way (%u, %u, %u)",
	       seen[0], seen[1], seen[2]);
	tap_is(bad_stamps, 0, "bridge: nobody sees a timestamp that is not its own");
	uxsk_close(&x);
	for (j = 0; j < 4; j++)
		sniff_close(&s[j]);
}

/* UDP socket that wants every kind of timestamp. */
static int udp_socket(const char *netns)
{
	int old = net_enter(netns), fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PKT_UDP_PORT) };
	int ts = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
		 SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
	int buf = 1 << 20;

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) ||
	    setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &ts, sizeof(ts)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buf, sizeof(buf)))
		tap_bail("UDP socket: %s", strerror(errno));
	net_leave(old);
	return fd;
}

static bool udp_receive(int fd, __u64 *sw_ns, __u64 *hw_ns)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char data[2048], control[256];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	*sw_ns = 0;
	*hw_ns = 0;
	if (poll(&pfd, 1, TIMEOUT_MS) != 1 || recvmsg(fd, &m, 0) < 0)
		return false;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
		struct scm_timestamping t;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING)
			continue;
		memcpy(&t, CMSG_DATA(c), sizeof(t));
		*sw_ns = t.ts[0].tv_sec * 1000000000ULL + t.ts[0].tv_nsec;
		*hw_ns = t.ts[2].tv_sec * 1000000000ULL + t.ts[2].tv_nsec;
	}
	return true;
}

/*
 * The stack that takes the frame is on this machine and keeps the skb until
 * the socket has read it.
 */
static void into_stack(const char *name, const char *ifname, const char *netns,
		       const __u8 mac[6])
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(ifname, 24);
	unsigned int i, n, got = 0, bad = 0;
	int fd = udp_socket(netns);
	__u64 sw_ns, hw_ns;
	struct uxsk x;

	core_open(&x, &cfg);
	for (i = 0; i < FRAMES; i++) {
		struct pkt p = { .payload = 64 + i, .seq = i, .dst_mac = mac };
		__u64 addr = core_frame(&x, i, &p);

		request_some(&x, addr, &p, i);
		core_put(&x, addr, p.len, META_TX);
	}
	n = uxsk_drain(&x, NULL, FRAMES, TIMEOUT_MS, NULL);
	tap_is(n, FRAMES, "%s: all complete", name);
	while (got < FRAMES && udp_receive(fd, &sw_ns, &hw_ns)) {
		got++;
		bad += !stamps_fine(sw_ns, hw_ns);
	}
	tap_is(got, FRAMES, "%s: a UDP socket has got them all", name);
	tap_is(bad, 0, "%s: without timestamps that are not its own", name);
	tap_is(uxsk_drain(&x, NULL, 1, 5, NULL), 0, "%s: nothing completes twice", name);
	uxsk_close(&x);
	close(fd);
}

/*
 * An upper device hands its frames on to one whose egress rule mirrors them to
 * the ingress of another. The rule goes by the network header, which a frame
 * shorter than a MAC header has too.
 */
static void mirrored(void)
{
	static const unsigned int lens[] = { 1, 13, 14, 15, 60 };
	struct uxsk_cfg cfg = uxsk_cfg_tx("fwm", 24);
	unsigned int i, j, sent = 0;
	struct uxsk x;

	net_sh("ip link add link fwa name fwm type macvlan mode bridge && ip link set fwm up && "
	       "tc qdisc add dev fwa clsact && "
	       "tc filter add dev fwa egress matchall action mirred ingress mirror dev fwbr");
	core_open(&x, &cfg);
	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		for (j = 0; j < 3; j++, sent++) {
			struct pkt p = { .payload = 64, .seq = sent };
			__u64 addr = core_frame(&x, sent, &p);

			core_request(&x, addr, j == 1 ? META_TS : 0, NULL);
			core_put(&x, addr, lens[i], j ? META_TX : 0);
		}
	}
	tap_is(uxsk_drain(&x, NULL, sent, TIMEOUT_MS, NULL), sent,
	       "mirrored below an upper device: all complete, short ones too");
	tap_ok(uxsk_meta(&x, uxsk_addr(&x, sent - 2))->completion.tx_timestamp > 1ULL << 32,
	       "mirrored: the one that asks is stamped");
	uxsk_close(&x);
	net_sh("tc qdisc del dev fwa clsact && ip link del fwm");
}

int main(void)
{
	__u8 mac[6];
	int old;

	core_init(&core);
	core_stay_on_cpu(0);
	atexit(restore);
	restore();
	make();
	old = net_enter(NETNS);
	net_mac("fwd", mac);
	net_leave(old);

	mirrored();
	bridged(false, mac);
	bridged(true, mac);
	into_stack("through a bridge into a socket", "fwa", NETNS, mac);
	into_stack("into the peer's stack", core.ifname, core.peer_netns, core.peer_mac);
	/* A bridge's own port: the frame goes up the stack of this netns. */
	net_sh("ip addr add 192.0.2.2/32 dev fwbr");
	net_sh("echo 1 >/proc/sys/net/ipv4/conf/fwbr/accept_local; "
	       "echo 0 >/proc/sys/net/ipv4/conf/fwbr/rp_filter; "
	       "echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter");
	net_mac("fwbr", mac);
	into_stack("looped into the local stack", "fwa", NULL, mac);
	return tap_done();
}
