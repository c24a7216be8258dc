#!/bin/bash
# The tables of results: `scadyg study run bench/published.tsv` on the public files in $SCADYG_DATA, and then Markdown.
#
#   bench/accuracy.sh [--seeds N] [--until SHARE] [--output FOLDER] [--build DIRECTORY] [NAME...] [-- TRAIN-OPTIONS...]
#   bench/accuracy.sh --markdown [FOLDER]
#
# --seeds     train with the seeds 1 to N [5]
# --until     know only this share of each log, from its first event on, so that the test parts are not looked at [1]
# --output    where the results go; one with a run that was stopped goes on [bench/results/accuracy]
# --markdown  print the tables from the results in FOLDER, and nothing else
# NAME        some of the names in bench/published.tsv [all that are not only for when they are named]
#
# What is not there is skipped by name, what is in the folder is not trained again. The tables are also in
# FOLDER/tables.md; bench/goals.tsv gives goals and what others published.
set -u
here=$PWD
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
. bench/options.sh

seeds=5 until=1 output=$PWD/bench/results/accuracy build=$PWD/build names='' markdown=''
while [ $# -gt 0 ]; do
    case $1 in
    --seeds | --until | --output | --build)
        [ $# -ge 2 ] || { echo "bench/accuracy.sh: $1 needs a value" >&2; exit 2; }
        declare "${1#--}=$2"
        shift
        ;;
    --markdown)
        markdown=1
        output=${2:-$output}
        [ $# -lt 2 ] || shift
        ;;
    --)
        shift
        break
        ;;
    -*)
        sed -n '2,14s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
    *) names+=${names:+,}$1 ;;
    esac
    shift
done
output=$(cd "$here" && realpath -m -- "$output") build=$(cd "$here" && realpath -m -- "$build")
tables() {
    jq -L bench -r --rawfile goals bench/goals.tsv 'include "accuracy"; markdown($goals | goals)' "$output/results.json"
}
need_packages jq || exit 1
if [ -n "$markdown" ]; then
    tables
    exit
fi
[ -n "${SCADYG_DATA:-}" ] || { echo "bench/accuracy.sh: \$SCADYG_DATA does not say where the public files are" >&2; exit 1; }
mkdir -p "$(dirname "$output")"
settle --seeds "$seeds" --until "$until" ${names:+--values "$names"} -- "$@"
"$build/scadyg" study run bench/published.tsv --data "$SCADYG_DATA" -o "$output" "${settled[@]}" || exit
echo
tables >"$output/tables.md" && cat "$output/tables.md"
