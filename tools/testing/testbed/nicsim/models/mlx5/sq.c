// SPDX-License-Identifier: GPL-2.0
/*
 * Send queues. A doorbell takes WQEs up to the producer counter in the
 * doorbell record. Each becomes frames (or none: NOP) and is kept in a ring
 * until those have gone; completions are written in order, for the WQEs that
 * ask. After an error completion the queue is in the error state and
 * everything posted is flushed.
 */
#include <stdlib.h>

#include "mlx5.h"

/* Error completions carry this vendor syndrome. */
#define VENDOR_SYND	0x68
#define L2_HDR		14

static void sq_cqe(struct mlx5 *m, struct m5_sq *sq, const struct m5_wqe *w,
		   u64 mono)
{
	struct mlx5_cqe64 cqe = { 0 };
	u64 stamp = m5_stamp(m, sq->real_time, mono);

	cqe.timestamp_h = htobe32(stamp >> 32);
	cqe.timestamp_l = htobe32(stamp);
	cqe.sop_drop_qpn = htobe32((u32)w->opcode << 24 | sq->id);
	cqe.wqe_counter = htobe16(w->index);
	cqe.op_own = M5_CQE_REQ << 4;
	m5_cq_push(m, sq->cqn, &cqe);
}

static void sq_err_cqe(struct mlx5 *m, struct m5_sq *sq, const struct m5_wqe *w,
		       u8 syndrome)
{
	union {
		struct mlx5_err_cqe err;
		struct mlx5_cqe64 cqe;
	} u;

	memset(&u, 0, sizeof(u));
	u.err.vendor_err_synd = VENDOR_SYND;
	u.err.syndrome = syndrome;
	u.err.s_wqe_opcode_qpn = htobe32((u32)w->opcode << 24 | sq->id);
	u.err.wqe_counter = htobe16(w->index);
	u.err.op_own = M5_CQE_REQ_ERR << 4;
	m5_cq_push(m, sq->cqn, &u.cqe);
}

static u32 sq_mask(const struct m5_sq *sq)
{
	return (1u << sq->log_size) - 1;
}

static bool sq_full(const struct m5_sq *sq)
{
	return sq->tail - sq->head > sq_mask(sq);
}

static void sq_error(struct mlx5 *m, struct m5_sq *sq, u8 syndrome);

/* Completes what is done at the ring's head; @egress: of the first one there. */
static void sq_retire(struct mlx5 *m, struct m5_sq *sq, u64 egress)
{
	while (sq->head != sq->tail) {
		struct m5_wqe *w = &sq->pend[sq->head & sq_mask(sq)];

		if (w->frames)
			break;
		if (w->syndrome) {
			sq_error(m, sq, w->syndrome);
			return;
		}
		sq->head++;
		if (w->ce)
			sq_cqe(m, sq, w, m5_cqe_mono(m, egress));
		/* What follows has no frame: completed when seen. */
		egress = TRUTH_NONE;
	}
}

void m5_sq_tx_done(struct mlx5 *m, struct tx_frame *f)
{
	struct m5_sq *sq = m5_id_find(m, M5_SQ, f->queue);
	struct m5_wqe *w;
	s64 off = 0;

	if (!sq || sq->state != MLX5_SQC_STATE_RDY)
		return;
	w = &sq->pend[(u32)f->priv[0] & sq_mask(sq)];
	/* The fault "stamp-off" puts the preset stamp off. */
	if (f->stamp_ns != TRUTH_NONE && f->egress_ns != TRUTH_NONE)
		off = f->stamp_ns - f->egress_ns;
	f->stamp_ns = TRUTH_NONE;
	if (f->error) {
		sq_error(m, sq, f->error_arg ? f->error_arg : M5_SYND_LOCAL_PROT);
		return;
	}
	w->frames--;
	if (w->frames || sq->head != (u32)f->priv[0])
		return;
	if (w->ce && !w->syndrome) {
		u64 mono = m5_cqe_mono(m, f->egress_mono);

		/* What the driver will read is in the truth log, for this frame. */
		f->cqe_ns = m5_clock_ns(m->nic, mono);
		f->stamp_ns = m5_clock_ns(m->nic, mono + off);
		sq->head++;
		sq_cqe(m, sq, w, mono + off);
	}
	sq_retire(m, sq, f->egress_mono);
}

