# SPDX-License-Identifier: GPL-2.0
LIB_SRCS += lib/tap.c lib/uxsk.c lib/pkt.c lib/net.c lib/sniff.c lib/xdp.c
$(call data,lib/tap.sh,lib/tap.sh)
