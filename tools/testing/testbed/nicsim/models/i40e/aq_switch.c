// SPDX-License-Identifier: GPL-2.0
/*
 * The internal switch: VSIs, MAC/VLAN filters, promiscuous modes, and which
 * VSI a received frame belongs to.
 */
#include "i40e.h"

#define SEID_MAC		2
#define SEID_PF			16
#define SEID_VSI		0x186	/* of the PF's own VSI; others follow */
#define SEID_VEB		0x120	/* one VEB between the port and the VSIs */
#define QS_HANDLE		0x20
#define MATCH_PERFECT		1

static struct i40e_vsi *vsi_find(struct i40e *s, u16 seid)
{
	u32 i = (seid & 0x3ff) - SEID_VSI;

	return i < I40E_VSIS && s->vsi[i].used ? &s->vsi[i] : NULL;
}

static u32 vsi_number(const struct i40e *s, const struct i40e_vsi *v)
{
	return v - s->vsi;
}

/* The sections that only the firmware writes. */
static void vsi_fw_part(struct i40e *s, struct i40e_vsi *v)
{
	u32 n = vsi_number(s, v);
	int i;

	for (i = 0; i < 8; i++)
		v->info.qs_handle[i] = htole16(I40E_AQ_VSI_QS_HANDLE_INVALID);
	v->info.qs_handle[0] = htole16(QS_HANDLE + n);
	v->info.stat_counter_idx = htole16(n);
	v->info.sched_id = htole16(n);
}

static void vsi_new(struct i40e *s, struct i40e_vsi *v)
{
	memset(v, 0, sizeof(*v));
	v->used = true;
	v->seid = SEID_VSI + vsi_number(s, v);
	v->info.port_vlan_flags = I40E_AQ_VSI_PVLAN_MODE_ALL | I40E_AQ_VSI_PVLAN_EMOD_NOTHING;
	v->info.up_enable_bits = 1;
	vsi_fw_part(s, v);
}

void i40e_switch_reset(struct i40e *s)
{
	struct i40e_filter *f = &s->filter[0];

	memset(s->vsi, 0, sizeof(s->vsi));
	memset(s->filter, 0, sizeof(s->filter));
	s->veb = false;
	vsi_new(s, &s->vsi[0]);
	/* The firmware's own filter for the permanent address. */
	f->seid = SEID_VSI;
	memcpy(f->mac, s->nic->mac, 6);
	f->any_vlan = true;
}

u16 i40e_aq_get_switch(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_switch_seid *c = (void *)d->params.raw;
	struct i40e_aqc_get_switch_config_resp *r = (void *)buf;
	struct i40e_aqc_switch_config_element_resp *e = r->element;
	u16 n = 0;
	u32 i;

	for (i = 0; i < I40E_VSIS; i++) {
		if (!s->vsi[i].used)
			continue;
		if (len < sizeof(r->header) + (n + 1) * sizeof(*e))
			return I40E_AQ_RC_ENOMEM;
		e[n].element_type = 19;
		e[n].revision = 1;
		e[n].seid = htole16(s->vsi[i].seid);
		e[n].uplink_seid = htole16(SEID_MAC);
		e[n].downlink_seid = htole16(SEID_PF);
		e[n].connection_type = I40E_AQ_VSI_CONN_TYPE_NORMAL;
		e[n].element_info = htole16(i);
		n++;
	}
	r->header.num_reported = htole16(n);
	r->header.num_total = htole16(n);
	c->seid = 0;
	return I40E_AQ_RC_OK;
}

static void vsi_answer(struct i40e *s, struct i40e_vsi *v, struct i40e_aq_desc *d, u8 *buf)
{
	struct i40e_aqc_add_get_update_vsi_completion *r = (void *)d->params.raw;
	u16 used = 0;
	u32 i;

	for (i = 0; i < I40E_VSIS; i++)
		used += s->vsi[i].used;
	r->seid = htole16(v->seid);
	r->vsi_number = htole16(vsi_number(s, v));
	r->vsi_used = htole16(used);
	r->vsi_free = htole16(I40E_VSIS - used);
	memcpy(buf, &v->info, sizeof(v->info));
}

