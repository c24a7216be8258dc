# eval: the table, the JSON, protocols, seeds; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
link_model m.scadyg
link_model s.scadyg --stepwise
affinity_model a.scadyg

run eval m.scadyg g.events
exits 0
prints_like '^live protocol, test part, [0-9,]+ queries, among all destinations so far, seed 1$'
for part in training validation test; do prints_like "^  $part +[0-9,]+ events, [0-9.]+ to [0-9.]+$"; done
prints_like '^ +AP +AUC +AP \(met\) +AUC \(met\)'
prints_like '^  MRR [-+]0\.[0-9]{4} \+- 0\.[0-9]{4} against [a-z-]+, the best baseline,'
prints_like 'on [0-9]+ queries of [0-9]+ sources$'
prints_like '^ +MRR +hits@1 +hits@3 +hits@10'
prints_like '^  scadyg +0\.[0-9]{4}'
prints_like '\*'
check
[[ $(wc -L <.out) -le 80 ]] || bad "wider than 80 columns"
run eval s.scadyg g.events
exits 0
prints_like '^paper protocol, test part, [0-9,]+ queries, negatives: any'
check
[[ $(wc -L <.out) -le 80 ]] || bad "wider than 80 columns"

keys='["protocol","pool","part","seeds","queries","model","baselines"]'
for protocol in live paper tgb-link dyglib; do
    run eval m.scadyg g.events --protocol $protocol --json -
    exits 0
    json_is ".protocol" "\"$protocol\""
    json_is ". as \$r | $keys | map(. as \$k | \$r | has(\$k)) | all" true
    json_is '[.part, .seeds]' '["test",1]'
    json_is '.queries > 0' true
    json_is '[.mrr, ."hits@1", ."hits@3", ."hits@10", .ap, .auc, ."ndcg@10"]
        | map(. == null or (type == "number" and . >= 0 and . <= 1)) | all' true
    json_is '[.mrr, .ap] | any(. != null)' true
    json_is '."ndcg@10"' null
    json_is '[.parts[] | .events, .first_time, .last_time | type] | unique' '["number"]'
    json_is '[.parts[].events] | add' 3000
    [[ $protocol != live ]] ||
        json_is '(.differences | keys == ["ap","ap_partners","auc","auc_partners"] and all(.[]; .error > 0)) and all(.errors, .baselines[].errors; .mrr > 0 and .auc > 0)' true
    json_is '(.difference_error > 0) and .clusters > 1 and .baselines[.best_baseline][.main_score] == ([.baselines[][.main_score]] | max)' true
    json_is '(.difference - (.[.main_score] - .baselines[.best_baseline][.main_score])) | . < 1e-12 and . > -1e-12' true
    json_is 'has("left_out")' false
    json_is '.baselines | keys - ["edgebank-interval","edgebank-recent","edgebank-repeated"]' \
        '["edgebank","edgebank-window","item-knn","markov","pair-recency","pair-then-popularity","popularity","repeat-then-neighbours"]'
    json_is '.baselines | keys | length' "$([[ $protocol == dyglib ]] && echo 11 || echo 8)" # its own kinds of edgebank
    json_is '. as $r | [.baselines[] | keys - ($r | keys) | length] | unique' '[0]'
done

# What train stored is what eval finds; a file and standard output have the same; threads change nothing.
run show m.scadyg --json
stored=$(json '.results[0].mrr')
run eval m.scadyg g.events --json f.json
exits 0
prints_like '^  scadyg '
expect "the stored result" test "$(jq -c .mrr f.json)" = "$stored"
run eval m.scadyg g.events --json - --threads 1
json_is 'del(.seconds)' "$(jq -c 'del(.seconds)' f.json)"
run eval -q m.scadyg g.events --json g2.json
exits 0
silent

# What was asked, for other programs: the ranks are those of the result, and candidates lie before.
run eval m.scadyg g.events --protocol live --write-queries q.csv --json f.json
exits 0
expect "the heading" test "$(head -n 1 q.csv)" = event,seed,seen,rank,negatives
check
awk -F, -v mrr="$(jq .mrr f.json)" -v queries="$(jq .queries f.json)" 'NR > 1 { sum += 1 / $4; all += $5 == "all" }
    END { d = sum / queries - mrr; exit !(NR - 1 == queries && all == queries && d < 1e-8 && d > -1e-8) }' q.csv ||
    bad "the ranks are not those of the result"
