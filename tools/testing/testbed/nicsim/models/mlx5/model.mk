# SPDX-License-Identifier: GPL-2.0
# The device's layouts come from the kernel tree under test, through a link.
mlx5_PRM := $(KTREE)/include/linux/mlx5
mlx5_INC := $(OBJ)/mlx5-include
ifneq ($(wildcard $(mlx5_PRM)/mlx5_ifc.h),)
$(shell mkdir -p $(mlx5_INC)/linux && ln -sfn $(mlx5_PRM) $(mlx5_INC)/linux/mlx5)
else
$(warning no $(mlx5_PRM)/mlx5_ifc.h, nicsim is built without mlx5; unpack the kernel (make kernel) or set KTREE)
SKIP_MODELS += mlx5
endif
mlx5_CFLAGS := -fno-strict-aliasing -I$(mlx5_INC) -Imodels/mlx5/compat
