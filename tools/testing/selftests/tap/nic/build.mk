# SPDX-License-Identifier: GPL-2.0
NIC_LIB := tap/nic/nic.c tap/nic/truth.c tap/nic/frame.c tap/nic/xdp.c
nic_topic = $(call program,tap/nic/$(1),tap/nic/$(1).c $(NIC_LIB),,-Itap/nic)

$(call nic_topic,zerocopy)
$(call nic_topic,skbcsum)
$(call program,tap/nic/skbstamp,tap/nic/skbstamp.c tap/nic/skbts.c $(NIC_LIB),,-Itap/nic)
$(call nic_topic,probe)
$(call nic_topic,tcp)
$(call nic_topic,updown)
$(call program,tap/nic/ptp4l,tap/nic/ptp4l.c tap/nic/ptp.c $(NIC_LIB),,-Itap/nic)
$(call nic_topic,planted)

MD_LIB := $(NIC_LIB) tap/nic/md.c
md_topic = $(call program,tap/nic/$(1),tap/nic/$(1).c $(MD_LIB),,-Itap/nic)

$(call md_topic,stamps)
$(call md_topic,untouched)
$(call md_topic,requests)
$(call md_topic,errors)
$(call md_topic,clocks)
$(call md_topic,csum)
$(call md_topic,faults)
$(call program,tap/nic/launch,tap/nic/launch.c tap/nic/ptp.c $(MD_LIB),,-Itap/nic)
$(call md_topic,teardown)
$(call md_topic,mixed)
$(call md_topic,fixes)
$(call md_topic,shared)
$(call md_topic,short)
$(call program,tap/nic/latch,tap/nic/latch.c tap/nic/skbts.c $(MD_LIB),,-Itap/nic)
