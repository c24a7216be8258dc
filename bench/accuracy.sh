#!/bin/bash
# The results table: models trained with the paper's settings on real data, judged beside the heuristics.
#
#   bench/accuracy.sh [--seeds N] [--tmp DIRECTORY] [--build DIRECTORY] [NAME...] [-- TRAIN-OPTIONS...]
#
# --seeds  train with the seeds 1 to N; the tables have mean and standard deviation over them [5]
# --tmp    where the files go [a new directory in $TMPDIR or /tmp]
# NAME     some of mooc, uci, bitcoinalpha, enron, enron-slow (with --lr 0.001), trade, trade-yearly [all]
#
# Options after -- go to every training, for instance -- --normalise log. The data is looked for in $SCADYG_DATA; what
# is not there is skipped. Everything also goes to bench/results/accuracy-DATE.json.
set -u
cd "$(dirname "$0")/.." || exit 1
all=(mooc uci bitcoinalpha trade trade-yearly enron-slow enron)
seeds=5 tmp='' build=build names=() extra=()
while [ $# -gt 0 ]; do
    case $1 in
    --seeds | --tmp | --build)
        [ $# -ge 2 ] || { echo "bench/accuracy.sh: $1 needs a value" >&2; exit 2; }
        declare "${1#--}=$2"
        shift
        ;;
    --)
        shift
        extra=("$@")
        break
        ;;
    mooc | uci | bitcoinalpha | enron | enron-slow | trade | trade-yearly) names+=("$1") ;;
    *)
        sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    esac
    shift
done
[[ $seeds =~ ^[1-9][0-9]*$ ]] || { echo "bench/accuracy.sh: --seeds takes a number, not '$seeds'" >&2; exit 2; }
[ ${#names[@]} -gt 0 ] || names=("${all[@]}")
. scripts/packages.sh
need_packages jq || exit 1
scadyg=$build/scadyg
[ -x "$scadyg" ] || { echo "$scadyg is not built; run ./test --quick first" >&2; exit 1; }
directory=$(mktemp -d "${tmp:-${TMPDIR:-/tmp}}/scadyg-bench-XXXXXX") || exit 1
trap 'rm -rf "$directory"' EXIT
trap 'exit 130' INT TERM

# describe NAME: sets title, file, preset, options and the paper's figure.
describe() {
    options=() note=''
    case $1 in
    mooc) title=MOOC file=mooc/mooc_edges.csv.gz paper=0.931 ;;
    uci) title=UCI file=uci/CollegeMsg.txt.gz paper=0.534 ;;
    bitcoinalpha) title=BitcoinAlpha file=bitcoinalpha/soc-sign-bitcoinalpha.csv.gz paper=0.597 ;;
    enron*) title=Enron file=enron/ml_enron.csv.gz paper=0.481 ;;
    trade*)
        title="COW trade" file=trade/cow_trade_edgelist.csv.gz paper=0.631
        note="for tgbn-trade, which is other data"
        ;;
    esac
    preset=paper:${1%-*}
    if [ "$1" = enron-slow ]; then
        options=(--lr 0.001)
    fi
    if [ "$1" = trade-yearly ]; then
        title="COW trade, yearly steps" options=(--steps 145)
    fi
}

# What the runs of one dataset say together. Input: an array of what train --json writes, one per seed.
# shellcheck disable=SC2016
summary='
def mean: if length == 0 or any(. == null) then null else add / length end;
def std: mean as $m | if $m == null or length < 2 then null
    else (map((. - $m) * (. - $m)) | add / (length - 1) | sqrt) end;
