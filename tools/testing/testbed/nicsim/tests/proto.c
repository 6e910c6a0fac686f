// SPDX-License-Identifier: GPL-2.0
/* Messages, well-formed and not; nothing about what they move. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/client.h"

static const char *const args[] = { "--nic", "demo,ports=2", NULL };
static struct sim sim;

static void version(void)
{
	static const char json[] = "{\"capabilities\":{\"max_msg_fds\":8}}";
	static const struct {
		const char *name;
		u16 major, minor;
		const char *data;
		u32 len, cut;
		int err;
		u16 minor_back;
	} cases[] = {
		{ "0.1 with capabilities", 0, 1, json, sizeof(json), 0, 0, 1 },
		{ "0.0", 0, 0, json, sizeof(json), 0, 0, 0 },
		{ "0.9 is answered with 0.1", 0, 9, json, sizeof(json), 0, 0, 1 },
		{ "no JSON", 0, 1, NULL, 0, 0, 0, 1 },
		{ "another major", 1, 0, json, sizeof(json), 0, EINVAL, 0 },
		{ "JSON without NUL", 0, 1, json, sizeof(json) - 1, 0, EINVAL, 0 },
		{ "JSON that is none", 0, 1, "x", 2, 0, EINVAL, 0 },
		{ "truncated", 0, 1, NULL, 0, 1, EINVAL, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct client c = { .fd = client_connect_raw(&sim, "a") };
		u8 buf[128] = { 0 };
		struct vfu_version *v = (struct vfu_version *)buf;
		static struct reply r;
		int err;

		v->major = cases[i].major;
		v->minor = cases[i].minor;
		if (cases[i].data)
			memcpy(v + 1, cases[i].data, cases[i].len);
		err = client_call(&c, VFU_VERSION, buf,
				  4 + cases[i].len - cases[i].cut, NULL, 0, &r);
		tap_is(err, cases[i].err, "VERSION %s", cases[i].name);
		if (!err) {
			tap_ok(get_le16(r.data) == 0 && strlen((char *)r.data + 4) + 5 == r.len &&
			       get_le16(r.data + 2) == cases[i].minor_back &&
			       r.data[4] == '{' && !r.data[r.len - 1] &&
			       !strstr((char *)r.data + 4, "write_multiple"),
			       "VERSION %s: a sound answer", cases[i].name);
			err = client_call(&c, VFU_VERSION, buf,
					  4 + cases[i].len, NULL, 0, NULL);
			tap_is(err, EINVAL, "a second VERSION is refused");
		} else {
			tap_ok(client_closed(&c, 5000), "and closed");
		}
		close(c.fd);
	}
}

static void out_of_order(void)
{
	struct client c = { .fd = client_connect_raw(&sim, "a") };
	u32 info[4] = { 16 };

	tap_is(client_call(&c, VFU_GET_INFO, info, 16, NULL, 0, NULL), EPROTO,
	       "a command before VERSION is refused");
	tap_ok(client_closed(&c, 5000), "and closed");
	close(c.fd);

	client_open(&c, &sim, "a");
	client_msg(&c, VFU_GET_INFO, VFU_TYPE_REPLY, 0, info, 16, NULL, 0);
	tap_ok(client_closed(&c, 5000), "a reply to nothing closes");
	client_close(&c);
}

static void sizes(void)
{
	struct client c;
	struct reply r;
	u32 bad[] = { 0, 15, 0x7fffffff, 0xffffffff, (u32)VFU_MAX_MSG + 1 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct vfu_header h = { .id = 7, .command = VFU_GET_INFO,
					.size = bad[i] };

		client_open(&c, &sim, "a");
		client_send(&c, &h, sizeof(h), NULL, 0);
		client_reply(&c, &r, 5000);
		tap_is(r.err, EMSGSIZE, "message of %u bytes is refused", bad[i]);
		tap_ok(client_closed(&c, 5000), "and closed");
		client_close(&c);
	}
}

/* Too short a body, for each command; the connection goes on. */
static void truncated(void)
{
	static const struct {
		u16 command;
		u32 need;
		const char *name;
	} cases[] = {
		{ VFU_DMA_MAP, 32, "DMA_MAP" },
		{ VFU_DMA_UNMAP, 24, "DMA_UNMAP" },
		{ VFU_GET_INFO, 16, "GET_INFO" },
		{ VFU_GET_REGION_INFO, 32, "GET_REGION_INFO" },
		{ VFU_GET_IRQ_INFO, 16, "GET_IRQ_INFO" },
		{ VFU_SET_IRQS, 20, "SET_IRQS" },
		{ VFU_REGION_READ, 16, "REGION_READ" },
		{ VFU_REGION_WRITE, 17, "REGION_WRITE" },
	};
	struct client c;
	u32 body[16] = { 64 };
	size_t i;
	u32 len;

	client_open(&c, &sim, "a");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int good = 0;

		for (len = 0; len < cases[i].need; len++)
			good += client_call(&c, cases[i].command, body, len, NULL,
					    0, NULL) == EINVAL;
		tap_is(good, cases[i].need, "%s: every truncation is refused",
		       cases[i].name);
		memset(body, 0, sizeof(body));
		tap_is(client_call(&c, cases[i].command, body, cases[i].need,
				   NULL, 0, NULL), EINVAL,
		       "%s: argsz or count 0 is refused", cases[i].name);
		body[0] = 64;
	}
	client_close(&c);
}