static bool sq_gather(struct mlx5 *m, const u8 *seg, u32 nds, u32 *len)
{
	for (u32 i = 0; i < nds; i++, seg += M5_DS) {
		u32 n = get_be32(seg);

		if (!n)
			continue;
		if (n & MLX5_INLINE_SEG) {
			u32 ds;

			n &= ~MLX5_INLINE_SEG;
			ds = (n + 4 + M5_DS - 1) / M5_DS;
			if (ds > nds - i || n > sizeof(m->packet) - *len)
				return false;
			memcpy(m->packet + *len, seg + 4, n);
			seg += (ds - 1) * M5_DS;
			i += ds - 1;
		} else {
			if (n > sizeof(m->packet) - *len ||
			    !m5_dma_read(m, get_be64(seg + 8), m->packet + *len, n))
				return false;
		}
		*len += n;
	}
	return true;
}

/* SEND and LSO: inline header, data segments, offloads of the Ethernet segment. */
static bool sq_send(struct mlx5 *m, const u8 *wqe, u32 ds, bool lso,
		    struct m5_tx *tx, u32 *frames)
{
	u16 inl = get_be16(wqe + M5_DS + M5_ETH_INLINE_SZ);
	u32 skip = 0, len = 0;

	tx->cs_flags = wqe[M5_DS + M5_ETH_CS_FLAGS];
	if (inl & M5_ETH_INSERT_VLAN) {
		tx->vlan_type = inl & M5_ETH_INSERT_SVLAN ? 0x88a8 : 0x8100;
		tx->vlan_tci = get_be16(wqe + M5_DS + M5_ETH_INLINE_START);
		inl = 0;
	}
	inl &= M5_ETH_INLINE_SZ_MASK;
	if (m->inline_l2 && inl < L2_HDR) {
		m5_log(m, "SQ 0x%x: %u bytes of inline header", tx->sqn, inl);
		return false;
	}
	/* Two bytes of the header are in the segment, the rest follows it. */
	if (inl > 2)
		skip = (inl - 2 + M5_DS - 1) / M5_DS;
	if (skip > ds - 2)
		return false;
	memcpy(m->packet, wqe + M5_DS + M5_ETH_INLINE_START, inl);
	len = inl;
	if (lso) {
		tx->mss = get_be16(wqe + M5_DS + M5_ETH_MSS);
		tx->hdr_len = inl;
		if (!tx->mss || !inl)
			return false;
	}
	if (!sq_gather(m, wqe + (2 + skip) * M5_DS, ds - 2 - skip, &len))
		return false;
	*frames = m5_tx_packet(m, tx, m->packet, len);
	return true;
}

/* Enhanced multi-packet: each segment is a packet, one Ethernet segment for all. */
static bool sq_multi(struct mlx5 *m, const u8 *wqe, u32 ds, struct m5_tx *tx,
		     u32 *frames)
{
	tx->cs_flags = wqe[M5_DS + M5_ETH_CS_FLAGS];
	for (u32 i = 2; i < ds;) {
		const u8 *seg = wqe + i * M5_DS;
		u32 n = get_be32(seg), used = 1, len = 0;
		struct m5_tx one = *tx;

		if (n & MLX5_INLINE_SEG)
			used = ((n & ~MLX5_INLINE_SEG) + 4 + M5_DS - 1) / M5_DS;
		if (used > ds - i || !sq_gather(m, seg, used, &len))
			return false;
		i += used;
		one.ce = tx->ce && i >= ds;
		*frames += m5_tx_packet(m, &one, m->packet, len);
	}
	return true;
}

