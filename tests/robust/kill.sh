#!/bin/bash
# Kills imports at random moments: afterwards there is the older file, or none, or a whole new one, and nothing else.
#
#   kill.sh SCADYG [ROUNDS]
#
# With SCADYG_TEST_LONG=1 for a long time.
set -u
((${SCADYG_TEST_LONG:-0})) && usual=80 || usual=16
scadyg=$1 rounds=${2:-$usual}
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
input=$directory/log.txt work=$directory/work
mkdir "$work"

fail() {
    echo "$*" >&2
    ls -la "$work" >&2
    exit 1
}

# Out of order, so that there is something to sort on disk as well.
awk 'BEGIN { for (i = 0; i < 700000; i++) print i * 7919 % 50021, i * 104729 % 40009, i * 15485863 % 1000003 }' >"$input"
run=("$scadyg" import --quiet --memory 16M "$input" -o "$work/out.events")

begin=$(date +%s%N)
"${run[@]}" || fail "the import fails by itself"
whole=$(($(date +%s%N) - begin))
mv "$work/out.events" "$directory/whole"
"$scadyg" info --verify --quiet "$directory/whole" || fail "the import's own file is damaged"
head -1000 "$input" >"$directory/small.txt"
"$scadyg" import --quiet "$directory/small.txt" -o "$directory/older" || fail "the small import fails"

killed=0 interrupted=0
for ((i = 0; i < rounds; i++)); do
    rm -f "$work"/*
    ((i % 2)) && cp "$directory/older" "$work/out.events"
    # From the very start to a little past the end of an undisturbed run.
    delay=$(awk -v n="$whole" -v r=$RANDOM 'BEGIN { printf "%.4f", 0.001 + r / 32767 * 1.1 * n / 1e9 }')
    signal=KILL expected=137
    ((i % 4 >= 2)) && signal=INT expected=130
    # In a subshell, so that the shell's own notice of the death goes the same way.
    (timeout --preserve-status -s $signal "$delay" "${run[@]}"; exit $?) 2>"$directory/message"
    code=$?
    if [ $code -eq $expected ]; then
        [ $signal = KILL ] && killed=$((killed + 1)) || interrupted=$((interrupted + 1))
    elif [ $code -ne 0 ]; then
        fail "exit code $code after $signal at $delay s: $(cat "$directory/message")"
    fi
    files=("$work"/* "$work"/.[!.]*)
    for file in "${files[@]}"; do
        [ -e "$file" ] || continue
        [ "$file" = "$work/out.events" ] || fail "left behind after $signal at $delay s: $file"
        cmp -s "$file" "$directory/whole" || { ((i % 2)) && cmp -s "$file" "$directory/older"; } ||
            fail "half a file after $signal at $delay s"
    done
    ((i % 2)) && [ ! -e "$work/out.events" ] && fail "the older file is gone after $signal at $delay s"
done
[ $killed -gt 0 ] && [ $interrupted -gt 0 ] || fail "no run was hit: $killed killed, $interrupted interrupted"

# Waiting for input is a moment like any other.
rm -f "$work"/*
mkfifo "$directory/pipe" && exec 7<>"$directory/pipe" || exit 1
head -100 "$input" >&7
timeout --preserve-status -k 5 -s INT 0.5 "$scadyg" import --quiet - -o "$work/out.events" <"$directory/pipe" \
    2>"$directory/message"
code=$?
[ "$code" -eq 130 ] || fail "exit code $code when interrupted while waiting for input"
[ -z "$(ls -A "$work")" ] || fail "left behind when interrupted while waiting for input"
echo "$killed killed, $interrupted interrupted of $rounds"
