# tune: what it prints, saves and keeps; stopping and going on; trials that fail; how it refuses.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
# Half of the events will do, where there is no time for more.
[[ -n ${SCADYG_TEST_LONG:-} && -z ${SCADYG_TEST_ROUNDS:-} ]] || "$scadyg" generate -q --events 1500 --nodes 60 --seed 3 -o g.events

base=(--steps 20 --epochs 4 --threads 1)

# A line per trial, the best of them, the command that repeats it, the result as train prints it.
run tune g.events "${base[@]}" --trials 9 -o m.scadyg --json run.json
exits 0
says_nothing
prints_like '^data +(3,000|1,500) events, '
prints_like '^vary +lr +1e-4\.\.0\.1:log$'
prints_like '^search +halving, 9 trials of up to 1 epoch, then 3 trials of up to 4 epochs$'
prints_like '^trial +round +epochs +MRR +seconds +settings$'
prints_like '^ +1 +1 +1 +[0-9.]+ \* +[0-9.]+  lr=[^ ]+ weight-decay=[^ ]+ batch=[^ ]+ hidden=[^ ]+$'
prints_like '^best trials by MRR on the validation part$'
prints_like '^best +trial [0-9]+ of 9, its epoch [0-9]+$'
prints_like '^again +scadyg train g\.events --steps 20 --epochs 4 --lr [^ ]+ .*-o m\.scadyg$'
prints_like '^live protocol, test part, [0-9,]+ queries, among all destinations so far'
prints_like '^  pair-recency +[0-9.]+'
prints_like '^saved +m\.scadyg, [0-9.]+ KiB, '
prints_like '^journal +m\.scadyg\.journal$'
check
[[ $(grep -cE '^ +[0-9]+ +1 +1 +[0-9.]+ ' .out) -ge 9 ]] || bad "not nine trials" "$(cat .out)"
command=$(sed -n 's/^again *//p' .out)
check
[[ -z $(ls m.scadyg.journal.* 2>/dev/null) ]] || bad "something is left" "$(ls)"

# That command makes the same model.
cp m.scadyg tuned.scadyg
cp m.scadyg.journal tuned.journal
rm m.scadyg
expect "the command" bash -c "scadyg() { '$scadyg' \"\$@\"; }; $command --quiet"
expect "the same bytes" cmp m.scadyg tuned.scadyg

cp run.json .out
json_is '.tuning.trials | length' 9
json_is '[.tuning.trials[].trial] == [range(1; 10)]' true
json_is '.tuning.rounds' '[{"trials":9,"epochs":1},{"trials":3,"epochs":4}]'
json_is '.tuning | .method, .score' '"halving"
"MRR"'
json_is '.tuning.best as $b | .tuning.trials[$b - 1].validation == .validation' true
json_is '.tuning.best as $b | [.tuning.trials[].validation] | max == (.[$b - 1])' true
# The first trial is train as it is.
"$scadyg" train --print-config >config.json
json_is '.tuning.trials[0].settings' "$(jq -c '{lr, "weight-decay", batch, hidden} | map_values(tostring)' config.json)"
json_is '.tuning.vary.lr' '"1e-4..0.1:log"'
json_is '.config.epochs' 4
json_is '.results | map(.part) | unique' '["test"]'
check
[[ $(jq -r .tuning.command run.json) == "$command" ]] || bad "another command in the JSON"

# The same seeds, the same bytes, whatever the threads; quiet is quiet; another seed draws other settings.
threads_tried=(1 4) methods=(halving random)
[[ -z ${SCADYG_TEST_LONG:-} ]] || threads_tried=(1 2 4)
[[ -z ${SCADYG_TEST_ROUNDS:-} ]] || threads_tried=(2) methods=(random) # sanitizers are slow
for threads in "${threads_tried[@]}"; do
    run tune -q g.events --steps 20 --epochs 4 --threads $threads --trials 9 -o again.scadyg
    exits 0
    silent
    expect "the same model" cmp again.scadyg tuned.scadyg
    expect "the same journal" cmp again.scadyg.journal tuned.journal
done
run tune -q g.events "${base[@]}" --trials 9 --search-seed 2 -o other.scadyg
exits 0
check
if cmp -s other.scadyg.journal tuned.journal; then bad "the seed changes nothing"; fi
run tune g.events "${base[@]}" --trials 2 -o again.scadyg --json -
exits 0
json_is '.tuning.trials | length' 2

