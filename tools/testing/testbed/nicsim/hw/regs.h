/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers, declared in one table a BAR (or a part of one). Registers are 32
 * bits wide. An access that the table doesn't know is logged (once a register,
 * with a count in the coverage report), refused with -ENOENT and changes
 * nothing.
 *
 *	static const struct reg_desc gmac[] = {
 *		{ 0x0000, "MAC_CONFIG",	    REG_RW(0xffffffff), .wr = mac_config },
 *		{ 0x0110, "MAC_VERSION",    REG_RO, .reset = 0x51 },
 *		{ 0x1160, "DMA_CHx_STATUS", REG_W1C(0xffff), .count = 8, .stride = 0x80 },
 *	};
 */
#ifndef NICSIM_REGS_H
#define NICSIM_REGS_H

#include <stdio.h>
#include "hw/types.h"

struct nic;
struct regs;
struct reg_desc;

/* What a hook is told: which register, and which one of an array. */
struct reg_ref {
	struct regs *regs;
	const struct reg_desc *desc;
	u32 index;	/* 0 .. count - 1 */
	u32 off;	/* offset of this very register */
};

/*
 * Access rules are masks, so that one register may mix them. A bit in none of
 * them is read-only. On a write: rw bits take the value; w1c bits written 1
 * are cleared, w1s bits written 1 are set, w0c bits written 0 are cleared; sc
 * bits are seen by the hook in @val but read back as 0 (a command that is done
 * by the time anyone looks: model longer handshakes with rw + hook). A read
 * clears the rc bits after it has returned them.
 */
struct reg_desc {
	u32 off;
	const char *name;
	u32 rw, w1c, w1s, w0c, sc, rc;
	u32 reset;
	u32 count;	/* 0 means 1 */
	u32 stride;	/* bytes; 0 means 4 */
	/* Value to return. @val: the stored one. Runs before rc bits clear. */
	u32 (*rd)(struct nic *nic, const struct reg_ref *ref, u32 val);
	/*
	 * After the stored value was updated by the rules. @val: as written.
	 * @old: stored before. The hook may reg_set() to something else.
	 */
	void (*wr)(struct nic *nic, const struct reg_ref *ref, u32 val,
		   u32 old);
};

#define REG_RO		.rw = 0
#define REG_RW(mask)	.rw = (mask)
#define REG_W1C(mask)	.w1c = (mask)
#define REG_W1S(mask)	.w1s = (mask)
#define REG_W0C(mask)	.w0c = (mask)
#define REG_SC(mask)	.sc = (mask)
#define REG_RC(mask)	.rc = (mask)

/*
 * @size: bytes of the window, a multiple of 4. @table must outlive it. Refuses
 * (logged, NULL) overlapping, misaligned or out-of-window entries: a table
 * with a mistake never starts.
 */
struct regs *regs_new(struct nic *nic, const struct reg_desc *table, size_t n,
		      u32 size);
void regs_free(struct regs *r);
/* If set, told of each table that regs_new() takes; for fuzzing. */
extern void (*regs_new_hook)(const struct reg_desc *table, size_t n);
/* All registers to their reset values; coverage stays. */
void regs_reset(struct regs *r);

/*
 * A guest's access, @off relative to the window. 4 bytes aligned; 8 bytes
 * aligned is two accesses, low half first; 1 and 2 bytes may be read (no rc
 * side effect, no hook skipped), not written. 0, -ENOENT unknown, -EINVAL
 * shape.
 */
int regs_read(struct regs *r, u64 off, unsigned int size, u64 *val);
int regs_write(struct regs *r, u64 off, unsigned int size, u64 val);

/* The model's own access: no rules, no hooks. An unknown offset aborts. */
u32 reg_get(const struct regs *r, u32 off);
void reg_set(struct regs *r, u32 off, u32 val);
static inline void reg_set_bits(struct regs *r, u32 off, u32 bits)
{
	reg_set(r, off, reg_get(r, off) | bits);
}
static inline void reg_clear_bits(struct regs *r, u32 off, u32 bits)
{
	reg_set(r, off, reg_get(r, off) & ~bits);
}

struct regs_coverage {
	u32 total;	/* registers, an array counted once */
	u32 read;	/* of them read by the guest at least once */
	u32 written;
	u32 unknown;	/* distinct unknown offsets touched */
};

void regs_coverage(const struct regs *r, struct regs_coverage *c);
/* One line a register: name, reads, writes; then unknown offsets. */
void regs_report(const struct regs *r, FILE *out);

#endif
