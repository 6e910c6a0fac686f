#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Keeps $(BUILD)/<base>/linux and this repo's patches in step.
# usage: tree.sh sync      import the source if need be, apply the repo's patches
#        tree.sh import    only the source, as tag `base`
#        tree.sh apply     apply the repo's patches beside the tree, print the last commit
#        tree.sh rebase    both changed: apply the repo's, then yours on top
#        tree.sh refresh   turn the tree's commits into the repo's patches
#
# What was applied last stands in txmd-state in the tree's git folder: the
# commit, the digest of the patches and overlay files, and the base.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/import.sh"

AM=$KDIR/am
WHO='xsk-txmd <xsk-txmd@localhost>'
# shellcheck disable=SC2034 # for refresh.sh
WHEN='Sat, 1 Jan 2000 00:00:00 +0000'

lgit() { git -C "$LINUX" "$@"; }

# Of everything that the series names
digest()
{
	local lines patch files f
	lines=$(series_lines)
	if [ -n "$lines" ]; then
		while read -r patch files; do
			[ -f "$TOP/patches/$BASE/$patch" ] ||
				die "patches/$BASE/series names $patch, which is missing; restore it or drop its line"
			sha256sum <"$TOP/patches/$BASE/$patch"
			for f in $files; do
				[ -f "$TOP/$f" ] ||
					die "patches/$BASE/series names the overlay file $f, which is missing; restore it or drop its name"
				[ ! -x "$TOP/$f" ] || echo x
				sha256sum <"$TOP/$f"
			done
		done <<<"$lines"
	fi | { printf '%s\n' "$lines"; cat; } | sha256sum | cut -d' ' -f1
}

load_state()
{
	local state
	state=$(lgit rev-parse --path-format=absolute --git-path txmd-state)
	base=$(lgit rev-parse --verify -q 'base^{commit}') ||
		die "$LINUX has no tag base; move that folder away and try again"
	tip=$base applied_base=$base applied=$(echo | sha256sum | cut -d' ' -f1)
	if [ -f "$state" ]; then
		read -r tip applied applied_base <"$state"
	fi
	head=$(lgit rev-parse HEAD)
	dirty=$(lgit status --porcelain)
}

save_state()	# TIP
{
	# keeps the commit from being pruned; refs/worktree/ is each worktree's own
	lgit update-ref refs/worktree/txmd-applied "$1"
	printf '%s %s %s\n' "$1" "$(digest)" "$base" \
		>"$(lgit rev-parse --path-format=absolute --git-path txmd-state)"
}

tree_changed() { [ "$head" != "$tip" ] || [ -n "$dirty" ]; }

no_half_done()
{
	local f
	for f in rebase-merge rebase-apply MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD; do
		[ ! -e "$(lgit rev-parse --path-format=absolute --git-path $f)" ] ||
			die "a rebase, merge or cherry-pick is half done in $LINUX; finish or abort it there first"
	done
}

# apply_series ROOT: applies ROOT's patches to `base` in the sparse worktree
# and sets new_tip. Nothing else changes, whatever happens.
apply_series()
{
	local root=$1 patch files f out date n=0
	if [ "$(git -C "$AM" rev-parse --path-format=absolute --show-toplevel 2>/dev/null)" != "$AM" ]; then
		rm -rf "$AM"
		lgit worktree prune
		lgit worktree add -q --no-checkout --detach "$AM" base
		git -C "$AM" sparse-checkout set --no-cone /Makefile
	fi
	rm -rf "$(git -C "$AM" rev-parse --path-format=absolute --git-path rebase-apply)"
	# git leaves files alone that lie outside the sparse set
	find "$AM" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
	git -C "$AM" checkout -q -f --detach base

	while read -r patch files <&3; do
		n=$((n + 1))
		out=$(GIT_COMMITTER_NAME=${WHO%% <*} GIT_COMMITTER_EMAIL=xsk-txmd@localhost \
			git -C "$AM" am -q -b --empty=keep --committer-date-is-author-date --no-gpg-sign \
			"$root/patches/$BASE/$patch" 2>&1) || {
			git -C "$AM" am --abort >/dev/null 2>&1 || :
			f=$(sed -n -e 's/^error: patch failed: //p' -e 's/^error: \(.*: [Nn]o such file or directory\)$/\1/p' \
				-e 's/^error: \(.*: does not exist in index\)$/\1/p' -e 's/^error: \(.*: already exists in index\)$/\1/p' \
				<<<"$out" | paste -sd, | sed 's/,/, /g')
			die "patches/$BASE/$patch does not apply to $(source_name), after $((n - 1)) that did: ${f:-$(tail -n 1 <<<"$out")}; Documentation/process/patches.rst says how to port it"
		}
		[ -n "$files" ] || continue
		for f in $files; do
			! git -C "$AM" cat-file -e "HEAD:$f" 2>/dev/null ||
				die "this base has $f already; take its name out of patches/$BASE/series"
			mkdir -p "$AM/$(dirname "$f")"
			cp -P --preserve=mode "$root/$f" "$AM/$f"
		done
		# shellcheck disable=SC2086
		git -C "$AM" add -f --sparse -- $files
		date=$(git -C "$AM" log -1 --format=%aD)
		GIT_COMMITTER_NAME=${WHO%% <*} GIT_COMMITTER_EMAIL=xsk-txmd@localhost GIT_COMMITTER_DATE=$date \
			git -C "$AM" commit -q --amend --no-edit --allow-empty --no-verify
	done 3< <(series_lines "$root/patches/$BASE/series")
	new_tip=$(git -C "$AM" rev-parse HEAD)
}

