# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# make refresh: the commits base..HEAD of the tree become patches/<base>/ and
# overlay files; sourced by tree.sh. A new set is built aside and applied for
# proof first; only then does the repo change.
#
# shellcheck disable=SC2034,SC2154 # variables of tree.sh's

refuse_unfit()
{
	no_half_done
	[ -z "$dirty" ] ||
		die "uncommitted changes in $LINUX: $(head -n 1 <<<"$dirty" | cut -c4-); commit them there, or git stash -u"
	[ -z "$(lgit log --merges --format=%h base..HEAD)" ] ||
		die "the tree's branch has a merge: $(lgit log --merges -1 --format='%h %s' base..HEAD); make it linear: git rebase base"
	if ! lgit merge-base --is-ancestor base HEAD || [ "$base" != "$applied_base" ]; then
		die "the tree's branch does not descend from tag base, which the patches apply to; git rebase --onto base <your first commit>^"
	fi
	# A rebase leaves the branch's old tip in its reflog.
	if ! lgit merge-base --is-ancestor "$tip" HEAD; then
		local branch
		branch=$(lgit symbolic-ref -q --short HEAD || :)
		# shellcheck disable=SC2015 # either of the two is reason enough
		[ -n "$branch" ] && lgit reflog show --format=%H "$branch" | grep -x "$tip" >/dev/null ||
			die "the branch ${branch:-(none)} in $LINUX does not descend from what was applied ($(lgit rev-parse --short "$tip")): its patches would be lost; go back to the branch that has them, or git rebase ${branch:+$branch }onto it"
		[ "$head" != "$base" ] ||
			die "the tree has none of the patches any more (HEAD is tag base); git reset --hard $(lgit rev-parse --short "$tip") brings them back"
	fi
}

# The commit $1 with the identity and date that every stored patch has
neutral()
{
	lgit log -1 --format=%B "$1" |
		GIT_AUTHOR_NAME=${WHO%% <*} GIT_AUTHOR_EMAIL=xsk-txmd@localhost GIT_AUTHOR_DATE=$WHEN \
		GIT_COMMITTER_NAME=${WHO%% <*} GIT_COMMITTER_EMAIL=xsk-txmd@localhost GIT_COMMITTER_DATE=$WHEN \
		lgit commit-tree "$1^{tree}" -p "$1^"
}

