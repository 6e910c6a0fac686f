// SPDX-License-Identifier: GPL-2.0
/*
 * Host memory cache: the private address space in which the driver keeps the
 * queue contexts, built from segment descriptors of 2 MiB that map host memory
 * directly or through a table of 4 KiB pages.
 */
#include "i40e.h"

/* A page descriptor: bit 0 valid, bits 63:12 the page's address. */
#define PD_VALID		1ULL
#define PD_ADDR			(~(HMC_PD_SIZE - 1))

void i40e_hmc_reset(struct i40e *s)
{
	memset(s->sd, 0, sizeof(s->sd));
}

void i40e_hmc_sdcmd(struct i40e *s, u32 val)
{
	u32 low = reg_get(s->regs, I40E_PFHMC_SDDATALOW);
	u32 high = reg_get(s->regs, I40E_PFHMC_SDDATAHIGH);
	u32 idx = val & 0xfff;
	struct i40e_sd *sd;

	if (idx >= I40E_SD_MAX) {
		guest_error(s->nic, "HMC: segment descriptor %u beyond %u refused", idx, I40E_SD_MAX);
		return;
	}
	sd = &s->sd[idx];
	if (!(val & BIT(I40E_PFHMC_SDCMD_PMSDWR_SHIFT))) {
		reg_set(s->regs, I40E_PFHMC_SDDATALOW, sd->low);
		reg_set(s->regs, I40E_PFHMC_SDDATAHIGH, sd->high);
		return;
	}
	sd->low = low;
	sd->high = high;
}

/* Maps @len bytes at @fpm, which must not leave their backing page. */
static int hmc_translate(struct i40e *s, u64 fpm, size_t len, u64 *addr)
{
	u64 idx = fpm / HMC_SD_SIZE, off = fpm % HMC_SD_SIZE;
	struct i40e_sd *sd;
	u64 base, pd;

	if (idx >= I40E_SD_MAX)
		return -1;
	sd = &s->sd[idx];
	if (!(sd->low & BIT(I40E_PFHMC_SDDATALOW_PMSDVALID_SHIFT)))
		return -1;
	base = ((u64)sd->high << 32) | (sd->low & 0xfffff000);
	if (sd->low & BIT(I40E_PFHMC_SDDATALOW_PMSDTYPE_SHIFT)) {
		*addr = base + off;
		return off + len > HMC_SD_SIZE ? -1 : 0;
	}
	if (dma_read_le64(s->nic, base + off / HMC_PD_SIZE * sizeof(pd), &pd))
		return -1;
	if (!(pd & PD_VALID) || off % HMC_PD_SIZE + len > HMC_PD_SIZE)
		return -1;
	*addr = (pd & PD_ADDR) + off % HMC_PD_SIZE;
	return 0;
}

static void hmc_error(struct i40e *s, u64 fpm, const char *what)
{
	guest_error(s->nic, "HMC: no backing for %s context at 0x%llx", what, (unsigned long long)fpm);
	reg_set(s->regs, I40E_PFHMC_ERRORINFO, BIT(31));
	reg_set(s->regs, I40E_PFHMC_ERRORDATA, (u32)fpm);
	i40e_icr0_raise(s, I40E_PFINT_ICR0_HMC_ERR_MASK);
}

static u64 ctx_bits(const u8 *ctx, unsigned int lsb, unsigned int width)
{
	u64 v = 0;
	unsigned int i;

	for (i = 0; i < width; i++)
		if (ctx[(lsb + i) / 8] & (1U << (lsb + i) % 8))
			v |= 1ULL << i;
	return v;
}

static int hmc_read(struct i40e *s, bool tx, unsigned int q, u8 *ctx, size_t len)
{
	u32 base = reg_get(s->regs, tx ? I40E_GLHMC_LANTXBASE(I40E_PF_ID) :
				    I40E_GLHMC_LANRXBASE(I40E_PF_ID));
	u32 cnt = reg_get(s->regs, tx ? I40E_GLHMC_LANTXCNT(I40E_PF_ID) :
				   I40E_GLHMC_LANRXCNT(I40E_PF_ID));
	u64 fpm = (u64)base * HMC_BASE_UNIT + (u64)q * len;
	u64 addr;

	if (q >= cnt || hmc_translate(s, fpm, len, &addr) ||
	    dma_read(s->nic, addr, ctx, len)) {
		hmc_error(s, fpm, tx ? "TX" : "RX");
		return -1;
	}
	return 0;
}

/* Fetches the TX context of queue @q: ring, head write-back, time sync. */
int i40e_hmc_txq(struct i40e *s, unsigned int q, struct i40e_txq *txq)
{
	u8 ctx[HMC_TXQ_SIZE];

	if (hmc_read(s, true, q, ctx, sizeof(ctx)))
		return -1;
	if (ring_init(s->nic, &txq->ring, ctx_bits(ctx, 32, 57) * 128,
		      ctx_bits(ctx, 128 + 33, 13), sizeof(struct i40e_desc)))
		return -1;
	txq->timesync = ctx_bits(ctx, 90, 1);
	txq->fd_ena = ctx_bits(ctx, 91, 1);
	txq->head_wb_ena = ctx_bits(ctx, 128 + 32, 1);
	txq->head_wb_addr = ctx_bits(ctx, 128 + 64, 64);
	return 0;
}

/* Fetches the RX context of queue @q: ring, buffer size, descriptor size. */
int i40e_hmc_rxq(struct i40e *s, unsigned int q, struct i40e_rxq *rxq)
{
	u8 ctx[HMC_RXQ_SIZE];

	if (hmc_read(s, false, q, ctx, sizeof(ctx)))
		return -1;
	if (ring_init(s->nic, &rxq->ring, ctx_bits(ctx, 32, 57) * 128,
		      ctx_bits(ctx, 89, 13), ctx_bits(ctx, 116, 1) ? 32 : 16))
		return -1;
	rxq->buf_size = ctx_bits(ctx, 102, 7) * 128;
	rxq->max_frame = ctx_bits(ctx, 174, 14);
	if (ctx_bits(ctx, 114, 2)) {
		guest_error(s->nic, "RX queue %u: header split is not modelled", q);
		return -1;
	}
	if (!rxq->buf_size || !rxq->max_frame) {
		guest_error(s->nic, "RX queue %u: no buffer or frame size", q);
		return -1;
	}
	return 0;
}
