/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of one modelled X710 port: a card with one port and one PF.
 */
#ifndef NICSIM_I40E_H
#define NICSIM_I40E_H

#include "nic.h"
#include "layout.h"

#define I40E_PF_ID		0
#define I40E_QUEUES		64
#define I40E_VECTORS		32	/* 0: other causes, n: PFINT_*N(n - 1) */
#define I40E_SD_MAX		64
#define I40E_SR_WORDS		2048
#define I40E_AQ_BUF_MAX		4096
#define I40E_VSIS		8
#define I40E_FILTERS		256
#define I40E_FD_FILTERS		512
#define I40E_RX_LATCHES		4
#define I40E_RX_CHAIN		5
#define I40E_TX_BUFS		8
#define I40E_MTU_MAX		9728
#define I40E_GATHER_MAX		(256 * 1024)

struct i40e_desc {
	u64 qw0;
	u64 qw1;
};

struct i40e_sd {
	u32 low;
	u32 high;
};

struct i40e_txq {
	bool on;
	bool stopped;		/* by malicious-driver detection */
	bool timesync;
	bool fd_ena;
	bool head_wb_ena;
	u64 head_wb_addr;
	struct ring ring;
	u32 done;		/* head of what has completed */
	u32 reported;		/* head as the driver knows it */
};

struct i40e_rxq {
	bool on;
	struct ring ring;
	u32 buf_size;
	u32 max_frame;
};

struct i40e_vector {
	struct i40e *s;
	u32 n;
	bool ena;
	bool pending;
	u64 last;		/* mono ns of the last message */
	struct timer timer;
};

struct i40e_vsi {
	bool used;
	u16 seid;
	u16 promisc;		/* I40E_AQC_SET_VSI_PROMISC_* */
	struct i40e_aqc_vsi_properties_data info;
};

struct i40e_filter {
	u16 seid;		/* 0: free */
	u8 mac[6];
	u16 vlan;
	bool any_vlan;
};

struct i40e_flow {
	u8 ip;
	u8 proto;
	u8 src[16];
	u8 dst[16];
	u16 sport;
	u16 dport;
};

struct i40e_fd_filter {
	bool used;
	bool drop;
	bool count;
	u16 queue;
	u16 cnt_index;
	u32 fd_id;
	struct i40e_flow flow;
};

struct i40e_ptp {
	u32 time_hi;		/* latched by the read of TIME_L */
	bool tx_locked;		/* a stamp waits for the read of TXTIME_H */
	bool rx_locked[I40E_RX_LATCHES];
	u64 tx_latched, tx_missed, rx_missed;
};

struct i40e {
	struct nic *nic;
	struct regs *regs;
	struct reg_desc *reg_table;

	struct i40e_sd sd[I40E_SD_MAX];
	u16 sr[I40E_SR_WORDS];

	bool lse;		/* link status events wanted */
	bool link_enabled;
	u16 event_mask;

	struct i40e_vsi vsi[I40E_VSIS];
	bool veb;
	struct i40e_filter filter[I40E_FILTERS];
	struct i40e_fd_filter fd[I40E_FD_FILTERS];

	struct i40e_txq txq[I40E_QUEUES];
	struct i40e_rxq rxq[I40E_QUEUES];
	struct i40e_vector vec[I40E_VECTORS];
	struct i40e_ptp ptp;

	struct timer reset_timer;
	u64 aq_commands, aq_refused, mdd_events, pf_resets, core_resets;
	u64 fd_hits, fd_limit;
	u8 gather[I40E_GATHER_MAX];
	u8 aq_buf[I40E_AQ_BUF_MAX];
};

static inline struct i40e *i40e_of(const struct nic *nic)
{
	return nic->priv;
}

/* regs.c */
int i40e_regs_init(struct i40e *s);

/* hmc.c: 0, or -1 after raising the HMC error */
void i40e_hmc_reset(struct i40e *s);
void i40e_hmc_sdcmd(struct i40e *s, u32 val);
int i40e_hmc_txq(struct i40e *s, unsigned int q, struct i40e_txq *txq);
int i40e_hmc_rxq(struct i40e *s, unsigned int q, struct i40e_rxq *rxq);

/* nvm.c */
void i40e_nvm_init(struct i40e *s);
void i40e_nvm_srctl(struct i40e *s, u32 val);

