// SPDX-License-Identifier: GPL-2.0
/*
 * System time: each time the accumulator overflows, SSIR ns are added; the
 * addend goes into the accumulator at every PTP clock (fine mode), or SSIR is
 * added at every clock (coarse mode).
 */
#include <netinet/in.h>

#include "stmmac.h"

void stmmac_ptp_rate(struct stmmac *s)
{
	u32 tcr = reg_get(s->regs, PTP_TCR);
	u64 step = FIELD(GENMASK(23, 16), reg_get(s->regs, PTP_SSIR));
	u64 num = step * (s->clk_hz / 1000), den = 1000000;

	if (!(tcr & TCR_TSENA))
		num = 0;
	if (tcr & TCR_TSCFUPDT) {
		num *= reg_get(s->regs, PTP_TAR);
		den <<= 32;
	}
	phc_set_rate(&s->nic->phc, mono_now(), num, den);
}

void stmmac_ptp_reset(struct stmmac *s)
{
	u64 now = mono_now();

	phc_set_rate(&s->nic->phc, now, 0, 1);
	phc_set_units(&s->nic->phc, now, 0);
}

/* Bits that start something; they read back as 0, the work being done. */
void stmmac_ptp_control(struct stmmac *s, u32 val)
{
	struct phc *phc = &s->nic->phc;
	u32 sec = reg_get(s->regs, PTP_STSUR);
	u32 raw = reg_get(s->regs, PTP_STNSUR);
	u32 nsec = raw & ~STNSUR_ADDSUB;
	u64 now = mono_now();

	if ((val & TCR_TSENA) && !(val & TCR_TSCTRLSSR))
		guest_error(s->nic, "binary rollover of the system time is not modelled");
	if (val & TCR_TSINIT) {
		if (nsec >= NSEC_PER_SEC)
			guest_error(s->nic, "system time with %u ns", nsec);
		else
			phc_set_units(phc, now, phc_join(sec, nsec));
	}
	if (val & TCR_TSUPDT) {
		/* To subtract, software writes 2^32 - sec and 10^9 - nsec. */
		if (nsec > NSEC_PER_SEC)
			guest_error(s->nic, "update of the system time with %u ns", nsec);
		else if (raw & STNSUR_ADDSUB)
			phc_adjust(phc, now, -(s64)phc_join(-sec,
							    NSEC_PER_SEC - nsec));
		else
			phc_adjust(phc, now, phc_join(sec, nsec));
	}
	stmmac_ptp_rate(s);
}

/* PTP header of a frame that may carry one, or NULL. */
static const u8 *ptp_header(u32 tcr, const struct pkt *p, const u8 *data,
			    u32 len)
{
	u32 off = 0;

	if (p->ethertype == 0x88f7 && (tcr & TCR_TSIPENA))
		off = 14 + 4 * p->vlan_tags;
	else if (p->proto == IPPROTO_UDP && p->payload &&
		 (p->dport == 319 || p->dport == 320) &&
		 ((p->ip == 4 && (tcr & TCR_TSIPV4ENA)) ||
		  (p->ip == 6 && (tcr & TCR_TSIPV6ENA))))
		off = p->payload;
	return off && off + 34 <= len ? data + off : NULL;
}

bool stmmac_ptp_match(struct stmmac *s, const struct pkt *p, const u8 *data,
		      u32 len)
{
	/* Event messages of version 2, by type: 0 .. 3. */
	enum { SYNC = 1, DELAY_REQ = 2, PDELAY_REQ = 4, PDELAY_RESP = 8 };
	u32 tcr = reg_get(s->regs, PTP_TCR);
	u32 wanted;
	const u8 *h;

	if (!(tcr & TCR_TSENA))
		return false;
	if (tcr & TCR_TSENALL)
		return true;
	h = ptp_header(tcr, p, data, len);
	if (!h || (h[1] & 15) != (tcr & TCR_TSVER2ENA ? 2 : 1))
		return false;
	/* Version 1 tells its messages apart in byte 32. */
	u32 type = tcr & TCR_TSVER2ENA ? h[0] & 15 : h[32];

	switch (TCR_SNAPTYPSEL(tcr)) {
	case 0:
		if (!(tcr & TCR_TSEVNTENA))
			return type < 2 || type == 8 || type == 9;
		wanted = tcr & TCR_TSMSTRENA ? DELAY_REQ : SYNC;
		break;
	case 1:
		if (!(tcr & TCR_TSEVNTENA))
			return type < 4 || (type >= 8 && type <= 10);
		wanted = (tcr & TCR_TSMSTRENA ? DELAY_REQ : SYNC) |
			 PDELAY_REQ | PDELAY_RESP;
		break;
	case 2:
		wanted = SYNC | DELAY_REQ;
		break;
	default:
		wanted = PDELAY_REQ | PDELAY_RESP;
	}
	return type < 4 && (wanted & BIT(type));
}
