# append: adds later events to an events file; import joins events files; what was appended is in the very next ranking.
. "$(dirname "$0")/lib.sh"

rows() { # FIRST LAST: rows of a log
    awk -v a="$1" -v b="$2" 'BEGIN { print "src,dst,time,weight"; for (i = a; i <= b; i++) printf "u%d,i%d,%d,%.1f\n", i * 7919 % (5 + i / 9), i * i % 13, 1700000000 + int(i / 3), i % 4 + .5 }' </dev/null
}
rows 1 300 >all.csv
rows 1 200 >old.csv
rows 201 240 >new.csv
rows 241 300 >newer.csv
"$scadyg" import -q all.csv -o all.events
"$scadyg" import -q old.csv -o old.events

# What it says.
cp old.events log.events
chmod 640 log.events
run append log.events new.csv
exits 0
says_nothing
prints_like '^log\.events: an events file, 200 events of [0-9]+ nodes, weights, from 2023-11-14 22:13:20 to 2023-11-14 22:14:26 \(unix seconds\)$'
prints_like '^new\.csv: plain, comma-separated, with a header$'
prints_like '^ *column 3 +time +time'
prints_like '^rows    40 read, 0 bad, 0 out of order$'
prints_like '^added   40 events to 200$'
prints_like '^found   240 events, '
prints_like '^wrote   log\.events, [0-9.]+ [a-zA-Z]+ in [0-9.]+ s$'
expect "the permissions" test "$(stat -c %a log.events)" = 640
run append -q log.events - <newer.csv
exits 0
silent
expect "the bytes of the whole" cmp log.events all.events

# As events files, several at once, packed, as JSON.
cp old.events log.events
gzip -k newer.csv
"$scadyg" import -q new.csv -o new.events
run append --json log.events new.events newer.csv.gz
exits 0
json_is .before 200
json_is .events 300
json_is .rows 100
json_is .late 0
json_is .output '"log.events"'
expect "the bytes of the whole" cmp log.events all.events

# The options of import.
{ head -1 new.csv | sed 's/time/at/;s/src/a/;s/dst/b/;s/$/,kind/'; sed '1d;s/$/,buy/' new.csv; echo "x,y,1,2,view"; echo "x,y,z,2,buy"; } >named.csv
cp old.events log.events
run append log.events named.csv --src a --dst b --time at --where 'kind == buy' --skip-bad 1
exits 0
prints_like '^added   40 events to 200$'
prints_like '^ +1 row left out by --where$'
expect "the bad row" grep -q "skipped: named\.csv:43:5: the time 'z' is not a number" .err
run append -q log.events newer.csv
expect "the bytes of the whole" cmp log.events all.events

# Late ones.
{ cat old.csv; sed 1d newer.csv; } >gap.csv
"$scadyg" import -q gap.csv -o gap.events
cp gap.events log.events
fails "scadyg append: 40 events are earlier than the newest in log.events, 2023-11-14 22:15:00; the first: new.csv:2: 2023-11-14 22:14:27; --late sort puts each in its place" \
    append log.events new.csv
expect "the old file" cmp log.events gap.events
run append log.events new.csv --late sort
exits 0
prints_like '^added   40 events to 260, 40 of them before the newest of these$'
# Of equal times those of the file come first, as in the text.
"$scadyg" import -q gap.csv new.csv -o both.events
expect "the bytes of the whole" cmp log.events both.events
cp gap.events log.events
run append --dry-run log.events new.csv
exits 1
says 'scadyg append: 40 late events seen, the first new.csv:2: 2023-11-14 22:14:27'
prints_like '^first events:$'
run append --dry-run log.events new.csv --late sort
exits 0
expect "the old file" cmp log.events gap.events

# What does not fit.
printf 'src,dst,time\na,b,1800000000\n' >bare.csv
fails "scadyg append: bare.csv has no weights, log.events has weights: choose columns with --columns, or with --weight, --label and --features" \
    append log.events bare.csv
