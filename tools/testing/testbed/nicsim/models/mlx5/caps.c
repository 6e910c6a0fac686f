// SPDX-License-Identifier: GPL-2.0
/*
 * QUERY_HCA_CAP and the capability registers, from tables. What is not named
 * here is 0: the device lacks it, and so do the command tables.
 */
#include "mlx5.h"

struct m5_cap {
	u16 dw;
	u8 shift;
	u32 mask;
	u32 val;
};

#define CAP(st, fld, v)							\
	{ __mlx5_dw_off(st, fld), __mlx5_dw_bit_off(st, fld),		\
	  __mlx5_mask(st, fld), v }
#define GEN(fld, v)	CAP(cmd_hca_cap, fld, v)
#define ETH(fld, v)	CAP(per_protocol_networking_offload_caps, fld, v)
#define RX(fld, v)							\
	CAP(flow_table_nic_cap, flow_table_properties_nic_receive.fld, v)
/* A field that a rule may match, with and without a mask. */
#define RX_FIELD(fld)							\
	RX(ft_field_support.fld, 1), RX(ft_field_bitmask_support.fld, 1)

static const struct m5_cap general[] = {
	GEN(port_type, 1), GEN(num_ports, 1), GEN(vport_group_manager, 1),
	GEN(eth_net_offloads, 1), GEN(nic_flow_table, 1),
	GEN(vport_counters, 1), GEN(mcam_reg, 1),
	GEN(cqe_version, 1), GEN(cmdif_checksum, 0),
	GEN(driver_version, 1), GEN(bf, 1), GEN(log_bf_reg_size, 9),
	GEN(log_pg_sz, 12),
	GEN(cq_moderation, 1), GEN(cq_period_start_from_cqe, 1),
	GEN(log_max_qp, 17), GEN(log_max_qp_sz, 15),
	GEN(log_max_cq, 11), GEN(log_max_cq_sz, 22),
	GEN(log_max_eq, 7), GEN(log_max_eq_sz, 22), GEN(max_num_eqs, 64),
	GEN(log_max_mkey, 10), GEN(log_max_pd, 10),
	GEN(log_max_transport_domain, 10),
	GEN(log_max_rq, 10), GEN(log_max_sq, 9), GEN(log_max_tir, 10),
	GEN(log_max_tis, 10), GEN(log_max_rqt, 10), GEN(log_max_rqt_size, 9),
	GEN(log_max_tis_per_sq, 0), GEN(log_max_wq_sz, 15),
	GEN(basic_cyclic_rcv_wqe, 1),
	GEN(log_max_stride_sz_rq, 9), GEN(log_min_stride_sz_rq, 4),
	GEN(log_max_stride_sz_sq, 6), GEN(log_min_stride_sz_sq, 6),
	GEN(max_wqe_sz_sq, 1024), GEN(max_wqe_sz_rq, 512),
	GEN(log_max_current_uc_list, 7), GEN(log_max_current_mc_list, 7),
	GEN(log_max_vlan_list, 8), GEN(log_max_l2_table, 7),
	GEN(log_max_msg, 30),
};

static const struct m5_cap ethernet[] = {
	ETH(csum_cap, 1), ETH(vlan_cap, 1), ETH(wqe_vlan_insert, 1),
	ETH(self_lb_en_modifiable, 1), ETH(max_lso_cap, 16),
	/* 2: no inline header needed, as from ConnectX-5 on */
	ETH(wqe_inline_mode, 2), ETH(rss_ind_tbl_cap, 9),
	ETH(enhanced_multi_pkt_send_wqe, 1), ETH(cqe_checksum_full, 1),
};

static const struct m5_cap flow_table[] = {
	RX(ft_support, 1), RX(flow_modify_en, 1), RX(modify_root, 1),
	RX(identified_miss_table_mode, 1), RX(flow_table_modify, 1),
	RX(log_max_ft_size, 22), RX(max_ft_level, 64), RX(log_max_ft_num, 10),
	RX(log_max_destination, 1), RX(log_max_flow, 12),
	RX_FIELD(outer_dmac), RX_FIELD(outer_smac), RX_FIELD(outer_ether_type),
	RX_FIELD(outer_ip_version), RX_FIELD(outer_first_prio),
	RX_FIELD(outer_first_cfi), RX_FIELD(outer_first_vid),
	RX_FIELD(outer_ip_protocol), RX_FIELD(outer_frag),
	RX_FIELD(outer_sip), RX_FIELD(outer_dip),
	RX_FIELD(outer_tcp_sport), RX_FIELD(outer_tcp_dport),
	RX_FIELD(outer_udp_sport), RX_FIELD(outer_udp_dport),
};

static const struct {
	u8 type;
	const struct m5_cap *caps;
	u32 n;
} cap_types[] = {
	{ MLX5_CAP_GENERAL, general, ARRAY_SIZE(general) },
	{ MLX5_CAP_ETHERNET_OFFLOADS, ethernet, ARRAY_SIZE(ethernet) },
	{ MLX5_CAP_FLOW_TABLE, flow_table, ARRAY_SIZE(flow_table) },
};

static void cap_fill(u32 *dst, const struct m5_cap *c, u32 n)
{
	for (; n--; c++)
		dst[c->dw] |= htobe32((c->val & c->mask) << c->shift);
}

static void cap_clock(const struct mlx5 *m, void *cap)
{
	u8 format = m->clock.real_time ?
		MLX5_TIMESTAMP_FORMAT_CAP_FREE_RUNNING_AND_REAL_TIME :
		MLX5_TIMESTAMP_FORMAT_CAP_FREE_RUNNING;

	MLX5_SET(cmd_hca_cap, cap, device_frequency_khz, m->clock.khz);
	MLX5_SET(cmd_hca_cap, cap, device_frequency_mhz, m->clock.khz / 1000);
	MLX5_SET(cmd_hca_cap, cap, sq_ts_format, format);
	MLX5_SET(cmd_hca_cap, cap, rq_ts_format, format);
	MLX5_SET(cmd_hca_cap, cap, vhca_id, m->nic->id);
	MLX5_SET(cmd_hca_cap, cap, native_port_num, 1);
}

/* As before ConnectX-5. */
static void cap_inline_l2(void *cap)
{
	MLX5_SET(per_protocol_networking_offload_caps, cap, wqe_inline_mode, 0);
	MLX5_SET(per_protocol_networking_offload_caps, cap,
		 enhanced_multi_pkt_send_wqe, 0);
}

/* Maximum and current values are the same. */
u8 m5_query_hca_cap(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	u16 type = MLX5_GET(query_hca_cap_in, in, op_mod) >> 1;
	void *cap = MLX5_ADDR_OF(query_hca_cap_out, out, capability);

	(void)cmd, (void)inlen, (void)outlen;
	for (u32 i = 0; i < ARRAY_SIZE(cap_types); i++) {
		if (cap_types[i].type != type)
			continue;
		cap_fill(cap, cap_types[i].caps, cap_types[i].n);
		if (type == MLX5_CAP_GENERAL)
			cap_clock(m, cap);
		if (type == MLX5_CAP_ETHERNET_OFFLOADS && m->inline_l2)
			cap_inline_l2(cap);
		return MLX5_CMD_STAT_OK;
	}
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}
