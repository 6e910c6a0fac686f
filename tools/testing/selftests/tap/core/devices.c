// SPDX-License-Identifier: GPL-2.0
/*
 * Copy mode on all kinds of devices: every frame completes once and with its
 * stamp, whether the device sends it, loops it, keeps it for a while or drops it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/if.h>
#include <linux/if_tun.h>

#include "core.h"

static struct core core;

static void restore(void)
{
	net_try("for i in dvd dvbr dvm dvv dva; do ip link del $i 2>/dev/null; done");
}

static void frames(const char *name, const char *ifname, __u32 umem_flags, bool vlan)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(ifname, 24);
	unsigned long r, rounds = tap_rounds(4);
	unsigned int i, n, lost = 0, twice = 0, bad = 0;
	__u64 addrs[64], from, to;
	struct uxsk x;
	int err;

	cfg.umem_flags |= umem_flags;
	err = uxsk_open(&x, &cfg);
	if (!tap_is(err, 0, "%s: binds", name))
		return;
	for (r = 0; r < rounds; r++) {
		unsigned int seen[32] = {};

		from = uxsk_tai_ns();
		for (i = 0; i < 32; i++) {
			struct pkt p = {
				.payload = 60 + i, .seq = i, .v6 = i & 1, .tcp = i & 2,
				.vlan = vlan && i & 4 ? 9 : 0,
			};
			__u64 addr = core_frame(&x, i, &p);

			core_request(&x, addr, META_TS | (i % 3 ? META_CSUM : 0), &p);
			core_put(&x, addr, p.len, META_TX);
		}
		n = uxsk_drain(&x, addrs, 32, TIMEOUT_MS, NULL);
		to = uxsk_tai_ns();
		lost += 32 - n;
		for (i = 0; i < n; i++)
			twice += addrs[i] / x.chunk_size >= 32 || seen[addrs[i] / x.chunk_size]++;
		for (i = 0; i < 32; i++) {
			__u64 ts = uxsk_meta(&x, uxsk_addr(&x, i))->completion.tx_timestamp;

			if (ts < from || ts > to) {
				bad++;
				tap_diag("stamp %llu not in %llu ... %llu", ts, from, to);
			}
		}
	}
	tap_is(lost, 0, "%s: %lu frames, all complete", name, rounds * 32);
	tap_is(twice, 0, "%s: each once", name);
	tap_is(bad, 0, "%s: each with its stamp", name);
	uxsk_close(&x);
}

/* What a program behind a TAP device reads. */
static void tap_device(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx("dva", 24);
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	unsigned int i, n, good = 0, lost;
	struct uxsk x;
	int fd;

	fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	strcpy(ifr.ifr_name, "dva");
	if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr))
		tap_bail("TAP device: %s", strerror(errno));
	net_sh("echo 1 >/proc/sys/net/ipv6/conf/dva/disable_ipv6; ip link set dva up");
	core_open(&x, &cfg);
	for (i = 0; i < 32; i++) {
		struct pkt p = { .payload = 60 + i, .seq = i, .v6 = i & 1, .tcp = i & 2 };
		__u64 addr = core_frame(&x, i, &p);

		core_request(&x, addr, META_TS | META_CSUM, &p);
		core_put(&x, addr, p.len, META_TX);
	}
	n = uxsk_drain(&x, NULL, 32, 300, NULL);
	for (i = 0; i < 32; i++) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };
		__u8 buf[PKT_MAX];
		ssize_t len;

		if (poll(&pfd, 1, TIMEOUT_MS) != 1)
			break;
		len = read(fd, buf, sizeof(buf));
		good += len > 0 && pkt_seq(buf, len) == i && pkt_csum_ok(buf, len);
	}
	n += uxsk_drain(&x, NULL, 32 - n, TIMEOUT_MS, NULL);
	tap_is(n, 32, "tap: all complete");
	tap_is(good, 32, "tap: the reader gets them with right checksums");
	for (i = 0, lost = 0; i < 32; i++)
		lost += uxsk_meta(&x, uxsk_addr(&x, i))->completion.tx_timestamp < 1ULL << 48;
	tap_is(lost, 0, "tap: each with its stamp");

	/* Nobody reads: the queue overflows, and the rest is dropped. */
	net_sh("ip link set dva txqueuelen 8");
	n = 0;
	for (i = 0; i < 256; i++) {
		struct pkt p = { .payload = 60, .seq = i };
		__u64 addr = core_frame(&x, i % 64, &p);

		core_request(&x, addr, META_TS, &p);
		core_put(&x, addr, p.len, META_TX);
		if (i % 32 == 31)
			n += uxsk_drain(&x, NULL, 32, TIMEOUT_MS, NULL);
	}
	tap_is(n, 256, "tap: frames that nobody reads complete");
	close(fd);
	uxsk_close(&x);
}

