#!/bin/bash
# Debian's libraries for another kind of machine, unpacked into a folder: for cross builds, without root and without
# telling this system's package manager of a second architecture.
#
#   scripts/sysroot.sh ARCHITECTURE FOLDER PACKAGE...
set -eu
architecture=$1 folder=$2
shift 2
packages=("$@")
[[ -e $folder/.done && $(cat "$folder/.done") == "${packages[*]}" ]] && exit 0

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt"/{lists/partial,cache/archives/partial,etc/none,debs} "$folder"
touch "$apt/status"
. /etc/os-release
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -e $keys ]] || { echo "debian-archive-keyring is not installed" >&2; exit 1; }
mirror=${SCADYG_MIRROR:-http://deb.debian.org/debian}
echo "deb [signed-by=$keys] $mirror ${VERSION_CODENAME:-bookworm} main" >"$apt/etc/sources.list"
options=(-q -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State="$apt"
    -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
    -o Dir::Etc::SourceList="$apt/etc/sources.list" -o Dir::Etc::SourceParts="$apt/etc/none" -o Dir::Etc::PreferencesParts="$apt/etc/none"
    -o APT::Get::List-Cleanup=0 -o APT::Sandbox::User=root -o Acquire::Languages=none)
apt-get "${options[@]}" update >/dev/null
(cd "$apt/debs" && apt-get "${options[@]}" download "${packages[@]}" >/dev/null)
for file in "$apt"/debs/*.deb; do dpkg-deb -x "$file" "$folder"; done
# Links to absolute paths are meant within the folder.
folder=$(cd "$folder" && pwd)
find "$folder" -type l -lname '/*' | while read -r link; do
    ln -sfn "$folder$(readlink "$link")" "$link"
done
echo "${packages[*]}" >"$folder/.done"
