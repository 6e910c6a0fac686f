/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says about an interface. Reads only. */
#ifndef NETDEV_H
#define NETDEV_H

#include <linux/types.h>
#include <net/if.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct netdev_info {
	int ifindex;
	__u32 mtu;
	bool up;			/* set up; whether there is a link is another matter */
	__u8 mac[6];
	bool is_ethernet;
	char driver[32], version[32], firmware[32], bus[32];	/* "": unknown */
	__u32 rx_queues, tx_queues;	/* in use */
	__u32 rx_ring, tx_ring;		/* entries, 0: unknown */
	int phc;			/* index, -1: none */
	bool hw_tx_stamps;		/* ethtool -T lists hardware-transmit */
	int tx_csum;			/* ethtool -k: 1 on, 0 off, -1 unknown */
};

/* 0 or -errno; -ENODEV: no such interface (in this network namespace). */
int netdev_info(const char *ifname, struct netdev_info *info);

/*
 * Waits for the link, which the kernel may report a second late, but only
 * @tries times 10 ms, and no longer than *@stop is 0. Returns whether it's there.
 */
bool netdev_wait_link(const char *ifname, int tries, const volatile sig_atomic_t *stop);

/* First address of the family, network order. false: none. */
bool netdev_ipv4(const char *ifname, __u8 addr[4]);
bool netdev_ipv6(const char *ifname, __u8 addr[16]);

/* Queues that an AF_XDP socket can have: both directions must be there. */
static inline __u32 netdev_xsk_queues(const struct netdev_info *i)
{
	return i->rx_queues < i->tx_queues ? i->rx_queues : i->tx_queues;
}

/* The counters of ethtool -S. */
struct netdev_counter {
	char name[33];
	__u64 value;
};

/* Fills *@out (caller frees) and returns their number, or -errno. */
int netdev_counters(const char *ifname, struct netdev_counter **out);

/* The value of @name; false: no such counter. */
bool netdev_counter(const struct netdev_counter *c, int n, const char *name, __u64 *value);

/*
 * What the netdev netlink family says (Linux 6.3 and newer). The bits of
 * xsk-features: 1 tx-timestamp, 2 tx-checksum, 4 tx-launch-time-fifo.
 */
#define NETDEV_XDP_BASIC	(1u << 0)
#define NETDEV_XDP_ZEROCOPY	(1u << 3)
#define NETDEV_XSK_TIMESTAMP	(1u << 0)
#define NETDEV_XSK_CHECKSUM	(1u << 1)
#define NETDEV_XSK_LAUNCH	(1u << 2)

struct netdev_features {
	__u64 xdp, xsk;
	bool has_xsk;			/* the kernel knows xsk-features (6.8 and newer) */
};

/* 0 or -errno; -EOPNOTSUPP: this kernel has no such family. */
int netdev_features(int ifindex, struct netdev_features *f);

/*
 * What TX metadata the driver serves in zero-copy, bits NETDEV_XSK_*. Netlink says
 * so; or it has the counters tx_xsk_*, then launch times are told by the driver's
 * operation for them, found among the kernel's symbols (if these are hidden: yes).
 */
__u64 netdev_metadata_support(const char *ifname, int ifindex, const char *driver);

/* The driver has an operation to wake a zero-copy queue: found among the kernel's symbols. */
enum netdev_zc { ZC_NO, ZC_YES, ZC_UNKNOWN };
enum netdev_zc netdev_zc_symbol(const char *ifname, const char *driver);

#endif /* NETDEV_H */
