// SPDX-License-Identifier: GPL-2.0
/* Guest memory: mappings, their descriptors, and what a NIC may reach. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/client.h"

#define RW (VFU_MAP_READ | VFU_MAP_WRITE)
#define MiB (1ULL << 20)

static const char *const args[] = { "--nic", "demo,ports=2", NULL };
static struct sim sim;

static int memfd(u64 size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		tap_bail("memfd: %m");
	return fd;
}

static void rules(void)
{
	struct client c;
	int fd = memfd(MiB), null = open("/dev/null", O_RDWR), i, bad = 0;
	struct {
		const char *name;
		u64 iova, size, off;
		u32 flags;
		int fd, err;
	} cases[] = {
		{ "a page", 0x1000, 0x1000, 0, RW, fd, 0 },
		{ "the same again", 0x1000, 0x1000, 0, RW, fd, EEXIST },
		{ "across its start", 0, 0x1001, 0, RW, fd, EEXIST },
		{ "around it", 0, 0x10000, 0, RW, fd, EEXIST },
		{ "its neighbour", 0x2000, 0x1000, 0x1000, RW, fd, 0 },
		{ "nothing", 0x4000, 0, 0, RW, fd, EINVAL },
		{ "past 2^64", ~0ULL - 0xfff, 0x2000, 0, RW, fd, EINVAL },
		{ "the last page", ~0ULL - 0xfff, 0x1000, 0, RW, fd, 0 },
		{ "behind the file's end", 0x5000, 0x1000, MiB, RW, fd, EINVAL },
		{ "across the file's end", 0x5000, 0x2000, MiB - 0x1000, RW, fd,
		  EINVAL },
		{ "file offset near 2^64", 0x5000, 0x1000, ~0xfffULL, RW, fd,
		  EINVAL },
		{ "an unknown flag", 0x5000, 0x1000, 0, RW | BIT(9), fd, EINVAL },
		{ "mmap without a descriptor", 0x5000, 0x1000, 0,
		  RW | VFU_MAP_MMAP, -1, EINVAL },
		{ "not a file", 0x5000, 0x1000, 0, RW, null, EINVAL },
		{ "a ROM without descriptor", 0xc0000, 0x20000, 0, VFU_MAP_READ,
		  -1, 0 },
		{ "an odd offset", 0x6000, 0x800, 0x801, RW, fd, 0 },
	};
	size_t k;

	client_open(&c, &sim, "a");
	for (k = 0; k < ARRAY_SIZE(cases); k++)
		tap_is(client_map(&c, cases[k].iova, cases[k].size, cases[k].off,
				  cases[k].flags, cases[k].fd), cases[k].err,
		       "map %s", cases[k].name);
	tap_is(client_unmap(&c, 0x1000, 0x800), ENOENT, "unmap half: refused");
	tap_is(client_unmap(&c, 0x9000, 0x1000), ENOENT, "unmap nothing: refused");
	tap_is(client_unmap(&c, 0x1000, 0x1000), 0, "unmap");
	tap_is(client_unmap(&c, 0x1000, 0x1000), ENOENT, "unmap twice: refused");
	for (i = 0; i < 2000; i++)
		bad += client_map(&c, 0x100000, 0x10000, 0, RW, fd) ||
		       client_unmap(&c, 0x100000, 0x10000);
	tap_is(bad, 0, "2000 pairs of map and unmap");
	client_close(&c);
	close(fd);
	close(null);
}

/* A MAP message in @buf. */
static u32 map_msg(u8 *buf, u64 iova, u32 flags)
{
	struct vfu_header h = { .command = VFU_DMA_MAP, .size = 48,
				.flags = VFU_NO_REPLY };
	struct vfu_dma_map m = { .argsz = 32, .flags = flags, .address = iova,
				 .size = 0x1000 };

	memcpy(buf, &h, 16);
	memcpy(buf + 16, &m, 32);
	return 48;
}

/* Sends a frame whose bytes are at @iova; its first payload byte or an error. */
static int fetch(struct client *c, u64 iova, u32 len)
{
	u32 i = rd32(c, DEMO_TX(0) + DEMO_HEAD);

	demo_ring(c, false, 0)[i] = (struct demo_desc) {
		.addr = iova, .len = len,
	};
	demo_tail(c, false, 0, (i + 1) % RING_ENTRIES);
	if (!demo_wait(c, false, 0, i, 10000))
		return -1;
	return demo_ring(c, false, 0)[i].flags & DEMO_F_ERROR ? EFAULT : 0;
}

