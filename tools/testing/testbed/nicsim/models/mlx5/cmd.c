// SPDX-License-Identifier: GPL-2.0
/* The command queue: mailboxes in and out, dispatch, start-up commands. */
#include <stdlib.h>

#include "mlx5.h"

#define CMD_LOG_STRIDE		6
#define CMD_LOG_SIZE		5
#define CMD_STATUS_HW		1
#define CMD_MIN_LEN		8	/* status or opcode, and one more word */

/* Delivery status, in status_own's upper seven bits. */
enum {
	DELIV_OK		= 0x0,
	DELIV_IN_PTR		= 0x5,
	DELIV_OUT_PTR		= 0x4,
	DELIV_IN_LEN		= 0x7,
	DELIV_OUT_LEN		= 0x8,
	DELIV_DESCR		= 0x10,
};

static const struct m5_cmd_table *const tables[] = {
	&m5_boot_cmds, &m5_obj_cmds, &m5_eq_cmds, &m5_cq_cmds, &m5_sq_cmds,
	&m5_rq_cmds, &m5_steer_cmds, &m5_vport_cmds, &m5_reg_cmds,
};

static const struct m5_cmd *cmd_find(u16 op)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(tables); t++)
		for (unsigned int i = 0; i < tables[t]->n; i++)
			if (tables[t]->cmds[i].op == op)
				return &tables[t]->cmds[i];
	return NULL;
}

/*
 * The first 16 bytes of a message sit in the command entry, the rest in a
 * chain of 512-byte blocks.
 */
static bool mbox_read(struct mlx5 *m, u64 ptr, u8 *dst, u32 len)
{
	while (len) {
		u32 n = len < MLX5_CMD_DATA_BLOCK_SIZE ? len :
							 MLX5_CMD_DATA_BLOCK_SIZE;
		__be64 next;

		if (!ptr || !m5_dma_read(m, ptr, dst, n) ||
		    !m5_dma_read(m, ptr + offsetof(struct mlx5_cmd_prot_block,
						   next), &next, sizeof(next)))
			return false;
		dst += n;
		len -= n;
		ptr = be64toh(next);
	}
	return true;
}

static bool mbox_write(struct mlx5 *m, u64 ptr, const u8 *src, u32 len)
{
	while (len) {
		u32 n = len < MLX5_CMD_DATA_BLOCK_SIZE ? len :
							 MLX5_CMD_DATA_BLOCK_SIZE;
		__be64 next;

		if (!ptr || !m5_dma_write(m, ptr, src, n) ||
		    !m5_dma_read(m, ptr + offsetof(struct mlx5_cmd_prot_block,
						   next), &next, sizeof(next)))
			return false;
		src += n;
		len -= n;
		ptr = be64toh(next);
	}
	return true;
}

static u8 cmd_run(struct mlx5 *m, u32 inlen, u32 outlen)
{
	u16 op = be32toh(m->cmd_in[0]) >> 16;
	const struct m5_cmd *cmd = cmd_find(op);
	u64 fail;
	u8 status;

	if (op < M5_OPS)
		m->op_count[op]++;
	if (!cmd) {
		m5_log(m, "command 0x%x is unknown, refused with BAD_OP", op);
		return MLX5_CMD_STAT_BAD_OP_ERR;
	}
	if (fault_take_cmd(m->nic, op, &fail))
		return fail ? fail : MLX5_CMD_STAT_INT_ERR;
	if (inlen < cmd->in_min) {
		m5_log(m, "%s: %u bytes of input, needs %u", cmd->name, inlen,
		       cmd->in_min);
		return MLX5_CMD_STAT_BAD_INP_LEN_ERR;
	}
	if (outlen < cmd->out_min) {
		m5_log(m, "%s: room for %u bytes of output, needs %u", cmd->name,
		       outlen, cmd->out_min);
		return MLX5_CMD_STAT_BAD_OUTP_LEN_ERR;
	}
	status = cmd->fn(m, cmd, m->cmd_in, inlen, m->cmd_out, outlen);
	if (status)
		m5_log(m, "%s (op_mod 0x%x) refused with status 0x%x", cmd->name,
		       be32toh(m->cmd_in[1]) & 0xffff, status);
	return status;
}

