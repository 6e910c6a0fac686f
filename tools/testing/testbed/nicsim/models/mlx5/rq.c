// SPDX-License-Identifier: GPL-2.0
/*
 * Receive queues: cyclic ones of scatter lists. The kernel's driver uses them
 * when the device has no striding RQ, which needs memory keys built by UMR.
 */
#include <stdlib.h>

#include "mlx5.h"

#define ETH_ADDRS	12
#define VLAN_LEN	4
#define IPPROTO_TCP_	6
#define IPPROTO_UDP_	17
/* CQE l4_l3_hdr_type: L3 in bits 3:2, L4 in 6:4, bit 0: a tag was stripped. */
#define L3_IPV6		(1 << 2)
#define L3_IPV4		(2 << 2)
#define L4_SHIFT	4
#define HAS_VLAN	1

static void rq_error(struct mlx5 *m, struct m5_rq *rq, u16 index, u8 syndrome)
{
	union {
		struct mlx5_err_cqe err;
		struct mlx5_cqe64 cqe;
	} u;

	memset(&u, 0, sizeof(u));
	u.err.syndrome = syndrome;
	u.err.s_wqe_opcode_qpn = htobe32(rq->id);
	u.err.wqe_counter = htobe16(index);
	u.err.op_own = M5_CQE_RESP_ERR << 4;
	rq->state = MLX5_RQC_STATE_ERR;
	m5_cq_push(m, rq->cqn, &u.cqe);
}

/* Scatters @len bytes into the WQE; false: it is too small or not mapped. */
static bool rq_scatter(struct mlx5 *m, struct m5_rq *rq, const u8 *data, u32 len)
{
	u8 wqe[1 << 9];
	u32 n = 1u << rq->log_stride;
	u32 mask = (1u << rq->log_size) - 1;

	if (!m5_buf_read(m, &rq->buf, (u64)(rq->ci & mask) << rq->log_stride, wqe,
			 n))
		return false;
	for (u32 at = 0; len && at + M5_DS <= n; at += M5_DS) {
		u32 room = get_be32(wqe + at) & ~MLX5_INLINE_SEG;

		if (get_be32(wqe + at + 4) == M5_INVALID_LKEY)
			break;
		if (room > len)
			room = len;
		if (!m5_dma_write(m, get_be64(wqe + at + 8), data, room))
			return false;
		data += room;
		len -= room;
	}
	return !len;
}

static u8 l4_type(const struct pkt *p, const u8 *data, u32 len)
{
	if (!p->l4 || p->frag)
		return CQE_L4_HDR_TYPE_NONE;
	if (p->proto == IPPROTO_UDP_)
		return CQE_L4_HDR_TYPE_UDP;
	if (p->proto != IPPROTO_TCP_ || p->l4 + 20u > len)
		return CQE_L4_HDR_TYPE_NONE;
	if (!(data[p->l4 + 13] & 0x10))
		return CQE_L4_HDR_TYPE_TCP_NO_ACK;
	return p->payload && p->l4 + p->l4_len > p->payload ?
		CQE_L4_HDR_TYPE_TCP_ACK_AND_DATA :
		CQE_L4_HDR_TYPE_TCP_ACK_NO_DATA;
}

static void cqe_headers(struct mlx5_cqe64 *cqe, const struct pkt *p,
			const u8 *data, u32 len)
{
	u8 ok = CQE_L2_OK;

	if (p->ip == 4)
		cqe->l4_l3_hdr_type |= L3_IPV4;
	else if (p->ip == 6)
		cqe->l4_l3_hdr_type |= L3_IPV6;
	cqe->l4_l3_hdr_type |= l4_type(p, data, len) << L4_SHIFT;
	if (p->ip == 6 || csum_ipv4_check(p, data, len) == CSUM_GOOD)
		ok |= CQE_L3_OK;
	if (csum_l4_check(p, data, len) == CSUM_GOOD)
		ok |= CQE_L4_OK;
	cqe->hds_ip_ext = ok;
}

bool m5_rq_deliver(struct mlx5 *m, struct m5_rq *rq, const struct rx_frame *f,
		   const struct pkt *p, u32 hash, u8 hash_type)
{
	struct m5_qcounter *q = m5_id_find(m, M5_QCOUNTER, rq->qcounter);
	u64 stamp = m5_stamp(m, rq->real_time, f->mono);
	struct mlx5_cqe64 cqe = { 0 };
	const u8 *data = f->data;
	u32 len = f->len, pi;
	u16 index = rq->ci;

	if (rq->state != MLX5_RQC_STATE_RDY ||
	    dma_read_be32(m->nic, rq->dbr + M5_DBR_RCV, &pi) ||
	    (u16)pi == rq->ci) {
		if (q)
			q->out_of_buffer++;
		return false;
	}
	cqe_headers(&cqe, p, data, len);
	/* Over everything behind the Ethernet header, a stripped tag excluded. */
	if (p->vlan_tags && rq->strip_vlan) {
		memcpy(m->packet, data, ETH_ADDRS);
		memcpy(m->packet + ETH_ADDRS, data + ETH_ADDRS + VLAN_LEN,
		       len - ETH_ADDRS - VLAN_LEN);
		data = m->packet;
		len -= VLAN_LEN;
		cqe.l4_l3_hdr_type |= HAS_VLAN;
		cqe.vlan_info = htobe16(p->vlan);
	}
	cqe.check_sum = htobe16(csum_complete(data, len, 14));
	cqe.rss_hash_result = htobe32(hash);
	cqe.rss_hash_type = hash_type;
	cqe.byte_cnt = htobe32(len);
	cqe.timestamp_h = htobe32(stamp >> 32);
	cqe.timestamp_l = htobe32(stamp);
	cqe.flags_rqpn = htobe32(rq->id);
	cqe.wqe_counter = htobe16(index);
	cqe.op_own = M5_CQE_RESP_SEND << 4;

	if (!rq_scatter(m, rq, data, len)) {
		m5_log(m, "RQ 0x%x: WQE %u can't take %u bytes", rq->id, index, len);
		rq_error(m, rq, index, M5_SYND_LOCAL_LENGTH);
		return false;
	}
	rq->ci++;
	m5_cq_push(m, rq->cqn, &cqe);
	return true;
}

