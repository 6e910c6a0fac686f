# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The kernel source as a git repository of its own, with tag `base`; sourced by
# tree.sh. KSRC is empty (Debian's linux-source-<base>), a kernel tree, a tar
# archive of one, a linux-source package, or a version that Debian offers.
# What it was made from stands in txmd-source in the tree's git folder.

source_file() { git -C "$LINUX" rev-parse --path-format=absolute --git-path txmd-source; }

# How a message calls the base: "6.1.192 (linux-source-6.1 6.1.192-3)"
source_name()
{
	local src=
	[ ! -f "$(source_file)" ] || src=" ($(sed 's/#.*//' "$(source_file)"))"
	printf 'linux %s%s' "$(git -C "$LINUX" show base:Makefile | make_version)" "$src"
}

make_version()
{
	sed -n -e '1,8s/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\|EXTRAVERSION\) *= *\(.*\)$/\2/p' |
		{ read -r a; read -r b; read -r c; read -r d || :; echo "$a.$b.$c$d"; }
}

# A fingerprint of a folder that changes when a file in it does
folder_print()
{
	find "$1" -path "$1/.git" -prune -o -type f -printf '%P %s %T@\n' | sort | sha256sum | cut -c1-16
}

# Sets kind, from (where it is) and id (what it is, with its fingerprint)
find_source()
{
	local v pkg=linux-source-$BASE
	case ${KSRC:-} in
	'')
		kind=tar from=/usr/src/$pkg.tar.xz
		if [ ! -f "$from" ]; then
			[ "$(id -u)" = 0 ] || die "$pkg is not installed; as root: apt-get install $pkg, or give a tree with KSRC="
			apt-cache show "$pkg" >/dev/null 2>&1 ||
				die "Debian's sources here have no $pkg; give a $BASE tree with KSRC="
			apt-get -qy install --no-install-recommends "$pkg" >/dev/null ||
				die "cannot install $pkg; give a tree with KSRC="
		fi
		v=$(dpkg-query -W -f='${Version}' "$pkg") id="$pkg $v" ;;
	"$BASE".*[0-9])
		if [ -e "$KSRC" ]; then
			find_folder
			return
		fi
		kind=deb
		v=$(apt-cache madison "$pkg" | awk -F' *[|] *' -v v="$KSRC" '$2 == v || index($2, v "-") == 1 { print $2; exit }')
		[ -n "$v" ] || die "Debian's sources here have no $pkg $KSRC; they have$(apt-cache madison "$pkg" | awk -F' *[|] *' '{ printf " %s", $2 }'), or give a folder"
		from=$KDIR/dl/${pkg}_${v}_all.deb id="$pkg $v" ;;
	*.tar | *.tar.*)
		kind=tar from=$KSRC
		[ -f "$KSRC" ] || die "KSRC=$KSRC: no such file; give a kernel tree, a tar archive of one or a linux-source package"
		id="$KSRC#$(stat -c %s-%Y "$KSRC")" ;;
	*.deb)
		kind=deb from=$KSRC
		[ -f "$KSRC" ] || die "KSRC=$KSRC: no such file; give a kernel tree, a tar archive of one or a linux-source package"
		id="$KSRC#$(stat -c %s-%Y "$KSRC")" ;;
	*) find_folder ;;
	esac
}