static void vsi_merge(struct i40e *s, struct i40e_vsi *v, const u8 *buf)
{
	struct i40e_aqc_vsi_properties_data in;
	u16 valid;

	memcpy(&in, buf, sizeof(in));
	valid = le16toh(in.valid_sections);
	if (valid & I40E_AQ_VSI_PROP_SWITCH_VALID)
		v->info.switch_id = in.switch_id;
	if (valid & I40E_AQ_VSI_PROP_SECURITY_VALID)
		v->info.sec_flags = in.sec_flags;
	if (valid & I40E_AQ_VSI_PROP_VLAN_VALID) {
		v->info.pvid = in.pvid;
		v->info.port_vlan_flags = in.port_vlan_flags;
	}
	if (valid & I40E_AQ_VSI_PROP_QUEUE_MAP_VALID) {
		v->info.mapping_flags = in.mapping_flags;
		memcpy(v->info.queue_mapping, in.queue_mapping, sizeof(in.queue_mapping));
		memcpy(v->info.tc_mapping, in.tc_mapping, sizeof(in.tc_mapping));
	}
	if (valid & I40E_AQ_VSI_PROP_QUEUE_OPT_VALID)
		v->info.queueing_opt_flags = in.queueing_opt_flags;
	if (valid & I40E_AQ_VSI_PROP_SCHED_VALID)
		v->info.up_enable_bits = in.up_enable_bits;
	vsi_fw_part(s, v);
}

