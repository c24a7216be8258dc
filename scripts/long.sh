# shellcheck shell=bash
# The campaigns of ./test --long. A part is a list of pieces; those done are in build-long/done, one "PART PIECE" a line
# with when and on which commit, and are left alone until all of the part are. Sourced by ./test.
#
# A part NAME is a function pieces_NAME, which builds what is needed and prints the pieces, and a function piece_NAME,
# which does one: exit code 0 passed, 77 skipped, 124 no time. A part of tests that ctest knows is a row in `suites`.

state=build-long/done
parts_in_order=(kill resume simulate faults forge studies data fuzz clang noblas asan tsan arm64 packages tidy)
declare -A about=(
    [kill]="imports killed at random moments: the older file or a whole new one, and nothing else"
    [resume]="training, searches and studies killed again and again: the same bytes in the end"
    [simulate]="10,000 seeded scenarios of faults, kills and loss of power: the old file or the new one, the same bytes in the end"
    [faults]="every call that can fail is made to fail, one by one; every damage of a file"
    [studies]="1,000 study folders with hostile contents, under the sanitizers: refused or answered"
    [forge]="events files, models and checkpoints with right checksums and hostile contents, a thousand of each, under asan"
    [data]="real data, where \$SCADYG_DATA has any"
    [fuzz]="libFuzzer on every reader, 10 minutes each (\$SCADYG_FUZZ_SECONDS); what is worth keeping stays in build-long/corpus"
    [clang]="all tests, built with clang"
    [noblas]="all tests, built without OpenBLAS"
    [asan]="all tests under the address and undefined-behaviour sanitizers"
    [tsan]="all tests under the thread sanitizer"
    [arm64]="cross build, tests under qemu, and a model with the same bytes as here"
    [packages]="Debian packages and tarball, installed in a bare system"
    [tidy]="clang-tidy over src and tools"
)
# Parts that are tests of ctest: preset and which.
declare -A suites=(
    [faults]="dev -R ^robust/(faults_.*_deep|test_.*)$"
    [data]="dev -L ^data$"
    [clang]="clang -LE ^(data|consumer)$ -E _deep$"
    [noblas]="noblas -LE ^(data|consumer)$ -E _deep$"
    [asan]="asan -LE ^data$ -E _deep$"
    [tsan]="tsan -LE ^(data|fuzz)$ -E _deep$"
)
declare -A needs=(
    [fuzz]="clang libclang-rt-dev llvm"
    [studies]="clang libclang-rt-dev llvm"
    [forge]="clang libclang-rt-dev llvm"
    [clang]=clang
    [asan]="clang libclang-rt-dev llvm"
    [tsan]="clang libclang-rt-dev llvm"
    [arm64]="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static"
    [packages]="debootstrap dpkg-dev"
    [tidy]=clang-tidy
)

left() { # seconds, or nothing where there is no end
    [[ -z $minutes ]] || echo $((minutes * 60 > SECONDS ? minutes * 60 - SECONDS : 0))
}
out_of_time() {
    [[ $(left) == 0 ]]
}
set_limit() {
    limit=()
    [[ -z $minutes ]] || limit=(timeout -k 10 "$(($(left) > 0 ? $(left) : 1))")
}
is_done() { # PART PIECE
    grep -qsF "$1 $2 @" "$state"
}
mark_done() {
    echo "$1 $2 @ $(date -u +%Y-%m-%dT%H:%MZ) $(git describe --always --dirty 2>/dev/null)" >>"$state"
}

# --- the pieces ------------------------------------------------------------------------------------------------------

pieces_kill() { build dev >&2 && seq 5; }
piece_kill() { bash tests/robust/kill.sh "$PWD/build/scadyg" 100; }

pieces_resume() { build dev >&2 && seq 5 && echo studies; }
piece_resume() {
    if [[ $1 == studies ]]; then
        ctest --preset dev -R '^cli/test_study_resume$' | tail -n 3
        return "${PIPESTATUS[0]}"
    fi
    bash tests/robust/resume.sh "$PWD/build/scadyg" 60
}

pieces_studies() { build asan scadyg forge_study >&2 && seq 0 100 900; }
piece_studies() {
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 bash tests/robust/forged_studies.sh \
        "$PWD/build-asan/scadyg" "$PWD/build-asan/tests/forge_study" 100 $(($1 + 1))
}

pieces_forge() { build asan forge >&2 && printf '%s\n' {events,models,checkpoints}-{0,250,500,750}; }
piece_forge() { build-asan/tests/forge "${1%-*}" "${1#*-}" 250; }

