// SPDX-License-Identifier: GPL-2.0
/*
 * Admin queue: commands in one table, executed as the tail moves; events on the
 * receive queue. What the table does not name is answered with ESRCH, as the
 * firmware does, and counted.
 */
#include "i40e.h"

#define FW_MAJOR		9
#define FW_MINOR		20
#define FW_BUILD		71847
#define API_MAJOR		1
#define API_MINOR		15
#define NVM_LOCK_MS		3000

static u16 aq_ok(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	(void)s;
	(void)d;
	(void)buf;
	(void)len;
	return I40E_AQ_RC_OK;
}

static u16 aq_get_version(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_get_version *r = (void *)d->params.raw;

	(void)s;
	(void)buf;
	(void)len;
	r->rom_ver = 0;
	r->fw_build = htole32(FW_BUILD);
	r->fw_major = htole16(FW_MAJOR);
	r->fw_minor = htole16(FW_MINOR);
	r->api_major = htole16(API_MAJOR);
	r->api_minor = htole16(API_MINOR);
	return I40E_AQ_RC_OK;
}

static u16 aq_request_resource(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_request_resource *r = (void *)d->params.raw;

	(void)s;
	(void)buf;
	(void)len;
	r->timeout = htole32(NVM_LOCK_MS);
	return I40E_AQ_RC_OK;
}

static const struct i40e_cap {
	u16 id;
	u32 number, logical, phys;
} caps[] = {
	{ I40E_AQ_CAP_ID_FUNCTIONS_VALID, 1, 0, 0 },
	{ I40E_AQ_CAP_ID_VSI, I40E_VSIS, 0, 0 },
	{ I40E_AQ_CAP_ID_RSS, 512, 6, 0 },
	{ I40E_AQ_CAP_ID_RXQ, I40E_QUEUES, 0, 0 },
	{ I40E_AQ_CAP_ID_TXQ, I40E_QUEUES, 0, 0 },
	{ I40E_AQ_CAP_ID_MSIX, I40E_VECTORS, 0, 0 },
	{ I40E_AQ_CAP_ID_FLOW_DIRECTOR, I40E_FD_FILTERS / 2, I40E_FD_FILTERS / 2, 0 },
	{ I40E_AQ_CAP_ID_1588, 1, 0, 0 },
};

static u16 aq_list_caps(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_list_capabilites *r = (void *)d->params.raw;
	struct i40e_aqc_list_capabilities_element_resp *e = (void *)buf;
	size_t i;

	(void)s;
	if (len < ARRAY_SIZE(caps) * sizeof(*e)) {
		d->datalen = htole16(ARRAY_SIZE(caps) * sizeof(*e));
		return I40E_AQ_RC_ENOMEM;
	}
	memset(buf, 0, len);
	for (i = 0; i < ARRAY_SIZE(caps); i++, e++) {
		e->id = htole16(caps[i].id);
		e->major_rev = 1;
		e->number = htole32(caps[i].number);
		e->logical_id = htole32(caps[i].logical);
		e->phys_id = htole32(caps[i].phys);
	}
	r->count = htole32(ARRAY_SIZE(caps));
	return I40E_AQ_RC_OK;
}

static u16 aq_mac_read(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_mac_address_read *r = (void *)d->params.raw;
	struct i40e_aqc_mac_address_read_data *m = (void *)buf;

	if (len < sizeof(*m))
		return I40E_AQ_RC_EINVAL;
	memset(m, 0, sizeof(*m));
	memcpy(m->pf_lan_mac, s->nic->mac, 6);
	memcpy(m->port_mac, s->nic->mac, 6);
	r->command_flags = htole16(I40E_AQC_LAN_ADDR_VALID | I40E_AQC_PORT_ADDR_VALID);
	return I40E_AQ_RC_OK;
}

static u16 aq_clear_pxe(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	(void)d;
	(void)buf;
	(void)len;
	if (!(reg_get(s->regs, I40E_GLLAN_RCTL_0) & I40E_GLLAN_RCTL_0_PXE_MODE_MASK))
		return I40E_AQ_RC_EEXIST;
	reg_clear_bits(s->regs, I40E_GLLAN_RCTL_0, I40E_GLLAN_RCTL_0_PXE_MODE_MASK);
	return I40E_AQ_RC_OK;
}

