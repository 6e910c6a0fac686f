// SPDX-License-Identifier: GPL-2.0
/* The interface goes down and up, the driver lets go of the device and takes it. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nic.h"

static bool ping(void)
{
	return nic_wait_carrier(10000) && !nic_sh("ping -c 1 -W 10 192.0.2.2");
}

static bool appears(const char *path, unsigned int ms)
{
	while (access(path, F_OK) && ms--)
		usleep(1000);
	return !access(path, F_OK);
}

int main(void)
{
	char link[128], dev[PATH_MAX], *slot, net[PATH_MAX + 64];
	unsigned long rounds = tap_rounds(20), good = 0;
	ssize_t n;

	nic_init();
	if (rounds < 3)
		rounds = 3;
	for (unsigned long i = 0; i < rounds; i++)
		good += !nic_sh("ip link set %s down && ip link set %s up", nic_if, nic_if) &&
			ping();
	tap_is(good, rounds, "down, up, ping");

	snprintf(link, sizeof(link), "/sys/class/net/%s/device", nic_if);
	n = readlink(link, dev, sizeof(dev) - 1);
	if (n < 0)
		tap_bail("%s has no device", nic_if);
	dev[n] = 0;
	slot = strrchr(dev, '/') + 1;
	good = 0;
	for (unsigned long i = 0; i < rounds; i++) {
		if (nic_sh("echo %s >/sys/bus/pci/drivers/%s/unbind", slot, nic->pci_driver))
			break;
		if (nic_sh("echo %s >/sys/bus/pci/drivers/%s/bind", slot, nic->pci_driver))
			break;
		snprintf(net, sizeof(net), "/sys/bus/pci/devices/%s/net/%s", slot, nic_if);
		if (!appears(net, 10000))
			break;
		if (nic_sh("ip addr add 192.0.2.1/24 dev %s && ip addr add 2001:db8::1/64 dev %s && ip link set %s up",
			   nic_if, nic_if, nic_if))
			break;
		good += ping();
	}
	tap_is(good, rounds, "unbind, bind, up, ping");
	return tap_done();
}
