// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nic.h"

static const struct nic_facts facts[] = {
	{
		.name = "stmmac", .driver = "st_gmac",
		.pci_driver = "intel-eth-pci", .module = "dwmac-intel",
		.tx_counter = "mmc_tx_framecount_g",
		.queues = 8, .ring_min = 64, .ring_max = 1024,
		.stamp_each = true, .needs_tx_on = true, .rx_filter_all = true,
		.launch = true, .launch_step = 256,
		.launch_horizon = 1000000000,
		.csum_always = true, .csum_vlans = 1,
	},
	{
		.name = "mlx5", .driver = "mlx5_core",
		.pci_driver = "mlx5_core", .module = "mlx5_core",
		.tx_counter = "tx_packets_phy", .combined = true,
		.queues = 2, .ring_min = 64, .ring_max = 8192,
		.stamp_each = true, .stamp_in_cqe = true, .step_by_set = true,
		.rx_filter_all = true, .reset_probes = true, .csum_vlans = 2,
		.multi_flag = "xdp_tx_mpwqe", .multi_counter = "tx_xsk_mpwqe",
	},
	{
		/* As many queues as the VM has processors. */
		.name = "i40e", .driver = "i40e",
		.pci_driver = "i40e", .module = "i40e",
		.tx_counter = "tx_packets", .combined = true,
		.queues = 2, .ring_min = 64, .ring_max = 4096,
		.needs_tx_on = true, .min_len = 17, .error_stops = true,
		.csum_vlans = 2, .csum_ip6_ext = true,
	},
};

const struct nic_facts *nic;
const char *nic_if, *nic_peer;
bool nic_patched;

static const char *env(const char *name)
{
	const char *v = getenv(name);

	if (!v || !*v)
		tap_bail("%s is not set: run this in the testbed's VM", name);
	return v;
}

void nic_init(void)
{
	const char *name = env("NIC");

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!strcmp(facts[i].name, name))
			nic = &facts[i];
	if (!nic)
		tap_bail("nothing is known about NIC=%s; add it to the table in tap/nic/nic.c", name);
	nic_if = env("IF");
	nic_peer = env("PEER");
	/* Tests take links down; the addresses stay. */
	nic_sh("echo 1 >/proc/sys/net/ipv6/conf/%s/keep_addr_on_down", nic_if);
	nic_peer_sh("sh -c 'echo 1 >/proc/sys/net/ipv6/conf/%s/keep_addr_on_down'", nic_peer);
	nic_patched = strcmp(env("KERNEL"), "base") && strcmp(env("KERNEL"), "fixes");
	env("TRUTH");
	truth_mark();
}

int nic_peer_socket(int domain, int type, int protocol)
{
	int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open("/run/netns/peer", O_RDONLY | O_CLOEXEC);
	int fd = -1;

	if (here >= 0 && there >= 0 && !setns(there, CLONE_NEWNET)) {
		fd = socket(domain, type | SOCK_CLOEXEC, protocol);
		if (setns(here, CLONE_NEWNET))
			tap_bail("can't go back to the first network namespace: %s", strerror(errno));
	}
	close(here);
	close(there);
	if (fd < 0)
		tap_bail("no socket in the peer's namespace: %s", strerror(errno));
	return fd;
}

static int run(const char *prefix, const char *fmt, va_list ap)
{
	char cmd[1024];
	size_t n = snprintf(cmd, sizeof(cmd), "%s", prefix);
	int status;

	vsnprintf(cmd + n, sizeof(cmd) - n, fmt, ap);
	fflush(stdout);
	status = system(cmd);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
	if (status)
		tap_diag("exit status %d: %s", status, cmd);
	return status;
}

int nic_sh(const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = run("exec 1>&2; ", fmt, ap);
	va_end(ap);
	return status;
}

int nic_peer_sh(const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = run("exec 1>&2; ip netns exec peer ", fmt, ap);
	va_end(ap);
	return status;
}

void nic_ctl(const char *fmt, ...)
{
	va_list ap;
	int status;

	va_start(ap, fmt);
	status = run("exec nicsim-ctl >/dev/null ", fmt, ap);
	va_end(ap);
	if (status)
		tap_bail("the NIC model refused a command");
}

/* First number behind @name in a command's output. */
static long long number_in(const char *cmd, const char *name)
{
	FILE *f = popen(cmd, "re");
	long long val = -1;
	char line[256];

	if (!f)
		tap_bail("popen: %s", strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		char *p = line + strspn(line, " \t");
		size_t n = strlen(name);

		if (val < 0 && !strncmp(p, name, n) && (p[n] == ' ' || p[n] == ':'))
			val = strtoll(p + n + strspn(p + n, ": \t"), NULL, 0);
	}
	pclose(f);
	return val;
}

