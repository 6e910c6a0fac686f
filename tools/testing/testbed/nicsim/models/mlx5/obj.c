// SPDX-License-Identifier: GPL-2.0
/* Object numbers, queue memory, and the objects that are only a number. */
#include <stdlib.h>

#include "mlx5.h"

/*
 * The first number of each type. A UAR's number is its page in BAR 0: the
 * initialisation segment has the first sixteen.
 */
static const u32 first_id[M5_NTYPES] = {
	[M5_UAR] = 16, [M5_PD] = 1, [M5_TD] = 1, [M5_MKEY] = 8, [M5_TIS] = 1,
	[M5_QCOUNTER] = 1, [M5_EQ] = 4, [M5_CQ] = 0x40, [M5_SQ] = 0x80,
	[M5_RQ] = 0x100, [M5_RQT] = 1, [M5_TIR] = 1, [M5_FT] = 1, [M5_FG] = 1,
};

/*
 * The last number of a type. EQ and counter numbers have eight bits, UARs end
 * with BAR 0, and an SQ's number is its transmit queue in nicsim.
 */
static u32 last_id(enum m5_type type)
{
	switch (type) {
	case M5_EQ:
	case M5_QCOUNTER:
	case M5_UAR:
		return 255;
	case M5_SQ:
		return TX_QUEUES - 1;
	default:
		return M5_MAX_OBJ - 1;
	}
}

u32 m5_id_get(struct mlx5 *m, enum m5_type type, void *obj)
{
	struct m5_idtab *t = &m->id[type];
	u32 first = first_id[type], n = last_id(type) - first + 1;

	/* Numbers are not reused at once: a stale one is then noticed. */
	for (u32 i = 0; i < n; i++) {
		u32 id = first + (t->next + i) % n;

		if (t->obj[id])
			continue;
		t->obj[id] = obj;
		t->next = id + 1 - first;
		return id;
	}
	m5_log(m, "no number left for an object of type %u", type);
	return 0;
}

void *m5_id_find(struct mlx5 *m, enum m5_type type, u32 id)
{
	return id < M5_MAX_OBJ ? m->id[type].obj[id] : NULL;
}

void m5_id_put(struct mlx5 *m, enum m5_type type, u32 id)
{
	if (id < M5_MAX_OBJ)
		m->id[type].obj[id] = NULL;
}

static void obj_free(struct mlx5 *m, enum m5_type type, void *obj)
{
	switch (type) {
	case M5_EQ:
		m5_eq_free(obj);
		break;
	case M5_CQ:
		m5_cq_free(obj);
		break;
	case M5_SQ:
		m5_sq_free(m, obj);
		break;
	case M5_RQ:
		m5_rq_free(obj);
		break;
	case M5_RQT:
		free(((struct m5_rqt *)obj)->rqn);
		free(obj);
		break;
	case M5_FT:
		m5_ft_free(obj);
		break;
	case M5_FG:
		m5_fg_free(obj);
		break;
	default:
		free(obj);
	}
}

void m5_objects_free(struct mlx5 *m)
{
	for (int t = 0; t < M5_NTYPES; t++) {
		for (u32 i = 0; i < M5_MAX_OBJ; i++)
			if (m->id[t].obj[i])
				obj_free(m, t, m->id[t].obj[i]);
		memset(&m->id[t], 0, sizeof(m->id[t]));
	}
	m->cmd_eqn = 0;
	m->root_ft = 0;
}

int m5_buf_init(struct m5_buf *b, const void *pas, u32 bytes, u64 size,
		u8 log_page)
{
	const __be64 *p = pas;
	u64 n;

	if (log_page > 31 - MLX5_ADAPTER_PAGE_SHIFT)
		return -1;
	b->shift = log_page + MLX5_ADAPTER_PAGE_SHIFT;
	n = (size + (1ULL << b->shift) - 1) >> b->shift;
	if (!n || n > bytes / 8)
		return -1;
	b->pas = calloc(n, sizeof(*b->pas));
	if (!b->pas)
		return -1;
	b->npas = n;
	for (u32 i = 0; i < n; i++)
		b->pas[i] = be64toh(p[i]) & ~3ULL;
	return 0;
}

void m5_buf_free(struct m5_buf *b)
{
	free(b->pas);
	b->pas = NULL;
	b->npas = 0;
}

u64 m5_buf_addr(const struct m5_buf *b, u64 off)
{
	return b->pas[off >> b->shift] + (off & ((1ULL << b->shift) - 1));
}

static bool buf_copy(struct mlx5 *m, const struct m5_buf *b, u64 off, void *p,
		     u32 len, bool write)
{
	u8 *at = p;

	while (len) {
		u64 page = off >> b->shift;
		u64 in = off & ((1ULL << b->shift) - 1);
		u32 n = len;

		if (page >= b->npas)
			return false;
		if (n > (1ULL << b->shift) - in)
			n = (1ULL << b->shift) - in;
		if (!(write ? m5_dma_write(m, b->pas[page] + in, at, n) :
			      m5_dma_read(m, b->pas[page] + in, at, n)))
			return false;
		at += n;
		off += n;
		len -= n;
	}
	return true;
}

