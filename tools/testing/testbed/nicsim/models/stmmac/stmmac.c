// SPDX-License-Identifier: GPL-2.0
/* The stmmac model as nicsim sees it: ports, options, reset, control. */
#include <stdlib.h>

#include "stmmac.h"

/* What tells Elkhart Lake's MACs apart. */
static const struct port {
	u16 device;
	u32 clk_hz;
} ports[] = {
	{ 0x4b30, 204800000 },	/* PCH, RGMII */
	{ 0x4ba0, 200000000 },	/* PSE 0, RGMII; the driver uses 32-bit DMA */
};

static int stmmac_init(struct nic *nic, struct optset *opts)
{
	static const char *const irqs[] = { "msix", "msi", NULL };
	const struct port *port = &ports[nic->port];
	struct stmmac *s = stmmac_of(nic);
	u32 irq = 0;
	int err;

	err = opt_enum(opts, "irq", &irq, irqs);
	if (err)
		return err;
	s->nic = nic;
	s->clk_hz = port->clk_hz;
	s->cdc_ns = 2 * NSEC_PER_SEC / port->clk_hz;
	memcpy(s->mac, nic->mac, sizeof(s->mac));
	for (u32 i = 0; i < STMMAC_QUEUES; i++) {
		s->chan[i].nic = nic;
		s->chan[i].index = i;
	}
	nic->pci.vendor = 0x8086;
	nic->pci.device = port->device;
	nic->pci.bar[0] = (struct nic_bar){ STMMAC_BAR_SIZE, 0 };
	nic->pci.msi_vectors = 1;
	if (!irq) {
		nic->pci.bar[2] = (struct nic_bar){ 0x1000, 0 };
		nic->pci.msix_vectors = STMMAC_VECTORS;
		nic->pci.msix_bar = 2;
		nic->pci.msix_table = 0;
		nic->pci.msix_pba = 0x800;
	}
	nic->speed_mbps = 1000;
	phc_init(&nic->phc, mono_now(), 0, 1, 64, nic->drift_ppb);
	return stmmac_regs_init(s);
}

static void stmmac_teardown(struct nic *nic)
{
	struct stmmac *s = stmmac_of(nic);

	if (!s->regs)
		return;
	for (u32 ch = 0; ch < STMMAC_QUEUES; ch++)
		stmmac_rx_stop(s, ch);
	regs_free(s->regs);
}

static void stmmac_reset(struct nic *nic, enum nic_reset_kind kind)
{
	struct stmmac *s = stmmac_of(nic);

	if (kind == RESET_FAULT) {
		/* The driver learns of it by a bus error and starts again. */
		for (u32 ch = 0; ch < STMMAC_QUEUES; ch++)
			if (s->chan[ch].tx.running)
				stmmac_tx_bus_error(s, ch);
		return;
	}
	stmmac_soft_reset(s);
	phy_reset(&s->phy);
	phy_set_link(&s->phy, wire_link(nic));
	reg_set(s->regs, MAC_ADDR_HIGH(0), MAC_ADDR_AE | get_le16(s->mac + 4));
	reg_set(s->regs, MAC_ADDR_LOW(0), get_le32(s->mac));
}

static int stmmac_read(struct nic *nic, u32 bar, u64 off, u32 size, u64 *val)
{
	if (bar)
		return -ENOENT;
	return regs_read(stmmac_of(nic)->regs, off, size, val);
}

static int stmmac_write(struct nic *nic, u32 bar, u64 off, u32 size, u64 val)
{
	if (bar)
		return -ENOENT;
	return regs_write(stmmac_of(nic)->regs, off, size, val);
}

static void stmmac_link(struct nic *nic)
{
	phy_set_link(&stmmac_of(nic)->phy, wire_link(nic));
}

static int stmmac_control(struct nic *nic, int argc, char **argv,
			  nic_reply *out)
{
	struct stmmac *s = stmmac_of(nic);
	char *end;
	u32 ch;

	if (strcmp(argv[0], "bus-error"))
		return -ENOENT;
	ch = argc == 2 ? strtoul(argv[1], &end, 0) : STMMAC_QUEUES;
	if (ch >= STMMAC_QUEUES || *end) {
		fputs("usage: model PORT bus-error QUEUE (0 - 7)", out);
		return -EINVAL;
	}
	if (!s->chan[ch].tx.running) {
		fprintf(out, "queue %u does not run; set the interface up", ch);
		return -EBUSY;
	}
	stmmac_tx_bus_error(s, ch);
	return 0;
}

static void stmmac_stats(struct nic *nic, nic_reply *out)
{
	struct stmmac *s = stmmac_of(nic);

	fprintf(out, "rx_filtered %llu\nrx_no_desc %llu\nrx_csum_bad %llu\nrx_stopped %llu\n",
		(unsigned long long)s->rx_filtered,
		(unsigned long long)s->rx_no_desc,
		(unsigned long long)s->rx_csum_bad,
		(unsigned long long)s->rx_stopped);
}

static void stmmac_coverage(struct nic *nic, nic_reply *out)
{
	regs_report(stmmac_of(nic)->regs, out);
}

static const struct nic_ops stmmac_ops = {
	.name = "stmmac",
	.help = "irq=msix|msi     32 MSI-X vectors, or MSI with one (default msix)\n",
	.max_ports = ARRAY_SIZE(ports),
	.priv_size = sizeof(struct stmmac),
	.init = stmmac_init,
	.teardown = stmmac_teardown,
	.reset = stmmac_reset,
	.read = stmmac_read,
	.write = stmmac_write,
	.tx_done = stmmac_tx_done,
	.rx = stmmac_rx,
	.link = stmmac_link,
	.control = stmmac_control,
	.stats = stmmac_stats,
	.coverage = stmmac_coverage,
};
NIC_MODEL(stmmac_ops);
