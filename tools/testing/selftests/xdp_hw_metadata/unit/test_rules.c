// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "../hwts.h"
#include "../xsk.h"
#include "tap.h"

int main(void)
{
	struct hwtstamp_config off = { 0, HWTSTAMP_TX_OFF, HWTSTAMP_FILTER_PTP_V2_EVENT };
	struct hwtstamp_config one = { 0, HWTSTAMP_TX_ONESTEP_SYNC, HWTSTAMP_FILTER_ALL };
	struct hwtstamp_config set = hwts_merge(off), now = set;

	tap_is(set.tx_type, HWTSTAMP_TX_ON, "OFF becomes ON");
	tap_is(set.rx_filter, HWTSTAMP_FILTER_PTP_V2_EVENT, "the receive filter stays");
	tap_is(hwts_merge(one).tx_type, HWTSTAMP_TX_ONESTEP_SYNC, "one-step stays");
	tap_ok(hwts_ours(set, now), "what we set is ours to undo");
	now.rx_filter = HWTSTAMP_FILTER_ALL;
	tap_ok(!hwts_ours(set, now), "what somebody changed since is not");
	now = off;
	tap_ok(!hwts_ours(set, now), "nor what is undone already");
	tap_ok(!strcmp(hwts_tx_name(HWTSTAMP_TX_ON), "ON") && !strcmp(hwts_tx_name(77), "77") &&
	       !strcmp(hwts_rx_name(HWTSTAMP_FILTER_ALL), "ALL") &&
	       !strcmp(hwts_rx_name(-1), "-1"), "names");

	tap_is(xsk_core_of(0, 0), CORE_FULL, "6.11 and newer, and ours: with the flag");
	tap_is(xsk_core_of(-EINVAL, -EINVAL), CORE_NO_FLAG, "6.8 to 6.10: without the flag");
	tap_is(xsk_core_of(-EINVAL, 0), CORE_NONE, "older: the length is not looked at");
	tap_is(xsk_core_of(-EPERM, -EPERM), CORE_DENIED, "not to be learned");
	tap_is(xsk_core_of(-EAFNOSUPPORT, -EAFNOSUPPORT), CORE_NO_AF_XDP, "no AF_XDP at all");
	tap_is(xsk_core_of(-ENOBUFS, 0), CORE_UNKNOWN, "an error that says nothing of metadata");
	return tap_done();
}
