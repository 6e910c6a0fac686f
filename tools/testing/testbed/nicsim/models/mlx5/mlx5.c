// SPDX-License-Identifier: GPL-2.0
/*
 * The model's outside: PCI identity, BAR 0 (initialisation segment, doorbell
 * pages), resets, control verbs.
 */
#include <errno.h>
#include <stdlib.h>

#include "mlx5.h"

#define VENDOR_MELLANOX	0x15b3
#define DEVICE_CX5	0x1017		/* free-running clock only */
#define DEVICE_CX6DX	0x101d		/* real-time clock as well */
#define BAR_SIZE	(1u << 20)
#define UAR_FIRST	16
#define UAR_SHIFT	12
#define MSIX_TABLE	0x4000
#define MSIX_PBA	0x5000
#define VECTORS		32
#define FW_MAJOR	22
#define FW_MINOR	35
#define FW_SUB		1012
#define CMDIF_REV	5
#define CMDQ_LOG_SIZE	5
#define CMDQ_LOG_STRIDE	6
#define NIC_IFC_SHIFT	8
#define NIC_IFC_MASK	7
#define HEALTH_TICK_NS	100000000ULL
#define KHZ_MIN		10000
#define KHZ_MAX		1000000

#define ISEG(f)		offsetof(struct mlx5_init_seg, f)

static int m5_init(struct nic *nic, struct optset *opts)
{
	static const char *const clocks[] = { "real", "free", NULL };
	static const char *const inlines[] = { "none", "l2", NULL };
	u32 clock = 0, khz = 0, inl = 0;
	struct mlx5 *m = nic->priv;
	u64 delay = 150;
	int err;

	err = opt_enum(opts, "clock", &clock, clocks);
	if (!err)
		err = opt_u32(opts, "khz", &khz, KHZ_MIN, KHZ_MAX);
	if (!err)
		err = opt_enum(opts, "inline", &inl, inlines);
	if (!err)
		err = opt_u64(opts, "cqe-delay", &delay, 0, 1000000);
	if (err)
		return err;

	m->nic = nic;
	m->inline_l2 = inl;
	m->clock.real_time = clock == 0;
	m->clock.khz = khz ? khz : m->clock.real_time ? 1000000 : 78125;
	m->clock.cqe_delay = delay;
	nic->speed_mbps = 25000;
	nic->pci = (struct nic_pci) {
		.vendor = VENDOR_MELLANOX,
		.device = m->clock.real_time ? DEVICE_CX6DX : DEVICE_CX5,
		.subvendor = VENDOR_MELLANOX,
		.bar[0] = { BAR_SIZE, BAR_MEM64 | BAR_PREFETCH },
		.msix_vectors = VECTORS,
		.msix_bar = 0,
		.msix_table = MSIX_TABLE,
		.msix_pba = MSIX_PBA,
	};
	phc_init(&nic->phc, mono_now(), 1, 1, 64, nic->drift_ppb);
	m5_clock_init(m, mono_now());
	return 0;
}

static void m5_teardown(struct nic *nic)
{
	m5_objects_free(nic->priv);
}

static void m5_reset(struct nic *nic, enum nic_reset_kind kind)
{
	struct mlx5 *m = nic->priv;

	m5_objects_free(m);
	m->cmdq = 0;
	m->cmdq_valid = false;
	/*
	 * The NIC's own mishap: firmware has started anew, as after a reset that
	 * another function has asked for. The driver's health poll finds the
	 * interface disabled; what it had set up is gone, and nothing answers
	 * until it gives the command queue's address again.
	 */
	m->nic_ifc = kind == RESET_FAULT ? M5_NIC_IFC_DISABLED : M5_NIC_IFC_FULL;
	m->hca_up = false;
	m->issi = 0;
	m->npages = 0;
	m5_vport_reset(m);
	if (kind == RESET_FAULT)
		tx_flush(nic, TX_ALL_QUEUES);
}

