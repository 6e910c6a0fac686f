# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
#
# For the tests of group deploy, which run on the host: a repo with this one's
# scripts, a kernel tree of a dozen files, and TAP. TOP names this repo.

TOP=${TOP:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../../.." && pwd)}
[ -x "$TOP/scripts/tree.sh" ] || { echo "Bail out! TOP=$TOP is not the repo"; exit 1; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
repo=$tmp/repo ksrc=$tmp/ksrc
export BASE=6.1 BUILD=$tmp/build
L=$BUILD/$BASE/linux
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@localhost GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@localhost
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE KSRC CONFIG

count=0 failed=0

# ok NAME COMMAND...: one test; shows what the last run said when it fails
ok()
{
	local name=$1
	shift
	count=$((count + 1))
	if "$@"; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		sed 's/^/# /' "$tmp/out"
	fi
}

finish()
{
	echo "1..$count"
	[ "$failed" = 0 ]
}

# run COMMAND...: output to $tmp/out, status to $status
run()
{
	status=0
	(cd "$repo" && timeout 300 "$@") >"$tmp/out" 2>&1 </dev/null || status=$?
}

# The last run's status and a string in its output
passed() { [ "$status" = 0 ]; }
says() { grep -qF -- "$1" "$tmp/out"; }
refused() { [ "$status" != 0 ] && says "$1"; }

lgit() { git -C "$L" "$@"; }
rgit() { git -C "$repo" "$@"; }

# commit SUBJECT: everything in the tree
commit() { lgit add -A && lgit commit -q -m "$1" -m "Because of a test."; }
repo_commit() { rgit add -A && rgit commit -q -m "$1"; }
repo_clean() { [ -z "$(rgit status --porcelain)" ]; }

# twenty lines, so that two changes do not touch each other's context
lines() { seq -f "$1 line %g" 20; }

make_ksrc()	# FOLDER SUBLEVEL
{
	mkdir -p "$1"/{net/xdp,include/net,drivers/net}
	printf 'VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = %s\nEXTRAVERSION =\nmrproper:\n\t@rm -f built.o\n.PHONY: mrproper\n' "$2" >"$1/Makefile"
	lines xsk >"$1/net/xdp/xsk.c"
	lines umem >"$1/net/xdp/xdp_umem.c"
	lines sock >"$1/include/net/xdp_sock.h"
	lines nic >"$1/drivers/net/nic.c"
	printf '*.o\n*.patch\n\n#\n# Debian hides all else\n#\n/*\n!/debian/\n' >"$1/.gitignore"
}

make_fixture()
{
	make_ksrc "$ksrc" 100
	mkdir -p "$repo/patches/$BASE"
	cp -r "$TOP/scripts" "$TOP/.shellcheckrc" "$repo/"
	printf '# SPDX-License-Identifier: GPL-2.0\n' >"$repo/patches/$BASE/series"
	git init -q -b main "$repo"
	repo_commit start
	KSRC=$ksrc run scripts/tree.sh sync
	: >"$tmp/out.setup"
}

# Three commits: two patches, one of them with an overlay file, and one that is
# nothing but a new file.
three_commits()
{
	sed -i 's/^xsk line 3$/xsk line three/' "$L/net/xdp/xsk.c"
	commit 'xsk: Count in words'
	sed -i 's/^umem line 9$/umem line nine/' "$L/net/xdp/xdp_umem.c"
	lines meta >"$L/net/xdp/xsk_meta.c"
	commit 'xsk: Add metadata'
	lines doc >"$L/include/net/xsk_meta.h"
	commit 'xsk: Describe metadata'
}
