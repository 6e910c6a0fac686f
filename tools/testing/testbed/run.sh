#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The main job in a VM: make run [NIC=veth] [COUNT=10000] [ARGS='--copy ...']
#
#   NIC=veth      veth, or stmmac, i40e, mlx5 (our NIC models): zero-copy mode where the
#                 driver serves requests there, and copy mode
#   COUNT=10000   frames
#   ARGS=OPTIONS  further options of xdp_hw_metadata tx
#   KERNEL=run BASE=6.1 BUILD=build, and what vm.sh takes
#
# stdout: the verdict tables, the folder with the results, and at last PASS or
# FAIL: reason. Progress goes to stderr. Exit status: the tool's; 2 if the VM failed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
: "${NIC=veth}" "${COUNT=10000}" "${ARGS=}" "${KERNEL=run}" "${BUILD=$top/build}"
[ -n "$NIC" ] || NIC=veth
case $COUNT in '' | *[!0-9]*)
	echo "run.sh: COUNT=$COUNT: a number" >&2
	exit 2
	;;
esac
RESULTS=$BUILD/results/run
mkdir -p "$RESULTS"
# One folder, one run: nothing of an earlier one is taken for this one's.
rm -f "$RESULTS"/*.json "$RESULTS"/*.jsonl "$RESULTS/verdict"

echo "run: starting a VM with NIC=$NIC, then $COUNT frames; about half a minute" >&2
status=0
KERNEL=$KERNEL NIC=$NIC BUILD=$BUILD RESULTS=$RESULTS TIMEOUT=${TIMEOUT:-900} \
	"$here/vm/vm.sh" -c "main-job /results $COUNT $ARGS" || status=$?

echo "results: $RESULTS"
case $status in
124 | 125)
	echo "FAIL: the VM failed (status $status); see $RESULTS/dmesg"
	exit 2
	;;
esac
verdict=$(cat "$RESULTS/verdict" 2>/dev/null) || verdict=
# Both must say the same; a verdict of an earlier step must not cover a later failure.
if [ "$status" = 0 ] && [ "$verdict" = PASS ]; then
	echo PASS
	exit 0
fi
[ "$status" != 0 ] || status=1
case $verdict in
FAIL:*) echo "$verdict" ;;
*) echo "FAIL: the main job ended with status $status" ;;
esac
exit "$status"
