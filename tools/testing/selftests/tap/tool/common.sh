# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034 # used by who sources it
#
# For the tests of group tool: the topology's names, and what must be as before.
. "${0%/*}/../../lib/tap.sh"

: "${IF:?}" "${PEER:?}" "${PEER_NETNS:?}"
peer=$PEER_NETNS:$PEER
tool=xdp_hw_metadata
json=$tap_tmp/summary.json frames=$tap_tmp/frames.jsonl
ethtool -K "$IF" tx off >/dev/null 2>&1
# Tests take links down; the addresses stay.
echo 1 >"/proc/sys/net/ipv6/conf/$IF/keep_addr_on_down"
ip netns exec "$PEER_NETNS" sh -c "echo 1 >/proc/sys/net/ipv6/conf/$PEER/keep_addr_on_down"

tx() { run $tool tx "$IF" "$@"; }

# One number of the summary, by the path of its objects: field timestamps zero
field() {
	awk -v want="$*" '
		{ line = $0; sub(/^\t+/, "", line); depth = length($0) - length(line) }
		match(line, /^"[^"]*": /) {
			key = substr(line, 2, RLENGTH - 4)
			value = substr(line, RLENGTH + 1)
			sub(/,$/, "", value)
			path[depth] = key
			full = path[1]
			for (i = 2; i <= depth; i++)
				full = full " " path[i]
			if (full == want) { print value; exit }
		}' "$json"
}

last_line() { tail -n 1 "$out"; }
starts() { case $1 in "$2"*) return 0 ;; esac; return 1; }
one_line() { [ "$(wc -l <"$err")" = 1 ] && grep -q "^$tool: .*; " "$err"; }
says() { grep -qF -- "$1" "$err"; }

# What a run may change: programs, settings, namespaces, processes.
state() {
	ip -o link show dev "$IF" | sed 's/ state .*//'
	ethtool -k "$IF"
	bpftool prog show | grep -c "name $tool"
	ip netns list | sort
	pidof "$tool"
	hwstamp_ctl -i "$IF" 2>/dev/null
	true
}
state >"$tap_tmp/state" 2>&1
same_state() {
	# A program that is detached is freed a moment later.
	wait_for 5 unchanged && return
	state 2>&1 | diff "$tap_tmp/state" -
}
unchanged() { [ "$(state 2>&1)" = "$(cat "$tap_tmp/state")" ]; }

has_link() { ip link show dev "$IF" | grep -q LOWER_UP; }

# refused STATUS TEXT NAME: the last run gave up at once, with cause and remedy,
# and nothing is left behind
refused() {
	if [ "$status" = "$1" ] && one_line && says "$2" && [ ! -s "$out" ]; then
		tap_line 0 "$3: status $1 and one line"
	else
		tap_line 1 "$3: status $1 and one line with '$2'"
	fi
	ok "$3: nothing is left behind" same_state
}