run eval m.scadyg g.events --protocol live --negatives 20 --seeds 2 --write-queries q.csv --json f.json
exits 0
check
awk -F, -v queries="$(jq .queries f.json)" 'NR > 1 {
        lines[$2]++
        wrong += $3 > $1 || $4 < 1 || split($5, n, " ") != 20
        for (i in n) { wrong += n[i] >= $3 || (n[i] in seen); seen[n[i]] }
        delete seen
    } END { exit wrong || lines[0] != queries || lines[1] != queries }' q.csv || bad "not 20 candidates that lie before"
wrong "scadyg eval: --write-queries is for the protocol live" eval m.scadyg g.events --protocol dyglib --write-queries q2.csv
absent q2.csv

# Several seeds: mean and deviation.
run eval m.scadyg g.events --seeds 3 --json -
json_is '[.seeds, (.mrr | keys), (.baselines.popularity.mrr | keys)]' '[3,["mean","std"],["mean","std"]]'
json_is '.mrr.std >= 0' true
run eval m.scadyg g.events --seeds 3
prints_like '(^ |,) 3 seeds from 1$'
prints_like '^  scadyg +0\.[0-9]{4} \+- 0\.[0-9]{4}'
LANG=C.UTF-8 run eval m.scadyg g.events --seeds 3
prints_like '^  scadyg +0\.[0-9]{4} ± 0\.[0-9]{4}'
run eval m.scadyg g.events --no-baselines --json -
json_is '.baselines | length' 0

# Baselines whose past does not fit into the memory are left out by name, what takes most first; the model itself never is.
run generate --events 30000 --nodes 3000 -q -o large.events
run train large.events -q --no-eval --model edgebank -o large.scadyg
run eval large.scadyg large.events --queries 200 --memory 1M
exits 1
says_like '^scadyg eval: an evaluation on these events needs about [0-9]+ bytes, more than the 1048576 it may take'
run eval large.scadyg large.events --queries 200 --memory 3M
exits 0
says_like '^scadyg eval: left out, .*: markov, item-knn, repeat-then-neighbours$'
prints_like '^  pair-recency '
prints_not 'item-knn'
run eval large.scadyg large.events --queries 200 --memory 5M --json -
json_is '[.baselines | has("markov", "item-knn")]' '[true,false]'
run eval large.scadyg large.events --queries 200 --memory 64M
prints_like '^  item-knn '
# A rule of one protocol alone is a model under every protocol.
run train g.events -q --no-eval --model edgebank-interval -o interval.scadyg
run eval interval.scadyg g.events
exits 0
prints_like '^  edgebank-interval '

# Pools, negatives and parts.
wrong "scadyg eval: the protocol live ranks among destinations seen before: leave out --pool" eval m.scadyg g.events --pool any
run eval m.scadyg g.events --negatives 20
prints_like 'among 21 of the destinations so far,$'
prints_like '^  some of them earlier partners, seed 1$'
run eval m.scadyg g.events --negatives 20 --json -
json_is '[.pool, .negatives]' '["destinations seen so far",20]'
for pool in any destination; do
    run eval s.scadyg g.events --pool $pool --negatives 20 --json -
    exits 0
    json_is '[.pool, .negatives]' "[\"$pool\",20]"
done
for pool in destination historical inductive; do
    run eval m.scadyg g.events --protocol dyglib --pool $pool --json -
    exits 0
    json_is .pool "\"$pool\""
    [[ $pool != destination ]] || destination=$(json '[.pool, .ap, .auc, .baselines]')
done
# DyGLib's word for the first.
run eval m.scadyg g.events --protocol dyglib --pool random --json -
exits 0
json_is '[.pool, .ap, .auc, .baselines]' "$destination"
run eval m.scadyg g.events --part validation --json -
json_is .part '"validation"'

# Events revealed in batches: named where it is so, and refused where there are none.
for protocol in tgb-link dyglib; do
    run eval m.scadyg g.events --protocol $protocol --reveal batch
    exits 0
    prints_like "^$protocol protocol, "
    prints_like "reveal: batch, seed 1$"
    run eval m.scadyg g.events --protocol $protocol --reveal batch --json f.json
    expect "the rule" test "$(jq -r .reveal f.json)" = batch
    run eval m.scadyg g.events --protocol $protocol --reveal event --json -
    json_is 'has("reveal")' false
    expect "other scores" jq -e --slurpfile batch f.json '.baselines != $batch[0].baselines' .out
