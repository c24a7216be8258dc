#!/usr/bin/env bash
# Commands that take a text log take the options of import with it: they say how it is read, and are part of its cache.
. "$(dirname "$0")/lib.sh"

# Names that say nothing, days first, two kinds of rows, and another node in each of the columns.
awk 'BEGIN { print "a;b;c;kind;day"
    for (i = 0; i < 600; i++) printf "u%d;v%d;w%d;%s;%02d/%02d/2021\n", i % 7, i % 5, i % 3, i % 4 ? "buy" : "look",
        1 + int(i / 24) % 28, 1 + int(i / 600 * 10) }' >odd.csv
reading=(--src a --dst c --time day --time-format %d/%m/%Y --where 'kind == buy')
small=(--model popularity)
cache=odd.csv.scadyg-cache.events
"$scadyg" import -q odd.csv "${reading[@]}" -o odd.events || exit 1

# Without them the log cannot be read; with them it is as import reads it.
fails '^scadyg train: odd\.csv: no column name says which is .*: say --src NAME --dst NAME$' train odd.csv "${small[@]}" -o m.scadyg
run train odd.csv "${reading[@]}" "${small[@]}" -o m.scadyg
exits 0
says_nothing
prints_like '^read +odd\.csv into odd\.csv\.scadyg-cache\.events, [0-9.]+ s$'
expect "what import makes, but for what it was made from" test "$(cmp -l odd.events $cache | wc -l)" -le 20
run train odd.csv "${reading[@]}" "${small[@]}" -o m.scadyg
prints_like '^read +odd\.csv\.scadyg-cache\.events, made from odd\.csv earlier$'

# What was left out and what looks odd is said when the log is read, once, unless nothing is to be said.
{ cat odd.csv; echo 'u1;v1;w1;buy;01/01/1970'; } >early.csv
run train early.csv "${reading[@]}" "${small[@]}" -o early.scadyg
exits 0
says_nothing
prints_like '^early\.csv: plain, semicolon-separated, with a header$'
prints_like '^  column 3  +c  +destination'
prints_like '^            150 rows left out by --where$'
prints_like '^please check$'
sed -n '/^please check$/,/^data /p' .out | sed -e 1d -e '$d' >seen
"$scadyg" import early.csv "${reading[@]}" -o early.events | sed -n '/^please check$/,/^wrote /p' | sed -e 1d -e '$d' >wanted
expect "something is odd" test -s wanted
expect "the same list" cmp wanted seen
run train early.csv "${reading[@]}" "${small[@]}" -o early.scadyg
prints_not '^please check$'
rm early.csv.scadyg-cache.events
run rank early.scadyg early.csv "${reading[@]}" --source u1
exits 0
says_like '^read +early\.csv into '
prints_not '^please check$'
rm early.csv.scadyg-cache.events
run train -q early.csv "${reading[@]}" "${small[@]}" -o early.scadyg
exits 0
silent

# Another way to read it is another cache.
run train odd.csv "${reading[@]/#c/b}" "${small[@]}" -o other.scadyg
exits 0
prints_like '^read +odd\.csv into .*; the cache that was there was not of the log as it is now with these options$'
run rank other.scadyg odd.csv "${reading[@]/#c/b}" --source u1 --json
exits 0
says_like 'made from odd\.csv earlier$'
json_is '.ranking[0].node[0:1]' '"v"'

# Every command that takes a log takes them.
"$scadyg" eval -q m.scadyg odd.csv "${reading[@]}" || bad "eval"
printf 'u1,w1\n' >pairs
for words in 'eval m.scadyg odd.csv' 'rank m.scadyg odd.csv --source u1' 'predict m.scadyg odd.csv -i pairs -o scores.csv' \
    'report m.scadyg odd.csv -o page.html' 'tune odd.csv --vary hidden=4|8 --trials 2 --epochs 1 -o t.scadyg' \
    'study compare odd.csv --seeds 1 --models popularity -o folder'; do
    # shellcheck disable=SC2086
    run $words "${reading[@]}"
    exits 0
    check
    cat .out .err | grep -q 'odd\.csv\.scadyg-cache\.events, made from odd\.csv earlier$' ||
        bad "another cache, or none" "$(cat .out .err)"
done

# An events file has been read; there is nothing left to say.
wrong "scadyg train: --src says how a text log is read; odd.events is an events file, which has been read" \
    train odd.events "${reading[@]}" "${small[@]}" -o x.scadyg
wrong "scadyg rank: --skip-bad says how a text log is read; odd.events is an events file, which has been read" \
    rank m.scadyg odd.events --source u1 --skip-bad 3
wrong "scadyg show: --src goes with --weights ID" show m.scadyg --src a
absent x.scadyg
wrong "scadyg train: --missing takes one of stop|zero|mean|skip, not 'never'" train odd.csv --missing never
# Files beside a log are found by their names; --node-features is an option of training.
wrong "scadyg rank: unknown option '--edge-features'; 'scadyg rank --help-all' lists them all" rank m.scadyg odd.csv --edge-features f.npy

# A model remembers how its log was read, without paths; what is typed again is taken instead.
run train odd.csv "${reading[@]}" "${small[@]}" -o m.scadyg
cp odd.csv next.csv
for words in 'rank m.scadyg next.csv --source u1' 'eval m.scadyg next.csv' 'predict m.scadyg next.csv -i pairs -o scores.csv'; do
    # shellcheck disable=SC2086
    run $words
    exits 0
    check
    grep -qF "next.csv is read as the model's log was: --src a --dst c --time day --where 'kind == buy' --time-format %d/%m/%Y" .err ||
        bad "how it is read" "$(cat .err)"
done
run rank m.scadyg next.csv --source u1 --quiet
exits 0
says_nothing
run rank m.scadyg next.csv --source u1 --dst b --json
exits 0
json_is '.ranking[0].node[0:1]' '"v"'
check
grep -qF "was: --src a --time day --where" .err || bad "what was typed is not repeated" "$(cat .err)"
run rank m.scadyg next.csv --source u1 --columns src,-,dst,-,time --json
exits 0
check
grep -qF "was: --where 'kind == buy' --time-format" .err || bad "columns in order replace single ones" "$(cat .err)"
run rank m.scadyg odd.events --source u1
exits 0
says_nothing
run train --from m.scadyg next.csv -o more.scadyg "${small[@]}"
check
grep -qF "next.csv is read as the model's log was" .err || bad "going on" "$(cat .err)"
expect "no path" sh -c '! grep -q "$PWD" m.scadyg'

# Rows that are left out are told as import tells them.
{ cat odd.csv; echo 'u1;v1;w1;buy;no day'; } >bad.csv
run train bad.csv "${reading[@]}" --skip-bad 1 "${small[@]}" -o bad.scadyg
exits 0
check
grep -q '^scadyg train: 1 bad row skipped$' .err || bad "the count" "$(cat .err)"
run train -q bad.csv "${reading[@]}" --skip-bad 2 "${small[@]}" -o bad.scadyg
exits 0
silent

# In the help they have a part of their own, and are no part of the first screen.
for command in train tune eval study report predict rank embed affinity show info; do
    run $command --help
    prints_not '^ +--timezone '
    run $command --help-all
    prints_like '^how a text log is read, as of import:$'
    prints_like '^ +--timezone ZONE '
    run help --man $command
    prints_like '^\.SS how a text log is read, as of import$'
done

done_testing
