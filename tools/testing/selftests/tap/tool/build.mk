# SPDX-License-Identifier: GPL-2.0
$(call program,bin/tool-helper,tap/tool/helper.c xdp_hw_metadata/netdev.c xdp_hw_metadata/genl.c \
	xdp_hw_metadata/packet.c,-lbpf -lelf -lz)
$(foreach t,main-job errors caps signals probe rx,$(call script,tap/tool/$(t),tap/tool/$(t)))
$(call data,tap/tool/common.sh,tap/tool/common.sh)
