/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DesignWare Ethernet QoS (GMAC 5.x): register offsets, bits and descriptor
 * fields that the model acts on. Every offset counts from the start of BAR 0.
 */
#ifndef STMMAC_DEFS_H
#define STMMAC_DEFS_H

#include "hw/types.h"

#define STMMAC_QUEUES		8
#define STMMAC_BAR_SIZE		0x2000
#define STMMAC_VECTORS		32

/* MSI-X vector of each source; the driver has the same numbers built in */
#define VEC_RX(ch)		(2 * (ch))
#define VEC_TX(ch)		(2 * (ch) + 1)
#define VEC_MAC			29

/* MAC */
#define MAC_CONFIG		0x0000
#define  MAC_CONFIG_RE		BIT(0)
#define  MAC_CONFIG_TE		BIT(1)
#define  MAC_CONFIG_LM		BIT(12)
#define  MAC_CONFIG_IPC		BIT(27)
#define MAC_FILTER		0x0008
#define  MAC_FILTER_PR		BIT(0)
#define  MAC_FILTER_HMC		BIT(2)
#define  MAC_FILTER_PM		BIT(4)
#define  MAC_FILTER_DBF		BIT(5)
#define  MAC_FILTER_RA		BIT(31)
#define MAC_HASH(n)		(0x0010 + 4 * (n))
#define MAC_VLAN_TAG		0x0050
#define MAC_RXQ_CTRL0		0x00a0
#define MAC_RXQ_CTRL1		0x00a4
#define MAC_RXQ_CTRL2		0x00a8
#define MAC_RXQ_CTRL3		0x00ac
#define MAC_INT_STATUS		0x00b0
#define MAC_INT_EN		0x00b4
#define MAC_VERSION		0x0110
#define MAC_HW_FEATURE(n)	(0x011c + 4 * (n))
#define MAC_MDIO_ADDR		0x0200
#define  MDIO_BUSY		BIT(0)
#define  MDIO_C45		BIT(1)
#define  MDIO_OP(v)		FIELD(GENMASK(3, 2), v)
#define  MDIO_OP_WRITE		1
#define  MDIO_OP_READ		3
#define  MDIO_REG(v)		FIELD(GENMASK(20, 16), v)
#define  MDIO_PHY(v)		FIELD(GENMASK(25, 21), v)
#define MAC_MDIO_DATA		0x0204
#define MAC_GPIO_STATUS		0x020c
#define MAC_ADDR_HIGH(n)	(0x0300 + 8 * (n))
#define MAC_ADDR_LOW(n)		(0x0304 + 8 * (n))
#define  MAC_ADDR_AE		BIT(31)
#define MAC_ADDRS		128

/* Management counters */
#define MMC_BASE		0x0700
#define MMC_CTRL		0x0700
#define  MMC_CTRL_RESET		BIT(0)
#define  MMC_CTRL_RSTONRD	BIT(2)
#define  MMC_CTRL_FREEZE	BIT(3)

/* Time stamping */
#define PTP_TCR			0x0b00
#define  TCR_TSENA		BIT(0)
#define  TCR_TSCFUPDT		BIT(1)
#define  TCR_TSINIT		BIT(2)
#define  TCR_TSUPDT		BIT(3)
#define  TCR_TSADDREG		BIT(5)
#define  TCR_TSENALL		BIT(8)
#define  TCR_TSCTRLSSR		BIT(9)
#define  TCR_TSVER2ENA		BIT(10)
#define  TCR_TSIPENA		BIT(11)
#define  TCR_TSIPV6ENA		BIT(12)
#define  TCR_TSIPV4ENA		BIT(13)
#define  TCR_TSEVNTENA		BIT(14)
#define  TCR_TSMSTRENA		BIT(15)
#define  TCR_SNAPTYPSEL(v)	FIELD(GENMASK(17, 16), v)
#define PTP_SSIR		0x0b04
#define PTP_STSR		0x0b08
#define PTP_STNSR		0x0b0c
#define PTP_STSUR		0x0b10
#define PTP_STNSUR		0x0b14
#define  STNSUR_ADDSUB		BIT(31)
#define PTP_TAR			0x0b18
#define PTP_TS_STATUS		0x0b20
#define PTP_ACR			0x0b40

/* MTL */
#define MTL_OP_MODE		0x0c00
#define MTL_INT_STATUS		0x0c20
#define MTL_RXQ_DMA_MAP(n)	(0x0c30 + 4 * (n))
#define MTL_QUEUE(q)		(0x0d00 + 0x40 * (q))
#define MTL_TXQ_OP_MODE(q)	(MTL_QUEUE(q) + 0x00)
#define MTL_RXQ_OP_MODE(q)	(MTL_QUEUE(q) + 0x30)