void m5_rq_free(struct m5_rq *rq)
{
	m5_buf_free(&rq->buf);
	free(rq);
}

static u8 create_rq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	const void *rqc = MLX5_ADDR_OF(create_rq_in, in, ctx);
	const void *wq = MLX5_ADDR_OF(rqc, rqc, wq);
	u8 status = MLX5_CMD_STAT_BAD_PARAM_ERR;
	struct m5_rq *rq = calloc(1, sizeof(*rq));
	u8 format = MLX5_GET(rqc, rqc, ts_format);

	(void)cmd, (void)outlen;
	if (!rq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(rq->rqc, rqc, sizeof(rq->rqc));
	rq->log_size = MLX5_GET(wq, wq, log_wq_sz);
	rq->log_stride = MLX5_GET(wq, wq, log_wq_stride);
	rq->cqn = MLX5_GET(rqc, rqc, cqn);
	rq->qcounter = MLX5_GET(rqc, rqc, counter_set_id);
	rq->dbr = MLX5_GET64(wq, wq, dbr_addr);
	rq->real_time = format == MLX5_TIMESTAMP_FORMAT_REAL_TIME;
	rq->strip_vlan = !MLX5_GET(rqc, rqc, vsd);
	rq->state = MLX5_RQC_STATE_RST;
	if (MLX5_GET(wq, wq, wq_type) != MLX5_WQ_TYPE_CYCLIC ||
	    MLX5_GET(rqc, rqc, scatter_fcs) || rq->log_size > 15 ||
	    rq->log_stride < 4 || rq->log_stride > 9 ||
	    (rq->real_time && !m->clock.real_time) ||
	    m5_buf_init(&rq->buf, MLX5_ADDR_OF(wq, wq, pas),
			inlen - MLX5_ST_SZ_BYTES(create_rq_in),
			1ULL << (rq->log_size + rq->log_stride),
			MLX5_GET(wq, wq, log_wq_pg_sz)))
		goto out_free;
	status = MLX5_CMD_STAT_BAD_RES_ERR;
	if (!m5_id_find(m, M5_CQ, rq->cqn))
		goto out_free;
	rq->id = m5_id_get(m, M5_RQ, rq);
	status = MLX5_CMD_STAT_LIM_ERR;
	if (!rq->id)
		goto out_free;
	MLX5_SET(create_rq_out, out, rqn, rq->id);
	return MLX5_CMD_STAT_OK;

out_free:
	m5_rq_free(rq);
	return status;
}

/* modify_bitmask: bit 1 VLAN stripping, bit 3 counter set */
#define RQ_MODIFY_VSD		(1ULL << 1)
#define RQ_MODIFY_COUNTER	(1ULL << 3)

static u8 modify_rq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	struct m5_rq *rq = m5_id_find(m, M5_RQ, MLX5_GET(modify_rq_in, in, rqn));
	const void *ctx = MLX5_ADDR_OF(modify_rq_in, in, ctx);
	u64 what = MLX5_GET64(modify_rq_in, in, modify_bitmask);
	u8 next = MLX5_GET(rqc, ctx, state);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (what & ~(RQ_MODIFY_VSD | RQ_MODIFY_COUNTER))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (MLX5_GET(modify_rq_in, in, rq_state) != rq->state)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	if (next == MLX5_RQC_STATE_RDY && rq->state == MLX5_RQC_STATE_ERR)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	if (what & RQ_MODIFY_VSD)
		rq->strip_vlan = !MLX5_GET(rqc, ctx, vsd);
	if (what & RQ_MODIFY_COUNTER)
		rq->qcounter = MLX5_GET(rqc, ctx, counter_set_id);
	if (next == MLX5_RQC_STATE_RST)
		rq->ci = 0;
	rq->state = next;
	return MLX5_CMD_STAT_OK;
}

static u8 destroy_rq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u32 rqn = MLX5_GET(destroy_rq_in, in, rqn);
	struct m5_rq *rq = m5_id_find(m, M5_RQ, rqn);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	m5_id_put(m, M5_RQ, rqn);
	m5_rq_free(rq);
	return MLX5_CMD_STAT_OK;
}

static u8 query_rq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		   u32 inlen, void *out, u32 outlen)
{
	struct m5_rq *rq = m5_id_find(m, M5_RQ, MLX5_GET(query_rq_in, in, rqn));
	void *ctx = MLX5_ADDR_OF(query_rq_out, out, rq_context);

	(void)cmd, (void)inlen, (void)outlen;
	if (!rq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	memcpy(ctx, rq->rqc, sizeof(rq->rqc));
	MLX5_SET(rqc, ctx, state, rq->state);
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd rq_cmds[] = {
	M5_CMD(CREATE_RQ, create_rq, 0, create_rq_in, create_rq_out),
	M5_CMD(MODIFY_RQ, modify_rq, 0, modify_rq_in, modify_rq_out),
	M5_CMD(DESTROY_RQ, destroy_rq, 0, destroy_rq_in, destroy_rq_out),
	M5_CMD(QUERY_RQ, query_rq, 0, query_rq_in, query_rq_out),
};

const struct m5_cmd_table m5_rq_cmds = { rq_cmds, ARRAY_SIZE(rq_cmds) };
