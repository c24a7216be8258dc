#!/bin/bash
# Kills training, or a search over options, at random moments and goes on with --resume, again and again, until it is
# through: the model and the journal have the same bytes as if never interrupted, and nothing else is left.
#
#   resume.sh SCADYG [KILLS]
#
# With SCADYG_TEST_LONG=1 for a long time.
set -u
((${SCADYG_TEST_LONG:-0})) && usual=60 || usual=12
scadyg=$1 kills=${2:-$usual}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1

fail() {
    echo "$*" >&2
    ls -la . >&2
    exit 1
}

"$scadyg" generate --quiet --events 1000 --nodes 40 --seed 5 -o g.events || fail "no graph"

# What a training goes on from: the beginning of the log.
"$scadyg" export --quiet g.events -o g.csv && head -n 701 g.csv >begin.csv || fail "no log"
for task in link affinity; do
    "$scadyg" train --quiet begin.csv --steps 20 --epochs 2 --batch 32 --threads 1 --hidden 8 --task $task -o $task.scadyg ||
        fail "nothing to go on from"
done

killed=0 continued=0 finished=0
# go_through COMMAND OPTIONS...: makes a model whole, then in pieces.
go_through() {
    local command=$1 begin whole delay code left
    shift
    local run=("$scadyg" "$command" --quiet g.events --steps 20 --epochs 12 --patience 12 --batch 32 --threads 1 "$@")
    begin=$(date +%s%N)
    "${run[@]}" -o whole.scadyg || fail "the training fails by itself"
    whole=$(($(date +%s%N) - begin))
    left=$(find . -name 'whole.scadyg*.checkpoint' -o -name '*.trial-*' | wc -l)
    ((left == 0)) || fail "a checkpoint is left"
    mkdir work
    while :; do
        # Up to two thirds of a whole run: most go through in a few pieces.
        delay=$(awk -v n="$whole" -v r=$RANDOM 'BEGIN { printf "%.4f", 0.001 + r / 32767 * 0.67 * n / 1e9 }')
        [[ -e work/m.scadyg.checkpoint || -e work/m.scadyg.refit.checkpoint || -e work/m.scadyg.journal ]] && continued=$((continued + 1))
        # In a subshell, so that the shell's own notice of the death goes the same way.
        (timeout --preserve-status -s KILL "$delay" "${run[@]}" -o work/m.scadyg --resume; exit $?) 2>message
        code=$?
        ((code == 0)) && break
        ((code == 137)) || fail "exit code $code: $(cat message)"
        killed=$((killed + 1))
    done
    cmp whole.scadyg work/m.scadyg || fail "resumed, the model is another one ($command $*)"
    [[ $command == train ]] || cmp whole.scadyg.journal work/m.scadyg.journal || fail "the journal is another one ($*)"
    # A kill may leave a file without its name yet, where the system has no unnamed files.
    left=$(find work -type f ! -name m.scadyg ! -name m.scadyg.journal ! -name '*.tmp' | wc -l)
    ((left == 0)) || fail "something is left"
    rm -r work whole.scadyg*
    finished=$((finished + 1))
}

round=0
while ((killed < kills || round < 11)); do
    round=$((round + 1))
    ((round <= 11 + kills)) || fail "too few kills hit: $killed in $round rounds"
    case $((round % 11)) in
    0) go_through train --task affinity --seed $round ;;
    1) go_through train --model scadyg-paper --seed $round ;;
    2) go_through train --model scadyg-paper --seed $round --no-stepwise ;;
    3) go_through tune --trials 6 --search-seed $round --hidden 8 ;;
    4) go_through tune --trials 3 --search-seed $round --method random --task affinity ;;
    5) go_through train --model scadyg --seed $round --hidden 8 --no-fallback ;;
    6) go_through train --model scadyg --seed $round --hidden 8 --no-fallback --no-stepwise --averaging 0 ;;
    7) go_through train --model scadyg --seed $round --hidden 8 --no-fallback --refit ;;
    8) go_through train --task affinity --seed $round --refit ;;
    9) go_through train --from link.scadyg --refit ;;
    10) go_through train --from affinity.scadyg ;;
    esac
done
((continued > kills / 4)) || fail "only $continued of $killed runs had a checkpoint to go on from"
echo "$killed kills, $continued times gone on from a checkpoint, $finished models with the same bytes"
