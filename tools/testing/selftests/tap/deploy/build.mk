# SPDX-License-Identifier: GPL-2.0
$(foreach t,refresh state source errors,$(call host_script,deploy/$(t),tap/deploy/$(t)))