bool m5_buf_read(struct mlx5 *m, const struct m5_buf *b, u64 off, void *dst,
		 u32 len)
{
	return buf_copy(m, b, off, dst, len, false);
}

bool m5_buf_write(struct mlx5 *m, const struct m5_buf *b, u64 off,
		  const void *src, u32 len)
{
	return buf_copy(m, b, off, (void *)src, len, true);
}

/*
 * Creation answers with the number in the third dword's low 24 bits, and
 * destruction names it there, for all types of this table.
 */
static u8 obj_alloc(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	struct m5_qcounter *o = calloc(1, sizeof(*o));

	(void)in, (void)inlen, (void)outlen;
	if (!o)
		return MLX5_CMD_STAT_NO_RES_ERR;
	o->id = m5_id_get(m, cmd->arg, o);
	if (!o->id) {
		free(o);
		return MLX5_CMD_STAT_LIM_ERR;
	}
	((u32 *)out)[2] = htobe32(o->id);
	return MLX5_CMD_STAT_OK;
}

static u8 obj_dealloc(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		      u32 inlen, void *out, u32 outlen)
{
	u32 id = be32toh(((const u32 *)in)[2]) & 0xffffff;
	void *o = m5_id_find(m, cmd->arg, id);

	(void)inlen, (void)out, (void)outlen;
	if (!o) {
		m5_log(m, "%s: no such number 0x%x", cmd->name, id);
		return MLX5_CMD_STAT_BAD_RES_ERR;
	}
	m5_id_put(m, cmd->arg, id);
	obj_free(m, cmd->arg, o);
	return MLX5_CMD_STAT_OK;
}

static u8 query_q_counter(struct mlx5 *m, const struct m5_cmd *cmd,
			  const void *in, u32 inlen, void *out, u32 outlen)
{
	struct m5_qcounter *q;

	(void)cmd, (void)inlen, (void)outlen;
	q = m5_id_find(m, M5_QCOUNTER,
		       MLX5_GET(query_q_counter_in, in, counter_set_id));
	if (!q)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	MLX5_SET(query_q_counter_out, out, out_of_buffer, q->out_of_buffer);
	if (MLX5_GET(query_q_counter_in, in, clear))
		q->out_of_buffer = 0;
	return MLX5_CMD_STAT_OK;
}

static u8 rqt_fill(struct mlx5 *m, struct m5_rqt *rqt, const void *ctx, u32 room)
{
	u32 n = MLX5_GET(rqtc, ctx, rqt_actual_size);

	if (!n || n > rqt->max || n > room / 4)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	for (u32 i = 0; i < n; i++) {
		u32 rqn = MLX5_GET(rqtc, ctx, rq_num[i]) & 0xffffff;

		if (!m5_id_find(m, M5_RQ, rqn)) {
			m5_log(m, "RQT %u: no RQ 0x%x", rqt->id, rqn);
			return MLX5_CMD_STAT_BAD_RES_ERR;
		}
		rqt->rqn[i] = rqn;
	}
	rqt->n = n;
	return MLX5_CMD_STAT_OK;
}

static u8 create_rqt(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	const void *ctx = MLX5_ADDR_OF(create_rqt_in, in, rqt_context);
	struct m5_rqt *rqt = calloc(1, sizeof(*rqt));
	u8 status = MLX5_CMD_STAT_NO_RES_ERR;

	(void)cmd, (void)outlen;
	if (!rqt)
		return status;
	rqt->max = MLX5_GET(rqtc, ctx, rqt_max_size);
	rqt->rqn = calloc(rqt->max + 1, sizeof(*rqt->rqn));
	if (!rqt->rqn)
		goto out_free;
	status = rqt_fill(m, rqt, ctx, inlen - MLX5_ST_SZ_BYTES(create_rqt_in));
	if (status)
		goto out_free;
	rqt->id = m5_id_get(m, M5_RQT, rqt);
	status = MLX5_CMD_STAT_LIM_ERR;
	if (!rqt->id)
		goto out_free;
	MLX5_SET(create_rqt_out, out, rqtn, rqt->id);
	return MLX5_CMD_STAT_OK;

out_free:
	free(rqt->rqn);
	free(rqt);
	return status;
}

static u8 modify_rqt(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	struct m5_rqt *rqt = m5_id_find(m, M5_RQT,
					MLX5_GET(modify_rqt_in, in, rqtn));

	(void)cmd, (void)out, (void)outlen;
	if (!rqt)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	return rqt_fill(m, rqt, MLX5_ADDR_OF(modify_rqt_in, in, ctx),
			inlen - MLX5_ST_SZ_BYTES(modify_rqt_in));
}

