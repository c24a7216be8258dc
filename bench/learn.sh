#!/bin/bash
# Learning: its speed and memory beside the same model in PyTorch, in one run, and how its time grows with the events.
#
#   bench/learn.sh [--events N] [--rounds N] [--epochs N] [--threads N] [--tmp DIRECTORY] [--build DIRECTORY]
#
# --events   size of the large generated graph, to see that time grows linearly; 0: none [10,000,000]
# --rounds   scadyg and the yardstick take turns so many times; every round has its own ratios [2]
# --epochs   of scadyg in a round; the median of them counts [10]
# --threads  of scadyg, for the ratios; 1 thread is measured beside it [2]
# --tmp      where the files go, about 40 bytes an event [a new directory in $TMPDIR or /tmp]
#
# Real data: $SCADYG_DATA/mooc/mooc_edges.csv.gz. The yardstick is no part of this project: $SCADYG_YARDSTICK names a
# Python program that is called as "PROGRAM FILE --steps 100 --rule equal-count --epochs 3" and whose last line is
# "RESULT {json}" with pre.wall, train_mean.wall, eval_mean.wall (seconds) and maxrss_mb. It is run by $SCADYG_PYTHON
# [/usr/bin/python3], which must have torch and sklearn. What is not there is skipped, and said to be.
set -u
cd "$(dirname "$0")/.." || exit 1
events=10000000 rounds=2 epochs=10 threads=2 tmp='' build=build
while [ $# -gt 0 ]; do
    case $1 in
    --events) events=${2:-} ;;
    --rounds) rounds=${2:-} ;;
    --epochs) epochs=${2:-} ;;
    --threads) threads=${2:-} ;;
    --tmp) tmp=${2:-} ;;
    --build) build=${2:-} ;;
    *)
        sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift 2 || exit 2
done
for number in "$events" "$rounds" "$epochs" "$threads"; do
    [[ $number =~ ^[0-9]+$ ]] || { echo "bench/learn.sh: '$number' is not a number" >&2; exit 2; }
done
. scripts/packages.sh
need_packages jq || exit 1
scadyg=$build/scadyg
[ -x "$scadyg" ] || { echo "$scadyg is not built; run ./test --quick first" >&2; exit 1; }
directory=$(mktemp -d "${tmp:-${TMPDIR:-/tmp}}/scadyg-bench-XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM

mooc=${SCADYG_DATA:+$SCADYG_DATA/mooc/mooc_edges.csv.gz}
[ -f "$mooc" ] || mooc=
python=${SCADYG_PYTHON:-/usr/bin/python3} yardstick=${SCADYG_YARDSTICK:-} why=''
if [ -z "$yardstick" ]; then
    why="SCADYG_YARDSTICK is not set"
elif [ ! -f "$yardstick" ]; then
    why="$yardstick is not there" yardstick=''
elif ! "$python" -c 'import torch, sklearn' >/dev/null 2>&1; then
    why="$python has no torch or no sklearn" yardstick=''
fi

# learn NAME EVENTS OPTIONS...: trains with the settings for MOOC and leaves the figures in NAME.json.
learn() {
    local name=$1 file=$2
    shift 2
    "$scadyg" train --quiet "$file" --model scadyg-paper --preset mooc "$@" -o "$directory/model.scadyg" \
        --json "$directory/$name.json" || { echo "failed: train $file $*" >&2; exit 1; }
}

# figure NAME WHAT: one figure of a run. Seconds are the median over the epochs.
figure() {
    jq -r --arg what "$2" '
        def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;
        if $what == "train" then [.epochs[].seconds] | median
        elif $what == "evaluate" then [.epochs[].evaluation_seconds] | median
        elif $what == "rate" then [.epochs[].events_per_second] | median
        elif $what == "prepare" then .prepare_seconds
        else .peak_memory_bytes / 1e6 end' "$directory/$1.json"
}

# measure FILE: the same model by the other program; its figures go to yardstick.json.
measure() {
    if ! "$python" "$yardstick" "$1" --steps 100 --rule equal-count --epochs 3 >"$directory/yardstick.out"; then
        echo "failed: $yardstick" >&2
        exit 1
    fi
    tail -n 1 "$directory/yardstick.out" | sed -n 's/^RESULT //p' >"$directory/yardstick.json"
    jq -e '.pre.wall and .train_mean.wall and .eval_mean.wall and .maxrss_mb' "$directory/yardstick.json" >/dev/null ||
        { echo "$yardstick: its last line is not a RESULT with all figures" >&2; exit 1; }
}
theirs() { jq -r "$1" "$directory/yardstick.json"; }

# row WHAT OURS1 OURS2 THEIRS WANTED: the ratio is of the run with --threads. Without a yardstick THEIRS is empty.
row() {
    awk -v what="$1" -v one="$2" -v two="$3" -v theirs="$4" -v wanted="$5" 'BEGIN {
        if (theirs == "") { theirs = ratio = "-" }
        else { ratio = two > 0 ? sprintf("%.1f", theirs / two) : "-"; theirs = sprintf("%.2f", theirs) }
        printf "%-36s %11.4f %11.4f %11s %9s   %s\n", what, one, two, theirs, ratio, wanted }'
}

