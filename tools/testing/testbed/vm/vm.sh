#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs a command as root in a VM with the kernel under test, or gives a prompt.
#
#   vm.sh [NAME=VALUE...] [-c COMMAND]
#   make vm CMD='COMMAND' [NAME=VALUE...];  make shell [NAME=VALUE...]
#
#   CMD=COMMAND   for sh in the guest; without one: an interactive shell
#   KERNEL=run    run, test or base, of BUILD/BASE/obj-KERNEL
#   NIC=veth      veth, or stmmac, i40e, mlx5 (our NIC models)
#   NICOPTS=OPTS  options of the NIC model, comma-separated (nicsim --help)
#   NICSIM=ARGS   further arguments for nicsim; nicsim-ctl -s RESULTS/nicsim reaches it
#   SHARE=FOLDER  host folder, in the guest /host, where the command then starts
#   CPUS=2 MEM=1G
#   TIMEOUT=3600  seconds for the whole run
#   ROUNDS=1      how much of a test's rounds to do, for programs that ask
#   RESULTS=BUILD/results/vm   gets dmesg; with a NIC also truth.jsonl, nicsim.log
#   ACCEL=tcg     tcg or kvm; without it kvm where a probe boot succeeds
#   APPEND=ARGS   further kernel arguments
#   QEMUARGS=ARGS further arguments for QEMU, split at blanks
#   LEAK=1        look for leaked kernel memory at the end (KERNEL=test)
#   SPLATS=ok     a splat in the kernel log does not fail the run
#   BASE=6.1 BUILD=build
#
# The command finds IF, PEER, PEER_NETNS, NIC, KERNEL, ROUNDS, TRUTH in its
# environment; /txmd is BUILD/guest, /results is RESULTS. stdout and stderr arrive
# live and byte for byte. stdin is empty.
#
# Exit status: the command's. 124: out of time. 125: the VM failed (died,
# panicked, could not be prepared, kernel log has a splat); one line on stderr says
# why. 126, 127: sh's own. 2: wrong use. make turns every failure into 2.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)

usage_error() {
	echo "vm.sh: $*" >&2
	exit 2
}

: "${BASE=6.1}" "${KERNEL=run}" "${NIC=veth}" "${CPUS=2}" "${MEM=1G}" "${TIMEOUT=3600}"
: "${ROUNDS=1}" "${CMD=}" "${SHARE=}" "${ACCEL=}" "${APPEND=}" "${LEAK=}" "${SPLATS=}"
: "${QEMUARGS=}" "${NICSIM=}" "${NICOPTS=}" "${RESULTS=}" "${BUILD=$top/build}"
while [ $# -gt 0 ]; do
	case $1 in
	-c)
		[ $# -ge 2 ] || usage_error "-c needs a command"
		CMD=$2
		shift
		;;
	BASE=* | KERNEL=* | NIC=* | CPUS=* | MEM=* | TIMEOUT=* | ROUNDS=* | CMD=* | SHARE=* | ACCEL=* | \
	APPEND=* | QEMUARGS=* | LEAK=* | SPLATS=* | NICOPTS=* | NICSIM=* | RESULTS=* | BUILD=*)
		# The name is one of the above, the value is taken as it is.
		eval "${1%%=*}=\${1#*=}"
		;;
	*)
		usage_error "unknown argument '$1'; the head of $0 lists them"
		;;
	esac
	shift
done

