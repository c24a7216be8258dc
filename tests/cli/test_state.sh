# The state beside a large log: written once, used by the next answers, gone on from when the log has grown; never in the way.
. "$(dirname "$0")/lib.sh"

rows() { # FIRST LAST: rows of a log, some of them at one time
    awk -v a="$1" -v b="$2" 'BEGIN { print "src,dst,time"; for (i = a; i <= b; i++) printf "u%d,i%d,%d\n", (i * 7919) % (300 + i / 99), (i * i + int(i / 7)) % 211, 1700000000 + int(i / 3) }' </dev/null
}
rows 1 110000 >old.csv
rows 110001 171000 >new.csv
"$scadyg" import -q old.csv -o log.events
train() { "$scadyg" train -q log.events -o "$1" --epochs 1 --hidden 8 --cases 2000 --negatives 2 --no-fallback --no-eval --vectors off --memory 1G "${@:2}"; }
train m.scadyg || bad "no model"
train other.scadyg --seed 2 || bad "no other model"

# As if there were none.
run rank --json --no-state m.scadyg log.events --source u7
exits 0
cp .out plain.json
expect "no state" test ! -e log.state
run rank --json m.scadyg log.events --source u7
exits 0
says_nothing
expect "the same answer" cmp .out plain.json
expect "a state" test -s log.state
rm log.state
chmod 640 log.events
run rank --json m.scadyg log.events --source u7
expect "no more readers than the log has" test "$(stat -c %a log.state)" = 640
cp log.state first.state

# The next answers come from it, and it stays as it is.
run rank -v --json m.scadyg log.events --source u7
exits 0
says "scadyg rank: log.state has the state after 110,000 events; 0 more were followed"
expect "the same answer" cmp .out plain.json
expect "the state as it was" cmp log.state first.state
for threads in 1 3; do
    run rank --json m.scadyg log.events --source u7 --threads $threads
    expect "the same answer on $threads threads" cmp .out plain.json
done

# predict and embed as well; times that lie back are none of its business.
printf 'u7,i5\nu8,i9\n' >pairs.csv
printf 'src,dst,time\nu7,i5,1700000500\nu8,i9,1700036000\n' >past.csv
for list in pairs past; do
    run predict -q --no-state m.scadyg log.events -i $list.csv
    exits 0
    cp .out plain.csv
    run predict -v m.scadyg log.events -i $list.csv
    exits 0
    expect "the same scores of $list" cmp .out plain.csv
done
run embed -q --no-state m.scadyg log.events --node u7 i5 -o plain.csv
run embed -q m.scadyg log.events --node u7 i5 -o kept.csv
exits 0
expect "the same embeddings" cmp plain.csv kept.csv
run rank --json --no-state m.scadyg log.events --source u7 --at 1700030000
cp .out past.json
run rank -v --json m.scadyg log.events --source u7 --at 1700030000
says_nothing
expect "the same answer of the past" cmp .out past.json

# The log has grown, with more events of its last time: only these are followed, and enough of them are worth a new state.
"$scadyg" append -q log.events new.csv
run rank --json --no-state m.scadyg log.events --source u7
cp .out plain.json
run rank -v --json m.scadyg log.events --source u7
exits 0
says "scadyg rank: log.state has the state after 110,000 events; 61,000 more were followed"
expect "the same answer of the longer log" cmp .out plain.json
run rank -v --json m.scadyg log.events --source u7
says "scadyg rank: log.state has the state after 171,000 events; 0 more were followed"
expect "the same answer again" cmp .out plain.json

# A state of another model, of another log, a damaged one: not used, and then replaced.
run rank -v --json other.scadyg log.events --source u7
exits 0
says "scadyg rank: log.state is not used: it is of another model"
run rank -v --json other.scadyg log.events --source u7
says_like 'has the state after 171,000 events'
run rank -v --json m.scadyg log.events --source u7
exits 0
says_like 'it is of another model'
expect "the same answer" cmp .out plain.json
sed 's/^u7,/u9,/' old.csv >other.csv
"$scadyg" import -q other.csv -o other.events
cp log.state other.state
run rank -v --json m.scadyg other.events --source u9
exits 0
says "scadyg rank: other.state is not used: it is of other events"
cp log.state good.state
for at in 9 70 5000 1000000; do
    cp good.state log.state
    printf '\377\376' | dd of=log.state bs=1 seek=$at conv=notrunc 2>/dev/null
    run rank -v --json m.scadyg log.events --source u7
    exits 0
    says_like 'log.state (is not used|has the state)'
    expect "the same answer beside damage at $at" cmp .out plain.json