# Options of one's own: what is typed is not varied, what is varied may be anything.
run tune g.events "${base[@]}" --lr 0.01 --hidden 16 --trials 2 -o v.scadyg --journal v.journal
exits 0
prints_not '^vary +lr'
prints_like '^vary +weight-decay '
prints_like '^journal +v\.journal$'
absent v.scadyg.journal
run tune --vary 'without=none|time|hypernetwork,multirate' --method=random g.events "${base[@]}" "${paper[@]}" --vary=hops=1..2 -o v.scadyg
exits 0
prints_like '^search +random, 6 trials of up to 4 epochs; there are no more different settings$'
prints_like ' without=hypernetwork,multirate hops=2$'
run tune g.events --model scadyg-paper --preset uci --steps 20 --epochs 2 --trials 2 --vary 'normalise=none|log' -o v.scadyg
exits 0
prints_like '^again +scadyg train g\.events --preset uci --model scadyg-paper --steps 20 --epochs 2 --normalise '
cp g.events 'a file.events'
run tune 'a file.events' "${base[@]}" "${paper[@]}" --vary 'rates=|0.1,0.01' -o v.scadyg
exits 0
prints_like "^again +scadyg train 'a file\.events' --steps 20 "
run tune g.events "${base[@]}" --trials 1 --vary 'batch=64|128' --memory 64M -o v.scadyg
exits 0
prints_like '^again .* --memory 67108864 -o v\.scadyg$'
run tune g.events "${base[@]}" --task affinity --trials 3 -o v.scadyg
exits 0
prints_like '^trial +round +epochs +NDCG@10 '
prints_like '^tgb-node protocol, test part, '
run tune -q g.events "${base[@]}" --vary 'stepwise=0|1' -o v.scadyg
exits 0
says "scadyg tune: warning: --stepwise changes what the validation score measures; compare its values with care"

# A text log goes through its cache, as in train.
"$scadyg" export -q g.events -o log.csv
run tune log.csv "${base[@]}" --trials 2 -o log.scadyg
exits 0
prints_like '^read +log\.csv into log\.csv\.scadyg-cache\.events, '

# Trials that fail do not end the search, unless all do.
awk 'BEGIN { print "src,dst,time,weight"; for (i = 0; i < 400; i++) printf "a%d,b%d,%d,1e30\n", i % 7, i * i % 11, i }' \
    </dev/null >huge.csv
"$scadyg" import -q huge.csv -o huge.events
run tune huge.events "${base[@]}" "${paper[@]}" --vary 'normalise=none|log' -o f.scadyg --json run.json
exits 0
prints_like '^ +[0-9] +1 +0 +failed +[0-9.]+  normalise=none: the loss is no longer a finite number in epoch 1'
prints_like '^best +trial [0-9] of 2, its epoch [0-9]; 1 failed$'
cp run.json .out
json_is '[.tuning.trials[] | select(.failure != null) | .validation]' '[null]'
run tune -q huge.events "${base[@]}" "${paper[@]}" --vary 'lr=1|2' --normalise none -o f2.scadyg
exits 2
says_like '^scadyg tune: none of the 2 trials has a validation score; trial 1: the loss is no longer '
absent f2.scadyg

# Stopped and killed, it goes on with --resume and ends in the same journal and the same model.
long=(--steps 20 --epochs 9 --patience 9 --batch 64 --hidden 8 --threads 1 --trials 9)
for method in "${methods[@]}"; do
    run tune -q g.events "${long[@]}" --method $method -o whole.scadyg
    exits 0
    stop_tuning() { # SIGNAL TRIALS: stops it once so many trials are printed
        : >.out
        last="tune --method $method stopped by SIG$1"
        "$scadyg" tune g.events "${long[@]}" --method $method -o r.scadyg --resume >.out 2>.err &
        local process=$! tries=0
        while [[ $(grep -c ' lr=' .out) -lt $2 && $((tries++)) -lt 2000 ]] && kill -0 $process 2>/dev/null; do
            sleep 0.01
        done
        kill "-$1" $process 2>/dev/null
        wait $process 2>/dev/null
        exit_code=$?
    }
    rm -f r.scadyg*
    stop_tuning INT 3
    if [[ $exit_code != 0 ]]; then # not over already
        exits 130
        says "scadyg tune: stopped; the trials so far are in r.scadyg.journal, and the same command with --resume goes on"
        absent r.scadyg
    fi
    for trials in 1 2 1; do stop_tuning KILL $trials; done
    run tune g.events "${long[@]}" --method $method -o r.scadyg --resume
    exits 0
    says_nothing
    prints_like '^resumed +after [0-9]+ trials; so far the best is number [0-9] with MRR [0-9.]+$'
    expect "the same model as uninterrupted" cmp whole.scadyg r.scadyg
    expect "the same journal" cmp whole.scadyg.journal r.scadyg.journal
    check
    [[ -z $(find . -name 'r.scadyg.journal.*' ! -name '*.tmp') ]] || bad "something is left" "$(ls)"
