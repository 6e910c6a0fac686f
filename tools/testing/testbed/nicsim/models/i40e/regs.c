// SPDX-License-Identifier: GPL-2.0
/* BAR 0: every register that the driver may touch, and what a write starts. */
#include <stdlib.h>
#include "i40e.h"

#define BAR0_SIZE		0x800000
#define RW			REG_RW(0xffffffff)
#define ARRAY(n, s)		.count = (n), .stride = (s)
#define MSIX_PF_N		(I40E_VECTORS + 1)	/* the driver walks N - 2 of PFINT_*N */

#define CNT48(reg, n)							\
	{ I40E_##reg##L(0), #reg "L", REG_RO, ARRAY(n, 8) },		\
	{ I40E_##reg##H(0), #reg "H", REG_RO, ARRAY(n, 8) }
#define CNT32(reg, n)	{ I40E_##reg(0), #reg, REG_RO, ARRAY(n, 8) }
#define PFC(reg)	{ I40E_##reg(0, 0), #reg, REG_RO, ARRAY(8, 32) }

#define HOOK(name, call)						\
static void name(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)	\
{									\
	struct i40e *s = i40e_of(nic);					\
									\
	(void)ref;							\
	(void)val;							\
	(void)old;							\
	call;								\
}

HOOK(atqt_wr, i40e_aq_run(s))
HOOK(sdcmd_wr, i40e_hmc_sdcmd(s, val))
HOOK(srctl_wr, i40e_nvm_srctl(s, val))
HOOK(icr0_ena_wr, i40e_icr0_check(s))
HOOK(dyn0_wr, i40e_dyn_ctl(s, 0, val))
HOOK(dynn_wr, i40e_dyn_ctl(s, ref->index + 1, val))
HOOK(qtx_ena_wr, i40e_qtx_ena(s, ref->index, val))
HOOK(qrx_ena_wr, i40e_qrx_ena(s, ref->index, val))
HOOK(qtx_tail_wr, i40e_qtx_tail(s, ref->index, val))
HOOK(qrx_tail_wr, i40e_qrx_tail(s, ref->index, val))
HOOK(pfsw_wr, if (val & I40E_PFGEN_CTRL_PFSWR_MASK) i40e_pf_reset(s))
HOOK(fd_clear_wr, if (val & I40E_PFQF_CTL_1_CLEARFDTABLE_MASK) i40e_fd_clear(s))
HOOK(pcnt_wr, reg_set(s->regs, ref->off, 0))

static void rtrig_wr(struct nic *nic, const struct reg_ref *ref, u32 val, u32 old)
{
	(void)ref;
	(void)old;
	if (val & I40E_GLGEN_RTRIG_GLOBR_MASK)
		i40e_core_reset(i40e_of(nic), 2);
	else if (val & I40E_GLGEN_RTRIG_CORER_MASK)
		i40e_core_reset(i40e_of(nic), 1);
}

static u32 icr0_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)ref;
	return i40e_icr0_read(i40e_of(nic), val);
}

/* The global timer ticks in microseconds. */
static u32 timer_rd(struct nic *nic, const struct reg_ref *ref, u32 val)
{
	(void)nic;
	(void)ref;
	(void)val;
	return mono_now() / 1000;
}

