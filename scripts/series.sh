#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Renders the repo's patches for sending, overlay files inside, with the
# sender's identity and sign-off and a cover letter: $(BUILD)/<base>/series.
set -eu -o pipefail
# Before lib.sh shuts the user's git settings out
name=${GIT_AUTHOR_NAME:-$(git config user.name || :)}
mail=${GIT_AUTHOR_EMAIL:-$(git config user.email || :)}
. "$(dirname "$0")/lib.sh"

if [ -z "$name" ] || [ -z "$mail" ]; then
	name='Your Name' mail=you@example.org
	say "git knows no user.name and user.email: the series carries $name <$mail>; set both before you send it"
fi
export GIT_AUTHOR_NAME=$name GIT_AUTHOR_EMAIL=$mail GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$mail

out=$KDIR/series
cover=$TOP/patches/$BASE/cover
tip=$("$TOP/scripts/tree.sh" apply)
lock_build
[ "$tip" != "$(git -C "$LINUX" rev-parse 'base^{commit}')" ] ||
	die "patches/$BASE/series names no patch yet; commit in $LINUX and make refresh"

parent=$(git -C "$LINUX" rev-parse 'base^{commit}')
for c in $(git -C "$LINUX" rev-list --reverse "base..$tip"); do
	parent=$(git -C "$LINUX" log -1 --format=%B "$c" |
		git -C "$LINUX" commit-tree "$c^{tree}" -p "$parent")
done

rm -rf "$out"
mkdir -p "$out"
git -C "$LINUX" format-patch -q --signoff --cover-letter --subject-prefix="PATCH $BASE" --no-renames \
	-o "$out" "base..$parent"

if [ -f "$cover" ]; then
	awk -v cover="$cover" '
		BEGIN { n = first = 0
			while ((getline line <cover) > 0) if (line !~ /^#/) text[n++] = line
			while (first < n && text[first] == "") first++ }
		/^Subject:/ { sub(/\*\*\* SUBJECT HERE \*\*\*/, text[first]) }
		$0 == "*** BLURB HERE ***" {
			i = first + 1
			while (i < n && text[i] == "") i++
			for (; i < n; i++) print text[i]
			next
		}
		{ print }
	' "$out/0000-cover-letter.patch" >"$out/cover.new"
	mv "$out/cover.new" "$out/0000-cover-letter.patch"
fi
echo "$(find "$out" -name '*.patch' | wc -l) files in $out; check them with: make check-series"
