// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/client.h"

/* A busy host may let a process wait long; a hang is found all the same. */
#define PATIENCE_MS 120000

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static bool poll_in(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) > 0;
}

const char *sim_binary(void)
{
	static char path[4096];
	const char *env = getenv("NICSIM");
	ssize_t n;
	char *end;

	if (env)
		return env;
	/* BUILD/host/tap/nicsim/TOPIC -> BUILD/host/nicsim-asan */
	n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	if (n < 0)
		tap_bail("readlink: %m");
	path[n] = '\0';
	for (int i = 0; i < 3; i++) {
		end = strrchr(path, '/');
		if (!end)
			tap_bail("%s: odd place", path);
		*end = '\0';
	}
	strcat(path, "/nicsim-asan");
	return path;
}

void sim_start(struct sim *s, const char *const *args)
{
	const char *argv[40] = { sim_binary(), "--dir", s->dir, "--truth", s->truth,
				 "--pcap", s->pcap, "--log", s->log };
	int n = 9, pipefd[2];
	char line[16] = "";

	if (!s->dir[0]) {
		strcpy(s->dir, "/tmp/nicsim-test.XXXXXX");
		if (!mkdtemp(s->dir))
			tap_bail("mkdtemp: %m");
	}
	snprintf(s->truth, sizeof(s->truth), "%s/truth.jsonl", s->dir);
	snprintf(s->pcap, sizeof(s->pcap), "%s/wire.pcapng", s->dir);
	snprintf(s->log, sizeof(s->log), "%s/log", s->dir);
	while (*args && n < 39)
		argv[n++] = *args++;
	if (pipe2(pipefd, O_CLOEXEC))
		tap_bail("pipe: %m");
	s->pid = fork();
	if (!s->pid) {
		/* A test that is killed for taking too long leaves nothing behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pipefd[1], 1);
		execv(argv[0], (char *const *)argv);
		perror(argv[0]);
		_exit(127);
	}
	close(pipefd[1]);
	if (!poll_in(pipefd[0], PATIENCE_MS) ||
	    read(pipefd[0], line, sizeof(line) - 1) < 5 || memcmp(line, "ready", 5))
		tap_bail("%s did not get ready", argv[0]);
	close(pipefd[0]);
}

bool sim_alive(const struct sim *s)
{
	int status;

	return waitpid(s->pid, &status, WNOHANG) == 0;
}

static void show_file(const char *path)
{
	char line[512];
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f))
		tap_diag("%.*s", (int)strcspn(line, "\n"), line);
	if (f)
		fclose(f);
}

void sim_stop(struct sim *s)
{
	static const char *const names[] = { "truth.jsonl", "wire.pcapng", "log",
					     "lock" };
	long long end = now_ms() + PATIENCE_MS;
	char path[128];
	int status;
	size_t i;

	kill(s->pid, SIGTERM);
	while (waitpid(s->pid, &status, WNOHANG) == 0) {
		if (now_ms() > end) {
			kill(s->pid, SIGKILL);
			waitpid(s->pid, &status, 0);
			break;
		}
		poll(NULL, 0, 5);
	}
	if (!tap_is(status, 0, "nicsim ends with status 0 and no sanitizer report"))
		show_file(s->log);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", s->dir, names[i]);
		unlink(path);
	}
	tap_ok(!rmdir(s->dir), "nicsim leaves no socket behind");
}

int sim_ctl(const struct sim *s, char *out, size_t room, const char *fmt, ...)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	static char buf[65536];
	size_t len = 0;
	va_list ap;
	int fd, n, code = -1;

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/ctl.sock", s->dir);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)))
		tap_bail("control socket: %m");
	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf) - 1, fmt, ap);
	va_end(ap);
	buf[n++] = '\n';
	if (write(fd, buf, (size_t)n) != n)
		tap_bail("control socket: %m");
	while (code < 0 && poll_in(fd, PATIENCE_MS)) {
		ssize_t got = read(fd, buf + len, sizeof(buf) - 1 - len);
		char *last;

		if (got <= 0)
			break;
		len += (size_t)got;
		buf[len] = '\0';
		if (buf[len - 1] != '\n')
			continue;
		buf[len - 1] = '\0';
		last = strrchr(buf, '\n');
		last = last ? last + 1 : buf;
		if (!strcmp(last, "ok"))
			code = 0;
		else if (!strncmp(last, "error ", 6))
			code = 1;
		else
			buf[len - 1] = '\n';
	}
	close(fd);
	if (code < 0)
		tap_bail("no answer on the control socket");
	if (out)
		snprintf(out, room, "%s", buf);
	return code;
}

u64 sim_stat(const struct sim *s, const char *port, const char *name)
{
	char out[4096], want[64];
	char *at;

	sim_ctl(s, out, sizeof(out), "stats %s", port);
	snprintf(want, sizeof(want), " %s ", name);
	at = strstr(out, want);
	if (!at)
		tap_bail("no statistic %s", name);
	return strtoull(at + strlen(want), NULL, 10);
}

int client_connect_raw(const struct sim *s, const char *port)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s/%s.sock", s->dir, port);
	if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof(un)))
		tap_bail("%s: %m", un.sun_path);
	return fd;
}

void client_send(struct client *c, const void *data, size_t len,
		 const int *fds, u32 nfds)
{
	union {
		char space[CMSG_SPACE(sizeof(int) * 64)];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)data, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nfds) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
		struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);

		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
		memcpy(CMSG_DATA(cm), fds, sizeof(int) * nfds);
	}
	while (iov.iov_len) {
		ssize_t n = sendmsg(c->fd, &msg, MSG_NOSIGNAL);

		if (n < 0)
			return;	/* closed by the server; the caller will see */
		iov.iov_base = (char *)iov.iov_base + n;
		iov.iov_len -= (size_t)n;
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
	}
}

