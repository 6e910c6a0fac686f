/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The network around a test: the environment's interfaces, network
 * namespaces, device features, and a sniffer on AF_PACKET.
 *
 * Set-up that fails ends the test with tap_bail(): nothing after it would
 * mean anything.
 */
#ifndef NET_H
#define NET_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "pkt.h"

/* Value of an environment variable of the testbed; bails out if unset. */
const char *net_env(const char *name);

/* Runs a shell command. net_sh() bails out unless it exits with 0. */
void net_sh(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int net_try(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Moves the thread to a named network namespace and back. net_enter() gives
 * what net_leave() wants. A NULL name stays where it is.
 */
int net_enter(const char *netns);
void net_leave(int old);

/* Switches a device's TX checksumming (as ethtool -K tx). 0 or -errno. */
int net_tx_csum(const char *ifname, bool on);

/* MAC address of an interface. */
void net_mac(const char *ifname, __u8 mac[6]);

struct sniff {
	int fd;
};

struct sniff_frame {
	__u8 data[PKT_MAX + 64];	/* from the MAC header; a VLAN tag is put back */
	size_t len;
	bool csum_missing;	/* the checksum is still to be filled in ... */
	__u16 csum_start;	/* ... from here on, from the frame's first byte ... */
	__u16 csum_offset;	/* ... at this distance */
	bool outgoing;		/* seen as it was sent from this interface */
	__u64 sw_ns, hw_ns;	/* time stamps of the frame, 0: none */
};

/* @netns: where the interface is, NULL: here. Opens with large buffers. */
void sniff_open(struct sniff *s, const char *netns, const char *ifname);
void sniff_close(struct sniff *s);

/*
 * Next frame with PKT_SRC (or, with @any, of whatever source) within
 * @timeout_ms. Returns 1, or 0 if none came.
 */
int sniff_next(struct sniff *s, struct sniff_frame *f, unsigned int timeout_ms);
int sniff_next_any(struct sniff *s, struct sniff_frame *f, unsigned int timeout_ms);

/* Throws away what has arrived so far; returns how many were ours. */
unsigned int sniff_flush(struct sniff *s);

#endif /* NET_H */
