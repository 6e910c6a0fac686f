/* SPDX-License-Identifier: GPL-2.0 */
/* Capabilities that a step needs, asked for before it, so that each has a name. */
#ifndef CAPS_H
#define CAPS_H

#include <stdbool.h>
#include <stddef.h>

#define NEED_NET_RAW	(1u << 0)
#define NEED_NET_ADMIN	(1u << 1)
#define NEED_BPF	(1u << 2)
#define NEED_IPC_LOCK	(1u << 3)
#define NEED_SYS_ADMIN	(1u << 4)

/* Of the bits in @need those that this process lacks. CAP_SYS_ADMIN stands in for CAP_BPF. */
unsigned int caps_missing(unsigned int need);

/* "CAP_NET_RAW, CAP_BPF" in a buffer of the caller's. */
void caps_names(unsigned int bits, char *buf, size_t size);

/* Whether pinning @bytes of frame memory takes CAP_IPC_LOCK. */
bool caps_over_memlock(size_t bytes);

#endif /* CAPS_H */
