// SPDX-License-Identifier: GPL-2.0
/* The stmmac model's registers and what writing them does. */
#include "stmmac.h"

#define FEAT0	(BIT(0) | BIT(1)	/* MII, GMII */			\
		 | BIT(5) | BIT(8)	/* MDIO, counters */		\
		 | BIT(12)		/* time stamps */		\
		 | BIT(14) | BIT(16)	/* checksums, both ways */	\
		 | BIT(18))		/* more than one address */
#define FEAT1	(8u << 6 | 8u		/* FIFOs of 32 KiB */		\
		 | 1u << 14		/* 40 address bits */		\
		 | 1u << 20		/* audio/video queues */	\
		 | 1u << 24)		/* hash of 64 bits */
#define FEAT2	(7u | 7u << 6 | 7u << 12 | 7u << 18)	/* 8 of each */
#define FEAT3	BIT(27)			/* time based scheduling */

static void mdio(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	struct stmmac *s = stmmac_of(nic);
	bool here = MDIO_PHY(val) == 1 && !(val & MDIO_C45);

	(void)old;
	if (!(val & MDIO_BUSY))
		return;
	reg_clear_bits(ref->regs, ref->off, MDIO_BUSY);
	switch (MDIO_OP(val)) {
	case MDIO_OP_READ:
		/* Nobody drives the line: all ones. */
		reg_set(ref->regs, MAC_MDIO_DATA,
			here ? phy_read(&s->phy, MDIO_REG(val)) : 0xffff);
		break;
	case MDIO_OP_WRITE:
		if (here)
			phy_write(&s->phy, MDIO_REG(val),
				  reg_get(ref->regs, MAC_MDIO_DATA));
		break;
	default:
		guest_error(nic, "MDIO operation %u", MDIO_OP(val));
	}
}

static void mac_config(struct nic *nic, const struct reg_ref *ref, u32 val,
		       u32 old)
{
	(void)ref;
	if ((val & ~old) & MAC_CONFIG_TE)
		for (u32 ch = 0; ch < STMMAC_QUEUES; ch++)
			stmmac_tx_kick(stmmac_of(nic), ch);
	if (val & MAC_CONFIG_LM)
		guest_error(nic, "internal loopback is not modelled");
}

static u32 mmc_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	if (!mmc_read(&stmmac_of(nic)->mmc, ref->off - MMC_BASE, &val))
		guest_error(nic, "read of counter 0x%03x, which does not exist",
			    ref->off);
	return val;
}

static void mmc_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	(void)old;
	if (!mmc_write(&stmmac_of(nic)->mmc, ref->off - MMC_BASE, val))
		guest_error(nic, "write to counter 0x%03x", ref->off);
}

static void ptp_tcr(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	(void)ref;
	(void)old;
	stmmac_ptp_control(stmmac_of(nic), val);
}

static void ptp_ssir(struct nic *nic, const struct reg_ref *ref, u32 val,
		     u32 old)
{
	(void)ref;
	(void)val;
	(void)old;
	stmmac_ptp_rate(stmmac_of(nic));
}

static u32 ptp_sec(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)ref;
	(void)val;
	return phc_units(&nic->phc, mono_now()) / NSEC_PER_SEC;
}

static u32 ptp_nsec(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)ref;
	(void)val;
	return phc_units(&nic->phc, mono_now()) % NSEC_PER_SEC;
}

static void dma_mode(struct nic *nic, const struct reg_ref *ref, u32 val,
		     u32 old)
{
	(void)ref;
	(void)old;
	if (val & DMA_MODE_SWR)
		stmmac_soft_reset(stmmac_of(nic));
}

static void tx_control(struct nic *nic, const struct reg_ref *ref, u32 val,
		       u32 old)
{
	struct stmmac *s = stmmac_of(nic);

	if ((val & ~old) & TX_CONTROL_ST)
		stmmac_tx_start(s, ref->index);
	else if ((old & ~val) & TX_CONTROL_ST)
		stmmac_tx_stop(s, ref->index);
	else if (((val ^ old) & TX_CONTROL_EDSE) && (val & TX_CONTROL_ST))
		guest_error(nic, "queue %u: descriptor size changed while running", ref->index);
}

