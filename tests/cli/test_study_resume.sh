# study, stopped and killed at any time: it goes on and ends in the same results.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"

long=(--steps 20 --epochs 8 --patience 8 --batch 64 --threads 1 --seeds 2)
kinds=(compare ablation convergence efficiency weights)
[[ -z ${SCADYG_TEST_ROUNDS:-} ]] || kinds=(compare efficiency) # sanitizers are slow
for kind in "${kinds[@]}"; do
    more=()
    [[ $kind != ablation ]] || more=(--values pairs,time)
    run study $kind -q g.events "${long[@]}" "${more[@]}" -o whole
    exits 0
    stop_study() { # SIGNAL RUNS: stops it once so many runs are printed
        : >.out
        last="study $kind stopped by SIG$1"
        "$scadyg" study $kind g.events "${long[@]}" "${more[@]}" -o parts >.out 2>.err &
        local process=$! tries=0
        while [[ $(grep -c '^run' .out) -lt $2 && $((tries++)) -lt 2000 ]] && kill -0 $process 2>/dev/null; do
            sleep 0.01
        done
        sleep "$3"
        kill "-$1" $process 2>/dev/null
        wait $process 2>/dev/null
        exit_code=$?
    }
    stop_study INT 1 0.1
    if [[ $exit_code != 0 ]]; then # not over already
        exits 130
        says 'scadyg study: stopped; what is there is in parts, and the same command goes on'
        absent parts/results.json
    fi
    stop_study KILL 2 0.2
    stop_study KILL 2 0.05
    run study $kind g.events "${long[@]}" "${more[@]}" -o parts
    exits 0
    prints_like '; was there already$'
    if [[ $kind == convergence || $kind == efficiency ]]; then # seconds differ, scores do not
        for folder in whole parts; do
            jq 'del(.slopes) | .curves[]?.points |= map(.[1]) | .rows[].cells.cost |= .parameters' \
                $folder/results.json >$folder.scores
        done
        expect "the same scores" cmp whole.scores parts.scores
        cp parts/results.json once.json
        run study $kind -q g.events "${long[@]}" "${more[@]}" -o parts
        expect "the same results once they are there" cmp once.json parts/results.json
    else
        expect "the same results" cmp whole/results.json parts/results.json
        expect "the same CSV" cmp whole/results.csv parts/results.csv
        expect "the same charts" diff -r whole/charts parts/charts
    fi
    check
    [[ -z $(find parts -name '*.checkpoint') ]] || bad "something is left" "$(ls parts/runs)"
    rm -r whole parts
done

# Only one process at a time works in a folder; what is killed leaves it free.
"$scadyg" study compare g.events "${long[@]/#8/1000}" -o busy >.first 2>&1 &
first=$!
tries=0
until [[ -e busy/study.json || $((tries++)) -ge 2000 ]]; do sleep 0.01; done
fails '^scadyg study: another process is at work in busy; let it finish, or give another folder$' \
    study compare -q g.events "${long[@]}" -o busy
kill -KILL $first
wait $first 2>/dev/null
rm -r busy/study.json busy/runs
run study compare -q g.events "${small[@]/#3/1}" --seeds 1 -o busy
exits 0

done_testing