/* Whose descriptor is whose when they come pipelined, split or both. */
static void descriptors(void)
{
	struct client c, peer;
	char line[512];
	u8 buf[48 * 4], frame[64];
	int fd[2], i;
	u32 len = 0, crc[2];

	client_open_mem(&peer, &sim, "b", 0, 4 * MiB);
	client_open_mem(&c, &sim, "a", 0, 4 * MiB);
	demo_start(&peer);
	demo_start(&c);
	for (i = 0; i < 2; i++) {
		fd[i] = memfd(0x1000);
		demo_frame(frame, 64, 4000, (u64)(1000 + i));
		if (pwrite(fd[i], frame, 64, 0) != 64)
			tap_bail("pwrite: %m");
	}
	/* ROM, fd 0, ROM, fd 1: the descriptors belong to the 2nd and 4th. */
	map_msg(buf, 0x10000000, VFU_MAP_READ);
	map_msg(buf + 48, 0x10001000, RW);
	map_msg(buf + 96, 0x10002000, VFU_MAP_READ);
	map_msg(buf + 144, 0x10003000, RW);
	client_send(&c, buf, 48, NULL, 0);
	client_send(&c, buf + 48, 48, &fd[0], 1);
	client_send(&c, buf + 96, 48, NULL, 0);
	client_send(&c, buf + 144, 48, &fd[1], 1);
	tap_is(fetch(&c, 0x10000000, 64), EFAULT, "an area without descriptor");
	tap_is(fetch(&c, 0x10001000, 64), 0, "an area with one");
	tap_is(fetch(&c, 0x10002000, 64), EFAULT, "another without");
	tap_is(fetch(&c, 0x10003000, 64), 0, "another with one");
	for (i = 0; i < 2; i++) {
		if (!truth_line(&sim, (u32)i, line, sizeof(line)))
			tap_bail("no truth");
		tap_is((long long)truth_num(line, "seq"), 1000 + i,
		       "descriptor %d belongs to its own message", i);
		crc[i] = (u32)truth_num(line, "crc32");
	}
	tap_ok(crc[0] != crc[1], "the two frames differ");

	/* The descriptor arrives with the second half of its message. */
	len = map_msg(buf, 0x10004000, RW);
	client_send(&c, buf, 20, NULL, 0);
	client_send(&c, buf + 20, len - 20, &fd[0], 1);
	tap_is(fetch(&c, 0x10004000, 64), 0, "descriptor on a message's second part");
	/* And with its very first byte, the rest trickling in. */
	map_msg(buf, 0x10005000, RW);
	client_send(&c, buf, 1, &fd[0], 1);
	for (i = 1; i < 48; i++)
		client_send(&c, buf + i, 1, NULL, 0);
	tap_is(fetch(&c, 0x10005000, 64), 0, "descriptor on a message's first byte");

	/* Likewise, with all of the message before it in the same piece. */
	map_msg(buf, 0x10007000, RW);
	map_msg(buf + 48, 0x10008000, RW);
	client_send(&c, buf, 49, &fd[0], 1);
	client_send(&c, buf + 49, 47, NULL, 0);
	tap_is(fetch(&c, 0x10007000, 64), EFAULT, "the message before has no descriptor");
	tap_is(fetch(&c, 0x10008000, 64), 0, "it is the one's that begins with it");

	/* One too many for the message. */
	map_msg(buf, 0x10006000, RW);
	client_send(&c, buf, 48, fd, 2);
	tap_is(fetch(&c, 0x10006000, 64), EFAULT, "two descriptors: not mapped");
	client_close(&c);
	client_close(&peer);
	close(fd[0]);
	close(fd[1]);
}

static void too_many(void)
{
	struct client c;
	int fd[40];
	u8 buf[48];
	u32 i;

	fd[0] = memfd(0x1000);
	for (i = 1; i < 40; i++)
		fd[i] = fd[0];
	client_open(&c, &sim, "a");
	map_msg(buf, 0, RW);
	client_send(&c, buf, 48, fd, 40);
	tap_ok(client_closed(&c, 5000), "40 descriptors on a message: closed");
	client_close(&c);

	/* More and more on a message that never ends. */
	client_open(&c, &sim, "a");
	((struct vfu_header *)buf)->size = 1 << 20;
	for (i = 0; i < 48; i++)
		client_send(&c, buf + i, 1, fd, 8);
	tap_ok(client_closed(&c, 5000), "384 descriptors on a message: closed");
	client_close(&c);
	close(fd[0]);
}

