# Ctrl-C and SIGTERM: one line, exit code 130 or 143, nothing left behind. The progress line: only on a terminal.
. "$(dirname "$0")/lib.sh"

mkdir work
mkfifo pipe

# stop SIGNAL: feeds an import from a pipe without end and stops it.
stop() {
    last="import stopped by SIG$1"
    "$scadyg" import pipe -o work/x.events >.out 2>.err &
    local process=$!
    rm -f reading
    { : >reading; exec yes a,b,1; } >pipe 2>/dev/null & # the pipe opens when somebody reads it
    local feeder=$! tries=0
    while [[ ! -e reading && $((tries++)) -lt 300 ]]; do sleep 0.1; done
    sleep 0.1
    kill "-$1" $process
    wait $process
    exit_code=$?
    kill $feeder 2>/dev/null
    wait $feeder 2>/dev/null
}
stop INT
exits 130
says "scadyg import: stopped, nothing written"
stop TERM
exits 143
says "scadyg import: stopped, nothing written"
check
[[ -z $(ls -A work) ]] || bad "something is left" "$(ls -A work)"

# Waiting for input that does not come.
last="import waiting for input"
"$scadyg" import - -o work/x.events <pipe >.out 2>.err &
process=$!
exec 9>pipe
sleep 1
kill -INT $process
wait $process
exit_code=$?
exec 9>&-
exits 130
says "scadyg import: stopped, nothing written"
check
[[ -z $(ls -A work) ]] || bad "something is left" "$(ls -A work)"

# On a terminal long work shows a line and wipes it away.
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    seq 150000 | sed 's/.*/a,b,&/' >piece
    on_terminal() { # ARGUMENTS...: an import of 900,000 rows that takes about a second
        last="on a terminal: import $*"
        { echo 'src,dst,time'; for i in 1 2 3 4 5 6; do cat piece; sleep 0.15; done; } >pipe &
        script -qec "stty cols 80; '$scadyg' import $*" /dev/null </dev/null >screen 2>&1
        wait
        tr '\r' '\n' <screen >lines
    }
    on_terminal pipe -o work/y.events
    check
    grep -Eq '^reading  [0-9,]+  [0-9.]+ M/s *$' lines || bad "no progress line" "$(cat -v screen)"
    check
    grep -q '^rows    900,000 read' lines || bad "no summary" "$(cat -v screen)"
    on_terminal -q pipe -o work/y.events
    check
    [[ ! -s screen ]] || bad "not quiet" "$(cat -v screen)"
    check
    if grep -q $'\033' screen; then bad "an escape sequence"; fi
fi

done_testing
