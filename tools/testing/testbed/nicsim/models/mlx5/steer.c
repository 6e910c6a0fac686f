// SPDX-License-Identifier: GPL-2.0
/*
 * Receive steering: flow tables, groups with a mask, entries with a value, and
 * the hash that spreads a TIR's flows over its RQ table. A frame is turned
 * into the match structure the rules are written in, so a rule is compared
 * without knowing its fields; what can't be filled in can't be matched and is
 * refused when a group asks for it.
 */
#include <stdlib.h>

#include "mlx5.h"

#define MATCH_DW	MLX5_ST_SZ_DW(fte_match_param)
#define OUTER_DW	MLX5_ST_SZ_DW(fte_match_set_lyr_2_4)
#define FT_NIC_RX	0
#define MISS_FORWARD	1
#define MODIFY_MISS	1
#define MAX_HOPS	64
#define ETH_P_8021AD_	0x88a8
#define IPPROTO_TCP_	6
#define IPPROTO_UDP_	17

struct fte {
	struct fte *next;	/* by rising index */
	u32 index;
	u32 group;
	u16 action;
	u8 dest_type;
	u32 dest;
	u32 value[OUTER_DW];
};

struct ft {
	u32 id;
	u8 level;
	u32 size;
	bool miss_forward;
	u32 miss;
	struct fte *entries;
	u32 ngroups;
};

struct fg {
	u32 id;
	u32 ft;
	u32 first, last;
	u32 mask[OUTER_DW];
};

void m5_ft_free(void *obj)
{
	struct ft *ft = obj;

	while (ft->entries) {
		struct fte *e = ft->entries;

		ft->entries = e->next;
		free(e);
	}
	free(ft);
}

void m5_fg_free(void *obj)
{
	free(obj);
}

/* The frame's outer headers as a rule would name them. */
static void match_fill(const struct rx_frame *f, const struct pkt *p, u32 *v)
{
	const u8 *d = f->data;

#define SET(fld, val)	MLX5_SET(fte_match_set_lyr_2_4, v, fld, val)
	memset(v, 0, OUTER_DW * 4);
	SET(dmac_47_16, get_be32(d));
	SET(dmac_15_0, get_be16(d + 4));
	SET(smac_47_16, get_be32(d + 6));
	SET(smac_15_0, get_be16(d + 10));
	SET(ethertype, p->ethertype);
	if (p->vlan_tags) {
		if (get_be16(d + 12) == ETH_P_8021AD_)
			SET(svlan_tag, 1);
		else
			SET(cvlan_tag, 1);
		SET(first_vid, p->vlan & 0xfff);
		SET(first_cfi, p->vlan >> 12 & 1);
		SET(first_prio, p->vlan >> 13);
	}
	SET(ip_version, p->ip);
	SET(frag, p->frag);
	if (p->ip) {
		u32 n = p->ip == 4 ? 4 : 16, at = p->ip == 4 ? 12 : 8;
		u8 *src = MLX5_ADDR_OF(fte_match_set_lyr_2_4, v,
				       src_ipv4_src_ipv6);
		u8 *dst = MLX5_ADDR_OF(fte_match_set_lyr_2_4, v,
				       dst_ipv4_dst_ipv6);

		SET(ip_protocol, p->proto);
		memcpy(src + 16 - n, d + p->l3 + at, n);
		memcpy(dst + 16 - n, d + p->l3 + at + n, n);
	}
	if (p->l4 && !p->frag && p->proto == IPPROTO_TCP_) {
		SET(tcp_sport, p->sport);
		SET(tcp_dport, p->dport);
	} else if (p->l4 && !p->frag && p->proto == IPPROTO_UDP_) {
		SET(udp_sport, p->sport);
		SET(udp_dport, p->dport);
	}
#undef SET
}

static const struct fte *ft_lookup(struct mlx5 *m, const struct ft *ft,
				   const u32 *v)
{
	for (const struct fte *e = ft->entries; e; e = e->next) {
		const struct fg *g = m5_id_find(m, M5_FG, e->group);
		u32 i;

		if (!g)
			continue;
		for (i = 0; i < OUTER_DW; i++)
			if ((v[i] ^ e->value[i]) & g->mask[i])
				break;
		if (i == OUTER_DW)
			return e;
	}
	return NULL;
}

static struct m5_tir *steer_tir(struct mlx5 *m, const u32 *v)
{
	u32 next = m->root_ft;