static void reach(void)
{
	struct client c;
	u64 faults;
	int ro = memfd(0x2000), val;

	client_open_mem(&c, &sim, "a", 0, 4 * MiB);
	demo_start(&c);
	client_map(&c, 0x20000000, 0x1000, 0, VFU_MAP_READ, ro);
	client_map(&c, 0x20001000, 0x1000, 0x1000, VFU_MAP_READ, ro);
	client_map(&c, 0x20010000, 0x1000, 0, VFU_MAP_WRITE, ro);
	tap_is(fetch(&c, 0x20000000, 64), 0, "read of a read-only area");
	tap_is(fetch(&c, 0x20000fe0, 64), 0, "read across adjacent areas");
	faults = sim_stat(&sim, "a", "dma_faults");
	tap_is(fetch(&c, 0x20001fe0, 64), EFAULT, "read across an area's end");
	tap_is(fetch(&c, 0x30000000, 64), EFAULT, "read of nothing");
	tap_is(fetch(&c, ~0ULL - 16, 64), EFAULT, "read across 2^64");
	tap_is(fetch(&c, 0x20010000, 64), EFAULT, "read of a write-only area");
	tap_ok(sim_stat(&sim, "a", "dma_faults") >= faults + 4,
	       "each is counted");

	/* A ring in read-only memory: nothing is written back, nothing breaks. */
	wr32(&c, DEMO_TX(1) + DEMO_BASE_LO, 0x20000000);
	wr32(&c, DEMO_TX(1) + DEMO_BASE_HI, 0);
	wr32(&c, DEMO_TX(1) + DEMO_COUNT, 8);
	faults = sim_stat(&sim, "a", "dma_faults");
	demo_tail(&c, false, 1, 7);
	rd32(&c, DEMO_ID);
	tap_ok(sim_stat(&sim, "a", "dma_faults") > faults,
	       "write-back into read-only memory is refused");

	/* A ring in no memory at all. */
	wr32(&c, DEMO_TX(1) + DEMO_BASE_LO, 0x50000000);
	wr32(&c, DEMO_TX(1) + DEMO_COUNT, 64);
	demo_tail(&c, false, 1, 63);
	tap_is(rd32(&c, DEMO_TX(1) + DEMO_HEAD), 63,
	       "a ring outside memory is walked through and gone");
	wr32(&c, DEMO_TX(1) + DEMO_COUNT, 0);
	tap_is(rd32(&c, DEMO_TX(1) + DEMO_COUNT), 0, "a ring of 0 is refused");
	demo_tail(&c, false, 1, 5);
	tap_is(rd32(&c, DEMO_TX(1) + DEMO_TAIL), 0, "and so is its tail");

	client_bus_master(&c, false);
	demo_ring(&c, false, 0)[0].flags = 0;
	faults = sim_stat(&sim, "a", "dma_faults");
	val = (int)rd32(&c, DEMO_TX(0) + DEMO_HEAD);
	demo_tail(&c, false, 0, (u32)(val + 1) % RING_ENTRIES);
	rd32(&c, DEMO_ID);
	tap_ok(sim_stat(&sim, "a", "dma_faults") > faults,
	       "without bus mastering nothing moves");
	client_bus_master(&c, true);

	/* The file shrinks under the mapping. */
	tap_is(ftruncate(ro, 0), 0, "memory is taken away");
	tap_is(fetch(&c, 0x20000000, 64), 0, "a read of it doesn't kill");
	tap_ok(sim_alive(&sim), "nicsim lives");
	/* Unmapped while its frames are under way. */
	client_unmap(&c, 0, 4 * MiB);
	wr32(&c, DEMO_TX(0) + DEMO_TAIL, 3);
	tap_is(rd32(&c, DEMO_ID), DEMO_MAGIC, "rings without memory");
	client_close(&c);
	close(ro);
}

int main(void)
{
	sim_start(&sim, args);
	rules();
	descriptors();
	too_many();
	reach();
	sim_stop(&sim);
	return tap_done();
}