static const struct reg_desc base_regs[] = {
	/* admin queue */
	{ I40E_PF_ATQBAL, "PF_ATQBAL", RW },
	{ I40E_PF_ATQBAH, "PF_ATQBAH", RW },
	{ I40E_PF_ATQLEN, "PF_ATQLEN", RW },
	{ I40E_PF_ATQH, "PF_ATQH", REG_RW(0x3ff) },
	{ I40E_PF_ATQT, "PF_ATQT", REG_RW(0x3ff), .wr = atqt_wr },
	{ I40E_PF_ARQBAL, "PF_ARQBAL", RW },
	{ I40E_PF_ARQBAH, "PF_ARQBAH", RW },
	{ I40E_PF_ARQLEN, "PF_ARQLEN", RW },
	{ I40E_PF_ARQH, "PF_ARQH", REG_RW(0x3ff) },
	{ I40E_PF_ARQT, "PF_ARQT", REG_RW(0x3ff) },
	/* identity, NVM, resets */
	{ I40E_GLPCI_CNF2, "GLPCI_CNF2", REG_RO,
	  .reset = MSIX_PF_N << I40E_GLPCI_CNF2_MSI_X_PF_N_SHIFT },
	{ I40E_GLPCI_CAPSUP, "GLPCI_CAPSUP", REG_RO },
	{ I40E_GLPCI_LBARCTRL, "GLPCI_LBARCTRL", REG_RO },
	{ I40E_PF_FUNC_RID, "PF_FUNC_RID", REG_RO, .reset = I40E_PF_ID },
	{ I40E_PFPCI_SUBSYSID, "PFPCI_SUBSYSID", REG_RO },
	{ I40E_PFGEN_PORTNUM, "PFGEN_PORTNUM", REG_RO },
	{ I40E_PFGEN_PORTMDIO_NUM, "PFGEN_PORTMDIO_NUM", RW },
	{ I40E_GLGEN_PCIFCNCNT, "GLGEN_PCIFCNCNT", REG_RO, .reset = 1 },
	{ I40E_PRTGEN_CNF, "PRTGEN_CNF", REG_RO },
	{ I40E_PRTGEN_CNF + 4, "PRTGEN_CNF_ABSENT", REG_RO, ARRAY(3, 4),
	  .reset = I40E_PRTGEN_CNF_PORT_DIS_MASK },
	{ I40E_PRTGEN_STATUS, "PRTGEN_STATUS", REG_RO, .reset = 3 },
	{ I40E_GLNVM_GENS, "GLNVM_GENS", REG_RO, .reset = 2 << I40E_GLNVM_GENS_SR_SIZE_SHIFT },
	{ I40E_GLNVM_FLA, "GLNVM_FLA", REG_RO, .reset = I40E_GLNVM_FLA_LOCKED_MASK },
	{ I40E_GLNVM_ULD, "GLNVM_ULD", REG_RO,
	  .reset = I40E_GLNVM_ULD_CONF_CORE_DONE_MASK | I40E_GLNVM_ULD_CONF_GLOBAL_DONE_MASK },
	{ I40E_GLNVM_SRCTL, "GLNVM_SRCTL", RW, .reset = I40E_GLNVM_SRCTL_DONE_MASK,
	  .wr = srctl_wr },
	{ I40E_GLNVM_SRDATA, "GLNVM_SRDATA", REG_RO },
	{ I40E_GL_FWSTS, "GL_FWSTS", REG_RO },
	{ I40E_GLVFGEN_TIMER, "GLVFGEN_TIMER", REG_RO, .rd = timer_rd },
	{ I40E_GLGEN_RSTAT, "GLGEN_RSTAT", REG_RO },
	{ I40E_GLGEN_STAT, "GLGEN_STAT", REG_RO },
	{ I40E_GLGEN_RSTCTL, "GLGEN_RSTCTL", RW, .reset = 1 },
	{ I40E_GLGEN_RTRIG, "GLGEN_RTRIG", REG_SC(0x7), .wr = rtrig_wr },
	{ I40E_PFGEN_CTRL, "PFGEN_CTRL", REG_SC(I40E_PFGEN_CTRL_PFSWR_MASK), .wr = pfsw_wr },
	{ I40E_GLGEN_GPIO_CTL(0), "GLGEN_GPIO_CTL", RW, ARRAY(30, 4) },
	{ I40E_GLGEN_GPIO_SET, "GLGEN_GPIO_SET", RW },
	{ I40E_PFPM_APM, "PFPM_APM", RW },
	{ I40E_PFPM_WUFC, "PFPM_WUFC", RW },
	{ I40E_PF_VT_PFALLOC, "PF_VT_PFALLOC", REG_RO },
	{ I40E_PRTGL_SAL, "PRTGL_SAL", RW },
	{ I40E_PRTGL_SAH, "PRTGL_SAH", RW, .reset = (u32)I40E_MTU_MAX << 16 },
	/* host memory cache */
	{ I40E_PFHMC_SDCMD, "PFHMC_SDCMD", RW, .wr = sdcmd_wr },
	{ I40E_PFHMC_SDDATALOW, "PFHMC_SDDATALOW", RW },
	{ I40E_PFHMC_SDDATAHIGH, "PFHMC_SDDATAHIGH", RW },
	{ I40E_PFHMC_PDINV, "PFHMC_PDINV", RW },	/* pages are not cached */
	{ I40E_PFHMC_ERRORINFO, "PFHMC_ERRORINFO", RW },
	{ I40E_PFHMC_ERRORDATA, "PFHMC_ERRORDATA", RW },
	{ I40E_GLHMC_LANQMAX, "GLHMC_LANQMAX", REG_RO, .reset = I40E_QUEUES },
	{ I40E_GLHMC_LANTXOBJSZ, "GLHMC_LANTXOBJSZ", REG_RO, .reset = 7 },
	{ I40E_GLHMC_LANRXOBJSZ, "GLHMC_LANRXOBJSZ", REG_RO, .reset = 5 },
	{ I40E_GLHMC_FCOEMAX, "GLHMC_FCOEMAX", REG_RO },
	{ I40E_GLHMC_FCOEDDPOBJSZ, "GLHMC_FCOEDDPOBJSZ", REG_RO, .reset = 6 },
	{ I40E_GLHMC_FCOEFMAX, "GLHMC_FCOEFMAX", REG_RO, .reset = 0x8000 },
	{ I40E_GLHMC_FCOEFOBJSZ, "GLHMC_FCOEFOBJSZ", REG_RO, .reset = 6 },
	{ I40E_GLHMC_LANTXBASE(0), "GLHMC_LANTXBASE", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_LANTXCNT(0), "GLHMC_LANTXCNT", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_LANRXBASE(0), "GLHMC_LANRXBASE", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_LANRXCNT(0), "GLHMC_LANRXCNT", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_FCOEDDPBASE(0), "GLHMC_FCOEDDPBASE", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_FCOEDDPCNT(0), "GLHMC_FCOEDDPCNT", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_FCOEFBASE(0), "GLHMC_FCOEFBASE", RW, ARRAY(16, 4) },
	{ I40E_GLHMC_FCOEFCNT(0), "GLHMC_FCOEFCNT", RW, ARRAY(16, 4) },
	/* interrupts */
	{ I40E_PFINT_ICR0, "PFINT_ICR0", REG_RC(0xffffffff), .rd = icr0_rd },
	{ I40E_PFINT_ICR0_ENA, "PFINT_ICR0_ENA", RW, .wr = icr0_ena_wr },
	{ I40E_PFINT_STAT_CTL0, "PFINT_STAT_CTL0", REG_RW(0xc) },
	{ I40E_PFINT_DYN_CTL0, "PFINT_DYN_CTL0", RW, .wr = dyn0_wr },
	{ I40E_PFINT_DYN_CTLN(0), "PFINT_DYN_CTLN", RW, ARRAY(I40E_VECTORS - 1, 4),
	  .wr = dynn_wr },
	{ I40E_PFINT_ITR0(0), "PFINT_ITR0", REG_RW(0xfff), ARRAY(3, 128) },
	{ I40E_PFINT_ITRN(0, 0), "PFINT_ITRN_0", REG_RW(0xfff), ARRAY(I40E_VECTORS - 1, 4) },
	{ I40E_PFINT_ITRN(1, 0), "PFINT_ITRN_1", REG_RW(0xfff), ARRAY(I40E_VECTORS - 1, 4) },
	{ I40E_PFINT_ITRN(2, 0), "PFINT_ITRN_2", REG_RW(0xfff), ARRAY(I40E_VECTORS - 1, 4) },
	{ I40E_PFINT_LNKLST0, "PFINT_LNKLST0", REG_RW(0x1fff), .reset = I40E_QUEUE_EOL },
	{ I40E_PFINT_LNKLSTN(0), "PFINT_LNKLSTN", REG_RW(0x1fff), ARRAY(I40E_VECTORS - 1, 4),
	  .reset = I40E_QUEUE_EOL },
	{ I40E_PFINT_RATEN(0), "PFINT_RATEN", RW, ARRAY(I40E_VECTORS - 1, 4) },
	{ I40E_QINT_RQCTL(0), "QINT_RQCTL", RW, ARRAY(I40E_QUEUES, 4) },
	{ I40E_QINT_TQCTL(0), "QINT_TQCTL", RW, ARRAY(I40E_QUEUES, 4) },
	/* LAN */
	{ I40E_PFLAN_QALLOC, "PFLAN_QALLOC", REG_RO,
	  .reset = I40E_PFLAN_QALLOC_VALID_MASK |
		   (I40E_QUEUES - 1) << I40E_PFLAN_QALLOC_LASTQ_SHIFT },
	{ I40E_GLLAN_RCTL_0, "GLLAN_RCTL_0", RW, .reset = I40E_GLLAN_RCTL_0_PXE_MODE_MASK },
	{ I40E_GLLAN_TXPRE_QDIS(0), "GLLAN_TXPRE_QDIS", REG_RW(0x7ff), ARRAY(12, 4) },
	{ I40E_GLLAN_TSOMSK_F, "GLLAN_TSOMSK_F", RW },
	{ I40E_GLLAN_TSOMSK_M, "GLLAN_TSOMSK_M", RW },
	{ I40E_GLLAN_TSOMSK_L, "GLLAN_TSOMSK_L", RW },
	{ I40E_GL_TX_MSS, "GL_TX_MSS", RW, .reset = 256 << 16 },
	{ I40E_QTX_ENA(0), "QTX_ENA", REG_RW(I40E_QTX_ENA_QENA_REQ_MASK),
	  ARRAY(I40E_QUEUES, 4), .wr = qtx_ena_wr },
	{ I40E_QRX_ENA(0), "QRX_ENA", REG_RW(I40E_QTX_ENA_QENA_REQ_MASK),
	  ARRAY(I40E_QUEUES, 4), .wr = qrx_ena_wr },
	{ I40E_QTX_CTL(0), "QTX_CTL", REG_RW(0xffff), ARRAY(I40E_QUEUES, 4) },
	{ I40E_QTX_HEAD(0), "QTX_HEAD", RW, ARRAY(I40E_QUEUES, 4) },
	{ I40E_QTX_TAIL(0), "QTX_TAIL", REG_RW(0x1fff), ARRAY(I40E_QUEUES, 4),
	  .wr = qtx_tail_wr },
	{ I40E_QRX_TAIL(0), "QRX_TAIL", REG_RW(0x1fff), ARRAY(I40E_QUEUES, 4),
	  .wr = qrx_tail_wr },
	{ I40E_GL_MDET_TX, "GL_MDET_TX", REG_W1C(0xffffffff) },
	{ I40E_GL_MDET_RX, "GL_MDET_RX", REG_W1C(0xffffffff) },
	{ I40E_PF_MDET_TX, "PF_MDET_TX", REG_W1C(0xffff) },
	{ I40E_PF_MDET_RX, "PF_MDET_RX", REG_W1C(0xffff) },
	/* filters and hash */
	{ I40E_PFQF_CTL_0, "PFQF_CTL_0", RW },
	{ I40E_PFQF_CTL_1, "PFQF_CTL_1", REG_SC(0x1), .wr = fd_clear_wr },
	{ I40E_PFQF_FDSTAT, "PFQF_FDSTAT", REG_RO },
	{ I40E_PFQF_HENA(0), "PFQF_HENA", RW, ARRAY(2, 128) },
	{ I40E_PFQF_HKEY(0), "PFQF_HKEY", RW, ARRAY(13, 128) },
	{ I40E_PFQF_HLUT(0), "PFQF_HLUT", RW, ARRAY(128, 128) },
	{ I40E_GLQF_HKEY(0), "GLQF_HKEY", RW, ARRAY(13, 4) },
	{ I40E_GLQF_HASH_INSET(0, 0), "GLQF_HASH_INSET", RW, ARRAY(128, 4) },
	{ I40E_GLQF_ORT(0), "GLQF_ORT", RW, ARRAY(64, 4) },
	{ I40E_GLQF_FDCNT_0, "GLQF_FDCNT_0", REG_RO },
	{ I40E_GLQF_PCNT(0), "GLQF_PCNT", RW, ARRAY(512, 4), .wr = pcnt_wr },
	{ I40E_PRTQF_FD_INSET(0, 0), "PRTQF_FD_INSET", RW, ARRAY(128, 32) },
	{ I40E_PRTQF_FLX_PIT(0), "PRTQF_FLX_PIT", RW, ARRAY(9, 32) },
	/* counters: the port's, then those of the VSIs */
	CNT48(GLPRT_GORC, 1), CNT48(GLPRT_GOTC, 1), CNT48(GLPRT_UPRC, 1),
	CNT48(GLPRT_MPRC, 1), CNT48(GLPRT_BPRC, 1), CNT48(GLPRT_UPTC, 1),
	CNT48(GLPRT_MPTC, 1), CNT48(GLPRT_BPTC, 1), CNT48(GLPRT_PRC64, 1),
	CNT48(GLPRT_PRC127, 1), CNT48(GLPRT_PRC255, 1), CNT48(GLPRT_PRC511, 1),
	CNT48(GLPRT_PRC1023, 1), CNT48(GLPRT_PRC1522, 1), CNT48(GLPRT_PRC9522, 1),
	CNT48(GLPRT_PTC64, 1), CNT48(GLPRT_PTC127, 1), CNT48(GLPRT_PTC255, 1),
	CNT48(GLPRT_PTC511, 1), CNT48(GLPRT_PTC1023, 1), CNT48(GLPRT_PTC1522, 1),
	CNT48(GLPRT_PTC9522, 1),
	CNT32(GLPRT_RDPC, 1), CNT32(GLPRT_TDOLD, 1), CNT32(GLPRT_CRCERRS, 1),
	CNT32(GLPRT_ILLERRC, 1), CNT32(GLPRT_MLFC, 1), CNT32(GLPRT_MRFC, 1),
	CNT32(GLPRT_RLEC, 1), CNT32(GLPRT_LXONRXC, 1), CNT32(GLPRT_LXONTXC, 1),
	CNT32(GLPRT_LXOFFRXC, 1), CNT32(GLPRT_LXOFFTXC, 1), CNT32(GLPRT_RUC, 1),
	CNT32(GLPRT_RFC, 1), CNT32(GLPRT_ROC, 1), CNT32(GLPRT_RJC, 1),
	PFC(GLPRT_PXONRXC), PFC(GLPRT_PXOFFRXC), PFC(GLPRT_PXONTXC),
	PFC(GLPRT_PXOFFTXC), PFC(GLPRT_RXON2OFFCNT),
	{ I40E_PRTPM_EEE_STAT, "PRTPM_EEE_STAT", REG_RO },
	{ I40E_PRTPM_TLPIC, "PRTPM_TLPIC", REG_RO },
	{ I40E_PRTPM_RLPIC, "PRTPM_RLPIC", REG_RO },
	CNT48(GL_RXERR1, 144),
	CNT48(GLV_GORC, I40E_VSIS), CNT48(GLV_GOTC, I40E_VSIS), CNT48(GLV_UPRC, I40E_VSIS),
	CNT48(GLV_MPRC, I40E_VSIS), CNT48(GLV_BPRC, I40E_VSIS), CNT48(GLV_UPTC, I40E_VSIS),
	CNT48(GLV_MPTC, I40E_VSIS), CNT48(GLV_BPTC, I40E_VSIS),
	CNT32(GLV_RDPC, I40E_VSIS), CNT32(GLV_RUPP, I40E_VSIS), CNT32(GLV_TEPC, I40E_VSIS),
};

int i40e_regs_init(struct i40e *s)
{
	size_t n = ARRAY_SIZE(base_regs);
	struct reg_desc *all = calloc(n + i40e_ptp_nregs, sizeof(*all));

	if (!all)
		return -ENOMEM;
	memcpy(all, base_regs, sizeof(base_regs));
	memcpy(all + n, i40e_ptp_regs, i40e_ptp_nregs * sizeof(*all));
	s->reg_table = all;
	s->regs = regs_new(s->nic, all, n + i40e_ptp_nregs, BAR0_SIZE);
	return s->regs ? 0 : -EINVAL;
}
