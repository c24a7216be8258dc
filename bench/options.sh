# shellcheck shell=bash
# Options of a benchmark and of who runs it, for a program that takes each option once.

# settle DEFAULTS... -- OPTIONS...: all of them into the array `settled`; what is among the options replaces its default.
settle() {
    local -A given=()
    local defaults=() word keep=1
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        defaults+=("$1")
        shift
    done
    shift
    for word; do [[ $word != --?* ]] || given[${word%%=*}]=1; done
    settled=()
    for word in "${defaults[@]}"; do
        [[ $word != --?* ]] || keep=${given[$word]:+no}
        [ "$keep" = no ] || settled+=("$word")
    done
    settled+=("$@")
}
