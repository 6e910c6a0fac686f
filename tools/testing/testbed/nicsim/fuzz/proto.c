// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target: the vfio-user stream. The input is a row of chunks, each
 *	1 byte	how: bit 0 put the right size into the header, bit 1 set NO_REPLY,
 *		bits 2-3 descriptors, bits 4-5 what they are, bit 6 cut in two
 *	1 byte	length
 *	and that many bytes of the stream.
 * The connection starts with VERSION agreed unless the first byte is odd.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static int memory;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_ports();
	memory = memfd_create("guest", MFD_CLOEXEC);
	if (memory < 0 || ftruncate(memory, 1 << 20))
		abort();
	return 0;
}

static int descriptor(u32 kind)
{
	int fd;

	switch (kind) {
	case 0:
	case 1:
		return dup(memory);
	case 2:
		return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	default:
		fd = dup(2);
		return fd;
	}
}

static bool feed(struct vfu_conn *c, const u8 *buf, u32 len, u32 how)
{
	int fds[3];
	u32 n = how >> 2 & 3, i, first = how & 64 ? len / 2 : 0;

	for (i = 0; i < n; i++)
		fds[i] = descriptor(how >> 4 & 3);
	if (first && !vfu_feed(c, buf, first, NULL, 0)) {
		for (i = 0; i < n; i++)
			close(fds[i]);
		return false;
	}
	return vfu_feed(c, buf + first, len - first, fds, n);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct {
		struct vfu_header h;
		struct vfu_version v;
	} hello = {
		{ .command = VFU_VERSION, .size = 20, .flags = VFU_NO_REPLY },
		{ VFU_MAJOR, VFU_MINOR },
	};
	struct input in = { data, size };
	struct vfu_conn *c = vfu_conn_new(nics[0], -1);
	bool ok = true;

	if (!c)
		abort();
	if (!(take(&in, 1) & 1))
		ok = vfu_feed(c, &hello, 20, NULL, 0);
	while (ok && in.left >= 2) {
		u32 how = (u32)take(&in, 1), len = (u32)take(&in, 1);
		u8 buf[256];

		if (len > in.left)
			len = (u32)in.left;
		memcpy(buf, in.p, len);
		in.p += len;
		in.left -= len;
		if (how & 1 && len >= sizeof(struct vfu_header)) {
			put_le32(buf + 4, len);
			/* Twenty commands in 16 bits would be found too rarely. */
			put_le16(buf + 2, buf[2] % 20);
			put_le32(buf + 8, how & 2 ? VFU_NO_REPLY : 0);
		}
		ok = len && feed(c, buf, len, how);
		fuzz_advance(1000);
	}
	vfu_conn_free(c);
	fuzz_advance(100000000);
	return 0;
}
