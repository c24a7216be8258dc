# study: its kinds, what they print and write; how it refuses. test_study_resume.sh stops it.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"

base=("${small[@]}" --seeds 2)

# is_xml FILE: it is well-formed. Without python3 that is not looked at.
is_xml() {
    command -v python3 >/dev/null || return 0
    python3 -c 'import sys, xml.etree.ElementTree as t; t.parse(sys.argv[1])' "$1"
}

# pictures FOLDER COUNT: so many charts and nothing else, each with something drawn in it.
pictures() {
    local files=("$1"/charts/*) file
    check
    [[ ${#files[@]} == "$2" ]] || bad "${#files[@]} charts in $1, expected $2" "$(ls "$1/charts")"
    for file in "${files[@]}"; do
        expect "$file is XML" is_xml "$file"
        check
        grep -Eq 'class="(bar|dot|cell) |class="line [^>]* d="M[^"]*L' "$file" || bad "nothing is drawn in $file"
        check
        if grep -Eq '="[^"]*(nan|inf)[" ]' "$file"; then bad "$file has numbers that are none"; fi
    done
}

# Each kind: a line per run, a table with mean and deviation, results for programs, charts.
study() { # KIND FOLDER ROWS CHARTS OPTIONS...
    local kind=$1 folder=$2 rows=$3 charts=$4
    shift 4
    run study "$kind" g.events "${base[@]}" -o "$folder" "$@"
    exits 0
    says_nothing
    prints_like "^study +$kind, [0-9]+ models?, 2 seeds each: [0-9]+ runs$"
    prints_like '^run +1/[0-9]+ +[a-z].*, seed 1: [A-Z@0-9]+ [0-9.]+ on validation, [0-9.]+ s$'
    prints_like ', mean and standard deviation over 2 seeds$'
    prints_like " [0-9.]+ \+- [0-9.]+"
    prints_like "^saved +$folder: results.json, results.csv, charts/ \($charts\)$"
    cp .out "$folder.printed"
    cp "$folder/results.json" .out
    json_is .study "\"$kind\""
    json_is .seeds '[1,2]'
    json_is '.rows | length' "$rows"
    json_is '[.rows[] | select(.rule | not) | .cells[][] | objects | (.values | length)] | unique' '[2]'
    json_is '[.rows[] | select(.rule | not) | .cells[][] | objects | ((.values | add / 2) / .mean - 1) | fabs < 1e-9] | all' true
    json_is '[.rows[].cells[][] | objects | select(.values | length == 2)
        | (((.values[0] - .values[1]) | fabs) / (2 | sqrt) - .std | fabs) <= 1e-9 * (.mean | fabs)] | all' true
    check
    [[ $(head -n 1 "$folder/results.csv") == series,label,x,column,score,mean,std,runs ]] || bad "no heading"
    check
    [[ $(($(wc -l <"$folder/results.csv") - 1)) == $(jq '[.rows[].cells[][] | objects] | length' "$folder/results.json") ]] ||
        bad "not a line for every cell"
    pictures "$folder" "$charts"
}

# Models are live, and evaluated so; the paper's own experiments are not, nor is what is told to be --stepwise.
study compare live 10 5
json_is '.columns | map(.id)' '["live"]'
json_is '.configs | [.[].stepwise] | unique' '[false]'
check
"$scadyg" train -q g.events "${small[@]}" --seed 2 -o m.scadyg --json run.json
[[ $(jq '.results[0].mrr' run.json) == $(jq '.rows[0].cells.live.mrr.values[1]' live/results.json) ]] || bad "train has another score"
run study compare g.events "${base[@]}" --models scadyg-paper -o alone
exits 0
cp alone/results.json .out
json_is '.columns | map(.id)' '["paper:any","paper:destination"]'

study compare compare 10 6 --stepwise
json_is '.columns | map(.id)' '["paper:any","paper:destination"]'
json_is '[.rows[] | select(.rule) | .series]' \
    '["popularity","edgebank","edgebank-window","pair-recency","pair-then-popularity","markov","item-knn","repeat-then-neighbours"]'
cp compare.printed .out
prints_like '^MRR, test part, '
prints_like '^AP, test part, '
prints_like '^AUC, test part, '
prints_like '^  markov +[0-9.]+\*? +[0-9.]+\*?$'

# The numbers are those of train and eval.
"$scadyg" train -q g.events "${small[@]}" --seed 2 --stepwise -o m.scadyg --json run.json
check
[[ $(jq '.results[1].mrr' run.json) == $(jq '.rows[0].cells["paper:any"].mrr.values[1]' compare/results.json) ]] ||
    bad "train has another score"
check
[[ $(jq '.results[1].baselines.markov.ap' run.json) == $(jq '.rows[] | select(.series == "markov").cells["paper:any"].ap.mean' compare/results.json) ]] ||
    bad "train has another score of a rule"

study ablation ablation 6 2 --stepwise --values pairs,together,time,hypernetwork
json_is '[.rows[] | .series + "/" + .label]' '["scadyg/whole","scadyg/without pairs","scadyg/without together","scadyg-paper/whole","scadyg-paper/without time","scadyg-paper/without hypernetwork"]'
json_is '.configs["scadyg-paper-without-time"].without' '"time"'
json_is '[.rows[].chosen]| unique' '[null]'
json_is '[.rows[].idle] | unique' '[null]'
check
[[ $(awk '/^  scadyg-paper, without time +[-+]/ { print $5; exit }' ablation.printed) == \
    $(jq '.rows[4].cells["paper:any"].mrr.mean - .rows[3].cells["paper:any"].mrr.mean' ablation/results.json |
        awk '{ printf "%+.4f", $1 }') ]] || bad "other differences to the whole" "$(cat ablation.printed)"
# A part that is not there to begin with: the row says that nothing was left out.
run study ablation g.events "${small[@]}" --seeds 1 --models scadyg --values ranking,pairs --binary 1 -o idle
exits 0
prints_like '^  scadyg, without ranking .*  no effect: it learned just as the whole$'
cp idle/results.json .out
json_is '[.rows[].idle]' '[null,null,true]'
study steps steps 5 2
json_is '[.rows[].x]' '[1,2,5,10,20]'
json_is '[.rows[] | select(.chosen)] | length' 1
json_is '(.rows | max_by(.cells.validation.score.mean)).chosen' true
study hops hops 3 2
study interval interval 4 2 --values 10,20 --models scadyg,scadyg-paper
json_is '[.rows[].x]' '[10,5,10,5]'


study efficiency efficiency 8 5 --stepwise
json_is '[.rows[].x]' '[375,750,1500,3000,375,750,1500,3000]'
json_is '[.rows[].cells.cost | keys] | unique | length' 1
json_is '.rows[0].cells.cost | keys' '["evaluation_seconds","parameters","peak_memory_mib","prepare_seconds","train_seconds"]'
json_is '[.rows[].cells.cost[].mean > 0] | all' true
json_is '[.slopes[].parameters | fabs < 1e-9]' '[true,true]'
# Parameters are those that show counts.
json_is '.rows[3].cells.cost.parameters.mean' "$("$scadyg" show --json m.scadyg | jq .parameters)"
check
[[ $(jq '[.epochs[].seconds] | add / length' efficiency/runs/scadyg-paper-half-seed-2.json) == \
    $(jq '.rows[6].cells.cost.train_seconds.values[1]' efficiency/results.json) ]] || bad "other seconds"
check
[[ -z $(find efficiency -name '*.events') ]] || bad "parts of the events are left"
cp efficiency.printed .out
prints_like '^growth with the number of events '
prints_like '^  training epoch, s +scadyg [-0-9.]+ +scadyg-paper [-0-9.]+$'
prints_like '^  scadyg-paper, all events +[0-9,]+$'

study convergence convergence 2 3 --stepwise
json_is '[.curves[] | .series]' '["scadyg","scadyg","scadyg-paper","scadyg-paper"]'
json_is '[.curves[].points | length]' '[3,3,3,3]'
json_is '[.curves[].points | [.[][0]] | . == sort and .[0] > 0] | all' true
json_is '.rows[0].cells.validation.score.values[0] as $best | [.curves[0].points[][1]] | max == $best' true
json_is '[.rows[].cells.cost | .seconds_to_95.mean <= .seconds_to_best.mean and .seconds_to_best.mean <= .seconds.mean] | all' true

# Matrices are those of show, curves begin and end where they should.
study weights weights 5 5
json_is '.weights | keys' '["scadyg-paper"]'
json_is '.weights["scadyg-paper"] | (.nodes | length), (.times | length), (.nodes[0].matrices | length)' '4
4
4'
json_is '[.weights[] | .width as $d | .nodes[].matrices[] | length == $d and (map(length == $d) | all)] | all' true
json_is '[.weights[].nodes[] | .drift | .[0] == [5, 0] and .[-1][0] == 100 and length == 20] | all' true
json_is '[.weights[].nodes[].decay | length] | unique' '[40]'
json_is '[.weights["scadyg-paper"].nodes[].decay | map(.[1]) | .[0] <= 1 and .[0] > 0.9 and .[-1] < 0.2] | all' true
json_is '[.weights[].nodes[].memory | length > 2 and ([.[][0]] | . == sort)] | all' true
json_is '.rows[0].series, .rows[1].label' "\"scadyg-paper\"
\"node $node\""
cp weights.printed .out
prints_like "^  scadyg-paper, node $node +[0-9.]+ "
"$scadyg" train -q g.events "${small[@]}" --model scadyg-paper -o m.scadyg
run study weights g.events "${small[@]}" --seeds 1 -q --node "$other" --node "$node" --at "$last_time" -o two
exits 0
"$scadyg" show m.scadyg g.events --weights "$node" --at "$last_time" --json >shown.json
cp two/results.json .out
json_is '.weights["scadyg-paper"].nodes | map(.id)' "[\"$other\",\"$node\"]"
json_is '.weights["scadyg-paper"].nodes[1].matrices[0]' "$(jq -c .weights shown.json)"
pictures two 5
run study weights g.events "${small[@]}" --seeds 1 -q --models scadyg -o none
exits 1
says 'scadyg study: none of the runs has a result: scadyg for --task link has no node weights'

# The protocol paper has stepwise models, the others have live ones; a row has the cells of both.
study compare both 13 11 --protocols paper,live,dyglib:historical,tgb-link
json_is '.rows[0].cells | keys' '["dyglib:historical","live","paper","tgb-link","validation","validation, live"]'
json_is '.columns | map(.title)' '["paper","live","dyglib:historical, one answer","tgb-link"]'
json_is '.configs | [.scadyg, .["scadyg-live"], .["scadyg-paper"], .["scadyg-paper-live"] | .stepwise]' '[true,false,true,false]'
# Options of eval behind a protocol: what they change is in words above the columns, and the scores are those of eval.
study compare answers 12 7 --models scadyg --no-fallback \
    --protocols dyglib:inductive,dyglib:inductive:answer=pool,tgb-link,tgb-link:reveal=batch,tgb-link:negatives=7:destination
json_is '.columns | map(.title)' '["dyglib:inductive, one answer","dyglib:inductive, answer per pool","tgb-link","tgb-link, in batches of 200","tgb-link:destination, 7 negatives"]'
json_is '.columns | map([.answer, .reveal, .negatives] | map(tostring) | join(" "))' '["one event 1","pool event 1","one event all","one batch all","one event 7"]'
json_is '[.rows[] | select(.rule) | .cells | .["dyglib:inductive"] == .["dyglib:inductive:answer=pool"]] | all' true
cp answers.printed .out
prints_like '^ +dyglib:inductive +dyglib:inductive$'
prints_like '^ +one answer +answer per pool$'
prints_like '^ +in batches of 200$'
prints_like '^ +7 negatives$'
"$scadyg" train -q g.events "${small[@]}" --no-fallback --seed 2 -o m.scadyg
for options in 'dyglib:inductive:answer=pool ap --protocol dyglib --pool inductive --answer pool' \
    'tgb-link:reveal=batch mrr --protocol tgb-link --reveal batch'; do
    read -r column score options <<<"$options"
    check
    # shellcheck disable=SC2086
    [[ $("$scadyg" eval m.scadyg g.events $options --json - | jq ".$score") == \
        $(jq ".rows[0].cells[\"$column\"].$score.values[1]" answers/results.json) ]] || bad "eval has another $column"
done
run report -q answers -o answers.html
exits 0
expect "the page says which answer" grep -q 'dyglib:inductive, answer per pool, mean' answers.html
study compare affinity 4 1 --task affinity
json_is '.columns | map(.id)' '["tgb-node"]'
json_is '.configs | [.scadyg, .["scadyg-paper"] | .stepwise]' '[false,true]'
run study weights g.events --task affinity --steps 20 --epochs 2 --threads 1 --seeds 1 -o affinity-weights
exits 0
cp affinity-weights/results.json .out
json_is '.weights | keys' '["scadyg-paper"]'

# What the README publishes, from the files there are; here they are small ones in the places of the public ones.
bench=$(dirname "$(readlink -f "$0")")/../../bench
mkdir -p public/uci public/trade
"$scadyg" export -q g.events -o public/uci/CollegeMsg.txt.gz
"$scadyg" export -q g.events -o public/trade/cow_trade_edgelist.csv.gz
sed 's/generate --events 100000/generate --events 3000/' "$bench/published.tsv" >published.tsv
some=(--values uci-live,generated,uci,mooc,paper-trade,ablation-uci --steps 20 --epochs 2 --threads 1 --seeds 2)
run study run published.tsv --data public -o published "${some[@]}"
exits 0
says_nothing
prints_like '^== mooc: skipped, no mooc/mooc\.csv\.gz in public$'
prints_like '^uci +paper:any mrr +scadyg +0\.[0-9]+ \+- 0\.[0-9]+  [-+]0\.[0-9]+ \+- 0\.[0-9]+ against [a-z-]+ 0\.[0-9]+$'
prints_like '^uci-live +dyglib:inductive:answer=pool ap +scadyg +0\.'
prints_like '^generated +tgb-link:destination:negatives=100 mrr +scadyg +.* against [a-z-]+ 0\.[0-9]+, [0-9.]+ % of the oracle.s 0\.[0-9]+$'
prints_like '^uci +paper:destination mrr +scadyg-paper:uci +0\.[0-9]+ \+- '
prints_like '^paper-trade +tgb-node ndcg@10 +scadyg-paper:trade +0\.[0-9]+ \+- '
prints_like '^ablation-uci +live mrr +scadyg, without pairs +0\.[0-9]+ \+- 0\.[0-9]+$'
cp published/results.json .out
json_is '[.datasets[].name], .skipped' '["uci-live","generated","uci","paper-trade","ablation-uci"]
["mooc"]'
json_is '.datasets[2].results.configs["scadyg-paper-uci"] | .window, .steps, .epochs' '10
20
2'
check
[[ $(jq -c '.datasets[2].results' published/results.json) == "$(jq -c . published/uci/results.json)" ]] || bad "other results"
pictures published/uci 6
cp published/results.json whole.json
rm published/results.json published/uci/results.json published/uci/runs/scadyg-seed-2.json
run study run published.tsv -q --data public -o published "${some[@]}"
exits 0
silent
expect "the same results" cmp whole.json published/results.json
# The README's tables are made from it.
last="bench/accuracy.sh --markdown"
"$bench/accuracy.sh" --markdown published >.out 2>.err </dev/null
exit_code=$?
exits 0
number='(\*\*)?\.[0-9]{3,4}(\*\*)?( ± \.[0-9]{3,4})?( \(as [a-z0-9 -]+\))?'
baseline='(\*\*)?[a-z-]+ \.[0-9]{3,4}(\*\*)? \| [-+]?\.[0-9]{3,4} ± \.[0-9]{3,4}'
prints_like '^\| data \| events \| scadyg, live MRR \| best baseline \| margin \| seeds \|$'
prints_like "^\| UCI \| 3,000 \| $number \| $baseline \| 2 \|\$"
prints_like "^\| UCI \| paper MRR, any \| $number \|  \| $baseline \| (\*\*)?DyGFormer \.601, ScaDyG \.534(\*\*)? \| \.835( ✓)? \| 2 \|\$"
prints_like "^\| UCI \| dyglib AP, inductive \| $number \| $number \| $baseline \| (\*\*)?PINT \.836, TPNet \.773(\*\*)? \| \.905( ✓)?; \.955( ✓)? \| 2 \|\$"
prints_like "^\| generated \| tgb-link MRR, 100 random, event by event \| $number \|  \| $baseline \| the oracle \.[0-9]{3}: [0-9]+ % \| 90 %( ✓)? \| 2 \|\$"
prints_like '^\| \| UCI, paper MRR, any \| UCI, paper MRR, destination \| COW trade, tgb-node NDCG@10 \|$'
prints_like '^\| markov \| \.[0-9]{3} \| \.[0-9]{3} \| - \|$'
prints_like '^\| without pairs \| [-+]\.[0-9]{3}, [-+]\.[0-9]{3} \|$'

# --until: what is later is not known, and events of one time stay together. The same as of a log that ends there.
{ echo src,dst,time; awk 'BEGIN { for (i = 0; i < 1000; i++) printf "a%d,b%d,%d\n", i % 7, i * i % 11, int(i / 9) }' </dev/null; } >ties.csv
head -n 793 ties.csv >early.csv
for name in ties early; do "$scadyg" import -q $name.csv -o $name.events; done
run study compare ties.events "${small[@]}" --models scadyg --seeds 1 --until 0.8 -o until
exits 0
prints_like '^until +87: the first 792 of 1,000 events$'
"$scadyg" study compare -q early.events "${small[@]}" --models scadyg --seeds 1 -o early
expect "the same scores" cmp until/results.csv early/results.csv
absent until/until.events
cp until/results.json .out
json_is '.data | .events, .until, .log_events' '792
0.8
1000'
run report -q until -o until.html
exits 0
expect "the page says that it was cut" grep -q '792 events, the first of the 1,000 that the log has' until.html
run study efficiency ties.events "${small[@]}" --models scadyg --seeds 1 --until 0.8 -o parts
exits 0
cp parts/results.json .out
json_is '[.rows[].x]' '[99,198,396,792]'
run study run published.tsv --data public -o cut --values uci-live --epochs 2 --threads 1 --seeds 1 --until 0.5
exits 0
prints_like '^The first 0\.5 of the events of each log; the test part is the last of these\.$'
"$bench/accuracy.sh" --markdown cut >.out 2>.err </dev/null
prints_like '^\| UCI \| 1,500 \| '
prints_like ' Every log was cut off after the first 50 % of its events: '
expect "no goal of the whole log" bash -c '! grep -q PINT .out'
sed 's/[0-9]*$/5/; 1s/.*/src,dst,time/' ties.csv >once.csv
fails '^scadyg study: --until 0\.8 leaves no events: no time is over by then$' study compare -q once.csv --until 0.8 -o once

# Files of a list with options of import; what was read in another way is another file.
mkdir -p public/x
sed '1s/.*/batter,pitcher,time,other/; 2,$s/$/,x/' early.csv >public/x/log.csv
printf 'a\tA\tx/log.csv --src batter --dst pitcher\talways\tcompare\nb\tB\tx/log.csv --src pitcher --dst batter\talways\tcompare\n' >list.tsv
run study run list.tsv -q --data public -o sides --epochs 1 --threads 1 --seeds 1
exits 0
silent
cp sides/results.json .out
json_is '[.datasets[].results.data.checksum] | unique | length' 2
json_is '[.datasets[].file]' '["x/log.csv --src batter --dst pitcher","x/log.csv --src pitcher --dst batter"]'
printf 'a\tA\tx/log.csv\talways\tcompare\nb\tB\tgenerate --node 3\talways\tcompare\n' >list.tsv
run study run list.tsv -q --data public -o unclear
exits 2
expect "import says why" grep -q "^scadyg import: public/x/log\.csv: no column name says which is the source" .err
expect "the line of the list" grep -q "^scadyg study: list\.tsv:2: this generate cannot be run: 'generate --node 3'$" .err

# The oracle of a generated graph.
"$scadyg" generate -q --events 3000 --nodes 60 --seed 3 --oracle oracle.csv -o g2.events
hundred=(--models scadyg --seeds 1 --protocols tgb-link:destination:negatives=100)
run study compare g2.events "${small[@]}" "${hundred[@]}" --oracle oracle.csv -o oracle
exits 0
prints_like '^  oracle +0\.[0-9]+$'
check
[[ $(jq '.rows[] | select(.oracle).cells[].mrr.mean * 1e6 | round' oracle/results.json) == \
    $(tail -n 450 oracle.csv | awk -F , '{ sum += 1 / $2 } END { printf "%.0f", sum / NR * 1e6 }') ]] || bad "another mean"
head -n 9 oracle.csv >short.csv
fails '^scadyg study: short\.csv:10:1: the file ends after 8 of 3000 events' \
    study compare -q g2.events "${small[@]}" "${hundred[@]}" --oracle short.csv -o short

# More seeds are added to what is there, fewer are looked at; quiet is quiet.
run study compare g.events "${small[@]}" --stepwise --seeds 3 -o compare
exits 0
prints_like '^run +1/6 +scadyg, seed 1: MRR [0-9.]+ on validation; was there already$'
prints_like '^run +5/6 +scadyg, seed 3: MRR [0-9.]+ on validation, [0-9.]+ s$'
run study compare -q g.events "${base[@]}" --stepwise -o compare
exits 0
silent

# A text log.
"$scadyg" export -q g.events -o log.csv
run study steps log.csv "${small[@]}" --seeds 1 --values 1,2 -o log
exits 0
says_nothing
prints_not ' \+- '
pictures log 2

# Ids are only text, whatever they would mean elsewhere.
n=0
# shellcheck disable=SC2016
for id in '`touch x`' '"; system("touch y")' '<script>' '&' $'\xef\xbf\xbe]]><![CDATA['; do
    n=$((n + 1))
    awk -v busy="$node" -F , -v OFS=, 'NR > 1 { for (i = 1; i <= 2; i++) if ($i == busy) $i = "\t" } 1' log.csv |
        id=${id//\"/\"\"} awk -F '\t' 'NF > 1 { for (i = 1; i < NF; i++) printf "%s\"%s\"", $i, ENVIRON["id"]; $0 = $NF } 1' >odd.csv
    run study weights odd.csv "${small[@]}" --seeds 1 -q -o "odd-$n"
    exits 0
    silent
    pictures "odd-$n" 5
    run report -q "odd-$n" -o "odd-$n.html"
    exits 0
    check
    if grep -Eq '<script|<!\[CDATA' "odd-$n.html" odd-"$n"/charts/*; then bad "the id $id is more than text"; fi
done
absent x
absent y
absent odd-1/charts/x
cp odd-1/results.json .out
json_is '.weights["scadyg-paper"].nodes[0].id' '"`touch x`"'

# A setting that cannot be trained is a result; if all are, the study has failed.
awk 'BEGIN { print "src,dst,time,weight"; for (i = 0; i < 400; i++) printf "a%d,b%d,%d,1e30\n", i % 7, i * i % 11, i }' \
    </dev/null >huge.csv
"$scadyg" import -q huge.csv -o huge.events
run study compare huge.events "${base[@]}" --stepwise -o failed
exits 0
prints_like '^run +2/4 +scadyg-paper, seed 1: failed: the loss is no longer a finite number'
prints_like '^  scadyg-paper .* 2 failed$'
run study compare -q huge.events "${base[@]}" -o failed2 --models scadyg-paper
exits 1
says_like '^scadyg study: none of the runs has a result: the loss is no longer '

# Another study does not go into the same folder.
no() { # LINE ARGUMENTS...
    local line=$1
    shift
    wrong "scadyg study: $line" study "$@"
}
no 'compare has a study with scadyg: --epochs 3, not 4; give another folder' \
    compare g.events "${base[@]/#3/4}" --stepwise -o compare
no 'compare has a study with the kind "compare", not "hops"; give another folder' hops g.events "${base[@]}" -o compare
no 'compare has a study with the protocols ["paper:any","paper:destination"], not ["paper"]; give another folder' \
    compare g.events "${base[@]}" -o compare --protocols paper
no 'compare has a study with scadyg-paper too; give another folder' compare g.events "${base[@]}" --stepwise -o compare --models scadyg
run study compare huge.events "${base[@]}" --stepwise -o compare
exits 2
says_like '^scadyg study: compare has a study with the data checksum '
echo '{' >compare/runs/scadyg-paper-seed-2.json
fails '^scadyg study: compare/runs/scadyg-paper-seed-2\.json:[0-9]+:[0-9]+: .*; remove it to make that run again$' \
    study compare -q g.events "${base[@]}" --stepwise -o compare
echo '{' >compare/study.json
fails '^scadyg study: compare/study\.json:[0-9]+:[0-9]+: ' study compare -q g.events "${base[@]}" -o compare
mkdir -p strange/runs
fails '^scadyg study: strange has a folder .runs. but no strange/study\.json' study compare -q g.events -o strange
fails '^scadyg study: cannot make the folder nowhere/x: No such file' study compare -q g.events -o nowhere/x

# Wrong, before anything is read.
no "unknown kind 'ablations'; did you mean 'ablation'?" ablations x.events -o f
no 'no output folder given; add -o FOLDER' compare x.events
protocols() { # LINE PROTOCOLS
    no "--protocols, '$2': $1" compare x.events -o f --protocols "$2"
}
protocols "--protocol takes one of auto|live|paper|tgb-link|dyglib|tgb-node, not 'papers'" papers
protocols "--pool takes one of auto|any|destination|historical|inductive|random, not 'past'" dyglib:past
protocols "--pool takes one of auto|any|destination|historical|inductive|random, not ''" dyglib:
protocols 'there are two pools, any and historical' dyglib:any:historical
protocols "'anser' is none of answer, reveal, negatives, queries; did you mean 'answer'?" dyglib:anser=pool
protocols "'seeds' is none of answer, reveal, negatives, queries" dyglib:seeds=3
protocols "--answer takes one of one|pool, not 'each'" dyglib:answer=each
protocols '--answer pool is for the protocol dyglib, which has several pools' tgb-link:answer=pool
protocols '--reveal batch is for the protocols tgb-link and dyglib; live shows every event before the next' live:reveal=batch
protocols 'this is too long' "dyglib:queries=$(printf '%060d' 9)"
no '--protocols has paper twice' compare x.events -o f --protocols paper,paper
no 'the protocol tgb-node does not evaluate the task link' compare x.events -o f --protocols tgb-node
no 'study compare varies no option; leave out --values' compare x.events -o f --values 1
no "--values: no model has the part 'pair'; did you mean 'pairs'?" ablation x.events -o f --values pair
no '--window is not an option of scadyg; it is of scadyg-paper' steps x.events -o f --models scadyg
no '--hops must be between 1 and 3, not 7' hops x.events -o f --values 7
no 'study hops varies --hops; say with --values which' hops x.events -o f --hops 2
no '--stepwise follows from --protocols; leave it out' compare x.events -o f --protocols paper --stepwise
no 'the models scadyg and scadyg-paper:mooc cut time into different steps or have different tasks; say which with --steps, --step-rule and --task' \
    compare x.events -o f --stepwise --models scadyg,scadyg-paper:mooc
no 'paper and dyglib are trained for in different ways; study convergence takes one' \
    convergence x.events -o f --protocols paper,dyglib
no '--oracle goes with --protocols tgb-link:destination:negatives=100: it ranks among 100 random destinations' \
    compare x.events -o f --oracle oracle.csv
no '--until must be between 0.01 and 1, not 80' compare x.events -o f --until 80
no '--node is for study weights' compare x.events -o f --node 1
run study weights -q g.events "${small[@]}" -o nobody --node nobody
exits 1
says_like "^scadyg study: none of the runs has a result: .*nobody"
no 'two has a study with the nodes ["'"$other"'","'"$node"'"], not []; give another folder' \
    weights g.events "${small[@]}" --models scadyg -o two
no '--lr is not an option of popularity; it is of scadyg, scadyg-paper' compare x.events -o f --models popularity --lr 0.1
no "there is no model 'scadig'; did you mean scadyg?" compare x.events -o f --models scadig
run study compare x.events -o f --models scadyg:uci
exits 2
says_like "^scadyg study: the preset 'uci' is of --model scadyg-paper"
no '--data is for study run' compare x.events -o f --data public
published=$bench/published.tsv
no 'study run needs the folder of the files: --data DIR' run "$published" -o f
no 'no list of studies given; the usage is: scadyg study KIND X.events -o FOLDER' run -o f --data public
no "--values: $published has no study named 'ucy'; did you mean 'uci'?" run "$published" -o f --data public --values ucy
no 'the list has its own --models and --protocols; leave them out' run "$published" -o f --data public --models scadyg
fails '^scadyg study: cannot read the folder nowhere: ' study run "$published" -o f --data nowhere
fails '^scadyg study: cannot open nowhere\.tsv: No such file' study run nowhere.tsv -o f --data public
mkdir bare
fails '^scadyg study: none of the files is in bare$' study run "$published" -q -o published2 --data bare --values uci,mooc
# Every line of the list is looked at before anything is run; what is wrong is named with its file and line.
list() { # PATTERN LINE
    printf '# a list\n\na\tA\tuci/CollegeMsg.txt.gz\talways\tcompare\n%b\n' "$2" >list.tsv
    fails "^scadyg study: list\.tsv:4: $1" study run list.tsv -o f --data public
}
list 'a line has five columns' 'b\tB\tx.csv\talways'
list 'a line has five columns' 'b B x.csv always compare'
list "a name has letters, .*'\.\./b'" '../b\tB\tx.csv\talways\tcompare'
list "this is not the name of a file in the folder: '/etc/passwd'" 'b\tB\t/etc/passwd\talways\tcompare'
list "this is not the name of a file in the folder: 'x/\.\./\.\./y'" 'b\tB\tx/../../y\talways\tcompare'
list "the fourth column is 'always' or 'named', not 'never'" 'b\tB\tx.csv\tnever\tcompare'
list "the fifth column is a kind of study with its options, not 'run list.tsv'" 'b\tB\tx.csv\talways\trun list.tsv'
list "there are two studies named 'a'" 'a\tB\tx.csv\talways\tcompare'
: >list.tsv
fails '^scadyg study: list\.tsv has no studies$' study run list.tsv -o f --data public
printf 'a\tA\tuci/CollegeMsg.txt.gz\talways\tcompare --lerning 3\n' >list.tsv
run study run list.tsv -q -o wrong --data public
exits 2
expect "the line of the list" grep -q "^scadyg study: list\.tsv:1: this study cannot be run: 'compare --lerning 3'$" .err
# Words of a list are words, whatever they would mean elsewhere.
# shellcheck disable=SC2016
printf 'a\t`touch x`\tuci/CollegeMsg.txt.gz\talways\tcompare --models scadyg --values $(touch${IFS}x)\n' >list.tsv
run study run list.tsv -q -o wrong --data public
exits 2
absent x
# What is published is what the goals are of: the study is in the list, and its column in the study or by itself.
while IFS=$'\t' read -r name column _; do
    check
    grep -Eq "^$name	.*(--stepwise$|[ ,]$column(,|$))" "$published" || bad "there is no $column of $name"
done < <(sed '/^#/d' "$bench/goals.tsv")
no 'hops 2 is there twice; leave out one of the two' hops x.events -o f --values 2,2
fails '^scadyg study: .*nowhere\.events.*No such file' study compare nowhere.events -o f
absent f

done_testing
