# shellcheck shell=bash
# What the examples have in common: scadyg in the path, a folder for their files, commands shown before they run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PATH=${SCADYG_BUILD:-$root/build}:$PATH
command -v scadyg >/dev/null || { echo "scadyg is not built; run ./run first" >&2; exit 1; }
command -v jq >/dev/null || { echo "the examples need jq" >&2; exit 1; }

# A log given by name is looked for where the example was started.
[ $# -eq 0 ] || set -- "$(realpath -- "$1")"
folder=${FOLDER:-$(mktemp -d)}
mkdir -p "$folder"
cd "$folder"
echo "files are in $folder"

show() {
    printf '\n$'
    printf ' %q' "$@"
    printf '\n'
    "$@"
}

# The source with the most events.
busiest_source() {
    scadyg export --quiet "$1" -o - | awk -F, 'NR > 1 && ++n[$1] > most { most = n[$1]; best = $1 } END { print best }'
}
