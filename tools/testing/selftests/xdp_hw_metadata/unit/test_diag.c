// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "../diag.h"
#include "tap.h"

static bool says(enum step step, int err, enum exit_code code, const char *word)
{
	const struct diag_entry *e = diag_lookup(step, err);

	return e->step == step && e->code == code &&
	       (strstr(e->cause, word) || strstr(e->remedy, word));
}

int main(void)
{
	char buf[32];
	int step, err, holes = 0, empty = 0;

	for (step = 0; step < STEP_COUNT; step++) {
		for (err = 1; err < 134; err++) {
			const struct diag_entry *e = diag_lookup(step, err);

			if (!e)
				holes++;
			else if (!e->cause[0] || !e->remedy[0] || strchr(e->cause, '\n'))
				empty++;
		}
	}
	tap_is(holes, 0, "every errno of every step has an entry");
	tap_is(empty, 0, "with cause and remedy");

	tap_ok(says(STEP_SOCKET, EPERM, EX_START, "CAP_NET_RAW"), "socket, EPERM");
	tap_ok(says(STEP_SOCKET, EAFNOSUPPORT, EX_START, "CONFIG_XDP_SOCKETS"), "no AF_XDP");
	tap_ok(says(STEP_UMEM, ENOBUFS, EX_START, "CAP_IPC_LOCK"), "umem, ENOBUFS");
	tap_ok(says(STEP_UMEM, EINVAL, EX_START, "6.8"), "umem, EINVAL: which kernel");
	tap_ok(says(STEP_BIND_COPY, EBUSY, EX_START, "queue"), "bind, EBUSY");
	tap_ok(says(STEP_BIND_COPY, EINVAL, EX_START, "ethtool -l"), "bind, EINVAL");
	tap_ok(says(STEP_BIND_ZC, EOPNOTSUPP, EX_LACKS, "--copy"), "no zero-copy");
	tap_ok(says(STEP_BIND_ZC, EINVAL, EX_LACKS, "MTU"), "zero-copy refused");
	tap_ok(says(STEP_SEND, ENXIO, EX_FAIL, "XDP program"), "sendto, ENXIO");
	tap_ok(says(STEP_SEND, EINVAL, EX_FAIL, "metadata"), "sendto, EINVAL");
	tap_ok(says(STEP_SEND, ENETDOWN, EX_FAIL, "down"), "sendto, ENETDOWN");
	tap_ok(says(STEP_XDP_LOAD, EPERM, EX_START, "CAP_BPF"), "load, EPERM");
	tap_ok(says(STEP_XDP_ATTACH, EBUSY, EX_START, "xdp off"), "attach, EBUSY");
	tap_ok(says(STEP_XDP_ATTACH, EOPNOTSUPP, EX_LACKS, "no XDP"), "attach, EOPNOTSUPP");
	tap_ok(says(STEP_HWTSTAMP, EPERM, EX_START, "CAP_NET_ADMIN"), "hwtstamp, EPERM");
	tap_ok(says(STEP_HWTSTAMP, ERANGE, EX_LACKS, "ethtool -T"), "hwtstamp, ERANGE");
	tap_ok(says(STEP_NETNS_ENTER, ENOENT, EX_START, "netns list"), "netns, ENOENT");
	tap_ok(says(STEP_FILE, EISDIR, EX_START, "folder"), "file, EISDIR");
	tap_ok(!diag_lookup(STEP_BIND_ZC, 131)->err, "an errno that is not listed");

	diag_expand(buf, sizeof(buf), "ethtool -l {if}", "eth0");
	tap_ok(!strcmp(buf, "ethtool -l eth0"), "the interface's name goes in");
	diag_expand(buf, 8, "ip {if} up", "eth0");
	tap_ok(!strcmp(buf, "ip eth0"), "and is cut where the room ends");
	return tap_done();
}
