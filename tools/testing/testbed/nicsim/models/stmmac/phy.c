// SPDX-License-Identifier: GPL-2.0
/* The stmmac model's PHY: IEEE 802.3 Clause 22, 1000BASE-T full duplex. */
#include "phy.h"

enum {
	BMCR, BMSR, PHYID1, PHYID2, ANAR, ANLPAR, ANER, ANNP, ANLPNP,
	CTRL1000, STAT1000, ESTATUS = 15,
};

#define BMCR_RESET	0x8000
#define BMCR_AN_ENABLE	0x1000
#define BMCR_PDOWN	0x0800
#define BMCR_AN_RESTART	0x0200

#define BMSR_ESTATEN	0x0100
#define BMSR_AN_DONE	0x0020
#define BMSR_AN_CAPABLE	0x0008
#define BMSR_LINK	0x0004
#define BMSR_10_100	0x7800

#define LPA_ACK		0x4000
#define ADV_ALL		0x0de1	/* 10/100, both duplexes, pause, 802.3 */
#define STAT1000_PEER	0x3c00	/* receivers fine, peer does 1000BASE-T */
#define ESTATUS_1000T	0x3000

void phy_reset(struct phy *p)
{
	memset(p->reg, 0, sizeof(p->reg));
	p->reg[BMCR] = BMCR_AN_ENABLE | 0x0140;
	/* An identifier that no PHY driver claims. */
	p->reg[PHYID1] = 0x0a5a;
	p->reg[PHYID2] = 0x5a50;
	p->reg[ANAR] = ADV_ALL;
	p->reg[ANER] = 0x0005;
	p->reg[CTRL1000] = 0x0300;
	p->reg[ESTATUS] = ESTATUS_1000T;
}

void phy_set_link(struct phy *p, bool up)
{
	if (!up)
		p->link_latch = true;
	p->link = up;
}

u16 phy_read(struct phy *p, unsigned int reg)
{
	bool up = p->link && !(p->reg[BMCR] & BMCR_PDOWN);
	u16 v;

	switch (reg) {
	case BMSR:
		v = BMSR_ESTATEN | BMSR_AN_CAPABLE | BMSR_10_100;
		if (up)
			v |= BMSR_AN_DONE;
		/* The link bit latches low until it was read. */
		if (up && !p->link_latch)
			v |= BMSR_LINK;
		p->link_latch = false;
		return v;
	case ANLPAR:
		return up ? ADV_ALL | LPA_ACK : 0;
	case STAT1000:
		return up ? STAT1000_PEER : 0;
	default:
		return p->reg[reg & 31];
	}
}

void phy_write(struct phy *p, unsigned int reg, u16 val)
{
	switch (reg) {
	case BMCR:
		if (val & BMCR_RESET) {
			phy_reset(p);
			return;
		}
		p->reg[BMCR] = val & ~BMCR_AN_RESTART;
		return;
	case ANAR:
	case CTRL1000:
		p->reg[reg] = val;
		return;
	default:
		return;		/* read-only, or not implemented */
	}
}