/* Takes one WQE; false: it is bad and the queue is in error. */
static bool sq_wqe(struct mlx5 *m, struct m5_sq *sq, u16 avail)
{
	u8 wqe[(M5_WQE_DS_MASK + 1) * M5_DS];
	u32 mask = sq_mask(sq);
	struct m5_tx tx = { .sqn = sq->id, .channel = sq->channel };
	struct m5_wqe *w;
	u32 ds, bbs, frames = 0;
	bool ok = true;

	if (!m5_buf_read(m, &sq->buf, (u64)(sq->ci & mask) * M5_WQEBB, wqe,
			 M5_WQEBB))
		return false;
	ds = get_be32(wqe + 4) & M5_WQE_DS_MASK;
	bbs = (ds * M5_DS + M5_WQEBB - 1) / M5_WQEBB;

	/* Taken already, so that an error completion can name it. */
	w = &sq->pend[sq->tail & mask];
	*w = (struct m5_wqe) {
		.index = sq->ci,
		.opcode = get_be32(wqe),
		.ce = (wqe[M5_CTRL_FM_CE_SE] & M5_CTRL_CE_MASK) ==
		      M5_CTRL_CE_CQ_UPDATE,
	};
	tx.pos = sq->tail++;
	tx.wqe = w->index;
	tx.ce = w->ce;

	if (!bbs || bbs > avail || get_be32(wqe + 4) >> 8 != sq->id ||
	    (get_be32(wqe) >> 8 & 0xffff) != sq->ci) {
		m5_log(m, "SQ 0x%x: malformed WQE %u (%08x %08x)", sq->id, sq->ci,
		       get_be32(wqe), get_be32(wqe + 4));
		sq->ci += bbs && bbs <= avail ? bbs : 1;
		return false;
	}
	for (u32 i = 1; i < bbs; i++)
		if (!m5_buf_read(m, &sq->buf,
				 (u64)((sq->ci + i) & mask) * M5_WQEBB,
				 wqe + i * M5_WQEBB, M5_WQEBB))
			return false;
	sq->ci += bbs;

	switch (w->opcode) {
	case MLX5_OPCODE_NOP:
		break;
	case MLX5_OPCODE_SEND:
	case MLX5_OPCODE_LSO:
		ok = ds >= 2 && sq_send(m, wqe, ds, w->opcode == MLX5_OPCODE_LSO,
					&tx, &frames);
		break;
	case MLX5_OPCODE_ENHANCED_MPSW:
		ok = ds > 2 && sq_multi(m, wqe, ds, &tx, &frames);
		break;
	default:
		m5_log(m, "SQ 0x%x: opcode 0x%x is unknown", sq->id, w->opcode);
		ok = false;
	}
	/* Frames are done from the event loop, not before this. */
	w->frames = frames;
	return ok;
}

static u16 sq_producer(struct mlx5 *m, struct m5_sq *sq)
{
	u32 pi;

	if (dma_read_be32(m->nic, sq->dbr + M5_DBR_SND, &pi))
		return sq->ci;
	return pi;
}

/* Error state: whatever is or gets posted comes back flushed. */
static void sq_flush(struct mlx5 *m, struct m5_sq *sq)
{
	u16 pi = sq_producer(m, sq);

	for (; sq->head != sq->tail; sq->head++)
		sq_err_cqe(m, sq, &sq->pend[sq->head & sq_mask(sq)],
			   MLX5_CQE_SYND_FLUSHED_IN_ERROR);
	for (u32 n = 0; sq->ci != pi && n <= sq_mask(sq); n++) {
		struct m5_wqe w = { .index = sq->ci };
		u8 ctrl[8];
		u32 bbs;

		if (!m5_buf_read(m, &sq->buf,
				 (u64)(sq->ci & sq_mask(sq)) * M5_WQEBB, ctrl,
				 sizeof(ctrl)))
			return;
		w.opcode = ctrl[3];
		sq_err_cqe(m, sq, &w, MLX5_CQE_SYND_FLUSHED_IN_ERROR);
		bbs = ((get_be32(ctrl + 4) & M5_WQE_DS_MASK) * M5_DS +
		       M5_WQEBB - 1) / M5_WQEBB;
		sq->ci += bbs ? bbs : 1;
	}
}

