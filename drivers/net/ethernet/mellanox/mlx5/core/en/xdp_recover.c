// SPDX-License-Identifier: GPL-2.0
/* Recovery of XDP send queues
 *
 * After an error completion the device flushes what is posted, and what will
 * be, until the queue has gone through reset. Transmitters look at
 * MLX5E_SQ_STATE_RECOVERING at the start of a batch.
 */

#include "en/health.h"
#include "en/xdp.h"
#include "lib/tout.h"

/* All frames are completed, by the device, one way or another. */
static bool mlx5e_xdpsq_wait_flushed(struct mlx5e_xdpsq *sq)
{
	unsigned long timeout = msecs_to_jiffies(mlx5_tout_ms(sq->channel->mdev,
							      FLUSH_ON_ERROR));
	unsigned long end = jiffies + timeout;

	while (READ_ONCE(sq->cc) != READ_ONCE(sq->pc)) {
		if (!test_bit(MLX5E_SQ_STATE_ENABLED, &sq->state))
			return false;

		if (time_after(jiffies, end)) {
			netdev_err(sq->channel->netdev,
				   "XDP SQ 0x%x is not flushed (cc 0x%x, pc 0x%x)\n",
				   sq->sqn, sq->cc, sq->pc);
			return false;
		}

		/* Completions in the queue whose event came before the error. */
		mlx5e_trigger_napi_sched(&sq->channel->napi);
		usleep_range(1000, 2000);
	}

	return true;
}

static bool mlx5e_xdpsq_recover(struct mlx5e_xdpsq *sq)
{
	struct mlx5_core_dev *mdev = sq->channel->mdev;
	u8 state;

	/* Nobody who did not see the bit is still posting. */
	synchronize_net();

	if (mlx5_core_query_sq_state(mdev, sq->sqn, &state) ||
	    state != MLX5_SQC_STATE_ERR)
		return false;

	if (!mlx5e_xdpsq_wait_flushed(sq))
		return false;

	/* The last completion is counted before NAPI is done with it. */
	synchronize_net();

	if (mlx5e_health_sq_to_ready(mdev, sq->channel->netdev, sq->sqn))
		return false;

	sq->cc = 0;
	sq->pc = 0;
	sq->xdpi_fifo_cc = 0;
	sq->xdpi_fifo_pc = 0;
	sq->doorbell_cseg = NULL;

	return true;
}

/**
 * mlx5e_xdpsq_recover_work - bring a send queue in error back
 * @work: the queue's recover_work, queued by the one who has set
 *	MLX5E_SQ_STATE_RECOVERING
 *
 * Process context, needs no lock: the queue is not closed before the work is
 * cancelled, and it ends early once the queue is being closed.
 */
void mlx5e_xdpsq_recover_work(struct work_struct *work)
{
	struct mlx5e_xdpsq *sq = container_of(work, struct mlx5e_xdpsq,
					      recover_work);

	if (mlx5e_xdpsq_recover(sq))
		sq->stats->recover++;

	/* Who finds the bit cleared finds the indices as they are now. */
	synchronize_net();
	clear_bit(MLX5E_SQ_STATE_RECOVERING, &sq->state);

	/* Frames may have waited in an AF_XDP ring. */
	mlx5e_trigger_napi_sched(&sq->channel->napi);
}
