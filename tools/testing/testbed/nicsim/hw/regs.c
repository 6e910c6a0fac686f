// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "nic.h"

/* Distinct unknown offsets that the report lists by name. */
#define UNKNOWN_MAX 128

struct reg_use {
	u32 reads, writes;
};

struct regs {
	struct nic *nic;
	const struct reg_desc *table;
	size_t n;
	u32 words;
	u16 *which;		/* a word's entry in the table + 1, 0 = none */
	u32 *val;
	struct reg_use *use;	/* per entry of the table */
	u32 unknowns;
	struct {
		u32 off;
		struct reg_use use;
	} unknown[UNKNOWN_MAX];
};

void (*regs_new_hook)(const struct reg_desc *table, size_t n);

static u32 count_of(const struct reg_desc *d)
{
	return d->count ? d->count : 1;
}

static u32 stride_of(const struct reg_desc *d)
{
	return d->stride ? d->stride : 4;
}

static bool enter(struct regs *r, size_t i)
{
	const struct reg_desc *d = &r->table[i];
	u32 k;

	for (k = 0; k < count_of(d); k++) {
		u64 off = d->off + (u64)k * stride_of(d);

		if (off % 4 || off / 4 >= r->words) {
			nic_log(r->nic, LOG_ERROR,
				"register table: %s[%u] at %#llx: misaligned or outside",
				d->name, k, (unsigned long long)off);
			return false;
		}
		if (r->which[off / 4]) {
			nic_log(r->nic, LOG_ERROR,
				"register table: %s[%u] overlaps %s at %#llx",
				d->name, k, r->table[r->which[off / 4] - 1].name,
				(unsigned long long)off);
			return false;
		}
		r->which[off / 4] = (u16)(i + 1);
	}
	return true;
}

struct regs *regs_new(struct nic *nic, const struct reg_desc *table, size_t n,
		      u32 size)
{
	struct regs *r = calloc(1, sizeof(*r));
	size_t i;

	if (!r)
		return NULL;
	r->nic = nic;
	r->table = table;
	r->n = n;
	r->words = size / 4;
	r->which = calloc(r->words, sizeof(*r->which));
	r->val = calloc(r->words, sizeof(*r->val));
	r->use = calloc(n, sizeof(*r->use));
	if (!r->which || !r->val || !r->use || n >= UINT16_MAX || size % 4) {
		nic_log(nic, LOG_ERROR, "register table: no memory or bad size");
		goto fail;
	}
	for (i = 0; i < n; i++)
		if (!enter(r, i))
			goto fail;
	regs_reset(r);
	if (regs_new_hook)
		regs_new_hook(table, n);
	return r;
fail:
	regs_free(r);
	return NULL;
}

void regs_free(struct regs *r)
{
	if (!r)
		return;
	free(r->which);
	free(r->val);
	free(r->use);
	free(r);
}

void regs_reset(struct regs *r)
{
	size_t i;
	u32 k;

	for (i = 0; i < r->n; i++)
		for (k = 0; k < count_of(&r->table[i]); k++)
			r->val[(r->table[i].off + k * stride_of(&r->table[i])) / 4] =
				r->table[i].reset;
}

/* NULL: unknown, which is noted. */
static const struct reg_desc *look_up(struct regs *r, u32 off, bool write,
				      struct reg_ref *ref)
{
	u16 which = r->which[off / 4];
	u32 i;

	if (which) {
		struct reg_use *use = &r->use[which - 1];

		if (write)
			use->writes++;
		else
			use->reads++;
		ref->regs = r;
		ref->desc = &r->table[which - 1];
		ref->off = off;
		ref->index = (off - ref->desc->off) / stride_of(ref->desc);
		return ref->desc;
	}
	for (i = 0; i < r->unknowns; i++)
		if (r->unknown[i].off == off)
			break;
	if (i < UNKNOWN_MAX) {
		if (i == r->unknowns) {
			r->unknowns++;
			r->unknown[i].off = off;
			nic_log(r->nic, LOG_WARN, "unknown register %#x %s",
				off, write ? "written" : "read");
		}
		if (write)
			r->unknown[i].use.writes++;
		else
			r->unknown[i].use.reads++;
	}
	r->nic->stats.guest_errors++;
	return NULL;
}

