# train: what it prints, saves and keeps; text logs; stopping and going on; baselines; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"

# A line per epoch, two tables, where it was saved.
run train g.events "${small[@]}" -o m.scadyg --json run.json
exits 0
says_nothing
prints_like '^data +3,000 events, '
prints_like '^parts +[0-9,]+ events for training \(70 %\), [0-9,]+ for validation \(15 %\), [0-9,]+ for the test \(15 %\)$'
prints_like '^model +scadyg for the task link, seed 1$'
prints_like '^prepared +in '
prints_like '^epoch +loss +MRR +mean +events/s +seconds'
prints_like '^ +1 +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+( [kM])? +[0-9.]+ +[0-9.]+  \*$'
prints_like '^training +(all 3 epochs|stopped after epoch [0-9]+: no clear gain in 3 epochs); epoch [0-9] is kept, with the best mean of MRR and both APs$'
prints_like '^live protocol, test part, [0-9,]+ queries, among all destinations so far, seed 1$'
prints_like '^  scadyg +[0-9.]+'
prints_like '^  pair-recency +[0-9.]+'
prints_like '^saved +m\.scadyg, [0-9.]+ KiB, [0-9,]+ parameters$'
absent m.scadyg.checkpoint
cp run.json .out
json_is '(.epochs | length) <= 3 and (.epochs | length) >= 1' true
json_is '.epochs[0] | has("loss") and has("validation") and has("events_per_second") and has("seconds")' true
# The star goes by the mean, which is another number than the MRR.
json_is '[.epochs[] | .chosen_by] | unique' '["mean of MRR and both APs"]'
json_is '.best_epoch == (.epochs | max_by(.choice) | .epoch) and .epochs[0].choice != .epochs[0].validation' true
json_is '.ended | test("; epoch [0-9] is kept, with the best mean of MRR and both APs$")' true
json_is '.prepare_seconds >= 0 and .prepare_seconds <= .seconds' true
json_is '.peak_memory_bytes > 1000000 and .peak_memory_bytes < 1000000000' true
json_is '.config.epochs' 3
json_is '.results | map(.pool)' '["destinations seen so far"]'
json_is '.results[0] | .protocol, .part, .seeds' '"live"
"test"
1'

# Same seed, same bytes, for any number of threads; quiet is quiet; another seed is another model.
for threads in 1 2 4; do
    run train -q g.events "${small[@]/#1/$threads}" -o again.scadyg
    exits 0
    silent
    expect "the same bytes" cmp m.scadyg again.scadyg
done
run train -q g.events "${small[@]}" -o other.scadyg --seed 2
check
if cmp -s m.scadyg other.scadyg; then bad "the seed changes nothing"; fi
run train g.events "${small[@]}" -o again.scadyg --json -
exits 0
json_is '.model_file' '"again.scadyg"'

# Without a name for it the model is called after the events and lies where one is.
mkdir -p logs
"$scadyg" export -q g.events -o logs/my.log.csv.gz
run train logs/my.log.csv.gz "${small[@]}"
exits 0
prints_like '^saved +my\.log\.scadyg, '
expect "the model" test -s my.log.scadyg
run train -q g.events "${small[@]}"
exits 0
expect "the same bytes" cmp m.scadyg g.scadyg

# A text log goes through a cache beside it, until it changes.
"$scadyg" export -q g.events -o log.csv
cp log.csv before.csv
run train log.csv "${small[@]}" -o log.scadyg
exits 0
says_nothing
prints_like '^read +log\.csv into log\.csv\.scadyg-cache\.events, '
expect "the cache" test -f log.csv.scadyg-cache.events
expect "the log is as it was" cmp log.csv before.csv
run train log.csv "${small[@]}" -o log2.scadyg
exits 0
prints_like '^read +log\.csv\.scadyg-cache\.events, made from log\.csv earlier$'
expect "the same bytes" cmp log.scadyg log2.scadyg
sleep 0.01
sed '$d' before.csv >log.csv
run train log.csv "${small[@]}" -o log2.scadyg
exits 0
prints_like '^read +log\.csv into '
prints_like '^data +2,999 events'
run train -q log.csv "${small[@]}" -o log2.scadyg
exits 0
silent
gzip -k before.csv
run train before.csv.gz "${small[@]}" -o gz.scadyg
exits 0
prints_like '^data +3,000 events'
if [[ $(id -u) != 0 ]]; then
    mkdir closed models
    cp log.csv closed
    chmod a-w closed
    run train closed/log.csv "${small[@]}" -o models/m.scadyg
    exits 0
    prints_like '^read +closed/log\.csv into models/log\.csv\.[0-9a-f]{8}\.scadyg-cache\.events, '
    run train closed/log.csv "${small[@]}" -o models/m.scadyg
    prints_like 'made from closed/log\.csv earlier$'
    chmod u+w closed
