# bench/alternatives.py: other ways to rank, on the questions of the protocol live. It needs NumPy and more, which tests do
# not: what is not there must be skipped by name, and what is there is tried.
. "$(dirname "$0")/lib.sh"

script=$(dirname "$(readlink -f "$0")")/../../bench/alternatives.py
python=python3
for one in python3 /usr/bin/python3; do
    if "$one" -c 'import numpy' 2>.err; then
        python=$one
        break
    fi
done
"$scadyg" generate -q --kind items --events 3000 --nodes 200 --items 60 --seed 1 -o g.events

alternatives() {
    last="bench/alternatives.py $*"
    "$python" "$script" g.events --scadyg "$scadyg" --threads 1 "$@" >.out 2>.err </dev/null
    exit_code=$?
}

alternatives --only popularity,item-knn,als --refits 2 --json -
exits 0
json_is '[.rows[].name, (.skipped | keys[])] | sort' '["als","item-knn","popularity"]'
json_is '[.rows[] | .mrr, ."hits@10"] | all(. > 0 and . <= 1)' true
json_is '[.rows[] | .seconds >= .fit_seconds and .cpu_seconds > 0 and .peak_mb > 0] | all' true
# The same questions and the same past: the same popularity.
json_is '[.baselines.popularity.mrr as $own | .rows[] | select(.name == "popularity") | .mrr - $own | fabs < 1e-9] | all' true
alternatives --only popularity,item-knn --part validation --negatives 10
exits 0
prints_like '^g\.events, validation part, [0-9]+ queries, candidates: 1 \+ 10$'
prints_like '^popularity +(0\.[0-9]{4}|skipped: python3-numpy is not installed)'
prints_like '^  item-knn +0\.[0-9]{4}'
alternatives --only popularity,itemknn
exits 1
check
grep -q '^there is no itemknn' .err || bad "it does not say so"

# Without any of them.
printf 'import sys\nfor name in ("numpy", "scipy", "xgboost"):\n    sys.modules[name] = None\n' >sitecustomize.py
last="bench/alternatives.py without NumPy"
PYTHONPATH=$PWD "$python" "$script" g.events --scadyg "$scadyg" --only popularity,xgboost >.out 2>.err </dev/null
exit_code=$?
exits 0
prints_like '^popularity +skipped: python3-numpy is not installed'
prints_like '^xgboost +skipped: python3-numpy is not installed'
prints_like '^  pair-recency +0\.[0-9]{4}'

done_testing
