# bench/against: scadyg beside others on one log. What is not built or installed must be skipped by name, and what is there is
# tried; the model in PyTorch is stood in for by a program that only prints figures.
. "$(dirname "$0")/lib.sh"

script=$(dirname "$(readlink -f "$0")")/../../bench/against
unset SCADYG_YARDSTICK
for one in python3 /usr/bin/python3; do
    export SCADYG_PYTHON=$one
    if "$one" -c 'import numpy' 2>.err; then break; fi
done
"$scadyg" generate -q --kind items --events 1200 --nodes 60 --items 30 --edge-features 1 --seed 1 -o g.events

against() {
    last="bench/against $*"
    python3 "$script" "$@" --build "${SCADYG_BUILD:?}" >.out 2>.err </dev/null
    exit_code=$?
}

# The sections, each with scadyg in it or the reason why not.
few=(--threads 1 --rounds 1 --queries 100 --alternatives "popularity,als" --train "--epochs 1" --paper "--epochs 2")
against g.events --json "${few[@]}"
exits 0
says_nothing
json_is '[.log, .events, [.sections[].section]]' '["g.events",1200,["pass","live","paper"]]'
json_is '.sections[0] | if .skipped == {} then [.rows[].name] | unique else .skipped | keys end' \
    "$([[ -x $SCADYG_BUILD/bench/bench_engine ]] && echo '["bare loop, as large as the state","reading the log once","scadyg"]' ||
        echo '["the pass"]')"
json_is '.sections[1] | [.protocol, .part, .queries]' '["live","test",100]'
json_is '.sections[1] | [.rows[] | select(.name | startswith("best baseline") | not) | .name] + (.skipped | keys) | sort' \
    '["als","popularity","scadyg"]'
json_is '.sections[2] | [.protocol, [.rows[] | .name, .epochs], .skipped]' \
    '["paper",["scadyg",2],{"PyTorch":"SCADYG_YARDSTICK is not set"}]'
json_is '[.sections[].rows[] | select(.name == "scadyg") | .ratios[]] | all(. == 1)' true
json_is '[.sections[1, 2].rows[] | .mrr] | all(. > 0 and . <= 1)' true
json_is '[.sections[1, 2].rows[] | select(.name == "scadyg") | .seconds, .peak_bytes] | all(. > 0)' true

# A program in the place of the model in PyTorch: it is told the settings, and a table of whole numbers and times.
printf 'import sys\n' >torch.py
cp torch.py sklearn.py
cat >yardstick.py <<'END'
import csv, json, sys
told = dict(zip(sys.argv[2::2], sys.argv[3::2]))
rows = list(csv.reader(open(sys.argv[1])))
wanted = {"--steps": "40", "--rule": "equal-count", "--n": "5", "--epochs": "2", "--threads": "1", "--hidden": "64"}
assert {name: told[name] for name in wanted} == wanted, told
assert rows[0] == ["src", "dst", "time"] + [f"f{i}" for i in range(8)], rows[0]
nodes = {int(end) for row in rows[1:] for end in row[:2]}
assert len(rows) == 1201 and nodes == set(range(len(nodes))) and len({row[3] for row in rows[1:]}) > 1
print("an epoch")
print("RESULT", json.dumps({"pre": {"wall": 1}, "train_mean": {"wall": 2}, "eval_mean": {"wall": .5}, "n_epochs": 2, "best_epoch": 0,
                            "maxrss_mb": 300, "test": {"mrr_all_logit": .25, "mrr_dst_logit": .125}}))
END
export PYTHONPATH=$PWD SCADYG_YARDSTICK=yardstick.py
paper=(--only paper --threads 1 --paper "--steps 40 --step-rule equal-count --window 5 --epochs 2")
against g.events "${paper[@]}" --json
exits 0
json_is '.sections[0].rows[1] | [.name, .prepare_seconds, .epoch_seconds, .seconds, .stopped_seconds, .best_epoch, .peak_bytes / 1048576, .mrr, .mrr_destination]' \
    '["PyTorch",1,2.5,3.5,6,1,300,0.25,0.125]'
json_is '.sections[0].rows | .[1].ratios.seconds * .[0].seconds / .[1].seconds - 1 | fabs < 1e-9' true

# Text, as a table. What the other program has no words for.
"$scadyg" export -q g.events -o g.csv
against g.csv "${paper[@]}"
exits 0
prints_like '^g\.csv: 1,200 events, [0-9]+ nodes; '
prints_like "^the paper's model, stepwise\$"
prints_like '^  MRR: protocol paper, test part, [0-9]+ queries, 100 negatives of any node'
prints_like '^  scadyg +1 .* 0\.[0-9]{4} +0\.[0-9]{4}$'
prints_like '^  PyTorch +1 .* 0\.2500 +0\.1250$'
against g.events --only paper --threads 1 --paper "--epochs 1 --normalise log"
exits 0
prints_like '^  PyTorch +skipped, it knows nothing of --normalise$'
SCADYG_YARDSTICK=none.py against g.events --only paper --threads 1 --paper "--epochs 1"
exits 0
prints_like '^  PyTorch +skipped, none\.py is not there$'
printf 'sklearn = None\nraise ImportError\n' >torch.py
against g.events --only paper --threads 1 --paper "--epochs 1"
exits 0
prints_like '^  PyTorch +skipped, .* has no torch or no sklearn$'

# What fails is told, with what was measured before it.
: >torch.py
printf 'print("nothing")\n' >other.py
SCADYG_YARDSTICK=other.py against g.events --only paper --threads 1 --paper "--epochs 1"
exits 1
prints_like '^  scadyg +1 '
prints_like '^  failed: other\.py: its last line is not a RESULT with all figures$'
against none.events g.events --only paper --threads 1 --paper "--epochs 0x" --json
exits 1
json_is '.sections[0].failed | test("0x")' true
check
grep -q '^bench/against: none\.events: .*No such file' .err || bad "it does not name the file"

# Wrong usage.
usage() {
    local line=$1
    shift
    against "$@"
    exits 2
    prints_nothing
    check
    [[ $(tail -n 1 .err) == "bench/against: error: $line" ]] || bad "expected: $line" "$(tail -n 1 .err)"
}
usage "the following arguments are required: LOG"
usage "argument --only: there is no 'learn': say some of pass, live, paper" g.events --only live,learn
usage "argument --alternatives: there is no 'knn': say some of popularity, item-knn, als, xgboost" g.events --alternatives knn
usage "argument --threads: '0' is no whole number above 0" g.events --threads 0
usage "--tmp nowhere is no directory" g.events --tmp nowhere
against --help
exits 0
prints_like '^  pass   one pass over the log'

done_testing
