// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netdev.h"

static int dev_ioctl(int fd, const char *ifname, unsigned long cmd, struct ifreq *ifr)
{
	strncpy(ifr->ifr_name, ifname, IFNAMSIZ - 1);
	ifr->ifr_name[IFNAMSIZ - 1] = 0;
	return ioctl(fd, cmd, ifr) ? -errno : 0;
}

static int ethtool(int fd, const char *ifname, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	return dev_ioctl(fd, ifname, SIOCETHTOOL, &ifr);
}

static void get_driver(int fd, const char *ifname, struct netdev_info *info)
{
	struct ethtool_drvinfo drv = { .cmd = ETHTOOL_GDRVINFO };

	if (ethtool(fd, ifname, &drv))
		return;
	snprintf(info->driver, sizeof(info->driver), "%.31s", drv.driver);
	snprintf(info->version, sizeof(info->version), "%.31s", drv.version);
	snprintf(info->firmware, sizeof(info->firmware), "%.31s", drv.fw_version);
	snprintf(info->bus, sizeof(info->bus), "%.31s", drv.bus_info);
}

/* Directories that start with @prefix under /sys/class/net/IF/queues. */
static __u32 count_queues(const char *ifname, const char *prefix)
{
	char path[96];
	__u32 n = 0;

	for (;; n++) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/queues/%s-%u", ifname, prefix, n);
		if (access(path, F_OK))
			return n;
	}
}

static void get_queues(int fd, const char *ifname, struct netdev_info *info)
{
	struct ethtool_channels ch = { .cmd = ETHTOOL_GCHANNELS };
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };

	/* sysfs shows the namespace it was mounted in; ethtool the caller's. */
	info->rx_queues = count_queues(ifname, "rx");
	info->tx_queues = count_queues(ifname, "tx");
	if (!info->rx_queues && !ethtool(fd, ifname, &ch)) {
		info->rx_queues = ch.combined_count + ch.rx_count;
		info->tx_queues = ch.combined_count + ch.tx_count;
	}
	if (!info->rx_queues)
		info->rx_queues = info->tx_queues = 1;
	if (!ethtool(fd, ifname, &ring)) {
		info->rx_ring = ring.rx_pending;
		info->tx_ring = ring.tx_pending;
	}
}

int netdev_info(const char *ifname, struct netdev_info *info)
{
	struct ethtool_ts_info ts = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ethtool_value csum = { .cmd = ETHTOOL_GTXCSUM };
	struct ifreq ifr = { 0 };
	int fd, err;

	*info = (struct netdev_info){ .phc = -1, .tx_csum = -1 };
	if (strlen(ifname) >= IFNAMSIZ)
		return -ENODEV;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = dev_ioctl(fd, ifname, SIOCGIFINDEX, &ifr);
	if (err)
		goto out;
	info->ifindex = ifr.ifr_ifindex;
	err = dev_ioctl(fd, ifname, SIOCGIFMTU, &ifr);
	if (err)
		goto out;
	info->mtu = ifr.ifr_mtu;
	err = dev_ioctl(fd, ifname, SIOCGIFFLAGS, &ifr);
	if (err)
		goto out;
	info->up = ifr.ifr_flags & IFF_UP;
	err = dev_ioctl(fd, ifname, SIOCGIFHWADDR, &ifr);
	if (err)
		goto out;
	info->is_ethernet = ifr.ifr_hwaddr.sa_family == ARPHRD_ETHER ||
			    ifr.ifr_hwaddr.sa_family == ARPHRD_LOOPBACK;
	memcpy(info->mac, ifr.ifr_hwaddr.sa_data, 6);

	get_driver(fd, ifname, info);
	get_queues(fd, ifname, info);
	if (!ethtool(fd, ifname, &ts)) {
		info->phc = ts.phc_index;
		info->hw_tx_stamps = ts.so_timestamping & SOF_TIMESTAMPING_TX_HARDWARE;
	}
	if (!ethtool(fd, ifname, &csum))
		info->tx_csum = !!csum.data;
out:
	close(fd);
	return err;
}

bool netdev_wait_link(const char *ifname, int tries, const volatile sig_atomic_t *stop)
{
	struct ifreq ifr = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool up = false;

	if (fd < 0)
		return false;
	for (;; tries--) {
		if (dev_ioctl(fd, ifname, SIOCGIFFLAGS, &ifr))
			break;
		up = ifr.ifr_flags & IFF_UP && ifr.ifr_flags & IFF_RUNNING;
		if (up || tries <= 0 || *stop)
			break;
		poll(NULL, 0, 10);
	}
	close(fd);
	return up;
}

static bool first_addr(const char *ifname, int family, void *addr, size_t len)
{
	struct ifaddrs *all, *a;
	bool found = false;

	if (getifaddrs(&all))
		return false;
	for (a = all; a && !found; a = a->ifa_next) {
		if (!a->ifa_addr || a->ifa_addr->sa_family != family || strcmp(a->ifa_name, ifname))
			continue;
		if (family == AF_INET) {
			memcpy(addr, &((struct sockaddr_in *)a->ifa_addr)->sin_addr, len);
		} else {
			struct in6_addr *in6 = &((struct sockaddr_in6 *)a->ifa_addr)->sin6_addr;

			if (IN6_IS_ADDR_LINKLOCAL(in6))
				continue;
			memcpy(addr, in6, len);
		}
		found = true;
	}
	freeifaddrs(all);
	return found;
}