# Writes patches, overlay files and series of base..HEAD below $1
stage()
{
	local out=$1/patches/$BASE n=0 c f name files mode
	local -A added=() by=()
	mkdir -p "$out"
	# The comment that the series starts with
	sed -n '/^#/!q;p' "$SERIES" >"$out/series"
	for c in $(lgit rev-list --reverse base..HEAD); do
		n=$((n + 1))
		files=
		while IFS=$'\t' read -r -d '' mode && IFS= read -r -d '' f; do
			if [ -n "${added[$f]:-}" ]; then
				die "the overlay file $f enters with \"${by[$f]}\" and is changed again by \"$(lgit log -1 --format=%s "$c")\"; an overlay file enters whole, in one commit: squash the change into the first (git rebase -i base)"
			fi
			[ "${mode##* }" = A ] || continue
			case $f in
			*[[:space:]#]*) die "the name of the new file '$f' has a blank or a #; the series cannot hold it" ;;
			esac
			if git -C "$TOP" ls-files --error-unmatch -- "$f" >/dev/null 2>&1 && ! listed "$f"; then
				die "the new kernel file $f has the name of a file of this repo; give it another name"
			fi
			added[$f]=1 by[$f]=$(lgit log -1 --format=%s "$c")
			files="$files $f"
			mkdir -p "$1/$(dirname "$f")"
			case ${mode#:* } in
			120000*) die "the new file $f is a symbolic link; the overlay holds plain files only" ;;
			esac
			lgit show "$c:$f" >"$1/$f"
			case ${mode#:* } in 100755*) chmod 755 "$1/$f" ;; *) chmod 644 "$1/$f" ;; esac
		done < <(lgit diff-tree -r --no-commit-id --no-renames --raw -z "$c")
		name=$(lgit format-patch -1 --always -N --zero-commit --no-signature --no-renames --abbrev=12 \
			--diff-filter=a --start-number "$n" -o "$out" "$(neutral "$c")")
		printf '%s%s\n' "${name##*/}" "$files" >>"$out/series"
	done
}

listed() { series_lines | tr ' ' '\n' | grep -qxF -- "$1"; }

# What stays the same when only the file around a patch moved
essence() { sed -e 's/^@@ -[0-9,]* +[0-9,]* @@.*/@@/' -e '/^index [0-9a-f]*\.\./d' "$1"; }

# A patch that says the same as before stays as it was, byte for byte.
keep_unchanged()
{
	local new old
	for new in "$1/patches/$BASE"/*.patch; do
		[ -e "$new" ] || continue
		for old in "$TOP/patches/$BASE"/*-"$(basename "$new" | cut -d- -f2-)"; do
			if [ -e "$old" ] && cmp -s <(essence "$old") <(essence "$new"); then
				cp "$old" "$new"
				break
			fi
		done
	done
}

# The staged set must give the tree again, messages included.
prove()
{
	local want got
	apply_series "$1"
	[ "$(lgit rev-parse "$new_tip^{tree}")" = "$(lgit rev-parse "HEAD^{tree}")" ] || return 1
	want=$(messages HEAD) got=$(messages "$new_tip")
	[ "$want" = "$got" ] ||
		die "a commit message does not survive as a patch: $(diff <(echo "$want") <(echo "$got") | sed -n 's/^< //p' | head -n 1); reword it (no line may start with ---, diff or [)"
}

# copy_changed FROM TO NAME: only if it differs; tells what it did
copy_changed()
{
	if [ ! -e "$2" ]; then
		say "  new      $3"
	elif ! cmp -s "$1" "$2" || [ "$(stat -c %A "$1")" != "$(stat -c %A "$2")" ]; then
		say "  changed  $3"
	else
		return 0
	fi
	mkdir -p "$(dirname "$2")"
	cp --preserve=mode "$1" "$2"
}

install_staged()
{
	local stage=$1 old new f
	old=$(series_lines | tr ' ' '\n' | sed -e '/\.patch$/s|^|patches/'"$BASE"'/|')
	new=$(series_lines "$stage/patches/$BASE/series" | tr ' ' '\n' | sed -e '/\.patch$/s|^|patches/'"$BASE"'/|')
	for f in $new; do
		copy_changed "$stage/$f" "$TOP/$f" "$f"
	done
	for f in $old; do
		grep -qxF -- "$f" <<<"$new" && continue
		say "  removed  $f"
		rm -f "$TOP/$f"
		rmdir -p --ignore-fail-on-non-empty "$(dirname "$TOP/$f")" 2>/dev/null || :
	done
	copy_changed "$stage/patches/$BASE/series" "$SERIES" "patches/$BASE/series"
}

refresh()
{
	local stage
	[ -e "$LINUX/.git" ] || die "there is no tree in $LINUX to refresh from; make tree creates it"
	load_state
	now=$(digest)
	if repo_changed && ! tree_changed; then
		# As after a git pull, or make series: the tree follows first.
		no_half_done
		apply_series "$TOP"
		checkout_tip
		load_state
		now=$(digest)
	fi
	refuse_unfit
	! repo_changed || adopt || both_changed
	stage=$KDIR/refresh
	rm -rf "$stage"
	mkdir -p "$stage"
	trap 'rm -rf "$KDIR/refresh"' EXIT
	stage "$stage"
	keep_unchanged "$stage"
	if ! prove "$stage"; then
		# An unchanged patch met the same context elsewhere: take all as they are now.
		stage "$stage"
		prove "$stage" || die "the patches do not give the tree again (see git diff $new_tip HEAD in $LINUX); say which commit git am takes differently"
	fi
	install_staged "$stage"
	save_state "$head"
	say "patches/$BASE holds the $(lgit rev-list --count base..HEAD) commits of $LINUX"
}
