# shellcheck shell=bash
# Small graphs and models for tests of the commands that use them. Sourced after lib.sh.

small=(--steps 20 --epochs 3 --batch 64 --threads 1)
# What a test of the paper's model adds.
# shellcheck disable=SC2034
paper=(--model scadyg-paper)
"$scadyg" generate -q --events 3000 --nodes 60 --seed 3 -o g.events || exit 1

# link_model FILE OPTIONS..., affinity_model FILE OPTIONS...: trained on g.events; those that several tests use were
# trained before all tests (fixtures.sh). So little is learned that a baseline would often be taken instead.
link_model() { made "link${*:2}" "$1" || "$scadyg" train -q g.events "${small[@]}" $(itself "$@") -o "$@" || no_model; }
itself() { [[ " $* " == *' --model '* ]] || echo --no-fallback; }
affinity_model() { made "affinity${*:2}" "$1" || "$scadyg" train -q g.events "${small[@]}" --task affinity -o "$@" || no_model; }
# A rule learns nothing, so it takes no options of learning.
rule_model() { "$scadyg" train -q g.events --steps 20 --model "$2" -o "$1" || no_model; }
made() { cp "${SCADYG_FIXTURES:-nowhere}/$1" "$2" 2>/dev/null; }
no_model() { echo "no model"; exit 1; }

# The busiest node and the last time, from info.
"$scadyg" info g.events --json >g.json || exit 1
node=$(jq -r '.top_nodes[0].id' g.json)
other=$(jq -r '.top_nodes[1].id' g.json)
last_time=$(jq -r .last_time g.json)
first_time=$(jq -r .first_time g.json)
export node other last_time first_time
