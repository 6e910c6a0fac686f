// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"

#define KERNEL_NEEDED "it takes Linux 6.1 with the xsk-txmd patches, or mainline 6.8 or newer"

static const struct diag_entry table[] = {
	{ STEP_SOCKET, EPERM, EX_START, "no permission to open an AF_XDP socket (CAP_NET_RAW)",
	  "run as root or grant CAP_NET_RAW" },
	{ STEP_SOCKET, EAFNOSUPPORT, EX_START, "this kernel has no AF_XDP sockets",
	  "boot a kernel with CONFIG_XDP_SOCKETS=y" },
	{ STEP_SOCKET, EMFILE, EX_START, "too many open files", "raise ulimit -n" },
	{ STEP_SOCKET, 0, EX_START, "cannot open an AF_XDP socket",
	  "look at the kernel log" },

	{ STEP_UMEM, ENOBUFS, EX_START,
	  "the frame memory is over the limit of locked memory (CAP_IPC_LOCK)",
	  "run as root, grant CAP_IPC_LOCK or raise ulimit -l" },
	{ STEP_UMEM, ENOMEM, EX_START, "not enough memory for the frames",
	  "free memory or raise ulimit -l" },
	{ STEP_UMEM, EINVAL, EX_START, "this kernel does not know AF_XDP TX metadata",
	  KERNEL_NEEDED },
	{ STEP_UMEM, EPERM, EX_START, "no permission to pin the frame memory",
	  "run as root or grant CAP_IPC_LOCK" },
	{ STEP_UMEM, 0, EX_START, "the frame memory cannot be registered",
	  "look at the kernel log" },

	{ STEP_RING, ENOMEM, EX_START, "not enough memory for the rings", "free memory" },
	{ STEP_RING, 0, EX_START, "a ring cannot be set up", "look at the kernel log" },
	{ STEP_MMAP, ENOMEM, EX_START, "not enough memory to map the rings", "free memory" },
	{ STEP_MMAP, 0, EX_START, "a ring cannot be mapped", "look at the kernel log" },

	{ STEP_BIND_COPY, EBUSY, EX_START,
	  "another AF_XDP socket has this queue",
	  "end that program (ss --xdp shows it) or choose another --queue" },
	{ STEP_BIND_COPY, EINVAL, EX_START, "the queue does not exist on this device",
	  "see ethtool -l {if}" },
	{ STEP_BIND_COPY, ENETDOWN, EX_START, "the interface is down",
	  "ip link set dev {if} up" },
	{ STEP_BIND_COPY, ENODEV, EX_START, "the interface has gone", "see ip link" },
	{ STEP_BIND_COPY, EOPNOTSUPP, EX_LACKS,
	  "the device takes frames in pieces, which rules out checksums in software",
	  "leave out --sw-csum" },
	{ STEP_BIND_COPY, EPERM, EX_START, "no permission to use the queue (CAP_NET_RAW)",
	  "run as root or grant CAP_NET_RAW" },
	{ STEP_BIND_COPY, 0, EX_START, "the socket cannot be bound", "look at the kernel log" },

	{ STEP_BIND_ZC, EBUSY, EX_START,
	  "another AF_XDP socket has this queue",
	  "end that program (ss --xdp shows it) or choose another --queue" },
	{ STEP_BIND_ZC, EOPNOTSUPP, EX_LACKS, "the driver has no zero-copy",
	  "use --copy" },
	{ STEP_BIND_ZC, EINVAL, EX_LACKS,
	  "the driver refuses zero-copy on this queue: it does not exist, or the MTU or a setting stands against it",
	  "see ethtool -l {if} and the kernel log, lower the MTU, or use --copy" },
	{ STEP_BIND_ZC, ENETDOWN, EX_START, "the interface is down",
	  "ip link set dev {if} up" },
	{ STEP_BIND_ZC, ENODEV, EX_START, "the interface has gone", "see ip link" },
	{ STEP_BIND_ZC, ENOMEM, EX_START, "the driver found no memory for zero-copy",
	  "free memory or make the rings smaller (ethtool -G {if})" },
	{ STEP_BIND_ZC, 0, EX_START, "the socket cannot be bound in zero-copy mode",
	  "look at the kernel log, or use --copy" },

	{ STEP_SEND, ENETDOWN, EX_FAIL, "the interface went down", "ip link set dev {if} up" },
	{ STEP_SEND, ENXIO, EX_FAIL,
	  "the queue is not set up for AF_XDP: the XDP program is gone, or the device was reset",
	  "see ip link show dev {if} and the kernel log, then start again" },
	{ STEP_SEND, EINVAL, EX_FAIL, "the kernel refuses a frame or its metadata",
	  "the kernel's TX metadata differs from this tool's: see uname -r, " KERNEL_NEEDED },
	{ STEP_SEND, EMSGSIZE, EX_FAIL, "frames are longer than the device takes",
	  "lower --size or raise the MTU" },
	{ STEP_SEND, EOPNOTSUPP, EX_FAIL, "the queue does not send", "look at the kernel log" },
	{ STEP_SEND, 0, EX_FAIL, "sending failed", "look at the kernel log" },

	{ STEP_XDP_LOAD, EPERM, EX_START,
	  "no permission to load an XDP program (CAP_BPF and CAP_NET_ADMIN)",
	  "run as root or grant both, or use --copy" },
	{ STEP_XDP_LOAD, ENOSYS, EX_START, "this kernel has no bpf()",
	  "boot a kernel with CONFIG_BPF_SYSCALL=y" },
	{ STEP_XDP_LOAD, 0, EX_START, "the XDP program cannot be loaded",
	  "see that CONFIG_BPF_SYSCALL and CONFIG_XDP_SOCKETS are set, or use --copy" },

	{ STEP_XDP_ATTACH, EBUSY, EX_START, "another XDP program is attached",
	  "ip link set dev {if} xdp off, or use --copy" },
	{ STEP_XDP_ATTACH, EEXIST, EX_START, "another XDP program is attached",
	  "ip link set dev {if} xdp off, or use --copy" },
	{ STEP_XDP_ATTACH, EPERM, EX_START,
	  "no permission to attach an XDP program (CAP_NET_ADMIN)",
	  "run as root or grant CAP_NET_ADMIN, or use --copy" },
	{ STEP_XDP_ATTACH, EOPNOTSUPP, EX_LACKS, "the driver has no XDP", "use --copy" },
	{ STEP_XDP_ATTACH, EINVAL, EX_LACKS,
	  "the driver refuses an XDP program: the MTU or an offload (LRO) stands against it",
	  "see the kernel log, ip link set dev {if} mtu 1500, ethtool -K {if} lro off, or use --copy" },
	{ STEP_XDP_ATTACH, ERANGE, EX_LACKS, "the MTU is too large for XDP",
	  "ip link set dev {if} mtu 1500, or use --copy" },
	{ STEP_XDP_ATTACH, ENOSPC, EX_LACKS,
	  "the driver has not enough queues for XDP", "ethtool -L {if} with fewer, or use --copy" },
	{ STEP_XDP_ATTACH, ENOMEM, EX_START, "the driver found no memory for XDP",
	  "free memory or make the rings smaller (ethtool -G {if})" },
	{ STEP_XDP_ATTACH, 0, EX_START, "the XDP program cannot be attached",
	  "look at the kernel log, or use --copy" },

	{ STEP_HWTSTAMP, EPERM, EX_START,
	  "no permission to turn on TX timestamps (CAP_NET_ADMIN)",
	  "run as root or grant CAP_NET_ADMIN" },
	{ STEP_HWTSTAMP, ERANGE, EX_LACKS,
	  "the driver cannot stamp every frame that asks",
	  "see ethtool -T {if}" },
	{ STEP_HWTSTAMP, EOPNOTSUPP, EX_LACKS, "the device has no hardware timestamps",
	  "use --copy for software ones" },
	{ STEP_HWTSTAMP, 0, EX_START, "TX timestamps cannot be turned on",
	  "see ethtool -T {if} and the kernel log" },

	{ STEP_HWTSTAMP_OFF, 0, EX_FAIL,
	  "TX timestamps, off before, could not be turned off again",
	  "ip link set dev {if} up, then hwstamp_ctl -i {if} -t 0" },

	{ STEP_PEER_SOCKET, EPERM, EX_START,
	  "no permission to capture at the peer (CAP_NET_RAW)",
	  "run as root or grant CAP_NET_RAW" },
	{ STEP_PEER_SOCKET, EAFNOSUPPORT, EX_START, "this kernel has no packet sockets",
	  "boot a kernel with CONFIG_PACKET=y" },
	{ STEP_PEER_SOCKET, 0, EX_START, "cannot capture at the peer", "look at the kernel log" },

	{ STEP_NETNS_ENTER, EPERM, EX_START,
	  "no permission to enter the peer's network namespace (CAP_SYS_ADMIN)",
	  "run as root or grant CAP_SYS_ADMIN" },
	{ STEP_NETNS_ENTER, ENOENT, EX_START, "no such network namespace",
	  "ip netns list shows those that exist" },
	{ STEP_NETNS_ENTER, EINVAL, EX_START, "that is no network namespace",
	  "ip netns list shows those that exist" },
	{ STEP_NETNS_ENTER, 0, EX_START, "cannot enter the peer's network namespace",
	  "ip netns list shows those that exist" },

	{ STEP_FILE, EACCES, EX_START, "no permission to write it",
	  "choose another file" },
	{ STEP_FILE, ENOENT, EX_START, "its folder does not exist", "create the folder first" },
	{ STEP_FILE, EISDIR, EX_START, "it is a folder", "name a file" },
	{ STEP_FILE, EROFS, EX_START, "the file system is read-only", "choose another file" },
	{ STEP_FILE, ENOSPC, EX_FAIL, "no space left", "free some" },
	{ STEP_FILE, 0, EX_START, "it cannot be written", "choose another file" },
};

