# Ids by role: users 1..n and items 1..m with the same numbers, through every command; which decision holds, and why.
. "$(dirname "$0")/lib.sh"

# A shop whose users and items are both counted from 1: each user goes through items of their own, in turn.
rows() {
    awk -v from="$1" -v to="$2" 'BEGIN { for (i = from; i <= to; i++) { u = 1 + i * 7 % 40
        print u "," 1 + (u * 5 + int(i / 40) % 5) % 60 "," 1600000000 + 600 * i } }'
}
{ echo userId,movieId,timestamp; rows 1 900; } >ml.csv
quick=(--epochs 2 --hidden 8 --no-fallback --threads 2 --no-eval)

run train ml.csv "${quick[@]}" -o ml.scadyg
exits 0
prints_like '^roles +users and movies are separate: user 7 is not movie 7$'
prints_like '^ +\(the columns are called userId and movieId; --one-kind says$'
check
[[ $(wc -L <.out) -le 120 ]] || bad "too wide"
run train ml.csv "${quick[@]}" -o again.scadyg # from the cache: the same is said
prints_like '^roles +users and movies are separate: user 7 is not movie 7$'
prints_like '^ +\(the columns are called userId and movieId; --one-kind says$'
expect "the same model" cmp ml.scadyg again.scadyg

# ---- Every command takes and prints ids as they are in the log ----

run rank ml.scadyg ml.csv --source 12 --top 60 --json -q
exits 0
json_is .source '"12"'
json_is '[.ranking[].node | tonumber] | [length, min, max]' '[60,1,60]'
json_is '.ranking[0] | keys_unsorted' '["rank","node","score","probability"]'
run rank ml.scadyg ml.csv --source 12 --top 3 -q
prints_not 'src:|dst:'
fails '^scadyg rank: 50 has never been a source, only a destination$' rank ml.scadyg ml.csv --source 50 -q
fails "^scadyg rank: there is no node '61' in " rank ml.scadyg ml.csv --source 61 -q
fails "^scadyg rank: there is no node 'src:12' in " rank ml.scadyg ml.csv --source src:12 -q

printf 'src,dst\n12,12\n40,60\n' >pairs.csv
run predict ml.scadyg ml.csv -i pairs.csv -q
exits 0
expect "ids as they were" test "$(cut -d, -f1,2 .out | tr '\n' ' ')" = 'src,dst 12,12 40,60 '
printf 'src,dst\n12,12\n50,3\n' >pairs.csv
fails '^scadyg predict: pairs\.csv:3:1: 50 has never been a source, only a destination$' predict ml.scadyg ml.csv -i pairs.csv -q

run embed ml.scadyg ml.csv -o all.csv -q
exits 0
expect "a role for each" test "$(cut -d, -f1 all.csv | sort | uniq -c | awk '{ print $2, $1 }' | tr '\n' ' ')" = \
    'destination 60 role 1 source 40 '
expect "ids once for each role" test "$(cut -d, -f1,2 all.csv | sort -u | wc -l)" = 101
run embed ml.scadyg ml.csv -o items.csv --role destination -q
expect "the items alone" cmp <(grep -E '^(role|destination),' all.csv) items.csv
run embed ml.scadyg ml.csv -o items.npy --role destination
prints_like '^wrote +items\.npy, float32 \[60\]\['
run embed ml.scadyg ml.csv -o two.csv --role source --node 12 3 -q
expect "two users" cmp <(grep -E '^role,' all.csv; grep '^source,12,' all.csv; grep '^source,3,' all.csv) two.csv
fails '^scadyg embed: 12 is a source and a destination, two different nodes: --role source or --role destination says which$' \
    embed ml.scadyg ml.csv -o no.csv --node 12 -q
run embed ml.scadyg ml.csv -o one.csv --node 55 -q
exits 0
expect "an id with one role" test "$(tail -n +2 one.csv | cut -d, -f1,2)" = destination,55

run train ml.csv --model scadyg-paper --epochs 1 --steps 10 --no-eval -q -o paper.scadyg
exits 0
run show paper.scadyg ml.csv --weights 12 --role source --json -q
exits 0
json_is .node '"12"'
fails '^scadyg show: 12 is a source and a destination, .*--role' show paper.scadyg ml.csv --weights 12 -q
wrong 'scadyg show: --role goes with --weights ID' show paper.scadyg --role source
run show ml.scadyg
prints_like '^ +sources and destinations are separate$'

