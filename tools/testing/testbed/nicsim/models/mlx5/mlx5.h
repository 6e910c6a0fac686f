/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ConnectX port: one PCI function with its firmware command interface,
 * event, completion, send and receive queues, receive steering and clock.
 *
 * cmd.c executes commands and dispatches them through the tables that the
 * other files export. A handler answers with a MLX5_CMD_STAT_ value; what it
 * does not know it refuses. Everything runs in nicsim's one event loop.
 */
#ifndef NICSIM_MLX5_H
#define NICSIM_MLX5_H

#include "nic.h"
#include "prm.h"

struct mlx5;

/* Command inputs and outputs: big enough for every command of the tables. */
#define M5_CMD_MAX_IN		(64 * 1024)
#define M5_CMD_MAX_OUT		(64 * 1024)

/*
 * One firmware command. @in_min and @out_min are bytes; a shorter mailbox is
 * refused before @fn runs. @arg tells handlers shared by several commands
 * which of them runs.
 */
struct m5_cmd {
	u16 op;
	u16 arg;
	const char *name;
	u32 in_min;
	u32 out_min;
	u8 (*fn)(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		 u32 inlen, void *out, u32 outlen);
};

#define M5_CMD(opc, handler, argument, in_st, out_st)			\
	{ .op = MLX5_CMD_OP_##opc, .name = #opc, .fn = handler,		\
	  .arg = argument, .in_min = MLX5_ST_SZ_BYTES(in_st),		\
	  .out_min = MLX5_ST_SZ_BYTES(out_st) }

struct m5_cmd_table {
	const struct m5_cmd *cmds;
	unsigned int n;
};

extern const struct m5_cmd_table m5_boot_cmds, m5_obj_cmds, m5_eq_cmds,
	m5_cq_cmds, m5_sq_cmds, m5_rq_cmds, m5_steer_cmds, m5_vport_cmds,
	m5_reg_cmds;

/* Objects the driver names by number. */
enum m5_type {
	M5_UAR, M5_PD, M5_TD, M5_MKEY, M5_TIS, M5_QCOUNTER,
	M5_EQ, M5_CQ, M5_SQ, M5_RQ, M5_RQT, M5_TIR, M5_FT, M5_FG,
	M5_NTYPES,
};

#define M5_MAX_OBJ		2048

struct m5_idtab {
	void *obj[M5_MAX_OBJ];
	u32 next;
};

/* Take a number for @obj; 0 and a log line when none is left. */
u32 m5_id_get(struct mlx5 *m, enum m5_type type, void *obj);
void *m5_id_find(struct mlx5 *m, enum m5_type type, u32 id);
void m5_id_put(struct mlx5 *m, enum m5_type type, u32 id);

/* A queue's memory in the guest: pages of 1 << @shift bytes. */
struct m5_buf {
	u64 *pas;
	u32 npas;
	u8 shift;
};

int m5_buf_init(struct m5_buf *b, const void *pas, u32 bytes, u64 size,
		u8 log_page);
void m5_buf_free(struct m5_buf *b);
/* The address of one byte; @off must be inside. */
u64 m5_buf_addr(const struct m5_buf *b, u64 off);
bool m5_buf_read(struct mlx5 *m, const struct m5_buf *b, u64 off, void *dst,
		 u32 len);
bool m5_buf_write(struct mlx5 *m, const struct m5_buf *b, u64 off,
		  const void *src, u32 len);

struct m5_eq {
	u32 id;
	struct m5_buf buf;
	u8 log_size;
	u16 vector;
	u64 mask;
	u32 pi, ci;
	bool armed;
};

struct m5_cq {
	u32 id;
	struct m5_buf buf;
	u8 log_size;
	u8 log_stride;
	u32 eqn;
	u64 dbr;
	u32 pi;
	bool armed, error;
};

/* A send WQE taken from the queue and not completed. */
struct m5_wqe {
	u16 index;
	u8 opcode;
	bool ce;		/* wants a completion */
	u8 syndrome;		/* not 0: fails once its turn comes */
	u32 frames;		/* not yet done */
};

struct m5_sq {
	u32 id;
	u32 sqc[MLX5_ST_SZ_DW(sqc)];
	struct m5_buf buf;
	u8 log_size;
	u8 state;
	bool real_time;
	u32 cqn;
	u32 channel;		/* vector that its completions go to: the driver's */
	u64 dbr;
	u16 ci;			/* next basic block to take */
	struct m5_wqe *pend;	/* ring of 1 << log_size */
	u32 head, tail;		/* free-running */
	bool failing;		/* the WQE taken last is bad: take no more */
};

struct m5_rq {
	u32 id;
	u32 rqc[MLX5_ST_SZ_DW(rqc)];
	struct m5_buf buf;
	u8 log_size, log_stride;
	u8 state;
	bool real_time, strip_vlan;
	u32 cqn, qcounter;
	u64 dbr;
	u16 ci;
};

struct m5_rqt {
	u32 id;
	u32 n, max;
	u32 *rqn;
};

struct m5_tir {
	u32 id;
	u32 tirc[MLX5_ST_SZ_DW(tirc)];
};

struct m5_qcounter {
	u32 id;
	u32 out_of_buffer;
};

struct m5_traffic {
	u64 frames, bytes;
	u64 mcast_frames, mcast_bytes;
	u64 bcast_frames, bcast_bytes;
	u64 errors;
};

/*
 * Two clocks: a free-running counter of @khz, and nic->phc, the real-time one
 * that MTUTC disciplines. Queues stamp by the one their context names.
 */
