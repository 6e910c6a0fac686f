# SPDX-License-Identifier: GPL-2.0
XHM := xdp_hw_metadata
$(call script,bin/main-job,$(XHM)/main-job.sh)

# No system call beyond files and memory: what the unit tests link.
XHM_PURE := $(addprefix $(XHM)/,diag.c opts.c packet.c stats.c json.c clockmap.c verdict.c hwts_rule.c xsk_rule.c)

$(call program,bin/xdp_hw_metadata,$(sort $(wildcard $(XHM)/*.c)),-lbpf -lelf -lz)

$(foreach u,diag opts packet stats json verdict rules,\
	$(call host_test,unit/tool-$(u),$(XHM)/unit/test_$(u).c lib/tap.c $(XHM_PURE)))
