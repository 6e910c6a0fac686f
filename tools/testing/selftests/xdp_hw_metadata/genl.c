// SPDX-License-Identifier: GPL-2.0
/*
 * The netdev netlink family. Its numbers are part of the kernel's ABI, but no
 * header of a 6.1 kernel has them.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netdev.h"

#define NETDEV_CMD_DEV_GET	1
#define NETDEV_A_DEV_IFINDEX	1
#define NETDEV_A_DEV_XDP_FEATURES 3
#define NETDEV_A_DEV_XSK_FEATURES 6

struct request {
	struct nlmsghdr nl;
	struct genlmsghdr genl;
	struct nlattr attr;
	char value[16];
};

/* Sends one request with one attribute; the answer's length or -errno. */
static int ask(int fd, __u16 family, __u8 cmd, __u16 type, const void *val, __u16 len,
	       void *answer, size_t size)
{
	struct request r = {
		.nl = { .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST },
		.genl = { .cmd = cmd, .version = 1 },
		.attr = { .nla_type = type, .nla_len = NLA_HDRLEN + len },
	};
	const struct nlmsghdr *nl = answer;
	ssize_t n;

	memcpy(r.value, val, len);
	r.nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN + NLA_ALIGN(r.attr.nla_len));
	if (send(fd, &r, r.nl.nlmsg_len, 0) < 0)
		return -errno;
	n = recv(fd, answer, size, 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < sizeof(*nl) || nl->nlmsg_len > (size_t)n)
		return -EPROTO;
	if (nl->nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)NLMSG_DATA(nl))->error ?: -EPROTO;
	return nl->nlmsg_len;
}

/* The first attribute of @type in an answer of @len bytes. */
static const struct nlattr *find(const void *answer, int len, __u16 type)
{
	const char *p = (const char *)answer + NLMSG_LENGTH(GENL_HDRLEN);
	const char *end = (const char *)answer + len;

	while (end - p >= NLA_HDRLEN) {
		const struct nlattr *a = (const void *)p;

		if (a->nla_len < NLA_HDRLEN || a->nla_len > end - p)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a;
		p += NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

static bool get_u64(const void *answer, int len, __u16 type, __u64 *out)
{
	const struct nlattr *a = find(answer, len, type);

	*out = 0;
	if (!a || a->nla_len < NLA_HDRLEN + sizeof(*out))
		return false;
	memcpy(out, (const char *)a + NLA_HDRLEN, sizeof(*out));
	return true;
}

int netdev_features(int ifindex, struct netdev_features *f)
{
	struct timeval wait = { .tv_sec = 2 };
	char answer[8192] __attribute__((aligned(8)));
	const struct nlattr *id;
	__u32 index = ifindex;
	__u16 family;
	int fd, n;

	*f = (struct netdev_features){ 0 };
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	n = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, "netdev", 7,
		answer, sizeof(answer));
	if (n == -ENOENT)
		n = -EOPNOTSUPP;
	if (n < 0)
		goto out;
	id = find(answer, n, CTRL_ATTR_FAMILY_ID);
	if (!id || id->nla_len < NLA_HDRLEN + sizeof(family)) {
		n = -EPROTO;
		goto out;
	}
	memcpy(&family, (const char *)id + NLA_HDRLEN, sizeof(family));
	n = ask(fd, family, NETDEV_CMD_DEV_GET, NETDEV_A_DEV_IFINDEX, &index, sizeof(index),
		answer, sizeof(answer));
	if (n < 0)
		goto out;
	get_u64(answer, n, NETDEV_A_DEV_XDP_FEATURES, &f->xdp);
	f->has_xsk = get_u64(answer, n, NETDEV_A_DEV_XSK_FEATURES, &f->xsk);
	n = 0;
out:
	close(fd);
	return n;
}
