// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: what a guest can do to a model: registers, descriptors and
 * anything else in its memory, configuration space, interrupts, time. Memory is
 * 256 KiB at 0. The input is a row of operations, each a byte and its operands:
 *	low 4 bits  the operation, bit 4 the port, bits 5-7 the access size or BAR
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

#define MEM_SIZE (1U << 18)
#define OFFSETS_MAX 4096

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static u8 *mem;
static int memory;
static u32 offsets[OFFSETS_MAX];
static u32 offset_count;

/* Declared registers, so that an operation can name one by its number. */
static void note_table(const struct reg_desc *table, size_t n)
{
	size_t i;
	u32 k;

	for (i = 0; i < n; i++) {
		u32 count = table[i].count ? table[i].count : 1;
		u32 stride = table[i].stride ? table[i].stride : 4;

		/* The first and last few of an array are enough. */
		for (k = 0; k < count; k++)
			if ((k < 4 || k + 2 > count) && offset_count < OFFSETS_MAX)
				offsets[offset_count++] = table[i].off + k * stride;
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	regs_new_hook = note_table;
	fuzz_ports();
	memory = memfd_create("guest", MFD_CLOEXEC);
	if (memory < 0 || ftruncate(memory, MEM_SIZE))
		abort();
	mem = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	if (mem == MAP_FAILED)
		abort();
	return 0;
}

static void access_bar(struct nic *nic, struct input *in, u32 op, bool known)
{
	u32 size = 1U << (op >> 5 & 3), bar = known ? 0 : (u32)take(in, 1) % 6;
	u64 off, val, bar_size = nic->pci.bar[bar].size;
	bool write = op & 128;

	if (known) {
		off = offset_count ? offsets[take(in, 2) % offset_count] : 0;
		size = 4;
	} else {
		off = take(in, 3) * size;
	}
	if (!bar_size)
		return;
	off %= bar_size;
	off &= ~(u64)(size - 1);
	val = write ? take(in, size) : 0;
	if (write)
		nic->ops->write(nic, bar, off, size, val);
	else
		nic->ops->read(nic, bar, off, size, &val);
}

static void poke(struct input *in)
{
	u32 off = (u32)take(in, 2) * 4, len = (u32)take(in, 1) + 1;

	if (len > in->left)
		len = (u32)in->left;
	if (off > MEM_SIZE - len)
		return;
	memcpy(mem + off, in->p, len);
	in->p += len;
	in->left -= len;
}

static void connect(struct nic *nic)
{
	struct vfio_irq_set set = {
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = nic->pci.msix_vectors ? VFIO_PCI_MSIX_IRQ_INDEX :
						 VFIO_PCI_MSI_IRQ_INDEX,
		.count = 1,
	};
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (irq_set(nic, &set, NULL, 0, &fd, 1))
		close(fd);
}

static void fault(struct nic *nic, struct input *in)
{
	struct fault *f = &nic->faults.f[take(in, 1) % FAULT_KINDS];

	*f = (struct fault) { .armed = true, .queue = FAULT_ANY, .count = 1,
			      .arg = take(in, 2) };
}

static void step(struct input *in)
{
	u32 op = (u32)take(in, 1);
	struct nic *nic = nics[op >> 4 & 1];

	switch (op & 15) {
	case 0: case 1: case 2: case 3: case 4:
		access_bar(nic, in, op, true);
		break;
	case 5: case 6:
		access_bar(nic, in, op, false);
		break;
	case 7: case 8: case 9: case 10:
		poke(in);
		break;
	case 11:
		fuzz_advance(take(in, 2) * 100);
		break;
	case 12:
		fuzz_advance(1ULL << take(in, 1) % 34);
		break;
	case 13:
		if (op & 32)
			fault(nic, in);
		else
			tx_release(nic);
		break;
	case 14:
		nic_reset(nic, op & 32 ? RESET_FAULT : RESET_BUS);
		pci_config_write(nic, 4, "\6", 2);
		break;
	default:
		if (op & 32)
			wire_force_down(nic, op & 64);
		else
			connect(nic);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct vfu_dma_map m = {
		.flags = VFU_MAP_READ | VFU_MAP_WRITE, .size = MEM_SIZE,
	};
	u32 i;

	memset(mem, 0, MEM_SIZE);
	for (i = 0; i < nic_count; i++) {
		if (dma_add(nics[i], &m, memory))
			abort();
		pci_config_write(nics[i], 4, "\6", 2);
	}
	while (in.left)
		step(&in);
	fuzz_advance(100000000);
	for (i = 0; i < nic_count; i++) {
		fault_clear_all(nics[i]);
		wire_force_down(nics[i], false);
		nic_reset(nics[i], RESET_CLIENT);
	}
	fuzz_advance(10000000000);
	return 0;
}
