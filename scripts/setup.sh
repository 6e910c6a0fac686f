#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Installs the Debian packages that are missing.
# usage: setup.sh [LIST...]    default: the list of `make run` and `make test`
set -eu -o pipefail
. "$(dirname "$0")/lib.sh"

[ $# -gt 0 ] || set -- "$TOP/scripts/packages"
mapfile -t want < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "$@" | sort -u)

command -v dpkg-query >/dev/null ||
	die "no dpkg here; this works on Debian 12, elsewhere install what these packages hold: ${want[*]}"

missing_packages()
{
	# "|| :" because dpkg-query fails when it does not know one of them
	comm -23 <(printf '%s\n' "${want[@]}") \
		<({ dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${want[@]}" 2>/dev/null || :; } |
			sed -n 's/^installed //p' | sort -u)
}

mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -gt 0 ] || exit 0

[ "$(id -u)" = 0 ] ||
	die "packages are missing and only root can install them; as root: apt-get install --no-install-recommends ${missing[*]}"

say "installing ${#missing[@]} packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Two of us may run at a time: DPkg::Lock covers the installation, flock the lists.
exec 7>/run/lock/txmd-setup
flock -w 900 7 || die "another setup runs for 15 minutes; stop it and try again"
{ timeout 600 apt-get -q update &&
	timeout 1800 apt-get -qy -o DPkg::Lock::Timeout=300 install --no-install-recommends "${missing[@]}"
} >"$log" 2>&1 || {
	tail -n 15 "$log" >&2
	die "apt-get could not install them (its last lines are above); see to the machine's package sources and try again"
}
