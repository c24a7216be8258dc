# shellcheck shell=bash
# Small graphs and models for tests of the commands that use them. Sourced after lib.sh.

small=(--steps 20 --epochs 3 --batch 64 --threads 1)
# What a test of the paper's head adds.
# shellcheck disable=SC2034
paper=(--head paper --train-pool any)
"$scadyg" generate -q --events 3000 --nodes 60 --seed 3 -o g.events || exit 1

# link_model FILE OPTIONS..., affinity_model FILE OPTIONS...: trained on g.events.
link_model() { "$scadyg" train -q g.events "${small[@]}" -o "$@" || { echo "no model"; exit 1; }; }
affinity_model() { "$scadyg" train -q g.events "${small[@]}" --task affinity -o "$@" || { echo "no model"; exit 1; }; }

# The busiest node and the last time, from info.
"$scadyg" info g.events --json >g.json || exit 1
node=$(jq -r '.top_nodes[0].id' g.json)
other=$(jq -r '.top_nodes[1].id' g.json)
last_time=$(jq -r .last_time g.json)
first_time=$(jq -r .first_time g.json)
export node other last_time first_time
