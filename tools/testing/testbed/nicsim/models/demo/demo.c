// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "models/demo/demo.h"
#include "nic.h"

/* A doorbell may move the tail this far at most before the loop goes on. */
#define TX_BURST 64

struct demo_queue {
	struct ring tx;
	struct ring rx;
};

struct demo {
	struct regs *regs;
	struct demo_queue q[DEMO_QUEUES];
	struct timer more;
	struct nic *nic;
	u32 burst;		/* option: descriptors a round */
};

static struct demo *demo_of(struct nic *nic)
{
	return nic->priv;
}

static void raise_irq(struct nic *nic, u32 vector)
{
	struct demo *d = demo_of(nic);

	reg_set_bits(d->regs, DEMO_CAUSE, BIT(vector));
	reg_set(d->regs, DEMO_EVENTS, reg_get(d->regs, DEMO_EVENTS) + 1);
	irq_raise(nic, vector);
}

static void write_back(struct nic *nic, const struct ring *r, u32 index,
		       const struct demo_desc *desc)
{
	struct demo_desc out = {
		.len = htole32(desc->len), .stamp_ns = htole64(desc->stamp_ns),
		.flags = htole32(desc->flags & ~DEMO_F_DONE),
	};
	u64 at = ring_addr(r, index);

	dma_write(nic, at + offsetof(struct demo_desc, len), &out.len,
		  sizeof(out) - offsetof(struct demo_desc, len));
	/* The flag last: whoever sees it must see the rest. */
	dma_write_le32(nic, at + offsetof(struct demo_desc, flags), desc->flags);
}

static void refuse(struct nic *nic, u32 queue, u32 index)
{
	struct demo_desc out = { .flags = DEMO_F_DONE | DEMO_F_ERROR };

	write_back(nic, &demo_of(nic)->q[queue].tx, index, &out);
	raise_irq(nic, 2 * queue);
}

static void send_one(struct nic *nic, u32 queue)
{
	struct ring *r = &demo_of(nic)->q[queue].tx;
	u32 index = r->head;
	struct demo_desc desc;
	struct tx_frame *f;
	struct pkt p;

	ring_advance(r);
	reg_set(demo_of(nic)->regs, DEMO_TX(queue) + DEMO_HEAD, r->head);
	if (ring_read(nic, r, index, &desc, sizeof(desc)))
		return;
	f = tx_alloc(nic, le32toh(desc.len));
	if (!f || dma_read(nic, le64toh(desc.addr), f->data, f->len)) {
		if (f)
			tx_free(f);
		refuse(nic, queue, index);
		return;
	}
	f->queue = queue;
	f->desc = index;
	f->req = le32toh(desc.flags) & (TRUTH_REQ_TS | TRUTH_REQ_CSUM |
					TRUTH_REQ_LAUNCH);
	if (f->req & TRUTH_REQ_CSUM &&
	    (!pkt_parse(&p, f->data, f->len) ||
	     !csum_l4_insert(&p, f->data, f->len, true)))
		guest_error(nic, "queue %u: checksum asked for an unfit frame",
			    queue);
	if (f->req & TRUTH_REQ_LAUNCH)
		f->launch_ns = le64toh(desc.launch_ns);
	tx_send(f);
}

static void work(struct nic *nic)
{
	struct demo *d = demo_of(nic);
	u32 q, n;

	for (q = 0; q < DEMO_QUEUES; q++) {
		struct ring *r = &d->q[q].tx;

		for (n = 0; n < d->burst && ring_pending(r); n++)
			send_one(nic, q);
		if (ring_pending(r))
			timer_set(&d->more, 0);
	}
}

static void more(struct timer *t)
{
	work(container_of(t, struct demo, more)->nic);
}

static void demo_tx_done(struct nic *nic, struct tx_frame *f)
{
	struct demo_desc out = { .flags = DEMO_F_DONE };

	if (f->error)
		out.flags |= DEMO_F_ERROR;
	if (f->stamp_ns != TRUTH_NONE) {
		out.flags |= DEMO_F_STAMPED;
		out.stamp_ns = f->stamp_ns;
	}
	write_back(nic, &demo_of(nic)->q[f->queue].tx, f->desc, &out);
	raise_irq(nic, 2 * f->queue);
}

