#!/bin/bash
# Import beside the plainest programs that read the same bytes: mawk adding up the third column, zcat to nowhere.
# Rounds are interleaved and the best of each counts, because other work on the machine only ever slows them down.
#
#   bench/import.sh [--rows N] [--rounds N] [--memory-rows N] [--tmp DIRECTORY] [--build DIRECTORY]
#
# --rows         rows of the text file read for speed [10,000,000]
# --memory-rows  rows of the one read within --memory 1G, to see that the bound holds; 0: none [20,000,000]
# --tmp          where the files go, about 50 bytes a row [a new directory in $TMPDIR or /tmp]
set -u
cd "$(dirname "$0")/.." || exit 1
rows=10000000 rounds=5 memory_rows=20000000 tmp= build=build
while [ $# -gt 0 ]; do
    case $1 in
    --rows) rows=$2 ;;
    --rounds) rounds=$2 ;;
    --memory-rows) memory_rows=$2 ;;
    --tmp) tmp=$2 ;;
    --build) build=$2 ;;
    *)
        sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift 2 || exit 2
done
scadyg=$build/scadyg text=$build/bench/bench_text
for program in "$scadyg" "$text"; do
    [ -x "$program" ] || { echo "$program is not built; run ./test --quick first" >&2; exit 1; }
done
for program in mawk zcat; do
    command -v $program >/dev/null || { echo "$program is needed: apt-get install $program" >&2; exit 1; }
done
directory=$(mktemp -d "${tmp:-${TMPDIR:-/tmp}}/scadyg-bench-XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT

# seconds COMMAND...: how long it takes.
seconds() {
    local begin end
    begin=$(date +%s%N)
    "$@" >/dev/null || { echo "failed: $*" >&2; exit 1; }
    end=$(date +%s%N)
    echo $((end - begin))
}

# peak COMMAND...: seconds and the most memory it held, in MiB, as the kernel counts it.
peak() {
    local begin end status
    begin=$(date +%s%N)
    "$@" >/dev/null &
    local process=$! most=0 now
    while now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' /proc/$process/status 2>/dev/null) && [ -n "$now" ]; do
        most=$now
        sleep 0.02
    done
    wait $process
    status=$?
    end=$(date +%s%N)
    [ $status -eq 0 ] || { echo "failed: $*" >&2; exit 1; }
    echo "$((end - begin)) $((most / 1024))"
}

sum() { mawk '{s+=$3} END {print s}' "$directory/log.txt"; }
unpack() { zcat "$directory/log.txt.gz"; }
import() { "$scadyg" import --quiet "$@" -o "$directory/x.events"; }
import_1() { import --threads 1 "$directory/log.txt"; }
import_2() { import --threads 2 "$directory/log.txt"; }
import_gzip() { import --threads 2 "$directory/log.txt.gz"; }

"$text" "$rows" >"$directory/log.txt" || exit 1
gzip -k -6 "$directory/log.txt" || exit 1
cat "$directory"/log.txt* >/dev/null # into the page cache
names=(sum import_1 import_2 unpack import_gzip)
declare -A best
for ((round = 0; round < rounds; round++)); do
    for name in "${names[@]}"; do
        took=$(seconds $name) || exit 1
        [ -n "${best[$name]:-}" ] && [ "${best[$name]}" -le "$took" ] || best[$name]=$took
    done
done

row() { # NAME WHAT BASE TARGET
    awk -v name="$1" -v ns="${best[$2]}" -v base="${best[$3]}" -v rows="$rows" -v target="$4" 'BEGIN {
        printf "%-34s %10.2f %10.2f %10.2f   %s\n", name, ns / 1e9, rows * 1e3 / ns, ns / base, target }'
}
echo "import: $(awk -v n="$rows" -v b="$(stat -c %s "$directory/log.txt")" 'BEGIN {
    printf "%.1f M rows src dst time, %.0f MB of text", n / 1e6, b / 1e6 }'), best of $rounds rounds"
echo
printf '%-34s %10s %10s %10s   %s\n' program seconds "M rows/s" "time of" target
row "mawk '{s+=\$3}'" sum sum "1"
row "import, 2 threads" import_2 sum "at most 1 of mawk"
row "import, 1 thread" import_1 sum ""
row "zcat to nowhere" unpack unpack "1"
row "import of gzip, 2 threads" import_gzip unpack "at most 1.3 of zcat"

if [ "$memory_rows" -gt 0 ]; then
    rm -f "$directory"/log.txt* "$directory/x.events"
    awk -v n="$memory_rows" 'BEGIN { printf "\nmemory: %.1f M rows with --memory 1G\n\n", n / 1e6 }'
    printf '%-34s %10s %10s %10s   %s\n' input seconds "M rows/s" "peak MiB" target
    for order in "in order of time" "in disorder"; do
        disorder=
        [ "$order" = "in disorder" ] && disorder=disorder
        "$text" "$memory_rows" 2600000 1 $disorder >"$directory/log.txt" || exit 1
        read -r ns mib < <(peak "$scadyg" import --quiet --memory 1G "$directory/log.txt" -o "$directory/x.events") ||
            exit 1
        awk -v name="$order" -v ns="$ns" -v mib="$mib" -v rows="$memory_rows" 'BEGIN {
            printf "%-34s %10.2f %10.2f %10d   at most 1088\n", name, ns / 1e9, rows * 1e3 / ns, mib }'
    done
fi