done
run tune g.events "${long[@]}" --method random -o r.scadyg --resume
exits 0
prints_like '^saved +r\.scadyg, .*; it was there already$'
expect "the same model" cmp whole.scadyg r.scadyg
rm r.scadyg
run tune -q g.events "${long[@]}" --method random -o r.scadyg --resume
exits 0
expect "the model made again" cmp whole.scadyg r.scadyg
run tune g.events "${long[@]:0:${#long[@]} - 1}" 11 --method random -o r.scadyg --resume
exits 0
prints_like '^resumed +after 9 trials; '
prints_like '^best +trial [0-9]+ of 11, '

# Without --resume the journal is replaced; one of another search is not gone on with.
run tune g.events "${base[@]}" --trials 9 -o m.scadyg
exits 0
prints_like '^journal +m\.scadyg\.journal is of an earlier search; --resume would go on from it, this one replaces it$'
expect "the same journal" cmp m.scadyg.journal tuned.journal
run tune -q g.events "${base[@]}" --trials 9 --search-seed 3 -o m.scadyg --resume
exits 2
says "scadyg tune: the journal m.scadyg.journal is of a search with 'search-seed 1', not 'search-seed 3'"
head -c 300 tuned.journal >m.scadyg.journal
run tune -q g.events "${base[@]}" --trials 9 -o m.scadyg --resume
exits 1
says "scadyg tune: m.scadyg.journal is damaged: its checksum is wrong"
rm m.scadyg.journal
run tune g.events "${base[@]}" --trials 2 -o m.scadyg --resume
exits 0
prints_like '^resume +there is no journal, so it starts anew$'

# Wrong, before anything is read.
no() { # LINE VARY
    wrong "scadyg tune: $1" tune nowhere.events -o m.scadyg --vary "$2"
}
no "--vary: scadyg has no option 'hiden'; did you mean 'hidden'?" 'hiden=16|32'
no "--vary lr: --lr must be between 1e-12 and 10, not 20" 'lr=1..20'
no "--vary takes NAME=VALUES, such as lr=1e-4..0.1:log or hidden=32|64, not 'lr'" lr
for kind in 'task=link|affinity' 'model=scadyg|popularity'; do
    no "--vary ${kind%%=*}: a search is over the options of one kind of model; 'study compare' compares kinds" "$kind"
done
run tune nowhere.events -o m.scadyg --vary 'without=none|tim'
exits 2
says_like "^scadyg tune: --vary without: --without takes none, or some of .*, not 'tim'$"
no "--vary lr: the range 2..1 must begin below its end" 'lr=2..1'
no "--vary: scadyg has no option 'threads'" 'threads=1|2'
wrong "scadyg tune: --lr is given and varied; leave out one of the two" \
    tune nowhere.events -o m --lr 1 --vary 'lr=1|2'
wrong "scadyg tune: popularity is a baseline without training and has nothing to tune" \
    tune nowhere.events -o m --model popularity
wrong "scadyg tune: --trials must be between 1 and 10000, not 0" tune nowhere.events -o m --trials 0
wrong "scadyg tune: --method takes one of halving|random, not 'grid'" tune nowhere.events -o m --method grid
wrong "scadyg tune: no output file given; add -o M.scadyg" tune g.events
wrong "scadyg tune: --journal and --output are the same file; give two names" tune g.events -o m --journal m
wrong "scadyg tune: g.events is the input; give --journal another name" tune g.events -o m --journal g.events
wrong "scadyg tune: unknown option '--trial'; did you mean '--trials'?" tune g.events --trial 3
fails '^scadyg tune: .*nowhere\.events.*No such file' tune nowhere.events -o m
fails '^scadyg tune: cannot write nowhere/j' tune g.events -o m --journal nowhere/j

done_testing
