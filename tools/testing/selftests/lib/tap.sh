# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# TAP 13 for tests in sh; sourced. Each check prints one line; end with tap_done.
#
#   run COMMAND...      stdout to $out, stderr to $err, exit status in $status
#   ok NAME COMMAND...  one check: the command succeeds
#   is GOT WANT NAME    one check: two strings are the same
#   skip NAME REASON
#
# A check that fails shows what the last run said.

tap_n=0 tap_bad=0
tap_tmp=$(mktemp -d)
# What a test must undo goes into this function of its own.
tap_cleanup() { :; }
trap 'tap_cleanup; rm -rf "$tap_tmp"' EXIT
out=$tap_tmp/out err=$tap_tmp/err status=0
touch "$out" "$err"

run() {
	status=0
	timeout 300 "$@" >"$out" 2>"$err" </dev/null || status=$?
}

tap_line() {	# OK? NAME
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
		return
	fi
	tap_bad=$((tap_bad + 1))
	echo "not ok $tap_n - $2"
	echo "# last run: status $status"
	sed 's/^/# stdout: /' "$out"
	sed 's/^/# stderr: /' "$err"
}

ok() {
	tap_name=$1
	shift
	if "$@" >"$tap_tmp/ok" 2>&1; then
		tap_line 0 "$tap_name"
	else
		tap_line 1 "$tap_name"
		sed 's/^/# /' "$tap_tmp/ok"
	fi
}

is() {
	if [ "$1" = "$2" ]; then
		tap_line 0 "$3"
	else
		tap_line 1 "$3"
		echo "# got '$1', want '$2'"
	fi
}

skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

bail() {
	echo "Bail out! $*"
	exit 255
}

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
	tap_tries=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$tap_tries" -gt 0 ] || return 1
		tap_tries=$((tap_tries - 1))
		sleep 0.05
	done
}

# rounds N [MIN]: N times ROUNDS, a whole number, at least MIN
rounds() {
	awk -v n="$1" -v min="${2:-1}" -v r="${ROUNDS:-1}" \
		'BEGIN { x = int(n * r); print x < min ? min : x }'
}

tap_done() {
	echo "1..$tap_n"
	[ "$tap_bad" = 0 ] || exit 1
	exit 0
}
