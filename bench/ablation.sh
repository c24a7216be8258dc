#!/bin/bash
# What each part of the default model adds: it is trained with everything and without each part in turn.
#
#   bench/ablation.sh [--seeds N] [--tmp DIRECTORY] [--build DIRECTORY] [--resume RESULTS.json] [NAME...]
#                     [-- TRAIN-OPTIONS...]
#   bench/ablation.sh --markdown RESULTS.json
#
# --seeds     train with the seeds 1 to N [2]
# --resume    go on with these results: what is there is not trained again, and new results are added to the file
# --without   only these parts, a list with commas [all: see below]
# --markdown  print the tables of these results for a page, and nothing else
# NAME        some of uci, bitcoinalpha, enron, mooc [all]
#
# MRR under the paper's protocol, pools any and destination, in the validation and the test part; differences are to the
# whole model, mean over the seeds. Choose by the validation part. Where training without a part went exactly as with it,
# to the last digit of every loss, the option did nothing: that is a fault, not a result, and the table says so. Options
# after -- go to every training. The data is looked for in $SCADYG_DATA. Everything also goes to
# bench/results/ablation-DATE.json, written after every training.
# shellcheck disable=SC2016
set -u
here=$PWD
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh

die() {
    echo "bench/ablation.sh: $1" >&2
    exit "${2:-1}"
}

all=(uci bitcoinalpha enron mooc)
without=nodes,pairs,transitions,walks1,walks2,hypernetwork,multirate,ranking
seeds=2 tmp='' build=build resume='' markdown='' names=() extra=()
while [ $# -gt 0 ]; do
    case $1 in
    --seeds | --without)
        [ $# -ge 2 ] || die "$1 needs a value" 2
        declare "${1#--}=$2"
        shift
        ;;
    --tmp | --build | --resume | --markdown)
        [ $# -ge 2 ] || die "$1 needs a value" 2
        declare "${1#--}=$(cd "$here" && realpath -m -- "$2")"
        shift
        ;;
    uci | bitcoinalpha | enron | mooc) names+=("$1") ;;
    --)
        shift
        extra=("$@")
        break
        ;;
    *)
        sed -n '2,19s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
[[ $seeds =~ ^[1-9][0-9]*$ ]] || die "--seeds takes a number, not '$seeds'" 2
need_packages jq || exit 1

# Input: the results file. For each dataset the scores with all parts and the differences without each.
rows='include "accuracy";
    def value($part; $pool): [.results[] | select(.part == $part and .pool == $pool) | .mrr][0];
    def all($runs): [["validation", "any"], ["validation", "destination"], ["test", "any"], ["test", "destination"]]
        | map(. as [$part, $pool] | [$runs[] | value($part; $pool)] | spread);
    def losses($runs): [$runs[] | {seed: .config.seed, loss: [.epochs[].loss]}] | sort_by(.seed);
    (.runs | group_by(.data_name) | map({key: .[0].data_name, value: .}) | from_entries) as $by
    | .runs | map(.data_name) | unique[] | . as $data | $by[$data] as $runs
    | [$runs[] | select(.config.without == "none")] as $with
    | all($with) as $whole
    | {data: $data, title: $runs[0].title, seeds: ([$runs[].config.seed] | unique),
       lines: [$runs | map(.config.without) | unique | (["none"] + map(select(. != "none")))[] | . as $part
           | [$runs[] | select(.config.without == $part)] as $left
           | all($left) as $scores
           | {part: $part, scores: $scores, idle: ($part != "none" and losses($left) == losses($with)),
              differences: [range(4) | if $scores[.].mean == null or $whole[.].mean == null then null
                  else $scores[.].mean - $whole[.].mean end]}]}'
text="$rows"'
    | "\(.title), training seeds \(.seeds | map(tostring) | join(", ")): MRR, paper protocol",
      (("" | left(24)) + (["validation, any", "validation, dest.", "test, any", "test, dest."] | map(right(20)) | join(""))),
      (.lines[] | . as $l | (if .part == "none" then "whole" else "without \(.part)" end | left(24))
       + ([range(4) | if $l.part == "none" then $l.scores[.] | cell else $l.differences[.] | signed(4) end | right(20)]
          | join("")) + (if .idle then "   NO EFFECT: the option did nothing" else "" end)), ""'
