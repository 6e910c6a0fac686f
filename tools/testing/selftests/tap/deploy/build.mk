# SPDX-License-Identifier: GPL-2.0
$(foreach t,errors lint refresh series source state,$(call host_script,deploy/$(t),tap/deploy/$(t)))