	for (int hops = 0; next && hops < MAX_HOPS; hops++) {
		const struct ft *ft = m5_id_find(m, M5_FT, next);
		const struct fte *e;

		if (!ft)
			return NULL;
		e = ft_lookup(m, ft, v);
		if (!e) {
			next = ft->miss_forward ? ft->miss : 0;
			continue;
		}
		if (!(e->action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST))
			return NULL;
		if (e->dest_type == MLX5_IFC_FLOW_DESTINATION_TYPE_TIR)
			return m5_id_find(m, M5_TIR, e->dest);
		next = e->dest;
	}
	return NULL;
}

/* XOR of the bytes that Toeplitz would hash, inverted. */
static u32 hash_xor8(const struct pkt *p, const u8 *d, bool ports)
{
	u32 n = p->ip == 4 ? 8 : 32, at = p->l3 + (p->ip == 4 ? 12 : 8);
	u8 x = 0;

	while (n--)
		x ^= d[at++];
	if (ports)
		x ^= p->sport ^ p->sport >> 8 ^ p->dport ^ p->dport >> 8;
	return (u8)~x;
}

static u32 tir_hash(const struct m5_tir *tir, const struct rx_frame *f,
		    const struct pkt *p, u8 *type)
{
	const void *sel = MLX5_ADDR_OF(tirc, tir->tirc,
				       rx_hash_field_selector_outer);
	u32 fields = MLX5_GET(rx_hash_field_select, sel, selected_fields);
	bool ports = (fields & MLX5_HASH_FIELD_SEL_L4_SPORT) && p->l4 && !p->frag;

	*type = 0;
	if (!p->ip || !(fields & (MLX5_HASH_FIELD_SEL_SRC_IP |
				  MLX5_HASH_FIELD_SEL_DST_IP)))
		return 0;
	*type = p->ip == 4 ? 1 << 2 : 2 << 2;
	if (ports)
		*type |= p->proto == IPPROTO_TCP_ ? 1 << 6 : 2 << 6;
	if (MLX5_GET(tirc, tir->tirc, rx_hash_fn) == MLX5_RX_HASH_FN_TOEPLITZ)
		return rss_toeplitz(MLX5_ADDR_OF(tirc, tir->tirc,
						 rx_hash_toeplitz_key),
				    MLX5_FLD_SZ_BYTES(tirc, rx_hash_toeplitz_key),
				    p, f->data, ports);
	return hash_xor8(p, f->data, ports);
}

struct m5_rq *m5_steer(struct mlx5 *m, const struct rx_frame *f,
		       const struct pkt *p, u32 *hash, u8 *hash_type)
{
	u32 v[OUTER_DW];
	struct m5_tir *tir;
	struct m5_rqt *rqt;

	*hash = 0;
	*hash_type = 0;
	match_fill(f, p, v);
	tir = steer_tir(m, v);
	if (!tir)
		return NULL;
	if (MLX5_GET(tirc, tir->tirc, disp_type) == MLX5_TIRC_DISP_TYPE_DIRECT)
		return m5_id_find(m, M5_RQ,
				  MLX5_GET(tirc, tir->tirc, inline_rqn));
	rqt = m5_id_find(m, M5_RQT, MLX5_GET(tirc, tir->tirc, indirect_table));
	if (!rqt)
		return NULL;
	*hash = tir_hash(tir, f, p, hash_type);
	return m5_id_find(m, M5_RQ, rqt->rqn[*hash % rqt->n]);
}

static u8 ft_set_miss(struct mlx5 *m, struct ft *ft, const void *ctx)
{
	u8 action = MLX5_GET(flow_table_context, ctx, table_miss_action);
	u32 next = MLX5_GET(flow_table_context, ctx, table_miss_id);

	if (action > MISS_FORWARD ||
	    (action == MISS_FORWARD && !m5_id_find(m, M5_FT, next)))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	ft->miss_forward = action == MISS_FORWARD;
	ft->miss = next;
	return MLX5_CMD_STAT_OK;
}

static u8 create_ft(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	const void *ctx = MLX5_ADDR_OF(create_flow_table_in, in,
				       flow_table_context);
	struct ft *ft;
	u8 status;

	(void)cmd, (void)inlen, (void)outlen;
	if (MLX5_GET(create_flow_table_in, in, table_type) != FT_NIC_RX ||
	    MLX5_GET(create_flow_table_in, in, op_mod))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	ft = calloc(1, sizeof(*ft));
	if (!ft)
		return MLX5_CMD_STAT_NO_RES_ERR;
	ft->level = MLX5_GET(flow_table_context, ctx, level);
	ft->size = 1u << (MLX5_GET(flow_table_context, ctx, log_size) & 31);
	status = ft_set_miss(m, ft, ctx);
	if (status)
		goto out_free;
	ft->id = m5_id_get(m, M5_FT, ft);
	status = MLX5_CMD_STAT_LIM_ERR;
	if (!ft->id)
		goto out_free;
	MLX5_SET(create_flow_table_out, out, table_id, ft->id);
	return MLX5_CMD_STAT_OK;

out_free:
	free(ft);
	return status;
}

