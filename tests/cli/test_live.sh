# Live by default: logs of any shape are trained on, and what was appended is seen in the very next ranking.
. "$(dirname "$0")/lib.sh"

quick=(--epochs 2 --hidden 8 --no-fallback --threads 1)

# shape NAME AWK-PROGRAM: the rows of a log; t is the time of row i of n. Trains on it and asks the model.
shape() {
    awk "function row(t) { printf \"%d,%d,%.3f\\n\", i * 7919 % 23, 100 + i * i % 17, t }
        BEGIN { print \"src,dst,time\"; srand(1); n = ${3:-300}; for (i = 0; i < n; i++) { $2 } }" </dev/null >"$1.csv"
    rm -f "$1".scadyg "$1".csv.scadyg-cache.events
    run train "$1.csv" "${quick[@]}" -o "$1.scadyg" --json "$1.json"
    exits 0
    cp .out "$1.out"
    cp .err "$1.err"
    run rank "$1.scadyg" "$1.csv" --source "$(awk -F, 'END { print $1 }' "$1.csv")" --top 3 --json
    exits 0
    json_is '.ranking | length' 3
    cp "$1.out" .out
    cp "$1.err" .err
}
evaluated() {
    prints_like '^live protocol, test part, '
    prints_not '^note '
}
blind="there is no validation part: it trains for 2 epochs and keeps the last"

shape steady 'row(i)'
evaluated
shape silence 'row(i < 295 ? i : 1e7 + i)' # a long one before a last burst
evaluated
shape burst 'row(i < 100 ? i : i < 250 ? 100 : i)' # half of it at one time
prints_like '^note +a validation part would have 5 events, too few to choose by: there is none$'
prints_like '^live protocol, test part, '
shape early 'row(i < 200 ? 0 : i)'
evaluated
shape outlier 'row(i < 299 ? i : 1e12)'
evaluated
shape before 'row(i ? 1e12 + i : 0)'
evaluated
shape grows 'row(sqrt(i))'
evaluated
shape coarse 'row(int(i / 60))' # five times
evaluated
shape long 'row(int(exp(i / 300)))' 3000
evaluated

# Few events say nothing as a test, but are no reason to stop.
shape few 'row(i)' 20
prints_like '^note +a test part would have 3 events, which is too few to evaluate by: there is none$'
prints_like '^note +a validation part would have 3 events, too few to choose by: there is none$'
prints_like '^parts +20 events for training'
prints_not '^live protocol'

# Where a part has no place it is said, and the rest is done.
shape three 'row(int(i / 100))'
prints_like "^note +$blind$"
prints_like '^live protocol, test part, '
prints_like '^ +1 +[0-9.]+ +- ' # no validation score
shape last 'row(i < 290 ? i % 2 : 2)' # in no order, and most at the first two times
prints_like "^note +$blind$"
shape two 'row(i < 150)'
prints_like "^note +$blind$"
prints_like '^note +there is no test part: the model is not evaluated$'
prints_not '^live protocol'
shape same 'row(5)'
prints_like '^note +all events have the same time, so there is nothing to learn from: the model is the baseline pair-then-popularity$'
prints_like '^note +there is no test part: the model is not evaluated$'
run show same.scadyg --json
json_is .model '"pair-then-popularity"'

# Every destination of a part is new: there is nothing to rank in it.
awk 'BEGIN { print "src,dst,time"; for (i = 0; i < 300; i++) printf "%d,%d,%d\n", i % 9, (i < 210 || i > 254 ? 100 + i % 11 : 1000 + i), i }' \
    </dev/null >new.csv
run train new.csv "${quick[@]}" -o new.scadyg
exits 0
prints_like '^note +nothing of the validation part can be evaluated: it trains for 2 epochs and keeps the last$'
prints_like '^live protocol, test part, '
awk 'BEGIN { print "src,dst,time"; for (i = 0; i < 300; i++) printf "%d,%d,%d\n", i % 9, (i < 255 ? 100 + i % 11 : 1000 + i), i }' \
    </dev/null >end.csv
run train end.csv "${quick[@]}" -o end.scadyg
exits 0
prints_not '^live protocol'
says_like '^scadyg train: warning: no test result: there is nothing to evaluate: no event of the part goes to a destination that was seen before$'
expect "a model" test -s end.scadyg

# All of it, by word: no parts and no scores, and without a number of epochs a stated one.
run train steady.csv --hidden 8 --no-fallback --threads 1 --train-share 1 -o all.scadyg --json all.json
exits 0
prints_like '^note +there is no validation part: it trains for 5 epochs \(--epochs says another number\) and keeps the last$'
expect "five epochs" jq -e '.epochs | length == 5' all.json
run train steady.csv --hidden 8 --no-fallback --threads 1 --train-share 1 --epochs 7 -o all.scadyg --json all.json
exits 0
expect "seven epochs" jq -e '.epochs | length == 7' all.json
run eval -q all.scadyg steady.csv
exits 2
says_like '^scadyg eval: there is nothing to evaluate: the model has learned from the events up to 299, and the log ends at 299; later events would be its test part$'
run train steady.csv "${quick[@]}" --train-share 1 -o all.scadyg --json all.json
exits 0
prints_like "^note +$blind$"
prints_like '^note +there is no test part: the model is not evaluated$'
expect "no results" jq -e '(.results // []) | length == 0' all.json

# Half the events are in the last tenth of the time: the model learns from 70 % of the events, not of the time.
awk 'BEGIN { print "src,dst,time"; for (i = 0; i < 1000; i++) printf "%d,%d,%d\n", i % 13, 50 + i * i % 19, i < 500 ? i * 100 : 50000 + i }' \
    </dev/null >late.csv
run train late.csv "${quick[@]}" -o late.scadyg --json late.json
exits 0
expect "shares of the events" jq -e '.results[0].parts | [.training.events, .validation.events, .test.events] == [700, 150, 150]' late.json
# ... and stepwise of the steps; where the shape leaves a part empty, other steps are taken, and it is said.
run train late.csv "${quick[@]}" --stepwise -o stepwise.scadyg --json late.json
exits 0
expect "shares of the steps" jq -e '.results[0].protocol == "paper" and .results[0].parts.training.events < 400' late.json
run train silence.csv "${quick[@]}" --stepwise -o other.scadyg
exits 0
prints_like '^note +.*leave a part with no or hardly any events: .*'

# ---- What was appended is seen at once ----

"$scadyg" generate -q --events 3000 --nodes 60 --seed 3 -o g.events
"$scadyg" export -q g.events -o g.csv
"$scadyg" train -q g.csv --epochs 2 --threads 1 -o g.scadyg
"$scadyg" train -q g.csv --epochs 2 --threads 1 --stepwise -o steps.scadyg
IFS=, read -r source _ last _ < <(tail -n 1 g.csv)
last_destination=$(tail -n 1 g.csv | cut -d, -f2)
# Somebody it does not rank first, now and once more.
fresh=$(awk -F, -v s="$source" -v d="$last_destination" 'NR > 1 { all[$2]; if ($1 == s) met[$2] } END { for (n in all) if (!(n in met) && n != s && n != d) { print n; exit } }' g.csv)
ranking() { # MODEL LOG: the nodes in their order, with scores, right after the last event
    local last
    last=$(tail -n 1 "$2" | cut -d, -f3)
    run rank "$1" "$2" --source "$source" --top 60 --at "$(awk -v t="$last" 'BEGIN { printf "%.6f", t + 1 }')" --json
    exits 0
}
place() { json "[.ranking[].node] | index(\"$fresh\") // index($fresh)"; }
ranking g.scadyg g.csv
before=$(place)
cp .out before.json
{ cat g.csv; echo "$source,$fresh,$(awk -v t="$last" 'BEGIN { printf "%.3f", t + 0.5 }')"; } >more.csv
ranking g.scadyg more.csv
after=$(place)
expect "another ranking after one event" test "$(jq -c .ranking .out)" != "$(jq -c .ranking before.json)"
expect "the new partner is ahead of where it was: $before, then $after" test "$after" -lt "$before"
# A stepwise model does not look into the step that is going on.
ranking steps.scadyg g.csv
cp .out before.json
ranking steps.scadyg more.csv
expect "the same ranking, stepwise" test "$(jq -c '[.ranking[].score]' .out)" = "$(jq -c '[.ranking[].score]' before.json)"

done_testing