run info ml.csv --json -q
json_is '[.nodes, .sources, .destinations, .two_id_spaces, .self_loops]' '[100,40,60,true,0]'
json_is '[.top_nodes[].role] | unique - ["source", "destination"]' '[]'
run info ml.csv -q
exits 0
run eval ml.scadyg ml.csv -q --json -
exits 0

# ---- Export: the decision survives ----

run import ml.csv -o ml.events -q
for options in '' --one-kind; do
    run import ml.csv $options -o a.events -q
    run export a.events -o back.csv
    exits 0
    run import back.csv -o b.events
    exits 0
    expect "the same bytes ($options)" cmp a.events b.events
done
run import ml.csv -o a.events -q
run export a.events -o back.csv
prints_like '^ +sources and destinations are separate, and import will find them so$'
expect "the columns say it" test "$(head -n 1 back.csv)" = user_id,item_id,time
{ echo src,dst,time; rows 1 300 | awk -F, '{ print "u" $1 ",i" $2 "," $3 }'; } >shop.csv
for options in '' --one-kind --bipartite; do
    run import shop.csv $options -o a.events -q
    run export a.events -o back.csv -q
    run import back.csv -o b.events -q
    expect "the same bytes of ids that are on one side only ($options)" cmp a.events b.events
done

# ---- A log that grows: what its ids decided, all of its ids decide ----

head -n 100 shop.csv >head.csv
{ head -n 1 shop.csv; tail -n +101 shop.csv; } >tail.csv
run import head.csv -o grown.events -q
run append grown.events tail.csv
exits 0
prints_like '^roles +sources and destinations are separate: source 7 is not destination 7$'
run import shop.csv -o whole.events -q
expect "append is import of the whole" cmp grown.events whole.events
printf 'src,dst,time\ni3,u2,1700000000\n' >more.csv
run append grown.events more.csv
exits 0
prints_like '^roles +sources and destinations are of one kind: source 7 is destination 7$'
prints_like '^  - only 2 of 41 sources and 61 destinations occur on both sides: if that is chance, say --bipartite$'
{ cat shop.csv; tail -n 1 more.csv; } >both.csv
run import both.csv -o whole.events -q
expect "append is import of the whole" cmp grown.events whole.events
run import ml.csv -o grown.events -q
run append grown.events <(printf 'src,dst,time\n50,3,1700000000\n') -q
exits 0
run info grown.events --json
json_is '[.two_id_spaces, .sources]' '[true,41]'

# ---- Labels: a node is a source, a class a destination ----

run train ml.csv --task affinity --model scadyg-paper --steps 10 --epochs 1 --no-eval -q -o affinity.scadyg
exits 0
run affinity affinity.scadyg ml.csv --node 12 --top 60 --json -q
exits 0
json_is .node '"12"'
json_is '[.classes, ([.affinities[].class | tonumber] | max)]' '[60,60]'
fails '^scadyg affinity: 50 has never been a source, only a destination$' affinity affinity.scadyg ml.csv --node 50 -q
{ echo time,node,class,weight; rows 1 900 | awk -F, 'NR % 3 == 0 { print $3 "," $1 ",class" $2 % 5 ",1" }'; } >labels.csv
run train ml.csv --task affinity --labels labels.csv -q --no-eval -o labelled.scadyg
exits 0
run affinity labelled.scadyg ml.csv --labels labels.csv --node 12 -q --json
exits 0
echo '1600000600,50,class1,1' >>labels.csv
run train ml.csv --task affinity --labels labels.csv -q --no-eval -o no.scadyg
exits 1
says_like 'labels\.csv:302:12: 50 has never been a source, only a destination'

# ---- Node features ----

{ echo user_id,f0; seq 40 | awk '{ print $1 "," $1 / 10 }'; } >users.csv
run import ml.csv --node-features users.csv -o featured.events --json
exits 0
json_is '[.node_features, .unused_node_features]' '[1,0]'
run export featured.events -o featured.csv -q
expect "features by role" test "$(head -n 1 featured.nodes.csv)" = role,id,f0
run import featured.csv -o back.events -q
expect "the same bytes with node features" cmp featured.events back.events

# ---- A model's decision holds for the log, also where the log would be decided otherwise ----