static void rx_control(struct nic *nic, const struct reg_ref *ref, u32 val,
		       u32 old)
{
	struct stmmac *s = stmmac_of(nic);

	if ((val & ~old) & RX_CONTROL_SR)
		stmmac_rx_start(s, ref->index);
	else if ((old & ~val) & RX_CONTROL_SR)
		stmmac_rx_stop(s, ref->index);
}

static void tx_base(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	(void)val;
	(void)old;
	stmmac_of(nic)->chan[ref->index].tx.fresh = true;
}

static void rx_base(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	(void)val;
	(void)old;
	stmmac_of(nic)->chan[ref->index].rx.fresh = true;
}

static void tx_tail(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	(void)val;
	(void)old;
	stmmac_tx_kick(stmmac_of(nic), ref->index);
}

static void rx_tail(struct nic *nic, const struct reg_ref *ref, u32 val,
		    u32 old)
{
	(void)val;
	(void)old;
	stmmac_rx_kick(stmmac_of(nic), ref->index);
}

static void irq_regs(struct nic *nic, const struct reg_ref *ref, u32 val,
		     u32 old)
{
	(void)val;
	(void)old;
	stmmac_irq_update(stmmac_of(nic), ref->index);
}

#define ALL 0xffffffff
#define PER_QUEUE .count = STMMAC_QUEUES, .stride = 0x40
#define PER_CHAN .count = STMMAC_QUEUES, .stride = 0x80

