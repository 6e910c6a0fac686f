#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Coverage-guided fuzzing of nicsim, as a TAP test of group nicsim.
#
# usage: fuzz [SECONDS]    of fuzzing in all; default: $FUZZ_SECONDS, else 20, or
#                          600 with ROUNDS=1 (make soak)
#
# The corpus stays in BUILD/fuzz, so that runs add up.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
host=$(cd "$here/../.." && pwd)
build=${host%/*}
bin=$host/fuzz
case ${ROUNDS:-0.05} in
0 | 0.* | .*) seconds=20 ;;
*) seconds=600 ;;
esac
seconds=${1:-${FUZZ_SECONDS:-$seconds}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 143' TERM INT

n=0
failed=0
result() {	# ok|"not ok" TEXT
	n=$((n + 1))
	[ "$1" = ok ] || failed=1
	echo "$1 $n - $2"
}

# fuzz PROGRAM CORPUS SECONDS: what libFuzzer prints goes into $work/log
fuzz() {
	mkdir -p "$2"
	set -- "$1" -max_total_time="$3" -max_len=2048 -timeout=10 -rss_limit_mb=1024 -use_value_profile=1 \
		-print_final_stats=1 -close_fd_mask=3 -artifact_prefix="$work/" "$2"
	case $1 in
	*/proto*) set -- "$@" "$bin/seeds/proto" ;;
	*) [ ! -d "$bin/seeds/$FUZZ_MODEL" ] || set -- "$@" "$bin/seeds/$FUZZ_MODEL" ;;
	esac
	timeout -k 5 $((seconds + 120)) "$@" >"$work/log" 2>&1
}

echo TAP version 13
if [ ! -x "$bin/proto" ]; then
	echo "1..0 # SKIP built without clang; apt-get install clang libclang-rt-14-dev"
	exit 0
fi
models=$(cat "$bin/models")
# shellcheck disable=SC2086 # a list of words
set -- $models
each=$((seconds / ($# + 1)))
[ "$each" -gt 0 ] || each=1
for target in proto $models; do
	program=$bin/model-$target FUZZ_MODEL=$target
	if [ "$target" = proto ]; then
		program=$bin/proto FUZZ_MODEL=demo
	fi
	export FUZZ_MODEL
	status=0
	fuzz "$program" "$build/fuzz/$target" "$each" || status=$?
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log")
	edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$work/log" | tail -1)
	of=$(sed -n 's/.*(\([0-9]*\) inline 8-bit counters).*/\1/p' "$work/log" | head -1)
	if [ "$status" = 0 ] && [ -n "$runs" ]; then
		result ok "$target: $runs executions in $each s, ${edges:-0} of ${of:-?} edges"
	else
		result "not ok" "$target: status $status"
		tail -n 40 "$work/log" | sed 's/^/# /'
		for f in "$work"/crash-* "$work"/timeout-* "$work"/oom-*; do
			[ ! -f "$f" ] || echo "# input: $(od -An -v -tx1 "$f" | tr -d ' \n')"
		done
		rm -f "$work"/crash-* "$work"/timeout-* "$work"/oom-*
	fi
done

# The same with a bug planted must fail, by a sanitizer's word.
for target in proto model; do
	status=0
	FUZZ_MODEL=demo fuzz "$bin/$target-planted" "$work/corpus-$target" 60 || status=$?
	if [ "$status" != 0 ] && grep -q 'ERROR: AddressSanitizer' "$work/log"; then
		runs=$(sed -n 's/^#\([0-9]*\)[[:space:]].*/\1/p' "$work/log" | tail -1)
		result ok "$target: the planted bug is found, after ${runs:-a few} executions"
	else
		result "not ok" "$target: the planted bug is not found in 60 s"
		tail -n 20 "$work/log" | sed 's/^/# /'
	fi
done
echo "1..$n"
exit "$failed"
