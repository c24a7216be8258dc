# shellcheck shell=bash
# Checks for tests of the command line. A test file sources this, runs the binary with `run`, and says what it expects.
#
#   run ARGUMENTS...        runs scadyg; standard input is empty unless redirected
#   exits N                 the exit code
#   prints TEXT             standard output, whole, exactly
#   prints_like PATTERN     some line of standard output matches (extended regular expression)
#   says TEXT               standard error is this one line, exactly
#   says_like PATTERN       standard error is one line that matches
#   silent                  nothing on either

set -u
command -v jq >/dev/null || { echo "needs jq"; exit 77; }
scadyg=${SCADYG:?the scadyg binary}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
unset LC_ALL LC_CTYPE
export LANG=C
failures=0
checks=0
exit_code=
last=

run() {
    last="scadyg $*"
    "$scadyg" "$@" >"$scratch/.out" 2>"$scratch/.err" </dev/stdin
    exit_code=$?
}

bad() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  %s\n' "$last" "$1"
    [[ -z ${2:-} ]] || printf '%s\n' "$2" | head -n 60 | sed 's/^/    /'
}

check() { checks=$((checks + 1)); }

exits() {
    check
    [[ $exit_code == "$1" ]] || bad "exit code $exit_code, expected $1" "$(head -c 2000 "$scratch/.err")"
}

prints() {
    check
    local difference
    difference=$(diff -u --label expected <(printf '%s\n' "$1") --label printed "$scratch/.out") ||
        bad "standard output differs" "$difference"
}

prints_like() {
    check
    grep -Eq -- "$1" "$scratch/.out" || bad "no line of standard output matches: $1" "$(head -c 2000 "$scratch/.out")"
}

prints_not() {
    check
    if grep -Eq -- "$1" "$scratch/.out"; then bad "a line of standard output matches: $1"; fi
}

says() {
    check
    [[ $(cat "$scratch/.err"; echo x) == "$1"$'\n'x ]] || bad "expected: $1" "$(head -c 2000 "$scratch/.err")"
}

says_like() {
    check
    [[ $(wc -l <"$scratch/.err") == 1 ]] || bad "not one line on standard error" "$(head -c 2000 "$scratch/.err")"
    grep -Eq -- "$1" "$scratch/.err" || bad "standard error does not match: $1" "$(head -c 2000 "$scratch/.err")"
}

says_nothing() {
    check
    [[ ! -s $scratch/.err ]] || bad "standard error is not empty" "$(head -c 2000 "$scratch/.err")"
}

prints_nothing() {
    check
    [[ ! -s $scratch/.out ]] || bad "standard output is not empty" "$(head -c 2000 "$scratch/.out")"
}

silent() {
    prints_nothing
    says_nothing
}

# wrong EXPECTED_LINE ARGUMENTS...: wrong usage, exit code 2, one line, nothing printed.
wrong() {
    local line=$1
    shift
    run "$@"
    exits 2
    says "$line"
    prints_nothing
}

# fails PATTERN ARGUMENTS...: a failure, exit code 1, one line that matches, nothing printed.
fails() {
    local pattern=$1
    shift
    run "$@"
    exits 1
    says_like "$pattern"
    prints_nothing
}

# expect WHAT COMMAND...: any other command that must succeed.
expect() {
    check
    local what=$1 output
    shift
    output=$("$@" 2>&1) || { last=$*; bad "$what" "$(head -c 2000 <<<"$output")"; }
}

absent() {
    check
    [[ ! -e $1 ]] || bad "$1 exists"
}

# A value in the JSON on standard output: json .events
json() { jq -c "$1" "$scratch/.out" 2>&1; }

json_is() {
    check
    local value
    value=$(json "$1")
    [[ $value == "$2" ]] || bad "$1 is $value, expected $2"
}

done_testing() {
    if ((failures)); then
        echo "$failures of $checks checks failed"
        exit 1
    fi
    echo "$checks checks"
    exit 0
}
