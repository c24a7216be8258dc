# generate and export: what they print, the same bytes again, and how they fail.
. "$(dirname "$0")/lib.sh"

run generate --events 3000 --nodes 50 -o a.events
exits 0
says_nothing
prints_like '^wrote   a\.events, [0-9.]+ [A-Za-z]+ in [0-9.]+ s$'
prints_like '^        3,000 events, [0-9]+ nodes$'
run generate --events 3000 --nodes 50 -o b.events --threads 1 --oracle best.csv --json
exits 0
says_nothing
json_is '[.events, .output, .oracle, .seed]' '[3000,"b.events","best.csv",1]'
run generate --events 3000 --nodes 50 -o c.events --oracle some.csv --oracle-one-in 7 -q
exits 0
expect "one event in seven is ranked, as it is among all" \
    cmp some.csv <(awk -F, 'NR == 1 || $1 % 7 == 0' best.csv)
expect "the oracle does not change the events" cmp b.events c.events
expect "the same bytes for any number of threads, with and without the oracle" cmp a.events b.events
expect "a rank per event" test "$(wc -l <best.csv)" = 3001
run generate --events 3000 --nodes 50 -q -o c.events --seed 2
exits 0
silent
check
if cmp -s a.events c.events; then bad "another seed, the same bytes"; fi
run generate --kind items --events 500 --nodes 20 --items 5 --edge-features 3 -q -o items.events
exits 0
run info items.events --json
json_is '[.events, .edge_features, .bipartite]' '[500,3,true]'
run info a.events --verify
exits 0
fails '^scadyg generate: cannot write nowhere/x\.events' generate -o nowhere/x.events
wrong "scadyg generate: --events takes a whole number, not 'many'" generate -o x.events --events many
run generate -o x.events --events 0
exits 2
says_like '^scadyg generate: --events must be '
absent x.events

# Export and import again give the same bytes.
run export a.events -o a.csv
exits 0
says_nothing
prints_like '^wrote   a\.csv, '
prints_like '^        3,000 events, '
run import -q a.csv -o again.events
exits 0
expect "the same bytes" cmp a.events again.events
run export a.events -q --threads 1 -o one.csv
exits 0
expect "the same bytes for any number of threads" cmp a.csv one.csv
run export a.events -q -o a.csv.gz
exits 0
silent
expect "compressed" cmp a.csv <(zcat a.csv.gz)
run export a.events -o -
exits 0
says_nothing
expect "standard output" cmp a.csv .out
run export items.events --json -o items.csv
exits 0
json_is '[.input, .output, .events]' '["items.events","items.csv",500]'
run import -q items.csv -o again.events
expect "the same bytes" cmp items.events again.events

cp a.events before
wrong "scadyg export: a.events is the input; give --output another name" export a.events -o a.events
expect "the input is as it was" cmp a.events before
fails '^scadyg export: cannot write nowhere/x\.csv' export a.events -o nowhere/x.csv
fails '^scadyg export: .*nowhere\.events' export nowhere.events -o x.csv
absent x.csv
"$scadyg" export a.events -o - 2>.err >/dev/full
exit_code=$?
exits 1
says_like '^scadyg export: cannot write .*No space left on device$'
"$scadyg" export a.events -o - 2>.err | head -n 1 >/dev/null
says_nothing

done_testing
