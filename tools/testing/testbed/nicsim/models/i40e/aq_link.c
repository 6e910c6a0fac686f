// SPDX-License-Identifier: GPL-2.0
/* Admin queue commands about the PHY and the link: a 10GBASE-SR module. */
#include "i40e.h"

#define PHY_10G_SR		I40E_PHY_TYPE_10GBASE_SR
#define PHY_BITMAP		BIT(PHY_10G_SR)
#define LINK_INFO_PORT		0x20	/* "external port has link" */

static bool link_up(struct i40e *s)
{
	return s->link_enabled && wire_link(s->nic);
}

void i40e_link_fill(struct i40e *s, struct i40e_aqc_get_link_status *r)
{
	bool up = link_up(s);
	u32 types = htole32(PHY_BITMAP);

	memset(r, 0, sizeof(*r));
	r->command_flags = htole16(s->lse ? I40E_AQ_LSE_IS_ENABLED : 0);
	r->phy_type = PHY_10G_SR;
	r->link_speed = up ? I40E_LINK_SPEED_10GB : I40E_LINK_SPEED_UNKNOWN;
	r->link_info = I40E_AQ_MEDIA_AVAILABLE | (up ? I40E_AQ_LINK_UP | LINK_INFO_PORT : 0);
	r->an_info = I40E_AQ_QUALIFIED_MODULE | (up ? I40E_AQ_AN_COMPLETED : 0);
	r->max_frame_size = htole16(I40E_MTU_MAX);
	r->config = I40E_AQ_CONFIG_CRC_ENA;
	memcpy(r->link_type, &types, sizeof(types));
}

void i40e_link_event(struct i40e *s)
{
	struct i40e_aq_desc d = { .opcode = htole16(i40e_aqc_opc_get_link_status) };

	if (!s->lse || (s->event_mask & I40E_AQ_EVENT_LINK_UPDOWN))
		return;
	i40e_link_fill(s, (void *)d.params.raw);
	i40e_aq_event(s, &d);
}

u16 i40e_aq_phy_abilities(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aq_get_phy_abilities_resp *r = (void *)buf;

	(void)d;
	if (len < sizeof(*r))
		return I40E_AQ_RC_EINVAL;
	memset(r, 0, sizeof(*r));
	r->phy_type = htole32(s->link_enabled ? PHY_BITMAP : 0);
	r->link_speed = I40E_LINK_SPEED_10GB;
	r->abilities = I40E_AQ_PHY_ENABLE_AN | (s->link_enabled ? I40E_AQ_PHY_ENABLE_LINK : 0);
	/* Optical, 10GBASE-SR, as the module's EEPROM would say. */
	r->module_type[0] = 0x03;
	r->module_type[1] = 0x10;
	return I40E_AQ_RC_OK;
}

static void link_set(struct i40e *s, bool on)
{
	bool was = link_up(s);

	s->link_enabled = on;
	if (link_up(s) != was)
		i40e_link_event(s);
}

u16 i40e_aq_phy_config(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aq_set_phy_config *c = (void *)d->params.raw;

	(void)buf;
	(void)len;
	link_set(s, le32toh(c->phy_type) & PHY_BITMAP);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_restart_an(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_set_link_restart_an *c = (void *)d->params.raw;

	(void)buf;
	(void)len;
	link_set(s, c->command & I40E_AQ_PHY_LINK_ENABLE);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_link_status(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_get_link_status *r = (void *)d->params.raw;
	u16 flags = le16toh(r->command_flags) & I40E_AQ_LSE_ENABLE;

	(void)buf;
	(void)len;
	if (flags == I40E_AQ_LSE_ENABLE)
		s->lse = true;
	else if (flags == I40E_AQ_LSE_DISABLE)
		s->lse = false;
	i40e_link_fill(s, r);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_phy_int_mask(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_set_phy_int_mask *c = (void *)d->params.raw;

	(void)buf;
	(void)len;
	s->event_mask = le16toh(c->event_mask);
	return I40E_AQ_RC_OK;
}