done
wrong "scadyg eval: --reveal batch is for the protocols tgb-link and dyglib; paper reveals events a step at a time" \
    eval m.scadyg g.events --reveal batch --protocol paper
wrong "scadyg eval: --reveal batch is for the protocols tgb-link and dyglib; live shows every event before the next" \
    eval m.scadyg g.events --reveal batch
wrong "scadyg eval: --reveal batch is for the protocols tgb-link and dyglib; tgb-node has label times, not batches" \
    eval a.scadyg g.events --reveal batch

# Affinity.
run eval a.scadyg g.events --json -
exits 0
json_is '[.protocol, .mrr, (."ndcg@10" | type)]' '["tgb-node",null,"number"]'
json_is '.baselines | keys' '["moving-average","persistence"]'
run eval a.scadyg g.events
prints_like '^tgb-node protocol, '
prints_like 'NDCG@10$'

# A text log instead of events.
"$scadyg" export -q g.events -o log.csv
run eval m.scadyg log.csv --json -
exits 0
says_like '^'
json_is .mrr "$stored"

# What a model was trained on is never evaluated, whatever parts a protocol cuts, and the table says what is left out.
run train -q g.events "${small[@]}" --train-share 0.98 --validation-share 0.01 -o most.scadyg
exits 0
run eval most.scadyg g.events --json -
exits 0
json_is '[.protocol, .parts.training.events, .parts.test.events, has("left_out")]' '["live",2940,30,false]'
json_is '.queries <= 30' true
for protocol in tgb-link dyglib; do
    run eval most.scadyg g.events --protocol $protocol --json -
    exits 0
    json_is '[.parts.training.events, .parts.test.events, .left_out, .queries]' '[2940,60,390,60]'
    run eval most.scadyg g.events --protocol $protocol
    prints_like '^  390 events of this part are left out: the model was trained on them$'
    run eval most.scadyg g.events --protocol $protocol --part validation
    exits 2
    says "scadyg eval: there is nothing to evaluate: the model was trained on all events of the validation part"
done
# In a log that grows, the last 15 % of the steps begin before the last 20 % of the events.
awk 'BEGIN { for (i = 1; i <= 2000; i++) print i % 37, i % 11 + 40, sqrt(i) * 100 }' | "$scadyg" import -q - -o grows.events
"$scadyg" train -q grows.events "${small[@]}" --train-share 0.8 --validation-share 0.05 -o grows.scadyg
run eval grows.scadyg grows.events --protocol paper --json -
exits 0
json_is '.left_out > 50 and .parts.test.events == 400' true
run eval grows.scadyg grows.events --json -
json_is '[.queries, has("left_out")]' '[300,false]'
# Where a protocol trains on more than the model did, what lies between is no validation part.
"$scadyg" train -q g.events "${small[@]}" --train-share 0.4 --validation-share 0.1 -o least.scadyg
for part in validation test; do
    run eval least.scadyg g.events --protocol tgb-link --part $part --json -
    json_is '[.parts.training.events, .parts.validation.events, .parts.test.events, .queries]' '[1200,450,450,450]'
done
# A log that ends before what the model knows has nothing to test on, whatever log it is.
"$scadyg" export -q g.events -o - | head -n 2201 >known.csv
run eval -q m.scadyg known.csv
exits 2
says_like '^scadyg eval: there is nothing to evaluate: the model was chosen by the events up to [0-9.]+, and the log ends at [0-9.]+; later events would be its test part$'
head -n 1001 known.csv >older.csv
for protocol in live paper tgb-link dyglib; do
    run eval -q m.scadyg older.csv --protocol $protocol
    exits 2
    says_like '^scadyg eval: there is nothing to evaluate: the model has learned from the events up to [0-9.]+, and the log ends at [0-9.]+; later events would be its test part$'
done
# A model that answers as a baseline says so below the table.
"$scadyg" train -q g.events "${small[@]/#3/1}" --lr 1e-6 -o rather.scadyg
run eval rather.scadyg g.events
prints_like '^  the model answers as the baseline [a-z-]+: no epoch was clearly better in validation$'
# A baseline is trained on nothing.
run train -q g.events --model popularity --train-share 0.98 --validation-share 0.01 -o rule.scadyg
run eval rule.scadyg g.events --protocol dyglib --json -
json_is '[.queries, has("left_out")]' '[450,false]'

