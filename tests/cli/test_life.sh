# The life of a model: saved before it is scored, refit on all events, gone on from, and checkpoints that are models.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
links=("${small[@]}" --no-fallback) # so little is learned that a baseline would be taken instead

# ---- Without a score, with few queries ----

run train g.events "${links[@]}" --no-eval -o n.scadyg --json n.json
exits 0
says_nothing
prints_not '^live protocol'
expect "no results" jq -e '.results == [] and .refit == false and .from == null' n.json
run eval n.scadyg g.events --json -
exits 0
scores=$(json '[.mrr, .queries]')
run train g.events "${links[@]}" -o m.scadyg --json m.json
exits 0
expect "the scores that eval has" test "$(jq -c '.results[0] | [.mrr, .queries]' m.json)" = "$scores"
run train -q g.events "${links[@]}" --queries 100 -o few.scadyg --json few.json
exits 0
expect "a hundred queries" jq -e '.results[0] | .queries == 100 and .of > 300 and .one_in == null' few.json
run train g.events "${links[@]}" --queries few -o few.scadyg
exits 2

# Scored later, by --resume: the same bytes as at once.
run train g.events "${links[@]}" -o n.scadyg --resume
exits 0
prints_like '^live protocol, test part'
expect "the same bytes" cmp m.scadyg n.scadyg
run train g.events "${links[@]}" -o n.scadyg --resume
prints_like '; it was finished before, there is nothing to resume$'

# Ctrl-C while it is being scored leaves a model, and says so.
"$scadyg" generate -q --events 20000 --nodes 3000 --seed 4 -o large.events
quick=(--epochs 1 --hidden 8 --no-fallback --threads 1)
last="train, stopped while it is scored"
"$scadyg" train large.events "${quick[@]}" --queries all -o stopped.scadyg >.out 2>.err &
process=$! tries=0
while [[ ! -e stopped.scadyg && $((tries++)) -lt 3000 ]]; do sleep 0.01; done
kill -INT $process 2>/dev/null
wait $process
exit_code=$?
exits 130
says "scadyg train: stopped; the model is in stopped.scadyg, without scores: the same command with --resume makes them, or scadyg eval"
absent stopped.scadyg.checkpoint
run rank stopped.scadyg large.events --source 1 --top 3 --json
exits 0
json_is '.ranking | length' 3
run show stopped.scadyg --json
json_is '[.results, .refit, .unfinished]' '[null,false,false]'

# ---- Refit ----

run train g.events "${links[@]}" --refit -o r.scadyg --json r.json
exits 0
says_nothing
prints_like '^refit +on all 3,000 events, [0-9]+ epochs?$'
prints_like '^These are the scores of the first training; the model has learned from all events since\.$'
absent r.scadyg.checkpoint
absent r.scadyg.refit.checkpoint
what='[.best_epoch, .validation, .results]'
expect "epochs and scores of the first training" test "$(jq -c "$what" r.json)" = "$(jq -c "$what" m.json)"
expect "it says so" jq -e ".refit == true and .learned_until == $last_time" r.json
run show r.scadyg
prints_like '^refit +trained once more on all events up to .*, for [0-9]+ epochs?; the scores are of the first training$'
run show r.scadyg --json
json_is "[.refit, .learned_until == $last_time]" '[true,true]'
run show m.scadyg --json
json_is "[.refit, .learned_until < $last_time]" '[false,true]'
run rank r.scadyg g.events --source "$node" --json
cp .out refit.json
run rank m.scadyg g.events --source "$node" --json
expect "it ranks as another model" test "$(jq -c .ranking refit.json)" != "$(json .ranking)"
for kind in "" "--model scadyg-paper" "--task affinity"; do
    # shellcheck disable=SC2086
    run train -q g.events "${small[@]}" $kind --refit --no-eval -o k.scadyg
    exits 0
    run eval k.scadyg g.events
    exits 2
    says 'scadyg eval: there is nothing to evaluate: the model was refit on all of these events; the scores of its first training are in it (scadyg show)'
done
# A longer log has something that it does not know.
"$scadyg" export -q g.events -o g.csv
head -n 2401 g.csv >short.csv
run train -q short.csv "${links[@]}" --refit -o s.scadyg
exits 0
run eval -q s.scadyg g.csv --json s.json
exits 0
expect "only what is new is scored" jq -e '.parts.test.events == 600' s.json
run train g.events "${links[@]}" --train-share 1 --refit -o all.scadyg
exits 0
prints_like '^refit +there is nothing to do: it has learned from all events already$'
run train g.events --model popularity --refit -o h.scadyg
exits 2
says 'scadyg train: popularity is a rule without training: there is nothing to refit'

# Stopped between the two trainings, or in the second: the same bytes. (robust/resume.sh kills at any moment.)
run train -q g.events "${links[@]}" -o two.scadyg
run train g.events "${links[@]}" --refit -o two.scadyg --resume
exits 0
prints_not '^epoch +loss.*\n.*\n.*MRR 0'
expect "the same bytes" cmp r.scadyg two.scadyg
run train g.events "${links[@]}" --refit -o two.scadyg --resume
prints_like '; it was finished before, there is nothing to resume$'
# Without --refit it is another model.
run train -q g.events "${links[@]}" -o two.scadyg --resume
exits 0
expect "the same bytes" cmp m.scadyg two.scadyg

