// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/ptp_clock.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "phc.h"

#define SAMPLES 3

static __u64 clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

__u64 tai_now(void)
{
	return clock_ns(CLOCK_TAI);
}

/* Whole seconds that TAI is ahead of the system's UTC as the kernel knows it. */
static __u64 tai_offset(void)
{
	return (clock_ns(CLOCK_TAI) - clock_ns(CLOCK_REALTIME) + 500000000) / 1000000000 *
	       1000000000;
}

int phc_open(int index)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/dev/ptp%d", index);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static __u64 ns_of(struct ptp_clock_time t)
{
	return t.sec * 1000000000ULL + t.nsec;
}

static int read_precise(int fd, struct clock_pair *pair)
{
	struct ptp_sys_offset_precise p = { 0 };

	if (ioctl(fd, PTP_SYS_OFFSET_PRECISE, &p))
		return -errno;
	pair->tai = ns_of(p.sys_realtime) + tai_offset();
	pair->dev = ns_of(p.device);
	pair->unc = 100;
	return 0;
}

static int read_extended(int fd, struct clock_pair *pair)
{
	struct ptp_sys_offset_extended e = { .n_samples = SAMPLES };
	__u64 best = ~0ULL;
	int i;

	if (ioctl(fd, PTP_SYS_OFFSET_EXTENDED, &e))
		return -errno;
	for (i = 0; i < SAMPLES; i++) {
		__u64 before = ns_of(e.ts[i][0]), after = ns_of(e.ts[i][2]);

		if (after - before >= best)
			continue;
		best = after - before;
		pair->tai = before + best / 2 + tai_offset();
		pair->dev = ns_of(e.ts[i][1]);
		pair->unc = best / 2 + 1;
	}
	return 0;
}

/* Every PTP clock has this: system, device, system, device, ..., system. */
static int read_basic(int fd, struct clock_pair *pair)
{
	struct ptp_sys_offset o = { .n_samples = SAMPLES };
	__u64 best = ~0ULL;
	int i;

	if (ioctl(fd, PTP_SYS_OFFSET, &o))
		return -errno;
	for (i = 0; i < SAMPLES; i++) {
		__u64 before = ns_of(o.ts[2 * i]), after = ns_of(o.ts[2 * i + 2]);

		if (after - before >= best)
			continue;
		best = after - before;
		pair->tai = before + best / 2 + tai_offset();
		pair->dev = ns_of(o.ts[2 * i + 1]);
		pair->unc = best / 2 + 1;
	}
	return 0;
}

int phc_read(int fd, struct clock_pair *pair)
{
	if (!read_precise(fd, pair) || !read_extended(fd, pair))
		return 0;
	return read_basic(fd, pair);
}
