/* SPDX-License-Identifier: GPL-2.0 */
/* Hardware time stamps of the socket path. */
#ifndef SKBTS_H
#define SKBTS_H

#include <netinet/in.h>

#include "nic.h"

struct skbts {
	uint64_t seq, ns;	/* ns 0: no stamp came with it */
};

/* A UDP socket at PTP's event port whose frames are stamped both ways. */
int skbts_socket(bool peer);
/*
 * To be added to seq: where the receive filter has to be PTP's, it makes a frame
 * of skbts_send() look like a PTPv2 Sync.
 */
uint64_t skbts_base(void);
void skbts_send(int fd, const struct sockaddr_in *to, uint64_t seq);
/* The next frame with its stamp: one that was sent, or that came; false: none in time. */
bool skbts_receive(int fd, bool sent, int ms, struct skbts *s);

#endif