page="$rows"'
    | "| \(.title) | validation, any | validation, destination | test, any | test, destination |", "|---|---|---|---|---|",
      (.lines[] | . as $l | "| \(if .part == "none" then "whole" else "without \(.part)" end)\(if .idle then " (no effect: the option did nothing)" else "" end) | "
       + ([range(4) | if $l.part == "none" then $l.scores[.] | cell else $l.differences[.] | signed(4) end]
          | join(" | ")) + " |"), ""'
if [ -n "$markdown" ]; then
    jq -L bench -r "$page" "$markdown"
    exit
fi

[ ${#names[@]} -gt 0 ] || names=("${all[@]}")
scadyg=$build/scadyg
[ -x "$scadyg" ] || die "$scadyg is not built; run ./test --quick first"
[ -z "$resume" ] || jq -e '.runs' "$resume" >/dev/null || die "$resume has no results"
directory=$(mktemp -d "${tmp:-${TMPDIR:-/tmp}}/scadyg-bench-XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM
commit=$(git describe --always --dirty 2>/dev/null)
results=$resume
if [ -z "$results" ]; then
    mkdir -p bench/results
    results=bench/results/ablation-$(date -u +%Y-%m-%d-%H%M%S).json
    jq -n --arg version "$("$scadyg" --version)" --arg commit "$commit" \
        '{version: $version, commit: $commit, options: $ARGS.positional, runs: []}' --args -- "${extra[@]}" \
        >"$results" || exit 1
fi
jq -e '.options == $ARGS.positional' "$results" --args -- "${extra[@]}" >/dev/null ||
    die "$results is of other options: $(jq -r '.options | join(" ")' "$results")"

# learn PART SEED: trains without a part, judges both parts of the data, and adds that to the results file.
learn() {
    local run=$directory/run.json judged=() pool
    "$scadyg" train --quiet "$directory/x.events" "${options[@]}" "${extra[@]}" --without "$1" --seed "$2" \
        -o "$directory/x.scadyg" --json "$run" || return 1
    for pool in any destination; do
        "$scadyg" eval --quiet --no-heuristics "$directory/x.scadyg" "$directory/x.events" --part validation \
            --protocol paper --pool $pool --json "$directory/$pool.json" || return 1
        judged+=("$directory/$pool.json")
    done
    jq -s --arg name "$name" --arg title "$title" --arg commit "$commit" \
        '.[0] + {data_name: $name, title: $title, commit: $commit, results: (.[0].results + .[1:])}' "$run" \
        "${judged[@]}" >"$run.new" || return 1
    jq --slurpfile run "$run.new" '.runs += $run' "$results" >"$results.new" && mv "$results.new" "$results"
}

failed=0
for name in "${names[@]}"; do
    IFS=$'\t' read -r _ title file line _ < <(awk -F '\t' -v name="$name" '$1 == name' bench/accuracy.tsv)
    read -ra options <<<"$line"
    if [ -z "${SCADYG_DATA:-}" ] || [ ! -f "$SCADYG_DATA/$file" ]; then
        echo "$title: skipped, no data ($file in \$SCADYG_DATA)"
        continue
    fi
    "$scadyg" import --quiet "$SCADYG_DATA/$file" -o "$directory/x.events" || { failed=1; continue; }
    # Seed by seed, so that a run that is stopped has whole tables of fewer seeds.
    for ((seed = 1; seed <= seeds; seed++)); do
        for part in none ${without//,/ }; do
            jq -e --arg name "$name" --arg part "$part" --argjson seed $seed 'any(.runs[]; .data_name == $name
                and .config.without == $part and .config.seed == $seed)' "$results" >/dev/null && continue
            learn "$part" $seed || { echo "$title without $part: failed with seed $seed"; failed=1; }
        done
    done
done
jq -L bench -r "$text" "$results" || failed=1
echo "all figures: $results"
exit $failed