static const struct reg_desc table[] = {
	{ MAC_CONFIG, "MAC_CONFIG", REG_RW(ALL), .wr = mac_config },
	{ 0x0004, "MAC_EXT_CONFIG", REG_RW(ALL) },
	{ MAC_FILTER, "MAC_PACKET_FILTER", REG_RW(ALL) },
	{ MAC_HASH(0), "MAC_HASHn", REG_RW(ALL), .count = 2 },
	{ MAC_VLAN_TAG, "MAC_VLAN_TAG", REG_RW(ALL) },
	{ 0x0070, "MAC_Qx_TX_FLOW", REG_RW(ALL), .count = STMMAC_QUEUES },
	{ 0x0090, "MAC_RX_FLOW", REG_RW(ALL) },
	{ 0x0094, "MAC_RXQ_CTRL4", REG_RW(ALL) },
	{ 0x0098, "MAC_TXQ_PRIOn", REG_RW(ALL), .count = 2 },
	{ MAC_RXQ_CTRL0, "MAC_RXQ_CTRL0", REG_RW(0xffff) },
	{ MAC_RXQ_CTRL1, "MAC_RXQ_CTRL1", REG_RW(ALL) },
	{ MAC_RXQ_CTRL2, "MAC_RXQ_CTRL2", REG_RW(ALL) },
	{ MAC_RXQ_CTRL3, "MAC_RXQ_CTRL3", REG_RW(ALL) },
	{ MAC_INT_STATUS, "MAC_INT_STATUS", REG_RO },
	{ MAC_INT_EN, "MAC_INT_EN", REG_RW(ALL) },
	{ 0x00c0, "MAC_PMT", REG_RW(ALL) },
	{ 0x00d0, "MAC_LPI_CONTROL", REG_RW(0x003f0000) },
	{ 0x00d4, "MAC_LPI_TIMERS", REG_RW(0x03ffffff) },
	{ 0x00d8, "MAC_LPI_ENTRY", REG_RW(0x000ffff8) },
	{ 0x00dc, "MAC_1US_TIC", REG_RW(0xfff) },
	{ 0x00f8, "MAC_PHYIF", REG_RW(0x3) },
	{ MAC_VERSION, "MAC_VERSION", REG_RO, .reset = 0x1052 },
	{ 0x0114, "MAC_DEBUG", REG_RO },
	{ MAC_HW_FEATURE(0), "MAC_HW_FEATURE0", REG_RO, .reset = FEAT0 },
	{ MAC_HW_FEATURE(1), "MAC_HW_FEATURE1", REG_RO, .reset = FEAT1 },
	{ MAC_HW_FEATURE(2), "MAC_HW_FEATURE2", REG_RO, .reset = FEAT2 },
	{ MAC_HW_FEATURE(3), "MAC_HW_FEATURE3", REG_RO, .reset = FEAT3 },
	{ MAC_MDIO_ADDR, "MAC_MDIO_ADDR", REG_RW(ALL), .wr = mdio },
	{ MAC_MDIO_DATA, "MAC_MDIO_DATA", REG_RW(ALL) },
	{ MAC_GPIO_STATUS, "MAC_GPIO_STATUS", REG_RW(0x000f0000) },
	{ MAC_ADDR_HIGH(0), "MAC_ADDR_HIGHn", REG_RW(0xff07ffff),
	  .count = MAC_ADDRS, .stride = 8 },
	{ MAC_ADDR_LOW(0), "MAC_ADDR_LOWn", REG_RW(ALL),
	  .count = MAC_ADDRS, .stride = 8 },
	{ MMC_BASE, "MMC", REG_RW(ALL), .count = MMC_BYTES / 4,
	  .rd = mmc_rd, .wr = mmc_wr },
	{ PTP_TCR, "MAC_TS_CONTROL",
	  REG_RW(0x1f1fff03), REG_SC(TCR_TSINIT | TCR_TSUPDT | TCR_TSADDREG),
	  .wr = ptp_tcr },
	{ PTP_SSIR, "MAC_SUBSEC_INC", REG_RW(0x00ffff00), .wr = ptp_ssir },
	{ PTP_STSR, "MAC_SYSTEM_SEC", REG_RO, .rd = ptp_sec },
	{ PTP_STNSR, "MAC_SYSTEM_NSEC", REG_RO, .rd = ptp_nsec },
	{ PTP_STSUR, "MAC_SYSTEM_SEC_UPDATE", REG_RW(ALL) },
	{ PTP_STNSUR, "MAC_SYSTEM_NSEC_UPDATE", REG_RW(ALL) },
	{ PTP_TAR, "MAC_TS_ADDEND", REG_RW(ALL) },
	{ PTP_TS_STATUS, "MAC_TS_STATUS", REG_RO },
	{ MTL_OP_MODE, "MTL_OP_MODE", REG_RW(ALL) },
	{ MTL_INT_STATUS, "MTL_INT_STATUS", REG_RO },
	{ MTL_RXQ_DMA_MAP(0), "MTL_RXQ_DMA_MAPn", REG_RW(ALL), .count = 2 },
	{ MTL_QUEUE(0) + 0x00, "MTL_TXQx_OP_MODE", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x08, "MTL_TXQx_DEBUG", REG_RO, PER_QUEUE },
	{ MTL_QUEUE(0) + 0x10, "MTL_TXQx_ETS_CTRL", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x18, "MTL_TXQx_WEIGHT", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x1c, "MTL_TXQx_SLOPE", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x20, "MTL_TXQx_HICREDIT", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x24, "MTL_TXQx_LOCREDIT", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x2c, "MTL_Qx_INT", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x30, "MTL_RXQx_OP_MODE", REG_RW(ALL), PER_QUEUE },
	{ MTL_QUEUE(0) + 0x38, "MTL_RXQx_DEBUG", REG_RO, PER_QUEUE },
	{ DMA_MODE, "DMA_MODE", REG_RW(~DMA_MODE_SWR), REG_SC(DMA_MODE_SWR),
	  .wr = dma_mode },
	{ DMA_SYSBUS_MODE, "DMA_SYSBUS_MODE", REG_RW(ALL) },
	{ DMA_INT_STATUS, "DMA_INT_STATUS", REG_RO },
	{ DMA_TBS_CTRL, "DMA_TBS_CTRL", REG_RW(ALL) },
	{ DMA_CH(0) + CH_CONTROL, "DMA_CHx_CONTROL", REG_RW(ALL), PER_CHAN },
	{ DMA_CH(0) + CH_TX_CONTROL, "DMA_CHx_TX_CONTROL", REG_RW(ALL),
	  PER_CHAN, .wr = tx_control },
	{ DMA_CH(0) + CH_RX_CONTROL, "DMA_CHx_RX_CONTROL", REG_RW(ALL),
	  PER_CHAN, .wr = rx_control },
	{ DMA_CH(0) + CH_TX_BASE_HI, "DMA_CHx_TX_BASE_HI", REG_RW(0xff),
	  PER_CHAN },
	{ DMA_CH(0) + CH_TX_BASE, "DMA_CHx_TX_BASE", REG_RW(ALL), PER_CHAN,
	  .wr = tx_base },
	{ DMA_CH(0) + CH_RX_BASE_HI, "DMA_CHx_RX_BASE_HI", REG_RW(0xff),
	  PER_CHAN },
	{ DMA_CH(0) + CH_RX_BASE, "DMA_CHx_RX_BASE", REG_RW(ALL), PER_CHAN,
	  .wr = rx_base },
	{ DMA_CH(0) + CH_TX_TAIL, "DMA_CHx_TX_TAIL", REG_RW(ALL), PER_CHAN,
	  .wr = tx_tail },
	{ DMA_CH(0) + CH_RX_TAIL, "DMA_CHx_RX_TAIL", REG_RW(ALL), PER_CHAN,
	  .wr = rx_tail },
	{ DMA_CH(0) + CH_TX_RING_LEN, "DMA_CHx_TX_RING_LEN", REG_RW(0x3ff),
	  PER_CHAN },
	{ DMA_CH(0) + CH_RX_RING_LEN, "DMA_CHx_RX_RING_LEN", REG_RW(0x3ff),
	  PER_CHAN },
	{ DMA_CH(0) + CH_INT_EN, "DMA_CHx_INT_EN", REG_RW(ALL), PER_CHAN,
	  .wr = irq_regs },
	{ DMA_CH(0) + CH_RX_WDT, "DMA_CHx_RX_WDT", REG_RW(0x000300ff),
	  PER_CHAN },
	{ DMA_CH(0) + 0x3c, "DMA_CHx_SLOT", REG_RW(0x3), PER_CHAN },
	{ DMA_CH(0) + CH_CUR_TX_DESC, "DMA_CHx_CUR_TX_DESC", REG_RO, PER_CHAN },
	{ DMA_CH(0) + CH_CUR_RX_DESC, "DMA_CHx_CUR_RX_DESC", REG_RO, PER_CHAN },
	{ DMA_CH(0) + 0x54, "DMA_CHx_CUR_TX_BUF", REG_RO, PER_CHAN },
	{ DMA_CH(0) + 0x5c, "DMA_CHx_CUR_RX_BUF", REG_RO, PER_CHAN },
	{ DMA_CH(0) + CH_STATUS, "DMA_CHx_STATUS", REG_W1C(0xffff), PER_CHAN,
	  .wr = irq_regs },
};

int stmmac_regs_init(struct stmmac *s)
{
	s->regs = regs_new(s->nic, table, ARRAY_SIZE(table), STMMAC_BAR_SIZE);
	return s->regs ? 0 : -ENOMEM;
}

/* Everything but the station address, which firmware has put there. */
void stmmac_soft_reset(struct stmmac *s)
{
	u32 high = reg_get(s->regs, MAC_ADDR_HIGH(0));
	u32 low = reg_get(s->regs, MAC_ADDR_LOW(0));

	tx_flush(s->nic, TX_ALL_QUEUES);
	regs_reset(s->regs);
	for (u32 ch = 0; ch < STMMAC_QUEUES; ch++) {
		struct stmmac_chan *c = &s->chan[ch];

		stmmac_rx_stop(s, ch);
		memset(&c->tx, 0, sizeof(c->tx));
		memset(&c->rx, 0, sizeof(c->rx));
		c->tx_line = c->rx_line = false;
	}
	memset(&s->mmc, 0, sizeof(s->mmc));
	stmmac_ptp_reset(s);
	reg_set(s->regs, MAC_ADDR_HIGH(0), high);
	reg_set(s->regs, MAC_ADDR_LOW(0), low);
}