static u8 cmd_entry(struct mlx5 *m, struct mlx5_cmd_layout *lay)
{
	u32 inlen = be32toh(lay->inlen), outlen = be32toh(lay->outlen);
	u8 status;

	if (lay->type != MLX5_PCI_CMD_XPORT)
		return DELIV_DESCR;
	if (inlen < CMD_MIN_LEN || inlen > M5_CMD_MAX_IN)
		return DELIV_IN_LEN;
	if (outlen < CMD_MIN_LEN || outlen > M5_CMD_MAX_OUT)
		return DELIV_OUT_LEN;

	memcpy(m->cmd_in, lay->in, sizeof(lay->in));
	if (inlen > sizeof(lay->in) &&
	    !mbox_read(m, be64toh(lay->in_ptr), (u8 *)m->cmd_in + sizeof(lay->in),
		       inlen - sizeof(lay->in)))
		return DELIV_IN_PTR;

	/* What is in the entry may be longer than the message. */
	memset(m->cmd_out, 0, outlen > sizeof(lay->out) ? outlen :
							  sizeof(lay->out));
	status = cmd_run(m, inlen, outlen);
	m->cmd_count++;
	if (status) {
		memset(m->cmd_out, 0, outlen);
		m->cmd_out[0] = htobe32((u32)status << 24);
	}
	memcpy(lay->out, m->cmd_out, sizeof(lay->out));
	if (outlen > sizeof(lay->out) &&
	    !mbox_write(m, be64toh(lay->out_ptr),
			(u8 *)m->cmd_out + sizeof(lay->out),
			outlen - sizeof(lay->out)))
		return DELIV_OUT_PTR;
	return DELIV_OK;
}

void m5_cmd_doorbell(struct mlx5 *m, u32 bits)
{
	/*
	 * Commands complete into the event queue that was there when they
	 * started: the one that creates it is polled for.
	 */
	u32 eqn = m->cmd_eqn;
	u32 done = 0;

	if (!m->cmdq_valid) {
		m5_log(m, "command doorbell 0x%x before the queue's address", bits);
		return;
	}
	for (unsigned int i = 0; i < 1u << CMD_LOG_SIZE; i++) {
		u64 at = m->cmdq + ((u64)i << CMD_LOG_STRIDE);
		struct mlx5_cmd_layout lay;

		if (!(bits & (1u << i)))
			continue;
		if (!m5_dma_read(m, at, &lay, sizeof(lay))) {
			m5_log(m, "command entry %u is not readable", i);
			continue;
		}
		if (!(lay.status_own & CMD_STATUS_HW)) {
			m5_log(m, "command entry %u is not the device's", i);
			continue;
		}
		lay.status_own = cmd_entry(m, &lay) << 1;
		if (lay.status_own)
			m5_log(m, "command entry %u: delivery status 0x%x", i,
			       lay.status_own >> 1);
		m5_dma_write(m, at + offsetof(struct mlx5_cmd_layout, out),
			     lay.out, sizeof(lay.out));
		m5_dma_write(m, at + offsetof(struct mlx5_cmd_layout, status_own),
			     &lay.status_own, 1);
		done |= 1u << i;
	}
	if (done && eqn) {
		struct m5_eq *eq = m5_id_find(m, M5_EQ, eqn);
		__be32 vector = htobe32(done);

		if (eq)
			m5_eq_event(m, eq, MLX5_EVENT_TYPE_CMD, 0, &vector,
				    sizeof(vector));
	}
}

/* One line a command of the tables, then those that were refused as unknown. */
void m5_coverage(struct nic *nic, nic_reply *out)
{
	struct mlx5 *m = nic->priv;

	for (unsigned int t = 0; t < ARRAY_SIZE(tables); t++)
		for (unsigned int i = 0; i < tables[t]->n; i++)
			fprintf(out, " %s %u\n", tables[t]->cmds[i].name,
				m->op_count[tables[t]->cmds[i].op]);
	for (u32 op = 0; op < M5_OPS; op++)
		if (m->op_count[op] && !cmd_find(op))
			fprintf(out, " unknown 0x%x %u\n", op, m->op_count[op]);
}

static u8 cmd_ok(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		 u32 inlen, void *out, u32 outlen)
{
	(void)m, (void)cmd, (void)in, (void)inlen, (void)out, (void)outlen;
	return MLX5_CMD_STAT_OK;
}

static u8 cmd_hca(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		  u32 inlen, void *out, u32 outlen)
{
	(void)in, (void)inlen, (void)out, (void)outlen;
	switch (cmd->op) {
	case MLX5_CMD_OP_INIT_HCA:
		m->hca_up = true;
		break;
	case MLX5_CMD_OP_TEARDOWN_HCA:
		m->hca_up = false;
		m5_objects_free(m);
		break;
	case MLX5_CMD_OP_DISABLE_HCA:
		if (m->npages)
			m5_log(m, "disabled with %u pages not given back",
			       m->npages);
		break;
	}
	return MLX5_CMD_STAT_OK;
}

static u8 query_issi(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	(void)cmd, (void)in, (void)inlen, (void)outlen;
	MLX5_SET(query_issi_out, out, current_issi, m->issi);
	MLX5_SET(query_issi_out, out, supported_issi_dw0, 3);
	return MLX5_CMD_STAT_OK;
}

