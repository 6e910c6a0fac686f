// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow RAM: one 4 KiB sector whose words sum to 0xBABA outside the two
 * modules that the checksum skips, read through GLNVM_SRCTL or command 0x701.
 */
#include "i40e.h"

enum {
	SR_PBA_FLAGS = 0x15,
	SR_PBA_PTR = 0x16,
	SR_BOOT_CFG_PTR = 0x17,
	SR_DEV_STARTER = 0x18,
	SR_EETRACK_LO = 0x2d,
	SR_EETRACK_HI = 0x2e,
	SR_VPD_PTR = 0x2f,
	SR_PCIE_ALT_PTR = 0x3e,
	SR_CHECKSUM = 0x3f,
	SR_EMP_SETTINGS_PTR = 0x48,
};

#define SR_VPD_AT		0x200
#define SR_PCIE_ALT_AT		0x400
#define SR_MODULE_WORDS		512
#define SR_BOOT_CFG_AT		0x100
#define SR_OEM_VER		(SR_BOOT_CFG_AT + 0x83)	/* two words, high first */
#define SR_EMP_AT		0x1c0
/* Version, build, patch: with the EETRACK id what "ethtool -i" calls firmware. */
#define OEM_VER			(1 << 24 | 3353 << 8 | 0)

void i40e_nvm_init(struct i40e *s)
{
	u16 sum = 0;
	unsigned int i;

	s->sr[0] = 0x0040;
	s->sr[SR_BOOT_CFG_PTR] = SR_BOOT_CFG_AT;
	s->sr[SR_DEV_STARTER] = 0x9250;
	s->sr[SR_EETRACK_LO] = 0x7a1c;
	s->sr[SR_EETRACK_HI] = 0x8000;
	s->sr[SR_OEM_VER] = OEM_VER >> 16;
	s->sr[SR_OEM_VER + 1] = OEM_VER & 0xffff;
	s->sr[SR_VPD_PTR] = SR_VPD_AT;
	s->sr[SR_PCIE_ALT_PTR] = SR_PCIE_ALT_AT;
	s->sr[SR_EMP_SETTINGS_PTR] = SR_EMP_AT;
	for (i = 0; i < I40E_SR_WORDS; i++) {
		if (i == SR_CHECKSUM ||
		    (i >= SR_VPD_AT && i < SR_VPD_AT + SR_MODULE_WORDS) ||
		    (i >= SR_PCIE_ALT_AT && i < SR_PCIE_ALT_AT + SR_MODULE_WORDS))
			continue;
		sum += s->sr[i];
	}
	s->sr[SR_CHECKSUM] = 0xbaba - sum;
}

void i40e_nvm_srctl(struct i40e *s, u32 val)
{
	u32 addr = (val >> I40E_GLNVM_SRCTL_ADDR_SHIFT) & 0x7fff;

	if (!(val & BIT(I40E_GLNVM_SRCTL_START_SHIFT)))
		return;
	if (addr >= I40E_SR_WORDS) {
		guest_error(s->nic, "shadow RAM: word 0x%x is beyond its end", addr);
		return;
	}
	reg_set(s->regs, I40E_GLNVM_SRDATA,
		     (u32)s->sr[addr] << I40E_GLNVM_SRDATA_RDDATA_SHIFT);
	reg_set(s->regs, I40E_GLNVM_SRCTL, val | I40E_GLNVM_SRCTL_DONE_MASK);
}
