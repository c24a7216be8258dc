#!/usr/bin/env bash
# Commands keep to --memory: the largest resident size of each, beyond that of the same command on a log of next to nothing (the
# program, its libraries, and the least that it holds, 14 MiB in all), is within it, and that of training within the sum of its
# plan. For many nodes, for pairs that do not meet again, and for users and items with so many edge features that the events
# file is larger than its share.
source "$(dirname "$0")/lib.sh"
[[ -z ${SCADYG_SANITIZE:-} ]] || { echo "a sanitizer has memory of its own"; exit 77; }
command -v python3 >/dev/null || { echo "needs python3"; exit 77; }

mebibyte=$((1 << 20))
slack=$((2 * mebibyte)) # parts of pages, free blocks between those in use

cat >peak.py <<'END'
"""Runs a command; its exit code, and its peak in bytes into the file named first."""
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(code if code >= 0 else 128 - code)
END

# measure ARGUMENTS...: as run; $peak is in bytes.
measure() {
    last="scadyg $*"
    python3 peak.py .peak "$scadyg" "$@" --threads 2 >"$scratch/.out" 2>"$scratch/.err" </dev/null
    exit_code=$?
    peak=$(<.peak)
}

# within BYTES BASE: the latest peak is, beyond that of the same command on next to nothing.
within() {
    check
    local beyond=$((peak - $2))
    printf '%6.1f of %6.1f MiB  %s\n' "$((10 * beyond / mebibyte))e-1" "$((10 * $1 / mebibyte))e-1" "$last"
    ((beyond <= $1 + slack)) || bad "$beyond bytes where $1 are allowed"
}

# least MEMORY ARGUMENTS...: the memory that a refused command says it needs; refusing takes none.
least() {
    local memory=$1
    shift
    measure "$@" --memory "$memory"
    exits 1
    within "$memory" "$base_train"
    needed=$(grep -Eo '(at least|about) [0-9]+ bytes' .err | grep -Eo '[0-9]+')
    check
    [[ -n $needed ]] || bad "it does not say how much is needed" "$(<.err)"
}

few=(--epochs 1 --cases 2100 --train-share 0.9 --validation-share 0.095) # and a short test

# ---- The program itself ----
"$scadyg" generate --events 300 --nodes 20 -q -o tiny.events
measure train tiny.events -o tiny.scadyg -q --epochs 1 --memory 64M
exits 0
base_train=$peak
echo src,dst >tiny.csv
echo 0,1 >>tiny.csv
measure eval tiny.scadyg tiny.events --memory 64M
exits 0
base_eval=$peak
measure rank tiny.scadyg tiny.events --source 0 --memory 64M
exits 0
base_rank=$peak
measure predict tiny.scadyg tiny.events -i tiny.csv --memory 64M
exits 0
base_predict=$peak

# trains LOG MEMORY OPTIONS...: within the memory; without baselines also within the sum of the plan.
trains() {
    local log=$1 memory=$2
    shift 2
    measure train "$log.events" -o "$log.scadyg" "${few[@]}" --memory "$memory" --json - "$@"
    exits 0
    within "$memory" "$base_train"
    planned=$(json '.plan | .node_bytes + .pair_bytes + .vector_bytes + .page_bytes + .evaluation_bytes + .batch_bytes')
    check
    ((planned <= memory)) || bad "the parts of the plan are $planned, more than $memory"
}
plans() {
    trains "$@" --no-eval --no-fallback
    within "$planned" "$base_train"
}

# answers LOG SOURCE MEMORY: whoever asks a model stays within the memory, and one that is too small is refused.
answers() {
    local log=$1 source=$2 memory=$3
    measure rank "$log.scadyg" "$log.events" --source "$source" --memory "$memory"
    exits 0
    within "$memory" "$base_rank"
    expect "a state is kept" test -s "$log.state"
    measure rank "$log.scadyg" "$log.events" --source "$source" --memory "$memory" --exact
    exits 0
    within "$memory" "$base_rank"
    measure predict "$log.scadyg" "$log.events" -i "$log.pairs" --memory "$memory"
    exits 0
    within "$memory" "$base_predict"
    least 1000000 eval "$log.scadyg" "$log.events" --queries 300
    least "$needed" eval "$log.scadyg" "$log.events" --queries 300 # enough for the model alone
    measure eval "$log.scadyg" "$log.events" --queries 300 --memory "$needed"
    exits 0
    within "$needed" "$base_eval"
}

# ---- Many nodes, few that meet again ----
"$scadyg" generate --events 100000 --nodes 60000 --again 0.1 -q -o many.events
{
    echo src,dst
    "$scadyg" export many.events -o many.csv -q && awk -F, 'NR > 1 && NR % 9 == 0 { print $1 "," $2 }' many.csv
} >many.pairs
least 1000000 train many.events -o many.scadyg
plans many "$((needed + needed / 2))" --vectors on
trains many "$needed" --vectors off
answers many 1 "$needed"

# ---- Pairs that do not meet again: all that is for them is used ----
awk 'BEGIN { srand(1); for (i = 0; i < 250000; i++) printf "%d,%d,%d\n", 3000 * rand(), 3000 * rand(), i }' >pairs.csv
run import pairs.csv -q --columns src,dst,time --one-kind -o pairs.events
exits 0
least 1000000 train pairs.events -o pairs.scadyg
plans pairs "$((needed + needed / 8))" --vectors off

# ---- Users and items, with features ----
awk 'BEGIN {
    srand(1)
    columns = 200
    printf "user,item,time"
    for (k = 1; k <= columns; k++) printf ",f%d", k
    print ""
    for (i = 0; i < 100; i++) for (k = 1; k <= columns; k++) tail[i] = tail[i] "," int(9 * rand())
    for (i = 0; i < 100000; i++) printf "u%d,i%d,%d%s\n", 3000 * rand() ^ 2, 500 * rand() ^ 2, i, tail[int(100 * rand())]
}' >shop.csv
run import shop.csv -q --bipartite -o shop.events
exits 0
awk -F, 'BEGIN { print "user,item" } NR > 1 && NR % 9 == 0 { print $1 "," $2 }' shop.csv >shop.pairs
rm shop.csv
least 1000000 train shop.events -o shop.scadyg
check
(($(stat -c %s shop.events) > needed / 4)) || bad "the file is not larger than its share of $needed"
plans shop "$needed" --stepwise --steps 200
trains shop "$needed" --vectors off
answers shop u1 "$needed"
measure eval shop.scadyg shop.events --queries 300 --memory 150M # with all baselines that fit
exits 0
within "$((150 * mebibyte))" "$base_eval"

done_testing
