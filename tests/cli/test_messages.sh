# messages: the table, JSON and .npy; times, nodes; how it fails.
. "$(dirname "$0")/lib.sh"

# Two events with a weight: what every column must be is a short sum.
printf 'src,dst,time,weight\na,b,0,2\na,c,10,3\n' >log.csv
run import -q --one-kind log.csv -o log.events
exits 0

run messages log.events --at 20 --node a b c --gamma0 0.1 --double --json
exits 0
says_nothing
json_is .at 20
json_is '.messages[0] | keys_unsorted' '["id","values"]'
json_is '[.messages[].id]' '["a","b","c"]'
json_is '.rates | length' 8
json_is '(.columns | length) == 8 and (.columns | unique | length) == 8' true
json_is '[.rates[0], .rates[7]] | map(. * 1e9 | round)' '[100000000,10000000]'
json_is '. as $m | [range(8)] | map(($m.rates[.] as $g | 2 * (-20 * $g | exp) + 3 * (-10 * $g | exp))
    - $m.messages[0].values[.] | fabs < 1e-12) | all' true
json_is '. as $m | [range(8)] | map(3 * (-10 * $m.rates[.] | exp) - $m.messages[2].values[.] | fabs < 1e-12) | all' true

# Strictly before: the event at 10 does not count at 10, but does after the last event, which is the default.
run messages log.events --at 10 --node c --json
json_is '.messages[0].values | map(. == 0) | all' true
run messages log.events --node c --json
json_is '.at > 10 and .at < 10.000001' true
json_is '.messages[0].values | map(. - 3 | fabs < 1e-5) | all' true
run messages log.events --at -5 --node a --json
exits 0
json_is '[.at, (.messages[0].values | add)]' '[-5,0]'

# Nodes: all without --node, in the order asked, each once, however they are given.
run messages log.events --json
json_is '[.messages[].id]' '["a","b","c"]'
run messages log.events --node c a --json --node=b --node c
json_is '[.messages[].id]' '["c","a","b"]'
run messages --node=b --json log.events
json_is '[.messages[].id]' '["b"]'
run messages --node a b --json -- log.events
json_is '[.messages[].id]' '["a","b"]'
printf -- '-7 5 1\n5 -8 2\n' | "$scadyg" import -q - -o negative.events
run messages negative.events --node -8 -7 --json
json_is '[.messages[].id]' '["-8","-7"]'

# The table.
run messages log.events --at 20 --node a c --gamma0 0.1
exits 0
says_nothing
prints_like '^messages at 20$'
prints_like '^node  '
prints_like '^rate +0\.1 '
prints_like '^a +1\.374 '
check
[[ $(wc -L <.out) -le 80 ]] || bad "wider than 80 columns"
run messages log.events -q --node a
prints_not '^messages'
prints_like '^a '
run messages log.events
prints_like '^messages just after the last event, at 10$'
prints_not 'not shown'
seq 30 | awk '{ print $1, $1 + 1, $1 }' | "$scadyg" import -q - -o path.events
run messages path.events
exits 0
prints_like '^11 more nodes not shown; --node chooses, --json and -o F\.npy have them all$'
check
[[ $(grep -c '^20 ' .out) -ge 1 && $(grep -c '^21 ' .out) == 0 ]] || bad "not the first 20 nodes"

# Where sources and destinations are separate, each node has a role, and ids alone may not say which is meant.
printf 'user,item,time\n7,7,1\n8,7,2\n7,9,3\n' | "$scadyg" import -q - -o shop.events
run messages shop.events --json
json_is '[.messages[] | [.role, .id]]' '[["source","7"],["destination","7"],["source","8"],["destination","9"]]'
run messages shop.events --role destination --json
json_is '[.messages[] | [.role, .id]]' '[["destination","7"],["destination","9"]]'
run messages shop.events --role source --node 8 7 8 --json
json_is '[.messages[] | [.role, .id]]' '[["source","8"],["source","7"]]'
run messages shop.events --node 9
exits 0
prints_like '^node role '
prints_like '^9    destination '
run messages shop.events --role destination
prints_not ' source '
fails '^scadyg messages: 7 is a source and a destination, two different nodes: --role source or --role destination says which$' \
    messages shop.events --node 8 7
fails '^scadyg messages: 9 has never been a source, only a destination$' messages shop.events --node 9 --role source
wrong 'scadyg messages: --role: here sources and destinations are of one kind, and a node has no role' \
    messages log.events --role source

# .npy
run messages log.events --at 20 --gamma0 0.1 -o m.npy
exits 0
says_nothing
prints "wrote   m.npy, float32 [3][8]"
check
header=$(head -c 128 m.npy | tail -c +11)
[[ $(head -c 6 m.npy | tail -c 5) == NUMPY && $header == "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), }"* ]] ||
    bad "the header is $header"
expect "its size" test "$(stat -c %s m.npy)" = $((128 + 3 * 8 * 4))
check
first=$(tail -c +129 m.npy | od -An -tf4 -N4 | tr -d ' ')
[[ $first == 1.37430* ]] || bad "the first number is $first"
run messages log.events --at 20 --gamma0 0.1 -q -o m.npy
exits 0
silent
fails '^scadyg messages: cannot write nowhere/m\.npy: No such file' messages log.events -o nowhere/m.npy
mkdir folder.npy
fails '^scadyg messages: cannot write folder\.npy: Is a directory$' messages log.events -o folder.npy
check
[[ -z $(find . -name '*.tmp') ]] || bad "a temporary file is left"

# Dates.
printf 'src,dst,time\na,b,2024-01-01 00:00:00\nb,c,2024-01-03 12:00:00\n' | "$scadyg" import -q - -o dates.events
run messages dates.events --at 2024-01-02 --node b --json
exits 0
json_is .at 1704153600
run messages dates.events --at '2024-01-02 06:00:00' --node b
prints_like '^messages at 2024-01-02 06:00:00$'

# Wrong.
run messages log.events --at soon
exits 2
says_like "^scadyg messages: --at: .*'soon'"
fails "^scadyg messages: .*'d'" messages log.events --node a d
fails '^scadyg messages: .*nowhere\.events' messages nowhere.events
wrong "scadyg messages: --hops must be between 1 and 3, not 4" messages log.events --hops 4
run messages log.events --rates 1,x
exits 2
says_like '^scadyg messages: --rates '
run messages log.events --node-features purple
exits 2
says_like '^scadyg messages: --node-features '
"$scadyg" messages log.events --json 2>.err >/dev/full
exit_code=$?
exits 1
says "scadyg messages: cannot write standard output: No space left on device"

done_testing
