#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Removes $(BUILD), unless a kernel tree in it holds work that the repo lacks.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

[ -d "$BUILD" ] || exit 0
[ -e "$BUILD/.lock" ] || die "$BUILD is no build folder of ours (it has no .lock); remove it by hand"
lock_build
for tree in "$BUILD"/*/linux; do
	[ -e "$tree/.git" ] || continue
	state=$(git -C "$tree" rev-parse --path-format=absolute --git-path txmd-state)
	tip=$(cut -d' ' -f1 "$state" 2>/dev/null || git -C "$tree" rev-parse 'base^{commit}')
	if [ "$(git -C "$tree" rev-parse HEAD)" != "$tip" ] || [ -n "$(git -C "$tree" status --porcelain)" ]; then
		die "$tree holds commits or uncommitted files that the repo lacks; make refresh takes commits over, rm -rf throws them away"
	fi
done
rm -rf "$BUILD"