static bool read_all(int fd, void *buf, size_t len, int ms)
{
	u8 *p = buf;

	while (len) {
		ssize_t n;

		if (!poll_in(fd, ms))
			return false;
		n = read(fd, p, len);
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

bool client_reply(struct client *c, struct reply *r, int ms)
{
	r->err = -1;
	r->len = 0;
	if (!read_all(c->fd, &r->h, sizeof(r->h), ms))
		return false;
	r->len = r->h.size - (u32)sizeof(r->h);
	if (r->h.size < sizeof(r->h) || r->len > sizeof(r->data) ||
	    !read_all(c->fd, r->data, r->len, PATIENCE_MS))
		return false;
	r->err = r->h.flags & VFU_ERROR ? (int)r->h.error : 0;
	return (r->h.flags & VFU_TYPE_MASK) == VFU_TYPE_REPLY;
}

bool client_closed(struct client *c, int ms)
{
	char buf[256];

	while (poll_in(c->fd, ms)) {
		ssize_t n = read(c->fd, buf, sizeof(buf));

		if (n <= 0)
			return true;
	}
	return false;
}

void client_msg(struct client *c, u16 command, u32 flags, u32 size,
		const void *data, u32 len, const int *fds, u32 nfds)
{
	struct vfu_header h = {
		.id = ++c->id, .command = command, .flags = flags,
		.size = size ? size : (u32)sizeof(h) + len,
	};
	u8 *buf = malloc(sizeof(h) + len);

	memcpy(buf, &h, sizeof(h));
	if (len)
		memcpy(buf + sizeof(h), data, len);
	client_send(c, buf, sizeof(h) + len, fds, nfds);
	free(buf);
}

int client_call(struct client *c, u16 command, const void *data, u32 len,
		const int *fds, u32 nfds, struct reply *r)
{
	struct reply *own = r ? r : malloc(sizeof(*own));
	int err;

	client_msg(c, command, 0, 0, data, len, fds, nfds);
	if (client_reply(c, own, PATIENCE_MS) &&
	    (own->h.id != c->id || own->h.command != command)) {
		tap_diag("reply to %u/%u instead of %u/%u", own->h.command,
			 own->h.id, command, c->id);
		own->err = -1;
	}
	err = own->err;
	if (!r)
		free(own);
	return err;
}

void client_open(struct client *c, const struct sim *s, const char *port)
{
	struct vfu_version v = { VFU_MAJOR, VFU_MINOR };

	memset(c, 0, sizeof(*c));
	c->memfd = -1;
	c->fd = client_connect_raw(s, port);
	if (client_call(c, VFU_VERSION, &v, sizeof(v), NULL, 0, NULL))
		tap_bail("port %s: no version agreed", port);
}

void client_bus_master(struct client *c, bool on)
{
	client_write(c, VFIO_PCI_CONFIG_REGION_INDEX, 4, 2, on ? 6 : 0, false);
}

void client_open_mem(struct client *c, const struct sim *s, const char *port,
		     u64 iova, u64 size)
{
	client_open(c, s, port);
	c->memfd = memfd_create("guest", MFD_CLOEXEC);
	if (c->memfd < 0 || ftruncate(c->memfd, (off_t)size))
		tap_bail("memfd: %m");
	c->mem_size = size;
	c->iova = iova;
	c->mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, c->memfd, 0);
	if (c->mem == MAP_FAILED)
		tap_bail("mmap: %m");
	if (client_map(c, iova, size, 0, VFU_MAP_READ | VFU_MAP_WRITE, c->memfd))
		tap_bail("DMA_MAP failed");
	client_bus_master(c, true);
}

void client_close(struct client *c)
{
	if (c->mem)
		munmap(c->mem, c->mem_size);
	if (c->memfd >= 0)
		close(c->memfd);
	close(c->fd);
	c->mem = NULL;
	c->memfd = -1;
	c->fd = -1;
}

int client_map(struct client *c, u64 iova, u64 size, u64 offset, u32 flags,
	       int fd)
{
	struct vfu_dma_map m = {
		.argsz = sizeof(m), .flags = flags, .offset = offset,
		.address = iova, .size = size,
	};

	return client_call(c, VFU_DMA_MAP, &m, sizeof(m), &fd, fd >= 0, NULL);
}

int client_unmap(struct client *c, u64 iova, u64 size)
{
	struct vfu_dma_unmap u = {
		.argsz = sizeof(u), .address = iova, .size = size,
	};

	return client_call(c, VFU_DMA_UNMAP, &u, sizeof(u), NULL, 0, NULL);
}

int client_read(struct client *c, u32 region, u64 off, u32 count, u64 *val)
{
	struct vfu_region_io io = {
		.offset = off, .region = region, .count = count,
	};
	struct reply r;
	int err = client_call(c, VFU_REGION_READ, &io, sizeof(io), NULL, 0, &r);

	*val = 0;
	if (!err && (r.len != sizeof(io) + count ||
		     memcmp(r.data, &io, sizeof(io))))
		return -1;
	if (!err)
		memcpy(val, r.data + sizeof(io), count < 8 ? count : 8);
	return err;
}

int client_write(struct client *c, u32 region, u64 off, u32 count, u64 val,
		 bool posted)
{
	struct {
		struct vfu_region_io io;
		u64 val;
	} w = { { .offset = off, .region = region, .count = count }, val };

	if (!posted)
		return client_call(c, VFU_REGION_WRITE, &w,
				   (u32)sizeof(w.io) + count, NULL, 0, NULL);
	client_msg(c, VFU_REGION_WRITE, VFU_NO_REPLY, 0, &w,
		   (u32)sizeof(w.io) + count, NULL, 0);
	return 0;
}

u32 rd32(struct client *c, u32 off)
{
	u64 val;

	/* Callers index rings by it, so no made-up value. */
	if (client_read(c, 0, off, 4, &val))
		tap_bail("register %#x can't be read", off);
	return (u32)val;
}

void wr32(struct client *c, u32 off, u32 val)
{
	client_write(c, 0, off, 4, val, true);
}

int client_irqs(struct client *c, u32 index, u32 start, u32 count, u32 flags,
		const int *fds, u32 nfds)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set), .flags = flags, .index = index,
		.start = start, .count = count,
	};

	return client_call(c, VFU_SET_IRQS, &set, sizeof(set), fds, nfds, NULL);
}

