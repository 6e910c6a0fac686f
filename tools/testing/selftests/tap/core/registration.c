// SPDX-License-Identifier: GPL-2.0
/*
 * Which UMEM registrations are accepted: metadata length, flags, headroom, and
 * option lengths of older and newer programs. Accepted ones are bound, and must
 * have a metadata area exactly if they asked for one.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core.h"

#define LEN_FLAG	XDP_UMEM_TX_METADATA_LEN
#define SIZE		(64 * 4096)

static struct core core;
static void *area;

struct reg_case {
	const char *name;
	__u32 flags, meta_len;
	int want;
	__u32 optlen;		/* 0: 32 */
	__u32 chunk, headroom;	/* 0: 2048, 0 */
	bool no_area;		/* accepted, but without a metadata area */
};

static const struct reg_case cases[] = {
	{ "no flags", 0, 0, 0, .no_area = true },
	{ "length without flag is ignored", 0, 24, 0, .no_area = true },
	{ "garbage without flag is ignored", 0, 0xdeadbeef, 0, .no_area = true },
	{ "garbage with another flag is ignored", XDP_UMEM_UNALIGNED_CHUNK_FLAG,
	  0xffffffff, 0, .no_area = true },
	{ "length 0", LEN_FLAG, 0, -EINVAL },
	{ "length 1", LEN_FLAG, 1, -EINVAL },
	{ "length 8", LEN_FLAG, 8, -EINVAL },
	{ "length 12", LEN_FLAG, 12, -EINVAL },
	{ "length 15", LEN_FLAG, 15, -EINVAL },
	{ "length 16", LEN_FLAG, 16, 0 },
	{ "length 17", LEN_FLAG, 17, -EINVAL },
	{ "length 20", LEN_FLAG, 20, -EINVAL },
	{ "length 24", LEN_FLAG, 24, 0 },
	{ "length 28", LEN_FLAG, 28, -EINVAL },
	{ "length 32", LEN_FLAG, 32, 0 },
	{ "length 128", LEN_FLAG, 128, 0 },
	{ "length 248", LEN_FLAG, 248, 0 },
	{ "length 252", LEN_FLAG, 252, -EINVAL },
	{ "length 255", LEN_FLAG, 255, -EINVAL },
	{ "length 256", LEN_FLAG, 256, -EINVAL },
	{ "length 256 + 24, which 8 bits would cut to 24", LEN_FLAG, 280, -EINVAL },
	{ "length 65536 + 24, which 16 bits would cut to 24", LEN_FLAG, 65560, -EINVAL },
	{ "length 2^31 + 24", LEN_FLAG, 0x80000018, -EINVAL },
	{ "length 2^32 - 8", LEN_FLAG, 0xfffffff8, -EINVAL },
	{ "software checksum alone", XDP_UMEM_TX_SW_CSUM, 0, 0, .no_area = true },
	{ "software checksum, bad length", XDP_UMEM_TX_SW_CSUM | LEN_FLAG, 8, -EINVAL },
	{ "software checksum with an area", XDP_UMEM_TX_SW_CSUM | LEN_FLAG, 24, 0 },
	{ "unaligned chunks with an area", XDP_UMEM_UNALIGNED_CHUNK_FLAG | LEN_FLAG, 24, 0,
	  .chunk = 3000 },
	{ "all three flags", 7, 24, 0 },
	{ "optlen 23", 0, 0, -EINVAL, .optlen = 23 },
	{ "optlen 24: flags are not read", 0xffffffff, 0xffffffff, 0, .optlen = 24,
	  .no_area = true },
	{ "optlen 28 is taken as 24: no flags", LEN_FLAG, 24, 0, .optlen = 28,
	  .no_area = true },
	{ "optlen 31 is taken as 24: no flags", LEN_FLAG, 24, 0, .optlen = 31,
	  .no_area = true },
	{ "optlen 32", LEN_FLAG, 24, 0, .optlen = 32 },
	{ "optlen 40 of a newer program", LEN_FLAG, 24, 0, .optlen = 40 },
	{ "optlen 40, bad length", LEN_FLAG, 8, -EINVAL, .optlen = 40 },
	{ "chunk of 2048 with 256 bytes of headroom", LEN_FLAG, 24, 0, .headroom = 256 },
	{ "headroom that leaves no room for a frame", LEN_FLAG, 24, -EINVAL,
	  .headroom = 2048 - 256 - 320 },
	{ "headroom larger than the chunk", LEN_FLAG, 24, -EINVAL, .headroom = 4096 },
	{ "headroom near 2^32", LEN_FLAG, 24, -EINVAL, .headroom = 0xffffff00 },
	{ "chunk of 1024", LEN_FLAG, 24, -EINVAL, .chunk = 1024 },
	{ "chunk of 4096", LEN_FLAG, 24, 0, .chunk = 4096 },
};

