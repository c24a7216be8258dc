# Files that are truncated, written to or replaced while a command reads them: one sentence, exit code 1, nothing written.
. "$(dirname "$0")/lib.sh"

"$scadyg" generate -q --events 60000 --nodes 300 -o log.events
"$scadyg" train -q log.events --model scadyg-paper --epochs 1 --steps 20 -o m.scadyg
mkfifo pipe
mkdir work

# A command that waits for its input has its files open by then. with_pipe CHANGE ARGUMENTS...: runs it, does CHANGE to
# x.events when it begins to read the pipe, and feeds it.
with_pipe() {
    local change=$1
    shift
    last="scadyg $* ($change)"
    cp log.events x.events
    "$scadyg" "$@" >.out 2>.err &
    local process=$!
    exec 9>pipe # opens when somebody reads it
    eval "$change"
    printf '1,2,\n3,4,\n' >&9
    exec 9>&-
    wait $process
    exit_code=$?
}

changed() { # WORD: the sentence of a file that was changed, or that of a page that is gone
    says_like "^scadyg [a-z]+: (x.events was $1 while it was being read|a file was truncated while it was being read, or its disk failed)$"
    check
    [[ -z $(ls -A work) ]] || bad "something was written" "$(ls -A work)"
}

with_pipe 'truncate -s 0 x.events' predict m.scadyg x.events -i pipe -o work/scores.csv
exits 1
changed truncated
with_pipe 'truncate -s 1000 x.events' predict m.scadyg x.events -i pipe -o work/scores.csv
exits 1
changed truncated
with_pipe 'echo more >>x.events' predict m.scadyg x.events -i pipe -o work/scores.csv
exits 1
changed 'appended to'
with_pipe 'printf X | dd of=x.events bs=1 seek=900000 conv=notrunc 2>.dd' predict m.scadyg x.events -i pipe -o work/scores.csv
exits 1
changed changed

# Replaced or removed: the file that was opened stays as it was.
for change in 'cp log.events y && mv y x.events' 'rm x.events' 'chmod 600 x.events'; do
    with_pipe "$change" predict m.scadyg x.events -i pipe -o work/scores.csv
    exits 0
    says_nothing
done
rm work/scores.csv

# A pipe that nobody empties holds up an export in the middle of its work.
last="export of a file that is truncated"
cp log.events x.events
"$scadyg" export x.events -o - >pipe 2>.err &
process=$!
exec 8<pipe
read -r line <&8
truncate -s 0 x.events
cat <&8 >/dev/null
wait $process
exit_code=$?
exec 8<&-
check
[[ $line == src,dst,time ]] || bad "no header" "$line"
exits 1
changed truncated

# A matrix of features is open while the rows come.
python=$(command -v python3)
if [[ -n $python ]]; then
    rows=300000
    "$python" - $rows <<'END' >m.npy
import struct, sys
rows = int(sys.argv[1])
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 1), }" % rows
header += ' ' * (117 - len(header)) + '\n'
sys.stdout.buffer.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + bytes(4 * rows))
END
    last="import with a matrix that is truncated"
    seq $rows | sed 's/.*/a,b,&/' >rows
    "$scadyg" import pipe --edge-features m.npy -o work/x.events >.out 2>.err &
    process=$!
    exec 9>pipe
    head -c 2000000 rows >&9
    until grep -q m.npy /proc/$process/maps 2>/dev/null; do sleep 0.05; done
    truncate -s 100 m.npy
    tail -c +2000001 rows >&9
    exec 9>&-
    wait $process
    exit_code=$?
    exits 1
    says "scadyg import: m.npy was truncated while it was being read"
    check
    [[ -z $(ls -A work) ]] || bad "something was written" "$(ls -A work)"
fi

# At any moment of longer work, on several threads: it is over by then, or ends with a sentence.
for delay in 0.01 0.03 0.05 0.08 0.12 0.2; do
    for command in 'train -q x.events --epochs 2 -o work/x.scadyg' 'eval -q m.scadyg x.events' 'info -q x.events' \
        'rank -q m.scadyg x.events --source 1' 'embed -q m.scadyg x.events -o work/e.csv'; do
        last="$command, truncated after $delay s"
        cp log.events x.events
        # shellcheck disable=SC2086
        "$scadyg" $command --threads 4 >.out 2>.err &
        process=$!
        sleep $delay
        truncate -s 4096 x.events
        wait $process
        exit_code=$?
        rm -f work/*.checkpoint # of the whole epochs before
        if [[ $exit_code == 0 ]]; then
            says_nothing
            rm -f work/*
        elif grep -q 'is damaged\|is not an events file' .err; then
            exits 1 # it had not been opened yet
        else
            exits 1
            changed truncated
        fi
    done
done

# A log that grows while it is imported, and one that shrinks.
for change in 'echo a,b,900001 >>g.csv' 'truncate -s 100000 g.csv'; do
    for delay in 0.005 0.02 0.05; do
        last="import while: $change after $delay s"
        cp rows g.csv 2>/dev/null || seq 300000 | sed 's/.*/a,b,&/' >g.csv
        "$scadyg" import g.csv -q -o work/g.events >.out 2>.err &
        process=$!
        sleep $delay
        eval "$change"
        wait $process
        exit_code=$?
        if [[ $exit_code == 0 ]]; then
            says_nothing
            rm work/g.events
        else
            exits 1
            says_like '^scadyg import: g.csv was (appended to|truncated|changed) while it was being read$'
            check
            [[ -z $(ls -A work) ]] || bad "something was written" "$(ls -A work)"
        fi
    done
done

done_testing