static void unsupported(void)
{
	static const u16 refused[] = { VFU_GET_REGION_IO_FDS, VFU_DIRTY_PAGES,
		VFU_WRITE_MULTI, VFU_FEATURE, VFU_MIG_READ, VFU_MIG_WRITE };
	static const u16 unknown[] = { 0, VFU_DMA_READ, VFU_DMA_WRITE, 19, 999,
				       0xffff };
	struct client c;
	u32 body[16] = { 64 };
	u64 val;
	size_t i;

	client_open(&c, &sim, "a");
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		tap_is(client_call(&c, refused[i], body, 64, NULL, 0, NULL),
		       EOPNOTSUPP, "command %u is not supported", refused[i]);
	for (i = 0; i < ARRAY_SIZE(unknown); i++)
		tap_is(client_call(&c, unknown[i], body, 64, NULL, 0, NULL),
		       ENOSYS, "command %u is unknown", unknown[i]);
	tap_is(client_read(&c, 0, DEMO_ID, 4, &val), 0, "and the port still works");
	tap_is((long long)val, DEMO_MAGIC, "with the right answer");
	client_close(&c);
}

static void info(void)
{
	struct client c;
	static struct reply r;
	u32 body[8] = { 16 };
	u32 i;

	client_open(&c, &sim, "a");
	tap_is(client_call(&c, VFU_GET_INFO, body, 16, NULL, 0, &r), 0, "GET_INFO");
	tap_ok(get_le32(r.data + 4) == 3 && get_le32(r.data + 8) == 9 &&
	       get_le32(r.data + 12) == 5, "a PCI device with reset");
	for (i = 0; i < 11; i++) {
		struct vfio_region_info ri = { .argsz = sizeof(ri), .index = i };
		u64 size = i == 0 ? 65536 : i == VFIO_PCI_CONFIG_REGION_INDEX ?
			4096 : 0;
		int err = client_call(&c, VFU_GET_REGION_INFO, &ri, sizeof(ri),
				      NULL, 0, &r);

		memcpy(&ri, r.data, sizeof(ri));
		tap_is(err, i < 9 ? 0 : EINVAL, "region %u", i);
		if (!err)
			tap_ok(ri.size == size && ri.index == i &&
			       ri.flags == (size ? 3U : 0U),
			       "region %u: %llu bytes, no MMAP", i,
			       (unsigned long long)size);
	}
	for (i = 0; i < 6; i++) {
		struct vfio_irq_info ii = { .argsz = sizeof(ii), .index = i };
		static const u32 count[] = { 1, 16, DEMO_VECTORS, 0, 0 };
		int err = client_call(&c, VFU_GET_IRQ_INFO, &ii, sizeof(ii),
				      NULL, 0, &r);

		memcpy(&ii, r.data, sizeof(ii));
		tap_is(err, i < 5 ? 0 : EINVAL, "interrupt type %u", i);
		if (!err)
			tap_is(ii.count, count[i], "has its vectors");
	}
	client_close(&c);
}

static void access_rules(void)
{
	static const struct {
		const char *name;
		u32 region;
		u64 off;
		u32 count;
		int err;
	} cases[] = {
		{ "behind the BAR", 0, 65536, 4, EINVAL },
		{ "across the BAR's end", 0, 65532, 8, EINVAL },
		{ "offset near 2^64", 0, ~3ULL, 4, EINVAL },
		{ "a BAR that isn't there", 2, 0, 4, EINVAL },
		{ "the upper half of a 64-bit BAR", 1, 0, 4, EINVAL },
		{ "the ROM", 6, 0, 4, EINVAL },
		{ "region 99", 99, 0, 4, EINVAL },
		{ "0 bytes", 0, 0, 0, EINVAL },
		{ "3 bytes", 0, 0, 3, EINVAL },
		{ "16 bytes", 0, 0, 16, EINVAL },
		{ "misaligned", 0, 2, 4, EINVAL },
		{ "2^32 - 1 bytes", 0, 0, 0xffffffff, EINVAL },
		{ "an unknown register", 0, 0x40, 4, ENOENT },
		{ "a byte", 0, 1, 1, 0 },
		{ "8 bytes", 0, 0x20, 8, 0 },
		{ "the MSI-X table", 0, DEMO_MSIX_TABLE + 16, 4, 0 },
		{ "all of configuration space", 7, 0, 4096, 0 },
		{ "behind configuration space", 7, 4096, 1, EINVAL },
		{ "more than configuration space", 7, 1, 4096, EINVAL },
	};
	struct client c;
	u64 val;
	size_t i;

	client_open(&c, &sim, "a");
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		tap_is(client_read(&c, cases[i].region, cases[i].off,
				   cases[i].count, &val), cases[i].err,
		       "read of %s", cases[i].name);
	client_close(&c);
}

