# import: what it prints, in every form, and how it fails.
. "$(dirname "$0")/lib.sh"

printf 'src,dst,time\na,b,1\nb,c,2\nc,c,3\na,b,2\n' >log.csv

# The normal run says how the columns were understood, and the counts.
run import log.csv -o log.events
exits 0
says_nothing
prints_like '^log\.csv: plain, comma-separated, with a header$'
prints_like '^ *column 1 +src +source$'
prints_like '^ *column 3 +time +time'
prints_like '^rows    4 read, 0 bad, 1 out of order$'
prints_like '^found   4 events, 3 nodes$'
prints_like '^        1 self-loop, 1 at the same time as the one before$'
prints_like '^times   1 to 3 '
prints_like '^wrote   log\.events, [0-9.]+ [a-zA-Z]+ in [0-9.]+ s$'

run import --quiet log.csv -o quiet.events
exits 0
silent
expect "the same bytes" cmp log.events quiet.events

# The many ways of writing the same.
for words in "-oshort.events log.csv" "--output=short.events log.csv" "-qo short.events log.csv" \
    "-q -o short.events -- log.csv" "--threads 1 log.csv --output short.events" "--threads=all log.csv -o short.events"; do
    rm -f short.events
    # shellcheck disable=SC2086
    run import $words
    exits 0
    expect "the same bytes" cmp log.events short.events
done
run import - -q -o stdin.events <log.csv
exits 0
expect "the same bytes" cmp log.events stdin.events
mkfifo pipe
cat log.csv >pipe &
run import -q pipe -o pipe.events
exits 0
expect "the same bytes" cmp log.events pipe.events
gzip -k log.csv
run import -q log.csv.gz -o gzip.events
exits 0
expect "the same bytes" cmp log.events gzip.events

run import --dry-run log.csv
exits 0
says_nothing
prints_like '^first events:$'
prints_like '^1  a -> b'
prints_not '^wrote'
run import --dry-run -o dry.events log.csv
exits 0
absent dry.events

run import log.csv -o json.events --json
exits 0
says_nothing
json_is .files '["log.csv"]'
json_is '.layout | length > 3' true
json_is '[.rows, .bad, .out_of_order, .self_loops, .ties, .nodes, .events]' '[4,0,1,1,1,3,4]'
json_is '[.edge_features, .node_features, .two_id_spaces, .first_time, .last_time]' '[0,0,false,1,3]'
json_is .output '"json.events"'
json_is '.seconds >= 0' true

# Bad rows.
printf 'src,dst,time\na,b,1\nb,c,oops\nb,c,3\nc\n' >bad.csv
fails '^scadyg import: bad\.csv:3:5: .*oops' import bad.csv -o bad.events
absent bad.events
fails '^scadyg import: .*bad\.csv:3:5: ' import bad.csv -o bad.events --skip-bad 1
absent bad.events
run import bad.csv -o bad.events --skip-bad 2
exits 0
check
[[ $(wc -l <.err) == 3 && $(tail -n 1 .err) == "scadyg import: 2 bad rows skipped" ]] || bad "bad rows" "$(cat .err)"
prints_like '^rows    4 read, 2 bad'
run import bad.csv -q -o bad.events --skip-bad 2
exits 0
silent
run import bad.csv --json -q -o bad.events --skip-bad 2
json_is '[.bad, (.bad_rows | length), .events]' '[2,2,2]'

# A first row too long is a bad row too, and a file of a single endless one is never held.
{
    head -c 1500000 /dev/zero | tr '\0' x
    printf ',b,1\na,b,2\nb,c,3\n'
} >long.csv
fails '^scadyg import: long\.csv:1:1: the row is longer than 1 MiB$' import long.csv -o long.events
absent long.events
run import long.csv -o long.events --skip-bad 1 --memory 8M
exits 0
expect "the bad row" grep -Fqx 'scadyg import: skipped: long.csv:1:1: the row is longer than 1 MiB' .err
prints_like '^rows    3 read, 1 bad'
run import --dry-run long.csv
exits 1
expect "the bad row" grep -Fqx 'scadyg import: bad row: long.csv:1:1: the row is longer than 1 MiB' .err
{
    printf 'src,dst,time\n"'
    head -c 3000000 /dev/zero | tr '\0' '\n' | tr '\n' x
} >quote.csv
fails '^scadyg import: quote\.csv:2:1: the row is longer than 1 MiB$' import quote.csv -o quote.events