struct m5_clock {
	bool real_time;		/* which of them the capabilities offer */
	u32 khz;
	struct phc free;
	u64 last_cqe;		/* mono of the last send completion */
	u64 cqe_delay;		/* egress to CQE, ns */
	u32 jitter;
};

#define M5_MAX_PAGES		256
#define M5_OPS			0x1000

struct mlx5 {
	struct nic *nic;

	/* Command interface */
	u64 cmdq;
	bool cmdq_valid;
	u32 cmd_eqn;
	u64 cmd_count;
	u32 op_count[M5_OPS];	/* by opcode, for the coverage report */
	u8 nic_ifc;
	u32 uar_latch;		/* first half of a doorbell written in halves */
	bool hca_up;
	bool inline_l2;		/* a WQE has to bring its frame's L2 header */
	u16 issi;

	u64 pages[M5_MAX_PAGES];
	u32 npages;

	struct m5_idtab id[M5_NTYPES];

	/* Steering */
	u32 root_ft;

	/* Virtual port and port */
	/* Has fields of 64 bits. */
	_Alignas(8) u32 vport_ctx[MLX5_ST_SZ_DW(nic_vport_context)];
	u8 vport_admin;
	u8 port_admin;
	u16 port_mtu;
	u32 pfcc[MLX5_ST_SZ_DW(pfcc_reg)];
	struct m5_traffic rx, tx;

	struct m5_clock clock;

	_Alignas(8) u32 cmd_in[M5_CMD_MAX_IN / 4];
	_Alignas(8) u32 cmd_out[M5_CMD_MAX_OUT / 4];
	u8 packet[64 * 1024 + 1024];	/* gathered before it is cut into frames */
};

/* cmd.c */
void m5_cmd_doorbell(struct mlx5 *m, u32 bits);
void m5_coverage(struct nic *nic, nic_reply *out);

void m5_objects_free(struct mlx5 *m);

static inline bool m5_dma_read(struct mlx5 *m, u64 iova, void *dst, size_t len)
{
	return !dma_read(m->nic, iova, dst, len);
}

static inline bool m5_dma_write(struct mlx5 *m, u64 iova, const void *src,
				size_t len)
{
	return !dma_write(m->nic, iova, src, len);
}

#define m5_log(m, ...)	guest_error((m)->nic, __VA_ARGS__)

/* caps.c */
u8 m5_query_hca_cap(struct mlx5 *m, const struct m5_cmd *cmd, const void *in,
		    u32 inlen, void *out, u32 outlen);

/* eq.c */
void m5_eq_event(struct mlx5 *m, struct m5_eq *eq, u8 type, u8 sub_type,
		 const void *data, u32 len);
void m5_async_event(struct mlx5 *m, u8 type, u8 sub_type, const void *data,
		    u32 len);
void m5_eq_doorbell(struct mlx5 *m, u32 val, bool arm);
void m5_eq_free(struct m5_eq *eq);

/* cq.c: fills in the owner bit and raises an event if the CQ is armed. */
void m5_cq_push(struct mlx5 *m, u32 cqn, struct mlx5_cqe64 *cqe);
void m5_cq_doorbell(struct mlx5 *m, u32 cmd_ci, u32 cqn);
void m5_cq_free(struct m5_cq *cq);

/* sq.c */
void m5_sq_doorbell(struct mlx5 *m, u32 sqn);
void m5_sq_tx_done(struct mlx5 *m, struct tx_frame *f);
void m5_sq_free(struct mlx5 *m, struct m5_sq *sq);

/* txframe.c: what the port does to a packet on its way out */
struct m5_tx {
	u32 sqn;
	u32 channel;
	u32 pos;			/* in the queue's ring of pending WQEs */
	u16 wqe;
	u8 cs_flags;
	u16 vlan_type, vlan_tci;	/* type 0: insert nothing */
	u16 mss, hdr_len;		/* mss 0: no segmentation */
	bool ce;
};

/* Returns how many frames went to the wire. */
u32 m5_tx_packet(struct mlx5 *m, const struct m5_tx *tx, const u8 *data,
		 u32 len);

/* rq.c */
bool m5_rq_deliver(struct mlx5 *m, struct m5_rq *rq, const struct rx_frame *f,
		   const struct pkt *p, u32 hash, u8 hash_type);
void m5_rq_free(struct m5_rq *rq);

/* steer.c: the queue the driver's rules choose, NULL: none wants the frame */
struct m5_rq *m5_steer(struct mlx5 *m, const struct rx_frame *f,
		       const struct pkt *p, u32 *hash, u8 *hash_type);
void m5_ft_free(void *ft);
void m5_fg_free(void *fg);

/* clock.c */
void m5_clock_init(struct mlx5 *m, u64 mono);
u64 m5_clock_ns(struct nic *nic, u64 mono);
u64 m5_clock_mono(struct nic *nic, u64 ns);
void m5_clock_set(struct nic *nic, u64 ns);
/* A CQE's timestamp field for the time @mono. */
u64 m5_stamp(struct mlx5 *m, bool real_time, u64 mono);
/* Halves of the timers in the initialisation segment. */
u32 m5_timer(struct mlx5 *m, bool real_time, bool high);
/* The time of the next send completion, given its last frame's egress. */
u64 m5_cqe_mono(struct mlx5 *m, u64 egress);
u8 m5_mtutc(struct mlx5 *m, const void *in, void *out, bool write);

/* vport.c */
/* Admin up and carrier. */
bool m5_vport_up(struct mlx5 *m);
void m5_link_event(struct mlx5 *m);
void m5_vport_reset(struct mlx5 *m);
void m5_count(struct m5_traffic *t, const u8 *frame, u32 len);

#endif
