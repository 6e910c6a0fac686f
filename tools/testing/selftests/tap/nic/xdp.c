// SPDX-License-Identifier: GPL-2.0
/* XDP programs of a few instructions, attached by bpf(2) alone. */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "nic.h"

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), \
						.src_reg = (s), .off = (o), .imm = (i) })
#define MOV(reg, val)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, val)
#define LOAD32(to, from, off) INSN(BPF_LDX | BPF_MEM | BPF_W, to, from, off, 0)
#define LOAD_MAP(reg, fd) INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, fd), \
			  INSN(0, 0, 0, 0, 0)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define EXIT()		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int attach(const char *ifname, const struct bpf_insn *insns, size_t n)
{
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_XDP,
		.insn_cnt = n,
		.insns = (uintptr_t)insns,
		.license = (uintptr_t)"GPL",
	};
	union bpf_attr link = {
		.link_create.attach_type = BPF_XDP,
		.link_create.flags = XDP_FLAGS_DRV_MODE,
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

static int attach_verdict(const char *ifname, int verdict)
{
	const struct bpf_insn prog[] = { MOV(BPF_REG_0, verdict), EXIT() };

	return attach(ifname, prog, 2);
}

int nic_xdp_pass(const char *ifname)
{
	return attach_verdict(ifname, XDP_PASS);
}

int nic_xdp_tx(const char *ifname)
{
	return attach_verdict(ifname, XDP_TX);
}

int nic_xdp_xsk(const char *ifname, int *map)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_XSKMAP,
		.key_size = 4, .value_size = 4, .max_entries = 64,
	};

	*map = sys_bpf(BPF_MAP_CREATE, &attr);
	if (*map < 0)
		tap_bail("XSKMAP: %s", strerror(errno));

	const struct bpf_insn prog[] = {
		LOAD32(BPF_REG_2, BPF_REG_1,
		       offsetof(struct xdp_md, rx_queue_index)),
		LOAD_MAP(BPF_REG_1, *map),
		MOV(BPF_REG_3, XDP_PASS),
		CALL(BPF_FUNC_redirect_map),
		EXIT(),
	};

	return attach(ifname, prog, sizeof(prog) / sizeof(prog[0]));
}

int nic_xdp_redirect(const char *ifname, const char *to)
{
	const struct bpf_insn prog[] = {
		MOV(BPF_REG_1, if_nametoindex(to)),
		MOV(BPF_REG_2, 0),
		CALL(BPF_FUNC_redirect),
		EXIT(),
	};

	return attach(ifname, prog, sizeof(prog) / sizeof(prog[0]));
}

int nic_xsk_add(int map, unsigned int queue, int xsk)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&queue,
		.value = (uintptr_t)&xsk,
	};

	return sys_bpf(BPF_MAP_UPDATE_ELEM, &attr) ? -errno : 0;
}
