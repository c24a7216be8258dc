#!/usr/bin/env bash
# The cache of a text log: used while the log and the files beside it are as they were, and it is said which is used.
. "$(dirname "$0")/lib.sh"

"$scadyg" generate -q --nodes 60 --events 3000 --seed 4 -o g.events
"$scadyg" export -q g.events -o log.csv
small=(--steps 20 --model popularity)
cache=log.csv.scadyg-cache.events
earlier="^read +log\.csv\.scadyg-cache\.events, made from log\.csv earlier$"
anew="^read +log\.csv into log\.csv\.scadyg-cache\.events, .*; the cache that was there was not of the log as it is now$"

run train log.csv "${small[@]}" -o m.scadyg
exits 0
prints_like "^read +log\.csv into log\.csv\.scadyg-cache\.events, [0-9.]+ s$"
run train ./log.csv "${small[@]}" -o m2.scadyg
prints_like "^read +\./log\.csv\.scadyg-cache\.events, made from \./log\.csv earlier$"
expect "the same bytes" cmp m.scadyg m2.scadyg
# Of an events file the same is learned: a cache is data like any other.
"$scadyg" import -q log.csv -o "plain.events"
expect "the same but for what it was made from" test "$(cmp -l plain.events $cache | wc -l)" -le 20

# Other commands say it on standard error, unless they are to be quiet.
run eval m.scadyg log.csv
exits 0
says_like "$earlier"
run eval -q m.scadyg log.csv
exits 0
silent
run rank m.scadyg log.csv --source 1 --json
exits 0
says_like "$earlier"
json_is .source '"1"'

# A log of the same length and time of change.
cp log.csv before.csv
sed 's/^1,/2,/' before.csv >swapped.csv
expect "the same length" test "$(stat -c %s before.csv)" = "$(stat -c %s swapped.csv)"
touch -r log.csv swapped.csv
mv swapped.csv log.csv
run train log.csv "${small[@]}" -o m2.scadyg
exits 0
prints_like "$anew"
expect "another model" test "$(cmp m.scadyg m2.scadyg >/dev/null 2>&1 || echo other)" = other

# A file beside it that appears, changes with its time kept, and goes away.
{ echo id,a; cut -d, -f1 log.csv | tail -n +2 | sort -u | sed 's/$/,1/'; } >log.nodes.csv
run train log.csv "${small[@]}" -o m2.scadyg
exits 0
prints_like "$anew"
prints_like '^  node features from log\.nodes\.csv$'
run train log.csv "${small[@]}" -o m2.scadyg
prints_like "$earlier"
sed -i.kept 's/,1$/,2/' log.nodes.csv
touch -r log.nodes.csv.kept log.nodes.csv
run train log.csv "${small[@]}" -o m2.scadyg
exits 0
prints_like "$anew"
rm log.nodes.csv
run train log.csv "${small[@]}" -o m2.scadyg
exits 0
prints_like "$anew"
prints_not 'node features'

# Damaged, or of something else: made anew.
for damage in 'truncate -s 700' 'cp plain.events' 'cp m.scadyg' 'cp log.csv' 'cp /dev/null'; do
    # shellcheck disable=SC2086
    $damage $cache
    run train log.csv "${small[@]}" -o m2.scadyg
    exits 0
    says_nothing
    prints_like "$anew"
done
printf 'x' | dd of=$cache bs=1 seek=5000 conv=notrunc status=none
run train log.csv "${small[@]}" -o m2.scadyg
exits 0
says_nothing
prints_like "$anew"

# A link or a pipe in its place is left alone; the cache goes beside the model.
mkdir models
echo precious >victim
rm $cache
ln -s victim $cache
run train log.csv "${small[@]}" -o models/m.scadyg
exits 0
says_nothing
prints_like '^read +log\.csv into models/log\.csv\.[0-9a-f]{8}\.scadyg-cache\.events, '
expect "the link" test -L $cache
expect "what it points to" test "$(cat victim)" = precious
rm $cache
mkfifo $cache
run train log.csv "${small[@]}" -o models/m.scadyg
exits 0
prints_like '^read +models/log\.csv\.[0-9a-f]{8}\.scadyg-cache\.events, made from log\.csv earlier$'
expect "the pipe" test -p $cache
rm $cache

# A pipe beside the log is refused at once.
mkfifo log.nodes.csv
fails '^scadyg train: cannot read log\.nodes\.csv: not a regular file$' train log.csv "${small[@]}" -o m2.scadyg
rm log.nodes.csv

# Several at once.
for i in 1 2 3 4; do "$scadyg" train -q log.csv "${small[@]}" -o "p$i.scadyg" 2>"p$i.err" & done
wait
for i in 2 3 4; do expect "the same model" cmp p1.scadyg p$i.scadyg; done
expect "no words" test -z "$(cat p?.err)"
run train log.csv "${small[@]}" -o m2.scadyg
prints_like "$earlier"

done_testing
