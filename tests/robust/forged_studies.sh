#!/bin/bash
# Study folders with right checksums and hostile contents: report and study refuse them with a sentence or answer, soon, and
# touch nothing else.
#
#   forged_studies.sh SCADYG FORGER [COUNT [FIRST_SEED]]
set -u
scadyg=$1 forger=$2 count=${3:-40} first=${4:-1}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
cd "$directory" || exit 1
limit=120 # seconds; a pipe that is waited for, or work out of proportion

fail() {
    printf 'seed %s, %s: %s\n' "$seed" "$kind" "$*" >&2
    head -c 3000 err | cat -v >&2
    exit 1
}

seed=none kind=none
"$scadyg" generate -q --events 300 --nodes 20 --seed 3 -o g.events || fail "no graph"
kinds=(compare convergence weights steps)
declare -A more=([compare]="--models scadyg,popularity" [convergence]="--models scadyg" [weights]="--models scadyg-paper --repeat 2"
    [steps]="--values 1,2")
# shellcheck disable=SC2086
study() {
    "$@" "$scadyg" study "$kind" g.events --steps 10 --epochs 1 --batch 64 --hidden 2 --threads 1 --seeds 2 ${more[$kind]} -o "$folder"
}
for kind in "${kinds[@]}"; do
    folder=whole-$kind
    study >out 2>err || fail "no study"
done
secret="what is nobody's business"

declare -A refused=([report]=0 [study]=0) answered=([report]=0 [study]=0)
# tried COMMAND CODE
tried() {
    case $2 in
    0) answered[$1]=$((${answered[$1]} + 1)) ;;
    1 | 2)
        refused[$1]=$((${refused[$1]} + 1))
        [[ $(wc -l <err) == 1 ]] || fail "$1 refuses without one sentence"
        ;;
    124) fail "$1 takes too long" ;;
    *) fail "$1 ends with $2" ;;
    esac
    if LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]' out err; then fail "$1 steers the terminal"; fi
    [[ $(cat victim) == "$secret" ]] || fail "$1 has changed the victim"
    if grep -qsF "$secret" out err page.html; then fail "$1 shows the victim"; fi
    [[ $(ls) == "$inventory" || $(ls) == "${inventory/out/out$'\n'page.html}" ]] || fail "$1 has left something"
}

for ((seed = first; seed < first + count; seed++)); do
    kind=${kinds[seed % ${#kinds[@]}]} folder=forged
    rm -rf forged page.html
    printf '%s\n' "$secret" >victim
    "$forger" "$seed" "whole-$kind" forged "$PWD/victim" || fail "no folder"
    inventory=$(ls)
    timeout $limit "$scadyg" report forged -o page.html >out 2>err </dev/null
    tried report $?
    if [[ -e page.html ]] && grep -Eq '<script|<img|="-?(nan|inf)|[ML]-?(nan|inf)' page.html; then fail "the page has what is none"; fi
    rm -f page.html
    study timeout $limit >out 2>err </dev/null
    tried study $?
    if [[ -d forged/charts && ! -L forged/charts ]] && find forged/charts -type f -exec grep -lE '<script|<img' {} + | grep -q .; then
        fail "a chart has what is none"
    fi
done
echo "$count folders; report answered ${answered[report]} and refused ${refused[report]}, study ${answered[study]} and ${refused[study]}"
# A forger that is always refused, or never, proves nothing.
((count < 20 || (answered[report] && refused[report] && answered[study] && refused[study]))) || fail "too much the same"
