# Help, version, man pages and completion: all made from the same tables.
. "$(dirname "$0")/lib.sh"

commands="train tune eval study report predict rank embed affinity show import info messages generate export help"

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

# Every option is one line with its default in brackets.
for command in $commands; do
    run "$command" --help
    exits 0
    says_nothing
    prints_like "^usage: scadyg $command"
    cp .out "$command.help"
    sed -n '/^options/,/^$/p' .out | grep '^ ' | grep -v -- '--help' >options
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
done
for command in train tune eval rank affinity show import info messages generate export; do
    run "$command" --help
    prints_like '^ +--threads N '
    prints_like '^ +--json '
done
run train --help
prints_like '^  paper:uci  +[a-z]'
prints_like '^ +--json F.json '
run help --man train
prints_like '^\.SH PRESETS$'
prints_like '^\.B paper:uci$'
run tune --help
prints_like '^what is varied without --vary:$'
prints_like '^  lr=[^ ]+$'
prints_like '^  paper:uci  +[a-z]'
prints_like '^ +--vary NAME=VALUES '
run help --man tune
prints_like '^\.SH PRESETS$'
prints_like '^\.SH USUAL VALUES$'
run messages --help
prints_like '^ +--steps L .*\[100\]$'
prints_like '^ +--window N .*\[all\]$'
prints_like '^ +--step-rule RULE .*equal-time\|equal-count \[equal-time\]$'

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
    sed -n '/^options/,/^$/s/^ *\(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' "$command.help" | sed 's/-/\\-/g' |
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
completes "train tune eval study report predict rank embed affinity show import info messages generate export help --help --version" ""
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
completes "paper:trade" train x.events --preset paper:tr
completes "" train --config ""
completes "paper:trade" tune x.events --preset paper:tr
completes "weight-decay=" tune x.events --vary wei
completes "halving random" tune x.events --method ""
completes "" tune --journal ""

done_testing