static u8 set_issi(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		   u32 inlen, void *out, u32 outlen)
{
	u16 issi = MLX5_GET(set_issi_in, in, current_issi);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (issi > 1)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	m->issi = issi;
	return MLX5_CMD_STAT_OK;
}

/* Pages the firmware wants before it starts, and before INIT_HCA. */
enum {
	QUERY_PAGES_BOOT	= 1,
	QUERY_PAGES_INIT	= 2,
	BOOT_PAGES		= 6,
	INIT_PAGES		= 20,
	PAGES_CANT_GIVE		= 0,
	PAGES_GIVE		= 1,
	PAGES_TAKE		= 2,
};

static u8 query_pages(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		      u32 inlen, void *out, u32 outlen)
{
	u16 mod = MLX5_GET(query_pages_in, in, op_mod);

	(void)m, (void)cmd, (void)inlen, (void)outlen;
	if (mod != QUERY_PAGES_BOOT && mod != QUERY_PAGES_INIT)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	MLX5_SET(query_pages_out, out, num_pages,
		 mod == QUERY_PAGES_BOOT ? BOOT_PAGES : INIT_PAGES);
	return MLX5_CMD_STAT_OK;
}

static u8 manage_pages(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		       u32 inlen, void *out, u32 outlen)
{
	u32 n = MLX5_GET(manage_pages_in, in, input_num_entries);
	const __be64 *pas = MLX5_ADDR_OF(manage_pages_in, in, pas);
	__be64 *back = MLX5_ADDR_OF(manage_pages_out, out, pas);
	u32 i;

	(void)cmd;
	switch (MLX5_GET(manage_pages_in, in, op_mod)) {
	case PAGES_CANT_GIVE:
		return MLX5_CMD_STAT_OK;
	case PAGES_GIVE:
		if (n > (inlen - MLX5_ST_SZ_BYTES(manage_pages_in)) / 8)
			return MLX5_CMD_STAT_BAD_INP_LEN_ERR;
		if (n > M5_MAX_PAGES - m->npages)
			return MLX5_CMD_STAT_LIM_ERR;
		for (i = 0; i < n; i++)
			m->pages[m->npages++] = be64toh(pas[i]);
		return MLX5_CMD_STAT_OK;
	case PAGES_TAKE:
		if (n > (outlen - MLX5_ST_SZ_BYTES(manage_pages_out)) / 8)
			return MLX5_CMD_STAT_BAD_OUTP_LEN_ERR;
		for (i = 0; i < n && m->npages; i++)
			back[i] = htobe64(m->pages[--m->npages]);
		MLX5_SET(manage_pages_out, out, output_num_entries, i);
		return MLX5_CMD_STAT_OK;
	}
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}

static u8 query_adapter(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
			u32 inlen, void *out, u32 outlen)
{
	static const char psid[] = "SIM0000000001";
	u8 *p = MLX5_ADDR_OF(query_adapter_out, out,
			     query_adapter_struct.vsd_contd_psid);

	(void)m, (void)cmd, (void)in, (void)inlen, (void)outlen;
	MLX5_SET(query_adapter_out, out, query_adapter_struct.ieee_vendor_id,
		 0x2c9);
	memcpy(p, psid, sizeof(psid));
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd boot[] = {
	M5_CMD(ENABLE_HCA, cmd_hca, 0, enable_hca_in, enable_hca_out),
	M5_CMD(DISABLE_HCA, cmd_hca, 0, disable_hca_in, disable_hca_out),
	M5_CMD(INIT_HCA, cmd_hca, 0, init_hca_in, init_hca_out),
	M5_CMD(TEARDOWN_HCA, cmd_hca, 0, teardown_hca_in, teardown_hca_out),
	M5_CMD(QUERY_ISSI, query_issi, 0, query_issi_in, query_issi_out),
	M5_CMD(SET_ISSI, set_issi, 0, set_issi_in, set_issi_out),
	M5_CMD(QUERY_PAGES, query_pages, 0, query_pages_in, query_pages_out),
	M5_CMD(MANAGE_PAGES, manage_pages, 0, manage_pages_in, manage_pages_out),
	M5_CMD(QUERY_ADAPTER, query_adapter, 0, query_adapter_in,
	       query_adapter_out),
	M5_CMD(QUERY_HCA_CAP, m5_query_hca_cap, 0, query_hca_cap_in,
	       query_hca_cap_out),
	M5_CMD(SET_HCA_CAP, cmd_ok, 0, set_hca_cap_in, set_hca_cap_out),
	M5_CMD(SET_DRIVER_VERSION, cmd_ok, 0, set_driver_version_in,
	       set_driver_version_out),
	M5_CMD(NOP, cmd_ok, 0, nop_in, nop_out),
};

const struct m5_cmd_table m5_boot_cmds = { boot, ARRAY_SIZE(boot) };
