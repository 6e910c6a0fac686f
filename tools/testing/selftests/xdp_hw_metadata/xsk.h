/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One AF_XDP socket with TX metadata on one queue, in the mode that was asked
 * for or that the device can do, with the program that this takes.
 */
#ifndef XSK_H
#define XSK_H

#include "diag.h"
#include "netdev.h"
#include "opts.h"
#include "uxsk.h"
#include "xdpprog.h"

/* Entries of each ring, and frames in the UMEM: twice that. */
#define XSK_RING	2048
#define XSK_FRAMES	4096
#define XSK_CHUNK	4096
#define XSK_META	((__u32)sizeof(struct xsk_tx_metadata))

/* What the kernel takes at registration. */
enum core_support {
	CORE_NO_AF_XDP,
	CORE_NONE,		/* no TX metadata */
	CORE_NO_FLAG,		/* 6.8 to 6.10: the length counts without a flag */
	CORE_FULL,
	CORE_DENIED,		/* not to be learned without CAP_NET_RAW */
	CORE_UNKNOWN,
};

/*
 * What two registrations tell, each 0 or -errno: @flagged with the flag and a
 * good length, @odd without the flag and with a length that is no multiple of
 * 8. Who refuses that one looks at the length without a flag.
 */
enum core_support xsk_core_of(int flagged, int odd);

/* Tries registrations on sockets of its own, binds nothing. */
enum core_support xsk_core_support(void);

struct xsk {
	struct uxsk u;
	struct xdpprog prog;
	bool zerocopy;
	const char *fallback;	/* why copy mode with MODE_AUTO, NULL: it is not that */
	enum core_support core;
};

#define XSK_NONE ((struct xsk){ .u = { .fd = -1 }, .prog = XDPPROG_NONE })

struct xsk_want {
	const char *ifname;
	const struct netdev_info *dev;
	__u32 queue;
	enum opt_mode mode;
	bool sw_csum;
	__u16 redirect_port;	/* 0: transmit only */
	__u32 map_size;		/* sockets in the program's map; with a redirect_port */
};

/*
 * Permissions, queue number, what the kernel knows of TX metadata. 0, or an
 * exit code after one line on stderr. Touches nothing.
 */
int xsk_check(const struct xsk_want *want);

/*
 * Opens it: attaches the program, registers, binds; falls back from zero-copy
 * to copy mode with MODE_AUTO where the device has no zero-copy. 0, or an exit
 * code after one line on stderr; nothing is left behind then.
 */
int xsk_open(struct xsk *x, const struct xsk_want *want);

/* Closes the socket, detaches the program; fine on XSK_NONE. */
void xsk_close(struct xsk *x);

#endif /* XSK_H */
