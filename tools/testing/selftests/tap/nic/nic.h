/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the nic topics share: the topology, control of the NIC model, the truth
 * log, and the facts in which the NICs differ. The environment (IF, PEER,
 * PEER_NETNS, NIC, KERNEL, TRUTH) comes from the VM; without it nic_init()
 * bails out.
 */
#ifndef NIC_H
#define NIC_H

#include <linux/net_tstamp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include "tap.h"
#include "uxsk.h"

/* What differs from NIC to NIC: the one table, in nic.c. */
struct nic_facts {
	const char *name;	/* $NIC */
	const char *driver;	/* "ethtool -i" */
	const char *pci_driver;	/* its folder in /sys/bus/pci/drivers */
	const char *module;
	const char *tx_counter;	/* "ethtool -S": frames that left, all of them */
	bool combined;		/* "ethtool -L combined", else rx and tx */
	unsigned int queues;	/* transmit queues that AF_XDP may use */
	unsigned int ring_min, ring_max;	/* "ethtool -G tx" */
	bool stamp_each;	/* any number of stamps may be under way */
	bool stamp_in_cqe;	/* a stamp is as sure, and as late, as its completion */
	bool needs_tx_on;	/* no stamp without HWTSTAMP_TX_ON */
	bool step_by_set;	/* a step is read and set: off by what that takes */
	bool rx_filter_all;	/* HWTSTAMP_FILTER_ALL */
	bool launch;		/* launch time, on queues with the ETF offload */
	uint64_t launch_step;	/* ns, a launch time is rounded down to these */
	uint64_t launch_horizon;	/* ns */
	unsigned int min_len;	/* a shorter frame stops its queue; 0: none does */
	bool reset_probes;	/* its reset is the driver's removal and a new probe */
	bool error_stops;	/* a bad descriptor stops its queue for good */
	bool csum_always;	/* checksums every zero-copy frame without an area */
	unsigned int csum_vlans;	/* tags that checksums reach behind */
	bool csum_ip6_ext;	/* ... and IPv6 extension headers */
	const char *multi_flag;	/* "ethtool --set-priv-flags": several frames in a WQE */
	const char *multi_counter;	/* "ethtool -S": how many of those */
};

extern const struct nic_facts *nic;
extern const char *nic_if, *nic_peer;
/* Running on the patched kernel? Only that one knows metadata. */
extern bool nic_patched;

void nic_init(void);

/* A socket in the peer's network namespace; errors bail out. */
int nic_peer_socket(int domain, int type, int protocol);
/* Run a command of sh. Returns its exit status; says what failed. */
int nic_sh(const char *fmt, ...) TAP_PRINTF(1, 2);
/* Likewise in the peer's namespace. */
int nic_peer_sh(const char *fmt, ...) TAP_PRINTF(1, 2);
/* A verb for the model, "fault a hold count=1"; failure bails out. */
void nic_ctl(const char *fmt, ...) TAP_PRINTF(1, 2);
/* A counter from "stats PORT". */
uint64_t nic_model_stat(const char *port, const char *name);
/* A counter from "ethtool -S"; -1 if there is none of that name. */
long long nic_stat(const char *ifname, const char *name);
void nic_mac(const char *ifname, uint8_t mac[6]);
/* The port's PCI address. */
const char *nic_slot(void);
/* Takes the driver off the port. */
void nic_unbind(void);
/* Puts it on again: nic_probed() included. */
void nic_bind(void);
/* Waits for an interface that was probed anew, gives it its addresses, sets it up. */
void nic_probed(void);
/* Until the interface has a carrier; false after @ms. */
bool nic_wait_carrier(unsigned int ms);
/* Does the stack reach the peer, within half a minute? The peer sees its link late. */
bool nic_works(void);
/* The PTP clock's ID; it is another clock after ifdown or a new probe. */
clockid_t nic_phc_clock(void);
/* The device's time, read from its PTP clock. */
uint64_t nic_phc_ns(void);
/* Sets it to CLOCK_TAI. */
void nic_phc_to_tai(void);

/* Set the device's time stamping, bail out if it refuses. */
void nic_hwtstamp(int sock, const char *ifname, int tx_type, int rx_filter);

/* The truth log from a mark on. */
#define TRUTH_NONE UINT64_MAX

struct truth {
	char port[8];
	uint32_t queue, desc, len, crc32, req;
	uint64_t seq, egress_ns, stamp_ns, launch_ns, rx_ns;
	uint64_t cqe_ns;	/* TRUTH_NONE unless the NIC stamps completions */
	char fault[16];		/* "" for none */
};

void truth_mark(void);
/*
 * What was logged since the mark; call it again for what came since. The array
 * belongs to the library and is freed by the next truth_mark().
 */
const struct truth *truth_read(size_t *n);
/* The same, without looking for more. */
const struct truth *truth_all(size_t *n);
/* The record of @port with @seq, NULL if there is none (yet). */
const struct truth *truth_find(const char *port, uint64_t seq);
/* The time that a stamp of this frame means: egress, or its completion's. */
static inline uint64_t truth_time(const struct truth *t)
{
	return t->cqe_ns != TRUTH_NONE ? t->cqe_ns : t->egress_ns;
}

/* Wait until @n frames of @port with a seq in [first, first + n) are logged. */
size_t truth_wait(const char *port, uint64_t first, size_t n, unsigned int ms);

/* Ethernet's CRC-32 over @len bytes. */
uint32_t nic_crc32(const void *data, size_t len);

/* XDP programs, attached in driver mode until the fd is closed. */
int nic_xdp_pass(const char *ifname);
int nic_xdp_tx(const char *ifname);
/* Frames for the queue's socket go there, others to the stack. */
int nic_xdp_xsk(const char *ifname, int *map);
/* Every frame goes out at @to. */
int nic_xdp_redirect(const char *ifname, const char *to);
int nic_xsk_add(int map, unsigned int queue, int xsk);

#endif
