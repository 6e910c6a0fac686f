// SPDX-License-Identifier: GPL-2.0
/*
 * One listening socket and at most one client a port. Bytes come in by
 * vfu_feed(), which cuts them into messages and answers each. A message that
 * makes no sense gets an error reply; a stream that can't be followed any more
 * is closed.
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "vfio_user/vfu.h"

#define READ_CHUNK	65536
#define PENDING_FDS	64
#define SEND_TIMEOUT_MS	1000

struct vfu_conn {
	struct nic *nic;
	int listen_fd;
	int fd;			/* -1: no client; replies go nowhere */
	bool negotiated;
	bool broken;		/* a reply could not be sent */
	u8 *buf;
	size_t len, room;
	u64 pos;		/* stream offset of buf[0] */
	/* Descriptors wait for the message that holds their stream offset. */
	struct {
		u64 pos;
		int fd;
	} pending[PENDING_FDS];
	u32 npending;
	char path[108];
};

/* A message being answered. */
struct request {
	struct vfu_header h;
	const u8 *data;
	u32 len;
	int fds[VFU_MAX_FDS];
	u32 nfds;
};

static void send_all(struct vfu_conn *c, const void *data, size_t len)
{
	const u8 *p = data;

	while (len && c->fd >= 0 && !c->broken) {
		ssize_t n = send(c->fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		struct pollfd pfd = { .fd = c->fd, .events = POLLOUT };

		if (n >= 0) {
			p += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN) {
			if (poll(&pfd, 1, SEND_TIMEOUT_MS) > 0)
				continue;
			nic_log(c->nic, LOG_ERROR,
				"client takes no replies, connection closed");
			c->broken = true;
		} else if (errno != EINTR) {
			c->broken = true;
		}
	}
}

/* @len bytes behind the header at @msg. */
static void reply(struct vfu_conn *c, const struct request *r,
		  struct vfu_header *msg, u32 len)
{
	if (r->h.flags & VFU_NO_REPLY)
		return;
	*msg = r->h;
	msg->flags = VFU_TYPE_REPLY;
	msg->error = 0;
	msg->size = (u32)sizeof(*msg) + len;
	send_all(c, msg, msg->size);
}

static void reply_error(struct vfu_conn *c, const struct request *r, int err)
{
	struct vfu_header h = r->h;

	nic_log(c->nic, LOG_DEBUG, "command %u refused: %s", h.command,
		strerror(-err));
	if (h.flags & VFU_NO_REPLY)
		return;
	h.flags = VFU_TYPE_REPLY | VFU_ERROR;
	h.error = (u32)-err;
	h.size = sizeof(h);
	send_all(c, &h, sizeof(h));
}

static int do_version(struct vfu_conn *c, struct request *r)
{
	static const char caps[] =
		"{\"capabilities\":{\"max_msg_fds\":16,"
		"\"max_data_xfer_size\":1048576}}";
	const char *json = (const char *)r->data + sizeof(struct vfu_version);
	struct {
		struct vfu_header h;
		struct vfu_version v;
		char data[sizeof(caps)];
	} out;
	u32 len = r->len - (u32)sizeof(out.v);

	if (c->negotiated || r->len < sizeof(out.v))
		return -EINVAL;
	memcpy(&out.v, r->data, sizeof(out.v));
	if (out.v.major != VFU_MAJOR)
		return -EINVAL;
	if (len && (json[len - 1] || json[0] != '{'))
		return -EINVAL;
	c->negotiated = true;
	if (out.v.minor > VFU_MINOR)
		out.v.minor = VFU_MINOR;
	memcpy(out.data, caps, sizeof(caps));
	/* Without the structure's padding: the text must end the message. */
	reply(c, r, &out.h,
	      offsetof(typeof(out), data) + sizeof(caps) - sizeof(out.h));
	return 0;
}

static int do_dma_map(struct vfu_conn *c, struct request *r)
{
	struct vfu_header out;
	struct vfu_dma_map m;
	int err;

	if (r->len != sizeof(m) || r->nfds > 1)
		return -EINVAL;
	memcpy(&m, r->data, sizeof(m));
	if (m.argsz < sizeof(m))
		return -EINVAL;
	err = dma_add(c->nic, &m, r->nfds ? r->fds[0] : -1);
	nic_log(c->nic, LOG_DEBUG, "map %#llx + %#llx flags %u fd %d: %d",
		(unsigned long long)m.address, (unsigned long long)m.size,
		m.flags, r->nfds ? r->fds[0] : -1, err);
	if (err)
		return err;
	reply(c, r, &out, 0);
	return 0;
}

static int do_dma_unmap(struct vfu_conn *c, struct request *r)
{
	struct {
		struct vfu_header h;
		struct vfu_dma_unmap u;
	} out;
	int err;

	if (r->len < sizeof(out.u))
		return -EINVAL;
	memcpy(&out.u, r->data, sizeof(out.u));
	if (out.u.argsz < sizeof(out.u))
		return -EINVAL;
	err = dma_del(c->nic, &out.u);
	if (err)
		return err;
	reply(c, r, &out.h, sizeof(out.u));
	return 0;
}

static int do_get_info(struct vfu_conn *c, struct request *r)
{
	struct {
		struct vfu_header h;
		u32 argsz, flags, num_regions, num_irqs;
	} out;

	if (r->len < 16 || get_le32(r->data) < 16)
		return -EINVAL;
	out.argsz = 16;
	out.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	out.num_regions = VFIO_PCI_NUM_REGIONS;
	out.num_irqs = VFIO_PCI_NUM_IRQS;
	reply(c, r, &out.h, 16);
	return 0;
}

static u64 region_size(const struct nic *nic, u32 index)
{
	if (index < NIC_BARS)
		return nic->pci.bar[index].size;
	return index == VFIO_PCI_CONFIG_REGION_INDEX ? pci_config_size(nic) : 0;
}

static int do_region_info(struct vfu_conn *c, struct request *r)
{
	struct {
		struct vfu_header h;
		struct vfio_region_info i;
	} out;

	if (r->len < sizeof(out.i))
		return -EINVAL;
	memcpy(&out.i, r->data, sizeof(out.i));
	if (out.i.argsz < sizeof(out.i) ||
	    out.i.index >= VFIO_PCI_NUM_REGIONS)
		return -EINVAL;
	out.i.argsz = sizeof(out.i);
	out.i.size = region_size(c->nic, out.i.index);
	/* Never MMAP: it would turn off posted writes for the whole device. */
	out.i.flags = out.i.size ? VFIO_REGION_INFO_FLAG_READ |
				   VFIO_REGION_INFO_FLAG_WRITE : 0;
	out.i.cap_offset = 0;
	out.i.offset = (u64)out.i.index << 40;
	reply(c, r, &out.h, sizeof(out.i));
	return 0;
}

static int do_irq_info(struct vfu_conn *c, struct request *r)
{
	struct {
		struct vfu_header h;
		struct vfio_irq_info i;
	} out;
	int err;

	if (r->len < sizeof(out.i))
		return -EINVAL;
	memcpy(&out.i, r->data, sizeof(out.i));
	if (out.i.argsz < sizeof(out.i))
		return -EINVAL;
	out.i.argsz = sizeof(out.i);
	err = irq_info(c->nic, &out.i);
	if (err)
		return err;
	reply(c, r, &out.h, sizeof(out.i));
	return 0;
}

static int do_set_irqs(struct vfu_conn *c, struct request *r)
{
	struct vfio_irq_set set;
	struct vfu_header out;
	int err;

	if (r->len < sizeof(set))
		return -EINVAL;
	memcpy(&set, r->data, sizeof(set));
	if (set.argsz < sizeof(set))
		return -EINVAL;
	err = irq_set(c->nic, &set, r->data + sizeof(set),
		      r->len - (u32)sizeof(set), r->fds, r->nfds);
	nic_log(c->nic, LOG_DEBUG, "irqs index %u flags %#x %u + %u fds %u: %d",
		set.index, set.flags, set.start, set.count, r->nfds, err);
	if (err)
		return err;
	reply(c, r, &out, 0);
	return 0;
}

/* MSI-X table and PBA: the client emulates them, nothing is behind them here. */
static bool is_msix(const struct nic *nic, u32 bar, u64 off)
{
	const struct nic_pci *p = &nic->pci;
	u64 v = p->msix_vectors;

	return v && bar == p->msix_bar &&
	       (off - p->msix_table < 16 * v ||
		off - p->msix_pba < 8 * ((v + 63) / 64));
}

static int bar_access(struct nic *nic, const struct vfu_region_io *io, u64 *val,
		      bool write)
{
	int err;

	if ((io->count != 1 && io->count != 2 && io->count != 4 &&
	     io->count != 8) || io->offset % io->count)
		return -EINVAL;
	if (is_msix(nic, io->region, io->offset))
		return 0;
	if (write) {
		nic->stats.mmio_writes++;
		err = nic->ops->write ? nic->ops->write(nic, io->region,
				io->offset, io->count, *val) : -ENXIO;
	} else {
		nic->stats.mmio_reads++;
		err = nic->ops->read ? nic->ops->read(nic, io->region,
				io->offset, io->count, val) : -ENXIO;
	}
	if (err)
		nic->stats.mmio_refused++;
	return err;
}

static int get_io(struct vfu_conn *c, const struct request *r,
		  struct vfu_region_io *io)
{
	u64 size;

	if (r->len < sizeof(*io))
		return -EINVAL;
	memcpy(io, r->data, sizeof(*io));
	if (io->region >= VFIO_PCI_NUM_REGIONS || !io->count ||
	    io->count > VFU_MAX_DATA)
		return -EINVAL;
	size = region_size(c->nic, io->region);
#ifdef NICSIM_PLANT_BUG
	/* For the fuzzer to find: the end of an access is not looked at. */
	if (io->offset < size)
		return 0;
#endif
	return io->offset >= size || io->count > size - io->offset ? -EINVAL : 0;
}

static int do_read(struct vfu_conn *c, struct request *r)
{
	struct {
		struct vfu_header h;
		union {
			struct vfu_region_io io;
			u8 raw[sizeof(struct vfu_region_io) + 4096];
		};
	} out;
	int err = get_io(c, r, &out.io);
	u64 val = 0;

	if (err)
		return err;
	if (out.io.region == VFIO_PCI_CONFIG_REGION_INDEX) {
		/* Bounded by the region's size, which is what raw[] holds. */
		pci_config_read(c->nic, (u32)out.io.offset, out.io.data,
				out.io.count);
	} else {
		err = bar_access(c->nic, &out.io, &val, false);
		if (err)
			return err;
		val = htole64(val);
		memcpy(out.io.data, &val, out.io.count);
	}
	reply(c, r, &out.h, (u32)sizeof(out.io) + out.io.count);
	return 0;
}

static int do_write(struct vfu_conn *c, struct request *r)
{
	struct {
		struct vfu_header h;
		struct vfu_region_io io;
	} out;
	int err = get_io(c, r, &out.io);
	const u8 *data = r->data + sizeof(out.io);
	u64 val = 0;

	if (err)
		return err;
	if (r->len - sizeof(out.io) != out.io.count)
		return -EINVAL;
	if (out.io.region == VFIO_PCI_CONFIG_REGION_INDEX) {
		pci_config_write(c->nic, (u32)out.io.offset, data, out.io.count);
	} else {
		memcpy(&val, data, out.io.count < 8 ? out.io.count : 8);
		val = le64toh(val);
		err = bar_access(c->nic, &out.io, &val, true);
		if (err)
			return err;
	}
	reply(c, r, &out.h, sizeof(out.io));
	return 0;
}

static int do_reset(struct vfu_conn *c, struct request *r)
{
	struct vfu_header out;

	if (r->len)
		return -EINVAL;
	nic_reset(c->nic, RESET_BUS);
	reply(c, r, &out, 0);
	return 0;
}

static int do_unsupported(struct vfu_conn *c, struct request *r)
{
	(void)c;
	(void)r;
	return -EOPNOTSUPP;
}

static int (*const commands[])(struct vfu_conn *c, struct request *r) = {
	[VFU_VERSION] = do_version,
	[VFU_DMA_MAP] = do_dma_map,
	[VFU_DMA_UNMAP] = do_dma_unmap,
	[VFU_GET_INFO] = do_get_info,
	[VFU_GET_REGION_INFO] = do_region_info,
	[VFU_GET_REGION_IO_FDS] = do_unsupported,
	[VFU_GET_IRQ_INFO] = do_irq_info,
	[VFU_SET_IRQS] = do_set_irqs,
	[VFU_REGION_READ] = do_read,
	[VFU_REGION_WRITE] = do_write,
	[VFU_RESET] = do_reset,
	[VFU_DIRTY_PAGES] = do_unsupported,
	[VFU_WRITE_MULTI] = do_unsupported,
	[VFU_FEATURE] = do_unsupported,
	[VFU_MIG_READ] = do_unsupported,
	[VFU_MIG_WRITE] = do_unsupported,
};

/* False: the conversation is over. */
static bool answer(struct vfu_conn *c, struct request *r)
{
	u16 cmd = r->h.command;
	int err;

	if ((r->h.flags & VFU_TYPE_MASK) != VFU_TYPE_COMMAND) {
		/* We never ask anything, so nobody can have an answer. */
		nic_log(c->nic, LOG_WARN, "client sent a reply to nothing");
		return false;
	}
	if (!c->negotiated && cmd != VFU_VERSION)
		err = -EPROTO;
	else if (cmd >= ARRAY_SIZE(commands) || !commands[cmd])
		err = -ENOSYS;
	else
		err = commands[cmd](c, r);
	if (err)
		reply_error(c, r, err);
	return !c->broken && c->negotiated;
}

/* The descriptors whose stream offset is before @end. */
static bool take_fds(struct vfu_conn *c, struct request *r, u64 end)
{
	u32 i;

	r->nfds = 0;
	for (i = 0; i < c->npending && c->pending[i].pos < end; i++) {
		if (r->nfds == VFU_MAX_FDS)
			return false;
		r->fds[r->nfds++] = c->pending[i].fd;
		c->pending[i].fd = -1;
	}
	c->npending -= i;
	memmove(c->pending, c->pending + i, c->npending * sizeof(c->pending[0]));
	return true;
}

static void close_fds(int *fds, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static bool parse(struct vfu_conn *c)
{
	size_t off = 0;
	bool ok = true;

	while (ok && c->len - off >= sizeof(struct vfu_header)) {
		/* Copied, so that bodies are aligned wherever they lie. */
		_Alignas(8) u8 small[64];
		struct request r;

		memcpy(&r.h, c->buf + off, sizeof(r.h));
		if (r.h.size < sizeof(r.h) || r.h.size > VFU_MAX_MSG) {
			nic_log(c->nic, LOG_ERROR,
				"message of %u bytes: connection closed",
				r.h.size);
			reply_error(c, &r, -EMSGSIZE);
			ok = false;
			break;
		}
		if (c->len - off < r.h.size)
			break;
		r.data = c->buf + off + sizeof(r.h);
		r.len = r.h.size - (u32)sizeof(r.h);
		if (r.len <= sizeof(small)) {
			memcpy(small, r.data, r.len);
			r.data = small;
		}
		ok = take_fds(c, &r, c->pos + off + r.h.size) && answer(c, &r);
		close_fds(r.fds, r.nfds);
		off += r.h.size;
	}
	c->pos += off;
	c->len -= off;
	if (off)
		memmove(c->buf, c->buf + off, c->len);
	return ok;
}

/* Room for @more bytes behind what is there. */
static bool reserve(struct vfu_conn *c, size_t more)
{
	size_t room = c->len + more;
	u8 *buf;

	if (room <= c->room)
		return true;
	buf = realloc(c->buf, room);
	if (!buf)
		return false;
	c->buf = buf;
	c->room = room;
	return true;
}

static bool took(struct vfu_conn *c, size_t len, int *fds, u32 nfds)
{
	u32 i;

	c->len += len;
	for (i = 0; i < nfds; i++) {
		if (c->npending == PENDING_FDS) {
			nic_log(c->nic, LOG_ERROR,
				"too many file descriptors, connection closed");
			close_fds(fds + i, nfds - i);
			return false;
		}
		c->pending[c->npending].pos = c->pos + c->len - 1;
		c->pending[c->npending++].fd = fds[i];
	}
	return parse(c);
}

bool vfu_feed(struct vfu_conn *c, const void *data, size_t len, int *fds,
	      u32 nfds)
{
	if (!len || !reserve(c, len)) {
		close_fds(fds, nfds);
		return false;
	}
	memcpy(c->buf + c->len, data, len);
	return took(c, len, fds, nfds);
}

struct vfu_conn *vfu_conn_new(struct nic *nic, int fd)
{
	struct vfu_conn *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->nic = nic;
	c->fd = fd;
	c->listen_fd = -1;
	return c;
}

/* The client is gone: what it gave is given back. */
static void hang_up(struct vfu_conn *c)
{
	u32 i;

	for (i = 0; i < c->npending; i++)
		close(c->pending[i].fd);
	c->npending = 0;
	if (c->fd >= 0) {
		loop_del(c->fd);
		close(c->fd);
	}
	c->fd = -1;
	free(c->buf);
	c->buf = NULL;
	c->len = 0;
	c->room = 0;
	c->pos = 0;
	c->negotiated = false;
	c->broken = false;
	nic_reset(c->nic, RESET_CLIENT);
}

void vfu_conn_free(struct vfu_conn *c)
{
	hang_up(c);
	free(c);
}

static void readable(void *arg)
{
	struct vfu_conn *c = arg;
	union {
		char space[CMSG_SPACE(sizeof(int) * VFU_MAX_FDS)];
		struct cmsghdr align;
	} control;
	struct iovec iov;
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int fds[VFU_MAX_FDS];
	u32 nfds = 0;
	struct cmsghdr *cm;
	ssize_t n;

	if (!reserve(c, READ_CHUNK)) {
		hang_up(c);
		return;
	}
	iov.iov_base = c->buf + c->len;
	iov.iov_len = c->room - c->len;
	n = recvmsg(c->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		nic_log(c->nic, LOG_INFO, "client disconnected");
		hang_up(c);
		return;
	}
	for (cm = CMSG_FIRSTHDR(&msg); cm; cm = CMSG_NXTHDR(&msg, cm)) {
		if (cm->cmsg_level != SOL_SOCKET || cm->cmsg_type != SCM_RIGHTS)
			continue;
		nfds = (u32)((cm->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		memcpy(fds, CMSG_DATA(cm), nfds * sizeof(int));
	}
	if (msg.msg_flags & MSG_CTRUNC) {
		nic_log(c->nic, LOG_ERROR,
			"more than %d file descriptors in a message, connection closed",
			VFU_MAX_FDS);
		close_fds(fds, nfds);
		hang_up(c);
		return;
	}
	if (!took(c, (size_t)n, fds, nfds))
		hang_up(c);
}

static bool client_gone(const struct vfu_conn *c)
{
	char byte;

	return recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static void acceptable(void *arg)
{
	struct vfu_conn *c = arg;
	int fd = accept4(c->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	/* The end of the last client may not have been noticed yet. */
	if (c->fd >= 0 && client_gone(c))
		hang_up(c);
	if (c->fd >= 0) {
		nic_log(c->nic, LOG_WARN,
			"second client refused: the port is in use");
		close(fd);
		return;
	}
	c->fd = fd;
	if (loop_add(fd, readable, c)) {
		hang_up(c);
		return;
	}
	nic_log(c->nic, LOG_INFO, "client connected");
}

int vfu_listen(struct nic *nic, const char *path)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct vfu_conn *c;
	int err;

	if (strlen(path) >= sizeof(un.sun_path))
		return -ENAMETOOLONG;
	strcpy(un.sun_path, path);
	c = vfu_conn_new(nic, -1);
	if (!c)
		return -ENOMEM;
	nic->conn = c;
	c->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      0);
	if (c->listen_fd < 0)
		return -errno;
	unlink(path);
	if (bind(c->listen_fd, (struct sockaddr *)&un, sizeof(un)) ||
	    listen(c->listen_fd, 4))
		return -errno;
	strcpy(c->path, path);
	err = loop_add(c->listen_fd, acceptable, c);
	return err;
}

void vfu_close(struct nic *nic)
{
	struct vfu_conn *c = nic->conn;

	if (!c)
		return;
	if (c->listen_fd >= 0) {
		loop_del(c->listen_fd);
		close(c->listen_fd);
	}
	if (c->path[0])
		unlink(c->path);
	nic->conn = NULL;
	vfu_conn_free(c);
}

bool vfu_connected(const struct nic *nic)
{
	return nic->conn && nic->conn->fd >= 0;
}
