// SPDX-License-Identifier: GPL-2.0
/* The register table's rules, and the ring and DMA-word helpers. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit.h"

static u32 hook_val, hook_old, hook_index, hook_off, hooks;

static u32 count_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)nic;
	hook_index = ref->index;
	return val + 100;
}

static void note_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	(void)nic;
	hook_val = val;
	hook_old = old;
	hook_index = ref->index;
	hook_off = ref->off;
	hooks++;
}

static const struct reg_desc table[] = {
	{ 0x00, "RO", REG_RO, .reset = 0x11223344 },
	{ 0x04, "RW", REG_RW(0x00ffff00), .reset = 0xaa0000bb, .wr = note_wr },
	{ 0x08, "W1C", REG_W1C(0xff), .reset = 0xfff },
	{ 0x0c, "W1S", REG_W1S(0xff) },
	{ 0x10, "W0C", REG_W0C(0xff), .reset = 0xffff },
	{ 0x14, "SC", REG_RW(0xf0), REG_SC(0x0f), .wr = note_wr },
	{ 0x18, "RC", REG_RC(0xff), .reset = 0x1ff },
	{ 0x20, "ARRAY", REG_RW(~0U), .count = 4, .stride = 0x10,
	  .rd = count_rd, .wr = note_wr },
	{ 0x24, "BETWEEN", REG_RW(~0U) },
	{ 0x60, "LO", REG_RW(~0U) },
	{ 0x64, "HI", REG_RW(~0U) },
};

static int unit_init(struct nic *nic, struct optset *o)
{
	(void)o;
	nic->pci.bar[0].size = 4096;
	return 0;
}

static const struct nic_ops ops = { .name = "unit", .init = unit_init };
static struct nic *nic;
static struct regs *r;

static u64 rd(u64 off, u32 size)
{
	u64 val = 0;

	if (regs_read(r, off, size, &val))
		tap_ok(false, "read of %#llx", (unsigned long long)off);
	return val;
}

static void access_rules(void)
{
	tap_is((long long)rd(0, 4), 0x11223344, "reset value");
	tap_is(regs_write(r, 0, 4, 0), 0, "a write to a read-only register");
	tap_is((long long)rd(0, 4), 0x11223344, "changes nothing");
	regs_write(r, 4, 4, 0x12345678);
	tap_is((long long)rd(4, 4), 0xaa3456bb, "rw bits take the value");
	tap_ok(hook_val == 0x12345678 && hook_old == 0xaa0000bb && hook_off == 4,
	       "the hook sees what was written and what was there");
	regs_write(r, 8, 4, 0xf0f);
	tap_is((long long)rd(8, 4), 0xff0, "w1c clears what is written 1");
	regs_write(r, 12, 4, 0xf81);
	regs_write(r, 12, 4, 0x02);
	tap_is((long long)rd(12, 4), 0x83, "w1s sets and keeps");
	regs_write(r, 16, 4, 0xf0);
	tap_is((long long)rd(16, 4), 0xfff0, "w0c clears what is written 0");
	hooks = 0;
	regs_write(r, 20, 4, 0x5f);
	tap_ok(rd(20, 4) == 0x50 && hook_val == 0x5f && hooks == 1,
	       "self-clearing bits reach the hook and read as 0");
	tap_is((long long)rd(24, 2), 0x1ff, "a half read sees rc bits");
	tap_is((long long)rd(24, 4), 0x1ff, "and leaves them to a full one");
	tap_is((long long)rd(24, 4), 0x100, "which clears them");
	regs_write(r, 0x40, 4, 7);
	tap_ok(hook_index == 2 && hook_off == 0x40, "array: the hook knows which");
	tap_ok(rd(0x40, 4) == 107 && hook_index == 2, "and so does the read hook");
	tap_is((long long)rd(0x30, 4), 100, "its neighbours are themselves");
	tap_is((long long)rd(0x24, 4), 0, "and so is what lies between");
	regs_write(r, 0x60, 8, 0x1122334455667788);
	tap_is((long long)rd(0x60, 8), 0x1122334455667788, "8 bytes");
	tap_is((long long)rd(0x64, 4), 0x11223344, "are two registers");
	tap_is((long long)rd(0x61, 1), 0x77, "a byte");
	tap_is((long long)rd(0x62, 2), 0x5566, "two bytes");
	reg_set(r, 0x60, 5);
	reg_set_bits(r, 0x60, 0x10);
	reg_clear_bits(r, 0x60, 1);
	tap_is(reg_get(r, 0x60), 0x14, "the model's own access");
	regs_reset(r);
	tap_ok(rd(4, 4) == 0xaa0000bb && rd(8, 4) == 0xfff && rd(0x40, 4) == 100,
	       "reset");
}

static void refused(void)
{
	static const struct {
		const char *name;
		u64 off;
		u32 size;
		int read, write;
	} cases[] = {
		{ "unknown", 0x1c, 4, -ENOENT, -ENOENT },
		{ "half unknown", 0x68, 8, -ENOENT, -ENOENT },
		{ "misaligned", 0x02, 4, -EINVAL, -EINVAL },
		{ "behind the window", 0x100, 4, -EINVAL, -EINVAL },
		{ "across its end", 0xfc, 8, -EINVAL, -EINVAL },
		{ "near 2^64", ~7ULL, 8, -EINVAL, -EINVAL },
		{ "3 bytes", 0, 3, -EINVAL, -EINVAL },
		{ "0 bytes", 0, 0, -EINVAL, -EINVAL },
	};
	struct regs_coverage c;
	u64 before, val = 4711;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		before = nic->stats.guest_errors;
		tap_is(regs_read(r, cases[i].off, cases[i].size, &val),
		       cases[i].read, "read of %s", cases[i].name);
		tap_is(regs_write(r, cases[i].off, cases[i].size, 0),
		       cases[i].write, "write of %s", cases[i].name);
		tap_ok(nic->stats.guest_errors >= before + 2, "both counted");
	}
	tap_is((long long)val, 4711, "a refused read stores nothing");
	tap_is(regs_write(r, 4, 2, 0), -EINVAL, "half a register can't be written");
	regs_coverage(r, &c);
	tap_ok(c.total == ARRAY_SIZE(table) && c.unknown == 3,
	       "coverage: %u registers, %u unknown", c.total, c.unknown);
	tap_ok(c.read == ARRAY_SIZE(table) && c.written == 9,
	       "coverage: %u read, %u written", c.read, c.written);
}

static void bad_tables(void)
{
	static const struct reg_desc overlap[] = {
		{ 0, "A", REG_RO, .count = 2 }, { 4, "B", REG_RO },
	}, misaligned[] = {
		{ 2, "A", REG_RO },
	}, outside[] = {
		{ 0xf8, "A", REG_RO, .count = 3 },
	};

	tap_ok(!regs_new(nic, overlap, 2, 256), "overlapping entries don't start");
	tap_ok(!regs_new(nic, misaligned, 1, 256), "nor misaligned ones");
	tap_ok(!regs_new(nic, outside, 1, 256), "nor those outside the window");
}

static void rings(void)
{
	u8 *mem = unit_mem(nic, 0x10000, 0x1000, true), buf[16];
	struct ring ring = { 0 };
	u32 index = 99, v32;
	u64 v64;

	tap_ok(!ring_ready(&ring), "a ring that is none");
	tap_is(ring_init(nic, &ring, 0x10000, 0, 16), -EINVAL, "0 entries");
	tap_is(ring_init(nic, &ring, 0x10000, 65537, 16), -EINVAL, "65537 entries");
	tap_is(ring_init(nic, &ring, 0x10000, 8, 16), 0, "8 entries");
	tap_is(ring_set_tail(nic, &ring, 8), -EINVAL, "a tail outside");
	tap_is(ring_set_tail(nic, &ring, 5), 0, "a tail inside");
	ring.head = 6;
	tap_is(ring_pending(&ring), 7, "pending across the end");
	ring_advance(&ring);
	ring_advance(&ring);
	tap_is(ring.head, 0, "the head wraps");
	tap_is(ring_index(nic, &ring, 0x10030, &index), 0, "address to index");
	tap_is(index, 3, "is right");
	tap_is(ring_index(nic, &ring, 0x10031, &index), -EINVAL, "between entries");
	tap_is(ring_index(nic, &ring, 0x10080, &index), -EINVAL, "behind the ring");
	tap_is(ring_index(nic, &ring, 0xffff, &index), -EINVAL, "before the ring");
	memset(mem + 0x20, 0x77, 16);
	tap_ok(!ring_read(nic, &ring, 2, buf, 16) && buf[15] == 0x77, "read entry");
	tap_is(ring_read(nic, &ring, 8, buf, 16), -EFAULT, "entry outside");
	tap_is(ring_read(nic, &ring, 0, buf, 17), -EFAULT, "more than an entry");

	tap_is(dma_write_le32(nic, 0x10100, 0x01020304), 0, "le32");
	tap_ok(mem[0x100] == 4 && !dma_read_le32(nic, 0x10100, &v32) &&
	       v32 == 0x01020304, "both ways");
	tap_is(dma_write_be64(nic, 0x10108, 0x0102030405060708), 0, "be64");
	tap_ok(mem[0x108] == 1 && !dma_read_be64(nic, 0x10108, &v64) &&
	       v64 == 0x0102030405060708, "both ways");
	tap_is(dma_write_le32(nic, 0x10102, 0), -EFAULT, "misaligned word");
	tap_is(dma_write_le64(nic, 0x10ffc, 0), -EFAULT, "misaligned at the end");
	tap_is(dma_write_u8(nic, 0x11000, 0), -EFAULT, "byte outside");
	tap_ok(!dma_map(nic, 0x10ff0, 17, false), "dma_map across the end");
	tap_ok(!dma_map(nic, 0x10000, 0, false), "dma_map of nothing");
	tap_ok(dma_map(nic, 0x10ff0, 16, true) != NULL, "dma_map up to the end");
}

int main(void)
{
	unit_quiet();
	nic = unit_nic(&ops, "");
	r = regs_new(nic, table, ARRAY_SIZE(table), 256);
	if (!r)
		tap_bail("the table does not start");
	access_rules();
	refused();
	bad_tables();
	rings();
	regs_free(r);
	nic_destroy_all();
	return tap_done();
}
