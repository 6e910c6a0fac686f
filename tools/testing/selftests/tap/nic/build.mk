# SPDX-License-Identifier: GPL-2.0
NIC_LIB := tap/nic/nic.c tap/nic/truth.c tap/nic/frame.c tap/nic/xdp.c
nic_topic = $(call program,tap/nic/$(1),tap/nic/$(1).c $(NIC_LIB),,-Itap/nic)

$(call nic_topic,zerocopy)
$(call nic_topic,skbcsum)
$(call nic_topic,skbstamp)
$(call nic_topic,probe)
$(call nic_topic,tcp)
$(call nic_topic,updown)
$(call nic_topic,ptp4l)
$(call nic_topic,planted)
