#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Guest kernel instructions per zero-copy TX frame, by function, on the unpatched
# kernel, on one with only the fixes, and on the patched kernel. One vCPU whose
# clock is its instructions.
#
#   make bench NIC=stmmac [FRAMES=2048] [KERNELS='base fixes run']
#
# stdout: the tables; BUILD/results/bench/NIC.json: one JSON object a line for each
# kernel, length and batch, with the count of every function. report.awk tells what
# is counted. FRAMES is the number sent one by one; in batches 8 times as many.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
vm=$top/tools/testing/testbed/vm/vm.sh

: "${NIC=}" "${BASE=6.1}" "${BUILD=$top/build}" "${FRAMES=2048}" "${KERNELS=base fixes run}"
usage_error() {
	echo "bench.sh: $*" >&2
	exit 2
}
case $NIC in
stmmac | i40e | mlx5) ;;
*) usage_error "NIC=$NIC: one of stmmac, i40e, mlx5; copy mode has no zero-copy path to count" ;;
esac
case $FRAMES in '' | 0* | *[!0-9]*) usage_error "FRAMES=$FRAMES: a positive number" ;; esac
[ "$FRAMES" -ge 64 ] || usage_error "FRAMES=$FRAMES: at least 64, the largest batch"
[ -d "$BUILD" ] || usage_error "BUILD=$BUILD: no such folder"
BUILD=$(cd "$BUILD" && pwd)
results=$BUILD/results/bench
mkdir -p "$results"
json=$results/$NIC.json
: >"$json.new"

# The wire is fast and has no share in when a frame completes.
# Neither port has anything to say by itself: reports of multicast groups would be
# counted as frames.
# shellcheck disable=SC2016 # the guest's shell expands it
quiet='for netns in "" "ip netns exec $PEER_NETNS"; do
	$netns sh -c "echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6"
done
ip addr flush dev $IF && ip -n $PEER_NETNS addr flush dev $PEER || exit'

for kernel in $KERNELS; do
	dir=$results/$NIC-$kernel
	rm -rf "$dir"
	mkdir -p "$dir"
	echo "bench.sh: $NIC, kernel $kernel: counting $FRAMES frames of each kind, some minutes" >&2
	# Addresses must be those that kallsyms tells, also of modules.
	"$vm" BASE="$BASE" BUILD="$BUILD" KERNEL="$kernel" NIC="$NIC" CPUS=1 ACCEL=tcg TIMEOUT=1800 \
		RESULTS="$dir" APPEND=nokaslr NICSIM="--wire a-b,rate=100000" \
		QEMUARGS="-icount shift=0,sleep=on -plugin $BUILD/host/icount.so,out=$dir/counts" \
		-c "$quiet
			cat /proc/kallsyms >/results/kallsyms && xsk-txload \$IF $FRAMES >/results/sections" >&2
	# Fixed-width addresses sort as text.
	{
		awk '$2 ~ /^[tTwW]$/ && $3 !~ /^(__pfx_|\.L)/ { print $1, 0, $3, $4 }' "$dir/kallsyms"
		awk '{ print $2, 1, $1, $3 }' "$dir/counts"
	} | LC_ALL=C sort -k1,1 -k2,2n -s >"$dir/merged"
	awk -v kernel="$kernel" -v nic="$NIC" -f "$here/report.awk" "$dir/sections" "$dir/merged" \
		>>"$json.new" 2>"$dir/table"
	if [ ! -s "$dir/sections" ] || [ "$(wc -l <"$dir/table")" != "$(wc -l <"$dir/sections")" ]; then
		echo "bench.sh: the run is not complete; see $dir" >&2
		exit 1
	fi
	cat "$dir/table"
	rm -f "$dir/merged" "$dir/kallsyms"
done
mv "$json.new" "$json"

# Each kernel beside the one before it; what is asked for, beside nothing asked.
before=
for kernel in $KERNELS; do
	[ -z "$before" ] || printf '%s over %s without metadata:\n' "$kernel" "$before"
	[ -z "$before" ] || awk '
	FNR == 1 { next }
	FNR == NR { if ($5 == "none") { path[$3, $4] = $7; all[$3, $4] = $8 } next }
	{
		printf "%6d bytes, batch %2d, %-8s path %+9.2f (%+.2f %%), all %+9.2f\n", $3, $4, $5 ":",
			$7 - path[$3, $4], 100 * ($7 / path[$3, $4] - 1), $8 - all[$3, $4]
	}' "$results/$NIC-$before/table" "$results/$NIC-$kernel/table"
	before=$kernel
done
echo "by function: $json"