static u16 aq_rx_ctl_read(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_rx_ctl_reg_read_write *r = (void *)d->params.raw;
	u64 val;

	(void)buf;
	(void)len;
	if (regs_read(s->regs, le32toh(r->address), 4, &val))
		return I40E_AQ_RC_EINVAL;
	r->value = htole32(val);
	return I40E_AQ_RC_OK;
}

static u16 aq_rx_ctl_write(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_rx_ctl_reg_read_write *r = (void *)d->params.raw;

	(void)buf;
	(void)len;
	if (regs_write(s->regs, le32toh(r->address), 4, le32toh(r->value)))
		return I40E_AQ_RC_EINVAL;
	return I40E_AQ_RC_OK;
}

static u16 aq_debug_read(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_debug_reg_read_write *r = (void *)d->params.raw;
	u64 val;

	(void)buf;
	(void)len;
	if (regs_read(s->regs, le32toh(r->address), 4, &val))
		return I40E_AQ_RC_EINVAL;
	r->value_high = 0;
	r->value_low = htole32(val);
	return I40E_AQ_RC_OK;
}

static u16 aq_nvm_read(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len)
{
	struct i40e_aqc_nvm_update *r = (void *)d->params.raw;
	u32 off = le32toh(r->offset), n = le16toh(r->length), i;

	if (r->module_pointer || n > len || n % 2 || off % 2 || off > sizeof(s->sr) ||
	    n > sizeof(s->sr) - off)
		return I40E_AQ_RC_EINVAL;
	for (i = 0; i < n; i += 2)
		put_le16(buf + i, s->sr[(off + i) / 2]);
	return I40E_AQ_RC_OK;
}

/*
 * ANSWER_OK: has no effect that a frame or a register could show on a card with
 * one port, one PF and one traffic class.
 */
#define ANSWER_OK	aq_ok

