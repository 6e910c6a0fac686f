// SPDX-License-Identifier: GPL-2.0
#include "nic.h"

static const char *const names[FAULT_KINDS] = {
	[FAULT_STAMP_LOSE] = "stamp-lose",
	[FAULT_STAMP_DELAY] = "stamp-delay",
	[FAULT_HOLD] = "hold",
	[FAULT_GAP] = "gap",
	[FAULT_HANG] = "hang",
	[FAULT_CMD] = "cmd",
	[FAULT_ERROR] = "error",
	[FAULT_TX_DROP] = "tx-drop",
	[FAULT_CSUM_BAD] = "csum-bad",
	[FAULT_STAMP_OFF] = "stamp-off",
};

const char *fault_name(enum fault_kind kind)
{
	return names[kind];
}

int fault_by_name(const char *name)
{
	u32 i;

	for (i = 0; i < FAULT_KINDS; i++)
		if (!strcmp(name, names[i]))
			return (int)i;
	return -1;
}

static bool strike(struct nic *nic, struct fault *f, enum fault_kind kind)
{
	f->seen++;
	if (f->seen <= f->skip)
		return false;
	if (f->every > 1 && (f->seen - f->skip) % f->every)
		return false;
	f->hits++;
	nic_log(nic, LOG_DEBUG, "fault %s strikes", names[kind]);
	if (f->count != UINT64_MAX && !--f->count)
		f->armed = false;
	return true;
}

bool fault_armed(const struct nic *nic, enum fault_kind kind, u64 queue)
{
	const struct fault *f = &nic->faults.f[kind];

	return f->armed && (f->queue == FAULT_ANY || queue == FAULT_ANY ||
			    f->queue == queue);
}

bool fault_take(struct nic *nic, enum fault_kind kind, u64 queue, u64 *arg)
{
	struct fault *f = &nic->faults.f[kind];

	if (!fault_armed(nic, kind, queue))
		return false;
	if (arg)
		*arg = f->arg;
	return strike(nic, f, kind);
}

bool fault_take_cmd(struct nic *nic, u64 opcode, u64 *status)
{
	struct fault *f = &nic->faults.f[FAULT_CMD];

	if (!f->armed || (f->arg != FAULT_ANY && f->arg != opcode))
		return false;
	*status = f->val;
	return strike(nic, f, FAULT_CMD);
}

void fault_clear_all(struct nic *nic)
{
	memset(&nic->faults, 0, sizeof(nic->faults));
}
