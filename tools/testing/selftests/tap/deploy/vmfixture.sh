# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used by who reads this
#
# For the tests of group deploy that start a VM: fixture.sh, with this repo as it
# is, a BUILD of its own that borrows what is built, and a kernel to boot.

real=${BUILD:-$(cd "$(dirname "$0")/../../../../.." && pwd)/build}
# shellcheck source=tools/testing/selftests/tap/deploy/fixture.sh
. "$(dirname "$0")/fixture.sh"
# A test that is killed takes its VM along, whose supervisor ends all else.
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$tmp"' EXIT
# What a runner above this one has set is not for the one below.
unset T KERNEL NIC CMD SHARE ROUNDS RESULTS TIMEOUT TOPIC_TIMEOUT GROUP_TIMEOUT LEAK SPLATS \
	NICOPTS NICSIM APPEND CPUS MEM MAKEFLAGS MAKELEVEL
vm=$TOP/tools/testing/testbed/vm/vm.sh
test_sh=$TOP/tools/testing/testbed/runner/test.sh

mkdir -p "$BUILD/guest/tap" "$BUILD/host"
for f in qemu vm "$BASE"; do
	[ ! -e "$real/$f" ] || ln -s "$real/$f" "$BUILD/$f"
done
make -s -C "$TOP/tools/testing/testbed/vm" BUILD="$BUILD" >&2
make -s -C "$TOP/tools/testing/testbed/runner" BUILD="$BUILD" >&2

# Any kernel will do; the fast ones first.
for KERNEL in run base test; do
	[ ! -e "$BUILD/$BASE/obj-$KERNEL/vmlinux" ] || break
done
export KERNEL

run() { status=0; timeout --foreground 500 "$@" >"$tmp/out" 2>&1 </dev/null || status=$?; }

# Starts a VM in the background and returns once its command runs; $pid is vm.sh.
boot_behind()
{
	"$vm" TIMEOUT=400 -c 'echo started; sleep 1000' >"$tmp/out" 2>&1 </dev/null &
	pid=$!
	for ((i = 0; i < 3000; i++)); do
		! grep -q . "$tmp/out" || return 0
		sleep 0.1
	done
}
reap() { status=0; wait "$pid" || status=$?; }

# No process of a VM of this test is left; each has $tmp in its arguments.
none_left() { ! pgrep -f -- "path=$tmp/|--truth $tmp/" >"$tmp/out"; }
# The last run ended with this status and one line that holds the text.
ended() { [ "$status" = "$1" ] && grep -qE "^(vm|vm.sh): .*$2" "$tmp/out"; }