static bool demo_rx(struct nic *nic, const struct rx_frame *f)
{
	struct demo *d = demo_of(nic);
	struct demo_desc desc, out = { .flags = DEMO_F_DONE | DEMO_F_STAMPED };
	u32 queue = 0, index;
	struct ring *r;
	struct pkt p;

	if (!(reg_get(d->regs, DEMO_CTRL) & 1))
		return false;
	if (pkt_parse(&p, f->data, f->len)) {
		if (csum_l4_check(&p, f->data, f->len) == CSUM_GOOD)
			out.flags |= DEMO_F_CSUM_OK;
		queue = p.dport % DEMO_QUEUES;
	}
	r = &d->q[queue].rx;
	if (!ring_pending(r))
		return false;
	index = r->head;
	ring_advance(r);
	reg_set(d->regs, DEMO_RX(queue) + DEMO_HEAD, r->head);
	if (ring_read(nic, r, index, &desc, sizeof(desc)))
		return false;
	if (f->len > le32toh(desc.len) ||
	    dma_write(nic, le64toh(desc.addr), f->data, f->len)) {
		out.flags = DEMO_F_DONE | DEMO_F_ERROR;
		write_back(nic, r, index, &out);
		return false;
	}
	out.len = f->len;
	out.stamp_ns = f->stamp_ns;
	write_back(nic, r, index, &out);
	raise_irq(nic, 2 * queue + 1);
	return true;
}

static void demo_link(struct nic *nic)
{
	reg_set(demo_of(nic)->regs, DEMO_LINK, wire_link(nic));
	raise_irq(nic, 8);
}

static void demo_reset(struct nic *nic, enum nic_reset_kind kind)
{
	struct demo *d = demo_of(nic);

	(void)kind;
	timer_cancel(&d->more);
	tx_flush(nic, TX_ALL_QUEUES);
	memset(d->q, 0, sizeof(d->q));
	regs_reset(d->regs);
	reg_set(d->regs, DEMO_LINK, wire_link(nic));
}

static void ctrl_wr(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	(void)ref;
	(void)old;
	if (val & BIT(31))
		demo_reset(nic, RESET_FAULT);
}

static u32 time_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	u64 now = phc_units(&nic->phc, mono_now());

	(void)val;
	reg_set(ref->regs, DEMO_TIME_HI, (u32)(now >> 32));
	return (u32)now;
}

static void set_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	(void)old;
	phc_set_units(&nic->phc, mono_now(),
		      (u64)val << 32 | reg_get(ref->regs, DEMO_SET_LO));
}

static void ppb_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	(void)ref;
	(void)old;
	phc_set_ppb(&nic->phc, mono_now(), (s32)val);
}

/* The ring that a register block belongs to; the block is ref's index. */
static struct ring *ring_of(struct nic *nic, const struct reg_ref *ref,
			    u32 *block)
{
	struct demo *d = demo_of(nic);
	bool rx = ref->off >= DEMO_RX(0);

	*block = rx ? DEMO_RX(ref->index) : DEMO_TX(ref->index);
	return rx ? &d->q[ref->index].rx : &d->q[ref->index].tx;
}

static void count_wr(struct nic *nic, const struct reg_ref *ref, u32 val,
		     u32 old)
{
	u32 block;
	struct ring *r = ring_of(nic, ref, &block);
	u64 base = reg_get(ref->regs, block + DEMO_BASE_LO) |
		   (u64)reg_get(ref->regs, block + DEMO_BASE_HI) << 32;

	(void)old;
	if (ref->off < DEMO_RX(0))
		tx_flush(nic, ref->index);
	reg_set(ref->regs, block + DEMO_HEAD, 0);
	reg_set(ref->regs, block + DEMO_TAIL, 0);
	if (ring_init(nic, r, base, val, sizeof(struct demo_desc)))
		reg_set(ref->regs, ref->off, 0);
}

static void tail_wr(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	u32 block;
	struct ring *r = ring_of(nic, ref, &block);

	if (ring_set_tail(nic, r, val))
		reg_set(ref->regs, ref->off, old);
	else if (ref->off < DEMO_RX(0) && reg_get(ref->regs, DEMO_CTRL) & 1)
		work(nic);
}

#define RING_REGS(block, name)						\
	{ block(0) + DEMO_BASE_LO, name "_BASE_LO", REG_RW(0xffffffe0),	\
	  .count = DEMO_QUEUES, .stride = 0x40 },			\
	{ block(0) + DEMO_BASE_HI, name "_BASE_HI", REG_RW(~0U),	\
	  .count = DEMO_QUEUES, .stride = 0x40 },			\
	{ block(0) + DEMO_COUNT, name "_COUNT", REG_RW(0x1ffff),	\
	  .count = DEMO_QUEUES, .stride = 0x40, .wr = count_wr },	\
	{ block(0) + DEMO_TAIL, name "_TAIL", REG_RW(0xffff),		\
	  .count = DEMO_QUEUES, .stride = 0x40, .wr = tail_wr },	\
	{ block(0) + DEMO_HEAD, name "_HEAD", REG_RO,			\
	  .count = DEMO_QUEUES, .stride = 0x40 }