/* The WQE at the ring's head fails. */
static void sq_error(struct mlx5 *m, struct m5_sq *sq, u8 syndrome)
{
	sq->state = MLX5_SQC_STATE_ERR;
	tx_flush(m->nic, sq->id);
	if (sq->head != sq->tail) {
		sq_err_cqe(m, sq, &sq->pend[sq->head & sq_mask(sq)], syndrome);
		sq->head++;
	}
	sq_flush(m, sq);
}

void m5_sq_doorbell(struct mlx5 *m, u32 sqn)
{
	struct m5_sq *sq = m5_id_find(m, M5_SQ, sqn);
	u16 pi;

	if (!sq || sq->state == MLX5_SQC_STATE_RST) {
		m5_log(m, "doorbell of SQ 0x%x, which is not ready", sqn);
		return;
	}
	if (sq->state == MLX5_SQC_STATE_ERR) {
		sq_flush(m, sq);
		return;
	}
	pi = sq_producer(m, sq);
	if ((u16)(pi - sq->ci) > sq_mask(sq) + 1) {
		m5_log(m, "SQ 0x%x: producer %u is ahead of consumer %u by more than the queue",
		       sqn, pi, sq->ci);
		return;
	}
	while (sq->ci != pi && !sq->failing && !sq_full(sq)) {
		if (!sq_wqe(m, sq, pi - sq->ci)) {
			/* Those before it complete first, then it fails. */
			sq->pend[(sq->tail - 1) & sq_mask(sq)].syndrome =
				M5_SYND_LOCAL_QP_OP;
			sq->failing = true;
		}
	}
	sq_retire(m, sq, TRUTH_NONE);
}

void m5_sq_free(struct mlx5 *m, struct m5_sq *sq)
{
	tx_flush(m->nic, sq->id);
	m5_buf_free(&sq->buf);
	free(sq->pend);
	free(sq);
}

static u8 create_sq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	const void *sqc = MLX5_ADDR_OF(create_sq_in, in, ctx);
	const void *wq = MLX5_ADDR_OF(sqc, sqc, wq);
	u8 status = MLX5_CMD_STAT_BAD_PARAM_ERR;
	const struct m5_cq *cq;
	const struct m5_eq *eq;
	struct m5_sq *sq = calloc(1, sizeof(*sq));
	u8 format = MLX5_GET(sqc, sqc, ts_format);

	(void)cmd, (void)outlen;
	if (!sq)
		return MLX5_CMD_STAT_NO_RES_ERR;
	memcpy(sq->sqc, sqc, sizeof(sq->sqc));
	sq->log_size = MLX5_GET(wq, wq, log_wq_sz);
	sq->cqn = MLX5_GET(sqc, sqc, cqn);
	sq->dbr = MLX5_GET64(wq, wq, dbr_addr);
	sq->real_time = format == MLX5_TIMESTAMP_FORMAT_REAL_TIME;
	sq->state = MLX5_SQC_STATE_RST;
	if (sq->log_size > 15 || MLX5_GET(sqc, sqc, state) ||
	    MLX5_GET(wq, wq, log_wq_stride) != 6 ||
	    MLX5_GET(wq, wq, wq_type) != MLX5_WQ_TYPE_CYCLIC ||
	    MLX5_GET(sqc, sqc, ts_cqe_to_dest_cqn) ||
	    (sq->real_time && !m->clock.real_time) ||
	    m5_buf_init(&sq->buf, MLX5_ADDR_OF(wq, wq, pas),
			inlen - MLX5_ST_SZ_BYTES(create_sq_in),
			(u64)M5_WQEBB << sq->log_size,
			MLX5_GET(wq, wq, log_wq_pg_sz)))
		goto out_free;
	status = MLX5_CMD_STAT_BAD_RES_ERR;
	cq = m5_id_find(m, M5_CQ, sq->cqn);
	eq = cq ? m5_id_find(m, M5_EQ, cq->eqn) : NULL;
	if (!eq ||
	    (MLX5_GET(sqc, sqc, tis_lst_sz) &&
	     !m5_id_find(m, M5_TIS, MLX5_GET(sqc, sqc, tis_num_0))))
		goto out_free;
	sq->channel = eq->vector;
	sq->pend = calloc(1u << sq->log_size, sizeof(*sq->pend));
	status = MLX5_CMD_STAT_NO_RES_ERR;
	if (!sq->pend)
		goto out_free;
	sq->id = m5_id_get(m, M5_SQ, sq);
	status = MLX5_CMD_STAT_LIM_ERR;
	if (!sq->id)
		goto out_free;
	MLX5_SET(create_sq_out, out, sqn, sq->id);
	return MLX5_CMD_STAT_OK;