static u8 modify_ft(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	struct ft *ft = m5_id_find(m, M5_FT,
				   MLX5_GET(modify_flow_table_in, in, table_id));

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (MLX5_GET(modify_flow_table_in, in, modify_field_select) != MODIFY_MISS)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	return ft_set_miss(m, ft, MLX5_ADDR_OF(modify_flow_table_in, in,
					       flow_table_context));
}

static u8 destroy_ft(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u32 id = MLX5_GET(destroy_flow_table_in, in, table_id);
	struct ft *ft = m5_id_find(m, M5_FT, id);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (ft->ngroups)
		return MLX5_CMD_STAT_RES_BUSY;
	if (m->root_ft == id)
		m->root_ft = 0;
	m5_id_put(m, M5_FT, id);
	m5_ft_free(ft);
	return MLX5_CMD_STAT_OK;
}

static u8 set_root(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		   u32 inlen, void *out, u32 outlen)
{
	u32 id = MLX5_GET(set_flow_table_root_in, in, table_id);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (MLX5_GET(set_flow_table_root_in, in, table_type) != FT_NIC_RX)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (MLX5_GET(set_flow_table_root_in, in, op_mod)) {
		m->root_ft = 0;
		return MLX5_CMD_STAT_OK;
	}
	if (!m5_id_find(m, M5_FT, id))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	m->root_ft = id;
	return MLX5_CMD_STAT_OK;
}

/* Fields that match_fill() gives a value to. */
static bool mask_known(const u32 *mask)
{
	u32 ok[OUTER_DW] = { 0 };

#define KNOWN(fld)	MLX5_SET_TO_ONES(fte_match_set_lyr_2_4, ok, fld)
	KNOWN(smac_47_16);
	KNOWN(smac_15_0);
	KNOWN(ethertype);
	KNOWN(dmac_47_16);
	KNOWN(dmac_15_0);
	KNOWN(first_prio);
	KNOWN(first_cfi);
	KNOWN(first_vid);
	KNOWN(ip_protocol);
	KNOWN(cvlan_tag);
	KNOWN(svlan_tag);
	KNOWN(frag);
	KNOWN(ip_version);
	KNOWN(tcp_sport);
	KNOWN(tcp_dport);
	KNOWN(udp_sport);
	KNOWN(udp_dport);
#undef KNOWN
	memset(MLX5_ADDR_OF(fte_match_set_lyr_2_4, ok, src_ipv4_src_ipv6), 0xff,
	       32);
	for (u32 i = 0; i < OUTER_DW; i++)
		if (mask[i] & ~ok[i])
			return false;
	return true;
}