# A thousand seeds each, those of the first piece of a new round being the ones after the last round's.
pieces_simulate() { build dev simulate >&2 && seq 10; }
piece_simulate() {
    local rounds
    rounds=$(cat build-long/simulate-rounds 2>/dev/null || echo 0)
    build/tests/simulate --jobs "$jobs" --twice 10 --first $((rounds * 10000 + ($1 - 1) * 1000 + 1)) --count 1000 || return 1
    (($1 < 10)) || echo $((rounds + 1)) >build-long/simulate-rounds
}

pieces_fuzz() {
    build fuzz >&2 || return 1
    local program
    for program in build-fuzz/tests/fuzz_*; do
        [[ ! -x $program || -d $program ]] || echo "${program##*/fuzz_}"
    done
}
piece_fuzz() {
    local corpus=build-long/corpus/$1 seconds=${SCADYG_FUZZ_SECONDS:-600}
    mkdir -p "$corpus" build-long/findings
    [[ -z $minutes || $(left) -ge $seconds ]] || seconds=$(($(left) > 5 ? $(left) - 2 : 3))
    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 build-fuzz/tests/fuzz_"$1" -max_total_time="$seconds" \
        -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="build-long/findings/$1-" \
        "$corpus" "tests/fuzz/corpus/$1" >"$corpus.log" 2>&1 || {
        tail -n 40 "$corpus.log"
        echo "what breaks it is in build-long/findings/"
        return 1
    }
    local inputs
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus.log")
    scripts/corpus.sh --found "$1" >"$corpus.log.merged" 2>&1 || {
        cat "$corpus.log.merged"
        return 1
    }
    echo "$inputs inputs in $seconds s, $((inputs / seconds))/s, $(
        sed -n 's/.* cov: \([0-9]*\).*/\1/p' "$corpus.log" | tail -n 1) edges, $(find "$corpus" -type f | wc -l) kept"
}

