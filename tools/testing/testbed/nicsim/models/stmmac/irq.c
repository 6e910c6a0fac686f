// SPDX-License-Identifier: GPL-2.0
/*
 * Channel interrupts. A line is high while an enabled status bit stands; the
 * message goes out when it rises. With one vector all lines share it.
 */
#include "stmmac.h"

static void line(struct stmmac *s, bool *was, bool now, u32 vector)
{
	if (now && !*was)
		irq_raise(s->nic, irq_mode(s->nic) == IRQ_MSIX ? vector : 0);
	*was = now;
}

void stmmac_irq_update(struct stmmac *s, u32 ch)
{
	struct stmmac_chan *c = &s->chan[ch];
	u32 on = ch_get(s, ch, CH_STATUS) & ch_get(s, ch, CH_INT_EN);
	u32 en = ch_get(s, ch, CH_INT_EN);
	u32 tx = 0, rx = 0;

	if (en & INT_NIE) {
		tx |= on & ST_NORMAL_TX;
		rx |= on & ST_NORMAL_RX;
	}
	if (en & INT_AIE) {
		tx |= on & ST_ABNORMAL_TX;
		rx |= on & ST_ABNORMAL_RX;
	}
	line(s, &c->rx_line, rx, VEC_RX(ch));
	line(s, &c->tx_line, tx, VEC_TX(ch));
}

void stmmac_status(struct stmmac *s, u32 ch, u32 bits)
{
	u32 on = bits & ch_get(s, ch, CH_INT_EN);

	/* The summary bits count only what is enabled. */
	if (on & (ST_NORMAL_TX | ST_NORMAL_RX))
		bits |= ST_NIS;
	if (on & (ST_ABNORMAL_TX | ST_ABNORMAL_RX))
		bits |= ST_AIS;
	reg_set_bits(s->regs, DMA_CH(ch) + CH_STATUS, bits);
	stmmac_irq_update(s, ch);
}