out_free:
	m5_buf_free(&sq->buf);
	free(sq->pend);
	free(sq);
	return status;
}

static u8 modify_sq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen)
{
	struct m5_sq *sq = m5_id_find(m, M5_SQ, MLX5_GET(modify_sq_in, in, sqn));
	u8 next = MLX5_GET(sqc, MLX5_ADDR_OF(modify_sq_in, in, ctx), state);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	if (MLX5_GET64(modify_sq_in, in, modify_bitmask))
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (MLX5_GET(modify_sq_in, in, sq_state) != sq->state)
		return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
	switch (next) {
	case MLX5_SQC_STATE_RST:
		tx_flush(m->nic, sq->id);
		sq->ci = 0;
		sq->head = 0;
		sq->tail = 0;
		sq->failing = false;
		break;
	case MLX5_SQC_STATE_RDY:
		if (sq->state == MLX5_SQC_STATE_ERR)
			return MLX5_CMD_STAT_BAD_RES_STATE_ERR;
		break;
	case MLX5_SQC_STATE_ERR:
		sq->state = next;
		tx_flush(m->nic, sq->id);
		sq_flush(m, sq);
		break;
	default:
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	}
	sq->state = next;
	return MLX5_CMD_STAT_OK;
}

static u8 destroy_sq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		     u32 inlen, void *out, u32 outlen)
{
	u32 sqn = MLX5_GET(destroy_sq_in, in, sqn);
	struct m5_sq *sq = m5_id_find(m, M5_SQ, sqn);

	(void)cmd, (void)inlen, (void)out, (void)outlen;
	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	m5_id_put(m, M5_SQ, sqn);
	m5_sq_free(m, sq);
	return MLX5_CMD_STAT_OK;
}

static u8 query_sq(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		   u32 inlen, void *out, u32 outlen)
{
	struct m5_sq *sq = m5_id_find(m, M5_SQ, MLX5_GET(query_sq_in, in, sqn));
	void *ctx = MLX5_ADDR_OF(query_sq_out, out, sq_context);

	(void)cmd, (void)inlen, (void)outlen;
	if (!sq)
		return MLX5_CMD_STAT_BAD_RES_ERR;
	memcpy(ctx, sq->sqc, sizeof(sq->sqc));
	MLX5_SET(sqc, ctx, state, sq->state);
	return MLX5_CMD_STAT_OK;
}

static const struct m5_cmd sq_cmds[] = {
	M5_CMD(CREATE_SQ, create_sq, 0, create_sq_in, create_sq_out),
	M5_CMD(MODIFY_SQ, modify_sq, 0, modify_sq_in, modify_sq_out),
	M5_CMD(DESTROY_SQ, destroy_sq, 0, destroy_sq_in, destroy_sq_out),
	M5_CMD(QUERY_SQ, query_sq, 0, query_sq_in, query_sq_out),
};

const struct m5_cmd_table m5_sq_cmds = { sq_cmds, ARRAY_SIZE(sq_cmds) };
