# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# How we call kbuild; sourced. The caller sets src, obj and what (its name in
# messages), and may set kargs for another compiler or architecture.
#
# shellcheck disable=SC2154

frags=$TOP/tools/testing/testbed/vm/kernel
jobs=${JOBS:-$(nproc)}
kargs=(CC='ccache gcc' HOSTCC='ccache gcc')

# The variables of our own Makefile are none of kbuild's business.
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS KERNEL CONFIG T CMD

# Same bytes whoever builds, so ccache and a comparison of two builds work.
export CCACHE_BASEDIR=$BUILD CCACHE_NOHASHDIR=1
kmake()
{
	make -C "$src" O="$obj" -j"$jobs" "${kargs[@]}" LOCALVERSION= \
		KBUILD_BUILD_USER=txmd KBUILD_BUILD_HOST=localhost KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_TIMESTAMP='Sat Jan  1 00:00:00 UTC 2000' "$@"
}

quiet_kmake()
{
	kmake "$@" >"$obj/config.log" 2>&1 </dev/null || {
		tail -n 15 "$obj/config.log" >&2
		die "make $1 failed in $obj (its last lines are above)"
	}
}

# Every option that a fragment asks for must be in the result: one that
# kconfig drops for want of another would quietly test something else.
check_config()
{
	local line name missing=
	while IFS= read -r line; do
		name=${line%%=*}
		case $line in
		*=n) ! grep -q "^$name=" "$obj/.config" || missing="$missing $line" ;;
		*) grep -qxF "$line" "$obj/.config" || missing="$missing $line" ;;
		esac
	done < <(cat "$@" | grep '^CONFIG_' | awk -F= '{ last[$1] = $0 } END { for (n in last) print last[n] }' | sort)
	[ -z "$missing" ] || die "options that did not take:$missing; something they depend on is missing from $frags"
}

# configure FRAGMENT...: over tinyconfig, anew only when the fragments changed.
# lax=1 takes what the architecture has of them. tinyconfig says no to all it
# knows, so it must know the 64-bit options, which plain x86's does not.
configure()
{
	local sum
	sum=$(cat "$@" | sha256sum)
	if [ ! -f "$obj/.config" ] || [ "$(cat "$obj/.txmd-config" 2>/dev/null)" != "$sum" ]; then
		quiet_kmake "${tiny:-ARCH=x86_64}" tinyconfig
		# It works in the folder where it is called.
		(cd "$obj" && "$src/scripts/kconfig/merge_config.sh" -m -O "$obj" "$obj/.config" "$@") >/dev/null
		quiet_kmake olddefconfig
		[ -n "${lax:-}" ] || check_config "$@"
		printf '%s\n' "$sum" >"$obj/.txmd-config"
	else
		quiet_kmake olddefconfig
	fi
}

# build EXPECTED TARGET...; kbuild's output goes to build.log
build()
{
	local expected=$1 start=$SECONDS
	shift
	kmake "$@" 2>&1 </dev/null | progress "$what" "$expected" "$obj/build.log" || {
		grep -nE 'error:|undefined|Error [0-9]|No such file|No rule' "$obj/build.log" | tail -n 15 >&2
		die "$what does not build: the errors are above, all of it is in $obj/build.log"
	}
	say "built $what in $(minutes $((SECONDS - start)))"
}
