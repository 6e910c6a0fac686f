// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "caps.h"
#include "xsk.h"

/* 0 or -errno of a registration that is undone at once. */
static int try_reg(void *area, size_t size, __u32 flags, __u32 len)
{
	struct uxsk_umem_reg reg = {
		.addr = (uintptr_t)area, .len = size, .chunk_size = size,
		.flags = flags, .tx_metadata_len = len,
	};
	int fd = uxsk_socket(), err;

	if (fd < 0)
		return fd;
	err = uxsk_umem_reg(fd, &reg, sizeof(reg));
	close(fd);
	return err;
}

enum core_support xsk_core_support(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *area = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	enum core_support ret;

	if (area == MAP_FAILED)
		return CORE_UNKNOWN;
	ret = xsk_core_of(try_reg(area, size, XDP_UMEM_TX_METADATA_LEN, XSK_META),
			  try_reg(area, size, 0, 4));
	munmap(area, size);
	return ret;
}

/* Says what stands against it before anything is touched. */
static int check_caps(const struct xsk_want *w)
{
	unsigned int need = NEED_NET_RAW, missing;
	char names[96];

	if (w->mode != MODE_COPY || w->redirect_port)
		need |= NEED_NET_ADMIN | NEED_BPF;
	if (caps_over_memlock((size_t)XSK_FRAMES * XSK_CHUNK))
		need |= NEED_IPC_LOCK;
	missing = caps_missing(need);
	if (!missing)
		return 0;
	caps_names(missing, names, sizeof(names));
	return diag_error(w->ifname, EX_START,
			  missing == NEED_IPC_LOCK ?
			  "run as root, grant it, or raise ulimit -l to 16384" :
			  missing & (NEED_NET_ADMIN | NEED_BPF) && !(missing & NEED_NET_RAW) &&
			  !w->redirect_port ?
			  "run as root, grant it, or use --copy, which needs no XDP program" :
			  "run as root or grant it", "no permission: %s is missing", names);
}

static int other_program(const struct xsk_want *w)
{
	struct xdpprog_other o;
	const char *what = "", *remedy = w->redirect_port ? "ip link set dev {if} xdp off" :
		"end its program or ip link set dev {if} xdp off, or use --copy";

	if (xdpprog_query(w->dev->ifindex, &o) || !o.id)
		return diag_errno(w->ifname, STEP_XDP_ATTACH, EBUSY);
	if (!strcmp(o.name, TOOL)) {
		what = ": another " TOOL " is running there";
		remedy = "wait for it or end it";
	} else if (!strncmp(o.name, "xdp_dispatcher", sizeof(o.name) - 1)) {
		what = ", libxdp's dispatcher";
	}
	return diag_error(w->ifname, EX_START, remedy,
			  "another XDP program is attached (%s%sid %u)%s", o.name,
			  *o.name ? ", " : "", o.id, what);
}

/* Program, socket and binding in one mode. 0 or -errno, *@step says where. */
static int open_as(struct xsk *x, const struct xsk_want *w, bool zc, enum step *step)
{
	struct uxsk_cfg cfg = {
		.chunks = XSK_FRAMES, .chunk_size = XSK_CHUNK,
		.umem_flags = (x->core == CORE_FULL ? XDP_UMEM_TX_METADATA_LEN : 0) |
			      (w->sw_csum ? XDP_UMEM_TX_SW_CSUM : 0),
		.tx_metadata_len = XSK_META,
		.fill = XSK_RING, .comp = XSK_RING, .tx = XSK_RING,
		.rx = w->redirect_port ? XSK_RING : 0,
		.ifname = w->ifname, .queue = w->queue,
		.bind_flags = (zc ? XDP_ZEROCOPY : XDP_COPY) | XDP_USE_NEED_WAKEUP,
		.busy_ms = 1000,
	};
	int err = 0;

	if (zc || w->redirect_port) {
		*step = STEP_XDP_LOAD;
		err = xdpprog_load(&x->prog, w->redirect_port, w->map_size);
		if (err)
			return err;
		*step = STEP_XDP_ATTACH;
		err = xdpprog_attach(&x->prog, w->dev->ifindex, true);
		/* Without zero-copy generic XDP will do. */
		if ((err == -EOPNOTSUPP || err == -EINVAL || err == -ERANGE) && !zc)
			err = xdpprog_attach(&x->prog, w->dev->ifindex, false);
	}
	if (!err) {
		err = uxsk_open(&x->u, &cfg);
		*step = !strcmp(x->u.step, "socket") ? STEP_SOCKET :
			!strcmp(x->u.step, "umem") ? STEP_UMEM :
			!strcmp(x->u.step, "ring") ? STEP_RING :
			!strcmp(x->u.step, "mmap") ? STEP_MMAP :
			zc ? STEP_BIND_ZC : STEP_BIND_COPY;
		/* Kernels before the flag: the length is taken all the same. */
		if (!err)
			x->u.meta_len = XSK_META;
	}
	if (err) {
		xdpprog_close(&x->prog);
		return err;
	}
	x->zerocopy = zc;
	if (w->redirect_port) {
		*step = STEP_XDP_LOAD;
		err = xdpprog_set(&x->prog, w->queue, x->u.fd);
		if (err)
			xsk_close(x);
	}
	return err;
}

/* Errors that mean "not in zero-copy", rather than "not at all". */
static bool no_zerocopy(enum step step, int err)
{
	if (step == STEP_BIND_ZC)
		return err == -EOPNOTSUPP || err == -EINVAL || err == -ENOTSUP;
	return step == STEP_XDP_ATTACH && err != -EBUSY && err != -EPERM && err != -ENODEV;
}

int xsk_check(const struct xsk_want *w)
{
	__u32 queues = netdev_xsk_queues(w->dev);
	int ret = check_caps(w);

	if (ret)
		return ret;
	if (w->queue >= queues)
		return diag_error(w->ifname, EX_START,
				  "choose a lower one, ethtool -l {if} shows how many there are",
				  "queue %u is out of range, the device has %u", w->queue, queues);
	switch (xsk_core_support()) {
	case CORE_NO_AF_XDP:
		return diag_errno(w->ifname, STEP_SOCKET, EAFNOSUPPORT);
	case CORE_DENIED:
		return diag_errno(w->ifname, STEP_SOCKET, EPERM);
	case CORE_NONE:
		return diag_errno(w->ifname, STEP_UMEM, EINVAL);
	default:
		return 0;
	}
}

int xsk_open(struct xsk *x, const struct xsk_want *w)
{
	enum step step;
	int err;

	*x = XSK_NONE;
	x->core = xsk_core_support();
	err = open_as(x, w, w->mode != MODE_COPY, &step);
	if (err && w->mode == MODE_AUTO && no_zerocopy(step, err)) {
		x->fallback = diag_lookup(step, -err)->cause;
		err = open_as(x, w, false, &step);
	}
	if (!err)
		return 0;
	if (step == STEP_XDP_ATTACH && err == -EBUSY)
		return other_program(w);
	return diag_errno(w->ifname, step, -err);
}

void xsk_close(struct xsk *x)
{
	/* The socket first: a queue shall not lose its program under it. */
	uxsk_close(&x->u);
	xdpprog_close(&x->prog);
	*x = XSK_NONE;
}
