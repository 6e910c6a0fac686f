# SPDX-License-Identifier: GPL-2.0
LIB_SRCS += lib/tap.c lib/uxsk.c
