// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "xdpprog.h"

#define LDX(sz, d, s, o) \
	{ .code = BPF_LDX | BPF_MEM | (sz), .dst_reg = (d), .src_reg = (s), .off = (o) }
#define MOV_R(d, s) { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (d), .src_reg = (s) }
#define MOV_I(d, i) { .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (d), .imm = (i) }
#define ADD_I(d, i) { .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (d), .imm = (i) }
#define JMP_R(op, d, s, o) \
	{ .code = BPF_JMP | (op) | BPF_X, .dst_reg = (d), .src_reg = (s), .off = (o) }
#define JMP_I(op, d, i, o) \
	{ .code = BPF_JMP | (op) | BPF_K, .dst_reg = (d), .imm = (i), .off = (o) }
#define JA(o) { .code = BPF_JMP | BPF_JA, .off = (o) }
#define MAP_FD(d, fd) \
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = (d), .src_reg = BPF_PSEUDO_MAP_FD, \
	  .imm = (fd) }, { 0 }
#define CALL(f) { .code = BPF_JMP | BPF_CALL, .imm = (f) }
#define EXIT { .code = BPF_JMP | BPF_EXIT }

static int load(struct xdpprog *p, const struct bpf_insn *insns, size_t n)
{
	p->prog = bpf_prog_load(BPF_PROG_TYPE_XDP, TOOL, "GPL", insns, n, NULL);
	return p->prog < 0 ? p->prog : 0;
}

int xdpprog_load(struct xdpprog *p, __u16 redirect_port, __u32 queues)
{
	static const struct bpf_insn pass[] = { MOV_I(BPF_REG_0, XDP_PASS), EXIT };
	int err;

	*p = XDPPROG_NONE;
	libbpf_set_print(NULL);
	if (!redirect_port)
		return load(p, pass, sizeof(pass) / sizeof(pass[0]));

	p->map = bpf_map_create(BPF_MAP_TYPE_XSKMAP, "xsks", 4, 4, queues, NULL);
	if (p->map < 0)
		return p->map;
	{
		/* r2 data, r3 end, r4 scratch, r5 the UDP header; jumps count from the next one */
		const struct bpf_insn redirect[] = {
			LDX(BPF_W, BPF_REG_2, BPF_REG_1, offsetof(struct xdp_md, data)),
			LDX(BPF_W, BPF_REG_3, BPF_REG_1, offsetof(struct xdp_md, data_end)),
			MOV_R(BPF_REG_5, BPF_REG_2),
			ADD_I(BPF_REG_5, 14 + 20),
			MOV_R(BPF_REG_4, BPF_REG_5),
			ADD_I(BPF_REG_4, 8),
			JMP_R(BPF_JGT, BPF_REG_4, BPF_REG_3, 21),		/* -> pass */
			LDX(BPF_H, BPF_REG_4, BPF_REG_2, 12),
			JMP_I(BPF_JEQ, BPF_REG_4, htons(0x86dd), 5),		/* -> IPv6 */
			JMP_I(BPF_JNE, BPF_REG_4, htons(0x0800), 18),
			LDX(BPF_B, BPF_REG_4, BPF_REG_2, 14),
			JMP_I(BPF_JNE, BPF_REG_4, 0x45, 16),
			LDX(BPF_B, BPF_REG_4, BPF_REG_2, 14 + 9),
			JA(5),							/* -> UDP? */
			/* IPv6: */
			ADD_I(BPF_REG_5, 20),
			MOV_R(BPF_REG_4, BPF_REG_5),
			ADD_I(BPF_REG_4, 8),
			JMP_R(BPF_JGT, BPF_REG_4, BPF_REG_3, 10),
			LDX(BPF_B, BPF_REG_4, BPF_REG_2, 14 + 6),
			/* UDP? */
			JMP_I(BPF_JNE, BPF_REG_4, IPPROTO_UDP, 8),
			LDX(BPF_H, BPF_REG_4, BPF_REG_5, 2),
			JMP_I(BPF_JNE, BPF_REG_4, htons(redirect_port), 6),
			LDX(BPF_W, BPF_REG_2, BPF_REG_1,
			    offsetof(struct xdp_md, rx_queue_index)),
			MAP_FD(BPF_REG_1, p->map),
			MOV_I(BPF_REG_3, XDP_PASS),
			CALL(BPF_FUNC_redirect_map),
			EXIT,
			/* pass: */
			MOV_I(BPF_REG_0, XDP_PASS),
			EXIT,
		};

		err = load(p, redirect, sizeof(redirect) / sizeof(redirect[0]));
	}
	if (err)
		xdpprog_close(p);
	return err;
}

int xdpprog_attach(struct xdpprog *p, int ifindex, bool native)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = native ? XDP_FLAGS_DRV_MODE : XDP_FLAGS_SKB_MODE);

	p->link = bpf_link_create(p->prog, ifindex, BPF_XDP, &opts);
	if (p->link >= 0)
		return 0;
	return p->link == -EEXIST ? -EBUSY : p->link;
}

int xdpprog_set(struct xdpprog *p, __u32 queue, int fd)
{
	return bpf_map_update_elem(p->map, &queue, &fd, BPF_ANY);
}

int xdpprog_query(int ifindex, struct xdpprog_other *o)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	int err, fd;

	*o = (struct xdpprog_other){ 0 };
	libbpf_set_print(NULL);
	err = bpf_xdp_query(ifindex, 0, &q);
	if (err)
		return err;
	o->id = q.prog_id ?: q.drv_prog_id ?: q.hw_prog_id ?: q.skb_prog_id;
	o->native = q.attach_mode == XDP_ATTACHED_DRV || q.drv_prog_id;
	if (!o->id)
		return 0;
	fd = bpf_prog_get_fd_by_id(o->id);
	if (fd < 0)
		return 0;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(o->name, sizeof(o->name), "%.15s", info.name);
	close(fd);
	return 0;
}

void xdpprog_close(struct xdpprog *p)
{
	/* The link's last reference detaches. */
	if (p->link >= 0)
		close(p->link);
	if (p->prog >= 0)
		close(p->prog);
	if (p->map >= 0)
		close(p->map);
	*p = XDPPROG_NONE;
}
