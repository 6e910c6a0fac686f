// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit.h"
#include "vfio_user/vfu.h"

struct nic *unit_nic(const struct nic_ops *ops, const char *opts)
{
	struct optset *o = opt_parse(opts);
	struct nic *nic;

	if (!o)
		tap_bail("options %s", opts);
	nic = nic_new(ops, o, 0, 1);
	opt_free(o);
	if (!nic)
		tap_bail("port of %s does not start", ops->name);
	nics[nic_count++] = nic;
	return nic;
}

u8 *unit_mem(struct nic *nic, u64 iova, u64 size, bool write)
{
	struct vfu_dma_map m = {
		.argsz = sizeof(m), .address = iova, .size = size,
		.flags = VFU_MAP_READ | (write ? VFU_MAP_WRITE : 0),
	};
	int fd = memfd_create("guest", MFD_CLOEXEC);
	u16 command = htole16(6);
	u8 *mem;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		tap_bail("memfd: %m");
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED || dma_add(nic, &m, fd))
		tap_bail("guest memory at %#llx", (unsigned long long)iova);
	close(fd);
	pci_config_write(nic, 4, &command, 2);
	return mem;
}

void unit_run(u64 ns)
{
	loop_run_until(mono_now() + ns);
}

void unit_quiet(void)
{
	if (log_open("/dev/null"))
		tap_bail("/dev/null: %m");
}
