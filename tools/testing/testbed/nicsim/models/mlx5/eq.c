// SPDX-License-Identifier: GPL-2.0
/* Event queues: entries with an owner bit, arming, MSI-X vectors. */
#include <stdlib.h>

#include "mlx5.h"

#define EQE_SIZE	64
#define EQE_DATA_OFF	offsetof(struct mlx5_eqe, data)
#define EQE_OWNER_OFF	offsetof(struct mlx5_eqe, owner)

static void eq_fire(struct mlx5 *m, struct m5_eq *eq)
{
	if (!eq->armed || eq->pi == eq->ci)
		return;
	eq->armed = false;
	irq_raise(m->nic, eq->vector);
}

void m5_eq_event(struct mlx5 *m, struct m5_eq *eq, u8 type, u8 sub_type,
		 const void *data, u32 len)
{
	u32 size = 1u << eq->log_size;
	u64 at = (u64)(eq->pi & (size - 1)) * EQE_SIZE;
	u8 eqe[EQE_SIZE] = { 0 };

	if (((eq->pi - eq->ci) & 0xffffff) >= size) {
		m5_log(m, "EQ %u is full, event 0x%x is lost", eq->id, type);
		return;
	}
	eqe[offsetof(struct mlx5_eqe, type)] = type;
	eqe[offsetof(struct mlx5_eqe, sub_type)] = sub_type;
	if (len > sizeof(union ev_data))
		len = sizeof(union ev_data);
	memcpy(eqe + EQE_DATA_OFF, data, len);
	eqe[EQE_OWNER_OFF] = (eq->pi >> eq->log_size) & 1;
	/* The owner byte goes last, and after everything else is visible. */
	if (!m5_buf_write(m, &eq->buf, at, eqe, EQE_OWNER_OFF) ||
	    dma_write_u8(m->nic, m5_buf_addr(&eq->buf, at + EQE_OWNER_OFF),
			 eqe[EQE_OWNER_OFF]))
		return;
	eq->pi = (eq->pi + 1) & 0xffffff;
	eq_fire(m, eq);
}

/* To the queue that asked for this type of event, if any. */
void m5_async_event(struct mlx5 *m, u8 type, u8 sub_type, const void *data,
		    u32 len)
{
	for (u32 i = 0; i < M5_MAX_OBJ; i++) {
		struct m5_eq *eq = m->id[M5_EQ].obj[i];

		if (eq && (eq->mask & (1ULL << type)))
			m5_eq_event(m, eq, type, sub_type, data, len);
	}
}

void m5_eq_doorbell(struct mlx5 *m, u32 val, bool arm)
{
	struct m5_eq *eq = m5_id_find(m, M5_EQ, val >> 24);

	if (!eq) {
		m5_log(m, "doorbell of EQ %u, which does not exist", val >> 24);
		return;
	}
	eq->ci = val & 0xffffff;
	if (arm) {
		eq->armed = true;
		eq_fire(m, eq);
	}
}

void m5_eq_free(struct m5_eq *eq)
{
	m5_buf_free(&eq->buf);
	free(eq);
}

static u8 create_eq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	const void *eqc = MLX5_ADDR_OF(create_eq_in, in, eq_context_entry);
	u8 status = MLX5_CMD_STAT_BAD_PARAM_ERR;
	struct m5_eq *eq = calloc(1, sizeof(*eq));

	(void)cmd, (void)outlen;
	if (!eq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	eq->log_size = MLX5_GET(eqc, eqc, log_eq_size);
	eq->vector = MLX5_GET(eqc, eqc, intr);
	eq->mask = MLX5_GET64(create_eq_in, in, event_bitmask[0]);
	if (eq->log_size > 22 || eq->vector >= m->nic->pci.msix_vectors ||
	    m5_buf_init(&eq->buf, MLX5_ADDR_OF(create_eq_in, in, pas),
			inlen - MLX5_ST_SZ_BYTES(create_eq_in),
			(u64)EQE_SIZE << eq->log_size,
			MLX5_GET(eqc, eqc, log_page_size)))
		goto out_free;
	eq->id = m5_id_get(m, M5_EQ, eq);
	status = MLX5_CMD_STAT_LIM_ERR;
	if (!eq->id)
		goto out_free;
	if (eq->mask & (1ULL << MLX5_EVENT_TYPE_CMD))
		m->cmd_eqn = eq->id;
	MLX5_SET(create_eq_out, out, eq_number, eq->id);
	return MLX5_CMD_STAT_OK;

out_free:
	m5_eq_free(eq);
	return status;
}

static u8 destroy_eq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u32 eqn = MLX5_GET(destroy_eq_in, in, eq_number);
	struct m5_eq *eq = m5_id_find(m, M5_EQ, eqn);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!eq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (m->cmd_eqn == eqn)
		m->cmd_eqn = 0;
	m5_id_put(m, M5_EQ, eqn);
	m5_eq_free(eq);
	return MLX5_CMD_STAT_OK;
}

static u8 query_eq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		   u32 inlen, void *out, u32 outlen)
{
	struct m5_eq *eq = m5_id_find(m, M5_EQ,
				      MLX5_GET(query_eq_in, in, eq_number));
	void *eqc = MLX5_ADDR_OF(query_eq_out, out, eq_context_entry);

	(void)cmd, (void)inlen, (void)outlen;
	if (!eq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	MLX5_SET(eqc, eqc, log_eq_size, eq->log_size);
	MLX5_SET(eqc, eqc, intr, eq->vector);
	MLX5_SET(eqc, eqc, consumer_counter, eq->ci);
	MLX5_SET(eqc, eqc, producer_counter, eq->pi);
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd eq_cmds[] = {
	M5_CMD(CREATE_EQ, create_eq, 0, create_eq_in, create_eq_out),
	M5_CMD(DESTROY_EQ, destroy_eq, 0, destroy_eq_in, destroy_eq_out),
	M5_CMD(QUERY_EQ, query_eq, 0, query_eq_in, query_eq_out),
};

const struct m5_cmd_table m5_eq_cmds = { eq_cmds, ARRAY_SIZE(eq_cmds) };