done
head -c 300000 good.state >log.state
run rank -v --json m.scadyg log.events --source u7
exits 0
says_like 'log.state is not used: log.state is damaged'
expect "the same answer beside a state that is cut off" cmp .out plain.json

# However little is left of it: by its first bytes it is ours.
again() { # WHAT: not used, and the next answer comes from a new one
    run rank -v --json m.scadyg log.events --source u7
    exits 0
    says_like 'log.state is not used: '
    expect "the same answer beside a state $1" cmp .out plain.json
    run rank -v --json m.scadyg log.events --source u7
    says "scadyg rank: log.state has the state after 171,000 events; 0 more were followed"
}
for size in 40 5 0; do
    truncate -s $size log.state
    again "of $size bytes"
done
printf '\377\377' | dd of=log.state bs=1 seek=12 conv=notrunc 2>/dev/null
again "with too many sections"

# One that others may write to could change under our hands.
for mode in 660 606; do
    chmod $mode log.state
    again "of mode $mode"
    expect "nobody else may write to it" test $((0$(stat -c %a log.state) & 022)) = 0
done

# An id that nobody has is found out before the log is followed.
run rank -v m.scadyg log.events --source nobody
exits 1
says_like "^scadyg rank: .*'?nobody"
run embed -v m.scadyg log.events --node nobody -o no.csv
exits 1
says_like "^scadyg embed: .*'?nobody"

# Of other users, and a group that is not ours: only root can try that.
cat >as_other <<END
#!/bin/sh
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$scadyg" "\$@"
END
chmod 755 as_other
mkdir -m 777 shared
cp m.scadyg log.events shared
chmod 644 shared/*
chmod 755 .
if [[ $(id -u) == 0 ]] && ./as_other show "$PWD/shared/m.scadyg" >/dev/null 2>&1; then
    chown 65534 log.state
    again "of somebody else"
    chown 65534 log.events log.state
    run rank -v --json m.scadyg log.events --source u7
    says "scadyg rank: log.state has the state after 171,000 events; 0 more were followed"
    rm log.state
    chown root:daemon log.events
    chmod 640 log.events
    run rank --json m.scadyg log.events --source u7
    expect "the group of the log" test "$(stat -c '%G %a' log.state)" = "daemon 640"
    chown root:daemon shared/log.events
    chmod 664 shared/log.events
    scadyg=$PWD/as_other run rank --json shared/m.scadyg shared/log.events --source u7
    exits 0
    says_nothing
    expect "a group that cannot be set reads as everybody" test "$(stat -c '%u %a' shared/log.state)" = "65534 644"
    rm shared/log.state
    cp good.state shared/log.state
    chmod 600 shared/log.state
    scadyg=$PWD/as_other run rank --json shared/m.scadyg shared/log.events --source u7
    exits 0
    says "scadyg rank: no state is kept: shared/log.state is left as it is, for it cannot be read: Permission denied"
    expect "what was there" cmp good.state shared/log.state
    expect "its owner" test "$(stat -c %u shared/log.state)" = 0
fi
rm -r shared

# What is not ours is left alone; where nothing can be written nothing is said.
echo precious >log.state
run rank --json m.scadyg log.events --source u7
exits 0
says "scadyg rank: no state is kept: log.state is there and is not a state file; it is left as it is"
expect "the same answer" cmp .out plain.json
expect "what was there" test "$(cat log.state)" = precious

rm log.state
ln -s nowhere log.state
run rank --json m.scadyg log.events --source u7
exits 0
says "scadyg rank: no state is kept: log.state is left as it is, for it cannot be read: No such file or directory"
expect "the link" test "$(readlink log.state)" = nowhere

# A small log and a baseline have none.
"$scadyg" train -q log.events -o rule.scadyg --model popularity --no-eval
rm -f log.state
run rank -q rule.scadyg log.events --source u7
exits 0
expect "no state of a baseline" test ! -e log.state
head -3000 old.csv >small.csv
"$scadyg" import -q small.csv -o small.events
run rank -q m.scadyg small.events --source u7
exits 0
expect "no state of a small log" test ! -e small.state

done_testing