/* The initialisation segment, in the guest's (big-endian) words. */
static int iseg_read(struct mlx5 *m, u32 off, u32 *val)
{
	switch (off) {
	case ISEG(fw_rev):
		*val = FW_MINOR << 16 | FW_MAJOR;
		return 0;
	case ISEG(cmdif_rev_fw_sub):
		*val = CMDIF_REV << 16 | FW_SUB;
		return 0;
	case ISEG(cmdq_addr_h):
		*val = m->cmdq >> 32;
		return 0;
	case ISEG(cmdq_addr_l_sz):
		*val = (u32)m->cmdq | m->nic_ifc << NIC_IFC_SHIFT |
		       CMDQ_LOG_SIZE << 4 | CMDQ_LOG_STRIDE;
		return 0;
	case ISEG(cmd_dbell):
	case ISEG(initializing):
	case ISEG(cmd_exec_to):
	case ISEG(cmd_q_init_to):
		*val = 0;
		return 0;
	case ISEG(internal_timer_h):
		*val = m5_timer(m, false, true);
		return 0;
	case ISEG(internal_timer_l):
		*val = m5_timer(m, false, false);
		return 0;
	case ISEG(real_time_h):
		*val = m5_timer(m, true, true);
		return 0;
	case ISEG(real_time_l):
		*val = m5_timer(m, true, false);
		return 0;
	case ISEG(health_counter):
		*val = mono_now() / HEALTH_TICK_NS;
		return 0;
	}
	if (off >= ISEG(health) && off < ISEG(rsvd2)) {
		*val = 0;
		return 0;
	}
	return -ENOENT;
}

static int m5_read(struct nic *nic, u32 bar, u64 off, u32 size, u64 *val)
{
	struct mlx5 *m = nic->priv;
	u8 word[4];
	u32 be;
	int err;

	if (bar || size > 4) {
		guest_error(nic, "read of %u bytes at 0x%llx of BAR %u", size,
			    (unsigned long long)off, bar);
		return -EINVAL;
	}
	err = iseg_read(m, off & ~3u, &be);
	if (err) {
		guest_error(nic, "read of unknown register 0x%llx",
			    (unsigned long long)off);
		return err;
	}
	put_be32(word, be);
	*val = 0;
	memcpy(val, word + (off & 3), size);
	*val = le64toh(*val);
	return 0;
}

static int iseg_write(struct mlx5 *m, u32 off, u32 val)
{
	switch (off) {
	case ISEG(cmdq_addr_h):
		m->cmdq = (u64)val << 32;
		m->cmdq_valid = false;
		return 0;
	case ISEG(cmdq_addr_l_sz):
		m->nic_ifc = val >> NIC_IFC_SHIFT & NIC_IFC_MASK;
		m->cmdq = (m->cmdq & ~0xffffffffULL) | (val & ~0xfffu);
		m->cmdq_valid = true;
		return 0;
	case ISEG(cmd_dbell):
		if (m->nic_ifc == M5_NIC_IFC_FULL)
			m5_cmd_doorbell(m, val);
		return 0;
	}
	return -ENOENT;
}

/* One doorbell: two big-endian words, or one for an EQ. */
static int uar_write(struct mlx5 *m, u32 off, u32 size, u32 hi, u32 lo)
{
	if (off == M5_UAR_EQ_ARM || off == M5_UAR_EQ_CI) {
		m5_eq_doorbell(m, hi, off == M5_UAR_EQ_ARM);
		return 0;
	}
	if (size != 8)
		return -EINVAL;
	if (off == M5_UAR_CQ_ARM) {
		m5_cq_doorbell(m, hi, lo);
		return 0;
	}
	if (off >= M5_UAR_SQ) {
		m5_sq_doorbell(m, lo >> 8);
		return 0;
	}
	return -ENOENT;
}

static int m5_write(struct nic *nic, u32 bar, u64 off, u32 size, u64 val)
{
	struct mlx5 *m = nic->priv;
	u32 page = off >> UAR_SHIFT, in = off & ((1u << UAR_SHIFT) - 1);
	u32 hi, lo = 0;
	int err = -EINVAL;
	u8 raw[8];

	put_le64(raw, val);
	hi = get_be32(raw);
	if (size == 8)
		lo = get_be32(raw + 4);
	if (!bar && page >= UAR_FIRST && size >= 4) {
		if (m->nic_ifc != M5_NIC_IFC_FULL)
			return 0;
		if (!m5_id_find(m, M5_UAR, page)) {
			guest_error(nic, "doorbell page %u is not allocated", page);
			return -ENOENT;
		}
		/* A doorbell may arrive in two halves. */
		if (size == 4 && in != M5_UAR_EQ_ARM && in != M5_UAR_EQ_CI) {
			if (!(in & 4)) {
				m->uar_latch = hi;
				return 0;
			}
			return uar_write(m, in - 4, 8, m->uar_latch, hi);
		}
		err = uar_write(m, in, size, hi, lo);
	} else if (!bar && size == 4) {
		err = iseg_write(m, off, hi);
	}
	if (err)
		guest_error(nic, "write of %u bytes at 0x%llx of BAR %u refused",
			    size, (unsigned long long)off, bar);
	return err;
}

