# backtest: several cuts of a log, mean and spread; each row is what train says of the same events; nothing is left.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"

quick=(--epochs 2 --hidden 8 --no-fallback --threads 1)
mkdir tmp
export TMPDIR=$PWD/tmp
run backtest g.events "${quick[@]}" --json b.json
exits 0
says_nothing
prints_like '^cut +events +queries +model +baseline +difference$'
check
[[ $(grep -cE '^[0-9.]+ +[12],[0-9]{3} +[0-9]+ +0\.[0-9]{4} +0\.[0-9]{4} +[-+]0\.[0-9]{4} \+- 0\.[0-9]{4}$' .out) == 5 ]] ||
    bad "not five rows" "$(cat .out)"
prints_like '^mean +0\.[0-9]{4} +0\.[0-9]{4} +[-+]0\.[0-9]{4}$'
prints_like '^spread +0\.[0-9]{4} +0\.[0-9]{4} +0\.[0-9]{4}$'
check
[[ $(wc -L <.out) -le 80 ]] || bad "wider than 80 columns"
check
[[ -z $(ls -A tmp) ]] || bad "something is left" "$(ls -A tmp)"
cp b.json .out
json_is '[.cuts[].events_before]' '[1500,1800,2100,2400,2700]'
json_is '[.cuts[].result.parts.test.events]' '[300,300,300,300,300]'
json_is '.cuts[0].result.parts | [.training.events, .validation.events]' '[1235,265]'
# Mean and spread by hand.
json_is '[.cuts[].result.mrr] as $x | ($x | add / 5) as $m |
    [(.model.mean - $m | fabs) < 1e-12, (.model.std - ($x | map(. - $m | . * .) | add / 4 | sqrt) | fabs) < 1e-12]' '[true,true]'
json_is '([.cuts[].result.difference] | add / 5) - .difference.mean | fabs < 1e-12' true

# A row is what train says of the events up to the next cut.
"$scadyg" export -q g.events -o g.csv
head -n 2401 g.csv >part.csv
run train -q part.csv "${quick[@]}" --train-share 0.7205882352941176 --validation-share 0.15441176470588236 -o part.scadyg --json part.json
exits 0
expect "the row of the third cut" test "$(jq -c '.cuts[2].result | [.mrr, .difference, .queries]' b.json)" = \
    "$(jq -c '.results[0] | [.mrr, .difference, .queries]' part.json)"

# Other cuts; a baseline; JSON alone; quiet.
run backtest g.csv "${quick[@]}" --cuts 2 --begin 0.8 --queries 50 --json -
exits 0
json_is "[.cuts[] | [.events_before, .result.queries]]" "[[2400,50],[2700,50]]"
run backtest -q g.events --model popularity --cuts 3
exits 0
silent

# Stopped: nothing is left.
"$scadyg" generate -q --events 20000 --nodes 2000 --seed 4 -o large.events
last="backtest, stopped"
"$scadyg" backtest large.events --threads 1 >.out 2>.err &
process=$!
sleep 1
kill -INT $process
wait $process
exit_code=$?
exits 130
says_like '^scadyg backtest: stopped'
check
[[ -z $(ls -A tmp) ]] || bad "something is left" "$(ls -A tmp)"

# Wrong.
wrong "scadyg backtest: no events file given; the usage is: scadyg backtest X.events" backtest
wrong "scadyg backtest: it cuts the events, and --task affinity has its labels cut; it is for --task link" \
    backtest g.events --task affinity
wrong "scadyg backtest: it cuts the events, and --stepwise cuts whole steps; add --no-stepwise" \
    backtest g.events --model scadyg-paper
printf 'src,dst,time\na,b,1\nb,a,1\na,b,2\nb,a,2\n' >two.csv
run backtest -q two.csv
exits 1
says 'scadyg backtest: none of the 5 cuts has at least 10 events of other times behind it: the log is too small, or has too few different times; scadyg train tests on its last part alone'

# The last third is of one time: as many cuts as there is room for, and it is said.
awk 'BEGIN { print "src,dst,time"; for (i = 0; i < 300; i++) print i % 9 "," 100 + i % 11 "," (i < 200 ? i : 200) }' </dev/null >tie.csv
run backtest tie.csv "${quick[@]}" --cuts 3 --json tie.json
exits 0
prints_like '^note +3 cuts were asked for; the others have too few events of other$'
expect "two cuts" jq -e '[.cuts[].events_before] == [150,200]' tie.json
# At the last cut everything goes to new destinations: the others count.
awk 'BEGIN { print "src,dst,time"; for (i = 0; i < 300; i++) print i % 9 "," (i < 270 ? 100 + i % 11 : 1000 + i) "," i }' </dev/null >new.csv
run backtest new.csv "${quick[@]}" --json new.json
exits 0
prints_like '^270 +270 +0 +- +- +-$'
prints_like '^-: there is nothing to evaluate: no event of the part goes to a destination that was seen before$'
expect "the mean of four" jq -e '(.cuts[:4] | map(.result.mrr) | add / 4) - .model.mean | fabs < 1e-12' new.json
expect "the reason" jq -e '.cuts[4].result == null and (.cuts[4].reason | startswith("there is nothing to evaluate"))' new.json

done_testing
