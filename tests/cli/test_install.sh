# What `cmake --install` installs, and that a program finds and uses it through pkg-config and through CMake.
. "$(dirname "$0")/lib.sh"

if [[ ${SCADYG_SANITIZE:-} ]]; then
    echo "an installation with sanitizers is of no use to other programs"
    exit 77
fi
prefix=$scratch/prefix
expect "installs" cmake --install "$SCADYG_BUILD" --prefix "$prefix"

installed() { # PATTERN: exactly one such path
    check
    local found
    found=$(cd "$prefix" && find . -path "./$1" | wc -l)
    [[ $found == 1 ]] || { last=install; bad "$found files $1 installed, expected 1"; }
}
installed bin/scadyg
installed include/scadyg.h
installed 'lib*/libscadyg.a'
installed 'lib*/libscadyg.so'
installed 'lib*/scadyg.pc'
installed 'lib*/scadyg-config.cmake'
installed share/bash-completion/completions/scadyg
for page in scadyg scadyg-{import,export,info,generate,messages,help}; do installed "share/man/man1/$page.1"; done
expect "the installed tool runs" "$prefix/bin/scadyg" --version

# The shared library shows nothing but the public functions, and all of them.
library=$(find "$prefix" -name libscadyg.so)
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort >exported
sed -n 's/^SCADYG_API.*[ *]\(scadyg_[a-z0-9_]*\)(.*/\1/p' "$prefix/include/scadyg.h" | sort >declared
check
last="nm -D libscadyg.so"
[[ -s declared ]] && cmp -s exported declared || bad "exported is not what is declared" "$(diff declared exported)"

# A program of somebody else's.
mkdir consumer
cat >consumer/main.c <<'END'
#include <scadyg.h>
#include <stdio.h>
int main(void)
{
    scadyg_events *events = NULL;
    scadyg_error error;
    if (scadyg_events_open("missing.events", &events, &error) != SCADYG_E_IO) return 1;
    scadyg_import_options options = {0};
    const char *files[] = {"log.csv"};
    if (scadyg_import(files, 1, "log.events", &options, NULL, NULL, &error)) return 2;
    if (scadyg_events_open("log.events", &events, &error)) return 3;
    printf("%s %d\n", scadyg_version(), (int)scadyg_events_shape(events)->events);
    scadyg_events_close(events);
    return 0;
}
END
printf '#include <scadyg.h>\nint main() { return scadyg_version() == nullptr; }\n' >consumer/plus.cpp
cat >consumer/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(scadyg 0.1 REQUIRED COMPONENTS static shared)
foreach(kind static shared)
  add_executable(with_${kind} main.c)
  target_link_libraries(with_${kind} PRIVATE scadyg::scadyg_${kind})
endforeach()
END
printf 'src,dst,time\na,b,1\nb,c,2\n' >log.csv
expected="$("$scadyg" --version | cut -d' ' -f2) 2"

works() { # PROGRAM
    check
    last=$1
    local output
    output=$(LD_LIBRARY_PATH=$(dirname "$library") "$1" 2>&1)
    [[ $output == "$expected" ]] || bad "printed '$output', expected '$expected'"
}

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name scadyg.pc)")
# shellcheck disable=SC2046
{
    expect "pkg-config, shared" "${CC:-cc}" consumer/main.c -o pc_shared $(pkg-config --cflags --libs scadyg)
    works ./pc_shared
    expect "pkg-config, static" "${CC:-cc}" consumer/main.c -o pc_static $(pkg-config --cflags scadyg) \
        "$(dirname "$library")/libscadyg.a" $(pkg-config --static --libs scadyg | sed 's/-lscadyg//')
    works ./pc_static
    check
    if ldd pc_static | grep -q scadyg; then bad "pc_static is linked with the shared library"; fi
    if command -v c++ >/dev/null; then
        expect "the header is C++ too" c++ -std=c++11 -Wall -Werror -fsyntax-only consumer/plus.cpp \
            $(pkg-config --cflags scadyg)
    fi
}
expect "find_package" cmake -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="${CC:-cc}"
expect "builds" cmake --build consumer/build
works consumer/build/with_static
works consumer/build/with_shared

done_testing