bool netdev_ipv4(const char *ifname, __u8 addr[4])
{
	return first_addr(ifname, AF_INET, addr, 4);
}

bool netdev_ipv6(const char *ifname, __u8 addr[16])
{
	return first_addr(ifname, AF_INET6, addr, 16);
}

static int string_count(int fd, const char *ifname)
{
	struct {
		struct ethtool_sset_info info;
		__u32 n;
	} q = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS } };
	int err = ethtool(fd, ifname, &q);

	if (err)
		return err;
	return q.info.sset_mask ? (int)q.n : -EOPNOTSUPP;
}

int netdev_counters(const char *ifname, struct netdev_counter **out)
{
	struct ethtool_gstrings *names = NULL;
	struct ethtool_stats *vals = NULL;
	int fd, n, i, err;

	*out = NULL;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	n = string_count(fd, ifname);
	err = n;
	if (n <= 0)
		goto out;
	/* A driver that grows a counter meanwhile writes more than it was asked for. */
	names = calloc(1, sizeof(*names) + (n + 1024) * ETH_GSTRING_LEN);
	vals = calloc(1, sizeof(*vals) + (n + 1024) * sizeof(__u64));
	*out = calloc(n, sizeof(**out));
	err = -ENOMEM;
	if (!names || !vals || !*out)
		goto out;
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_STATS;
	names->len = n;
	vals->cmd = ETHTOOL_GSTATS;
	vals->n_stats = n;
	err = ethtool(fd, ifname, names);
	if (!err)
		err = ethtool(fd, ifname, vals);
	if (err)
		goto out;
	for (i = 0; i < n; i++) {
		snprintf((*out)[i].name, sizeof((*out)[i].name), "%.32s",
			 (char *)names->data + i * ETH_GSTRING_LEN);
		(*out)[i].value = vals->data[i];
	}
	err = n;
out:
	if (err < 0) {
		free(*out);
		*out = NULL;
	}
	free(names);
	free(vals);
	close(fd);
	return err;
}

bool netdev_counter(const struct netdev_counter *c, int n, const char *name, __u64 *value)
{
	int i;

	for (i = 0; i < n; i++) {
		if (!strcmp(c[i].name, name)) {
			*value = c[i].value;
			return true;
		}
	}
	return false;
}

/* "i40e", "mlx5_core" and "st_gmac" name their functions i40e_, mlx5e_ and stmmac_. */
static void symbol_prefix(const char *driver, char *buf, size_t size)
{
	size_t n;

	snprintf(buf, size, "%s", strcmp(driver, "st_gmac") ? driver : "stmmac");
	n = strlen(buf);
	if (n > 5 && !strcmp(buf + n - 5, "_core"))
		buf[n - 5] = 0;
}

/* Has the driver a function with @part in its name, among the kernel's symbols? */
static enum netdev_zc driver_symbol(const char *ifname, const char *driver, const char *part)
{
	char link[96], target[256], line[512], prefix[40], name[256], module[128];
	const char *mod = "";
	enum netdev_zc ret = ZC_NO;
	bool any = false;
	ssize_t n;
	FILE *f;

	if (!*driver)
		return ZC_UNKNOWN;
	snprintf(link, sizeof(link), "/sys/class/net/%s/device/driver/module", ifname);
	n = readlink(link, target, sizeof(target) - 1);
	if (n > 0) {
		target[n] = 0;
		mod = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	}
	symbol_prefix(driver, prefix, sizeof(prefix));
	f = fopen("/proc/kallsyms", "re");
	if (!f)
		return ZC_UNKNOWN;
	while (fgets(line, sizeof(line), f)) {
		int got = sscanf(line, "%*s %*s %255s [%127[^]]", name, module);

		any = true;
		if (got < 1 || !strstr(name, part))
			continue;
		if (!strncmp(name, prefix, strlen(prefix)) ||
		    (got == 2 && *mod && !strcmp(module, mod)))
			ret = ZC_YES;
	}
	fclose(f);
	return any ? ret : ZC_UNKNOWN;
}

enum netdev_zc netdev_zc_symbol(const char *ifname, const char *driver)
{
	return driver_symbol(ifname, driver, "xsk_wakeup");
}

__u64 netdev_metadata_support(const char *ifname, int ifindex, const char *driver)
{
	struct netdev_counter *c;
	struct netdev_features f;
	__u64 ret = 0, v;
	int n;

	if (!netdev_features(ifindex, &f) && f.has_xsk)
		return f.xsk;
	n = netdev_counters(ifname, &c);
	if (netdev_counter(c, n, "tx_xsk_ts_requested", &v)) {
		ret = NETDEV_XSK_TIMESTAMP | NETDEV_XSK_CHECKSUM;
		if (driver_symbol(ifname, driver, "xsk_request_launch_time") != ZC_NO)
			ret |= NETDEV_XSK_LAUNCH;
	}
	free(c);
	return ret;
}
