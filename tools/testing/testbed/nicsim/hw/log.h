/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log (--log FILE, else stderr). One line an event:
 *	<seconds since start> <port or -> <level> <text>
 *
 * A guest can provoke any message at any rate, so guest_error() counts each one
 * but writes only the first few of each call site.
 */
#ifndef NICSIM_LOG_H
#define NICSIM_LOG_H

#include "hw/types.h"

struct nic;

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* NULL: stderr. Returns 0 or -errno. */
int log_open(const char *path);
void log_close(void);
void log_set_level(enum log_level level);

/* @nic may be NULL: not about one port. */
void nic_log(const struct nic *nic, enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

struct log_site {
	u64 hits;
};

void nic_guest_error(struct nic *nic, struct log_site *site,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The guest did something that hardware refuses: unknown register, bad
 * descriptor, DMA outside its memory. Counted per port (statistic
 * "guest_errors"), never fatal.
 */
#define guest_error(nic, ...) do {					\
	static struct log_site guest_error_site_;			\
	nic_guest_error((nic), &guest_error_site_, __VA_ARGS__);	\
} while (0)

#endif