static int read32(struct regs *r, u32 off, bool peek, u32 *val)
{
	struct reg_ref ref;
	const struct reg_desc *d = look_up(r, off, false, &ref);

	if (!d)
		return -ENOENT;
	*val = r->val[off / 4];
	if (d->rd)
		*val = d->rd(r->nic, &ref, *val);
	if (d->rc && !peek)
		r->val[off / 4] &= ~d->rc;
	return 0;
}

static int write32(struct regs *r, u32 off, u32 val)
{
	struct reg_ref ref;
	const struct reg_desc *d = look_up(r, off, true, &ref);
	u32 old, new;

	if (!d)
		return -ENOENT;
	old = r->val[off / 4];
	new = (old & ~d->rw) | (val & d->rw);
	new &= ~(val & d->w1c);
	new |= val & d->w1s;
	new &= val | ~d->w0c;
	new &= ~d->sc;
	r->val[off / 4] = new;
	if (d->wr)
		d->wr(r->nic, &ref, val, old);
	return 0;
}

static bool bad_shape(const struct regs *r, u64 off, unsigned int size)
{
	u64 end = (u64)r->words * 4;

#ifdef NICSIM_PLANT_BUG
	/* For the fuzzer to find: the window is thought to be twice as long. */
	end *= 2;
#endif
	if ((size == 1 || size == 2 || size == 4 || size == 8) &&
	    off % size == 0 && off < end && size <= end - off)
		return false;
	guest_error(r->nic, "register access at %#llx, %u bytes: refused",
		    (unsigned long long)off, size);
	return true;
}

int regs_read(struct regs *r, u64 off, unsigned int size, u64 *val)
{
	u32 lo = 0, hi = 0;
	int err;

	if (bad_shape(r, off, size))
		return -EINVAL;
	err = read32(r, (u32)off & ~3U, size < 4, &lo);
	if (!err && size == 8)
		err = read32(r, (u32)off + 4, false, &hi);
	if (err)
		return err;
	*val = (u64)hi << 32 | lo;
	if (size < 4)
		*val = (lo >> 8 * (off & 3)) & GENMASK(8 * size - 1, 0);
	return 0;
}

int regs_write(struct regs *r, u64 off, unsigned int size, u64 val)
{
	int err, err_hi = 0;

	if (bad_shape(r, off, size))
		return -EINVAL;
	if (size < 4) {
		guest_error(r->nic, "register write at %#llx, %u bytes: refused",
			    (unsigned long long)off, size);
		return -EINVAL;
	}
	err = write32(r, (u32)off, (u32)val);
	if (size == 8)
		err_hi = write32(r, (u32)off + 4, (u32)(val >> 32));
	return err ? err : err_hi;
}

static u32 known(const struct regs *r, u32 off)
{
	if (off % 4 || off / 4 >= r->words || !r->which[off / 4]) {
		nic_log(r->nic, LOG_ERROR, "model uses undeclared register %#x",
			off);
		abort();
	}
	return off / 4;
}

u32 reg_get(const struct regs *r, u32 off)
{
	return r->val[known(r, off)];
}

void reg_set(struct regs *r, u32 off, u32 val)
{
	r->val[known(r, off)] = val;
}

void regs_coverage(const struct regs *r, struct regs_coverage *c)
{
	size_t i;

	memset(c, 0, sizeof(*c));
	c->total = (u32)r->n;
	c->unknown = r->unknowns;
	for (i = 0; i < r->n; i++) {
		c->read += !!r->use[i].reads;
		c->written += !!r->use[i].writes;
	}
}

void regs_report(const struct regs *r, FILE *out)
{
	size_t i;
	u32 k;

	for (i = 0; i < r->n; i++)
		if (r->use[i].reads || r->use[i].writes)
			fprintf(out, "%s reads %u writes %u\n", r->table[i].name,
				r->use[i].reads, r->use[i].writes);
	for (k = 0; k < r->unknowns; k++)
		fprintf(out, "unknown %#x reads %u writes %u\n",
			r->unknown[k].off, r->unknown[k].use.reads,
			r->unknown[k].use.writes);
}
