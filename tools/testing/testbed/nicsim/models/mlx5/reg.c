// SPDX-License-Identifier: GPL-2.0
/* ACCESS_REG: the port's and the device's registers, one table. */
#include "mlx5.h"

#define PTYS_EN			4	/* proto_mask: Ethernet */
#define PTYS_25GBASE_CR		(1u << 27)
#define PAOS_UP			1
#define PAOS_DOWN		2
#define PORT_MAX_MTU		9978
#define MCIA_STATUS_NO_MODULE	1
#define CONNECTOR_DA		5

struct m5_reg {
	u16 id;
	const char *name;
	u32 size;		/* bytes of register data */
	bool writable;
	u8 (*fn)(struct mlx5 *m, const void *in, void *out, bool write);
};

static u8 reg_zero(struct mlx5 *m, const void *in, void *out, bool write)
{
	(void)m, (void)in, (void)out, (void)write;
	return MLX5_CMD_STAT_OK;
}

static u8 reg_ptys(struct mlx5 *m, const void *in, void *out, bool write)
{
	if (!(MLX5_GET(ptys_reg, in, proto_mask) & PTYS_EN))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (write && !(MLX5_GET(ptys_reg, in, eth_proto_admin) & PTYS_25GBASE_CR))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	MLX5_SET(ptys_reg, out, local_port, 1);
	MLX5_SET(ptys_reg, out, proto_mask, PTYS_EN);
	MLX5_SET(ptys_reg, out, eth_proto_capability, PTYS_25GBASE_CR);
	MLX5_SET(ptys_reg, out, eth_proto_admin, PTYS_25GBASE_CR);
	MLX5_SET(ptys_reg, out, connector_type, CONNECTOR_DA);
	if (m5_vport_up(m))
		MLX5_SET(ptys_reg, out, eth_proto_oper, PTYS_25GBASE_CR);
	return MLX5_CMD_STAT_OK;
}

static u8 reg_paos(struct mlx5 *m, const void *in, void *out, bool write)
{
	u8 admin = MLX5_GET(paos_reg, in, admin_status);

	if (write) {
		bool was = m5_vport_up(m);

		if (admin != PAOS_UP && admin != PAOS_DOWN)
			return MLX5_CMD_STAT_BAD_PARAM_ERR;
		m->port_admin = admin;
		if (m5_vport_up(m) != was)
			m5_link_event(m);
	}
	MLX5_SET(paos_reg, out, local_port, 1);
	MLX5_SET(paos_reg, out, admin_status, m->port_admin);
	MLX5_SET(paos_reg, out, oper_status, m5_vport_up(m) ? PAOS_UP : PAOS_DOWN);
	return MLX5_CMD_STAT_OK;
}

static u8 reg_pmtu(struct mlx5 *m, const void *in, void *out, bool write)
{
	u16 mtu = MLX5_GET(pmtu_reg, in, admin_mtu);

	if (write) {
		if (mtu > PORT_MAX_MTU)
			return MLX5_CMD_STAT_BAD_PARAM_ERR;
		m->port_mtu = mtu;
	}
	MLX5_SET(pmtu_reg, out, local_port, 1);
	MLX5_SET(pmtu_reg, out, max_mtu, PORT_MAX_MTU);
	MLX5_SET(pmtu_reg, out, admin_mtu, m->port_mtu);
	MLX5_SET(pmtu_reg, out, oper_mtu, m->port_mtu);
	return MLX5_CMD_STAT_OK;
}

static u8 reg_pfcc(struct mlx5 *m, const void *in, void *out, bool write)
{
	if (write)
		memcpy(m->pfcc, in, sizeof(m->pfcc));
	memcpy(out, m->pfcc, sizeof(m->pfcc));
	return MLX5_CMD_STAT_OK;
}

static void put64(void *set, u32 byte, u64 val)
{
	put_be64((u8 *)set + byte, val);
}

#define CNT(grp, fld)	MLX5_BYTE_OFF(eth_##grp##_cntrs_grp_data_layout, fld##_high)

static u8 reg_ppcnt(struct mlx5 *m, const void *in, void *out, bool write)
{
	void *set = MLX5_ADDR_OF(ppcnt_reg, out, counter_set);
	const struct m5_traffic *rx = &m->rx, *tx = &m->tx;
	u8 grp = MLX5_GET(ppcnt_reg, in, grp);

	(void)write;
	MLX5_SET(ppcnt_reg, out, local_port, 1);
	MLX5_SET(ppcnt_reg, out, grp, grp);
	switch (grp) {
	case MLX5_IEEE_802_3_COUNTERS_GROUP:
		put64(set, CNT(802_3, a_frames_transmitted_ok), tx->frames);
		put64(set, CNT(802_3, a_frames_received_ok), rx->frames);
		put64(set, CNT(802_3, a_octets_transmitted_ok), tx->bytes);
		put64(set, CNT(802_3, a_octets_received_ok), rx->bytes);
		put64(set, CNT(802_3, a_multicast_frames_xmitted_ok),
		      tx->mcast_frames);
		put64(set, CNT(802_3, a_broadcast_frames_xmitted_ok),
		      tx->bcast_frames);
		put64(set, CNT(802_3, a_multicast_frames_received_ok),
		      rx->mcast_frames);
		put64(set, CNT(802_3, a_broadcast_frames_received_ok),
		      rx->bcast_frames);
		return MLX5_CMD_STAT_OK;
	case MLX5_RFC_2863_COUNTERS_GROUP:
		put64(set, CNT(2863, if_in_octets), rx->bytes);
		put64(set, CNT(2863, if_out_octets), tx->bytes);
		put64(set, CNT(2863, if_in_ucast_pkts),
		      rx->frames - rx->mcast_frames - rx->bcast_frames);
		put64(set, CNT(2863, if_out_ucast_pkts),
		      tx->frames - tx->mcast_frames - tx->bcast_frames);
		put64(set, CNT(2863, if_in_discards), rx->errors);
		return MLX5_CMD_STAT_OK;
	case MLX5_RFC_2819_COUNTERS_GROUP:
		put64(set, CNT(2819, ether_stats_octets), rx->bytes);
		put64(set, CNT(2819, ether_stats_pkts), rx->frames);
		return MLX5_CMD_STAT_OK;
	case MLX5_PER_PRIORITY_COUNTERS_GROUP:
	case MLX5_PER_TRAFFIC_CLASS_COUNTERS_GROUP:
	case MLX5_PHYSICAL_LAYER_COUNTERS_GROUP:
		/* Exist and count nothing: no pause frames, no line errors. */
		return MLX5_CMD_STAT_OK;
	}
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}

