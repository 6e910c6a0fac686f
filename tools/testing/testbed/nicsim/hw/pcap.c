// SPDX-License-Identifier: GPL-2.0
/*
 * pcapng: a section header block, an interface description block a port, an
 * enhanced packet block a frame. Blocks are padded to 4 bytes and carry their
 * length at both ends.
 */
#include <stdio.h>
#include <time.h>

#include "nic.h"

#define BLOCK_SECTION	0x0a0d0d0a
#define BLOCK_INTERFACE	1
#define BLOCK_PACKET	6
#define BYTE_ORDER_MAGIC 0x1a2b3c4d
#define LINKTYPE_ETHERNET 1
#define OPT_IF_NAME	2
#define OPT_IF_TSRESOL	9
#define PORTS_MAX	64

static FILE *pcap_file;
static u64 realtime_offset;
/* Interfaces are numbered in the order of their blocks. */
static u32 interfaces;
static u32 interface_of[PORTS_MAX];

static void put(const void *data, u32 len)
{
	static const u8 zero[4];

	fwrite(data, 1, len, pcap_file);
	fwrite(zero, 1, -len & 3, pcap_file);
}

static void put32(u32 val)
{
	put(&val, sizeof(val));
}

static void put_option(u16 code, const void *data, u16 len)
{
	u16 head[2] = { code, len };

	put(head, sizeof(head));
	put(data, len);
}

int pcap_open(const char *path)
{
	static const u64 unknown_length = UINT64_MAX;
	struct timespec ts;

	pcap_file = fopen(path, "we");
	if (!pcap_file)
		return -errno;
	clock_gettime(CLOCK_REALTIME, &ts);
	realtime_offset = (u64)ts.tv_sec * NSEC_PER_SEC + (u64)ts.tv_nsec -
			  mono_now();
	interfaces = 0;
	put32(BLOCK_SECTION);
	put32(28);
	put32(BYTE_ORDER_MAGIC);
	put32(1);
	put(&unknown_length, sizeof(unknown_length));
	put32(28);
	return 0;
}

int pcap_port(unsigned int port, const char *name)
{
	static const u8 nanoseconds = 9;
	u16 len = (u16)strlen(name);
	u32 block = 20 + 4 + ((len + 3U) & ~3U) + 8 + 4;

	if (!pcap_file || port >= PORTS_MAX)
		return -EINVAL;
	interface_of[port] = interfaces++;
	put32(BLOCK_INTERFACE);
	put32(block);
	put32(LINKTYPE_ETHERNET);
	put32(0);
	put_option(OPT_IF_NAME, name, len);
	put_option(OPT_IF_TSRESOL, &nanoseconds, 1);
	put32(0);
	put32(block);
	return 0;
}

void pcap_frame(unsigned int port, u64 mono, const u8 *data, u32 len)
{
	u64 t = mono + realtime_offset;
	u32 block = 32 + ((len + 3U) & ~3U);

	if (!pcap_file || port >= PORTS_MAX)
		return;
	put32(BLOCK_PACKET);
	put32(block);
	put32(interface_of[port]);
	put32((u32)(t >> 32));
	put32((u32)t);
	put32(len);
	put32(len);
	put(data, len);
	put32(block);
}

int pcap_flush(void)
{
	if (!pcap_file)
		return 0;
	if (fflush(pcap_file) || ferror(pcap_file))
		return errno ? -errno : -EIO;
	return 0;
}

void pcap_close(void)
{
	if (pcap_file)
		fclose(pcap_file);
	pcap_file = NULL;
}
