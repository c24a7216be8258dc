# info: the whole page, exactly; JSON; checks of the file.
. "$(dirname "$0")/lib.sh"

# Users and items, a weight, dates.
{
    echo 'user_id,item_id,date,weight'
    for day in 01 02 03 04 05 06 07 08 09 10; do
        echo "ann,tea,2024-03-$day,1"
        echo "bob,tea,2024-03-$day,2"
    done
    echo 'bob,milk,2024-03-11,0.5'
    echo 'bob,milk,2024-03-11,0.5'
} >shop.csv
run import shop.csv -o shop.events --bipartite
exits 0

run info shop.events
exits 0
says_nothing
sed -i '1s/(.*)/(SIZE)/' .out
prints 'shop.events  (SIZE)

  nodes             4  (2 sources, 2 destinations)
  roles             sources and destinations are separate: source 7 is not
                    destination 7 (so it was imported; no id occurs on both
                    sides)
  events            22
  edge features     1 (weight)
  node features     0
  labels            no
  distinct times    11
  first time        2024-03-01
  last time         2024-03-11
  time range        10.0 days
  average degree    11.00
  self-loops        0
  repeated events   1  same source, destination and time
  repeated pairs    19  (86.4 % of the events are between a pair seen before)

  tenth of the time     1     2     3     4     5     6     7     8     9    10
  events, %           9.1   9.1   9.1   9.1   9.1   9.1   9.1   9.1   9.1  18.2
  new nodes, %      100.0   0.0   0.0   0.0   0.0   0.0   0.0   0.0   0.0  25.0

  most active nodes, their events, share of all events
  tea  destination  20  90.9 %     ann  source       10  45.5 %
  bob  source       12  54.5 %     milk destination   2   9.1 %

  events over time
  2 |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
    |#     #     #     #     #     #     #     #     #     #    #
  0 +------------------------------------------------------------
     2024-03-01                                        2024-03-11'

LANG=C.UTF-8 run info shop.events
prints_like '^  2 │█     █'
check
[[ $(LC_ALL=C.UTF-8 wc -L <.out) -le 80 ]] || bad "wider than 80 columns"

run info shop.events --json
exits 0
json_is '[.nodes, .events, .distinct_times, .edge_features, .node_features]' '[4,22,11,1,0]'
json_is '[.self_loops, .repeated_events, .repeated_pairs, .distinct_pairs]' '[0,1,19,3]'
json_is '[.bipartite, .two_id_spaces, .weight, .label, .integer_ids]' '[true,true,true,false,false]'
json_is '[.sources, .destinations, .average_degree]' '[2,2,11]'
json_is '[.first_time, .last_time, .time_range]' '[1709251200,1710115200,864000]'
json_is '[.first_time_text, .last_time_text]' '["2024-03-01","2024-03-11"]'
json_is '.repeated_pair_share == 19 / 22' true
json_is '.top_nodes[0]' '{"id":"tea","events":20,"role":"destination"}'
json_is '[.new_nodes[0], .new_nodes[1], (.new_nodes | length)]' '[1,0,10]'
json_is '(.histogram | length) == 60 and (.histogram | add) == 22' true
json_is '.events_in_tenth | add' 22
json_is 'has("verified")' false
check
grep -q '"first_time": 1709251200,' .out || bad "a whole number is not written as one"

# Times and weights keep all their digits.
printf 'a b 0.1\nb a 2000000000.3000002\n' | "$scadyg" import - -q -o digits.events
run info digits.events --json
json_is '[.first_time == 0.1, .last_time == 2000000000.3000002]' '[true,true]'

# Strange ids do not steer the terminal, and come back unchanged in JSON.
printf 'src,dst,time\n"a\033[2Jb",\xc3\xa4\xc3\xb6,1\n\xe2\x82\xac,"x\ty",5\n' >strange.csv
run import -q strange.csv -o strange.events
exits 0
run info strange.events
prints_like 'a\\x1B\[2Jb'
check
if grep -q $'\033' .out; then bad "an escape character got through"; fi
run info strange.events --json
json_is '[.top_nodes[].id] | sort' '["a\u001b[2Jb","x\ty","äö","€"]'

run info shop.events --verify --verbose
exits 0
prints_like '^  checksums         all right$'
prints_like '^  distinct pairs    3$'
prints_like '^  ids are           text$'
run info shop.events --verify --quiet
exits 0
silent
run info shop.events --verify --json
json_is .verified true
run info shop.events --memory 1M --threads 2
exits 0
run info shop.events --memory 0
exits 2

# Damage is found.
cp shop.events damaged.events
place=$(LC_ALL=C grep -abo milk damaged.events | head -n 1 | cut -d: -f1)
printf 'M' | dd of=damaged.events bs=1 seek="$place" conv=notrunc status=none
fails '^scadyg info: damaged\.events is damaged: ' info damaged.events --verify
head -c 100 shop.events >short.events
fails '^scadyg info: short\.events ' info short.events

# A text log is read through its cache, and as its options say.
run info shop.events --json
json 'del(.file, .roles)' >of_events
run info shop.csv --json
exits 0
says_like '^read +shop\.csv into shop\.csv\.scadyg-cache\.events, '
expect "the same of the log" test "$(json 'del(.file, .roles)')" = "$(cat of_events)"
json_is .roles '"users and items are separate: user 7 is not item 7 (the columns are called user_id and item_id; --one-kind says otherwise)"'
json_is .file '"shop.csv"'
run info shop.csv
exits 0
says_like '^read +shop\.csv\.scadyg-cache\.events, made from shop\.csv earlier$'
prints_like '^shop\.csv  \('
run info shop.csv -q
exits 0
silent
printf 'x,y,z\na,b,1\nb,c,2\nc,c,3\n' >names.csv
fails '^scadyg info: names\.csv: .*--src NAME' info names.csv
run info names.csv --src x --dst y --time z --json -q
exits 0
json_is .self_loops 1
wrong "scadyg info: --src says how a text log is read; shop.events is an events file, which has been read" \
    info shop.events --src x
# Where the cache cannot be beside the log it is in the current folder.
mkdir data
cp names.csv data
ln -s nowhere data/names.csv.scadyg-cache.events
run info data/names.csv --src x --dst y --time z
exits 0
says_like '^read +data/names\.csv into names\.csv\.[0-9a-f]{8}\.scadyg-cache\.events, '

# What is no file of events is said.
cp shop.csv text.events
fails "^scadyg info: text\.events is not an events file; make one with 'scadyg import'$" info text.events
fails '^scadyg info: .*nowhere\.events' info nowhere.events
fails '^scadyg info: .*irectory' info .

# Output that cannot be written is a failure; a reader that leaves early is not worth a word.
"$scadyg" info shop.events >/dev/full 2>.err
exit_code=$?
exits 1
says "scadyg info: cannot write standard output: No space left on device"
"$scadyg" info shop.events 2>.err | head -n 1 >/dev/null
says_nothing

done_testing