printf 'src,dst,time,weight\na,b,1800000000000,1\n' >milli.csv
fails "scadyg append: the times of milli.csv are unix milliseconds from 1800000000000 to 1800000000000, those of log.events unix seconds from 1700000000 to 1700000100: bring them to one unit" \
    append log.events milli.csv
fails "scadyg append: all.csv is not an events file; make one with 'scadyg import'" append all.csv new.csv
fails "scadyg append: cannot open none.events: No such file or directory" append none.events new.csv
wrong "scadyg append: log.events cannot be appended to itself" append log.events log.events
gzip -k new.events
fails "scadyg append: new.events.gz is an events file that cannot be mapped: unpack it, or give its name instead of a pipe" \
    append log.events new.events.gz
fails "scadyg append: standard input is an events file that cannot be mapped: unpack it, or give its name instead of a pipe" \
    append log.events - <new.events
wrong "scadyg append: no events file given" append
wrong "scadyg append: nothing to append given; name one or more files, or - for standard input" append log.events
expect "the old file" cmp log.events gap.events
run info all.csv -q
wrong "scadyg append: all.csv.scadyg-cache.events is the cache of a log, and made anew from it: add rows to the log, or import it with -o and append to that" \
    append all.csv.scadyg-cache.events newer.csv

# Joining logs, in any mix.
"$scadyg" import -q newer.csv -o newer.events
for mix in "old.events new.csv newer.events" "old.csv new.events newer.csv" "old.events new.events newer.events"; do
    # shellcheck disable=SC2086
    run import -q $mix -o joined.events
    exits 0
    expect "$mix: the bytes of the whole" cmp joined.events all.events
done
run import old.events -o copy.events
exits 0
expect "a copy" cmp old.events copy.events
run import --dry-run old.events new.csv
exits 0
prints_like '^old\.events: an events file, 200 events'
prints_like '^1700000000  u[0-9]+ -> i1  weight 1\.5$'
fails "scadyg import: the times of milli.csv are unix milliseconds from 1800000000000 to 1800000000000, those of the input before it unix seconds from 1700000000 to 1700000066: bring them to one unit" \
    import old.events milli.csv -o other.events
wrong "scadyg import: old.events is the input; give --output another name" import old.events new.csv -o old.events

# One process appends, another has the file open; two append at once.
cp old.events log.events
exec 9<log.events
"$scadyg" append -q log.events new.csv
expect "the old file, for who has it open" cmp /dev/fd/9 old.events
flock -x log.events "$scadyg" append -q log.events newer.csv 2>locked
expect "a lock is respected" grep -qx 'scadyg append: another process is appending to log.events; run this again when it is done' locked
exec 9<&-

# ---- What was appended is seen in the very next ranking ----

"$scadyg" generate -q --events 3000 --nodes 60 --seed 3 -o g.events
"$scadyg" train -q g.events --epochs 2 --threads 1 -o g.scadyg
"$scadyg" export -q g.events -o g.csv
IFS=, read -r source destination newest _ < <(tail -n 1 g.csv)
fresh=$(awk -F, -v s="$source" -v d="$destination" 'NR > 1 { all[$2]; if ($1 == s) met[$2] } END { for (n in all) if (!(n in met) && n != s && n != d) { print n; exit } }' g.csv)
place() { json "[.ranking[].node | tostring] | index(\"$fresh\")"; }
run rank g.scadyg g.events --source "$source" --top 60
exits 0
prints_like '^sees events up to .* \(3,000 of 3,000\)$'
cp .out before.txt
run rank g.scadyg g.events --source "$source" --top 60 --json
before=$(place)
printf 'src,dst,time\n%s,%s,%s\n' "$source" "$fresh" "$(awk -v t="$newest" 'BEGIN { printf "%.3f", t + 0.5 }')" >contact.csv
run append g.events contact.csv
exits 0
prints_like '^added   1 event to 3,000$'
run rank g.scadyg g.events --source "$source" --top 60
exits 0
prints_like '^sees events up to .* \(3,001 of 3,001\)$'
expect "it sees up to the new event" test "$(grep -o 'sees events up to [^(]*' .out)" != "$(grep -o 'sees events up to [^(]*' before.txt)"
run rank g.scadyg g.events --source "$source" --top 60 --json
after=$(place)
expect "the new partner is ahead of where it was: $before, then $after" test "$after" -lt "$before"
# Somebody new, who is asked about at once.
printf 'src,dst,time\nnewcomer,%s,%s\n' "$fresh" "$(awk -v t="$newest" 'BEGIN { printf "%.3f", t + 0.75 }')" >contact.csv
run append -q g.events contact.csv
exits 0
run rank g.scadyg g.events --source newcomer --top 3
exits 0

