#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Proves the rendered series (make series) commit by commit on a pristine tree:
# git am, every object of the folders that it may break, with XDP_SOCKETS on
# and off, and checkpatch --strict.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

out=$KDIR/series
src=$KDIR/check
obj='' what=''
. "$(dirname "$0")/kbuild.sh"

# Whatever a header that the series touches may break; make builds again only
# what a commit really reaches.
folders="net/xdp/ net/core/ kernel/bpf/ drivers/net/ethernet/intel/i40e/
drivers/net/ethernet/mellanox/mlx5/core/ drivers/net/ethernet/stmicro/stmmac/"

lock_build
[ -f "$out/0000-cover-letter.patch" ] || die "there is no rendered series in $out; first: make series"
sgit() { git -C "$src" "$@"; }

if [ ! -e "$src/.git" ]; then
	git -C "$LINUX" worktree prune
	git -C "$LINUX" worktree add -q --detach "$src" base
fi
rm -rf "$(sgit rev-parse --path-format=absolute --git-path rebase-apply)"
sgit checkout -q -f --detach base
sgit clean -qfdx

# compile LABEL: with XDP_SOCKETS as it is shipped, and without
compile()
{
	local targets where=$folders
	# QUICK=1: what a header may break elsewhere only once, behind the last.
	[ -z "${QUICK:-}" ] || [ "$n" = "$total" ] || where=net/xdp/
	targets=$({ tr ' ' '\n' <<<"$where"
		sgit diff-tree -r --no-commit-id --name-only HEAD | sed -n 's|/[^/]*\.[cS]$|/|p'; } | sort -u)
	for obj in "$KDIR/obj-check" "$KDIR/obj-check-noxsk"; do
		what="$1"
		[ "$obj" = "$KDIR/obj-check" ] || what="$1, no XDP_SOCKETS"
		quiet_kmake olddefconfig
		# shellcheck disable=SC2086 # a list of words
		build 700 $targets
		if grep -E 'warning:' "$obj/build.log" >&2; then
			die "$what: the compiler warns (see above)"
		fi
	done
}

mkdir -p "$KDIR/obj-check" "$KDIR/obj-check-noxsk"
obj=$KDIR/obj-check
configure "$frags/guest.config" "$frags/run.config"
obj=$KDIR/obj-check-noxsk
sed 's/^CONFIG_XDP_SOCKETS\(_DIAG\)\?=.*/CONFIG_XDP_SOCKETS\1=n/' "$frags/guest.config" >"$obj/noxsk.config"
configure "$obj/noxsk.config" "$frags/run.config"

n=0 total=$(find "$out" -name '[0-9]*.patch' | grep -cv 0000-cover)
for patch in "$out"/[0-9]*.patch; do
	case $patch in */0000-cover-letter.patch) continue ;; esac
	n=$((n + 1))
	GIT_COMMITTER_NAME=check GIT_COMMITTER_EMAIL=check@localhost sgit am -q "$patch" ||
		die "${patch##*/} does not apply to a pristine tree"
	say "[$n/$total] ${patch##*/}"
	compile "  patch $n"
	# Debian's python first: it has the modules that checkpatch calls for.
	(cd "$src" && PATH=/usr/bin:$PATH ./scripts/checkpatch.pl --strict --no-summary --terse --show-types \
		--ignore FILE_PATH_CHANGES "$patch") >&2 ||
		die "checkpatch does not like ${patch##*/} (see above)"
done
echo "$n patches apply to a pristine tree; each compiles with and without XDP_SOCKETS and is checkpatch --strict clean"