# A file with nothing but what came after training: the part that is evaluated is there, and rules that go by shares of
# the training time know how long it was.
seq 2000 | awk '{ print $1 % 7, $1 % 7 + 40, $1 }' | "$scadyg" import -q - -o old.events
seq 300 | awk '{ print $1 % 7, $1 % 7 + 40, 2000 + $1 }' | "$scadyg" import -q - -o new.events
"$scadyg" train -q old.events "${small[@]}" -o old.scadyg
run eval old.scadyg new.events --json -
exits 0
says_nothing
json_is 'has("left_out")' false
for protocol in paper tgb-link; do
    run eval old.scadyg new.events --protocol $protocol --json -
    cp .out f.json
    expect "a window that is not empty" jq -e '.baselines["edgebank-window"].mrr > 0.9' f.json
done
run eval old.scadyg new.events --part validation
exits 2
says_like '^scadyg eval: there is nothing to evaluate: '

# Wrong.
wrong "scadyg eval: no model file given; the usage is: scadyg eval M.scadyg X.events" eval
wrong "scadyg eval: no events file given; the usage is: scadyg eval M.scadyg X.events" eval m.scadyg
wrong "scadyg eval: unexpected argument 'c'; the usage is: scadyg eval M.scadyg X.events" eval m.scadyg g.events c
wrong "scadyg eval: the protocol tgb-node evaluates affinity models; this is a link model: use live, paper, tgb-link or dyglib" \
    eval m.scadyg g.events --protocol tgb-node
wrong "scadyg eval: the protocol paper evaluates link models; this is an affinity model: use tgb-node" \
    eval a.scadyg g.events --protocol paper
fails '^scadyg eval: .*g\.events' eval g.events m.scadyg
fails '^scadyg eval: .*nowhere\.scadyg' eval nowhere.scadyg g.events
wrong "scadyg eval: --protocol takes one of auto|live|paper|tgb-link|dyglib|tgb-node, not 'tgb'" eval m.scadyg g.events --protocol tgb
wrong "scadyg eval: g.events is the input; give --json another name" eval m.scadyg g.events --json g.events

# A sample of the queries, the same for everyone.
for protocol in live paper tgb-link dyglib; do
    run eval m.scadyg g.events --protocol $protocol --json -
    all=$(json .queries)
    json_is .one_in null
    run eval m.scadyg g.events --protocol $protocol --queries 100 --json -
    exits 0
    first=$(json '[.mrr, .ap]')
    json_is ".queries > 0 and .queries < $all" true
    if [[ $protocol == live ]]; then
        json_is "[.queries, .of == $all, .one_in]" '[100,true,null]'
    else
        json_is '.one_in > 1 and .of == null' true
    fi
    run eval m.scadyg g.events --protocol $protocol --queries 100 --json - --threads 2
    json_is '[.mrr, .ap]' "$first"
    run eval m.scadyg g.events --protocol $protocol --queries 100000 --json -
    json_is ".queries == $all" true
done
run eval m.scadyg g.events --queries 50
prints_like '^live protocol, test part, [0-9]+ queries \(of [0-9,]+\), among all destinations so far,$'
run eval s.scadyg g.events --queries 50
prints_like '^paper protocol, test part, [0-9]+ queries \(one in [0-9]+\), negatives: any'
wrong "scadyg eval: --queries is for links; tgb-node evaluates all label times" eval a.scadyg g.events --protocol tgb-node --queries 10

# Labels from a file, which may lie elsewhere when the model is evaluated.
"$scadyg" export -q g.events -o g.csv
mkdir labels
awk -F, 'NR > 1 && NR % 3 == 0 { printf "%d,%s,class%d,1\n", $3 / 50000 * 50000, $1, $2 % 5 }' g.csv >labels/l.csv
run train -q g.events "${small[@]}" --task affinity --labels labels/l.csv -o labelled.scadyg
exits 0
mv labels moved
run eval labelled.scadyg g.events
exits 2
says_like '; give that file with --labels$'
run eval labelled.scadyg g.events --labels moved/l.csv --json -
exits 0
json_is '.protocol, .negatives, (.["ndcg@10"] > 0)' '"tgb-node"
null
true'

done_testing