static void posted(void)
{
	struct client c;
	static u8 buf[1000 * 36];
	size_t len = 0;
	u64 val;
	u32 i;

	client_open(&c, &sim, "a");
	/* A thousand posted writes in one go, then a read must see the last. */
	for (i = 0; i < 1000; i++) {
		struct vfu_header h = { .id = (u16)i, .command = VFU_REGION_WRITE,
					.size = 36, .flags = VFU_NO_REPLY };
		struct vfu_region_io io = { .offset = DEMO_SCRATCH, .count = 4 };

		memcpy(buf + len, &h, sizeof(h));
		memcpy(buf + len + 16, &io, sizeof(io));
		put_le32(buf + len + 32, i);
		len += 36;
	}
	client_send(&c, buf, len, NULL, 0);
	tap_is(client_read(&c, 0, DEMO_SCRATCH, 4, &val), 0,
	       "posted writes get no reply");
	tap_is((long long)val, 999, "a read sees all posted writes before it");

	/* Byte by byte: a message is a message however it arrives. */
	put_le32(buf + 32, 4711);
	for (i = 0; i < 36; i++)
		client_send(&c, buf + i, 1, NULL, 0);
	client_read(&c, 0, DEMO_SCRATCH, 4, &val);
	tap_is((long long)val, 4711, "a message in 36 pieces");

	tap_is(client_write(&c, 0, DEMO_SCRATCH, 4, 1, false), 0,
	       "a write that wants a reply gets one");
	tap_is(client_write(&c, 0, 0x40, 4, 1, false), ENOENT,
	       "a refused write says so");
	tap_is(client_write(&c, 0, DEMO_SCRATCH, 2, 1, false), EINVAL,
	       "half a register can't be written");
	client_close(&c);
}

static void config(void)
{
	struct client c;
	u64 val, cap, next;
	int caps = 0;

	client_open(&c, &sim, "a");
	client_read(&c, 7, 0, 4, &val);
	tap_is((long long)val, DEMO_VENDOR | DEMO_DEVICE << 16, "ids");
	client_read(&c, 7, 8, 4, &val);
	tap_is((long long)val, 0x02000000, "class");
	client_write(&c, 7, 0, 4, 0, false);
	client_read(&c, 7, 0, 2, &val);
	tap_is((long long)val, DEMO_VENDOR, "ids are read-only");
	client_write(&c, 7, 0x10, 8, ~0ULL, false);
	client_read(&c, 7, 0x10, 8, &val);
	tap_is((long long)val, (long long)0xffffffffffff0004ULL,
	       "BAR sizing, 64 bits");
	client_read(&c, 7, 0x34, 1, &next);
	while (next && caps < 8) {
		client_read(&c, 7, next, 2, &cap);
		caps++;
		if ((cap & 0xff) == 0x11) {
			client_read(&c, 7, next + 2, 2, &val);
			tap_is((long long)val, DEMO_VECTORS - 1, "MSI-X size");
			client_read(&c, 7, next + 4, 4, &val);
			tap_is((long long)val, DEMO_MSIX_TABLE, "MSI-X table");
		} else if ((cap & 0xff) == 0x05) {
			client_read(&c, 7, next + 2, 2, &val);
			tap_is((long long)val, 0x88, "MSI: 16 vectors, 64 bits");
		}
		next = cap >> 8;
	}
	tap_is(caps, 3, "PCI Express, MSI and MSI-X capabilities");
	client_read(&c, 7, 0x100, 4, &val);
	tap_is((long long)val, 0x00010003, "serial number capability");
	wr32(&c, DEMO_SCRATCH, 1);
	client_write(&c, 7, 0x40 + 8, 2, 0x8000, false);
	tap_is(rd32(&c, DEMO_SCRATCH), 0x5a5a5a5a, "function level reset");
	wr32(&c, DEMO_SCRATCH, 1);
	client_call(&c, VFU_RESET, NULL, 0, NULL, 0, NULL);
	tap_is(rd32(&c, DEMO_SCRATCH), 0x5a5a5a5a, "DEVICE_RESET");
	client_close(&c);
}

int main(void)
{
	sim_start(&sim, args);
	version();
	out_of_order();
	sizes();
	truncated();
	unsupported();
	info();
	access_rules();
	posted();
	config();
	tap_ok(sim_alive(&sim), "nicsim survived all that");
	sim_stop(&sim);
	return tap_done();
}