u16 i40e_aq_add_vsi(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	u32 i;

	if (len < sizeof(s->vsi[0].info))
		return I40E_AQ_RC_EINVAL;
	for (i = 0; i < I40E_VSIS && s->vsi[i].used; i++)
		;
	if (i == I40E_VSIS)
		return I40E_AQ_RC_ENOSPC;
	vsi_new(s, &s->vsi[i]);
	vsi_merge(s, &s->vsi[i], buf);
	vsi_answer(s, &s->vsi[i], d, buf);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_update_vsi(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_add_get_update_vsi *c = (void *)d->params.raw;
	struct i40e_vsi *v = vsi_find(s, le16toh(c->uplink_seid));

	if (!v || len < sizeof(v->info))
		return I40E_AQ_RC_ENOENT;
	vsi_merge(s, v, buf);
	vsi_answer(s, v, d, buf);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_get_vsi(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_add_get_update_vsi *c = (void *)d->params.raw;
	struct i40e_vsi *v = vsi_find(s, le16toh(c->uplink_seid));

	if (!v || len < sizeof(v->info))
		return I40E_AQ_RC_ENOENT;
	vsi_answer(s, v, d, buf);
	return I40E_AQ_RC_OK;
}

/* The VEB forwards between port and VSIs; frames among VSIs are not modelled. */
u16 i40e_aq_add_veb(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_add_veb_completion *r = (void *)d->params.raw;

	(void)buf;
	(void)len;
	if (s->veb)
		return I40E_AQ_RC_ENOSPC;
	s->veb = true;
	memset(r, 0, sizeof(*r));
	r->switch_seid = htole16(1);
	r->veb_seid = htole16(SEID_VEB);
	r->vebs_used = htole16(1);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_get_veb(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_get_veb_parameters_completion *r = (void *)d->params.raw;

	(void)buf;
	(void)len;
	if (!s->veb || le16toh(r->seid) != SEID_VEB)
		return I40E_AQ_RC_ENOENT;
	memset(r, 0, sizeof(*r));
	r->seid = htole16(SEID_VEB);
	r->switch_id = htole16(1);
	r->vebs_used = htole16(1);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_delete_element(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_switch_seid *c = (void *)d->params.raw;
	struct i40e_vsi *v = vsi_find(s, le16toh(c->seid));
	u32 i;

	(void)buf;
	(void)len;
	if (s->veb && le16toh(c->seid) == SEID_VEB) {
		s->veb = false;
		return I40E_AQ_RC_OK;
	}
	if (!v)
		return I40E_AQ_RC_ENOENT;
	for (i = 0; i < I40E_FILTERS; i++)
		if (s->filter[i].seid == v->seid)
			s->filter[i].seid = 0;
	v->used = false;
	return I40E_AQ_RC_OK;
}

static struct i40e_filter *filter_find(struct i40e *s, u16 seid, const u8 *mac, u16 vlan,
				       bool any)
{
	u32 i;

	for (i = 0; i < I40E_FILTERS; i++) {
		struct i40e_filter *f = &s->filter[i];

		if (f->seid == seid && !memcmp(f->mac, mac, 6) && f->any_vlan == any &&
		    (any || f->vlan == vlan))
			return f;
	}
	return NULL;
}

static void filter_answer(struct i40e *s, struct i40e_aq_desc *d)
{
	struct i40e_aqc_add_remove_macvlan_completion *r = (void *)d->params.raw;
	u16 used = 0;
	u32 i;

	for (i = 0; i < I40E_FILTERS; i++)
		used += !!s->filter[i].seid;
	r->perfect_mac_used = htole16(used);
	r->perfect_mac_free = htole16(I40E_FILTERS - used);
	r->unicast_hash_free = 0;
	r->multicast_hash_free = 0;
}

u16 i40e_aq_add_macvlan(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_macvlan *c = (void *)d->params.raw;
	u16 seid = le16toh(c->seid[0]) & ~I40E_AQC_MACVLAN_CMD_SEID_VALID;
	u16 n = le16toh(c->num_addresses), rc = I40E_AQ_RC_OK, i;
	struct i40e_aqc_add_macvlan_element_data *e = (void *)buf;

	if (!vsi_find(s, seid))
		return I40E_AQ_RC_ENOENT;
	if (len < n * sizeof(*e))
		return I40E_AQ_RC_EINVAL;
	for (i = 0; i < n; i++, e++) {
		bool any = le16toh(e->flags) & I40E_AQC_MACVLAN_ADD_IGNORE_VLAN;
		struct i40e_filter *f = filter_find(s, seid, e->mac_addr, le16toh(e->vlan_tag), any);
		u32 k;

		for (k = 0; !f && k < I40E_FILTERS; k++)
			if (!s->filter[k].seid)
				f = &s->filter[k];
		if (!f) {
			e->match_method = I40E_AQC_MM_ERR_NO_RES;
			rc = I40E_AQ_RC_ENOSPC;
			continue;
		}
		f->seid = seid;
		memcpy(f->mac, e->mac_addr, 6);
		f->vlan = le16toh(e->vlan_tag);
		f->any_vlan = any;
		e->match_method = MATCH_PERFECT;
	}
	filter_answer(s, d);
	return rc;
}

u16 i40e_aq_remove_macvlan(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_macvlan *c = (void *)d->params.raw;
	u16 seid = le16toh(c->seid[0]) & ~I40E_AQC_MACVLAN_CMD_SEID_VALID;
	u16 n = le16toh(c->num_addresses), rc = I40E_AQ_RC_OK, i;
	struct i40e_aqc_remove_macvlan_element_data *e = (void *)buf;

	if (!vsi_find(s, seid))
		return I40E_AQ_RC_ENOENT;
	if (len < n * sizeof(*e))
		return I40E_AQ_RC_EINVAL;
	for (i = 0; i < n; i++, e++) {
		bool any = e->flags & I40E_AQC_MACVLAN_DEL_IGNORE_VLAN;
		struct i40e_filter *f = filter_find(s, seid, e->mac_addr, le16toh(e->vlan_tag), any);

		if (f) {
			f->seid = 0;
			e->error_code = 0;
		} else {
			e->error_code = 0xff;
			rc = I40E_AQ_RC_ENOENT;
		}
	}
	filter_answer(s, d);
	return rc;
}

u16 i40e_aq_promisc(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_set_vsi_promiscuous_modes *c = (void *)d->params.raw;
	struct i40e_vsi *v = vsi_find(s, le16toh(c->seid));
	u16 valid = le16toh(c->valid_flags);

	(void)buf;
	(void)len;
	if (!v)
		return I40E_AQ_RC_ENOENT;
	v->promisc = (v->promisc & ~valid) | (le16toh(c->promiscuous_flags) & valid);
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_vsi_tc_bw(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_configure_vsi_tc_bw_data *r = (void *)buf;
	struct i40e_aqc_tx_sched_ind *c = (void *)d->params.raw;
	struct i40e_vsi *v = vsi_find(s, le16toh(c->vsi_seid));
	int i;

	if (!v || len < sizeof(*r))
		return I40E_AQ_RC_ENOENT;
	for (i = 0; i < 8; i++)
		r->qs_handles[i] = v->info.qs_handle[i];
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_vsi_bw(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_query_vsi_bw_config_resp *r = (void *)buf;
	struct i40e_aqc_tx_sched_ind *c = (void *)d->params.raw;

	if (!vsi_find(s, le16toh(c->vsi_seid)) || len < sizeof(*r))
		return I40E_AQ_RC_ENOENT;
	memset(r, 0, sizeof(*r));
	r->tc_valid_bits = 1;
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_vsi_ets(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_query_vsi_ets_sla_config_resp *r = (void *)buf;
	struct i40e_aqc_tx_sched_ind *c = (void *)d->params.raw;

	if (!vsi_find(s, le16toh(c->vsi_seid)) || len < sizeof(*r))
		return I40E_AQ_RC_ENOENT;
	memset(r, 0, sizeof(*r));
	r->tc_valid_bits = 1;
	r->share_credits[0] = 1;
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_veb_ets(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_query_switching_comp_ets_config_resp *r = (void *)buf;

	(void)d;
	if (!s->veb || len < sizeof(*r))
		return I40E_AQ_RC_ENOENT;
	memset(r, 0, sizeof(*r));
	r->tc_valid_bits = 1;
	return I40E_AQ_RC_OK;
}

u16 i40e_aq_veb_bw(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_query_switching_comp_bw_config_resp *r = (void *)buf;

	(void)d;
	if (!s->veb || len < sizeof(*r))
		return I40E_AQ_RC_ENOENT;
	memset(r, 0, sizeof(*r));
	r->tc_valid_bits = 1;
	r->tc_bw_share_credits[0] = 1;
	return I40E_AQ_RC_OK;
}

static bool vsi_wants(const struct i40e_vsi *v, const u8 *dst)
{
	static const u8 bcast[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	if (v->promisc & I40E_AQC_SET_VSI_DEFAULT)
		return true;
	if (!memcmp(dst, bcast, 6))
		return v->promisc & I40E_AQC_SET_VSI_PROMISC_BROADCAST;
	if (dst[0] & 1)
		return v->promisc & I40E_AQC_SET_VSI_PROMISC_MULTICAST;
	return v->promisc & I40E_AQC_SET_VSI_PROMISC_UNICAST;
}

struct i40e_vsi *i40e_switch_rx(struct i40e *s, const u8 *frame, const struct pkt *p)
{
	u16 vlan = p->vlan_tags ? p->vlan & 0xfff : 0;
	u32 i;

	for (i = 0; i < I40E_FILTERS; i++) {
		const struct i40e_filter *f = &s->filter[i];

		if (f->seid && !memcmp(f->mac, frame, 6) && (f->any_vlan || f->vlan == vlan))
			return vsi_find(s, f->seid);
	}
	for (i = 0; i < I40E_VSIS; i++)
		if (s->vsi[i].used && vsi_wants(&s->vsi[i], frame))
			return &s->vsi[i];
	return NULL;
}
