#!/bin/bash
# The results table: models trained on real data and judged beside the heuristics, the goals and what others published.
#
#   bench/accuracy.sh [--seeds N] [--tmp DIRECTORY] [--build DIRECTORY] [--resume RESULTS.json] [NAME...]
#                     [-- TRAIN-OPTIONS...]
#   bench/accuracy.sh --markdown RESULTS.json
#
# --seeds     train with the seeds 1 to N; the tables have mean and standard deviation over them [5]
# --tmp       where the files go [a new directory in $TMPDIR or /tmp]
# --resume    go on with these results: what is there is not trained again, and new results are added to the file
# --paper     the models with the paper's settings instead of the default model
# --list      print the names
# --markdown  print the tables of these results for a page, and nothing else
# NAME        some of the names of --list; paper:mooc and the like have the paper's settings [all of the default model]
#
# bench/accuracy.tsv says which file and which options each name stands for, bench/goals.tsv what its results are put
# beside. Options after -- go to every training, for instance -- --threads 1. The data is looked for in $SCADYG_DATA; what
# is not there is skipped. Everything also goes to bench/results/accuracy-DATE.json, which is written anew after every
# training, so that nothing is lost when a run is stopped.
# shellcheck disable=SC2016
set -u
here=$PWD
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh

usage() {
    sed -n '2,20s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
die() {
    echo "bench/accuracy.sh: $1" >&2
    exit "${2:-1}"
}

paper_all=(paper:mooc paper:uci paper:bitcoinalpha paper:trade paper:trade-yearly paper:enron-slow paper:enron)
mapfile -t default_all < <(sed '/^#/d' bench/accuracy.tsv | cut -f 1)
seeds=5 tmp='' build=build resume='' markdown='' paper='' names=() extra=()
while [ $# -gt 0 ]; do
    case $1 in
    --seeds)
        seeds=${2:-}
        shift
        ;;
    --tmp | --build | --resume | --markdown)
        [ $# -ge 2 ] || die "$1 needs a value" 2
        declare "${1#--}=$(cd "$here" && realpath -m -- "$2")"
        shift
        ;;
    --paper) paper=1 ;;
    --list)
        printf '%s\n' "${default_all[@]}" "${paper_all[@]}"
        exit 0
        ;;
    --)
        shift
        extra=("$@")
        break
        ;;
    -*) usage ;;
    *)
        [[ " ${default_all[*]} ${paper_all[*]} " == *" $1 "* ]] || die "there is no '$1'; --list has the names" 2
        names+=("$1")
        ;;
    esac
    shift
done
need_packages jq || exit 1
from_jq() { jq -L bench --rawfile goals bench/goals.tsv "$@"; }
if [ -n "$markdown" ]; then
    from_jq -r 'include "accuracy"; markdown($goals | goals)' "$markdown"
    exit
fi
[[ $seeds =~ ^[1-9][0-9]*$ ]] || die "--seeds takes a number, not '$seeds'" 2
if [ ${#names[@]} -eq 0 ]; then
    names=("${default_all[@]}")
    [ -z "$paper" ] || names=("${paper_all[@]}")
fi
scadyg=$build/scadyg
[ -x "$scadyg" ] || die "$scadyg is not built; run ./test --quick first"
[ -z "$resume" ] || jq -e '.datasets' "$resume" >/dev/null || die "$resume has no results"
directory=$(mktemp -d "${tmp:-${TMPDIR:-/tmp}}/scadyg-bench-XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM

# describe NAME: sets title, file, options of train, options of one more evaluation (also), and the paper's figure.
describe() {
    options=() also=() figure=null note=''
    case $1 in
    paper:mooc) title=MOOC file=mooc/mooc_edges.csv.gz figure=0.931 ;;
    paper:uci) title=UCI file=uci/CollegeMsg.txt.gz figure=0.534 ;;
    paper:bitcoinalpha) title=BitcoinAlpha file=bitcoinalpha/soc-sign-bitcoinalpha.csv.gz figure=0.597 ;;
    paper:enron*) title=Enron file=enron/ml_enron.csv.gz figure=0.481 ;;
    paper:trade*)
        title="COW trade" file=trade/cow_trade_edgelist.csv.gz figure=0.631
        note="for tgbn-trade, which is other data"
        ;;
    *)
        local line
        line=$(awk -F '\t' -v name="$1" '$1 == name' bench/accuracy.tsv)
        IFS=$'\t' read -r _ title file line more <<<"$line"
        [ "$line" = - ] || read -ra options <<<"$line"
        [ "$more" = - ] || read -ra also <<<"$more"
        ;;
    esac
    case $1 in
    paper:enron-slow) options=(--preset paper:enron --lr 0.001) ;;
    paper:trade-yearly) title="COW trade, yearly steps" options=(--preset paper:trade --steps 145) ;;
    paper:*) options=(--preset "$1") ;;
    esac
    [[ $1 != paper:* ]] || title="$title (paper's settings)"
    options+=("${extra[@]}")
}

