// SPDX-License-Identifier: GPL-2.0
/* X710 for 10GbE SFP+ (8086:1572): one port, one PF, 64 queue pairs. */
#include <stdlib.h>
#include "i40e.h"

#define VENDOR_INTEL		0x8086
#define DEV_SFP_X710		0x1572
#define BAR0_SIZE		0x800000
#define BAR3_SIZE		0x8000
#define MSIX_PBA		0x1000

static int model_init(struct nic *nic, struct optset *opts)
{
	struct i40e *s = i40e_of(nic);
	struct nic_pci *pci = &nic->pci;
	int err;

	s->nic = nic;
	s->fd_limit = I40E_FD_FILTERS;
	if (opt_u64(opts, "gap", &nic->tx_gap_ns, 0, 1000 * 1000 * 1000) ||
	    opt_u64(opts, "fd", &s->fd_limit, 0, I40E_FD_FILTERS))
		return -EINVAL;
	pci->vendor = VENDOR_INTEL;
	pci->device = DEV_SFP_X710;
	pci->subvendor = VENDOR_INTEL;
	pci->subdevice = 0x0001;
	pci->revision = 2;
	pci->bar[0] = (struct nic_bar){ BAR0_SIZE, BAR_MEM64 | BAR_PREFETCH };
	pci->bar[3] = (struct nic_bar){ BAR3_SIZE, BAR_MEM64 | BAR_PREFETCH };
	pci->msix_vectors = I40E_VECTORS;
	pci->msix_bar = 3;
	pci->msix_table = 0;
	pci->msix_pba = MSIX_PBA;
	pci->serial = 0x6805caffff000000ULL | (u64)nic->id << 8 | 1;
	wire_set_speed(nic, 10000);
	phc_init(&nic->phc, mono_now(), 1, 1, 64, nic->drift_ppb);
	i40e_nvm_init(s);
	err = i40e_regs_init(s);
	return err;
}

static void model_teardown(struct nic *nic)
{
	struct i40e *s = i40e_of(nic);
	u32 i;

	for (i = 0; i < I40E_VECTORS; i++)
		timer_cancel(&s->vec[i].timer);
	timer_cancel(&s->reset_timer);
	if (s->regs)
		regs_free(s->regs);
	free(s->reg_table);
}

static void model_reset(struct nic *nic, enum nic_reset_kind kind)
{
	struct i40e *s = i40e_of(nic);

	if (kind == RESET_FAULT)
		i40e_core_reset(s, 1);
	else
		i40e_full_reset(s);
}

static int model_read(struct nic *nic, u32 bar, u64 off, u32 size, u64 *val)
{
	return bar ? -ENOENT : regs_read(i40e_of(nic)->regs, off, size, val);
}

static int model_write(struct nic *nic, u32 bar, u64 off, u32 size, u64 val)
{
	return bar ? -ENOENT : regs_write(i40e_of(nic)->regs, off, size, val);
}

static void model_link(struct nic *nic)
{
	i40e_link_event(i40e_of(nic));
}

static void model_stats(struct nic *nic, nic_reply *out)
{
	struct i40e *s = i40e_of(nic);
	const struct {
		const char *name;
		u64 val;
	} v[] = {
		{ "aq_commands", s->aq_commands },
		{ "aq_refused", s->aq_refused },
		{ "mdd_events", s->mdd_events },
		{ "pf_resets", s->pf_resets },
		{ "core_resets", s->core_resets },
		{ "fd_hits", s->fd_hits },
		{ "fd_filters", reg_get(s->regs, I40E_GLQF_FDCNT_0) },
		{ "tx_latched", s->ptp.tx_latched },
		{ "tx_latch_missed", s->ptp.tx_missed },
		{ "tx_latch_locked", s->ptp.tx_locked },
		{ "rx_latch_missed", s->ptp.rx_missed },
		{ "hmc_paged", s->sd[0].low && !(s->sd[0].low &
				BIT(I40E_PFHMC_SDDATALOW_PMSDTYPE_SHIFT)) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++)
		fprintf(out, "%s %llu\n", v[i].name, (unsigned long long)v[i].val);
}

static void model_coverage(struct nic *nic, nic_reply *out)
{
	regs_report(i40e_of(nic)->regs, out);
	i40e_aq_report(i40e_of(nic), out);
}

/* "model PORT fd-limit N": room in the flow director's table. */
static int model_control(struct nic *nic, int argc, char **argv, nic_reply *out)
{
	struct i40e *s = i40e_of(nic);

	if (argc != 2 || strcmp(argv[0], "fd-limit"))
		return -ENOENT;
	s->fd_limit = strtoull(argv[1], NULL, 0);
	if (s->fd_limit > I40E_FD_FILTERS)
		s->fd_limit = I40E_FD_FILTERS;
	fprintf(out, "fd-limit %llu\n", (unsigned long long)s->fd_limit);
	return 0;
}

static const struct nic_ops i40e_ops = {
	.name = "i40e",
	.help = "  gap=NS   write the head back NS before the frame leaves (0)\n"
		"  fd=N     room for N flow director filters (512)\n",
	.priv_size = sizeof(struct i40e),
	.init = model_init,
	.teardown = model_teardown,
	.reset = model_reset,
	.read = model_read,
	.write = model_write,
	.tx_egress = i40e_ptp_egress,
	.tx_done = i40e_tx_done,
	.rx = i40e_rx,
	.link = model_link,
	.control = model_control,
	.stats = model_stats,
	.coverage = model_coverage,
};
NIC_MODEL(i40e_ops);
