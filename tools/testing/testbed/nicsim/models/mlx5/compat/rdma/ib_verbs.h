/* SPDX-License-Identifier: GPL-2.0 */
/* Stands in for the kernel's header of this name, which mlx5/device.h includes. */
#ifndef NICSIM_MLX5_IB_VERBS_H
#define NICSIM_MLX5_IB_VERBS_H

/* Embedded in a completion format that the model does not write. */
struct ib_grh {
	unsigned char	raw[40];
};

#endif