/* adminq.c */
void i40e_aq_run(struct i40e *s);
void i40e_aq_event(struct i40e *s, struct i40e_aq_desc *d);
void i40e_aq_report(struct i40e *s, nic_reply *out);

/* aq_link.c */
void i40e_link_fill(struct i40e *s, struct i40e_aqc_get_link_status *r);
void i40e_link_event(struct i40e *s);

/* aq_switch.c */
void i40e_switch_reset(struct i40e *s);
struct i40e_vsi *i40e_switch_rx(struct i40e *s, const u8 *frame, const struct pkt *p);

/* A command's handler: fills @d and @buf in place, returns I40E_AQ_RC_*. */
typedef u16 (*i40e_aq_fn)(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_get_switch(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_add_vsi(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_update_vsi(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_get_vsi(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_add_veb(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_get_veb(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_delete_element(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_add_macvlan(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_remove_macvlan(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_promisc(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_vsi_bw(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_vsi_tc_bw(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_vsi_ets(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_veb_ets(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_veb_bw(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_phy_abilities(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_phy_config(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_restart_an(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_link_status(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);
u16 i40e_aq_phy_int_mask(struct i40e *s, struct i40e_aq_desc *d, u8 *buf, size_t len);

/* irq.c */
void i40e_irq_reset(struct i40e *s);
void i40e_icr0_raise(struct i40e *s, u32 bits);
u32 i40e_icr0_read(struct i40e *s, u32 val);
void i40e_icr0_check(struct i40e *s);
void i40e_dyn_ctl(struct i40e *s, u32 vec, u32 val);
void i40e_txq_cause(struct i40e *s, u32 q, bool rs);
void i40e_rxq_cause(struct i40e *s, u32 q);
u32 i40e_txq_channel(struct i40e *s, u32 q);

/* lan.c: queue state, write-back */
void i40e_qtx_ena(struct i40e *s, u32 q, u32 val);
void i40e_qrx_ena(struct i40e *s, u32 q, u32 val);
void i40e_qtx_tail(struct i40e *s, u32 q, u32 val);
void i40e_qrx_tail(struct i40e *s, u32 q, u32 val);
void i40e_lan_reset(struct i40e *s);
void i40e_txq_report(struct i40e *s, u32 q);
void i40e_mdd_tx(struct i40e *s, u32 q, u32 event, const char *why);
void i40e_count(struct i40e *s, u32 low_reg, u64 add);

/* tx.c */
void i40e_tx_run(struct i40e *s, u32 q);
void i40e_tx_done(struct nic *nic, struct tx_frame *f);

/* tx_offload.c */
struct i40e_tx_job {
	u32 q;
	u32 first;		/* index of the packet's first data descriptor */
	u32 next;		/* index behind its last one */
	u64 ctx;		/* context descriptor's qw1, 0: none */
	u64 qw1;		/* last data descriptor's */
	u32 len;		/* bytes in gather[] */
};

void i40e_tx_packet(struct i40e *s, const struct i40e_tx_job *job);

/* rx.c */
bool i40e_rx(struct nic *nic, const struct rx_frame *f);
/* Queue a write-back of two quad words without data: programming status. */
void i40e_rx_status(struct i40e *s, u32 q, u64 qw0, u64 qw1);

/* fdir.c */
void i40e_fd_program(struct i40e *s, u32 q, const struct i40e_desc *d,
		     const u8 *frame, u32 len, bool dummy);
struct i40e_fd_filter *i40e_fd_match(struct i40e *s, const struct pkt *p, const u8 *frame,
				     u32 len);
void i40e_fd_clear(struct i40e *s);

/* ptp.c */
void i40e_ptp_reset(struct i40e *s);
void i40e_ptp_egress(struct nic *nic, struct tx_frame *f);
/* Latch index for a frame that the filter wants stamped, -1: none. */
int i40e_ptp_rx(struct i40e *s, const struct pkt *p, const u8 *frame, u32 len, u64 ns);
extern const struct reg_desc i40e_ptp_regs[];
extern const size_t i40e_ptp_nregs;

/* reset.c */
void i40e_pf_reset(struct i40e *s);
void i40e_core_reset(struct i40e *s, u32 type);
void i40e_full_reset(struct i40e *s);

#endif
