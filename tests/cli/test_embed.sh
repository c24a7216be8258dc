# embed: .npy and .csv, nodes and times; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
link_model m.scadyg "${paper[@]}"
affinity_model a.scadyg
nodes=$(jq .nodes g.json)

run embed m.scadyg g.events -o e.npy
exits 0
says_nothing
prints_like "^wrote   e.npy, float32 \[$nodes\]\[8\]$"
prints_like '^        sees events up to .* \(3,000 of 3,000\)$'
expect "its size" test "$(stat -c %s e.npy)" = $((128 + nodes * 8 * 4))
check
[[ $(head -c 128 e.npy | tail -c +11) == "{'descr': '<f4', 'fortran_order': False, 'shape': ($nodes, 8), }"* ]] || bad "the header"

run embed m.scadyg g.events -o e.csv
exits 0
prints_like "^wrote   e.csv, $nodes nodes with 8 numbers each$"
check
[[ $(head -1 e.csv) == id,h0,h1,h2,h3,h4,h5,h6,h7 && $(wc -l <e.csv) == $((nodes + 1)) ]] || bad "its lines"
# Both hold the same numbers.
check
tail -c +129 e.npy | od -An -v -tf4 -w32 >numbers
sed '1d;s/^[^,]*,//;s/,/ /g' e.csv | paste -d' ' - numbers | awk '{ for (i = 1; i <= 8; i++) {
    d = $i - $(i + 8); if (d < 0) d = -d; if (d > 1e-6 * ($i < 0 ? -$i : $i) + 1e-12) exit 1 } }' || bad "they differ"

# Some nodes, in the order asked, at a time.
middle=$(jq -r '(.first_time + .last_time) / 2 | floor' g.json)
run embed -q m.scadyg g.events -o two.csv --node "$other" "$node"
exits 0
silent
check
[[ $(sed 1d two.csv | cut -d, -f1 | paste -sd,) == "$other,$node" ]] || bad "not those two"
expect "the same as among all" grep -qxF "$(sed -n 2p two.csv)" e.csv
run embed -q m.scadyg g.events -o then.csv --node "$other" "$node" --at "$middle"
exits 0
check
if cmp -s two.csv then.csv; then bad "the time changes nothing"; fi
run embed -q a.scadyg g.events -o a.npy
exits 0

# The default model has embeddings too, as wide as show says.
link_model p.scadyg
width=$("$scadyg" show p.scadyg --json | jq .width)
run embed p.scadyg g.events -o p.npy
exits 0
prints_like "^wrote   p.npy, float32 "

# Wrong.
rule_model h.scadyg popularity
fails '^scadyg embed: h\.scadyg is a rule without training' embed h.scadyg g.events -o h.npy
fails "^scadyg embed: .*'nobody'" embed m.scadyg g.events -o x.npy --node "$node" nobody
fails '^scadyg embed: cannot write nowhere/x\.npy' embed m.scadyg g.events -o nowhere/x.npy
wrong "scadyg embed: no output file given; add -o F.npy or -o F.csv" embed m.scadyg g.events
wrong "scadyg embed: --output writes a .npy or a .csv file, not x.txt" embed m.scadyg g.events -o x.txt
wrong "scadyg embed: no events file given; put it before --node, which takes every word after it" \
    embed m.scadyg -o x.npy --node a g.events
absent x.npy

done_testing
