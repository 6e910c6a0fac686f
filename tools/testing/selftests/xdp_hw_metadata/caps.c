// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "caps.h"

#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static const struct {
	unsigned int bit, cap;
	const char *name;
} known[] = {
	{ NEED_NET_RAW, CAP_NET_RAW, "CAP_NET_RAW" },
	{ NEED_NET_ADMIN, CAP_NET_ADMIN, "CAP_NET_ADMIN" },
	{ NEED_BPF, CAP_BPF, "CAP_BPF" },
	{ NEED_IPC_LOCK, CAP_IPC_LOCK, "CAP_IPC_LOCK" },
	{ NEED_SYS_ADMIN, CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
};

#define KNOWN (sizeof(known) / sizeof(known[0]))

unsigned int caps_missing(unsigned int need)
{
	struct __user_cap_header_struct hdr = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	unsigned int i, missing = 0;

	if (syscall(SYS_capget, &hdr, data))
		return 0;		/* then the step itself tells */
	for (i = 0; i < KNOWN; i++) {
		unsigned int cap = known[i].cap;
		bool has = data[cap / 32].effective & (1u << (cap % 32));

		if (cap == CAP_BPF)
			has |= data[0].effective & (1u << CAP_SYS_ADMIN);
		if (need & known[i].bit && !has)
			missing |= known[i].bit;
	}
	return missing;
}

void caps_names(unsigned int bits, char *buf, size_t size)
{
	size_t used = 0;
	unsigned int i;

	buf[0] = 0;
	for (i = 0; i < KNOWN && used < size; i++)
		if (bits & known[i].bit)
			used += snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
					 known[i].name);
}

bool caps_over_memlock(size_t bytes)
{
	struct rlimit lim;

	return !getrlimit(RLIMIT_MEMLOCK, &lim) && lim.rlim_cur != RLIM_INFINITY &&
	       bytes > lim.rlim_cur;
}