/*
 * A device that takes frames as references to the UMEM. The testbed has two
 * virtio-net devices that are connected to each other.
 */
static void no_linear(void)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx("vnet0", 24);
	unsigned int i, n, good = 0;
	struct sniff s;
	struct uxsk x;
	int err;

	if (net_try("test -e /sys/class/net/vnet0")) {
		tap_skip("a device that wants non-linear skbs", "no vnet0 here");
		return;
	}
	/* GRO would change the order. */
	net_sh("ethtool -K vnet1 gro off; for i in vnet0 vnet1; do echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; "
	       "ip link set $i up; done");
	cfg.umem_flags |= XDP_UMEM_TX_SW_CSUM;
	err = uxsk_open(&x, &cfg);
	tap_is(err, -EOPNOTSUPP, "virtio: software checksum is refused in copy mode");
	tap_ok(!strcmp(x.step, "bind"), "virtio: at bind");
	cfg.bind_flags = 0;
	tap_is(uxsk_open(&x, &cfg), -EOPNOTSUPP,
	       "virtio: also where copy mode is the kernel's choice");

	/* and the refusal leaves the queue free */
	sniff_open(&s, NULL, "vnet1");
	frames("virtio", "vnet0", 0, true);
	sniff_flush(&s);
	cfg = uxsk_cfg_tx("vnet0", 24);
	core_open(&x, &cfg);
	for (i = 0; i < 32; i++) {
		struct pkt p = { .payload = 9 + 43 * i, .seq = i, .v6 = i & 1, .tcp = i & 2 };
		__u64 addr = core_frame(&x, i, &p);

		core_request(&x, addr, META_CSUM, &p);
		core_put(&x, addr, p.len, META_TX);
	}
	n = uxsk_drain(&x, NULL, 32, TIMEOUT_MS, NULL);
	for (i = 0; i < 32; i++) {
		struct sniff_frame f;

		good += core_arrives(&s, &f, i) && !f.csum_missing && pkt_csum_ok(f.data, f.len);
	}
	tap_ok(n == 32 && good == 32, "virtio: checksums of frames that lie in UMEM pages are right");
	uxsk_close(&x);
	sniff_close(&s);
	net_sh("ip link set vnet0 down; ip link set vnet1 down");
}

int main(void)
{
	core_init(&core);
	atexit(restore);
	restore();

	net_sh("ip link add dvd type dummy && ip link set dvd up");
	frames("dummy", "dvd", 0, true);
	frames("dummy, software checksum", "dvd", XDP_UMEM_TX_SW_CSUM, true);
	net_try("ip link set lo up");
	frames("lo", "lo", 0, false);
	net_sh("ip link add dvbr type bridge && ip link set dvbr up");
	frames("bridge without ports", "dvbr", 0, true);
	net_sh("ip link set dvd master dvbr");
	frames("bridge with a port", "dvbr", 0, true);
	net_sh("ip link add link %s name dvm type macvlan mode bridge && ip link set dvm up",
	       core.ifname);
	frames("macvlan", "dvm", 0, true);
	net_sh("ip link add link %s name dvv type vlan id 12 && ip link set dvv up", core.ifname);
	frames("vlan", "dvv", 0, false);
	frames("veth", core.ifname, 0, true);
	tap_device();
	no_linear();
	return tap_done();
}
