# Help, version, man pages and completion: all made from the same tables.
. "$(dirname "$0")/lib.sh"

commands="train tune eval backtest study report predict rank embed affinity show import append info messages generate export help"

run --version
exits 0
prints_like '^scadyg [0-9]+\.[0-9]+\.[0-9]+$'
says_nothing

run help
exits 0
says_nothing
for command in $commands; do prints_like "^  $command +[a-z]"; done
cp .out overview
run --help
exits 0
prints "$(cat overview)"
run -h
exits 0
prints "$(cat overview)"

# unwrapped: options of the help on standard input, each on one line again.
unwrapped() {
    sed -n '/^options/,/^$/p' | sed '/^ /!d' | awk '/^  (-.,|   ) --/ { if (line) print line; line = $0; next }
        { sub(/^ +/, " "); line = line $0 } END { print line }'
}

# Every option has its default in brackets, and everything fits 80 columns.
for command in $commands; do
    run "$command" --help
    exits 0
    says_nothing
    prints_like "^usage: scadyg $command"
    cp .out "$command.help"
    unwrapped <.out | grep -v -- '--help' >options
    check
    if grep -v '\]$' options >unbracketed; then bad "options without a default" "$(cat unbracketed)"; fi
    prints_like '^  -q, --quiet '
    prints_like '^  -v, --verbose '
    prints_like '^  -h, --help '
    run help "$command"
    exits 0
    prints "$(cat "$command.help")"
    run "$command" -h
    prints "$(cat "$command.help")"
    run "$command" --quiet -v --help --nonsense
    exits 0
    prints "$(cat "$command.help")"
    run "$command" --help-all
    exits 0
    says_nothing
    cp .out "$command.all"
    check
    [[ $(cat "$command.help" "$command.all" | wc -L) -le 80 ]] || bad "wider than 80 columns" \
        "$(awk 'length > 80' "$command.help" "$command.all")"
    check
    sed -n 's/^  \(-., \|    \)\(--[^ ]*\).*/\2/p' "$command.help" | while read -r option; do
        grep -qF -- "$option" "$command.all" || echo "$option"
    done >lost
    [[ ! -s lost ]] || bad "options that --help-all does not have" "$(cat lost)"
done
for command in tune eval rank affinity show import append info messages generate export; do
    run "$command" --help
    prints_like '^ +--threads N '
    prints_like '^ +--json '
done

# train: what matters on one screen, and all of it by kind of model.
check
[[ $(wc -l <train.help) -le 45 ]] || bad "$(wc -l <train.help) lines of help"
cp train.help .out
prints_like '^      --model KIND '
prints_like '^      --lr RATE '
prints_not '--vectors'
prints_not '^presets'
prints_like '^scadyg train --help-all has the rest, by kind of model, and the presets\.$'
cp train.all .out
prints_like '^ +--json F.json '
prints_like '^ +--print-config '
for group in 'scadyg \(link\)' 'scadyg \(affinity\)' 'scadyg-paper \(link\)' 'popularity, edgebank,.*'; do
    prints_like "^options of $group"
done
prints_like '^presets of scadyg-paper \(link\):$'
prints_like '^  uci  +[a-z]'
check
[[ $(sed -n '/^options of scadyg (link)/,/^$/p' .out | grep -c -e '--lr RATE .*\[0.002\]') == 1 &&
    $(sed -n '/^options of scadyg-paper (link)/,/^$/p' .out | grep -c -e '--lr RATE .*\[0.003\]') == 1 ]] ||
    bad "each kind has its own default of --lr"
check
[[ $(grep -c -e ' --window N' .out) == 2 && $(grep -c -e ' --task TASK' .out) == 1 ]] || bad "options in their groups"
run help --man train
prints_like '^\.SH PRESETS$'
prints_like '^\.B uci$'
prints_like '^\.SS Options of scadyg\\-paper \(link\):$'
run help models
exits 0
prints_like '^models for --task link .*, the default first:$'
prints_like '^  scadyg-paper  +[a-z]'
prints_like '^  persistence  +[a-z]'
prints_like '^presets of scadyg-paper \(affinity\):$'
check
[[ $(wc -L <.out) -le 80 ]] || bad "wider than 80 columns"
run tune --help
prints_like '^what is varied without --vary:$'
prints_like '^  lr=[^ ]+$'
prints_like '^ +--vary NAME=VALUES '
run help --man tune
prints_like '^\.SH PRESETS$'
prints_like '^\.SH WHAT IS VARIED WITHOUT --VARY$'
run messages --help-all
prints_like '^ +--steps L .*\[100\]$'
prints_like '^ +--window N .*\[all\]$'
unwrapped <.out >options
cp options .out
prints_like '^ +--step-rule RULE .*equal-time\|equal-count \[equal-time\]$'
run eval --help-all
prints_like '^ +--\[no-\]baselines .*'
# What a study settles itself is not offered.
cp study.all .out
prints_not '^ +--(model|split) '
prints_like '^ +--models LIST '

# Man pages have their sections and every option, and roff has nothing to complain of.
for command in "" $commands; do
    # shellcheck disable=SC2086
    run help --man $command
    exits 0
    says_nothing
    cp .out page.1
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES "EXIT STATUS"; do prints_like "^\.SH $section$"; done
    if command -v groff >/dev/null; then
        check
        groff -man -ww -Tutf8 page.1 >/dev/null 2>roff.errors
        [[ ! -s roff.errors ]] || bad "roff warns" "$(cat roff.errors)"
    fi
    [[ $command ]] || continue
    check
    sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' "$command.all" | sed 's/-/\\-/g' |
        while read -r option; do grep -qF -- "$option" page.1 || echo "$option"; done >lost
    [[ ! -s lost ]] || bad "options not in the man page" "$(cat lost)"
done

# Completion, asked as bash asks.
run help --completion
exits 0
cp .out completion
expect "the completion is bash" bash -n completion
complete_words() { # WORD...: completes the last one
    bash -c '. ./completion
        compopt() { :; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _scadyg
        printf "%s\n" "${COMPREPLY[@]}"' - scadyg "$@"
}
completes() { # EXPECTED WORD...
    check
    local expected=$1 answer
    shift
    answer=$(complete_words "$@" | paste -sd ' ')
    last="completion of: scadyg $*"
    [[ $answer == "$expected" ]] || bad "completed to '$answer', expected '$expected'"
}
completes "import" im
completes "train tune eval backtest study report predict rank embed affinity show import append info messages generate export help --help --version" ""
completes "--columns" import --col
completes "equal-time equal-count" messages x.events --step-rule ""
completes "equal-count" messages x.events --step-rule equal-c
completes "equal-time equal-count" messages x.events --step-rule =
completes "equal-count" messages x.events --step-rule = equal-c
completes "items" generate --kind i
completes "" messages x.events --steps ""
completes "" import -o ""
completes "messages" help mess
completes "link affinity" train x.events --task ""
completes "scadyg scadyg-paper" train x.events --model sca
completes "trade" train x.events --preset tr
completes "" train --config ""
completes "trade" tune x.events --preset tr
completes "scadyg-paper:mooc" study compare x.events --models scadyg-paper:mo
completes "models" help mod
completes "--no-baselines" eval --no-b
completes "--stepwise" train --stepw
completes "--no-stepwise" train --no-s
completes "weight-decay=" tune x.events --vary wei
completes "halving random" tune x.events --method ""
completes "" tune --journal ""

done_testing