find_folder()
{
	kind=folder
	from=$(cd "$KSRC" 2>/dev/null && pwd -P) ||
		die "KSRC=$KSRC: no such folder; give a kernel tree, a tar archive of one, a linux-source package or a version that Debian offers"
	case $from/ in
	"$(realpath -m "$LINUX")"/*) die "KSRC=$KSRC is the tree that we make from it; leave KSRC= out to build that one" ;;
	esac
	if [ ! -f "$from/Makefile" ] || [ ! -d "$from/net/xdp" ]; then
		die "KSRC=$KSRC is no kernel tree (net/xdp is missing); give the folder that holds the kernel's top Makefile"
	fi
	id="$from#$(folder_print "$from")"
}

unpack_source()	# into folder $1
{
	case $kind in
	tar) tar -xf "$from" -C "$1" --strip-components=1 ;;
	deb)
		if [ ! -f "$from" ]; then
			mkdir -p "$KDIR/dl"
			(cd "$KDIR/dl" && apt-get -q -o APT::Sandbox::User=root download "linux-source-$BASE=${id##* }" >/dev/null) ||
				die "cannot fetch $id from Debian's sources; see to the network, or give a folder with KSRC="
		fi
		dpkg-deb --fsys-tarfile "$from" | tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" |
			tar -xJ -C "$1" --strip-components=1 ;;
	folder)
		rsync -a --exclude=/.git --exclude='*.o' --exclude='*.ko' --exclude=/vmlinux "$from/" "$1/"
		make -s -C "$1" mrproper >/dev/null ;;
	esac || die "cannot unpack $from; is it whole, and is there room in $BUILD?"
}

# Debian's .gitignore hides every new file of the top folder from git.
mend_gitignore()
{
	[ -f "$1/.gitignore" ] || return 0
	awk '
		/^#/ || /^$/ { held = held $0 "\n"; next }
		$0 == "/*" { held = ""; cut = 1; next }
		cut && /^!/ { next }
		{ printf "%s%s\n", held, $0; held = "" }
		END { printf "%s", held }
	' "$1/.gitignore" >"$1/.gitignore.new"
	mv "$1/.gitignore.new" "$1/.gitignore"
}

import_source()
{
	local tmp v tree commit
	if [ -e "$LINUX/.git" ]; then
		# A tree that KSRC made, or one from elsewhere, stays until another is named.
		if [ -z "${KSRC:-}" ]; then
			case $([ ! -f "$(source_file)" ] || cat "$(source_file)") in
			"linux-source-$BASE "*) ;;
			*) return 0 ;;
			esac
		fi
		find_source
		[ -f "$(source_file)" ] && [ "$(cat "$(source_file)")" = "$id" ] && return 0
		load_state
		! tree_changed ||
			die "${id%%#*} would replace the source under your changes in $LINUX; take them into the repo first (make refresh) or use another BUILD="
	elif [ -e "$LINUX" ]; then
		die "$LINUX is there but no git repository of ours; move it away and try again"
	else
		find_source
	fi

	tmp=$KDIR/import
	rm -rf "$tmp"
	mkdir -p "$tmp/linux"
	trap 'rm -rf "$KDIR/import"' EXIT
	say "unpacking ${id%%#*} (about a minute)"
	unpack_source "$tmp/linux"
	v=$(make_version <"$tmp/linux/Makefile")
	case $v in
	"$BASE".*) ;;
	*) die "${id%%#*} is linux $v, not $BASE; give another KSRC=, or BASE=${v%.*} if patches/ has it" ;;
	esac
	mend_gitignore "$tmp/linux"

	export GIT_AUTHOR_NAME=base GIT_AUTHOR_EMAIL=base@localhost GIT_AUTHOR_DATE='Sat, 1 Jan 2000 00:00:00 +0000'
	export GIT_COMMITTER_NAME=base GIT_COMMITTER_EMAIL=base@localhost GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	[ -e "$LINUX/.git" ] || git init -q -b txmd "$tmp/new"
	(
		GIT_DIR=$(if [ -e "$LINUX/.git" ]; then git -C "$LINUX" rev-parse --absolute-git-dir; else echo "$tmp/new/.git"; fi)
		export GIT_DIR GIT_WORK_TREE=$tmp/linux GIT_INDEX_FILE=$tmp/index
		git config gc.auto 0
		git config core.logAllRefUpdates true
		git add -A -f .
		tree=$(git write-tree)
		commit=$(git commit-tree -m "linux $v" "$tree")
		git tag -f base "$commit" >/dev/null
		[ -e "$LINUX/.git" ] || git update-ref refs/heads/txmd "$commit"
	)
	if [ ! -e "$LINUX/.git" ]; then
		mv "$tmp/index" "$tmp/new/.git/index"
		mv "$tmp/new/.git" "$tmp/linux/.git"
		mv "$tmp/linux" "$LINUX"
	fi
	printf '%s\n' "$id" >"$(source_file)"
	rm -rf "$tmp"
	unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
}