static const struct reg_desc demo_regs[] = {
	{ DEMO_ID, "ID", REG_RO, .reset = DEMO_MAGIC },
	{ DEMO_CTRL, "CTRL", REG_RW(1), REG_SC(BIT(31)), .wr = ctrl_wr },
	{ DEMO_LINK, "LINK", REG_RO },
	{ DEMO_CAUSE, "CAUSE", REG_W1C(~0U) },
	{ DEMO_EVENTS, "EVENTS", REG_RC(~0U) },
	{ DEMO_SCRATCH, "SCRATCH", REG_RW(~0U), .reset = 0x5a5a5a5a },
	{ DEMO_TIME_LO, "TIME_LO", REG_RO, .rd = time_rd },
	{ DEMO_TIME_HI, "TIME_HI", REG_RO },
	{ DEMO_SET_LO, "SET_LO", REG_RW(~0U) },
	{ DEMO_SET_HI, "SET_HI", REG_RW(~0U), .wr = set_wr },
	{ DEMO_PPB, "PPB", REG_RW(~0U), .wr = ppb_wr },
	RING_REGS(DEMO_TX, "TX"),
	RING_REGS(DEMO_RX, "RX"),
};

static int demo_read(struct nic *nic, u32 bar, u64 off, u32 size, u64 *val)
{
	(void)bar;
	return regs_read(demo_of(nic)->regs, off, size, val);
}

static int demo_write(struct nic *nic, u32 bar, u64 off, u32 size, u64 val)
{
	(void)bar;
	return regs_write(demo_of(nic)->regs, off, size, val);
}

static int demo_init(struct nic *nic, struct optset *o)
{
	struct demo *d = demo_of(nic);

	d->nic = nic;
	d->burst = TX_BURST;
	if (opt_u32(o, "burst", &d->burst, 1, 65536) ||
	    opt_u32(o, "speed", &nic->speed_mbps, 10, 400000))
		return -EINVAL;
	d->more.fn = more;
	d->regs = regs_new(nic, demo_regs, ARRAY_SIZE(demo_regs), DEMO_MSIX_TABLE);
	if (!d->regs)
		return -ENOMEM;
	nic->pci = (struct nic_pci) {
		.vendor = DEMO_VENDOR, .device = DEMO_DEVICE,
		.subvendor = DEMO_VENDOR, .subdevice = 1, .intx = true,
		.bar[0] = { .size = 65536, .flags = BAR_MEM64 },
		.msi_vectors = 16, .msix_vectors = DEMO_VECTORS,
		.msix_table = DEMO_MSIX_TABLE, .msix_pba = DEMO_MSIX_PBA,
		.serial = 0x0011223344556677,
	};
	return 0;
}

static void demo_teardown(struct nic *nic)
{
	struct demo *d = demo_of(nic);

	timer_cancel(&d->more);
	regs_free(d->regs);
}

static int demo_control(struct nic *nic, int argc, char **argv, nic_reply *out)
{
	u32 queue;

	if (argc != 2 || strcmp(argv[0], "ring"))
		return -ENOENT;
	queue = (u32)atoi(argv[1]);
	if (queue >= DEMO_QUEUES)
		return -EINVAL;
	fprintf(out, "head %u tail %u inflight %u\n", demo_of(nic)->q[queue].tx.head,
		demo_of(nic)->q[queue].tx.tail, tx_inflight(nic, queue));
	return 0;
}

static void demo_coverage(struct nic *nic, nic_reply *out)
{
	struct regs_coverage c;

	regs_coverage(demo_of(nic)->regs, &c);
	fprintf(out, "registers %u read %u written %u unknown %u\n", c.total,
		c.read, c.written, c.unknown);
	regs_report(demo_of(nic)->regs, out);
}

static const struct nic_ops demo_ops = {
	.name = "demo",
	.help = "    speed=MBPS  line rate (1000)\n"
		"    burst=N     descriptors taken from a ring at once (64)\n",
	.max_ports = 4,
	.priv_size = sizeof(struct demo),
	.init = demo_init,
	.teardown = demo_teardown,
	.reset = demo_reset,
	.read = demo_read,
	.write = demo_write,
	.tx_done = demo_tx_done,
	.rx = demo_rx,
	.link = demo_link,
	.control = demo_control,
	.coverage = demo_coverage,
};

NIC_MODEL(demo_ops);
