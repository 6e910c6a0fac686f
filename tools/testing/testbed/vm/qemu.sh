#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Usage: qemu.sh DIR
# Puts the QEMU of trixie-backports into DIR, beside the system's own, and
# DIR/qemu-system-x86_64, which starts it. Nothing is installed: the packages are
# fetched through an apt configuration of their own, from the mirror this machine
# uses for Debian, and unpacked. Does nothing when DIR is complete.
#
# vfio-user-pci needs QEMU >= 10.1.1; bookworm has 7.2, its backports 10.0.
set -eu

suite=trixie
packages="qemu-system-x86 qemu-system-common qemu-system-data seabios"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

die() {
	echo "qemu.sh: $*" >&2
	exit 1
}

[ $# = 1 ] || die "usage: qemu.sh DIR"
mkdir -p "$1"
dir=$(cd "$1" && pwd)

[ ! -x "$dir/qemu-system-x86_64" ] || exit 0
command -v apt-get >/dev/null || die "no apt-get here; QEMU is fetched from Debian: run this on a Debian system"
[ -r "$keyring" ] || die "$keyring is missing; install debian-archive-keyring"

exec 9>"$dir/lock"
flock 9
[ ! -x "$dir/qemu-system-x86_64" ] || exit 0

# The mirror is wherever this machine gets its own release from.
# shellcheck source=/dev/null
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # apt expands these, not the shell
mirror=$(apt-get indextargets --format '$(RELEASE) $(CODENAME) $(REPO_URI)' 'Created-By: Packages' |
	awk -v r="$release" '$1 == r || $2 == r { print $3; exit }')
[ -n "$mirror" ] || die "no apt source for '$release' on this machine; add Debian's main archive to /etc/apt/sources.list.d"

apt=$dir/apt
rm -rf "$apt" "$dir/root" "$dir/root.new"
mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
cat >"$apt/sources.list" <<-END
	deb [signed-by=$keyring] $mirror $suite main
	deb [signed-by=$keyring] $mirror $suite-backports main
END
cat >"$apt/apt.conf" <<-END
	Dir::Etc::SourceList "$apt/sources.list";
	Dir::Etc::SourceParts "$apt/parts";
	Dir::Etc::Preferences "/dev/null";
	Dir::Etc::PreferencesParts "$apt/parts";
	Dir::State::Lists "$apt/lists";
	Dir::State::Status "$apt/status";
	Dir::State::extended_states "$apt/extended_states";
	Dir::Cache "$apt/cache";
	APT::Architecture "amd64";
	APT::Architectures { "amd64"; };
	APT::Default-Release "$suite";
	APT::Install-Recommends "false";
	APT::Sandbox::User "root";
	Acquire::Retries "3";
	Acquire::Languages "none";
END
export APT_CONFIG="$apt/apt.conf"

echo "qemu.sh: fetching QEMU from $suite-backports (about 40 MiB, once)" >&2
timeout 600 apt-get -q update >"$apt/log" 2>&1 ||
	die "apt-get update failed for $suite and $suite-backports; see $apt/log"
want=
for p in $packages; do
	want="$want $p/$suite-backports"
done
# shellcheck disable=SC2086 # a list of words
timeout 1200 apt-get -q -y install --download-only $want >>"$apt/log" 2>&1 ||
	die "apt-get could not download QEMU; see $apt/log"
for deb in "$apt"/cache/archives/*.deb; do
	dpkg-deb -x "$deb" "$dir/root.new"
done

# The packages expect to be installed: their own loader, libraries, modules and
# firmware have to be named, or the system's would be taken.
cat >"$dir/wrapper" <<'END'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
root=$here/root
lib=$root/usr/lib/x86_64-linux-gnu
export QEMU_MODULE_DIR="$lib/qemu"
exec "$lib/ld-linux-x86-64.so.2" \
	--library-path "$lib:$lib/pulseaudio" \
	--argv0 qemu-system-x86_64 "$root/usr/bin/qemu-system-x86_64" \
	-L "$root/usr/share/qemu" -L "$root/usr/share/seabios" "$@"
END
chmod +x "$dir/wrapper"
mv "$dir/root.new" "$dir/root"
version=$("$dir/wrapper" --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
"$dir/wrapper" -M none -device help 2>&1 | grep -q vfio-user-pci ||
	die "QEMU $version has no vfio-user-pci; see $apt/log"
rm -rf "$apt/cache" "$apt/lists"
mv "$dir/wrapper" "$dir/qemu-system-x86_64"
echo "qemu.sh: QEMU $version is in $dir" >&2
