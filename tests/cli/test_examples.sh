# The examples: each runs from beginning to end on a generated graph and on a log of one's own.
. "$(dirname "$0")/lib.sh"
# The leak checker of clang 14 breaks off at the end of some of these; other tests have it look.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0

examples=$(dirname "$(readlink -f "$0")")/../../examples
export SCADYG_BUILD EVENTS=3000 EPOCHS=2 STEPS=20
unset SCADYG_DATA

# example NAME [CSV]
example() {
    last="examples/$*"
    FOLDER=$scratch/$1${2:+-own} bash "$examples/$1" "${@:2}" >.out 2>.err </dev/null
    exit_code=$?
}

for name in recommendation messages trade; do
    example $name
    exits 0
    if [[ $name == messages ]]; then # scores go to standard output, what is said of them does not
        expect "what is said of scores" grep -qE '^scadyg predict: (each pair )?sees events ' .err
    else
        says_nothing
    fi
    prints_like '^\$ scadyg train '
done
example messages
prints_like '^next destinations of '
prints_like '^tgb-link protocol, test part, '
prints_like '^src,dst,time,score,probability$|^src,dst,'
example trade
prints_like '^tgb-node protocol, test part, '
prints_like '^ +1 '

awk 'BEGIN { print "sender,receiver,time"; for (i = 0; i < 1500; i++) printf "a%d,b%d,%d\n", i % 7, (i * i + int(i / 50)) % 11, i * 60 }' \
    </dev/null >own.csv
for name in recommendation messages; do
    example $name own.csv
    exits 0
    prints_like '^next destinations of a[0-9]'
done
example messages nowhere.csv
check
[[ $exit_code != 0 ]] || bad "a log that is not there"

done_testing
