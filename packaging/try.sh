#!/bin/bash
# Makes the Debian packages and the tarball, and tries them in a bare Debian: what is installed there runs, trains and
# predicts, a program of somebody else's is built with it, and when removed nothing is left.
#
#   packaging/try.sh [FOLDER]     [build-long/packages], where the bare system is kept for the next time
#
# Exit code 77: this machine cannot (no root, no debootstrap, no packages to be had).
set -u
cd "$(dirname "$0")/.." || exit 1
folder=${1:-build-long/packages}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1
suite=bookworm mirror=${SCADYG_MIRROR:-http://deb.debian.org/debian}

cannot() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
((EUID == 0)) || cannot "a bare system to try packages in needs root"
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
command -v dpkg-shlibdeps >/dev/null || cannot "dpkg-shlibdeps is not installed (dpkg-dev)"

quietly() {
    "$@" >"$folder/log" 2>&1 || {
        tail -n 40 "$folder/log" >&2
        fail "$*"
    }
}

# The packages.
for preset in debian portable; do
    generator=()
    [[ -e build-$preset/CMakeCache.txt ]] || ! command -v ninja >/dev/null || generator=(-G Ninja)
    quietly cmake --preset $preset "${generator[@]}"
    quietly cmake --build build-$preset -j "$(nproc)"
    rm -f build-$preset/*.deb build-$preset/*.tar.gz
    (cd build-$preset && quietly cpack) || exit 1
done
tarball=$(echo build-portable/scadyg-*.tar.gz)
ls -l build-debian/*.deb "$tarball" | awk '{ print $5, $9 }'

# The bare system.
if [[ ! -e $folder/bare/.whole ]]; then
    rm -rf "$folder/bare"
    debootstrap --variant=minbase "$suite" "$folder/bare" "$mirror" >"$folder/log" 2>&1 ||
        cannot "debootstrap: $(grep -m 1 '^[EW]:' "$folder/log" || tail -n 1 "$folder/log")"
    touch "$folder/bare/.whole"
fi
trial=$folder/trial
fresh() {
    rm -rf "$trial"
    cp -a --reflink=auto "$folder/bare" "$trial" || fail "no room for a copy of the bare system"
}
trap 'rm -rf "$trial"' EXIT
inside() { chroot "$trial" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
apt() { inside apt-get -y -q --no-install-recommends "$@"; }

# works PROGRAM: from a log to a prediction.
works() {
    quietly inside sh -ec "cd /tmp
        $1 --version
        $1 generate -q --events 3000 --nodes 60 --seed 3 -o g.events
        $1 export -q g.events -o g.csv
        $1 train -q g.csv --epochs 2 -o m.scadyg
        $1 rank m.scadyg g.csv --source \$(sed -n '2s/,.*//p' g.csv)"
}

fresh
mkdir "$trial/opt/scadyg"
tar -xzf "$tarball" -C "$trial/opt/scadyg" --strip-components 1 || fail "the tarball"
works /opt/scadyg/bin/scadyg
echo "tarball: unpacked in a bare $suite, it trains and predicts"

fresh
for file in build-debian/*.deb; do
    name=${file##*/}
    cp "$file" "$trial/tmp/${name%%_*}.deb"
done
apt update >"$folder/log" 2>&1 || cannot "no package lists in the bare system"
quietly apt install /tmp/scadyg.deb
works scadyg
! inside dpkg-query -W -f '${Status}\n' libopenblas0-pthread libopenblas0-openmp libgomp1 2>/dev/null |
    grep -q '^install ok' || fail "a runtime with threads of its own came along"
echo "scadyg.deb: installed in a bare $suite, it trains and predicts"

quietly apt install /tmp/libscadyg0.2.deb /tmp/libscadyg-dev.deb gcc libc6-dev pkg-config
cp tests/consumer/main.c "$trial/tmp/"
quietly inside sh -ec 'cd /tmp
    cc main.c -o dynamic $(pkg-config --cflags --libs scadyg)
    cc main.c -o static $(pkg-config --cflags scadyg) -Wl,-Bstatic -lscadyg -Wl,-Bdynamic $(pkg-config --static --libs scadyg)
    ./dynamic g.events
    ./static g.events'
echo "libscadyg-dev.deb: a program is built with it, shared and static"

quietly apt purge scadyg libscadyg0.2 libscadyg-dev
left=$(inside find /usr /etc -name '*scadyg*' -not -path '/usr/share/doc/*')
[[ -z $left ]] || fail "left behind: $left"
echo "removed: nothing is left"