echo "learning: MOOC, scadyg-paper with its preset mooc, median of $epochs epochs, yardstick (PyTorch, 1 thread) mean of 3"
if [ -z "$mooc" ]; then
    echo "skipped, no data (mooc/mooc_edges.csv.gz in \$SCADYG_DATA)"
else
    [ -n "$yardstick" ] || echo "yardstick: skipped, no yardstick ($why)"
    "$scadyg" import --quiet "$mooc" -o "$directory/mooc.events" || exit 1
    for ((round = 1; round <= rounds; round++)); do
        learn mooc1 "$directory/mooc.events" --epochs "$epochs" --patience "$epochs" --threads 1
        learn mooc2 "$directory/mooc.events" --epochs "$epochs" --patience "$epochs" --threads "$threads"
        train='' evaluate='' prepare='' memory=''
        if [ -n "$yardstick" ]; then
            measure "$mooc"
            train=$(theirs .train_mean.wall) evaluate=$(theirs .eval_mean.wall) prepare=$(theirs .pre.wall)
            memory=$(theirs '.maxrss_mb * 1.048576') # it counts in MiB
        fi
        printf '\nround %d of %d\n' "$round" "$rounds"
        printf '%-36s %11s %11s %11s %9s   %s\n' what "1 thread" "threads: $threads" yardstick ratio wanted
        row "training epoch, s" "$(figure mooc1 train)" "$(figure mooc2 train)" "$train" "at least 40"
        row "evaluation pass with MRR, s" "$(figure mooc1 evaluate)" "$(figure mooc2 evaluate)" "$evaluate" "at least 5"
        row "preparation, s" "$(figure mooc1 prepare)" "$(figure mooc2 prepare)" "$prepare" "at least 3"
        row "peak memory, MB" "$(figure mooc1 memory)" "$(figure mooc2 memory)" "$memory" "under 150"
    done
fi

[ "$events" -gt 0 ] || exit 0
# grow NAME WHAT WANTED: a line of the second table, compared with the first line of its round.
base=''
grow() {
    local name=$1 what=$2 wanted=$3 rate
    rate=$(figure "$name" rate)
    [ -n "$base" ] || base=$rate
    awk -v what="$what" -v n="$(jq .data.events "$directory/$name.json")" -v rate="$rate" -v base="$base" \
        -v memory="$(figure "$name" memory)" -v train="$(figure "$name" train)" -v wanted="$wanted" 'BEGIN {
        printf "%-36s %11.2f %11.2f %11.2f %11.0f %9.2f   %s\n", what, n / 1e6, train, rate / 1e6, memory,
            base / rate, wanted }'
}
# Small graphs get more epochs than the large one, since the first of a run is slow and they would count it for more.
small=(--epochs "$epochs" --patience "$epochs" --threads "$threads")
printf '\ngrowth: options of paper:mooc, threads: %d, median of %d epochs, of 2 for the largest; %s\n' \
    "$threads" "$epochs" "generated graphs with --gamma0 auto"
[ -n "$mooc" ] || echo "MOOC: skipped, no data; compared with a generated graph of its size"
"$scadyg" generate --quiet --events 411749 --nodes 7144 --edge-features 4 -o "$directory/small.events" || exit 1
"$scadyg" generate --quiet --events "$events" --nodes 100000 --edge-features 4 -o "$directory/large.events" || exit 1
for ((round = 1; round <= rounds; round++)); do
    base=''
    printf '\nround %d of %d\n' "$round" "$rounds"
    printf '%-36s %11s %11s %11s %11s %9s   %s\n' events millions "s an epoch" "M events/s" "peak MB" \
        "s/event" wanted
    if [ -n "$mooc" ]; then
        learn mooc "$directory/mooc.events" "${small[@]}"
        grow mooc "MOOC" 1
    fi
    learn small "$directory/small.events" --gamma0 auto "${small[@]}"
    grow small "generated, 7,144 nodes" ""
    learn large "$directory/large.events" --gamma0 auto --epochs 2 --threads "$threads"
    grow large "generated, 100,000 nodes" "at most 1.3"
done