# Moves the tree to new_tip; only files that differ get a new time.
checkout_tip()
{
	lgit checkout -q -B "$(lgit symbolic-ref -q --short HEAD || echo txmd)" "$new_tip"
	save_state "$new_tip"
	say "applied $(lgit rev-list --count "base..$new_tip") patches to $(source_name) in $LINUX"
}

both_changed()
{
	die "both the repo's patches and $LINUX changed since they last agreed; make rebase puts the tree's commits on top of the repo's patches"
}

messages() { lgit log --format=%B "base..$1"; }

# Both sides differ from what was applied: no conflict if the repo's patches
# give exactly a commit of the tree's own history, as after a git pull of what
# was refreshed elsewhere.
adopt()
{
	local want c
	apply_series "$TOP"
	want=$(lgit rev-parse "$new_tip^{tree}")
	for c in $(lgit rev-list "base..HEAD" 2>/dev/null); do
		[ "$(lgit rev-parse "$c^{tree}")" = "$want" ] || continue
		[ "$(messages "$c")" = "$(messages "$new_tip")" ] || return 1
		save_state "$c"
		tip=$c
		return 0
	done
	return 1
}

repo_changed() { [ "$now" != "$applied" ] || [ "$base" != "$applied_base" ]; }

sync_tree()
{
	import_source
	load_state
	now=$(digest)
	if repo_changed && tree_changed; then
		no_half_done
		adopt || both_changed
	elif repo_changed; then
		no_half_done
		apply_series "$TOP"
		checkout_tip
		return
	fi
	! tree_changed ||
		say "building $LINUX as it stands: $(lgit rev-list --count "$tip..HEAD") commits and $(grep -c . <<<"$dirty" || :) uncommitted files on top of the repo's patches; make refresh takes commits into the repo"
}

# For those who need the patches' result and leave the tree alone
apply_beside()
{
	import_source
	load_state
	now=$(digest)
	new_tip=$tip
	! repo_changed || apply_series "$TOP"
	echo "$new_tip"
}

rebase_tree()
{
	import_source
	load_state
	no_half_done
	[ -z "$dirty" ] || die "uncommitted changes in $LINUX: $(head -n 1 <<<"$dirty" | cut -c4-); commit them there, or git stash"
	now=$(digest)
	repo_changed || { say "the repo's patches did not change: nothing to do"; return; }
	if tree_changed && adopt; then
		say "the tree has the repo's patches already"
		return
	fi
	apply_series "$TOP"
	if ! tree_changed; then
		checkout_tip
		return
	fi
	save_state "$new_tip"
	say "rebasing $(lgit rev-list --count "$tip..HEAD") commits of the tree"
	GIT_COMMITTER_NAME=${WHO%% <*} GIT_COMMITTER_EMAIL=xsk-txmd@localhost \
		lgit rebase -q --empty=drop --onto "$new_tip" "$tip" ||
		die "a commit of the tree conflicts with the repo's patches; solve it in $LINUX, then git rebase --continue"
}

case ${1:-} in
import | sync | apply | rebase | refresh) ;;
*) die "usage: tree.sh import|sync|apply|rebase|refresh" ;;
esac
need_series
lock_build
case $1 in
import) import_source ;;
sync) sync_tree ;;
apply) apply_beside ;;
rebase) rebase_tree ;;
refresh) . "$TOP/scripts/refresh.sh"; refresh ;;
esac
