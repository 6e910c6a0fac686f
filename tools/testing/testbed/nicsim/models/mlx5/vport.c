// SPDX-License-Identifier: GPL-2.0
/* The virtual port: state, MAC address and lists, counters. */
#include "mlx5.h"

#define PORT_UP		1

bool m5_vport_up(struct mlx5 *m)
{
	return m->port_admin == PORT_UP && wire_link(m->nic);
}

void m5_link_event(struct mlx5 *m)
{
	struct mlx5_eqe_port_state port = { .port = 1 << 4 };

	m5_async_event(m, MLX5_EVENT_TYPE_PORT_CHANGE,
		       m5_vport_up(m) ? MLX5_PORT_CHANGE_SUBTYPE_ACTIVE :
					MLX5_PORT_CHANGE_SUBTYPE_DOWN,
		       &port, sizeof(port));
}

void m5_vport_reset(struct mlx5 *m)
{
	const u8 *mac = m->nic->mac;

	memset(m->vport_ctx, 0, sizeof(m->vport_ctx));
	MLX5_SET(nic_vport_context, m->vport_ctx,
		 permanent_address.mac_addr_47_32, get_be16(mac));
	MLX5_SET(nic_vport_context, m->vport_ctx,
		 permanent_address.mac_addr_31_0, get_be32(mac + 2));
	MLX5_SET(nic_vport_context, m->vport_ctx, mtu, 1500);
	MLX5_SET64(nic_vport_context, m->vport_ctx, system_image_guid,
		   0x0002c90000000000ULL | m->nic->id);
	MLX5_SET64(nic_vport_context, m->vport_ctx, node_guid,
		   0x0002c90000000100ULL | m->nic->id);
	m->vport_admin = MLX5_VPORT_ADMIN_STATE_AUTO;
	m->port_admin = PORT_UP;
	m->port_mtu = 1522;
	memset(m->pfcc, 0, sizeof(m->pfcc));
	memset(&m->rx, 0, sizeof(m->rx));
	memset(&m->tx, 0, sizeof(m->tx));
}

void m5_count(struct m5_traffic *t, const u8 *frame, u32 len)
{
	static const u8 all[6] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

	t->frames++;
	t->bytes += len;
	if (!memcmp(frame, all, sizeof(all))) {
		t->bcast_frames++;
		t->bcast_bytes += len;
	} else if (frame[0] & 1) {
		t->mcast_frames++;
		t->mcast_bytes += len;
	}
}

static u8 query_vport_state(struct mlx5 *m, const struct m5_cmd *cmd,
			    const void *in, u32 inlen, void *out, u32 outlen)
{
	(void)cmd, (void)in, (void)inlen, (void)outlen;
	MLX5_SET(query_vport_state_out, out, admin_state, m->vport_admin);
	MLX5_SET(query_vport_state_out, out, state,
		 m5_vport_up(m) ? VPORT_STATE_UP : VPORT_STATE_DOWN);
	return MLX5_CMD_STAT_OK;
}

static u8 modify_vport_state(struct mlx5 *m, const struct m5_cmd *cmd,
			     const void *in, u32 inlen, void *out, u32 outlen)
{
	(void)cmd, (void)inlen, (void)out, (void)outlen;
	m->vport_admin = MLX5_GET(modify_vport_state_in, in, admin_state);
	return MLX5_CMD_STAT_OK;
}

static u8 query_nic_vport(struct mlx5 *m, const struct m5_cmd *cmd,
			  const void *in, u32 inlen, void *out, u32 outlen)
{
	(void)cmd, (void)in, (void)inlen, (void)outlen;
	memcpy(MLX5_ADDR_OF(query_nic_vport_context_out, out, nic_vport_context),
	       m->vport_ctx, sizeof(m->vport_ctx));
	return MLX5_CMD_STAT_OK;
}

/*
 * Receive filtering is done by the flow tables, so the address lists only
 * have to fit their message.
 */
