#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: rootfs.sh INIT OUTPUT
# Packs the guest's initramfs from rootfs.list, guest/ and the static INIT.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

die() {
	echo "rootfs.sh: $*" >&2
	exit 1
}

[ $# = 2 ] || die "usage: rootfs.sh INIT OUTPUT"
init=$1
out=$2
tree=$out.tree
rm -rf "$tree"
for d in bin sbin lib lib64; do
	mkdir -p "$tree/usr/$d"
	ln -s "usr/$d" "$tree/$d"
done
for d in dev proc sys run tmp root etc/txmd mnt usr/lib/modules; do
	mkdir -p "$tree/$d"
done

mkdir "$tree/var"
ln -s ../run "$tree/var/run"
ln -s ../tmp "$tree/var/tmp"

# copy FILE: to the same path, in a root where /bin and /lib lie in /usr
copy() {
	to=$1
	case $to in
	/usr/* | /etc/*) ;;
	*) to=/usr$to ;;
	esac
	[ -e "$tree$to" ] || install -D "$1" "$tree$to"
}

while read -r package program names; do
	case $package in '' | '#'*) continue ;; esac
	[ -x "$program" ] || die "$program is missing; apt-get install $package"
	copy "$program"
	for name in $names; do
		ln -s "$program" "$tree$name"
	done
	ldd "$program" 2>/dev/null | awk '$1 ~ "^/" { print $1 } $2 == "=>" && $3 ~ "^/" { print $3 }' >"$out.libs"
	while read -r lib; do
		copy "$lib"
	done <"$out.libs"
done <"$here/rootfs.list"
rm -f "$out.libs"

for f in /etc/iproute2/*; do
	[ ! -f "$f" ] || copy "$f"
done
for applet in $("$tree/bin/busybox" --list); do
	case $applet in time | start-stop-daemon | setuidgid | run-parts) continue ;; esac
	for d in bin sbin; do
		[ ! -e "$tree/$d/$applet" ] || continue 2
	done
	ln -s busybox "$tree/bin/$applet"
done
install "$init" "$tree/init"
install "$here"/guest/* "$tree/etc/txmd"
echo 'root:x:0:0:root:/root:/bin/sh' >"$tree/etc/passwd"
echo 'root:x:0:' >"$tree/etc/group"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$tree/etc/hosts"

# Not compressed: under emulation, unpacking costs more than reading.
(cd "$tree" && find . | LC_ALL=C sort | busybox cpio -o -H newc -R 0:0 2>/dev/null) >"$out.new"
rm -rf "$tree"
mv "$out.new" "$out"
