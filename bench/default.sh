#!/bin/bash
# The default model: how fast it learns and is evaluated, and what memory it takes beside what it planned.
#
#   bench/default.sh [--threads N] [--events N] [--nodes N] [--epochs N] [--memory SIZE] [--tmp DIRECTORY]
#                    [--build DIRECTORY] [PART...] [-- TRAIN-OPTIONS...]
#
# TRAIN-OPTIONS take the place of those that a part has by itself.
#
# PART       some of these [all]
#              learn    MOOC and UCI to the end: events/s in an epoch, time to the best model
#              evaluate pairs scored per second under each protocol, with these models (bench_evaluate)
#              rank     all destinations of wiki-talk for a source, and those retrieved (bench_rank)
#              large    wiki-talk and a generated graph within --memory: events/s, peak memory beside the plan
# --threads  for training and evaluating [2]
# --events, --nodes  of the generated graph [63,500,000 and 2,600,000]
# --epochs   of the large graphs [1]
# --memory   of the large graphs [4G]
# --tmp      where the files go, about 20 bytes an event [a new directory in $TMPDIR or /tmp]
#
# Real data is looked for in $SCADYG_DATA; what is not there is skipped, and said to be. The tables also go to
# bench/results/default-DATE.txt, what train says to default-DATE.json beside it.
# shellcheck disable=SC2016
set -u
here=$PWD
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
. bench/options.sh

die() {
    echo "bench/default.sh: $1" >&2
    exit "${2:-1}"
}

threads=2 events=63500000 nodes=2600000 epochs=1 memory=4G tmp='' build=build parts=() extra=()
while [ $# -gt 0 ]; do
    case $1 in
    --threads | --events | --nodes | --epochs)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || die "$1 takes a number, not '${2:-}'" 2
        declare "${1#--}=$2"
        shift
        ;;
    --memory)
        memory=${2:-}
        shift
        ;;
    --tmp | --build)
        [ $# -ge 2 ] || die "$1 needs a value" 2
        declare "${1#--}=$(cd "$here" && realpath -m -- "$2")"
        shift
        ;;
    learn | evaluate | rank | large) parts+=("$1") ;;
    --)
        shift
        extra=("$@")
        break
        ;;
    *)
        sed -n '2,21s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