case $KERNEL in run | test | base | fixes) ;; *) usage_error "KERNEL=$KERNEL: one of run, test, base, fixes" ;; esac
case $NIC in veth | stmmac | i40e | mlx5) ;; *) usage_error "NIC=$NIC: one of veth, stmmac, i40e, mlx5" ;; esac
case $ACCEL in '' | tcg | kvm) ;; *) usage_error "ACCEL=$ACCEL: tcg or kvm" ;; esac
positive() {
	case $2 in '' | 0* | *[!0-9]*) usage_error "$1=$2: a positive number" ;; esac
}
positive CPUS "$CPUS"
positive TIMEOUT "$TIMEOUT"
[ "$CPUS" -le 8 ] || usage_error "CPUS=$CPUS: the guest kernel is built for at most 8"
[ -z "$SHARE" ] || [ -d "$SHARE" ] || usage_error "SHARE=$SHARE: no such folder"
mkdir -p "$BUILD"
BUILD=$(cd "$BUILD" && pwd)
# PVH entry is the faster way in, but its code is instrumented by KASAN and runs
# before the shadow memory is mapped.
case $KERNEL in
test) vmlinux=$BUILD/$BASE/obj-test/arch/x86/boot/bzImage ;;
*) vmlinux=$BUILD/$BASE/obj-$KERNEL/vmlinux ;;
esac
[ -r "$vmlinux" ] || usage_error "no kernel $vmlinux; build it: make kernel BASE=$BASE KERNEL=$KERNEL"
: "${RESULTS:=$BUILD/results/vm}"
if [ -z "$CMD" ] && ! [ -t 0 ]; then
	usage_error "CMD is empty and there is no terminal for a shell"
fi

MAKEFLAGS='' make -s -C "$here" BUILD="$BUILD" >&2
mkdir -p "$BUILD/guest" "$RESULTS"
RESULTS=$(cd "$RESULTS" && pwd)
qemu=$BUILD/qemu/qemu-system-x86_64
klog=$RESULTS/dmesg

# In a QEMU argument a comma is written twice.
esc() {
	printf '%s' "$1" | sed 's/,/,,/g'
}

# What every VM has.
machine() {	# ACCEL
	echo "-accel $1 -cpu max -machine q35,memory-backend=mem -smp $CPUS -m $MEM
		-object memory-backend-memfd,id=mem,size=$MEM,share=on
		-nodefaults -no-user-config -display none -no-reboot
		-device virtio-serial-pci,id=vser -device virtio-rng-pci"
}
# A busy host can keep the guest from running for seconds: neither the boot's own
# check of the timer nor a watchdog may take that for a fault of the kernel.
cmdline="console=ttyS0 panic=-1 dummy.numdummies=0 no_timer_check
	rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60 $(
	# An emulated CPU takes its time to schedule.
	[ "$KERNEL" != test ] || echo panic_on_warn=1 resched_latency_warn_ms=10000
) $APPEND"
cmdline=$(printf %s "$cmdline" | tr -s '\n\t' ' ')

# KVM is taken where it boots this kernel, not where /dev/kvm merely opens.
probe_kvm() {
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	known=$BUILD/vm/kvm.$(uname -r)
	if ! [ -e "$known" ]; then
		echo "vm.sh: trying KVM, once" >&2
		# shellcheck disable=SC2046 # a list of words
		if "$BUILD/host/vmrun" -b 10 -t 20 -k "$known.dmesg" -e NIC=veth -e KERNEL=none -c true -- \
			"$qemu" $(machine kvm) -kernel "$vmlinux" -initrd "$BUILD/vm/initramfs.cpio" \
			-append "$cmdline" -chardev "file,id=log,path=$(esc "$known.dmesg")" -serial chardev:log \
			2>"$known.log"; then
			echo kvm >"$known"
		else
			echo tcg >"$known"
		fi
	fi
	[ "$(cat "$known")" = kvm ]
}
if [ -z "$ACCEL" ]; then
	ACCEL=tcg
	! probe_kvm || ACCEL=kvm
fi

# From here "$@" is built: vmrun's options, then QEMU's.
shares="txmd:/txmd results:/results"
set -- "$qemu"
# shellcheck disable=SC2046 # a list of words
set -- "$@" $(machine "$ACCEL") -kernel "$vmlinux" -initrd "$BUILD/vm/initramfs.cpio" -append "$cmdline" \
	-chardev "file,id=log,path=$(esc "$klog")" -serial chardev:log \
	-fsdev "local,id=txmd,path=$(esc "$BUILD/guest"),security_model=none,multidevs=remap" \
	-device virtio-9p-pci,fsdev=txmd,mount_tag=txmd \
	-fsdev "local,id=results,path=$(esc "$RESULTS"),security_model=none,multidevs=remap" \
	-device virtio-9p-pci,fsdev=results,mount_tag=results