def spread: {mean: mean, std: std};
def scores: ["mrr", "hits@1", "hits@3", "hits@10", "ap", "auc", "ndcg@10"];
. as $runs
| {name: $name, title: $title, file: $file, preset: $preset, options: $ARGS.positional,
   paper: {figure: $paper, note: (if $note == "" then null else $note end)},
   seeds: [.[].config.seed],
   train_seconds: ([.[] | (.prepare_seconds // 0) + ([.epochs[] | .seconds + .evaluation_seconds] | add // 0)]
       | spread),
   epochs: ([.[].epochs | length] | spread),
   peak_memory_bytes: ([.[].peak_memory_bytes] | max),
   results: [range(.[0].results | length) as $i | .[0].results[$i] as $first | [$runs[].results[$i]] as $all
       | {protocol: $first.protocol, pool: $first.pool, part: $first.part, negatives: $first.negatives,
          draws: $first.seeds, first_draw: $first.first_seed, queries: $first.queries,
          model: (reduce scores[] as $s ({}; .[$s] = ([$all[][$s]] | spread))),
          heuristics: (reduce ($first.heuristics | keys_unsorted[]) as $h ({};
              .[$h] = (reduce scores[] as $s ({}; .[$s] = ([$all[].heuristics[$h][$s]] | mean)))))}],
   runs: $runs}'

# The table of one dataset, from the summary.
# shellcheck disable=SC2016
table='
def fixed($digits): if . == null then "-" else
    (pow(10; $digits)) as $p | ((. * $p | round | tostring) | if startswith("-") then ["-", .[1:]] else ["", .] end)
    | .[0] as $sign | .[1] | (if length <= $digits then ("0" * ($digits + 1 - length)) + . else . end)
    | $sign + .[:-$digits] + "." + .[-$digits:] end;
def left($n): . + " " * ([$n - length, 0] | max);
def right($n): " " * ([$n - length, 0] | max) + .;
def cell: (.mean | fixed(4)) + (if .std == null then "" else " ± " + (.std | fixed(4)) end);
. as $d
| (.results | map({key: .pool, value: .}) | from_entries) as $by
| (if .results[0].protocol == "tgb-node" then [["NDCG@10", .results[0], "ndcg@10"]]
   else [["MRR (any)", $by.any, "mrr"], ["MRR (destination)", $by.destination, "mrr"],
         ["AP (any)", $by.any, "ap"], ["AUC (any)", $by.any, "auc"]] end) as $columns
| "\(.title): preset \(.preset)\(if .options | length > 0 then ", with " + (.options | join(" ")) else "" end)",
  (.results[] | "  \(.protocol) protocol, \(.part) part, pool \(.pool), negatives: \(.negatives), \(.queries) queries"
      + (if .pool == "none" then "" else ", draw \(.first_draw) of the negatives for every seed" end)),
  ("  training seeds: \(.seeds | map(tostring) | join(", "))"
   + (if .seeds | length > 1 then "; mean ± standard deviation over them" else "" end)),
  "",
  ("  " + ("" | left(22)) + ($columns | map(.[0] | right(19)) | join(""))),
  ("  " + ("scadyg" | left(22)) + ($columns | map(.[1].model[.[2]] | cell | right(19)) | join(""))),
  (.results[0].heuristics | keys_unsorted[] | . as $h
   | "  " + ($h | left(22)) + ($columns | map({mean: .[1].heuristics[$h][.[2]]} | cell | right(19)) | join(""))),
  ("  " + ("the paper says" | left(22)) + (.paper.figure | fixed(3) | right(19))
   + (if .paper.note then "  (\(.paper.note))" else "" end)),
  "",
  ("  training: \(.train_seconds.mean | fixed(2)) s a seed, with validation; \(.epochs.mean | fixed(1)) epochs; "
   + "peak memory \(.peak_memory_bytes / 1e6 | fixed(1)) MB")'

mkdir -p bench/results
results=bench/results/accuracy-$(date -u +%Y-%m-%d-%H%M%S).json
failed=0 done=()
for name in "${names[@]}"; do
    describe "$name"
    [ "$name" = "${names[0]}" ] || echo
    if [ -z "${SCADYG_DATA:-}" ] || [ ! -f "$SCADYG_DATA/$file" ]; then
        echo "$title: skipped, no data ($file in \$SCADYG_DATA)"
        continue
    fi
    options+=("${extra[@]}")
    "$scadyg" import --quiet "$SCADYG_DATA/$file" -o "$directory/x.events" || { failed=1; continue; }
    runs=()
    for ((seed = 1; seed <= seeds; seed++)); do
        run=$directory/$name-$seed.json
        "$scadyg" train --quiet "$directory/x.events" --preset "$preset" "${options[@]}" --seed $seed \
            -o "$directory/x.scadyg" --json "$run" || { failed=1; continue; }
        runs+=("$run")
    done
    if [ ${#runs[@]} -lt "$seeds" ]; then
        echo "$title: failed, $((seeds - ${#runs[@]})) of $seeds seeds"
        continue
    fi
    if ! jq -s --arg name "$name" --arg title "$title" --arg file "$file" --arg preset "$preset" --arg note "$note" \
        --argjson paper "$paper" "$summary" "${runs[@]}" --args -- "${options[@]}" >"$directory/$name.json" ||
        ! jq -r "$table" "$directory/$name.json"; then
        failed=1
        continue
    fi
    done+=("$directory/$name.json")
done
[ ${#done[@]} -gt 0 ] || exit $failed
jq -s --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" --arg version "$("$scadyg" --version)" \
    --arg commit "$(git rev-parse --short HEAD 2>/dev/null)" --argjson threads "$(nproc)" \
    '{date: $date, version: $version, commit: $commit, threads: $threads, datasets: .}' "${done[@]}" >"$results" ||
    exit 1
printf '\nall figures: %s\n' "$results"
exit $failed
