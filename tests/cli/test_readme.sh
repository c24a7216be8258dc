# The commands of the README, as they stand there, on a log of one's own.
. "$(dirname "$0")/lib.sh"
# The leak checker of clang 14 breaks off at the end of some of these; other tests have it look.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0

readme=$(dirname "$(readlink -f "$0")")/../../README.md

# Four people who write to each other, as the README has it: with its ids and dates.
{
    echo sender,receiver,time
    awk 'BEGIN {
        split("9 32 41 103", name, " ")
        for (i = 0; i < 1500; i++) {
            day = int(i / 5)
            printf "%s,%s,%04d-%02d-%02d %02d:00:00\n", name[1 + i % 4], name[1 + (i + 1 + int(i / 7) % 3) % 4],
                   2013 + int(day / 168), 1 + int(day / 14) % 12, 1 + day % 14, i % 5 * 4
        }
    }' </dev/null
} >mylog.csv
printf 'sender,receiver,time\n9,32,2015-01-01 09:00:00\n' >today.csv
printf 'src,dst,time\n9,32,2014-06-01\n9,103,2014-06-01\n' >pairs.csv

commands=0
while IFS= read -r line; do
    command=${line%%#*}
    commands=$((commands + 1))
    last=$command
    bash -c "scadyg() { '$scadyg' \"\$@\"; }; $command" >.out 2>.err </dev/null
    exit_code=$?
    exits 0
    check
    [[ -s .out ]] || bad "it prints nothing"
done < <(sed -nE 's/^ {4,6}(scadyg [a-z]+ .*)/\1/p' "$readme")
check
((commands >= 7)) || bad "only $commands commands found in the README"

# The bad row it shows.
{
    head -n 1041 mylog.csv
    echo "bob,eve,2014-13-01"
} >bad.csv
cp bad.csv mylog.csv
run import mylog.csv -o bad.events
exits 1
check
expected=$(sed -nE 's/^ {4,6}(scadyg import: .*)/\1/p' "$readme")
[[ $(cat .err) == "$expected" ]] || bad "the README says: $expected" "$(cat .err)"

done_testing