# Devices that want frames as references to the sender's pages, connected to each other.
if [ "$NIC" = veth ]; then
	set -- "$@" -netdev hubport,id=vnet0,hubid=0 -device virtio-net-pci,netdev=vnet0,romfile= \
		-netdev hubport,id=vnet1,hubid=0 -device virtio-net-pci,netdev=vnet1,romfile=
fi
if [ -n "$SHARE" ]; then
	shares="$shares host:/host"
	set -- "$@" -fsdev "local,id=host,path=$(esc "$(cd "$SHARE" && pwd)"),security_model=none,multidevs=remap" \
		-device virtio-9p-pci,fsdev=host,mount_tag=host
fi

# The NIC model: two ports, each behind a root port of its own, and its control
# socket. The folder of the sockets has a short name, as a socket's must be.
ctl=
if [ "$NIC" != veth ]; then
	[ -x "$BUILD/host/nicsim" ] || usage_error "no $BUILD/host/nicsim; build it: make -C $here/../nicsim BUILD=$BUILD"
	rm -rf "$RESULTS/truth.jsonl" "$RESULTS/nicsim"
	ctl=$(mktemp -d "${TMPDIR:-/tmp}/txmd.XXXXXX")
	trap 'rm -rf "$ctl"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	ln -s "$ctl" "$RESULTS/nicsim"
	n=0
	for port in a b; do
		set -- "$@" -device "pcie-root-port,id=rp$n,chassis=$((n + 1))" \
			-device "{\"driver\":\"vfio-user-pci\",\"bus\":\"rp$n\",\"rombar\":0,\"socket\":{\"type\":\"unix\",\"path\":\"$ctl/$port.sock\"}}"
		n=$((n + 1))
	done
	set -- "$@" -chardev "socket,id=nicsim,path=$(esc "$ctl/guest.sock"),reconnect-ms=1000" \
		-device virtserialport,bus=vser.0,chardev=nicsim,name=nicsim
fi

# shellcheck disable=SC2086 # a list of words
set -- "$@" $QEMUARGS
if [ -z "$CMD" ]; then
	CMD='cd /root; PS1="\h:\w# " exec bash --norc'
	TIMEOUT=999999
	set -- -i -e "TXMD_TTY=$(stty size)" -e "TERM=${TERM:-vt100}" -- "$@" \
		-chardev stdio,id=tty,signal=off -device virtconsole,bus=vser.0,chardev=tty
else
	set -- -- "$@"
fi
# One stream where the caller has one, so that the order of lines is kept.
# shellcheck disable=SC3013 # -ef is in every sh of Debian
if [ /proc/self/fd/1 -ef /proc/self/fd/2 ]; then
	set -- -e TXMD_MERGE=1 "$@"
fi
# In single quotes, for the shell that vmrun starts nicsim with.
quote() {
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}
if [ -n "$ctl" ]; then
	set -- -p "$(quote "$BUILD/host/nicsim") --dir $(quote "$ctl") --nic $NIC,ports=2${NICOPTS:+,$NICOPTS}\
 --truth $(quote "$RESULTS/truth.jsonl") --log $(quote "$RESULTS/nicsim.log") $NICSIM >/dev/null" \
		-w "$ctl/guest.sock" -d "$ctl" -d "$RESULTS/nicsim" -e TXMD_PORTS=nicsim "$@"
fi
[ -z "$LEAK" ] || set -- -e TXMD_LEAK=1 "$@"
[ "$SPLATS" != ok ] || set -- -a "$@"

: >"$klog"
exec "$BUILD/host/vmrun" -c "$CMD" -k "$klog" -q "$RESULTS/qemu.log" -b 900 -t "$TIMEOUT" \
	-e "NIC=$NIC" -e "KERNEL=$KERNEL" -e "ROUNDS=$ROUNDS" -e "TXMD_SHARES=$shares" \
	-e "TRUTH=/results/truth.jsonl" "$@"