static struct aq_cmd {
	u16 opcode;
	const char *name;
	i40e_aq_fn fn;
	u64 done;
} cmds[] = {
	{ i40e_aqc_opc_get_version, "get_version", aq_get_version, 0 },
	{ i40e_aqc_opc_driver_version, "driver_version", ANSWER_OK, 0 },
	{ i40e_aqc_opc_queue_shutdown, "queue_shutdown", ANSWER_OK, 0 },
	{ i40e_aqc_opc_request_resource, "request_resource", aq_request_resource, 0 },
	{ i40e_aqc_opc_release_resource, "release_resource", ANSWER_OK, 0 },
	{ i40e_aqc_opc_list_func_capabilities, "list_func_capabilities", aq_list_caps, 0 },
	{ i40e_aqc_opc_list_dev_capabilities, "list_dev_capabilities", aq_list_caps, 0 },
	{ i40e_aqc_opc_mac_address_read, "mac_address_read", aq_mac_read, 0 },
	{ i40e_aqc_opc_mac_address_write, "mac_address_write", ANSWER_OK, 0 },
	{ i40e_aqc_opc_clear_pxe_mode, "clear_pxe_mode", aq_clear_pxe, 0 },
	{ i40e_aqc_opc_get_switch_config, "get_switch_config", i40e_aq_get_switch, 0 },
	{ i40e_aqc_opc_set_switch_config, "set_switch_config", ANSWER_OK, 0 },
	{ i40e_aqc_opc_rx_ctl_reg_read, "rx_ctl_reg_read", aq_rx_ctl_read, 0 },
	{ i40e_aqc_opc_rx_ctl_reg_write, "rx_ctl_reg_write", aq_rx_ctl_write, 0 },
	{ i40e_aqc_opc_add_vsi, "add_vsi", i40e_aq_add_vsi, 0 },
	{ i40e_aqc_opc_update_vsi_parameters, "update_vsi", i40e_aq_update_vsi, 0 },
	{ i40e_aqc_opc_get_vsi_parameters, "get_vsi", i40e_aq_get_vsi, 0 },
	{ i40e_aqc_opc_add_veb, "add_veb", i40e_aq_add_veb, 0 },
	{ i40e_aqc_opc_get_veb_parameters, "get_veb", i40e_aq_get_veb, 0 },
	{ i40e_aqc_opc_delete_element, "delete_element", i40e_aq_delete_element, 0 },
	{ i40e_aqc_opc_add_macvlan, "add_macvlan", i40e_aq_add_macvlan, 0 },
	{ i40e_aqc_opc_remove_macvlan, "remove_macvlan", i40e_aq_remove_macvlan, 0 },
	{ i40e_aqc_opc_set_vsi_promiscuous_modes, "set_vsi_promisc", i40e_aq_promisc, 0 },
	{ i40e_aqc_opc_add_control_packet_filter, "add_control_filter", ANSWER_OK, 0 },
	{ i40e_aqc_opc_remove_control_packet_filter, "remove_control_filter", ANSWER_OK, 0 },
	{ i40e_aqc_opc_set_dcb_parameters, "set_dcb_parameters", ANSWER_OK, 0 },
	{ i40e_aqc_opc_configure_vsi_bw_limit, "vsi_bw_limit", ANSWER_OK, 0 },
	{ i40e_aqc_opc_configure_vsi_tc_bw, "vsi_tc_bw", i40e_aq_vsi_tc_bw, 0 },
	{ i40e_aqc_opc_query_vsi_bw_config, "query_vsi_bw", i40e_aq_vsi_bw, 0 },
	{ i40e_aqc_opc_query_vsi_ets_sla_config, "query_vsi_ets", i40e_aq_vsi_ets, 0 },
	{ i40e_aqc_opc_query_switching_comp_ets_config, "query_veb_ets", i40e_aq_veb_ets, 0 },
	{ i40e_aqc_opc_query_switching_comp_bw_config, "query_veb_bw", i40e_aq_veb_bw, 0 },
	{ i40e_aqc_opc_get_phy_abilities, "get_phy_abilities", i40e_aq_phy_abilities, 0 },
	{ i40e_aqc_opc_set_phy_config, "set_phy_config", i40e_aq_phy_config, 0 },
	{ i40e_aqc_opc_set_mac_config, "set_mac_config", ANSWER_OK, 0 },
	{ i40e_aqc_opc_set_link_restart_an, "restart_an", i40e_aq_restart_an, 0 },
	{ i40e_aqc_opc_get_link_status, "get_link_status", i40e_aq_link_status, 0 },
	{ i40e_aqc_opc_set_phy_int_mask, "set_phy_int_mask", i40e_aq_phy_int_mask, 0 },
	{ i40e_aqc_opc_nvm_read, "nvm_read", aq_nvm_read, 0 },
	{ i40e_aqc_opc_lldp_stop, "lldp_stop", ANSWER_OK, 0 },
	{ i40e_aqc_opc_lldp_start, "lldp_start", ANSWER_OK, 0 },
	{ i40e_aqc_opc_debug_read_reg, "debug_read_reg", aq_debug_read, 0 },
};

static struct aq_cmd *aq_find(u16 opcode)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		if (cmds[i].opcode == opcode)
			return &cmds[i];
	return NULL;
}

static u16 aq_exec(struct i40e *s, struct i40e_aq_desc *d, u64 addr, u16 len)
{
	u16 opcode = le16toh(d->opcode), flags = le16toh(d->flags);
	bool buf = flags & I40E_AQ_FLAG_BUF;
	struct aq_cmd *c = aq_find(opcode);
	u64 status;
	u16 rc;

	if (fault_take_cmd(s->nic, opcode, &status))
		return status ? status : I40E_AQ_RC_EIO;
	if (!c) {
		guest_error(s->nic, "admin queue: command 0x%04x is not known", opcode);
		s->aq_refused++;
		return I40E_AQ_RC_ESRCH;
	}
	if (buf && len > sizeof(s->aq_buf))
		return I40E_AQ_RC_E2BIG;
	if (!buf)
		len = 0;
	memset(s->aq_buf, 0, sizeof(s->aq_buf));
	if (buf && (flags & I40E_AQ_FLAG_RD) && dma_read(s->nic, addr, s->aq_buf, len))
		return I40E_AQ_RC_BAD_ADDR;
	c->done++;
	s->aq_commands++;
	rc = c->fn(s, d, s->aq_buf, len);
	/* An answer keeps the buffer's address. */
	if (buf) {
		d->params.external.addr_high = htole32(addr >> 32);
		d->params.external.addr_low = htole32((u32)addr);
		if (rc == I40E_AQ_RC_OK && dma_write(s->nic, addr, s->aq_buf, len))
			return I40E_AQ_RC_BAD_ADDR;
	}
	return rc;
}

