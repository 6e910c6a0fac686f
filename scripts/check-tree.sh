#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compiles every object that the patches touch with a stricter or another
# compiler, and fails on a warning that the unpatched tree does not have.
# usage: check-tree.sh MODE...
#   sparse   gcc, C=2
#   w1       gcc, W=1
#   clang    LLVM=1, W=1, x86-64
#   arm64    LLVM=1, arm64
#   arm      LLVM=1, 32-bit arm
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || die "usage: check-tree.sh sparse|w1|clang|arm64|arm..."
src=$LINUX
obj='' what=''
. "$(dirname "$0")/kbuild.sh"

tip=$("$TOP/scripts/tree.sh" apply)
lock_build
tree=$KDIR/check
if [ ! -e "$tree/.git" ]; then
	git -C "$LINUX" worktree prune
	git -C "$LINUX" worktree add -q --detach "$tree" base
fi
src=$tree
rm -rf "$(git -C "$tree" rev-parse --path-format=absolute --git-path rebase-apply)"

# Also what a touched header of a driver's own folder reaches: cheap, and that
# is where prototypes change.
touched=$(git -C "$LINUX" diff --name-only --diff-filter=d base "$tip")
objects()
{
	{
		grep '\.c$' <<<"$touched" || :
		grep '^drivers/.*\.h$' <<<"$touched" | while IFS= read -r h; do
			git -C "$tree" grep -l "include \"\(.*/\)\?${h##*/}\"" -- "$(dirname "$h")/*.c" || :
		done
	} | sort -u | while IFS= read -r c; do
		[ ! -f "$tree/$c" ] || echo "${c%.c}.o"
	done
}

# warnings COMMIT OUTPUT: of the touched objects at COMMIT, one a line, without
# line numbers, which any patch moves. Sets targets, and missing: the objects
# that did not come out.
warnings()
{
	local o
	git -C "$tree" checkout -q -f --detach "$1"
	targets=$(objects | grep -vxF -f "$obj/unfit" || :)
	quiet_kmake olddefconfig
	build 150 prepare
	# A timestamp of before would hide the warnings of what is compiled already.
	# shellcheck disable=SC2086 # a list of words
	(cd "$obj" && rm -f $targets)
	# shellcheck disable=SC2086
	kmake -k $targets 2>&1 </dev/null | progress "$what" "$(wc -w <<<"$targets")" "$obj/build.log" || :
	missing=
	for o in $targets; do
		[ -f "$obj/$o" ] || missing="$missing $o"
	done
	sed -nE 's/^(.*\/)?check\/([^:]*):[0-9:]* (.*(warning|error): .*)$/\2: \3/p; s/^(\.\.\/check\/|)([a-z][^ :]*):[0-9:]+ ((warning|error): .*)$/\2: \3/p' \
		"$obj/build.log" | sort >"$2"
}

for mode; do
	start=$SECONDS
	kargs=(CC='ccache gcc' HOSTCC='ccache gcc')
	lax='' tiny=''
	fragments=("$frags/guest.config" "$frags/run.config")
	obj=$KDIR/obj-check-$mode
	case $mode in
	sparse)
		kargs=(C=2 CHECK='sparse' CC=gcc HOSTCC='ccache gcc') ;;
	w1)
		kargs+=(W=1) ;;
	clang)
		kargs=(LLVM=1 CC='ccache clang' HOSTCC='ccache clang' W=1) ;;
	arm64)
		kargs=(LLVM=1 CC='ccache clang' HOSTCC='ccache clang' ARCH=arm64)
		lax=1 tiny=ARCH=arm64 fragments+=("$frags/arm.config") ;;
	arm)
		kargs=(LLVM=1 CC='ccache clang' HOSTCC='ccache clang' ARCH=arm)
		lax=1 tiny=ARCH=arm fragments+=("$frags/arm.config") ;;
	*) die "no such check: $mode" ;;
	esac
	mkdir -p "$obj"
	git -C "$tree" checkout -q -f --detach base
	configure "${fragments[@]}"
	for option in XDP_SOCKETS I40E MLX5_CORE_EN STMMAC_ETH; do
		grep -q "^CONFIG_$option=[my]" "$obj/.config" ||
			die "$mode: CONFIG_$option is off in $obj/.config; see to $frags"
	done
	# kbuild compiles what it is asked for by name even if the configuration
	# leaves it out, and that may fail: then the patches are not to blame.
	: >"$obj/unfit"
	what="$mode, unpatched"
	warnings base "$obj/warnings.base"
	tr ' ' '\n' <<<"$missing" | sed '/^$/d' >"$obj/unfit"
	what="$mode, patched"
	warnings "$tip" "$obj/warnings.tip"
	if [ -n "$missing" ] || [ -z "$targets" ]; then
		grep -E 'error:|Error [0-9]|No rule' "$obj/build.log" | head -n 15 >&2
		die "$what: these do not compile:${missing:- all}; the errors are above, all of it is in $obj/build.log"
	fi
	new=$(comm -13 "$obj/warnings.base" "$obj/warnings.tip")
	if [ -n "$new" ]; then
		printf '%s\n' "$new" >&2
		die "$mode: the patches bring these warnings in"
	fi
	echo "$mode: $(wc -l <<<"$targets") objects ($(wc -l <"$obj/unfit") left out, which do not compile unpatched either), no warning of the patches' own ($(minutes $((SECONDS - start))))"
done
