#!/bin/bash
# Real data: a stranger's way with UCI's raw file, and figures that are known from elsewhere. $1: the scadyg binary.
# Without $SCADYG_DATA: "skipped, no data" and exit code 77.
set -u
scadyg=$1
if [ -z "${SCADYG_DATA:-}" ] || [ ! -e "$SCADYG_DATA/uci/CollegeMsg.txt.gz" ]; then
    echo "skipped, no data"
    exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# between NAME LEAST VALUE MOST
between() {
    if awk -v a="$2" -v x="$3" -v b="$4" 'BEGIN { exit !(x + 0 >= a && x + 0 <= b) }'; then
        echo "ok      $1: $3"
    else
        echo "FAILED  $1: $3 is not between $2 and $4"
        failures=$((failures + 1))
    fi
}

must() {
    "$@" && return
    echo "FAILED  $*"
    failures=$((failures + 1))
}

# UCI as it is published: trained, killed, gone on with, evaluated by every protocol, asked.
cp "$SCADYG_DATA/uci/CollegeMsg.txt.gz" .
log=CollegeMsg.txt.gz
options=(--model scadyg-paper --preset uci --epochs 12 --threads 1)
must "$scadyg" train -q $log "${options[@]}" -o whole.scadyg
"$scadyg" train -q $log "${options[@]}" -o uci.scadyg &
sleep 0.2
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
must "$scadyg" train -q $log "${options[@]:0:${#options[@]} - 1}" 2 -o uci.scadyg --resume
must cmp whole.scadyg uci.scadyg
must "$scadyg" eval uci.scadyg $log --seeds 2 --json uci.json >/dev/null
between "UCI, MRR of the model" .48 "$(jq .mrr.mean uci.json)" .56
between "UCI, MRR of pair-recency" .79 "$(jq '.baselines["pair-recency"].mrr.mean' uci.json)" .82
for protocol in tgb-link dyglib; do
    must "$scadyg" eval uci.scadyg $log --protocol $protocol --no-baselines --json $protocol.json >/dev/null 2>&1
done
between "UCI, tgb-link, MRR" .01 "$(jq .mrr tgb-link.json)" .9
between "UCI, dyglib, AP" .5 "$(jq .ap dyglib.json)" 1
between "UCI, events trained on under dyglib" 1000 "$(jq .left_out dyglib.json)" 9000
must "$scadyg" rank uci.scadyg $log --source 9 --json >rank.json
between "UCI, partners of node 9" 10 "$(jq '.ranking | length' rank.json)" 10

# MOOC: what popularity alone reaches depends on the pool.
mooc=$SCADYG_DATA/mooc/mooc_edges.csv.gz
if [ -e "$mooc" ]; then
    must "$scadyg" import -q "$mooc" -o mooc.events
    must "$scadyg" train -q mooc.events --model scadyg-paper --preset mooc --epochs 4 -o mooc.scadyg --json mooc.json
    between "MOOC, MRR of the model, any" .90 "$(jq '.results[1].mrr' mooc.json)" .96
    between "MOOC, MRR of popularity, any" .92 "$(jq '.results[1].baselines.popularity.mrr' mooc.json)" .94
    between "MOOC, MRR of popularity, destination" .37 "$(jq '.results[0].baselines.popularity.mrr' mooc.json)" .41
    between "MOOC, MRR of markov, destination" .66 "$(jq '.results[0].baselines.markov.mrr' mooc.json)" .70
    between "MOOC, peak memory in MB" 1 "$(jq '.peak_memory_bytes / 1e6' mooc.json)" 150
fi
exit $((failures > 0))
