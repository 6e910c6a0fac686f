# SPDX-License-Identifier: GPL-2.0
LIB_SRCS += lib/tap.c lib/uxsk.c
$(call data,lib/tap.sh,lib/tap.sh)
