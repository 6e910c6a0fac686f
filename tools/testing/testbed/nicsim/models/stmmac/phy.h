/* SPDX-License-Identifier: GPL-2.0 */
/* A Clause 22 gigabit PHY, as much of it as a generic PHY driver looks at. */
#ifndef STMMAC_PHY_H
#define STMMAC_PHY_H

#include "hw/types.h"

struct phy {
	u16 reg[32];
	bool link;		/* now */
	bool link_latch;	/* link was down since the last status read */
};

void phy_reset(struct phy *p);
void phy_set_link(struct phy *p, bool up);
u16 phy_read(struct phy *p, unsigned int reg);
void phy_write(struct phy *p, unsigned int reg, u16 val);

#endif