/* DMA, common part */
#define DMA_MODE		0x1000
#define  DMA_MODE_SWR		BIT(0)
#define  DMA_MODE_INTM(v)	FIELD(GENMASK(17, 16), v)
#define DMA_SYSBUS_MODE		0x1004
#define  DMA_SYSBUS_EAME	BIT(11)
#define DMA_INT_STATUS		0x1008
#define DMA_TBS_CTRL		0x1050

/* DMA, per channel */
#define DMA_CH(c)		(0x1100 + 0x80 * (c))
#define  CH_CONTROL		0x00
#define  CH_TX_CONTROL		0x04
#define   TX_CONTROL_ST		BIT(0)
#define   TX_CONTROL_EDSE	BIT(28)
#define  CH_RX_CONTROL		0x08
#define   RX_CONTROL_SR		BIT(0)
#define   RX_CONTROL_RBSZ(v)	FIELD(GENMASK(14, 1), v)
#define  CH_TX_BASE_HI		0x10
#define  CH_TX_BASE		0x14
#define  CH_RX_BASE_HI		0x18
#define  CH_RX_BASE		0x1c
#define  CH_TX_TAIL		0x20
#define  CH_RX_TAIL		0x28
#define  CH_TX_RING_LEN		0x2c
#define  CH_RX_RING_LEN		0x30
#define  CH_INT_EN		0x34
#define   INT_NIE		BIT(15)
#define   INT_AIE		BIT(14)
#define  CH_RX_WDT		0x38
#define  CH_CUR_TX_DESC		0x44
#define  CH_CUR_RX_DESC		0x4c
#define  CH_STATUS		0x60
#define   ST_TI			BIT(0)
#define   ST_TPS		BIT(1)
#define   ST_TBU		BIT(2)
#define   ST_RI			BIT(6)
#define   ST_RBU		BIT(7)
#define   ST_RPS		BIT(8)
#define   ST_RWT		BIT(9)
#define   ST_FBE		BIT(12)
#define   ST_AIS		BIT(14)
#define   ST_NIS		BIT(15)
#define   ST_NORMAL_TX		(ST_TI | ST_TBU)
#define   ST_ABNORMAL_TX	(ST_TPS | ST_FBE)
#define   ST_NORMAL_RX		(ST_RI)
#define   ST_ABNORMAL_RX	(ST_RBU | ST_RPS | ST_RWT)

/* Transmit descriptor, read format */
#define TDES2_B1L(v)		FIELD(GENMASK(13, 0), v)
#define TDES2_TTSE		BIT(30)
#define TDES2_IOC		BIT(31)
#define TDES3_OWN		BIT(31)
#define TDES3_CTXT		BIT(30)
#define TDES3_FD		BIT(29)
#define TDES3_LD		BIT(28)
#define TDES3_TSE		BIT(18)
#define TDES3_CIC(v)		FIELD(GENMASK(17, 16), v)
#define TDES4_LTV		BIT(31)
#define TDES4_LT(v)		FIELD(GENMASK(7, 0), v)
#define TDES5_LT(v)		((v) & 0xffffff00u)

/* Transmit descriptor, write-back format */
#define TDES3_WB_TTSS		BIT(17)
#define TDES3_WB_ES		BIT(15)
#define TDES3_WB_FF		BIT(13)
#define TDES3_WB_PCE		BIT(12)
#define TDES3_WB_LOC		BIT(11)
#define TDES3_WB_UF		BIT(2)
#define TDES3_WB_IHE		BIT(0)

/* Receive descriptor, read format */
#define RDES3_OWN		BIT(31)
#define RDES3_IOC		BIT(30)
#define RDES3_BUF2V		BIT(25)
#define RDES3_BUF1V		BIT(24)

/* Receive descriptor, write-back format */
#define RDES1_WB_IPHE		BIT(3)
#define RDES1_WB_IPV4		BIT(4)
#define RDES1_WB_IPV6		BIT(5)
#define RDES1_WB_IPCB		BIT(6)
#define RDES1_WB_IPCE		BIT(7)
#define RDES1_WB_PT_UDP		1
#define RDES1_WB_PT_TCP		2
#define RDES1_WB_PT_ICMP	3
#define RDES1_WB_TSA		BIT(14)
#define RDES3_WB_CTXT		BIT(30)
#define RDES3_WB_FD		BIT(29)
#define RDES3_WB_LD		BIT(28)
#define RDES3_WB_RS1V		BIT(26)
#define RDES3_WB_RS0V		BIT(25)

#endif