static u64 aq_base(struct i40e *s, u32 bah, u32 bal)
{
	return ((u64)reg_get(s->regs, bah) << 32) | reg_get(s->regs, bal);
}

void i40e_aq_run(struct i40e *s)
{
	u32 qlen = reg_get(s->regs, I40E_PF_ATQLEN);
	u32 n = qlen & 0x3ff;
	u32 head = reg_get(s->regs, I40E_PF_ATQH) & 0x3ff;
	u32 tail = reg_get(s->regs, I40E_PF_ATQT) & 0x3ff;

	if (!(qlen & I40E_PF_ATQLEN_ATQENABLE_MASK) || head >= n || tail >= n)
		return;
	while (head != tail) {
		u64 at = aq_base(s, I40E_PF_ATQBAH, I40E_PF_ATQBAL) +
			 (u64)head * sizeof(struct i40e_aq_desc);
		struct i40e_aq_desc d;
		u16 rc, flags;

		if (dma_read(s->nic, at, &d, sizeof(d))) {
			reg_set_bits(s->regs, I40E_PF_ATQLEN, I40E_PF_ATQLEN_ATQCRIT_MASK);
			return;
		}
		rc = aq_exec(s, &d, ((u64)le32toh(d.params.external.addr_high) << 32) |
			     le32toh(d.params.external.addr_low), le16toh(d.datalen));
		flags = le16toh(d.flags) | I40E_AQ_FLAG_DD | I40E_AQ_FLAG_CMP;
		if (rc)
			flags |= I40E_AQ_FLAG_ERR;
		d.flags = htole16(flags);
		d.retval = htole16(rc);
		dma_write(s->nic, at, &d, sizeof(d));
		head = head + 1 < n ? head + 1 : 0;
		reg_set(s->regs, I40E_PF_ATQH, head);
	}
}

/* Post @d on the receive queue; without room it is lost, as on the card. */
void i40e_aq_event(struct i40e *s, struct i40e_aq_desc *d)
{
	u32 qlen = reg_get(s->regs, I40E_PF_ARQLEN);
	u32 n = qlen & 0x3ff;
	u32 head = reg_get(s->regs, I40E_PF_ARQH) & 0x3ff;
	u32 tail = reg_get(s->regs, I40E_PF_ARQT) & 0x3ff;

	if (!(qlen & I40E_PF_ARQLEN_ARQENABLE_MASK) || head >= n)
		return;
	if (head == tail) {
		reg_set_bits(s->regs, I40E_PF_ARQLEN, I40E_PF_ARQLEN_ARQOVFL_MASK);
		return;
	}
	d->flags = htole16(I40E_AQ_FLAG_DD | I40E_AQ_FLAG_CMP);
	d->retval = 0;
	if (dma_write(s->nic, aq_base(s, I40E_PF_ARQBAH, I40E_PF_ARQBAL) +
		      (u64)head * sizeof(*d), d, sizeof(*d)))
		return;
	reg_set(s->regs, I40E_PF_ARQH, head + 1 < n ? head + 1 : 0);
	i40e_icr0_raise(s, I40E_PFINT_ICR0_ADMINQ_MASK);
}

void i40e_aq_report(struct i40e *s, nic_reply *out)
{
	size_t i;

	(void)s;
	for (i = 0; i < ARRAY_SIZE(cmds); i++)
		fprintf(out, "aq 0x%04x %s %llu\n", cmds[i].opcode, cmds[i].name,
			(unsigned long long)cmds[i].done);
}
