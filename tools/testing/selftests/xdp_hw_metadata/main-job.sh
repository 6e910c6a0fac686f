#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The main job, in the guest: UDP frames from an AF_XDP socket with checksum and
# timestamp requested, judged at the peer. The device's own checksumming is off on
# veth, which would only pass the request on; once more with --sw-csum there.
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
	[ "$status" = 0 ] || exit "$status"
}

if [ "$NIC" = veth ]; then
	ethtool -K "$IF" tx off >/dev/null || exit 2
	job checksum-help "$count frames, checksum and timestamp requested, the device's checksumming is off" "$@"
	ethtool -K "$IF" tx on >/dev/null || exit 2
	job sw-csum "$count frames, the same with --sw-csum" --sw-csum "$@"
else
	job tx "$count frames, checksum and timestamp requested" "$@"
fi