# ---- Checkpoints ----

# A number of epochs that is raised when it goes on ends in the same bytes.
long=(--steps 20 --batch 32 --patience 30 --threads 1)
run train -q g.events "${long[@]}" --epochs 12 -o whole.scadyg
stop_after() { # EPOCHS...: options of a training that is killed after two epochs
    rm -f c.scadyg c.scadyg.checkpoint
    : >.out
    "$scadyg" train g.events "${long[@]}" "$@" -o c.scadyg >.out 2>.err &
    local process=$! tries=0
    while [[ $(grep -c '^ *[0-9][0-9]*  ' .out) -lt 2 && $((tries++)) -lt 3000 ]]; do sleep 0.01; done
    kill -KILL $process 2>/dev/null
    wait $process 2>/dev/null
}
stop_after --epochs 1000000
expect "a checkpoint" test -s c.scadyg.checkpoint
done=$("$scadyg" show c.scadyg.checkpoint --json | jq .epochs)
run show c.scadyg.checkpoint
exits 0
prints_like "^unfinished +a checkpoint: the best of $done so far$"
run show c.scadyg.checkpoint --json
json_is .unfinished true
run rank c.scadyg.checkpoint g.events --source "$node" --top 3 --json
exits 0
json_is '.ranking | length' 3
run eval c.scadyg.checkpoint g.events --json -
exits 0
json_is '.mrr > 0' true
run train g.events "${long[@]}" --epochs 1 -o c.scadyg --resume
exits 2
says "scadyg train: the checkpoint c.scadyg.checkpoint has $done epochs already, more than --epochs 1"
run train g.events "${long[@]/30/29}" --epochs 1000000 -o c.scadyg --resume
exits 2
says "scadyg train: the checkpoint c.scadyg.checkpoint is of a training with --patience 30; when it goes on it may be more, not 29"
if ((done <= 12)); then
    run train -q g.events "${long[@]}" --epochs 12 -o c.scadyg --resume
    exits 0
    expect "the same bytes as with so many from the beginning" cmp whole.scadyg c.scadyg
    absent c.scadyg.checkpoint
fi

# ---- Going on from a model ----

run train -q short.csv "${links[@]}" -o old.scadyg
exits 0
cp old.scadyg kept
run train --from old.scadyg g.csv --threads 1 -o new.scadyg --json new.json
exits 0
says_nothing
expect "the model is as it was" cmp old.scadyg kept
expect "its options" jq -e '.config.epochs == 3 and .config.batch == 64 and .from == "old.scadyg"' new.json
expect "the parts of the longer log" jq -e '.results[0].parts | [.training.events, .validation.events, .test.events] == [2100, 450, 450]' new.json
run show new.scadyg
prints_like '^from +it went on from another model$'
run train -q --from old.scadyg g.csv --threads 2 -o again.scadyg
expect "the same bytes for any number of threads" cmp new.scadyg again.scadyg
run train --from old.scadyg g.csv --threads 1 -o again.scadyg --resume
prints_like '; it was finished before, there is nothing to resume$'
# From a refit model: what it does not know yet is shared out.
run train -q --from s.scadyg g.csv --threads 1 --refit -o nightly.scadyg --json nightly.json
exits 0
expect "parts of what is new" jq -e '.results[0].parts | [.training.events, .validation.events, .test.events] == [2820, 90, 90]' nightly.json
expect "and then all of it" jq -e ".refit and .learned_until == $last_time" nightly.json
for kind in "--model scadyg-paper" "--model scadyg-paper --no-stepwise" "--task affinity" "--model scadyg-paper --task affinity"; do
    # shellcheck disable=SC2086
    run train -q short.csv "${small[@]}" $kind -o k.scadyg
    exits 0
    run train -q --from k.scadyg g.csv --threads 1 -o k2.scadyg --json k.json
    exits 0
    expect "a model that went on ($kind)" jq -e '.from == "k.scadyg" and (.results | length) > 0' k.json
done

# Refused with a sentence.
run train -q --from old.scadyg g.csv --lr 0.5 -o no.scadyg
exits 2
says "scadyg train: the model to go on from was trained with --lr '0.002', not '0.5'; only a training from the beginning can have another"
wrong "scadyg train: old.scadyg was trained with --model scadyg, not popularity; leave out --model" \
    train --from old.scadyg g.csv --model popularity -o no.scadyg
wrong "scadyg train: old.scadyg was trained with --task link, not affinity; leave out --task" \
    train --from old.scadyg g.csv --task affinity -o no.scadyg
wrong "scadyg train: --from takes the options of its model; leave out --preset" \
    train --from old.scadyg g.csv --preset uci -o no.scadyg
run train --from old.scadyg g.csv -o old.scadyg
exits 2
expect "the model is as it was" cmp old.scadyg kept
run train -q --from r.scadyg g.events -o no.scadyg
exits 2
says_like '^scadyg train: there is too little to go on with: after .*, up to which the model was trained, the log has no events$'
rule_model rule.scadyg popularity
run train -q --from rule.scadyg g.events -o no.scadyg
exits 2
says 'scadyg train: popularity is a rule without training: there is nothing to go on from'
fails '^scadyg train: g\.events is not a model file' train --from g.events g.csv -o no.scadyg
absent no.scadyg

done_testing