# No id is on both sides, until one is: the nightly job goes on.
{ echo src,dst,time; rows 1 900 | awk -F, '{ print $1 "," 1000 + $2 "," $3 }'; } >log.csv
cp log.csv first.csv
run train log.csv "${quick[@]}" -o night.scadyg
exits 0
prints_like '^roles +sources and destinations are separate: source 7 is not destination 7$'
prints_like '^ +\(no id occurs on both sides; --one-kind says otherwise\)$'
echo 1001,1002,1600600000 >>log.csv
run rank night.scadyg log.csv --source 12 --top 2
exits 0
says_lines=$(grep -c 'night\.scadyg was trained with sources and destinations separate, so log\.csv is read so, too; by itself it would be read with them of one kind$' .err)
expect "it says so" test "$says_lines" = 1
run rank night.scadyg log.csv --source 1001 --top 2 -q --json
exits 0
json_is .source '"1001"'
fails '^scadyg rank: 1003 has never been a source, only a destination$' rank night.scadyg log.csv --source 1003 -q
run train --from night.scadyg log.csv --epochs 1 --no-eval -o next.scadyg
exits 0
run show next.scadyg --json
json_is .data.two_id_spaces true
wrong 'scadyg rank: night.scadyg was trained with sources and destinations separate; leave out --one-kind' \
    rank night.scadyg log.csv --source 12 --one-kind -q
run rank night.scadyg log.csv --source 12 --bipartite -q --json
exits 0
cp .out told
# What is made to fit is what the log would be with the option.
run import log.csv --bipartite -o two.events -q
run import log.csv -o one.events
prints_like '^roles +sources and destinations are of one kind: source 7 is destination 7$'
prints_like '^ +\(1 id occurs on both sides; --bipartite says otherwise\)$'
prints_like '^  - only 1 of 41 sources and 60 destinations occurs on both sides: if that is chance, say --bipartite$'
for log in two.events one.events log.csv; do
    run rank night.scadyg $log --source 12 -q --json
    expect "the same ranking of $log" cmp .out told
done
run eval night.scadyg one.events -q --json one.json
exits 0
run eval night.scadyg two.events -q --json two.json
expect "the same scores" cmp <(jq -S 'del(.events_file, (.. | .seconds?))' one.json) <(jq -S 'del(.events_file, (.. | .seconds?))' two.json)

# The other way: a model of one kind on a log that by itself has two.
run train one.events "${quick[@]}" -o kind.scadyg
exits 0
prints_like '^ +\(1 id occurs on both sides\)$'
run rank kind.scadyg first.csv --source 1001 --top 2
exits 0
check
grep -q 'kind\.scadyg was trained with sources and destinations of one kind, so first\.csv is read so, too' .err || bad "it does not say so"
wrong 'scadyg rank: kind.scadyg was trained with sources and destinations of one kind; leave out --bipartite' \
    rank kind.scadyg first.csv --source 12 --bipartite -q
# Users and items that have features of their own cannot become one.
run rank kind.scadyg featured.events --source 12 -q
exits 2
says_like '^scadyg rank: in featured\.events the source .* and the destination .* have different features, so they cannot be one node: '

# ---- Told ----

wrong 'scadyg import: --bipartite and --one-kind exclude each other' import ml.csv --bipartite --one-kind -o no.events
absent no.events
run import --dry-run log.csv
exits 0
prints_like '^roles +sources and destinations are of one kind: source 7 is destination 7$'
run import --dry-run ml.csv --json
json_is .roles '"users and movies are separate: user 7 is not movie 7 (the columns are called userId and movieId; --one-kind says otherwise)"'
run train ml.csv --one-kind "${quick[@]}" -o forced.scadyg
exits 0
prints_like '^ +\(--one-kind\)$'
run rank forced.scadyg ml.csv --source 50 --top 1 -q
exits 0

# Ids as an enemy writes them: what looks like a role is an id.
printf '%s\n' user,item,time src:7,dst:7,1 dst:7,src:7,2 source,destination,3 role,role,4 '"a,b","a,b",5' |
    "$scadyg" import -q - -o odd.events
run export odd.events -o odd.csv -q
run import odd.csv -o back.events -q
expect "odd ids come back" cmp odd.events back.events
run messages odd.events --role destination --node src:7 destination role a,b --json
exits 0
json_is '[.messages[].id]' '["src:7","destination","role","a,b"]'

done_testing
