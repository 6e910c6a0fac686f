# SPDX-License-Identifier: GPL-2.0
$(call program,bin/xsk-txload,xsk_txload/main.c tap/nic/nic.c tap/nic/truth.c tap/nic/xdp.c,,-Itap/nic)
