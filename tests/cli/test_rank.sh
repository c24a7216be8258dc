# rank: the table, JSON, times, who is left out; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
link_model m.scadyg
affinity_model a.scadyg
early=$(awk -v t="$first_time" 'BEGIN { printf "%.0f", t - 1000 }')

run rank m.scadyg g.events --source "$node"
exits 0
says_nothing
prints_like "^next destinations of $node just after the last event, at "
prints_like '^sees events up to .* \(3,000 of 3,000\)$'
prints_like '^rank +node +score +probability$'
prints_like '^ +1  [0-9]+ +-?[0-9.]+ +0\.[0-9]{4}$'
check
[[ $(grep -c '^ *[0-9]' .out) == 10 ]] || bad "not ten"
run rank -q m.scadyg g.events --source "$node" --top 3
prints_not '^next destinations|^sees'
check
[[ $(wc -l <.out) == 4 ]] || bad "not three"

run rank m.scadyg g.events --source "$node" --json --top 5
exits 0
json_is '[.source, (.ranking | length), (.ranking | map(.rank))]' "[\"$node\",5,[1,2,3,4,5]]"
json_is '[.ranking[].score] | . == (sort | reverse)' true
json_is '[.ranking[].probability] | map(. > 0 and . < 1) | all' true
json_is ".at > $last_time" true
json_is '[.sees_until, .sees_events]' "[$last_time,3000]"
# What is seen lies strictly before; a stepwise model sees whole steps only.
run rank m.scadyg g.events --source "$node" --json --at "$last_time"
json_is ".sees_until < $last_time and .sees_events < 3000 and .sees_events > 2990" true
link_model steps.scadyg --stepwise
run rank steps.scadyg g.events --source "$node" --json --at "$last_time"
json_is '.sees_events < 2950 and .sees_events > 2500' true
rule_model seen.scadyg popularity
run rank seen.scadyg g.events --source "$node" --json
json_is '[.sees_until, .sees_events]' "[$last_time,3000]"

# A share of all candidates.
run rank m.scadyg g.events --source "$node" --json --top 1000
json_is '[.ranking[].probability] | add | . > 0.999999 and . < 1.000001' true
# The best of them are the same however many are asked for.
whole=$(json '.ranking')
for top in 1 2 7 20; do
    run rank m.scadyg g.events --source "$node" --json --top $top
    json_is "[.ranking[] | [.node, .score]] == ($whole | map([.node, .score]) | .[:$top])" true
done

# Few candidates are all scored anyway.
run rank m.scadyg g.events --source "$node" --json --top 5 --exact
json_is "[.ranking[] | [.node, .score]] == ($whole | map([.node, .score]) | .[:5])" true

# The paper's model has one score for both questions: rank and predict agree.
link_model p.scadyg "${paper[@]}"
run rank p.scadyg g.events --source "$node" --json --top 1
best=$(json '.ranking[0].node')
score=$(json '.ranking[0].score')
printf '%s,%s\n' "$node" "$(jq -r . <<<"$best")" >pair.csv
check
predicted=$("$scadyg" predict p.scadyg g.events -i pair.csv | tail -1 | cut -d, -f4)
awk -v a="$predicted" -v b="$score" 'BEGIN { d = a - b; exit !(d < 1e-6 && d > -1e-6) }' ||
    bad "rank says $score, predict $predicted"

# A time; whom it has met is left out; more than there are.
middle=$(jq -r '(.first_time + .last_time) / 2 | floor' g.json)
run rank m.scadyg g.events --source "$node" --at "$middle" --json
exits 0
json_is .at "$middle"
run rank m.scadyg g.events --source "$node" --top 1000 --json
all=$(json '.ranking | length')
"$scadyg" export -q g.events -o - | awk -F, -v n="$node" '$1 == n { print $2 }' | sort -u >met
run rank m.scadyg g.events --source "$node" --top 1000 --exclude-seen --json
exits 0
json '.ranking[].node' | jq -r . | sort >left
check
[[ -z $(comm -12 met left) && $(wc -l <left) -lt $all ]] || bad "those it has met are not left out"
run rank m.scadyg g.events --source "$node" --at "$(jq -r .first_time g.json)" --json
exits 0
json_is '.ranking | length' 0

# Long after the last event a window holds nothing: a ranking of equals is said to be none.
link_model w.scadyg "${paper[@]}" --window 2
far=$(awk -v a="$first_time" -v b="$last_time" 'BEGIN { printf "%.0f", b + (b - a) }')
run rank w.scadyg g.events --source "$node" --at "$far"
exits 0
says_like '^scadyg rank: warning: all of these have the same score, .*--window '
run rank -q w.scadyg g.events --source "$node" --at "$far"
says_nothing
run rank w.scadyg g.events --source "$node"
says_nothing

# A baseline has scores and no probabilities.
rule_model h.scadyg popularity
run rank h.scadyg g.events --source "$node" --json
exits 0
json_is '[.ranking[].probability] | map(. == null) | all' true
run rank h.scadyg g.events --source "$node"
prints_like '^rank +node +score$'

# Wrong.
wrong "scadyg rank: no source given; add --source ID" rank m.scadyg g.events
wrong "scadyg rank: no events file given; the usage is: scadyg rank M.scadyg X.events --source ID" rank m.scadyg --source 1
fails "^scadyg rank: .*'nobody'" rank m.scadyg g.events --source nobody
fails '^scadyg rank: --at: .* lies before the first event' rank m.scadyg g.events --source "$node" --at "$early"
fails '^scadyg rank: a\.scadyg is a model of the task affinity' rank a.scadyg g.events --source "$node"
run rank m.scadyg g.events --source "$node" --at soon
exits 2
says_like "^scadyg rank: --at: .*'soon'"
head -c 100 m.scadyg >cut.scadyg
fails '^scadyg rank: .*cut\.scadyg' rank cut.scadyg g.events --source "$node"

# A model that needs more than it may take is refused before anything is made, by every command that joins it with events.
too_small='the model needs about [0-9]+ bytes for the [0-9]+ nodes of the events, more than the 1024 it may take'
fails "^scadyg rank: $too_small" rank m.scadyg g.events --source "$node" --memory 1K
printf "%s,%s\n" "$node" "$node" >p.csv
fails "^scadyg predict: $too_small" predict m.scadyg g.events -i p.csv --memory 1K
fails "^scadyg embed: $too_small" embed m.scadyg g.events -o e.csv --memory 1K
fails "^scadyg eval: $too_small" eval m.scadyg g.events --memory 1K
fails "^scadyg report: $too_small" report m.scadyg g.events -o r.html --memory 1K
fails "^scadyg affinity: $too_small" affinity a.scadyg g.events --node "$node" --memory 1K
run rank m.scadyg g.events --source "$node" --memory 1G
exits 0

done_testing
