// SPDX-License-Identifier: GPL-2.0
/* Completion queues: entries with an owner bit, arming, overrun. */
#include <stdlib.h>

#include "mlx5.h"

/* Syndrome of a CQ error event: the queue overran. */
#define CQ_ERR_OVERRUN		1
#define CQ_ARM_SOLICITED	(1u << 24)

static void cq_event(struct mlx5 *m, struct m5_cq *cq)
{
	struct mlx5_eqe_comp comp = { .cqn = htobe32(cq->id) };
	struct m5_eq *eq = m5_id_find(m, M5_EQ, cq->eqn);

	cq->armed = false;
	if (eq)
		m5_eq_event(m, eq, MLX5_EVENT_TYPE_COMP, 0, &comp, sizeof(comp));
}

static void cq_overrun(struct mlx5 *m, struct m5_cq *cq)
{
	struct mlx5_eqe_cq_err err = {
		.cqn = htobe32(cq->id),
		.syndrome = CQ_ERR_OVERRUN,
	};

	cq->error = true;
	m5_log(m, "CQ 0x%x overran", cq->id);
	m5_async_event(m, MLX5_EVENT_TYPE_CQ_ERROR, 0, &err, sizeof(err));
}

void m5_cq_push(struct mlx5 *m, u32 cqn, struct mlx5_cqe64 *cqe)
{
	struct m5_cq *cq = m5_id_find(m, M5_CQ, cqn);
	u32 size, ci;
	u64 at;

	if (!cq || cq->error)
		return;
	size = 1u << cq->log_size;
	/* The driver's consumer index, in its doorbell record. */
	if (dma_read_be32(m->nic, cq->dbr, &ci))
		return;
	if (((cq->pi - ci) & 0xffffff) >= size) {
		cq_overrun(m, cq);
		return;
	}
	at = ((u64)(cq->pi & (size - 1)) << cq->log_stride) +
	     (1u << cq->log_stride) - sizeof(*cqe);
	cqe->op_own = (cqe->op_own & ~1) | ((cq->pi >> cq->log_size) & 1);
	if (!m5_buf_write(m, &cq->buf, at, cqe, sizeof(*cqe) - 1) ||
	    dma_write_u8(m->nic, m5_buf_addr(&cq->buf, at + sizeof(*cqe) - 1),
			 cqe->op_own))
		return;
	cq->pi = (cq->pi + 1) & 0xffffff;
	if (cq->armed)
		cq_event(m, cq);
}

void m5_cq_doorbell(struct mlx5 *m, u32 cmd_ci, u32 cqn)
{
	struct m5_cq *cq = m5_id_find(m, M5_CQ, cqn & 0xffffff);

	if (!cq) {
		m5_log(m, "doorbell of CQ 0x%x, which does not exist", cqn);
		return;
	}
	if (cmd_ci & CQ_ARM_SOLICITED) {
		m5_log(m, "CQ 0x%x: arming for solicited events only", cq->id);
		return;
	}
	cq->armed = true;
	/* Completions behind the consumer that no event told of. */
	if (((cq->pi - cmd_ci) & 0xffffff) != 0)
		cq_event(m, cq);
}

void m5_cq_free(struct m5_cq *cq)
{
	m5_buf_free(&cq->buf);
	free(cq);
}

static u8 create_cq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	const void *cqc = MLX5_ADDR_OF(create_cq_in, in, cq_context);
	u8 status = MLX5_CMD_STAT_BAD_PARAM_ERR;
	struct m5_cq *cq = calloc(1, sizeof(*cq));

	(void)cmd, (void)outlen;
	if (!cq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	cq->log_size = MLX5_GET(cqc, cqc, log_cq_size);
	cq->log_stride = MLX5_GET(cqc, cqc, cqe_sz) ? 7 : 6;
	cq->eqn = MLX5_GET(cqc, cqc, c_eqn_or_apu_element);
	cq->dbr = MLX5_GET64(cqc, cqc, dbr_addr);
	if (cq->log_size > 22 || MLX5_GET(cqc, cqc, cqe_comp_en) ||
	    m5_buf_init(&cq->buf, MLX5_ADDR_OF(create_cq_in, in, pas),
			inlen - MLX5_ST_SZ_BYTES(create_cq_in),
			1ULL << (cq->log_size + cq->log_stride),
			MLX5_GET(cqc, cqc, log_page_size)))
		goto out_free;
	status = MLX5_CMD_STAT_BAD_RES_ERR;
	if (!m5_id_find(m, M5_EQ, cq->eqn))
		goto out_free;
	cq->id = m5_id_get(m, M5_CQ, cq);
	status = MLX5_CMD_STAT_LIM_ERR;
	if (!cq->id)
		goto out_free;
	MLX5_SET(create_cq_out, out, cqn, cq->id);
	return MLX5_CMD_STAT_OK;

out_free:
	m5_cq_free(cq);
	return status;
}

static u8 destroy_cq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u32 cqn = MLX5_GET(destroy_cq_in, in, cqn);
	struct m5_cq *cq = m5_id_find(m, M5_CQ, cqn);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!cq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	m5_id_put(m, M5_CQ, cqn);
	m5_cq_free(cq);
	return MLX5_CMD_STAT_OK;
}

/* Moderation is accepted and has no effect: events are sent at once. */
static u8 modify_cq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	u32 what = MLX5_GET(modify_cq_in, in,
			    modify_field_select_resize_field_select.modify_field_select.modify_field_select);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!m5_id_find(m, M5_CQ, MLX5_GET(modify_cq_in, in, cqn)))
		return MLX5_CMD_STAT_BAD_RES_ERR;
	/* Bit 0: period, bit 1: count, bit 4: period mode. */
	if (MLX5_GET(modify_cq_in, in, op_mod) || (what & ~0x13u))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	return MLX5_CMD_STAT_OK;
}

static u8 query_cq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		   u32 inlen, void *out, u32 outlen)
{
	struct m5_cq *cq = m5_id_find(m, M5_CQ,
				      MLX5_GET(query_cq_in, in, cqn));
	void *cqc = MLX5_ADDR_OF(query_cq_out, out, cq_context);

	(void)cmd, (void)inlen, (void)outlen;
	if (!cq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	MLX5_SET(cqc, cqc, st, cq->armed ? MLX5_CQ_STATE_ARMED :
					   MLX5_CQ_STATE_FIRED);
	MLX5_SET(cqc, cqc, log_cq_size, cq->log_size);
	MLX5_SET(cqc, cqc, producer_counter, cq->pi);
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd cq_cmds[] = {
	M5_CMD(CREATE_CQ, create_cq, 0, create_cq_in, create_cq_out),
	M5_CMD(DESTROY_CQ, destroy_cq, 0, destroy_cq_in, destroy_cq_out),
	M5_CMD(MODIFY_CQ, modify_cq, 0, modify_cq_in, modify_cq_out),
	M5_CMD(QUERY_CQ, query_cq, 0, query_cq_in, query_cq_out),
};

const struct m5_cmd_table m5_cq_cmds = { cq_cmds, ARRAY_SIZE(cq_cmds) };