arm64_packages=(zlib1g-dev zlib1g libzstd-dev libzstd1 libjansson-dev libjansson4 libcmocka-dev libcmocka0)
pieces_arm64() {
    scripts/sysroot.sh arm64 build-long/sysroot-arm64 "${arm64_packages[@]}" >"$log" 2>&1 || {
        echo "skipped: the libraries for arm64 cannot be had: $(tail -n 1 "$log")" >&2
        return 77
    }
    build dev >&2 && build arm64 >&2 && printf '%s\n' base events evaluate nn models training
}
piece_arm64() {
    if [[ $1 != training ]]; then
        SCADYG_TEST_ROUNDS=20 ctest --preset arm64 -j "$jobs" -L "^$1$" -LE '^long$' --no-tests=error | tail -n 12
        return "${PIPESTATUS[0]}"
    fi
    local sysroot=$PWD/build-long/sysroot-arm64 here there=build-long/arm64 machine task
    here=("$PWD/build/scadyg")
    local emulated=(qemu-aarch64-static -L /usr/aarch64-linux-gnu
        -E "LD_LIBRARY_PATH=$sysroot/usr/lib/aarch64-linux-gnu:$sysroot/lib/aarch64-linux-gnu" "$PWD/build-arm64/scadyg")
    for machine in here there; do
        local run=("${here[@]}")
        [[ $machine == here ]] || run=("${emulated[@]}")
        mkdir -p $there/$machine
        (
            cd $there/$machine || exit 1
            rm -f ./*
            "${run[@]}" generate -q --events 1500 --nodes 60 --seed 3 -o g.events || exit 1
            for task in link affinity; do
                "${run[@]}" train -q g.events --task $task --steps 20 --epochs 2 --batch 64 --threads 2 -o $task || exit 1
            done
        ) || return 1
    done
    local file
    for file in g.events link affinity; do
        cmp $there/here/$file $there/there/$file || return 1
    done
    echo "a graph and two models have the same bytes on arm64 as here"
}

pieces_packages() { echo all; }
piece_packages() { packaging/try.sh build-long/packages; }

pieces_tidy() { build dev >&2 && ls -d src/*/ tools/*/ | tr -d '\r'; }
piece_tidy() {
    find "$1" -name '*.c' -print0 | xargs -0 -P "$jobs" -n 4 clang-tidy --quiet -p build >"$log" 2>/dev/null
    local code=$?
    grep -E 'warning:|error:' "$log" | sort -u
    return $((code ? 1 : 0))
}

# --- the tier --------------------------------------------------------------------------------------------------------

# suite PART: its pieces are the tests; one call of ctest does all that are left.
suite() {
    local part=$1 preset options names todo=()
    read -r preset options <<<"${suites[$part]}"
    local chosen=(${options})
    set_limit
    build "$preset" || return
    mapfile -t names < <(ctest --preset "$preset" -N "${chosen[@]}" | sed -nE 's/^ *Test +#[0-9]+: //p')
    for name in "${names[@]}"; do is_done "$part" "$name" || todo+=("$name"); done
    total=${#names[@]}
    ((${#todo[@]})) || return
    set_limit
    good_names=''
    tests "$preset" -R "^($(IFS='|'; echo "${todo[*]}"))$"
    for name in "${todo[@]}"; do
        [[ " $good_names " != *" $name "* ]] || mark_done "$part" "$name"
    done
}

# campaign PART: its pieces one after the other.
campaign() {
    local part=$1 pieces code piece
    set_limit
    mapfile -t pieces < <(pieces_"$part" || echo "FAILED $?")
    case ${pieces[*]: -1} in
    "FAILED 77")
        skipped=$((skipped + 1))
        return
        ;;
    FAILED*)
        # The build has said so; the count was in another process.
        out_of_time || failed=$((failed + 1))
        return
        ;;
    esac
    total=${#pieces[@]}
    for piece in "${pieces[@]}"; do
        is_done "$part" "$piece" && continue
        out_of_time && return
        set_limit
        local begin=$SECONDS
        piece_in_time "$part" "$piece"
        code=$?
        printf '%s %s: ' "$part" "$piece"
        case $code in
        0)
            echo "passed, $((SECONDS - begin)) s"
            passed=$((passed + 1))
            mark_done "$part" "$piece"
            ;;
        77)
            echo "skipped"
            skipped=$((skipped + 1))
            mark_done "$part" "$piece"
            ;;
        124 | 137 | 143) echo "cut, no time left" ;;
        *)
            echo "FAILED, $((SECONDS - begin)) s"
            failed=$((failed + 1))
            ;;
        esac
    done
}

# A piece is a function, so the clock that stops it is a process beside it.
piece_in_time() {
    local clock='' code
    set -m # a process group of its own, to be stopped as a whole
    piece_"$1" "$2" &
    local work=$!
    if [[ $minutes ]]; then
        (
            sleep "$(left)"
            kill -- -$work
        ) 2>/dev/null &
        clock=$!
    fi
    set +m
    wait $work
    code=$?
    if [[ $clock ]]; then
        kill -- -"$clock" 2>/dev/null
        wait "$clock" 2>/dev/null
    fi
    return $code
}

long_list() {
    local part
    for part in "${parts_in_order[@]}"; do
        printf '%-10s %s; %d pieces done\n' "$part" "${about[$part]}" "$(grep -cs "^$part " "$state")"
    done
}

long_tier() {
    local part total covered=()
    export SCADYG_TEST_LONG=1 # tests that repeat themselves do so more often
    mkdir -p build-long
    touch "$state"
    if [[ $list ]]; then
        long_list
        exit 0
    fi
    for part in "${parts[@]}"; do
        [[ ${about[$part]:-} ]] || wrong "there is no part '$part'; there are ${parts_in_order[*]}"
    done
    ((${#parts[@]})) || parts=("${parts_in_order[@]}")
    need_packages "${build_packages[@]}" "${test_packages[@]}" || exit 1
    for part in "${parts[@]}"; do
        if out_of_time; then
            covered+=("$part: no time")
            continue
        fi
        if is_done "$part" all-of-it; then
            covered+=("$part: done before")
            continue
        fi
        heading "$part: ${about[$part]}"
        # shellcheck disable=SC2086
        if [[ ${needs[$part]:-} ]] && ! need_packages ${needs[$part]}; then
            echo "skipped: $part needs ${needs[$part]}"
            skipped=$((skipped + 1))
            covered+=("$part: skipped")
            continue
        fi
        total=0
        if [[ ${suites[$part]:-} ]]; then suite "$part"; else campaign "$part"; fi
        local count
        count=$(grep -c "^$part " "$state")
        covered+=("$part: $count of $total pieces")
        ((total == 0 || count < total)) || mark_done "$part" all-of-it
    done
    heading "covered"
    printf '%s\n' "${covered[@]}"
    # All of what was asked for is done: the next time it begins anew.
    for part in "${parts[@]}"; do is_done "$part" all-of-it || return; done
    for part in "${parts[@]}"; do sed -i "/^$part /d" "$state"; done
    echo "all of it; the next time begins anew"
}
