# show: what is in a model file, and the matrix of a node; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
link_model m.scadyg "${paper[@]}" --window 5
affinity_model a.scadyg

run show m.scadyg
exits 0
says_nothing
prints_like '^m\.scadyg, [0-9.]+ KiB$'
prints_like '^task +link$'
prints_like '^model +scadyg-paper, messages of 8 numbers, 64 hidden units$'
prints_like '^data +g\.events \(checksum [0-9a-f]{8}\)$'
prints_like '^ +3,000 events, '
prints_like '^(options)? +--window 5$'
prints_like '^ +--epochs 3$|^options +--epochs 3$'
prints_not '--lr'
prints_like '^training +[0-9]+ epochs?, the best was number [0-9]+ with MRR 0\.[0-9]{4} on the validation part$'
prints_like '^parameters +[0-9,]+$'
prints_like '^ +fc1\.weight +16 x 64$'
prints_like '^paper protocol, test part'
prints_like '^  scadyg-paper +0\.'
run show -v m.scadyg
prints_like '--lr '

run show m.scadyg --json
exits 0
json_is '[.task, .model, .width, .hidden]' '["link","scadyg-paper",8,64]'
json_is '[.options.window, .options.steps]' '[5,20]'
json_is '.data | [.name, .events, (.checksum | test("^[0-9a-f]{8}$"))]' '["g.events",3000,true]'
json_is '([.groups[] | .rows * .columns] | add) == .parameters' true
json_is '[.results[].pool]' '["destination","any"]'
json_is '.bytes < 1048576' true
# Its options make the same model again.
json .options >options.json
run train -q g.events --config options.json -o again.scadyg
exits 0
expect "the same bytes" cmp m.scadyg again.scadyg

run show a.scadyg
exits 0
prints_like '^task +affinity$'
prints_like '^model +scadyg, messages of [0-9]+ numbers?, [0-9]+ hidden units, [0-9,]+ classes$'

# The default model for links reads pairs; its width is that of embeddings.
link_model d.scadyg
run show d.scadyg
exits 0
prints_like '^model +scadyg, [0-9]+ features per pair, embeddings of 128 numbers, 64 hidden units$'
run show d.scadyg --json
json_is '[.width, .hidden, .inputs == ([.groups[] | select(.name == "fc1.weight") | .rows] | add)]' '[128,64,true]'

# Flags stand there as train takes them; so does all of --verbose that is not left open.
prints_not '--fallback'
run show d.scadyg
prints_like '^(options)? +--no-fallback$'
run show -v d.scadyg
prints_like '^ +--no-stepwise$'
taken=$(sed -n 's/^\(options\)\{0,1\} \{1,\}\(--[a-z].*\)/\2/p' .out | grep -v '(none)$')
# shellcheck disable=SC2086
run train -q g.events $taken --threads 1 --no-eval -o typed.scadyg
exits 0
run train -q g.events "${small[@]}" --no-fallback --no-eval -o usual.scadyg
expect "the same bytes" cmp usual.scadyg typed.scadyg

# What the one probability of a pair is compared with.
run show d.scadyg
prints_like '^probability of a pair against random pairs( alone|, and for each of these [0-9.]+ that have met and [0-9.]+ that first met lately)$'
run show d.scadyg --json
json_is '.compared_with | .random == 1 and .met >= 0 and .met <= 1 and .met_lately >= 0 and .met_lately <= 1' true
run show m.scadyg --json
json_is '.compared_with' null
link_model order.scadyg --binary 0
run show order.scadyg
prints_like '^probability none: --binary 0 learns no chances$'

# The matrix of a node.
run show m.scadyg g.events --weights "$node"
exits 0
prints_like "^W_x of $node just after the last event, at "
check
[[ $(wc -l <.out) == 12 ]] || bad "not a heading and eight rows"
prints_like '^sees events up to .* \(3,000 of 3,000\)$'
# Small weights are long numbers; none touches the next.
link_model fast.scadyg "${paper[@]}" --lr 0.1
run show fast.scadyg g.events --weights "$node"
check
[[ -z $(tail -n 8 .out | awk 'NF != 9') && -z $(tail -n 8 .out | cut -c12- | grep -E '[0-9]-[0-9]') ]] ||
    bad "numbers run together" "$(cat .out)"
run show m.scadyg g.events --weights "$node" --at "$last_time" --json
exits 0
json_is '.sees_events < 3000 and .sees_events > 2500 and .sees_until < .at' true
json_is '[.node, .at, (.columns | length), (.weights | length), (.weights | map(length) | unique)]' \
    "[\"$node\",$last_time,8,8,[8]]"

# Wrong.
wrong "scadyg show: no model file given; the usage is: scadyg show M.scadyg [X.events --weights ID]" show
wrong "scadyg show: unexpected argument 'g.events'; give one model file" show m.scadyg g.events
wrong "scadyg show: no events file given; the usage is: scadyg show M.scadyg [X.events --weights ID]" \
    show m.scadyg --weights "$node"
wrong "scadyg show: --at goes with --weights ID" show m.scadyg --at 5
fails '^scadyg show: .*g\.events' show g.events
fails '^scadyg show: .*nowhere' show nowhere.scadyg
fails "^scadyg show: .*'nobody'" show m.scadyg g.events --weights nobody
rule_model h.scadyg popularity
fails '^scadyg show: h\.scadyg is a rule without training' show h.scadyg g.events --weights "$node"

done_testing
