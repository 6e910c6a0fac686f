#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Runs tests under prove, one VM a group, one group after the other.
#
#   test.sh [NAME=VALUE...]
#   make test [T='GLOB...'] [NAME=VALUE...];  make soak T='GLOB...'
#
#   T=GLOBS         test ids GROUP/TOPIC; a bare group means all of it; nic/* stands
#                   for stmmac/*, i40e/* and mlx5/*. Without T: all but
#                   the NIC groups not in NICS and what wanted() leaves out
#   NICS='...'      stmmac, i40e, mlx5: NIC groups to run without T; default none
#   KERNEL=test     run, test, base or fixes
#   ROUNDS=0.05     share of the full number of rounds; make soak: 1
#   TOPIC_TIMEOUT=600 GROUP_TIMEOUT=2400   seconds (soak: 7200, 14400)
#   BASE=6.1 BUILD=build
#
# Tests are BUILD/guest/tap/GROUP/TOPIC, run in the VM, BUILD/host/tap/GROUP/TOPIC and
# tools/testing/selftests/tap/deploy/TOPIC, run here. A group's VM takes further settings (NIC=, CPUS=, MEM=, ...) from
# tools/testing/selftests/tap/GROUP/vm.conf. Each leaves BUILD/results/GROUP/: tap,
# stderr, dmesg, and with a NIC model truth.jsonl and nicsim.log.
#
# Exit status: 0 if all passed; 2 if T matches nothing; else prove's own.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)

usage_error() {
	echo "test.sh: $*" >&2
	exit 2
}

: "${T=}" "${BASE=6.1}" "${KERNEL=test}" "${ROUNDS=0.05}" "${BUILD=$top/build}"
: "${NICS=}" "${TOPIC_TIMEOUT=600}" "${GROUP_TIMEOUT=2400}"
for arg; do
	case $arg in
	T=* | NICS=* | BASE=* | KERNEL=* | ROUNDS=* | BUILD=* | TOPIC_TIMEOUT=* | GROUP_TIMEOUT=*)
		# The name is one of the above, the value is taken as it is.
		eval "${arg%%=*}=\${arg#*=}"
		;;
	*)
		usage_error "unknown argument '$arg'; the head of $0 lists them"
		;;
	esac
done
command -v prove >/dev/null || usage_error "prove is missing; apt-get install perl"
[ -d "$BUILD" ] || usage_error "BUILD=$BUILD: no such folder"
BUILD=$(cd "$BUILD" && pwd)
case $BUILD in *[[:space:]]*) usage_error "BUILD=$BUILD: a path without blanks is needed" ;; esac
export BASE KERNEL ROUNDS BUILD TOPIC_TIMEOUT GROUP_TIMEOUT

MAKEFLAGS='' make -s -C "$here" BUILD="$BUILD" >&2

# wanted GROUP/TOPIC: does a glob of T match?
wanted() {
	if [ -z "$T" ]; then
		# Only when named: these boot a dozen VMs of their own.
		case $1 in deploy/vm | deploy/runner) return 1 ;; esac
		return 0
	fi
	set -f
	for glob in $T; do
		case $glob in
		*/*) ;;
		*) glob=$glob/'*' ;;
		esac
		case $glob in nic/*) [ "$2" = nic ] && glob=${1%%/*}/${glob#nic/} ;; esac
		# shellcheck disable=SC2254 # a glob is what it is
		case $1 in
		$glob)
			set +f
			return 0
			;;
		esac
	done
	set +f
	return 1
}

# In a folder of its own, a file a group: prove shows the file's name.
lists=$BUILD/results/groups
rm -rf "$lists"
mkdir -p "$lists"
add() {		# GROUP FOLDER
	for f in "$2"/*; do
		if [ -f "$f" ] && [ -x "$f" ] && wanted "$1/${f##*/}" "${2##*/}"; then
			printf '%s\n' "$f" >>"$lists/$1"
		fi
	done
}
add deploy "$top/tools/testing/selftests/tap/deploy"
for d in "$BUILD"/host/tap/*; do
	# the build's links to the above
	[ "${d##*/}" = deploy ] || [ ! -d "$d" ] || add "${d##*/}" "$d"
done
for d in "$BUILD"/guest/tap/*; do
	case ${d##*/} in
	'*') ;;
	nic)
		for n in stmmac i40e mlx5; do
			[ -z "$T" ] && case " $NICS " in *" $n "*) ;; *) continue ;; esac
			add $n "$d"
		done
		;;
	*) add "${d##*/}" "$d" ;;
	esac
done
# The guest has them under its own path.
for f in "$lists"/*; do
	[ ! -f "$f" ] || sed -i "s|^$BUILD/guest/|/txmd/|" "$f"
done

cd "$lists"
set -- *
[ "$1" != '*' ] || usage_error "no test matches T='$T'; groups: deploy$(
	find "$BUILD/host/tap" "$BUILD/guest/tap" -mindepth 1 -maxdepth 1 -type d -printf '\n%f' 2>/dev/null | sort -u |
		tr '\n' ' '
)"
exec prove --timer --exec "$here/group.sh" "$@"
