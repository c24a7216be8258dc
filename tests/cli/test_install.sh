# What `cmake --install` installs, and what the shared library shows. tests/consumer/ uses what is installed.
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
installed 'share/doc/scadyg/LICENSE'
installed share/bash-completion/completions/scadyg
installed share/man/man1/scadyg.1
commands=$("$scadyg" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[[ $(wc -w <<<"$commands") -ge 15 ]] || bad "'scadyg help' lists too few commands" "$commands"
for command in $commands; do installed "share/man/man1/scadyg-$command.1"; done
expect "the installed tool runs" "$prefix/bin/scadyg" --version

# The shared library shows nothing but the public functions, and all of them.
library=$(find "$prefix" -name libscadyg.so)
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort >exported
cat "$prefix"/include/*.h | sed -n 's/^SCADYG_API.*[ *]\(scadyg_[a-z0-9_]*\)(.*/\1/p' | sort >declared
check
last="nm -D libscadyg.so"
[[ -s declared ]] && cmp -s exported declared || bad "exported is not what is declared" "$(diff declared exported)"

# It needs no second runtime for threads beside its own.
check
last="ldd libscadyg.so"
if ldd "$library" | grep -E 'libgomp|libomp|libiomp'; then bad "it is linked with an OpenMP runtime"; fi

done_testing
