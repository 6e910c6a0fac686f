/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The XDP program that zero-copy and receiving need. It hangs on a link that
 * goes with the process, however that ends; a program of somebody else is
 * never replaced.
 */
#ifndef XDPPROG_H
#define XDPPROG_H

#include <linux/types.h>
#include <stdbool.h>

struct xdpprog {
	int prog, link, map;	/* file descriptors, -1: none */
};

#define XDPPROG_NONE ((struct xdpprog){ -1, -1, -1 })

/* A program that is there already. */
struct xdpprog_other {
	__u32 id;		/* 0: there is none */
	bool native;
	char name[16];		/* "": not to be learned */
};

/* 0 or -errno. */
int xdpprog_query(int ifindex, struct xdpprog_other *o);

/*
 * Loads a program that passes every packet on; with @redirect_port not 0 UDP
 * packets to that port go to the sockets in a map of @queues entries, by the
 * queue they came in on. 0 or -errno.
 */
int xdpprog_load(struct xdpprog *p, __u16 redirect_port, __u32 queues);

/* 0 or -errno; -EBUSY: another program is attached. @native: in the driver. */
int xdpprog_attach(struct xdpprog *p, int ifindex, bool native);

/* Enters socket @fd for @queue into the map. 0 or -errno. */
int xdpprog_set(struct xdpprog *p, __u32 queue, int fd);

/* Detaches and unloads; fine on XDPPROG_NONE. */
void xdpprog_close(struct xdpprog *p);

#endif /* XDPPROG_H */