fi
printf 'a,b,soon\n' >bad.csv
fails '^scadyg train: bad\.csv: no column name says which is .*: say --src NAME --dst NAME --time NAME$' train bad.csv -o bad.scadyg
absent bad.scadyg

# Baselines are models too.
for kind in popularity edgebank edgebank-window pair-recency pair-then-popularity markov item-knn \
    repeat-then-neighbours edgebank-recent edgebank-interval edgebank-repeated; do
    run train g.events --steps 20 --model $kind -o h.scadyg
    exits 0
    says_nothing
    prints_like "^model +$kind, a rule without training, for the task link$"
    prints_like "^  $kind +[0-9.]+"
    prints_not '^epoch'
    run show h.scadyg --json
    json_is .model "\"$kind\""
    json_is .parameters 0
done

# Affinity.
run train g.events "${small[@]}" --task affinity -o a.scadyg
exits 0
says_nothing
prints_like '^epoch +loss +NDCG@10 '
prints_not '^split|nan'
prints_like '^tgb-node protocol, test part, '
prints_like '^  persistence +[0-9.]+'
prints_like '^  moving-average +[0-9.]+'
run train g.events --steps 20 --task affinity --model persistence -o p.scadyg
exits 0

# Ctrl-C keeps the checkpoint; --resume ends in the same bytes.
long=(--steps 20 --epochs 20 --patience 20 --batch 32 --threads 1)
run train -q g.events "${long[@]}" -o whole.scadyg
exits 0
stop_training() { # SIGNAL EPOCHS: stops training once so many epochs are printed
    rm -f r.scadyg r.scadyg.checkpoint
    : >.out # the one of the run before must not be taken for this one
    last="train stopped by SIG$1"
    "$scadyg" train g.events "${long[@]}" -o r.scadyg >.out 2>.err &
    local process=$! tries=0
    while [[ $(grep -c '^ *[0-9][0-9]*  ' .out) -lt $2 && $((tries++)) -lt 3000 ]]; do sleep 0.01; done
    kill "-$1" $process 2>/dev/null
    wait $process 2>/dev/null
    exit_code=$?
}
stop_training INT 2
if [[ $exit_code != 0 ]]; then # not over already
    exits 130
    says_like '^scadyg train: interrupted after [0-9]+ epochs; what was learned is in r\.scadyg\.checkpoint, and the same command with --resume goes on$'
    absent r.scadyg
    expect "the checkpoint" test -f r.scadyg.checkpoint
    run train g.events "${long[@]}" -o r.scadyg --resume
    exits 0
    prints_like '^resumed +after epoch [0-9]+; so far the best is number [0-9]+ with MRR [0-9.]+$'
    read -r done best < <(sed -n 's/^resumed .*epoch \([0-9]*\);.*number \([0-9]*\) with.*/\1 \2/p' .out)
    ((best >= 1 && best <= done)) || bad "the best epoch so far" "number $best of $done"
    prints_like '^training +(all [0-9]+ epochs|stopped after epoch [0-9]+: .*); epoch [0-9]+ is kept, '
    absent r.scadyg.checkpoint
    expect "the same bytes as uninterrupted" cmp whole.scadyg r.scadyg
fi
for epochs in 1 5 12; do
    stop_training KILL $epochs
    expect "a checkpoint, or all done" test -f r.scadyg.checkpoint -o -f r.scadyg
    run train -q g.events "${long[@]}" -o r.scadyg --resume
    exits 0
    silent
    expect "the same bytes as uninterrupted" cmp whole.scadyg r.scadyg
done

# Without --resume a checkpoint is not used; --resume without one starts, or sees that all is done.
stop_training KILL 1
if [[ -f r.scadyg.checkpoint ]]; then
    # It is there until a first epoch takes its place.
    cp r.scadyg.checkpoint kept
    run train g.events "${long[@]}" "${paper[@]}" --node-features stored -o r.scadyg
    exits 2
    expect "the checkpoint" cmp kept r.scadyg.checkpoint
    run train g.events "${long[@]}" -o r.scadyg
    exits 0
    prints_like '^checkpoint +r\.scadyg\.checkpoint is of a run that was stopped; --resume would go on from it, '
    absent r.scadyg.checkpoint
    expect "the same bytes" cmp whole.scadyg r.scadyg