done_testing

# What was said of the old text holds for the new: zone, columns, condition. Times that are given are read so, too.
awk 'BEGIN { print "who,what,day,kind"; for (i = 0; i < 400; i++) printf "u%d,i%d,%02d.0%d.2024 %02d:00,%s\n", i % 13, i * i % 7, 13 + i / 30, 1 + i % 1, i / 30 * 0 + 10, i % 5 ? "buy" : "view" }' </dev/null >shop.csv
{ head -1 shop.csv; echo "u1,i1,27.01.2024 00:30,buy"; echo "u1,i2,27.01.2024 00:40,view"; } >tonight.csv
"$scadyg" import -q shop.csv --src who --dst what --timezone Europe/Berlin --where 'kind == buy' -o shop.events
"$scadyg" import -q shop.csv tonight.csv --src who --dst what --timezone Europe/Berlin --where 'kind == buy' -o shops.events
run append shop.events tonight.csv
exits 0
says "scadyg append: tonight.csv is read as the events before were: --src who --dst what --where 'kind == buy' --timezone Europe/Berlin"
expect "the bytes of the whole" cmp shop.events shops.events
run info shop.events
prints_like '^  text read with +src=who$'
prints_like '^ +timezone=Europe/Berlin$'
prints_like '^  last time +2024-01-26 23:30:00$'
"$scadyg" train -q shop.events --epochs 1 --no-eval --hidden 8 -o shop.scadyg
for at in '27.01.2024 00:30' '2024-01-27 00:30' '2024-01-26 23:30Z'; do
    run rank shop.scadyg shop.events --source u1 --at "$at" --json
    exits 0
    json_is '[.at, .sees_events]' '[1706311800,320]'
done
run rank shop.scadyg shop.events --source u1 --at '27.01.2024 00:31'
prints 'next destinations of u1 at 2024-01-26 23:31:00 UTC (times that you give are of Europe/Berlin, as in the log)'
run predict shop.scadyg shop.events -i - <<<'u1,i1,27.01.2024 00:31'
exits 0
says_like '^scadyg predict: sees events up to 2024-01-26 23:30:00 \(321 of 321\)$'
run append shop.events tonight.csv --where 'kind == view' --dry-run
says "scadyg append: tonight.csv is read as the events before were: --src who --dst what --timezone Europe/Berlin"
run export shop.events -o exported.csv
expect "the zone of what is exported" grep -q '2024-01-26 23:30:00Z' exported.csv
run rank shop.scadyg exported.csv --source u1 --at '27.01.2024 00:31' --json
json_is .sees_events 321
echo u1,i1 | "$scadyg" predict -q shop.scadyg shop.events -i - >now.csv
run predict -q shop.scadyg shop.events -i now.csv
expect "the same scores" cmp now.csv .out

# The same day twice is not late, but it is asked about.
printf 'src,dst,day\na,b,2024-01-01\nc,d,2024-01-02\na,d,2024-01-02\n' >days.csv
printf 'src,dst,day\nc,d,2024-01-02\na,d,2024-01-02\n' >again.csv
printf 'src,dst,day\nc,d,2024-01-02\na,b,2024-01-02\n' >other.csv
"$scadyg" import -q days.csv -o days.events
cp days.events more.events
run append days.events again.csv
exits 0
prints_like '^  - all new events are of the newest time and there already, source and destination: was this appended before\?$'
run append more.events other.csv
exits 0
prints_not 'appended before'
