# affinity: the table, JSON, times; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
link_model m.scadyg
affinity_model a.scadyg
early=$(awk -v t="$first_time" 'BEGIN { printf "%.0f", t - 1000 }')

run affinity a.scadyg g.events --node "$node"
exits 0
says_nothing
prints_like "^affinities of $node just after the last event, at "
prints_like '^sees events up to .* \(3,000 of 3,000\)$'
prints_like '^rank +class +share$'
prints_like '^ +1  [^ ]+ +0\.[0-9]{4}$'
run affinity a.scadyg g.events --node "$node" --top 100000 --json
exits 0
json_is .node "\"$node\""
json_is '[.sees_until, .sees_events]' "[$last_time,3000]"
json_is '(.affinities | length) == .classes' true
json_is '[.affinities[].share] | . == (sort | reverse)' true
json_is '[.affinities[].share] | add | . > 0.999 and . < 1.001' true
run affinity a.scadyg g.events --node "$node" --top 2 --json --at "$(jq -r '(.first_time + .last_time) / 2 | floor' g.json)"
exits 0
json_is '[.affinities[].rank]' '[1,2]'

wrong "scadyg affinity: no node given; add --node ID" affinity a.scadyg g.events
fails '^scadyg affinity: m\.scadyg is a model of the task link' affinity m.scadyg g.events --node "$node"
fails "^scadyg affinity: .*'nobody'" affinity a.scadyg g.events --node nobody
fails '^scadyg affinity: --at: .* lies before the first event' affinity a.scadyg g.events --node "$node" --at "$early"
fails '^scadyg affinity: .*g\.events' affinity g.events g.events --node "$node"

# Nearly half of the events have one time, in which both cuts of the events lie: the times that have labels are cut instead.
awk 'BEGIN { print "src,dst,time"; for (i = 0; i < 300; i++) print i % 9 "," 100 + i * i % 11 "," (i < 150 || i > 289 ? i : 150) }' </dev/null >tie.csv
run train tie.csv --task affinity --epochs 2 --threads 1 -o tie.scadyg --json tie.json
exits 0
prints_like '^note +by the times of the events a part would have no labels: 70 % of the times that have labels are for training, 15 % for validation$'
prints_like '^tgb-node protocol, test part, '
expect "validated" jq -e '.epochs | all(.validation > 0)' tie.json
run eval -q tie.scadyg tie.csv --part validation --json -
exits 0
json_is '.queries > 0 and .queries == .parts.validation.labels' true
run eval tie.scadyg tie.csv
prints_like '^  training +[0-9]+ labels, [0-9]+ to [0-9]+$'
prints_like '^  test +[0-9]+ labels, [0-9]+ to [0-9]+$'

done_testing
