#!/bin/bash
# The charts of docs/performance.md: how seconds and memory grow with the events, and how soon a good model is there.
#
#   bench/performance.sh [--seeds N] [--threads N]
#
# `study efficiency` and `study convergence` on UCI and MOOC from $SCADYG_DATA, into bench/results/performance-NAME; the charts
# are copied to docs/charts/. What was measured is kept: remove the folders to measure anew. Nothing else should run meanwhile.
set -u
cd "$(dirname "$0")/.." || exit 1
. bench/options.sh
seeds=3 threads=2
while [ $# -gt 0 ]; do
    case $1 in
    --seeds | --threads)
        [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "bench/performance.sh: $1 takes a number" >&2; exit 2; }
        declare "${1#--}=$2"
        shift
        ;;
    *)
        sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
scadyg=build/scadyg results=bench/results
[ -x "$scadyg" ] || { echo "bench/performance.sh: $scadyg is not built; run ./test --quick first" >&2; exit 1; }
mkdir -p "$results" docs/charts

both() { # NAME FILE OPTIONS...
    local name=$1 file=${SCADYG_DATA:-}/$2 chart
    shift 2
    [ -f "$file" ] || { echo "$name: skipped, no data ($file)"; return; }
    [ -f "$results/$name.events" ] || "$scadyg" import --quiet "$file" -o "$results/$name.events" || exit 1
    # Steps of equal counts, so that the training part is the same share of every part of the events.
    settle --step-rule equal-count -- "$@"
    "$scadyg" study efficiency "$results/$name.events" -o "$results/performance-efficiency-$name" --seeds "$seeds" \
        --threads "$threads" "${settled[@]}" || exit 1
    "$scadyg" study convergence "$results/$name.events" -o "$results/performance-convergence-$name" --seeds "$seeds" \
        --threads "$threads" "$@" || exit 1
    for chart in train_seconds peak_memory_mib; do
        cp "$results/performance-efficiency-$name/charts/$chart.svg" "docs/charts/$name-$chart.svg" || exit 1
    done
    cp "$results/performance-convergence-$name/charts/convergence.svg" "docs/charts/$name-convergence.svg" || exit 1
}
both uci uci/CollegeMsg.txt.gz --models scadyg,scadyg-paper:uci --stepwise --steps 273
both mooc mooc/mooc.csv.gz --models scadyg,scadyg-paper:mooc --stepwise --steps 100 --step-rule equal-count