# What tells the day from the month may come late in a sorted log; then the whole file is looked at.
us_days() { # HOW MANY
    echo user,item,date
    awk -v days="$1" 'BEGIN { for (d = 1; d <= days; d++) for (i = 0; i < 2000; i++)
        printf "%d,%d,01/%02d/2024\n", i % 37, i % 91, d }'
}
us_days 14 >us.csv
us_days 12 >either.csv
run import us.csv -o us.events --json
exits 0
json_is '[.events, .first_time, .last_time]' '[28000,1704067200,1705190400]'
gzip -kf us.csv
run import us.csv.gz -o us2.events
exits 0
expect "the same events" cmp us.events us2.events
fails "^scadyg import: either\.csv: dates such as '01/01/2024' may begin with the day or the month, and no row tells: say --time-format '%d/%m/%Y' or '%m/%d/%Y'$" \
    import either.csv -o x.events
echo '1,2,13/01/2024' >>us.csv
fails "^scadyg import: us\.csv:28002:5: the time '13/01/2024' has day and month in another order than line 24002" \
    import us.csv -o x.events

# A further file without a header, whose columns are in another order.
printf 'user,item,date\n5,7,2024-03-01\n6,8,2024-03-02\n' >one.csv
printf '2024-03-05,5,7\n2024-03-06,6,7\n' >other.csv
fails "^scadyg import: other\.csv has no header, and its columns are in another order than those of the first file: the time is in column 1, not 3: give it a header, or import them apart$" \
    import one.csv other.csv -o x.events
printf 'user,item,time\n15555550100,15555550101,3\n15555550102,15555550101,4\n' >phones.csv
printf '1555555010,1555555011,5\n' >phones2.csv
run import phones.csv phones2.csv -o x.events
exits 0
rm x.events

# A comma that comes late.
{
    echo 'src;dst;time;weight'
    awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d;%d;%d;%d\n", i % 7, i % 11, 1700000000 + i, i % 5 }'
    printf '1;2;1700009000;0,5\n1;2;1700009001;0,7\n'
} >late.csv
fails "^scadyg import: late\.csv:3002:16: the weight '0,5' has a decimal comma: say --decimal comma \(column 'weight'\) \(and 1 more bad row\)$" \
    import late.csv -o x.events
run import late.csv --decimal comma -o x.events
exits 0
rm x.events

# Failures, one line each, and no file.
printf 'src,dst,time\n' >header.csv
: >empty.csv
head -c 40 log.csv.gz >cut.csv.gz
fails '^scadyg import: .*nowhere\.csv' import nowhere.csv -o x.events
fails '^scadyg import: .*directory' import . -o x.events
fails '^scadyg import: .*empty\.csv' import empty.csv -o x.events
fails '^scadyg import: .*header\.csv' import header.csv -o x.events
fails '^scadyg import: .*cut\.csv\.gz' import cut.csv.gz -o x.events
absent x.events
fails '^scadyg import: cannot write nowhere/x\.events' import log.csv -o nowhere/x.events
fails '^scadyg import: cannot write \.' import log.csv -o .
fails '^scadyg import: cannot write /dev/full' import log.csv -o /dev/full
run import log.csv --columns src,dst,when -o x.events
exits 2
says_like "^scadyg import: --columns "
"$scadyg" import log.csv -o written.events >/dev/full 2>.err
exit_code=$?
exits 1
says "scadyg import: cannot write standard output: No space left on device"

done_testing
