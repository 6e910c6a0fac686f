# SPDX-License-Identifier: GPL-2.0
CORE_C := registration descriptors requests checksum stamps completion launch \
	compat race teardown forward devices
$(foreach t,$(CORE_C),$(call program,tap/core/$(t),tap/core/$(t).c tap/core/core.c tap/core/hold.c))
