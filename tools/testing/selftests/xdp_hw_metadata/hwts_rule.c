// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "hwts.h"

struct hwtstamp_config hwts_merge(struct hwtstamp_config old)
{
	/* ONESTEP stamps too, and a PTP daemon that set it relies on it. */
	if (old.tx_type == HWTSTAMP_TX_OFF)
		old.tx_type = HWTSTAMP_TX_ON;
	return old;
}

bool hwts_ours(struct hwtstamp_config set, struct hwtstamp_config now)
{
	return set.tx_type == now.tx_type && set.rx_filter == now.rx_filter;
}

static const char *name_of(const char *const *names, int n, int v, char *buf, size_t size)
{
	if (v >= 0 && v < n && names[v])
		return names[v];
	snprintf(buf, size, "%d", v);
	return buf;
}

const char *hwts_tx_name(int tx_type)
{
	static const char *const names[] = {
		[HWTSTAMP_TX_OFF] = "OFF",
		[HWTSTAMP_TX_ON] = "ON",
		[HWTSTAMP_TX_ONESTEP_SYNC] = "ONESTEP_SYNC",
		[HWTSTAMP_TX_ONESTEP_P2P] = "ONESTEP_P2P",
	};
	static char buf[12];

	return name_of(names, sizeof(names) / sizeof(names[0]), tx_type, buf, sizeof(buf));
}

const char *hwts_rx_name(int rx_filter)
{
	static const char *const names[] = {
		[HWTSTAMP_FILTER_NONE] = "NONE",
		[HWTSTAMP_FILTER_ALL] = "ALL",
		[HWTSTAMP_FILTER_SOME] = "SOME",
		[HWTSTAMP_FILTER_PTP_V1_L4_EVENT] = "PTP_V1_L4_EVENT",
		[HWTSTAMP_FILTER_PTP_V1_L4_SYNC] = "PTP_V1_L4_SYNC",
		[HWTSTAMP_FILTER_PTP_V1_L4_DELAY_REQ] = "PTP_V1_L4_DELAY_REQ",
		[HWTSTAMP_FILTER_PTP_V2_L4_EVENT] = "PTP_V2_L4_EVENT",
		[HWTSTAMP_FILTER_PTP_V2_L4_SYNC] = "PTP_V2_L4_SYNC",
		[HWTSTAMP_FILTER_PTP_V2_L4_DELAY_REQ] = "PTP_V2_L4_DELAY_REQ",
		[HWTSTAMP_FILTER_PTP_V2_L2_EVENT] = "PTP_V2_L2_EVENT",
		[HWTSTAMP_FILTER_PTP_V2_L2_SYNC] = "PTP_V2_L2_SYNC",
		[HWTSTAMP_FILTER_PTP_V2_L2_DELAY_REQ] = "PTP_V2_L2_DELAY_REQ",
		[HWTSTAMP_FILTER_PTP_V2_EVENT] = "PTP_V2_EVENT",
		[HWTSTAMP_FILTER_PTP_V2_SYNC] = "PTP_V2_SYNC",
		[HWTSTAMP_FILTER_PTP_V2_DELAY_REQ] = "PTP_V2_DELAY_REQ",
		[HWTSTAMP_FILTER_NTP_ALL] = "NTP_ALL",
	};
	static char buf[12];

	return name_of(names, sizeof(names) / sizeof(names[0]), rx_filter, buf, sizeof(buf));
}
