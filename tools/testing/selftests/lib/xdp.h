/* SPDX-License-Identifier: GPL-2.0 */
/*
 * XDP programs of a few instructions and their maps, by bpf(2) alone. What makes
 * them bails out on errors.
 */
#ifndef XDP_H
#define XDP_H

#include <stddef.h>
#include <stdint.h>
#include <linux/bpf.h>

#define XDP_INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), \
						    .src_reg = (s), .off = (o), .imm = (i) })
#define XDP_MOV(reg, val)	XDP_INSN(BPF_ALU64 | BPF_MOV | BPF_K, reg, 0, 0, val)
#define XDP_MOV_REG(to, from)	XDP_INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define XDP_AND(reg, val)	XDP_INSN(BPF_ALU64 | BPF_AND | BPF_K, reg, 0, 0, val)
#define XDP_LOAD32(to, from, off) XDP_INSN(BPF_LDX | BPF_MEM | BPF_W, to, from, off, 0)
#define XDP_LOAD_MAP(reg, fd)	XDP_INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_FD, 0, fd), \
				XDP_INSN(0, 0, 0, 0, 0)
#define XDP_CALL(f)		XDP_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define XDP_EXIT()		XDP_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/*
 * Loads the @n instructions and attaches them to @ifname; @flags XDP_FLAGS_*_MODE.
 * Returns the link; closing it detaches.
 */
int xdp_attach(const char *ifname, const struct bpf_insn *insns, size_t n, uint32_t flags);

/* A map with keys and values of 4 bytes; returns it. */
int xdp_map(enum bpf_map_type type, uint32_t entries);

/* 0 or -errno. */
int xdp_map_set(int map, uint32_t key, uint32_t value);

#endif /* XDP_H */
