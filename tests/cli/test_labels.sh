#!/usr/bin/env bash
# A model trained with labels from a file keeps no path of it: it knows the file when it sees it, and asks for it.
. "$(dirname "$0")/lib.sh"

"$scadyg" generate -q --nodes 40 --events 2000 --seed 4 -o g.events
"$scadyg" export -q g.events -o g.csv
node=$(sed -n 2p g.csv | cut -d, -f1)
mkdir secret-folder
{ echo time,node,class,weight; awk -F, 'NR > 1 && NR % 3 == 0 { printf "%d,%s,class%d,1\n", $3 / 50000 * 50000, $1, $2 % 5 }' g.csv; } \
    >secret-folder/labels-of-mine.csv
labels=secret-folder/labels-of-mine.csv
lines=$(wc -l <$labels)
small=(--task affinity --steps 10 --epochs 2)

for kind in scadyg scadyg-paper persistence; do
    run train -q g.events "${small[@]:0:4}" --model $kind --labels "$PWD/$labels" -o $kind.scadyg
    exits 0
    check
    if grep -qa -e secret-folder -e labels-of-mine "$kind.scadyg"; then bad "$kind.scadyg has the path of the labels"; fi
    run show $kind.scadyg
    prints_like "^labels +from a file of $lines lines \(checksum [0-9a-f]{8}\)$"
    run show $kind.scadyg --json
    json_is .labels.lines "$lines"
    json_is .options.labels null
    run eval $kind.scadyg g.events --labels $labels --json -
    exits 0
    says_nothing
    wrong "scadyg eval: the model was trained with labels from a file of $lines lines, which it does not keep; give that file with --labels" \
        eval $kind.scadyg g.events
    run report -q $kind.scadyg g.events --labels $labels -o r.html
    exits 0
    expect "a result" grep -q 'id="test"' r.html
    run report -q $kind.scadyg g.events -o r.html
    exits 0
    expect "the page asks for them" grep -q 'which it does not keep; give that file with --labels' r.html
done

# What needs no labels does without them; the paper's model reads none to predict.
run embed -q scadyg.scadyg g.events -o e.npy
exits 0
silent
run affinity scadyg-paper.scadyg g.events --node "$node" --json
exits 0
cp "$scratch/.out" without.json
run affinity scadyg-paper.scadyg g.events --node "$node" --json --labels $labels
exits 0
says_nothing
expect "the same answer" cmp without.json "$scratch/.out"
for kind in scadyg persistence; do
    wrong "scadyg affinity: the model was trained with labels from a file of $lines lines, which it does not keep; give that file with --labels" \
        affinity $kind.scadyg g.events --node "$node"
    run affinity $kind.scadyg g.events --node "$node" --labels $labels
    exits 0
    says_nothing
    prints_like '^ +1  class[0-4] +[01]\.[0-9]{4}$'
done

# The same file packed, and one that goes on from it, are known; another is taken too, but not unnoticed.
gzip -k $labels
run eval scadyg.scadyg g.events --labels $labels.gz
exits 0
says_nothing
{ cat $labels; tail -n 1 $labels; } >longer.csv
run eval scadyg.scadyg g.events --labels longer.csv
exits 0
says_nothing
sed '2d' $labels >other.csv
run eval scadyg.scadyg g.events --labels other.csv
exits 0
says "scadyg eval: warning: other.csv is not the file of labels that the model was trained with, nor one that goes on from it"
run eval -q scadyg.scadyg g.events --labels other.csv
exits 0
silent
run train -q g.events "${small[@]}" -o derived.scadyg
exits 0
run eval derived.scadyg g.events
exits 0
says_nothing
awk -F, 'NR > 1 { printf "%d,%s,%s,1\n", $3 / 50000 * 50000, $1, $2 }' g.csv >nodes-as-classes.csv
run eval derived.scadyg g.events --labels nodes-as-classes.csv
exits 0
says "scadyg eval: warning: nodes-as-classes.csv takes the place of labels from the events, with which the model was trained"

# A pipe, a folder, nothing: refused at once.
mkfifo pipe
for command in "train g.events ${small[*]} -o x.scadyg" "eval scadyg.scadyg g.events" "report scadyg.scadyg g.events -o x.html" \
    "affinity scadyg.scadyg g.events --node $node"; do
    # shellcheck disable=SC2086
    run $command --labels pipe
    exits 1
    says_like 'cannot read the labels pipe: not a regular file$'
done
fails 'secret-folder is a directory' eval scadyg.scadyg g.events --labels secret-folder
fails 'cannot open absent' eval scadyg.scadyg g.events --labels absent
"$scadyg" train -q g.events --steps 20 --model popularity -o link.scadyg
wrong "scadyg eval: a model of the task link has no labels" eval link.scadyg g.events --labels $labels

# Checkpoints and journals: no path, and going on with other labels is noticed.
cat >stop.sh <<'S'
"$1" train "${@:2}" >/dev/null 2>&1 &
for _ in $(seq 200); do [[ -e x.scadyg.checkpoint ]] && break; sleep 0.05; done
kill -INT $!
wait
S
bash stop.sh "$scadyg" g.events --task affinity --steps 10 --epochs 100000 --patience 100000 --labels $labels -o x.scadyg
expect "a checkpoint" test -s x.scadyg.checkpoint
check
if grep -qa -e secret-folder -e labels-of-mine x.scadyg.checkpoint; then bad "the checkpoint has the path of the labels"; fi
resume=(train -q g.events --task affinity --steps 10 --epochs 100000 --patience 100000 -o x.scadyg --resume)
wrong "scadyg train: the checkpoint x.scadyg.checkpoint is of a training with other labels" "${resume[@]}" --labels other.csv
wrong "scadyg train: the checkpoint x.scadyg.checkpoint is of a training with other labels" "${resume[@]}"
rm x.scadyg.checkpoint
# A training that is finished is known by its labels, wherever they are.
run train g.events "${small[@]}" --labels $labels -o y.scadyg
exits 0
mv secret-folder elsewhere
labels=elsewhere/labels-of-mine.csv
run train g.events "${small[@]}" --labels $labels -o y.scadyg --resume
exits 0
prints_like 'it was finished before, there is nothing to resume'
run train g.events "${small[@]}" --labels other.csv -o y.scadyg --resume
exits 0
prints_not 'it was finished before'
search=(tune g.events "${small[@]}" --vary 'lr=0.001|0.01' --method random --trials 2 -o t.scadyg)
run "${search[@]}" -q --labels $labels
exits 0
check
if grep -qa -e elsewhere -e labels-of-mine t.scadyg t.scadyg.journal; then bad "the journal has the path of the labels"; fi
run "${search[@]}" --labels other.csv --resume
exits 2
says_like '^scadyg tune: the journal t\.scadyg\.journal is of a search with .*labels'
cp $labels moved.csv
run "${search[@]}" --labels moved.csv --resume
exits 0

done_testing
