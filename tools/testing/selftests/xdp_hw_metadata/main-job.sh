#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The main job, in the guest: UDP frames from an AF_XDP socket with checksum and
# timestamp requested, judged at the peer. The device's own checksumming is off on
# veth, which would only pass the request on; once more with --sw-csum there. On
# others in zero-copy mode, where the driver serves requests there, and in copy mode;
# where it serves launch times, once more with these.
#
# usage: main-job FOLDER COUNT [OPTION...]
# The verdict tables go to stdout, the summaries and the last line to FOLDER.
set -u
folder=$1 count=$2
shift 2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

job() {		# NAME TITLE OPTION...
	name=$1
	printf '== %s\n' "$2"
	shift 2
	status=0
	xdp_hw_metadata tx "$IF" --count "$count" --csum --timestamp --peer "$PEER_NETNS:$PEER" \
		--json "$folder/$name.json" --frames "$folder/$name.jsonl" "$@" >"$out" || status=$?
	verdict=$(tail -n 1 "$out")
	sed '$d' "$out"
	[ -n "$verdict" ] || verdict="FAIL: the tool could not run, status $status"
	printf '%s\n' "$verdict" >"$folder/verdict"
	[ "$status" != 1 ] || who_lost
	return "$status"
}

# A model counts what a receiver on a busy host had no buffer for.
who_lost() {
	[ -e /dev/virtio-ports/nicsim ] || return 0
	n=$(nicsim-ctl stats b | awk '$1 == "rx_no_desc" { print $2 }')
	[ "${n:-0}" = 0 ] ||
		echo "the peer's ring had no room for $n frames: the host is too busy to empty it; run it again on a calmer one"
}

what="$count frames, checksum and timestamp requested"
if [ "$NIC" = veth ]; then
	ethtool -K "$IF" tx off >/dev/null || exit 2
	job checksum-help "$what, the device's checksumming is off" "$@" || exit
	ethtool -K "$IF" tx on >/dev/null || exit 2
	job sw-csum "$count frames, the same with --sw-csum" --sw-csum "$@" || exit
	exit 0
fi
case " $* " in
*' --copy '* | *' --zerocopy '*)
	job tx "$what" "$@" || exit
	exit 0
	;;
esac
status=0
job zerocopy "$what, zero-copy mode" --zerocopy "$@" || status=$?
case $status in
0) ;;
4) echo 'main-job: so zero-copy mode is not judged' >&2 ;;
*) exit "$status" ;;
esac
job copy "$what, copy mode" --copy "$@" || exit
# A sender that the host makes wait must still be in time, and the receiver, which
# nothing holds back here, must keep up.
if [ "$NIC" = stmmac ] && [ $# = 0 ] && [ "$KERNEL" != base ]; then
	tc qdisc replace dev "$IF" root handle 100: mqprio num_tc 2 \
		map 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 queues 1@0 1@1 hw 0 &&
		tc qdisc replace dev "$IF" parent 100:2 etf clockid CLOCK_TAI delta 500000 \
			offload skip_sock_check || exit 2
	[ "$count" -le 2000 ] || count=2000
	job launch "$count frames with launch times 1 ms apart, checksum and timestamp requested" \
		--queue 1 --launch 900000000 --rate 1000 --batch 1 || exit
fi