fi
run train g.events "${long[@]}" -o r.scadyg --resume
exits 0
prints_like '^saved +r\.scadyg, .*; it was finished before, there is nothing to resume$'
# Other data of the same shape is another training.
"$scadyg" export -q g.events -o - | awk -F, -v OFS=, 'NR == 100 { $2 = last } { last = $2; print }' >other.csv
"$scadyg" import -q other.csv -o other.events
cp r.scadyg o.scadyg
run train other.events "${long[@]}" -o o.scadyg --resume
exits 0
prints_not 'finished before'
run train g.events "${long[@]}" -o r.scadyg --resume
prints_like '^  scadyg +[0-9.]+'
expect "the same bytes" cmp whole.scadyg r.scadyg
run train g.events "${long[@]}" -o r.scadyg --resume --json -
exits 0
json_is '.prepare_seconds' null
rm r.scadyg
run train g.events "${small[@]}" -o r.scadyg --resume
exits 0
prints_like '^resume +there is no checkpoint, so it starts anew$'
expect "the same bytes" cmp m.scadyg r.scadyg
stop_training KILL 1
if [[ -f r.scadyg.checkpoint ]]; then
    run train -q g.events "${long[@]}" --lr 0.1 -o r.scadyg --resume
    check
    [[ $exit_code != 0 ]] || bad "it went on with other options"
    says_like '^scadyg train: .*'
fi

# Logs of every shape: a time far off, a silence, few times. What is done instead is said, and evaluation finds the same parts.
awk -v OFS=, 'BEGIN { print "src,dst,time"; for (i = 0; i < 400; i++) print i % 7, 10 + i * i % 11, (i < 399 ? i : 9e9) }' >far.csv
run train far.csv "${small[@]/#20/100}" --stepwise -o far.scadyg --json far.json
exits 0
prints_like '^note +100 steps of equal length leave a part .*: 100 steps of equal counts are used$'
prints_like '^  scadyg +[0-9.]+'
cp far.json .out
json_is '.notes | length' 1
json_is '.config."step-rule"' '"equal-time"'
run eval far.scadyg far.csv --json -
json_is '.left_out' null
exits 0
awk -v OFS=, 'BEGIN { print "src,dst,time"; for (i = 0; i < 400; i++) print i % 7, 10 + i * i % 11, (i < 300 ? i : 3000 + i) }' >burst.csv
run train burst.csv "${small[@]/#20/100}" --stepwise -o burst.scadyg
exits 0
prints_like '^note +the shares of all 100 steps leave a part .* they are of those steps that have events$'
# A first step, before which nothing is known, that is longer than what is learned from at a time.
run generate --events 30000 --nodes 100 -q -o long.events
run train long.events --stepwise --steps 10 --step-rule equal-count --epochs 1 --no-fallback --no-eval -q -o long.scadyg
exits 0
awk -v OFS=, 'BEGIN { print "src,dst,time"; for (i = 0; i < 400; i++) print i % 7, 10 + i * i % 11, 5 }' >once.csv
fails '^scadyg train: the 400 events have 1 distinct time; training takes at least 4: ' train -q --stepwise once.csv -o m

# Wrong.
wrong "scadyg train: no events file given; the usage is: scadyg train X.events [-o M.scadyg]" train
wrong "scadyg train: a model cannot go to standard output; give -o M.scadyg" train g.events -o -
wrong "scadyg train: ./g.events is the input; give --output another name" train g.events -o ./g.events
wrong "scadyg train: unexpected argument 'h.events'; give one events file" train g.events h.events -o m
wrong "scadyg train: --json and --output are the same file; give two names" train g.events -o m --json m
wrong "scadyg train: unknown option '--epoch'; did you mean '--epochs'?" train g.events --epoch 3
wrong "scadyg train: --task takes one of link|affinity, not 'nodes'" train g.events -o m --task nodes
run train g.events -o m --model persistence
exits 2
says_like '^scadyg train: '
fails '^scadyg train: .*nowhere\.events.*No such file' train nowhere.events -o m
fails '^scadyg train: .*nowhere/m' train g.events "${small[@]}" -q -o nowhere/m
run train - -o m
exits 2
says_like '^scadyg train: standard input '

done_testing