static u8 create_fg(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	u32 table = MLX5_GET(create_flow_group_in, in, table_id);
	const u32 *mask = MLX5_ADDR_OF(create_flow_group_in, in, match_criteria);
	u8 enable = MLX5_GET(create_flow_group_in, in, match_criteria_enable);
	struct ft *ft = m5_id_find(m, M5_FT, table);
	struct fg *g;

	(void)cmd, (void)inlen, (void)outlen;
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	for (u32 i = OUTER_DW; i < MATCH_DW; i++)
		if (mask[i])
			enable |= 0x80;
	if ((enable & ~MLX5_MATCH_OUTER_HEADERS) || !mask_known(mask)) {
		m5_log(m, "flow group of table %u matches what the model doesn't parse",
		       table);
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	g = calloc(1, sizeof(*g));
	if (!g)
		return MLX5_CMD_STAT_NO_RES_ERR;
	g->ft = table;
	g->first = MLX5_GET(create_flow_group_in, in, start_flow_index);
	g->last = MLX5_GET(create_flow_group_in, in, end_flow_index);
	if (enable)
		memcpy(g->mask, mask, sizeof(g->mask));
	if (g->first > g->last || g->last >= ft->size) {
		free(g);
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	g->id = m5_id_get(m, M5_FG, g);
	if (!g->id) {
		free(g);
		return MLX5_CMD_STAT_LIM_ERR;
	}
	ft->ngroups++;
	MLX5_SET(create_flow_group_out, out, group_id, g->id);
	return MLX5_CMD_STAT_OK;
}

static u8 destroy_fg(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u32 id = MLX5_GET(destroy_flow_group_in, in, group_id);
	struct fg *g = m5_id_find(m, M5_FG, id);
	struct ft *ft;

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!g)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	ft = m5_id_find(m, M5_FT, g->ft);
	if (ft)
		ft->ngroups--;
	m5_id_put(m, M5_FG, id);
	free(g);
	return MLX5_CMD_STAT_OK;
}

static u8 set_fte(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		  u32 inlen, void *out, u32 outlen)
{
	const void *ctx = MLX5_ADDR_OF(set_fte_in, in, flow_context);
	struct ft *ft = m5_id_find(m, M5_FT, MLX5_GET(set_fte_in, in, table_id));
	struct fg *g = m5_id_find(m, M5_FG, MLX5_GET(flow_context, ctx, group_id));
	u32 index = MLX5_GET(set_fte_in, in, flow_index);
	u32 ndest = MLX5_GET(flow_context, ctx, destination_list_size);
	u16 action = MLX5_GET(flow_context, ctx, action);
	const void *dest = MLX5_ADDR_OF(flow_context, ctx, destination);
	struct fte *e, **at;
	u8 type = 0;
	u32 id = 0;

	(void)cmd, (void)out, (void)outlen;
	if (!ft || !g || g->ft != ft->id || index < g->first || index > g->last)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if ((action & ~(MLX5_FLOW_CONTEXT_ACTION_ALLOW |
			MLX5_FLOW_CONTEXT_ACTION_DROP |
			MLX5_FLOW_CONTEXT_ACTION_FWD_DEST)) || ndest > 1)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (action & MLX5_FLOW_CONTEXT_ACTION_FWD_DEST) {
		if (!ndest || inlen < MLX5_ST_SZ_BYTES(set_fte_in) +
				      MLX5_ST_SZ_BYTES(dest_format_struct))
			return MLX5_CMD_STAT_BAD_INP_LEN_ERR;
		type = MLX5_GET(dest_format_struct, dest, destination_type);
		id = MLX5_GET(dest_format_struct, dest, destination_id);
		if (!(type == MLX5_IFC_FLOW_DESTINATION_TYPE_TIR &&
		      m5_id_find(m, M5_TIR, id)) &&
		    !(type == MLX5_IFC_FLOW_DESTINATION_TYPE_FLOW_TABLE &&
		      m5_id_find(m, M5_FT, id)))
			return MLX5_CMD_STAT_BAD_RES_ERR;
	}
	for (at = &ft->entries; *at && (*at)->index < index; at = &(*at)->next)
		;
	e = *at;
	if (!e || e->index != index) {
		e = calloc(1, sizeof(*e));
		if (!e)
			return MLX5_CMD_STAT_NO_RES_ERR;
		e->index = index;
		e->next = *at;
		*at = e;
	}
	e->group = g->id;
	e->action = action;
	e->dest_type = type;
	e->dest = id;
	memcpy(e->value, MLX5_ADDR_OF(flow_context, ctx, match_value),
	       sizeof(e->value));
	return MLX5_CMD_STAT_OK;
}

static u8 delete_fte(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	struct ft *ft = m5_id_find(m, M5_FT, MLX5_GET(delete_fte_in, in, table_id));
	u32 index = MLX5_GET(delete_fte_in, in, flow_index);
	struct fte **at, *e;

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!ft)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	for (at = &ft->entries; *at && (*at)->index != index; at = &(*at)->next)
		;
	e = *at;
	if (!e)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	*at = e->next;
	free(e);
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd steer_cmds[] = {
	M5_CMD(CREATE_FLOW_TABLE, create_ft, 0, create_flow_table_in,
	       create_flow_table_out),
	M5_CMD(MODIFY_FLOW_TABLE, modify_ft, 0, modify_flow_table_in,
	       modify_flow_table_out),
	M5_CMD(DESTROY_FLOW_TABLE, destroy_ft, 0, destroy_flow_table_in,
	       destroy_flow_table_out),
	M5_CMD(SET_FLOW_TABLE_ROOT, set_root, 0, set_flow_table_root_in,
	       set_flow_table_root_out),
	M5_CMD(CREATE_FLOW_GROUP, create_fg, 0, create_flow_group_in,
	       create_flow_group_out),
	M5_CMD(DESTROY_FLOW_GROUP, destroy_fg, 0, destroy_flow_group_in,
	       destroy_flow_group_out),
	M5_CMD(SET_FLOW_TABLE_ENTRY, set_fte, 0, set_fte_in, set_fte_out),
	M5_CMD(DELETE_FLOW_TABLE_ENTRY, delete_fte, 0, delete_fte_in,
	       delete_fte_out),
};

const struct m5_cmd_table m5_steer_cmds = { steer_cmds, ARRAY_SIZE(steer_cmds) };
