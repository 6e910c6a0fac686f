// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>

#include "net.h"
#include "tap.h"

const char *net_env(const char *name)
{
	const char *v = getenv(name);

	if (!v || !*v)
		tap_bail("environment variable %s is not set: run this in the testbed", name);
	return v;
}

static int run(char *cmd, size_t size, const char *fmt, va_list ap)
{
	int st;

	if (vsnprintf(cmd, size, fmt, ap) >= (int)size)
		tap_bail("command too long: %.60s...", cmd);
	fflush(stdout);
	st = system(cmd);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128;
}

void net_sh(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = run(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	if (ret)
		tap_bail("exit status %d: %s", ret, cmd);
}

int net_try(const char *fmt, ...)
{
	char cmd[1024];
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = run(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	return ret;
}

int net_enter(const char *netns)
{
	char path[64];
	int old, fd;

	if (!netns)
		return -1;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	old = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (old < 0 || fd < 0 || setns(fd, CLONE_NEWNET))
		tap_bail("can't enter netns %s: %s", netns, strerror(errno));
	close(fd);
	return old;
}

void net_leave(int old)
{
	if (old < 0)
		return;
	if (setns(old, CLONE_NEWNET))
		tap_bail("can't return to the first netns: %s", strerror(errno));
	close(old);
}

static int ethtool(const char *ifname, void *cmd)
{
	struct ifreq ifr = { .ifr_data = cmd };
	int fd, ret;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	ret = ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
	close(fd);
	return ret;
}

int net_tx_csum(const char *ifname, bool on)
{
	struct ethtool_value v = { .cmd = ETHTOOL_STXCSUM, .data = on };
	int ret = ethtool(ifname, &v);

	if (ret)
		return ret;
	v.cmd = ETHTOOL_GTXCSUM;
	ret = ethtool(ifname, &v);
	if (ret)
		return ret;
	return !!v.data == on ? 0 : -EOPNOTSUPP;
}

void net_mac(const char *ifname, __u8 mac[6])
{
	struct ifreq ifr = {};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	if (fd < 0 || ioctl(fd, SIOCGIFHWADDR, &ifr))
		tap_bail("can't read the MAC address of %s: %s", ifname, strerror(errno));
	memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	close(fd);
}
