#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: group.sh FILE
# prove runs this once a group. FILE is named after the group and lists its test
# programs; on stdout comes one TAP stream. test.sh sets the variables.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
group=${1##*/}
RESULTS=$BUILD/results/$group
mkdir -p "$RESULTS"
rm -f "$RESULTS"/*
export RESULTS ROUNDS BUILD BASE KERNEL

# The file has one path a line, without blanks.
# shellcheck disable=SC2046
set -- $(cat "$1")
mark="#$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')"
why=$RESULTS/stderr
: >"$why"

run() {
	case $1 in
	/txmd/*)
		conf=$top/tools/testing/selftests/tap/$group/vm.conf
		settings=$(sed 's/#.*//' "$conf" 2>/dev/null || true)
		leak=
		[ "$KERNEL" != test ] || leak=1
		nic=veth
		case $group in stmmac | i40e | mlx5) nic=$group ;; esac
		# shellcheck disable=SC2086 # a list of words
		"$here/../vm/vm.sh" NIC=$nic TIMEOUT="$GROUP_TIMEOUT" LEAK=$leak $settings \
			-c "/etc/txmd/topics '$mark' $TOPIC_TIMEOUT $*"
		;;
	*)
		sh "$here/../vm/guest/topics" "$mark" "$TOPIC_TIMEOUT" "$@"
		;;
	esac
}

# fd 3 is the TAP stream; stderr reaches the terminal and the file.
mkfifo "$RESULTS/fifo"
{
	tee -a "$why" <"$RESULTS/fifo" >&2 &
	tee=$!
	status=0
	run "$@" 2>"$RESULTS/fifo" || status=$?
	wait "$tee"	# the reason is in the file before tapmerge looks there
	printf '\n%s done %s\n' "$mark" "$status"
} | "$BUILD/host/tapmerge" "$group" "$mark" $# "$why" | tee "$RESULTS/tap"
rm -f "$RESULTS/fifo"
