/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every frame that crosses a wire, as pcapng with ns: one interface a port,
 * named like it. The time is the host's realtime clock at egress.
 */
#ifndef NICSIM_PCAP_H
#define NICSIM_PCAP_H

#include "hw/types.h"

int pcap_open(const char *path);
/* @mono: of the first byte. */
void pcap_frame(unsigned int port, u64 mono, const u8 *data, u32 len);
int pcap_port(unsigned int port, const char *name);
int pcap_flush(void);
void pcap_close(void);

#endif