uint64_t nic_model_stat(const char *port, const char *name)
{
	char cmd[64];
	long long v;

	snprintf(cmd, sizeof(cmd), "nicsim-ctl stats %s", port);
	v = number_in(cmd, name);
	if (v < 0)
		tap_bail("the NIC model has no statistic '%s'", name);
	return v;
}

long long nic_stat(const char *ifname, const char *name)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "ethtool -S %s", ifname);
	return number_in(cmd, name);
}

void nic_mac(const char *ifname, uint8_t mac[6])
{
	bool peer = !strcmp(ifname, nic_peer);
	int fd = peer ? nic_peer_socket(AF_INET, SOCK_DGRAM, 0) :
			socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq ifr = { 0 };

	strncpy(ifr.ifr_name, ifname, IFNAMSIZ - 1);
	if (ioctl(fd, SIOCGIFHWADDR, &ifr))
		tap_bail("%s: no hardware address: %s", ifname, strerror(errno));
	memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	close(fd);
}

const char *nic_slot(void)
{
	static char slot[64];
	char link[96], dev[256];
	ssize_t len;

	if (slot[0])
		return slot;
	snprintf(link, sizeof(link), "/sys/class/net/%s/device", nic_if);
	len = readlink(link, dev, sizeof(dev) - 1);
	if (len < 0)
		tap_bail("%s has no device", nic_if);
	dev[len] = 0;
	snprintf(slot, sizeof(slot), "%.63s", strrchr(dev, '/') + 1);
	return slot;
}

void nic_unbind(void)
{
	nic_sh("echo %s >/sys/bus/pci/drivers/%s/unbind", nic_slot(), nic->pci_driver);
}

void nic_probed(void)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/net/%s", nic_if);
	for (int i = 0; i < 10000 && access(path, F_OK); i++)
		usleep(1000);
	nic_sh("ip addr add 192.0.2.1/24 dev %s && ip addr add 2001:db8::1/64 dev %s && ip link set %s up",
	       nic_if, nic_if, nic_if);
}

void nic_bind(void)
{
	nic_sh("echo %s >/sys/bus/pci/drivers/%s/bind", nic_slot(), nic->pci_driver);
	nic_probed();
}

bool nic_wait_carrier(unsigned int ms)
{
	char path[64], c;

	snprintf(path, sizeof(path), "/sys/class/net/%s/carrier", nic_if);
	for (;;) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		bool up = fd >= 0 && read(fd, &c, 1) == 1 && c == '1';

		if (fd >= 0)
			close(fd);
		if (up || !ms)
			return up;
		usleep(1000);
		ms--;
	}
}

bool nic_works(void)
{
	if (!nic_wait_carrier(10000)) {
		tap_diag("%s has no carrier", nic_if);
		return false;
	}
	return !nic_sh("for i in $(seq 30); do ping -q -c 1 -W 1 192.0.2.2 >/dev/null && exit; done; ip -br link; ip neigh; exit 1");
}

clockid_t nic_phc_clock(void)
{
	static int fd = -1;
	char cmd[96], path[32] = "/dev/";
	struct timespec ts;
	FILE *f;

	if (fd >= 0 && clock_gettime(~(clockid_t)fd << 3 | 3, &ts)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0) {
		snprintf(cmd, sizeof(cmd), "ls /sys/class/net/%s/device/ptp", nic_if);
		f = popen(cmd, "re");
		if (!f || !fgets(path + 5, sizeof(path) - 5, f))
			tap_bail("%s has no PTP clock", nic_if);
		pclose(f);
		path[strcspn(path, "\n")] = 0;
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			tap_bail("%s: %s", path, strerror(errno));
	}
	/* See clock_gettime(2). */
	return ~(clockid_t)fd << 3 | 3;
}

uint64_t nic_phc_ns(void)
{
	struct timespec ts;

	if (clock_gettime(nic_phc_clock(), &ts))
		tap_bail("%s's PTP clock: %s", nic_if, strerror(errno));
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

void nic_phc_to_tai(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_TAI, &ts) || clock_settime(nic_phc_clock(), &ts))
		tap_bail("%s's PTP clock cannot be set: %s", nic_if, strerror(errno));
}

void nic_hwtstamp(int sock, const char *ifname, int tx_type, int rx_filter)
{
	struct hwtstamp_config cfg = { .tx_type = tx_type, .rx_filter = rx_filter };
	struct ifreq ifr = { .ifr_data = (void *)&cfg };

	strncpy(ifr.ifr_name, ifname, IFNAMSIZ - 1);
	if (ioctl(sock, SIOCSHWTSTAMP, &ifr))
		tap_bail("%s: SIOCSHWTSTAMP tx_type %d rx_filter %d: %s", ifname,
			 tx_type, rx_filter, strerror(errno));
}

uint32_t nic_crc32(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint32_t crc = ~0u;

	while (len--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}
