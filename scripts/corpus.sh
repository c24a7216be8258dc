#!/bin/bash
# scripts/corpus.sh [--found] [TARGET...]: makes the corpora of the fuzz targets small.
#
# Those in tests/fuzz/corpus get what long runs have found beside them (build-long/corpus), as few files as reach every edge of
# the code; files with a name of their own, each of which was a finding or is an example, all stay. Those in build-long/corpus
# keep what reaches an edge more often, too; with --found only these are made small.
set -eu
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1

# named DIRECTORY: the files that libFuzzer did not name.
named() {
    find "$1" -type f | grep -vE '/[0-9a-f]{40}$' || true
}

# merge TARGET OPTIONS... : DIRECTORY with what is kept already, DIRECTORY... to choose from.
merge() {
    local target=$1
    shift
    build-fuzz/tests/fuzz_"$target" -timeout=20 -rss_limit_mb=4096 "$@" >build-long/merge.log 2>&1 || {
        tail -n 20 build-long/merge.log
        exit 1
    }
}

only_found=
if [[ ${1:-} == --found ]]; then
    only_found=1
    shift
fi
targets=("$@")
if ((${#targets[@]} == 0)); then
    for program in build-fuzz/tests/fuzz_*; do
        [[ ! -x $program || -d $program ]] || targets+=("${program##*/fuzz_}")
    done
fi
mkdir -p build-long
for target in "${targets[@]}"; do
    kept=tests/fuzz/corpus/$target found=build-long/corpus/$target
    mkdir -p "$kept" "$found"
    small=$(mktemp -d) large=$(mktemp -d)
    trap 'rm -rf "$small" "$large"' EXIT
    before=$(find "$kept" -type f | wc -l)
    if [[ ! $only_found ]]; then
        named "$kept" | xargs -r -I{} cp {} "$small"
        merge "$target" -set_cover_merge=1 -use_counters=0 "$small" "$kept" "$found"
    fi
    merge "$target" -merge=1 "$large" "$kept" "$found"
    rm -rf "$found"
    mkdir -p "$found"
    if [[ ! $only_found ]]; then
        rm -rf "$kept"
        cp -r "$small" "$kept"
        chmod 755 "$kept"
    fi
    for file in "$large"/*; do [[ -e $kept/${file##*/} ]] || cp "$file" "$found"; done
    rm -rf "$small" "$large"
    echo "$target: $(find "$kept" -type f | wc -l) files in the repository, $before before; $(
        find "$found" -type f | wc -l) more in build-long"
done