bool event_wait(int fd, int ms, u64 *n)
{
	*n = 0;
	return poll_in(fd, ms) && read(fd, n, sizeof(*n)) == sizeof(*n);
}

/* Layout of client memory: rings first, buffers from 1 MiB on. */
static u64 ring_off(bool rx, u32 q)
{
	return (rx ? 0x8000 : 0) + q * 0x1000;
}

struct demo_desc *demo_ring(const struct client *c, bool rx, u32 q)
{
	return (struct demo_desc *)(c->mem + ring_off(rx, q));
}

static u64 buf_off(bool rx, u32 q, u32 i)
{
	return 0x100000 + ((rx * DEMO_QUEUES + q) * RING_ENTRIES + i) * 2048ULL;
}

u64 demo_buf(const struct client *c, bool rx, u32 q, u32 i)
{
	return c->iova + buf_off(rx, q, i);
}

void demo_start(struct client *c)
{
	u32 q, i;

	for (q = 0; q < DEMO_QUEUES; q++) {
		u64 tx = c->iova + ring_off(false, q);
		u64 rx = c->iova + ring_off(true, q);

		for (i = 0; i < RING_ENTRIES; i++)
			demo_ring(c, true, q)[i] = (struct demo_desc) {
				.addr = demo_buf(c, true, q, i), .len = 2048,
			};
		wr32(c, DEMO_TX(q) + DEMO_BASE_LO, (u32)tx);
		wr32(c, DEMO_TX(q) + DEMO_BASE_HI, (u32)(tx >> 32));
		wr32(c, DEMO_TX(q) + DEMO_COUNT, RING_ENTRIES);
		wr32(c, DEMO_RX(q) + DEMO_BASE_LO, (u32)rx);
		wr32(c, DEMO_RX(q) + DEMO_BASE_HI, (u32)(rx >> 32));
		wr32(c, DEMO_RX(q) + DEMO_COUNT, RING_ENTRIES);
		wr32(c, DEMO_RX(q) + DEMO_TAIL, RING_ENTRIES - 1);
	}
	wr32(c, DEMO_CTRL, 1);
	rd32(c, DEMO_ID);
}