static void m5_tx_done(struct nic *nic, struct tx_frame *f)
{
	m5_sq_tx_done(nic->priv, f);
}

static bool m5_rx_frame(struct nic *nic, const struct rx_frame *f)
{
	struct mlx5 *m = nic->priv;
	struct m5_rq *rq;
	struct pkt p;
	u8 hash_type;
	u32 hash;

	if (!m->hca_up || !m5_vport_up(m) ||
	    !pkt_parse(&p, f->data, f->len))
		return false;
	m5_count(&m->rx, f->data, f->len);
	rq = m5_steer(m, f, &p, &hash, &hash_type);
	if (!rq || !m5_rq_deliver(m, rq, f, &p, hash, hash_type)) {
		m->rx.errors++;
		return false;
	}
	return true;
}

static void m5_link(struct nic *nic)
{
	struct mlx5 *m = nic->priv;

	if (m->hca_up)
		m5_link_event(m);
}

/*
 * model PORT clock-format real|free [KHZ]	what the next driver start will find
 * model PORT inline none|l2			the same
 * model PORT sqs			" SQN STATE CQN TAKEN DONE"
 */
static int m5_control(struct nic *nic, int argc, char **argv, nic_reply *out)
{
	static const char *const states[] = { "reset", "ready", "?", "error" };
	struct mlx5 *m = nic->priv;

	if ((argc == 2 || argc == 3) && !strcmp(argv[0], "clock-format")) {
		u64 khz = argc == 3 ? strtoull(argv[2], NULL, 10) : m->clock.khz;

		if (strcmp(argv[1], "real") && strcmp(argv[1], "free")) {
			fprintf(out, "clock-format is real or free");
			return -EINVAL;
		}
		if (khz < KHZ_MIN || khz > KHZ_MAX) {
			fprintf(out, "the counter's frequency is %u to %u kHz", KHZ_MIN, KHZ_MAX);
			return -EINVAL;
		}
		if (m->hca_up) {
			fprintf(out, "a driver is bound; unbind it first");
			return -EBUSY;
		}
		m->clock.real_time = argv[1][0] == 'r';
		m->clock.khz = khz;
		m5_clock_init(m, mono_now());
		return 0;
	}
	if (argc == 2 && !strcmp(argv[0], "inline")) {
		if (strcmp(argv[1], "none") && strcmp(argv[1], "l2")) {
			fprintf(out, "inline is none or l2");
			return -EINVAL;
		}
		if (m->hca_up) {
			fprintf(out, "a driver is bound; unbind it first");
			return -EBUSY;
		}
		m->inline_l2 = argv[1][0] == 'l';
		return 0;
	}
	if (argc == 1 && !strcmp(argv[0], "sqs")) {
		for (u32 i = 0; i < M5_MAX_OBJ; i++) {
			struct m5_sq *sq = m->id[M5_SQ].obj[i];

			if (sq)
				fprintf(out, " 0x%x %s 0x%x %u %u\n", sq->id,
					states[sq->state & 3], sq->cqn,
					sq->tail, sq->head);
		}
		return 0;
	}
	return -ENOENT;
}

static void m5_stats(struct nic *nic, nic_reply *out)
{
	struct mlx5 *m = nic->priv;

	fprintf(out, " commands %llu\n", (unsigned long long)m->cmd_count);
}

static const struct nic_ops mlx5_ops = {
	.name = "mlx5",
	.help = "    clock=real|free  real-time clock (ConnectX-6 Dx, default) or\n"
		"                     free-running counter only (ConnectX-5)\n"
		"    khz=N            the counter's frequency, 10000 to 1000000\n"
		"    inline=none|l2   what a send WQE brings of its frame's header; l2 (as\n"
		"                     before ConnectX-5): no multi-packet WQEs\n"
		"    cqe-delay=NS     from egress to send completion, default 150\n",
	.priv_size = sizeof(struct mlx5),
	.init = m5_init,
	.teardown = m5_teardown,
	.reset = m5_reset,
	.read = m5_read,
	.write = m5_write,
	.tx_done = m5_tx_done,
	.rx = m5_rx_frame,
	.link = m5_link,
	.clock_ns = m5_clock_ns,
	.clock_mono = m5_clock_mono,
	.clock_set = m5_clock_set,
	.control = m5_control,
	.stats = m5_stats,
	.coverage = m5_coverage,
};

NIC_MODEL(mlx5_ops);