static u8 create_tir(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	struct m5_tir *tir = calloc(1, sizeof(*tir));

	(void)cmd, (void)inlen, (void)outlen;
	if (!tir)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(tir->tirc, MLX5_ADDR_OF(create_tir_in, in, ctx), sizeof(tir->tirc));
	tir->id = m5_id_get(m, M5_TIR, tir);
	if (!tir->id) {
		free(tir);
		return MLX5_CMD_STAT_LIM_ERR;
	}
	MLX5_SET(create_tir_out, out, tirn, tir->id);
	return MLX5_CMD_STAT_OK;
}

static u8 modify_tir(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	struct m5_tir *tir = m5_id_find(m, M5_TIR,
					MLX5_GET(modify_tir_in, in, tirn));
	const void *ctx = MLX5_ADDR_OF(modify_tir_in, in, ctx);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!tir)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (MLX5_GET(modify_tir_in, in, bitmask.packet_merge))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (MLX5_GET(modify_tir_in, in, bitmask.hash)) {
		MLX5_SET(tirc, tir->tirc, rx_hash_fn,
			 MLX5_GET(tirc, ctx, rx_hash_fn));
		MLX5_SET(tirc, tir->tirc, rx_hash_symmetric,
			 MLX5_GET(tirc, ctx, rx_hash_symmetric));
		memcpy(MLX5_ADDR_OF(tirc, tir->tirc, rx_hash_toeplitz_key),
		       MLX5_ADDR_OF(tirc, ctx, rx_hash_toeplitz_key),
		       MLX5_FLD_SZ_BYTES(tirc, rx_hash_toeplitz_key));
		memcpy(MLX5_ADDR_OF(tirc, tir->tirc, rx_hash_field_selector_outer),
		       MLX5_ADDR_OF(tirc, ctx, rx_hash_field_selector_outer), 4);
	}
	if (MLX5_GET(modify_tir_in, in, bitmask.self_lb_en))
		MLX5_SET(tirc, tir->tirc, self_lb_block,
			 MLX5_GET(tirc, ctx, self_lb_block));
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd obj[] = {
	M5_CMD(ALLOC_UAR, obj_alloc, M5_UAR, alloc_uar_in, alloc_uar_out),
	M5_CMD(DEALLOC_UAR, obj_dealloc, M5_UAR, dealloc_uar_in, dealloc_uar_out),
	M5_CMD(ALLOC_PD, obj_alloc, M5_PD, alloc_pd_in, alloc_pd_out),
	M5_CMD(DEALLOC_PD, obj_dealloc, M5_PD, dealloc_pd_in, dealloc_pd_out),
	M5_CMD(ALLOC_TRANSPORT_DOMAIN, obj_alloc, M5_TD,
	       alloc_transport_domain_in, alloc_transport_domain_out),
	M5_CMD(DEALLOC_TRANSPORT_DOMAIN, obj_dealloc, M5_TD,
	       dealloc_transport_domain_in, dealloc_transport_domain_out),
	M5_CMD(CREATE_MKEY, obj_alloc, M5_MKEY, create_mkey_in, create_mkey_out),
	M5_CMD(DESTROY_MKEY, obj_dealloc, M5_MKEY, destroy_mkey_in,
	       destroy_mkey_out),
	M5_CMD(CREATE_TIS, obj_alloc, M5_TIS, create_tis_in, create_tis_out),
	M5_CMD(DESTROY_TIS, obj_dealloc, M5_TIS, destroy_tis_in, destroy_tis_out),
	M5_CMD(ALLOC_Q_COUNTER, obj_alloc, M5_QCOUNTER, alloc_q_counter_in,
	       alloc_q_counter_out),
	M5_CMD(DEALLOC_Q_COUNTER, obj_dealloc, M5_QCOUNTER, dealloc_q_counter_in,
	       dealloc_q_counter_out),
	M5_CMD(QUERY_Q_COUNTER, query_q_counter, 0, query_q_counter_in,
	       query_q_counter_out),
	M5_CMD(CREATE_RQT, create_rqt, 0, create_rqt_in, create_rqt_out),
	M5_CMD(MODIFY_RQT, modify_rqt, 0, modify_rqt_in, modify_rqt_out),
	M5_CMD(DESTROY_RQT, obj_dealloc, M5_RQT, destroy_rqt_in, destroy_rqt_out),
	M5_CMD(CREATE_TIR, create_tir, 0, create_tir_in, create_tir_out),
	M5_CMD(MODIFY_TIR, modify_tir, 0, modify_tir_in, modify_tir_out),
	M5_CMD(DESTROY_TIR, obj_dealloc, M5_TIR, destroy_tir_in, destroy_tir_out),
};

const struct m5_cmd_table m5_obj_cmds = { obj, ARRAY_SIZE(obj) };
