# SPDX-License-Identifier: GPL-2.0
# Registers and admin queue layouts are the driver's own, from the kernel tree.
i40e_DRV := $(KTREE)/drivers/net/ethernet/intel/i40e
ifeq ($(wildcard $(i40e_DRV)/i40e_register.h),)
$(warning no $(i40e_DRV)/i40e_register.h, nicsim is built without i40e; unpack the kernel (make kernel) or set KTREE)
SKIP_MODELS += i40e
endif
i40e_CFLAGS := -isystem $(i40e_DRV)
