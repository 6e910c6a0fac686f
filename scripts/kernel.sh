#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds a kernel from the tree as it stands.
# usage: kernel.sh run|test      a guest's
#        kernel.sh base|fixes    with run's configuration: unpatched, or with the patches
#                                that stand before the first change of the user interface
#        kernel.sh config FILE   with the user's own configuration
#
# Result: $(BUILD)/<base>/obj-<kernel>/vmlinux, modules in
# $(BUILD)/guest/modules/<kernel>, the patched tree's user headers in $(BUILD)/<base>/headers.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

kernel=${1:-}
case $kernel in
run | test | base | fixes) ;;
config) config=${2?usage: kernel.sh config FILE} ;;
*) die "KERNEL=$kernel is none of ours; choose run, test, base or fixes" ;;
esac

src=$LINUX obj=$KDIR/obj-$kernel what="kernel $kernel"
. "$(dirname "$0")/kbuild.sh"
fragments=("$frags/guest.config" "$frags/run.config")
[ "$kernel" != test ] || fragments[1]=$frags/test.config

# A configuration of Debian's names keys that only Debian's build has.
configure_own()
{
	local opt
	[ -n "$config" ] || die "CONFIG= is empty; give the .config of a kernel, or leave it out for a guest's"
	[ -f "$config" ] || die "CONFIG=$config: no such file; give the .config of your own kernel: one of /boot/config-*, or what zcat /proc/config.gz prints"
	grep -q '^CONFIG_' "$config" || die "CONFIG=$config sets no CONFIG_ option; give the .config of a kernel"
	cp "$config" "$obj/.config"
	for opt in SYSTEM_TRUSTED_KEYS SYSTEM_REVOCATION_KEYS; do
		if grep -q "^CONFIG_$opt=\"..*\"" "$obj/.config"; then
			say "CONFIG_$opt names a file of your distribution's: left out"
			"$src/scripts/config" --file "$obj/.config" --set-str "$opt" ''
		fi
	done
	quiet_kmake olddefconfig
	grep -qx 'CONFIG_XDP_SOCKETS=y' "$obj/.config" ||
		die "CONFIG=$config has no CONFIG_XDP_SOCKETS=y: this kernel would have no AF_XDP at all; set it (and CONFIG_BPF_SYSCALL=y)"
}

# What the build depends on besides kbuild's own knowledge: empty when the tree
# has uncommitted files, so that make decides.
stamp()
{
	[ -z "$(git -C "$src" status --porcelain)" ] || return 0
	git -C "$src" rev-parse 'HEAD^{tree}'
	cat "$obj/.txmd-config" 2>/dev/null || :
	gcc --version | head -n 1
}

install_guest()
{
	local mods=$BUILD/guest/modules/$kernel
	rm -rf "$mods"
	mkdir -p "$mods"
	quiet_kmake modules_install INSTALL_MOD_PATH="$mods" INSTALL_MOD_STRIP=1
}

# The patched tree's user headers, whichever kernel it is: the programs that run
# on it are the same. Unchanged files keep their time.
install_headers()
{
	local tree
	tree=$(git -C "$LINUX" rev-parse 'HEAD^{tree}')$(git -C "$LINUX" diff HEAD -- include/uapi arch/x86/include/uapi | sha256sum)
	[ "$(cat "$KDIR/headers/.txmd-tree" 2>/dev/null)" != "$tree" ] || return 0
	rm -rf "$KDIR/headers.new"
	mkdir -p "$KDIR/headers" "$KDIR/headers.new"
	make -s -C "$LINUX" O="$KDIR/headers.new" headers >"$KDIR/headers/log" 2>&1 || {
		tail -n 15 "$KDIR/headers/log" >&2
		die "make headers failed (its last lines are above)"
	}
	rsync -rc --delete --include='*/' --include='*.h' --exclude='*' \
		"$KDIR/headers.new/usr/include/" "$KDIR/headers/include/"
	rm -rf "$KDIR/headers.new"
	echo "$tree" >"$KDIR/headers/.txmd-tree"
}

# src: a worktree of the commit that the kernel is built from
other_tree()
{
	local commit=base abi=include/uapi/linux/if_xdp.h
	if [ "$kernel" = fixes ]; then
		commit=$(git -C "$LINUX" rev-list --reverse base..HEAD -- "$abi" | head -n 1)
		[ -n "$commit" ] || die "no commit of $LINUX changes $abi: none of its commits is a mere fix; build KERNEL=run"
		commit=$commit^
	fi
	commit=$(git -C "$LINUX" rev-parse "$commit^{commit}")
	src=$KDIR/$kernel
	if [ ! -e "$src/.git" ]; then
		git -C "$LINUX" worktree prune
		git -C "$LINUX" worktree add -q --detach "$src" "$commit"
	elif [ "$(git -C "$src" rev-parse HEAD)" != "$commit" ]; then
		git -C "$src" checkout -q --detach "$commit"
	fi
}

say_how_to_install()
{
	local rel cmd
	rel=$(cat "$obj/include/config/kernel.release")
	# The compiler as above, or all of it is compiled once more.
	cmd="make -C $LINUX O=$obj ${kargs[*]@Q} LOCALVERSION="
	cat <<EOF
Kernel $rel is built. To install it:
  on this machine, as root:   $cmd modules_install install
  as Debian packages:         $cmd -j$jobs bindeb-pkg
                              then, where it shall run: dpkg -i linux-image-${rel}_*.deb (it lies in $KDIR)
Boot it, and check with uname -r: $rel
EOF
}

lock_build
case $kernel in base | fixes) other_tree ;; esac
mkdir -p "$obj"

if [ "$kernel" = config ]; then
	configure_own
	build 20000 all
	say_how_to_install
	exit
fi

install_headers
now=$(stamp)
if [ -n "$now" ] && [ "$(cat "$obj/.txmd-built" 2>/dev/null)" = "$now" ] && [ -f "$obj/vmlinux" ] &&
   [ "$(cat "${fragments[@]}" | sha256sum)" = "$(cat "$obj/.txmd-config")" ]; then
	exit 0
fi
rm -f "$obj/.txmd-built"
configure "${fragments[@]}"
case $kernel in
test) build 2700 bzImage modules ;;
*) build 2700 vmlinux modules ;;
esac
install_guest
stamp >"$obj/.txmd-built"
