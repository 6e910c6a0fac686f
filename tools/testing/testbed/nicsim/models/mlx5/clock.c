// SPDX-License-Identifier: GPL-2.0
/*
 * The free-running counter, the real-time clock, and the times of completions.
 *
 * The truth log and the control verbs use ns: of the real-time clock if the
 * device offers it, else of the counter (what the driver adds to it is the
 * driver's own).
 */
#include "mlx5.h"

/* The counter has more bits than this; drivers look at 41 of them. */
#define FREE_BITS	64

static u64 cycles_to_ns(const struct mlx5 *m, u64 cycles)
{
	return (unsigned __int128)cycles * 1000000 / m->clock.khz;
}

void m5_clock_init(struct mlx5 *m, u64 mono)
{
	phc_init(&m->clock.free, mono, m->clock.khz, 1000000, FREE_BITS,
		 m->nic->drift_ppb);
}

u64 m5_clock_ns(struct nic *nic, u64 mono)
{
	struct mlx5 *m = nic->priv;

	return m->clock.real_time ?
		phc_units(&nic->phc, mono) :
		cycles_to_ns(m, phc_units(&m->clock.free, mono));
}

u64 m5_clock_mono(struct nic *nic, u64 ns)
{
	struct mlx5 *m = nic->priv;

	return m->clock.real_time ?
		phc_mono(&nic->phc, ns) :
		phc_mono(&m->clock.free,
			 (unsigned __int128)ns * m->clock.khz / 1000000);
}

void m5_clock_set(struct nic *nic, u64 ns)
{
	struct mlx5 *m = nic->priv;

	if (m->clock.real_time)
		phc_set_units(&nic->phc, mono_now(), ns);
	else
		phc_set_units(&m->clock.free, mono_now(),
			      (unsigned __int128)ns * m->clock.khz / 1000000);
}

u64 m5_stamp(struct mlx5 *m, bool real_time, u64 mono)
{
	u64 ns;

	if (!real_time)
		return phc_units(&m->clock.free, mono);
	ns = phc_units(&m->nic->phc, mono);
	return ns / NSEC_PER_SEC << 32 | ns % NSEC_PER_SEC;
}

u32 m5_timer(struct mlx5 *m, bool real_time, bool high)
{
	u64 t = m5_stamp(m, real_time, mono_now());

	return high ? t >> 32 : t;
}

/*
 * A send completion is written a little after the last byte was handed to the
 * wire, and no two at one time. @egress: TRUTH_NONE if not known.
 */
u64 m5_cqe_mono(struct mlx5 *m, u64 egress)
{
	struct m5_clock *c = &m->clock;
	u64 t;

	/* Some tens of ns of jitter, the same in every run. */
	c->jitter = c->jitter * 1664525 + 1013904223;
	t = egress == TRUTH_NONE ? mono_now() :
				   egress + c->cqe_delay + (c->jitter >> 27);
	if (t <= c->last_cqe)
		t = c->last_cqe + 1;
	c->last_cqe = t;
	return t;
}

u8 m5_mtutc(struct mlx5 *m, const void *in, void *out, bool write)
{
	u64 now = mono_now();
	s32 adj = MLX5_GET(mtutc_reg, in, time_adjustment);
	s32 ppb = MLX5_GET(mtutc_reg, in, freq_adjustment);

	if (!m->clock.real_time)
		return MLX5_CMD_STAT_BAD_PARAM_ERR;
	if (!write) {
		u64 ns = phc_units(&m->nic->phc, now);

		MLX5_SET(mtutc_reg, out, utc_sec, ns / NSEC_PER_SEC);
		MLX5_SET(mtutc_reg, out, utc_nsec, ns % NSEC_PER_SEC);
		return MLX5_CMD_STAT_OK;
	}
	switch (MLX5_GET(mtutc_reg, in, operation)) {
	case MLX5_MTUTC_OPERATION_SET_TIME_IMMEDIATE:
		phc_set_units(&m->nic->phc, now,
			      phc_join(MLX5_GET(mtutc_reg, in, utc_sec),
				       MLX5_GET(mtutc_reg, in, utc_nsec)));
		return MLX5_CMD_STAT_OK;
	case MLX5_MTUTC_OPERATION_ADJUST_TIME:
		/* Sixteen signed bits is what this operation can do. */
		if (adj != (s16)adj)
			return MLX5_CMD_STAT_BAD_PARAM_ERR;
		phc_adjust(&m->nic->phc, now, adj);
		return MLX5_CMD_STAT_OK;
	case MLX5_MTUTC_OPERATION_ADJUST_FREQ_UTC:
		phc_set_ppb(&m->nic->phc, now, ppb);
		return MLX5_CMD_STAT_OK;
	}
	return MLX5_CMD_STAT_BAD_PARAM_ERR;
}
