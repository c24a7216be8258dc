# shellcheck shell=bash
# What ./test is made of: builds by preset, tests counted. Sourced.

passed=0 failed=0 skipped=0
jobs=$(nproc)
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# Where there is an end to the time, commands are stopped then: limit is empty or `timeout N`.
limit=()

heading() {
    printf '\n== %s (%d s)\n' "$1" "$SECONDS"
}

# build PRESET [TARGET...]: a step that counts as failed only, since a build that works is no news.
build() {
    local preset=$1 generator=() targets=()
    shift
    # A folder keeps the generator it has.
    [[ -e build-$preset/CMakeCache.txt || ($preset == dev && -e build/CMakeCache.txt) ]] ||
        ! command -v ninja >/dev/null || generator=(-G Ninja)
    (($# == 0)) || targets=(--target "$@")
    "${limit[@]}" cmake --preset "$preset" "${generator[@]}" >"$log" 2>&1 &&
        "${limit[@]}" cmake --build --preset "$preset" -j "$jobs" "${targets[@]}" >"$log" 2>&1
    local code=$?
    ((code == 0)) && return 0
    if ((code == 124)); then
        echo "no time left to build $preset"
        return 1
    fi
    tail -n 60 "$log"
    echo "the build of $preset failed"
    failed=$((failed + 1))
    return 1
}

# tests PRESET CTEST-OPTIONS...: runs them and adds up. The names of those that passed or were skipped are in $good_names.
tests() {
    local preset=$1 ran good left bad
    shift
    "${limit[@]}" ctest --preset "$preset" -j "$jobs" --no-tests=error "$@" 2>&1 | tee "$log" | grep -v '^ *Start '
    ran=${PIPESTATUS[0]}
    good=$(grep -cE 'Test +#[0-9]+: .*   Passed ' "$log")
    left=$(grep -cE 'Test +#[0-9]+: .*\*\*\*Skipped' "$log")
    bad=$(grep -cE 'Test +#[0-9]+: .*\*\*\*' "$log")
    bad=$((bad - left))
    ((ran == 0 || ran == 124 || bad > 0)) || bad=1
    good_names+=" $(sed -nE 's/.*Test +#[0-9]+: ([^ ]+) .*(   Passed |\*\*\*Skipped).*/\1/p' "$log" | tr '\n' ' ')"
    passed=$((passed + good)) skipped=$((skipped + left))
    # The leak checker stops the program's threads to look at them, and on a busy machine it now and then cannot.
    # That says nothing of the program, so what failed is run again, up to four times, and that counts.
    if ((bad > 0 && ${again:-0} < 4)) && grep -q 'LeakSanitizer has encountered a fatal error' "$log"; then
        echo "the leak checker itself failed: once more what did not pass"
        again=$((${again:-0} + 1))
        tests "$preset" --rerun-failed
        again=0
        return
    fi
    failed=$((failed + bad))
}
