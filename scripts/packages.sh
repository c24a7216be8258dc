# shellcheck shell=bash
# Debian packages, for ./run and ./test to source: installs what is missing and nothing else.

# What building needs; what tests need beside it, and what all of ./test does.
# shellcheck disable=SC2034
{
    build_packages=(gcc libc6-dev cmake make pkg-config zlib1g-dev libzstd-dev libjansson-dev libopenblas-serial-dev)
    test_packages=(libcmocka-dev jq gzip zstd)
    full_packages=(clang libclang-rt-dev llvm python3 chromium)
}
if [[ ${CC:-} == *clang* ]]; then
    build_packages+=(clang)
fi

# A tool counts as there wherever it comes from; a library must be installed as a package.
has_package() {
    case $1 in
    gcc) command -v cc >/dev/null || command -v gcc >/dev/null ;;
    gcc-aarch64-linux-gnu) command -v aarch64-linux-gnu-gcc >/dev/null ;;
    qemu-user-static) command -v qemu-aarch64-static >/dev/null ;;
    cmake | make | pkg-config | clang | clang-tidy | chromium | debootstrap | jq | python3) command -v "$1" >/dev/null ;;
    *) [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == "install ok installed" ]] ;;
    esac
}

# need_packages PKG...: makes sure that all are there, or says how to get them and fails.
need_packages() {
    local package missing=() as_root=()
    command -v dpkg-query >/dev/null || return 0 # not Debian: cmake says what is missing
    for package in "$@"; do
        has_package "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0

    local by_hand="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "Packages are missing. As root, run: $by_hand" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "installing ${missing[*]}"
    if ! "${as_root[@]}" sh -c "export DEBIAN_FRONTEND=noninteractive; ($by_hand) >/dev/null"; then
        echo "The packages could not be installed. As root, run: $by_hand" >&2
        return 1
    fi
}