static u8 modify_nic_vport(struct mlx5 *m, const struct m5_cmd *cmd,
			   const void *in, u32 inlen, void *out, u32 outlen)
{
	const void *ctx = MLX5_ADDR_OF(modify_nic_vport_context_in, in,
				       nic_vport_context);
	u32 n = MLX5_GET(nic_vport_context, ctx, allowed_list_size);

#define SELECTED(f)	MLX5_GET(modify_nic_vport_context_in, in, field_select.f)
#define TAKE(f)		MLX5_SET(nic_vport_context, m->vport_ctx, f,	\
				 MLX5_GET(nic_vport_context, ctx, f))
	(void)cmd, (void)out, (void)outlen;
	if (SELECTED(addresses_list)) {
		u32 have = inlen - MLX5_ST_SZ_BYTES(modify_nic_vport_context_in);

		if (n > have / MLX5_ST_SZ_BYTES(mac_address_layout))
			return MLX5_CMD_STAT_BAD_INP_LEN_ERR;
	}
	if (SELECTED(promisc)) {
		TAKE(promisc_uc);
		TAKE(promisc_mc);
		TAKE(promisc_all);
	}
	if (SELECTED(mtu))
		TAKE(mtu);
	if (SELECTED(permanent_address)) {
		TAKE(permanent_address.mac_addr_47_32);
		TAKE(permanent_address.mac_addr_31_0);
	}
	if (SELECTED(change_event))
		TAKE(arm_change_event);
	if (SELECTED(disable_uc_local_lb))
		TAKE(disable_uc_local_lb);
	if (SELECTED(disable_mc_local_lb))
		TAKE(disable_mc_local_lb);
	return MLX5_CMD_STAT_OK;
#undef SELECTED
#undef TAKE
}

static void put_traffic(void *out, u32 off, u64 frames, u64 bytes)
{
	put_be64((u8 *)out + off, frames);
	put_be64((u8 *)out + off + 8, bytes);
}

static u8 query_vport_counter(struct mlx5 *m, const struct m5_cmd *cmd,
			      const void *in, u32 inlen, void *out, u32 outlen)
{
	const struct m5_traffic *rx = &m->rx, *tx = &m->tx;

#define OFF(f)	MLX5_BYTE_OFF(query_vport_counter_out, f)
	(void)cmd, (void)in, (void)inlen, (void)outlen;
	put_traffic(out, OFF(received_eth_unicast),
		    rx->frames - rx->mcast_frames - rx->bcast_frames,
		    rx->bytes - rx->mcast_bytes - rx->bcast_bytes);
	put_traffic(out, OFF(received_eth_multicast), rx->mcast_frames,
		    rx->mcast_bytes);
	put_traffic(out, OFF(received_eth_broadcast), rx->bcast_frames,
		    rx->bcast_bytes);
	put_traffic(out, OFF(transmitted_eth_unicast),
		    tx->frames - tx->mcast_frames - tx->bcast_frames,
		    tx->bytes - tx->mcast_bytes - tx->bcast_bytes);
	put_traffic(out, OFF(transmitted_eth_multicast), tx->mcast_frames,
		    tx->mcast_bytes);
	put_traffic(out, OFF(transmitted_eth_broadcast), tx->bcast_frames,
		    tx->bcast_bytes);
	return MLX5_CMD_STAT_OK;
#undef OFF
}

static const struct m5_cmd vport_cmds[] = {
	M5_CMD(QUERY_VPORT_STATE, query_vport_state, 0, query_vport_state_in,
	       query_vport_state_out),
	M5_CMD(MODIFY_VPORT_STATE, modify_vport_state, 0, modify_vport_state_in,
	       modify_vport_state_out),
	M5_CMD(QUERY_NIC_VPORT_CONTEXT, query_nic_vport, 0,
	       query_nic_vport_context_in, query_nic_vport_context_out),
	M5_CMD(MODIFY_NIC_VPORT_CONTEXT, modify_nic_vport, 0,
	       modify_nic_vport_context_in, modify_nic_vport_context_out),
	M5_CMD(QUERY_VPORT_COUNTER, query_vport_counter, 0,
	       query_vport_counter_in, query_vport_counter_out),
};

const struct m5_cmd_table m5_vport_cmds = { vport_cmds, ARRAY_SIZE(vport_cmds) };