# learn SEED: one training with all its results, into $directory/run.json.
learn() {
    local run=$directory/run.json
    "$scadyg" train --quiet "$directory/x.events" "${options[@]}" --seed "$1" -o "$directory/x.scadyg" \
        --json "$run" || return 1
    if [ ${#also[@]} -gt 0 ]; then
        "$scadyg" eval --quiet "$directory/x.scadyg" "$directory/x.events" "${also[@]}" \
            --json "$directory/also.json" || return 1
        jq --slurpfile also "$directory/also.json" '.results += $also' "$run" >"$run.new" && mv "$run.new" "$run" ||
            return 1
    fi
    jq --arg commit "$commit" '.commit = $commit' "$run" >"$run.new" && mv "$run.new" "$run"
}

# keep NAME: joins $directory/run.json to the runs of NAME and writes the results file.
keep() {
    local join='include "accuracy";
        ([.datasets[] | select(.name == $name) | .runs[]] + $run | summary) as $new
        | ({name: $name, title: $title, file: $file, options: $ARGS.positional,
            paper: (if $figure then {figure: $figure, note: (if $note == "" then null else $note end)} else null end)}
           + $new) as $entry
        | if any(.datasets[]; .name == $name) then .datasets |= map(if .name == $name then $entry else . end)
          else .datasets += [$entry] end'
    jq -L bench --arg name "$1" --arg title "$title" --arg file "$file" --argjson figure "$figure" --arg note "$note" \
        --slurpfile run "$directory/run.json" "$join" "$results" --args -- "${options[@]}" >"$results.new" &&
        mv "$results.new" "$results"
}

# known NAME: the seeds that the results file has of NAME; fails if they are of other options.
known() {
    jq -r --arg name "$1" '.datasets[] | select(.name == $name)
        | if .options == $ARGS.positional then .seeds[] else "other: \(.options | join(" "))" end' "$results" \
        --args -- "${options[@]}"
}

commit=$(git describe --always --dirty 2>/dev/null)
results=$resume
if [ -z "$results" ]; then
    mkdir -p bench/results
    results=bench/results/accuracy-$(date -u +%Y-%m-%d-%H%M%S).json
    jq -n --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --arg version "$("$scadyg" --version)" --arg commit "$commit" \
        --argjson threads "$(nproc)" \
        '{date: $date, version: $version, commit: $commit, threads: $threads, datasets: []}' >"$results" || exit 1
fi
failed=0
for name in "${names[@]}"; do
    describe "$name"
    [ "$name" = "${names[0]}" ] || echo
    if [ -z "${SCADYG_DATA:-}" ] || [ ! -f "$SCADYG_DATA/$file" ]; then
        echo "$title ($name): skipped, no data ($file in \$SCADYG_DATA)"
        continue
    fi
    have=$(known "$name") || exit 1
    case $have in other:*) die "$results has $name with other options:${have#other:}" ;; esac
    imported=''
    for ((seed = 1; seed <= seeds; seed++)); do
        [[ " ${have//$'\n'/ } " == *" $seed "* ]] && continue
        if [ -z "$imported" ]; then
            "$scadyg" import --quiet "$SCADYG_DATA/$file" -o "$directory/x.events" || { failed=1; break; }
            imported=1
        fi
        if ! learn $seed || ! keep "$name"; then
            echo "$title ($name): failed with seed $seed"
            failed=1
        fi
    done
    jq -L bench -r --arg name "$name" 'include "accuracy"; .datasets[] | select(.name == $name) | table' "$results" ||
        failed=1
done
echo
from_jq -r 'include "accuracy"; overview($goals | goals)' "$results" || failed=1
printf '\nall figures: %s\n' "$results"
exit $failed