static u8 reg_mcia(struct mlx5 *m, const void *in, void *out, bool write)
{
	(void)m, (void)in, (void)write;
	MLX5_SET(mcia_reg, out, status, MCIA_STATUS_NO_MODULE);
	return MLX5_CMD_STAT_OK;
}

/* Which registers and features exist; only what the real-time clock needs. */
static u8 reg_mcam(struct mlx5 *m, const void *in, void *out, bool write)
{
	u8 group = MLX5_GET(mcam_reg, in, access_reg_group);

	(void)write;
	MLX5_SET(mcam_reg, out, access_reg_group, group);
	if (group == MLX5_MCAM_REGS_FIRST_128 && m->clock.real_time) {
		MLX5_SET(mcam_reg, out,
			 mng_access_reg_cap_mask.access_regs.mtutc, 1);
		MLX5_SET(mcam_reg, out,
			 mng_feature_cap_mask.enhanced_features.ptpcyc2realtime_modify,
			 1);
	}
	return MLX5_CMD_STAT_OK;
}

static const struct m5_reg regs[] = {
	{ M5_REG_HOST_ENDIANNESS, "HOST_ENDIANNESS", 16, true, reg_zero },
	{ M5_REG_PTYS, "PTYS", MLX5_ST_SZ_BYTES(ptys_reg), true, reg_ptys },
	{ M5_REG_PAOS, "PAOS", MLX5_ST_SZ_BYTES(paos_reg), true, reg_paos },
	{ M5_REG_PMTU, "PMTU", MLX5_ST_SZ_BYTES(pmtu_reg), true, reg_pmtu },
	{ M5_REG_PFCC, "PFCC", MLX5_ST_SZ_BYTES(pfcc_reg), true, reg_pfcc },
	{ M5_REG_PMLP, "PMLP", MLX5_ST_SZ_BYTES(pmlp_reg), false, reg_zero },
	{ M5_REG_PPCNT, "PPCNT", MLX5_ST_SZ_BYTES(ppcnt_reg), false, reg_ppcnt },
	{ M5_REG_MCIA, "MCIA", MLX5_ST_SZ_BYTES(mcia_reg), false, reg_mcia },
	{ M5_REG_MCAM, "MCAM", MLX5_ST_SZ_BYTES(mcam_reg), false, reg_mcam },
	{ M5_REG_MTUTC, "MTUTC", MLX5_ST_SZ_BYTES(mtutc_reg), true, m5_mtutc },
};

static u8 access_reg(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u16 id = MLX5_GET(access_register_in, in, register_id);
	bool write = MLX5_GET(access_register_in, in, op_mod) == M5_REG_OP_WRITE;
	u32 have = inlen - MLX5_ST_SZ_BYTES(access_register_in);
	u32 room = outlen - MLX5_ST_SZ_BYTES(access_register_out);
	u32 rin[MLX5_ST_SZ_DW(ppcnt_reg)] = { 0 };
	u32 rout[MLX5_ST_SZ_DW(ppcnt_reg)] = { 0 };

	(void)cmd;
	for (u32 i = 0; i < ARRAY_SIZE(regs); i++) {
		const struct m5_reg *r = &regs[i];
		u8 status;

		if (r->id != id)
			continue;
		if (write && !r->writable) {
			m5_log(m, "register %s is read-only", r->name);
			return MLX5_CMD_STAT_BAD_PARAM_ERR;
		}
		memcpy(rin, MLX5_ADDR_OF(access_register_in, in, register_data),
		       have < r->size ? have : r->size);
		status = r->fn(m, rin, rout, write);
		memcpy(MLX5_ADDR_OF(access_register_out, out, register_data),
		       rout, room < r->size ? room : r->size);
		return status;
	}
	m5_log(m, "register 0x%x is unknown (%s)", id, write ? "write" : "read");
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}

static const struct m5_cmd reg_cmds[] = {
	M5_CMD(ACCESS_REG, access_reg, 0, access_register_in,
	       access_register_out),
};

const struct m5_cmd_table m5_reg_cmds = { reg_cmds, ARRAY_SIZE(reg_cmds) };
