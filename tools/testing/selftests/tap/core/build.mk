# SPDX-License-Identifier: GPL-2.0
CORE_C := registration descriptors requests checksum stamps completion launch \
	compat race teardown forward devices rxshared
$(foreach t,$(CORE_C),$(call program,tap/core/$(t),tap/core/$(t).c tap/core/core.c tap/core/hold.c))

# The base kernel's own test, from the unpacked tree, with Debian's libbpf.
XSKX := $(BUILD)/$(BASE)/linux/tools
$(call script,tap/core/xskxceiver,tap/core/xskxceiver)
$(call script,lib/xskxceiver.list,tap/core/xskxceiver.list)

PROGRAMS += $(GUEST)/bin/xskx
$(GUEST)/bin/xskx: tap/core/xskx.c $(wildcard $(XSKX)/testing/selftests/bpf/xsk*.[ch])
	@mkdir -p $(@D)
	$(CC) -static -O2 -g -w -D_GNU_SOURCE -I$(XSKX)/include -I$(XSKX)/include/uapi \
		-I$(XSKX)/testing/selftests/bpf -include stdint.h -o $@ \
		$< $(filter %/xsk.c,$^) -lbpf -lelf -lz -lpthread