const struct diag_entry *diag_lookup(enum step step, int err)
{
	const struct diag_entry *rest = NULL;
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].step != step)
			continue;
		if (table[i].err == err)
			return &table[i];
		if (!table[i].err)
			rest = &table[i];
	}
	return rest;
}

void diag_expand(char *buf, size_t size, const char *text, const char *ifname)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		if (ifname && !strncmp(text, "{if}", 4)) {
			size_t n = strnlen(ifname, size - 1 - used);

			memcpy(buf + used, ifname, n);
			used += n;
			text += 4;
		} else {
			buf[used++] = *text++;
		}
	}
	buf[used] = 0;
}

int diag_error(const char *ifname, enum exit_code code, const char *remedy,
	       const char *cause, ...)
{
	char what[512], how[512];
	va_list ap;

	va_start(ap, cause);
	vsnprintf(what, sizeof(what), cause, ap);
	va_end(ap);
	diag_expand(how, sizeof(how), remedy, ifname);
	/* What was printed before must not be overtaken on a shared terminal. */
	fflush(stdout);
	fprintf(stderr, "%s: %s%s%s; %s\n", TOOL, ifname ? ifname : "",
		ifname ? ": " : "", what, how);
	return code;
}

int diag_errno(const char *ifname, enum step step, int err)
{
	const struct diag_entry *e = diag_lookup(step, err);

	return diag_error(ifname, e->code, e->remedy, "%s (%s)", e->cause, strerror(err));
}

void diag_note(const char *ifname, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: %s: ", TOOL, ifname);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
