#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What holds for every file of the repo: an SPDX line, no path of a machine and
# no registry's host, no unfinished mark, a size that one can read. Shell must
# satisfy its checker.
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

cd "$TOP"
bad=0
complain() { say "  $*"; bad=1; }

mapfile -t files < <(git ls-files -co --exclude-standard | while IFS= read -r f; do [ ! -f "$f" ] || echo "$f"; done)
patches='^patches/.*\.patch$'

is_shell()
{
	case $1 in
	*.sh) return 0 ;;
	*.[ch] | *.rst | *.md | *.patch | *.config) return 1 ;;
	esac
	head -n 1 -- "$1" | grep -qaE '^#!.*\b(ba|da)?sh\b'
}

say "SPDX lines"
for f in "${files[@]}"; do
	[[ $f =~ $patches ]] || head -n 3 -- "$f" | grep -qa 'SPDX-License-Identifier: ' ||
		complain "$f: no SPDX-License-Identifier in the first three lines"
done

# Hosts: those of this machine's own package sources. In a patch only what it adds counts.
say "paths of a machine, hosts, unfinished marks"
hosts=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || :; } |
	sed -nE '/^[[:space:]]*(URIs:|deb )/s#.*://([^/ ]+).*#\1#p' | sort -u | sed 's/[.]/[.]/g' | paste -sd'|')
mark=TO; mark=$mark'DO|FIX''ME|XX''X|HA''CK'
pattern="(/root|/home/[a-z]+|/work)/|(^|[^\"])\\b($mark)\\b|$TOP/${hosts:+|$hosts}"
while IFS= read -r hit; do
	complain "$hit"
done < <(
	for f in "${files[@]}"; do
		if [[ $f =~ $patches ]]; then
			sed -n 's/^+//p' "$f"
		else
			cat "$f"
		fi | grep -naE -- "$pattern" | sed "s|^|$f:|" | cut -c1-160 || :
	done
)

say "sizes"
for f in "${files[@]}"; do
	[[ $f =~ $patches ]] && continue
	[ "$(wc -l <"$f")" -le 800 ] || complain "$f: $(wc -l <"$f") lines; split it, 800 is the limit"
	[ "$(stat -c %s "$f")" -le 200000 ] || complain "$f: $(stat -c %s "$f") bytes; no generated or built file belongs here"
done

say "series"
# shellcheck disable=SC2119
series=$(series_lines | tr ' ' '\n' | sed '/\.patch$/s|^|patches/'"$BASE"'/|')
for f in patches/"$BASE"/*.patch; do
	[ ! -e "$f" ] || grep -qxF -- "$f" <<<"$series" || complain "$f: patches/$BASE/series does not name it"
done
for f in $series; do
	git ls-files --error-unmatch -- "$f" >/dev/null 2>&1 || complain "$f: named in patches/$BASE/series, but not committed"
done

say "shellcheck"
shell=()
for f in "${files[@]}"; do
	! is_shell "$f" || shell+=("$f")
done
shellcheck -f gcc "${shell[@]}" >&2 || bad=1

[ "$bad" = 0 ] || die "see above"
echo "lint: ${#files[@]} files, ${#shell[@]} of them shell: clean"
