// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tap.h"
#include "xdp.h"

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

int xdp_attach(const char *ifname, const struct bpf_insn *insns, size_t n, uint32_t flags)
{
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_XDP,
		.insn_cnt = n,
		.insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL",
	};
	union bpf_attr link = {
		.link_create.attach_type = BPF_XDP,
		.link_create.flags = flags,
	};
	int prog = sys_bpf(BPF_PROG_LOAD, &load), fd;

	if (prog < 0)
		tap_bail("XDP program refused: %s", strerror(errno));
	link.link_create.prog_fd = prog;
	link.link_create.target_ifindex = if_nametoindex(ifname);
	fd = sys_bpf(BPF_LINK_CREATE, &link);
	if (fd < 0)
		tap_bail("%s: XDP program not attached: %s", ifname, strerror(errno));
	close(prog);
	return fd;
}

int xdp_map(enum bpf_map_type type, uint32_t entries)
{
	union bpf_attr attr = {
		.map_type = type,
		.key_size = 4, .value_size = 4, .max_entries = entries,
	};
	int fd = sys_bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		tap_bail("BPF map of type %d: %s", type, strerror(errno));
	return fd;
}

int xdp_map_set(int map, uint32_t key, uint32_t value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&value,
	};

	return sys_bpf(BPF_MAP_UPDATE_ELEM, &attr) ? -errno : 0;
}