u32 demo_frame(u8 *buf, u32 len, u16 dport, u64 seq)
{
	u8 *ip = buf + 14, *udp = ip + 20;
	u32 i;

	memset(buf, 0, len);
	memcpy(buf, "\x02nics\x02\x02nics\x01\x08\x00", 14);
	ip[0] = 0x45;
	put_be16(ip + 2, (u16)(len - 14));
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, "\xc0\x00\x02\x01\xc0\x00\x02\x02", 8);
	put_be16(udp, 4000);
	put_be16(udp + 2, dport);
	put_be16(udp + 4, (u16)(len - 34));
	put_be64(udp + 8, seq);
	for (i = 50; i < len; i++)
		buf[i] = (u8)i;
	return len;
}

void demo_post(struct client *c, u32 q, u32 i, u32 len, u64 seq, u32 flags,
	       u64 launch_ns)
{
	demo_frame(c->mem + buf_off(false, q, i), len, (u16)(4000 + q), seq);
	demo_ring(c, false, q)[i] = (struct demo_desc) {
		.addr = demo_buf(c, false, q, i), .len = len, .flags = flags,
		.launch_ns = launch_ns,
	};
}

void demo_tail(struct client *c, bool rx, u32 q, u32 tail)
{
	wr32(c, (rx ? DEMO_RX(q) : DEMO_TX(q)) + DEMO_TAIL, tail);
}

bool demo_wait(struct client *c, bool rx, u32 q, u32 i, int ms)
{
	volatile u32 *flags = &demo_ring(c, rx, q)[i].flags;
	long long end = now_ms() + ms;

	while (!(__atomic_load_n(flags, __ATOMIC_ACQUIRE) & DEMO_F_DONE)) {
		if (now_ms() > end)
			return false;
		poll(NULL, 0, 1);
	}
	return true;
}

u64 demo_time(struct client *c)
{
	u64 lo = rd32(c, DEMO_TIME_LO);

	return lo | (u64)rd32(c, DEMO_TIME_HI) << 32;
}

bool truth_line(const struct sim *s, u32 n, char *line, size_t room)
{
	FILE *f;
	bool ok = true;
	u32 i;

	sim_ctl(s, NULL, 0, "sync");
	f = fopen(s->truth, "re");
	if (!f)
		return false;
	for (i = 0; ok && i <= n; i++)
		ok = fgets(line, (int)room, f);
	fclose(f);
	return ok;
}

u64 truth_num(const char *line, const char *key)
{
	char want[64];
	const char *at;

	snprintf(want, sizeof(want), "\"%s\": ", key);
	at = strstr(line, want);
	if (!at) {
		tap_ok(false, "truth has %s", key);
		return TRUTH_NULL;
	}
	at += strlen(want);
	return strncmp(at, "null", 4) ? strtoull(at, NULL, 10) : TRUTH_NULL;
}
