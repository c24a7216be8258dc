#!/bin/bash
# Builds a program of somebody else's with the library, in every way there is: add_subdirectory, FetchContent,
# find_package and pkg-config, static and shared. What they find is installed from $SCADYG_BUILD.
. "$(dirname "$0")/../cli/lib.sh"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
cc=${CC:-cc}

printf 'src,dst,time\na,b,1\nb,c,2\n' >log.csv
expect "imports" "$scadyg" import -q log.csv -o log.events
version=$("$scadyg" --version | cut -d' ' -f2)

works() { # PROGRAM [LIBRARY-PATH]
    check
    last=$1
    local output
    output=$(LD_LIBRARY_PATH=${2:-} "$1" log.events 2>&1)
    [[ $output == "$version 2" ]] || bad "printed '$output', expected '$version 2'"
}

# linked PROGRAM yes|no: with the shared library or not.
linked() {
    check
    last="ldd $1"
    local found=no
    ! ldd "$1" | grep -q libscadyg || found=yes
    [[ $found == "$2" ]] || bad "linked with the shared library: $found, expected $2"
}

# consumer WAY OPTIONS...: the project, built in WAY/.
consumer() {
    local way=$1
    shift
    expect "configures by $way" cmake -S "$here" -B "$way" -DWAY="$way" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_COMPILER_LAUNCHER="$(command -v ccache)" "$@"
    expect "builds by $way" cmake --build "$way" -j 2
}

# As part of their build. What is theirs stays theirs: one target of ours is all they get.
consumer add_subdirectory -DSCADYG_SOURCE="$source"
for kind in scadyg static shared; do works "add_subdirectory/with_$kind"; done
linked add_subdirectory/with_scadyg no
linked add_subdirectory/with_shared yes
absent add_subdirectory/scadyg/scadyg
consumer FetchContent -DFETCHCONTENT_SOURCE_DIR_SCADYG="$source" -DBUILD_SHARED_LIBS=ON
for kind in scadyg static shared; do works "FetchContent/with_$kind"; done
linked FetchContent/with_scadyg yes

# Installed, and the installed tree moved.
expect "installs" cmake --install "$SCADYG_BUILD" --prefix "$scratch/first"
expect "moves" mv first prefix
libraries=$(dirname "$(find "$scratch/prefix" -name libscadyg.so)")
consumer find_package -DCMAKE_PREFIX_PATH="$scratch/prefix" -DSCADYG_VERSION="${version%.*}"
for kind in scadyg static shared; do works "find_package/with_$kind"; done
linked find_package/with_scadyg yes
linked find_package/with_static no

export PKG_CONFIG_PATH=$libraries/pkgconfig
# shellcheck disable=SC2046
{
    expect "pkg-config, shared" "$cc" "$here/main.c" -o pc_shared $(pkg-config --cflags --libs scadyg)
    works ./pc_shared "$libraries"
    linked pc_shared yes
    expect "pkg-config, static" "$cc" "$here/main.c" -o pc_static $(pkg-config --cflags scadyg) \
        "$libraries/libscadyg.a" $(pkg-config --static --libs scadyg | sed 's/-lscadyg//')
    works ./pc_static
    linked pc_static no
    if command -v c++ >/dev/null; then
        expect "the headers are C++ too" c++ -std=c++11 -Wall -Werror -fsyntax-only "$here/plus.cpp" \
            $(pkg-config --cflags scadyg)
    fi
}

done_testing