static void fill_reg(__u8 *buf, const struct reg_case *c)
{
	struct uxsk_umem_reg reg = {
		.addr = (uintptr_t)area,
		.chunk_size = c->chunk ?: 2048,
		.headroom = c->headroom,
		.flags = c->flags,
		.tx_metadata_len = c->meta_len,
	};

	reg.len = SIZE / reg.chunk_size * reg.chunk_size;
	memset(buf, 0xa5, 64);
	memcpy(buf, &reg, sizeof(reg));
}

static int trial(const struct reg_case *c)
{
	__u8 buf[64];
	int fd, ret;

	fill_reg(buf, c);
	fd = uxsk_socket();
	if (fd < 0)
		tap_bail("socket: %s", strerror(-fd));
	ret = uxsk_umem_reg(fd, buf, c->optlen ?: sizeof(struct uxsk_umem_reg));
	close(fd);
	return ret;
}

/*
 * A frame with an option that no kernel knows is refused; one at address 0
 * is taken exactly if no area has to fit before it.
 */
static void check_area(const struct reg_case *c)
{
	struct uxsk_cfg cfg = uxsk_cfg_tx(core.ifname, 0);
	struct pkt p = { .payload = 32, .seq = 1 };
	__u64 addrs[4], room = c->no_area ? 0 : c->meta_len;
	struct uxsk x;
	int err;

	cfg.area = area;
	cfg.chunk_size = c->chunk ?: 2048;
	cfg.chunks = SIZE / cfg.chunk_size;
	cfg.headroom = c->headroom;
	cfg.umem_flags = c->flags;
	cfg.tx_metadata_len = c->meta_len;
	cfg.optlen = c->optlen > 32 ? 0 : c->optlen;
	err = uxsk_open(&x, &cfg);
	if (!tap_is(err, 0, "%s: binds", c->name))
		return;
	memset(area, 0, 256);
	pkt_build(&p, area + room);
	if (room) {
		core_put(&x, room - 8, p.len, 0);
		core_put(&x, room, p.len, META_TX);
	} else {
		core_put(&x, 0, p.len, 4);
		core_put(&x, 0, p.len, 0);
	}
	tap_ok(uxsk_drain(&x, addrs, 1, TIMEOUT_MS, &err) == 1 && !err && addrs[0] == room &&
	       core_invalid(&x) == 1, "%s: %s metadata area", c->name, room ? "has a" : "has no");
	uxsk_close(&x);
}

static void check_socket_state(void)
{
	struct reg_case good = { .flags = LEN_FLAG, .meta_len = 24 };
	struct reg_case bad = { .flags = LEN_FLAG, .meta_len = 8 };
	int fd = uxsk_socket();
	__u8 buf[64];
	unsigned int i;

	fill_reg(buf, &bad);
	tap_is(uxsk_umem_reg(fd, buf, 32), -EINVAL, "a refused registration");
	fill_reg(buf, &good);
	tap_is(uxsk_umem_reg(fd, buf, 32), 0, "leaves the socket free for a good one");
	tap_is(uxsk_umem_reg(fd, buf, 32), -EBUSY, "a second one is refused");
	close(fd);

	fd = uxsk_socket();
	tap_is(uxsk_umem_reg(fd, NULL, 32), -EFAULT, "an unreadable registration");
	for (i = 3; i < 32; i++) {
		struct reg_case c = { .flags = 1U << i | LEN_FLAG, .meta_len = 24 };

		fill_reg(buf, &c);
		if (uxsk_umem_reg(fd, buf, 32) != -EINVAL)
			break;
	}
	tap_is(i, 32, "every unknown flag is refused");
	close(fd);
}

int main(void)
{
	unsigned int i;

	core_init(&core);
	area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		tap_bail("mmap: %s", strerror(errno));

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (tap_is(trial(&cases[i]), cases[i].want, "%s: %s", cases[i].name,
			   cases[i].want ? "EINVAL" : "accepted") && !cases[i].want)
			check_area(&cases[i]);
	}
	check_socket_state();
	return tap_done();
}