[ ${#parts[@]} -gt 0 ] || parts=(learn evaluate rank large)
need_packages jq || exit 1
scadyg=$build/scadyg
for program in scadyg bench/bench_rank bench/bench_evaluate; do
    [ -x "$build/$program" ] || die "$build/$program is not built; run ./test --quick first"
done
directory=$(mktemp -d "${tmp:-${TMPDIR:-/tmp}}/scadyg-bench-XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM
mkdir -p bench/results
results=bench/results/default-$(date -u +%Y-%m-%d-%H%M%S)
echo '[]' >"$results.json"

wanted() { [[ " ${parts[*]} " == *" $1 "* ]]; }

# ready NAME FILE: NAME.events is there, imported from FILE of the data; says if it is not.
ready() {
    [ ! -f "$directory/$1.events" ] || return 0
    if [ -z "${SCADYG_DATA:-}" ] || [ ! -f "$SCADYG_DATA/$2" ]; then
        echo "$1: skipped, no data ($2 in \$SCADYG_DATA)"
        return 1
    fi
    "$scadyg" import --quiet "$SCADYG_DATA/$2" -o "$directory/$1.events"
}

# learn NAME OPTIONS...: trains on NAME.events into NAME.scadyg and NAME.json.
learn() {
    local name=$1
    shift
    settle --threads "$threads" "$@" -- "${extra[@]}"
    "$scadyg" train --quiet "$directory/$name.events" "${settled[@]}" \
        -o "$directory/$name.scadyg" --json "$directory/$name.json" || { echo "$name: failed"; return 1; }
    jq --slurpfile run "$directory/$name.json" --arg name "$name" '. += [$run[0] + {name: $name}]' "$results.json" \
        >"$results.new" && mv "$results.new" "$results.json"
}

# row NAME WANTED: the line of a training; `base` is the rate that others are compared with.
base=null
row() {
    jq -L bench -r --arg name "$1" --arg wanted "$2" --argjson base "$base" 'include "text";
        ([.epochs[].events_per_second] | median) as $rate
        | ($name | left(14)) + (.data.events / 1e6 | fixed(2) | right(9)) + ($rate | round | tostring | right(11))
          + (if $base then $base / $rate | fixed(2) else "-" end | right(8))
          + ([.epochs[].seconds] | median | fixed(2) | right(9)) + (.epochs | length | tostring | right(8))
          + (seconds_to_best | fixed(1) | right(10)) + (seconds_of_training | fixed(1) | right(10))
          + (.peak_memory_bytes / 1e6 | round | tostring | right(9))
          + (if .plan then .plan.node_bytes / 1e6 | round | tostring else "-" end | right(10))
          + (if .plan then .plan.pair_bytes / 1e6 | round | tostring else "-" end | right(11))
          + "   " + $wanted' "$directory/$1.json"
}
head_line() {
    printf '%-14s%9s%11s%8s%9s%8s%10s%10s%9s%10s%11s   %s\n' data "M events" events/s slower "s/epoch" epochs \
        "to best,s" "to end,s" "peak,MB" "nodes,MB" "pairs<=,MB" wanted
}
rate_of() { jq -L bench 'include "text"; [.epochs[].events_per_second] | median' "$directory/$1.json"; }

# small: MOOC and UCI, trained once for all parts.
small_done=''
small() {
    [ -z "$small_done" ] || return 0
    small_done=1
    if ready mooc mooc/mooc.csv.gz; then learn mooc --steps 100 --step-rule equal-count; fi
    if ready uci uci/CollegeMsg.txt.gz; then learn uci --steps 273; fi
}

part_learn() {
    small
    echo "learning, threads: $threads; nodes and pairs as the plan before training has them"
    head_line
    [ ! -f "$directory/mooc.json" ] || row mooc "120,000 events/s; best model in 60 s"
    [ ! -f "$directory/uci.json" ] || row uci "120,000 events/s; best model in 20 s"
}

part_evaluate() {
    small
    for name in mooc uci; do
        [ -f "$directory/$name.scadyg" ] || continue
        "$build/bench/bench_evaluate" "$directory/$name.scadyg" "$directory/$name.events" --threads "$threads" --rounds 1
    done
}

talk=wiki-talk/wiki-talk-temporal-to-2006-10.txt.gz
large_options=(--memory "$memory" --epochs "$epochs")
talk_known() {
    [ -f "$directory/wiki-talk.json" ] || { ready wiki-talk "$talk" && learn wiki-talk "${large_options[@]}"; }
}

part_rank() {
    talk_known && "$build/bench/bench_rank" "$directory/wiki-talk.scadyg" "$directory/wiki-talk.events" \
        --threads "$threads"
}

part_large() {
    echo "learning within --memory $memory, threads: $threads, epochs: $epochs. Peak memory has the pages of the events" \
        "file too, as far as they were read; slower is beside MOOC"
    if [ ! -f "$directory/mooc.json" ] && ready mooc mooc/mooc.csv.gz; then
        learn mooc --steps 100 --step-rule equal-count --epochs 3
    fi
    [ ! -f "$directory/mooc.json" ] || base=$(rate_of mooc)
    head_line
    [ ! -f "$directory/mooc.json" ] || row mooc ""
    talk_known && row wiki-talk "peak within $memory"
    "$scadyg" generate --quiet --events "$events" --nodes "$nodes" -o "$directory/generated.events" || return 1
    echo "(generated: $nodes nodes, file of $(($(stat -c %s "$directory/generated.events") / 1000000)) MB)"
    learn generated "${large_options[@]}" && row generated "peak within $memory; at most 1.5 slower"
    rm -f "$directory/generated.events"
}

all() {
    for part in learn evaluate rank large; do
        wanted $part || continue
        "part_$part"
        echo
    done
    echo "all figures: $results.txt, $results.json"
}
all > >(tee "$results.txt")
