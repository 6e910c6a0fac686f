// SPDX-License-Identifier: GPL-2.0
/*
 * The driver is up on both ports, ethtool's questions have answers, and what it
 * counts is what the model saw.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nic.h"

static void queues(void)
{
	unsigned int half = nic->queues / 2;
	char cmd[96];

	tap_ok(!nic_sh("ethtool -l %s", nic_if), "ethtool -l answers");
	snprintf(cmd, sizeof(cmd), nic->combined ? "combined %u" : "rx %u tx %u", half, half);
	tap_ok(!nic_sh("ethtool -L %s %s", nic_if, cmd), "ethtool -L: half of the queues");
	nic_wait_carrier(5000);
	tap_ok(!nic_sh("ping -c 2 -W 5 192.0.2.2"), "ping with half of the queues");
	snprintf(cmd, sizeof(cmd), nic->combined ? "combined %u" : "rx %u tx %u",
		 nic->queues, nic->queues);
	tap_ok(!nic_sh("ethtool -L %s %s", nic_if, cmd), "ethtool -L: all of them");
	nic_wait_carrier(5000);
	tap_ok(!nic_sh("ping -c 2 -W 5 192.0.2.2"), "ping with all of them");
}

static void rings(void)
{
	const unsigned int sizes[] = { nic->ring_min, nic->ring_max, 512 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		tap_ok(!nic_sh("ethtool -G %s rx %u tx %u", nic_if, sizes[i], sizes[i]),
		       "ethtool -G %u", sizes[i]);
		nic_wait_carrier(5000);
		tap_ok(!nic_sh("ping -c 2 -W 5 192.0.2.2"), "ping with rings of %u", sizes[i]);
	}
}

static void features(void)
{
	static const char *const names[] = { "tx", "rx", "sg", "gro" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tap_ok(!nic_sh("ethtool -K %s %s off && ping -c 1 -W 5 192.0.2.2", nic_if, names[i]),
		       "ethtool -K %s off, ping", names[i]);
		tap_ok(!nic_sh("ethtool -K %s %s on && ping -c 1 -W 5 192.0.2.2", nic_if, names[i]),
		       "ethtool -K %s on, ping", names[i]);
	}
	/* Scatter-gather takes segmentation along when it goes. */
	nic_sh("ethtool -K %s tso on gso on || true", nic_if);
}

static void counters(void)
{
	uint64_t model = nic_model_stat("a", "tx_frames");
	long long drv = nic_stat(nic_if, nic->tx_counter);
	long long after;

	if (!tap_ok(drv >= 0, "ethtool -S has %s", nic->tx_counter))
		return;
	nic_sh("ping -c 20 -i 0.02 -s 200 -W 5 192.0.2.2");
	/* Some drivers collect their counters once a second or two. */
	for (int i = 0; i < 40; i++) {
		after = nic_stat(nic_if, nic->tx_counter);
		if (after - drv == (long long)(nic_model_stat("a", "tx_frames") - model))
			break;
		usleep(100000);
	}
	tap_is(after - drv, nic_model_stat("a", "tx_frames") - model,
	       "%s counts what the model sent", nic->tx_counter);
	tap_ok(after - drv >= 20, "... and that is what ping sent at least");
}

int main(void)
{
	nic_init();
	tap_ok(!nic_sh("ethtool -i %s | grep -qx 'driver: %s'", nic_if, nic->driver),
	       "%s is driven by %s", nic_if, nic->driver);
	tap_ok(!nic_peer_sh("ethtool -i %s | grep -qx 'driver: %s'", nic_peer, nic->driver),
	       "%s is driven by %s", nic_peer, nic->driver);
	tap_ok(!nic_sh("ethtool %s | grep -q 'Link detected: yes'", nic_if), "link");
	tap_ok(!nic_sh("ethtool -T %s | grep -q 'PTP Hardware Clock: [0-9]'", nic_if),
	       "a PTP clock");
	tap_ok(!nic_sh("ethtool -T %s | grep -q hardware-transmit", nic_if), "hardware TX stamps");
	tap_ok(!nic_sh("ethtool -S %s >/dev/null", nic_if), "ethtool -S answers");
	tap_ok(!nic_sh("ethtool -g %s", nic_if), "ethtool -g answers");
	tap_ok(!nic_sh("ethtool -k %s >/dev/null", nic_if), "ethtool -k answers");
	tap_ok(!nic_sh("ping -c 3 -W 5 192.0.2.2"), "ping over IPv4");
	tap_ok(!nic_sh("ping -c 3 -W 5 2001:db8::2"), "ping over IPv6");
	counters();
	queues();
	rings();
	features();
	return tap_done();
}
