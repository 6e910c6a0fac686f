# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What the scripts here share; sourced, never run.
#
# In the environment (the Makefile passes them): BASE, BUILD.
# Sets: TOP (the repo), KDIR (all of one base), LINUX, SERIES.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BASE=${BASE:-6.1}
BUILD=${BUILD:-$TOP/build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
KDIR=$BUILD/$BASE
# shellcheck disable=SC2034
LINUX=$KDIR/linux
# shellcheck disable=SC2034
SERIES=$TOP/patches/$BASE/series

# No setting of the user's may change what a patch looks like, and a git hook
# that started us must not point git at its own repository.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
# A gc in the background would keep our lock.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=gc.auto GIT_CONFIG_VALUE_0=0
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX CDPATH

# ccache finds a file again from whichever folder it is compiled.
export CCACHE_BASEDIR=$KDIR CCACHE_NOHASHDIR=1

say() { printf '%s\n' "$*" >&2; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# The rest of the script has $BUILD to itself.
lock_build()
{
	mkdir -p "$BUILD" || die "cannot create $BUILD; choose another place with BUILD="
	exec 9>"$BUILD/.lock"
	flock -n 9 && return
	say "waiting: another make works in $BUILD"
	flock -w 7200 9 || die "another make holds $BUILD/.lock for two hours; stop it or use another BUILD="
}

# series_lines [FILE]: the lines that name patches
# shellcheck disable=SC2120
series_lines()
{
	sed -e 's/#.*//' -e 's/[[:space:]]\+/ /g' -e 's/^ //' -e 's/ $//' -e '/^$/d' "${1:-$SERIES}"
}

need_series()
{
	[ -f "$SERIES" ] && return
	die "no patches for base $BASE: patches/$BASE/series is missing; there is BASE=$(cd "$TOP/patches" && echo [0-9]*)"
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# progress LABEL EXPECTED LOG: copies make's output to LOG and tells every ten
# seconds how far it is. EXPECTED is the number of lines a full build prints.
progress()
{
	local n=0 start=$SECONDS last=$SECONDS line t left
	exec 8>"$3"
	while IFS= read -r line; do
		printf '%s\n' "$line" >&8
		[ -z "${V:-}" ] || say "$line"
		case $line in '  '[A-Z]*) n=$((n + 1)) ;; esac
		t=$((SECONDS - start))
		if [ $((SECONDS - last)) -ge 10 ]; then
			last=$SECONDS
			# The first steps are none of the usual length.
			left=''
			[ $((n * 20)) -lt "$2" ] || [ "$n" -ge "$2" ] ||
				left=", at most $(minutes $((t * ($2 - n) / n))) left"
			say "  $1: $n of about $2 steps in $(minutes "$t")$left"
		fi
	done
	exec 8>&-
}
