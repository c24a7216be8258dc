# Exports as people really have them (tests/exports): each is understood as its .expect file says, or refused with exactly
# that sentence; and then the option or the command of the sentence works.
#
# Lines of an .expect file:
#   # who writes such a file
#   > import FILE OPTIONS...   what follows is what import understands: columns by name (without a header by number), the first
#                              three weights, whether sources and destinations are of one kind or two, by which they are told,
#                              times in UTC, the please-check list; or "refused" and the sentence
#   $ COMMAND                  run before what follows: what a refusal proposes
#   trains                     a model can be trained on it
exports=$(cd "$(dirname "$0")/../exports" && pwd)
. "$(dirname "$0")/lib.sh"

# What --json says, as the lines of an .expect file.
cat >understood.jq <<'END'
def when($time): if .time_kind == "unix seconds" or (.time_kind | startswith("dates")) then $time | floor | todate
    elif .time_kind == "unix milliseconds" then $time / 1000 | floor | todate
    elif .time_kind == "unix microseconds" then $time / 1e6 | floor | todate
    else $time end;
[.layout[] | capture("^  columns? (?<n>[0-9-]+) +(?<name>.*?) *(?<role>source|destination|weight|label|features?|more of the time|time [(].*[)])$")
    | .name = if .name == "" or (.n | test("-")) then .n else .name end | .role |= sub(" .*"; "")] as $columns
| (("source", "destination", "time", "more", "weight", "label", "feature", "features") as $role
    | $columns[] | select(.role == $role) | "\($role) \(.name)" + if $role == "weight" then ":" + $weights else "" end),
"kinds \(if .two_id_spaces then "two" else "one" end) by \(if .roles | test("the columns are called") then "names"
    elif .roles | test("on both sides; ") then "ids" elif .roles | test("the first line says") then "file" else "option" end)", "events \(.events)",
"first \(when(.first_time))", "last \(when(.last_time))", (.please_check[] | "check \(.)")
END

# No time of day, date, price or rating is ever a node, whatever the .expect file says.
check_nodes() {
    check
    local odd
    odd=$(grep -Ei '^(source|destination) .*(time|date|datum|hour|uhr|weight|rating|score|amount|betrag|price|quantity)' got)
    [[ -z $odd ]] || bad "a column that is no node" "$odd"
    odd=$(cut -d, -f1,2 events.csv | grep -E '(^|,)"?([0-9]{1,2}:[0-9]{2}(:[0-9]{2})?|[0-9]{4}-[0-9]{2}-[0-9]{2})"?(,|$)')
    [[ -z $odd ]] || bad "times as nodes" "$odd"
}

# Runs "import ..." and writes what came of it into the file got.
understand() {
    eval "run $1 --json -o out.events"
    if ((exit_code)); then
        sed 's/^scadyg import: /refused /' "$scratch/.err" >got
        return
    fi
    "$scadyg" export out.events -o events.csv >/dev/null || bad "no export"
    local weights
    weights=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "weight") { behind = NF - i; has = 1 } }
        NR > 1 && NR < 5 && has { printf " %s", $(NF - behind) }' events.csv)
    jq -r --arg weights "$weights" -f "$scratch/understood.jq" "$scratch/.out" >got
    check_nodes
}

# The command read last, against the lines behind it.
command='' wanted=''
compare() {
    [[ -n $command ]] || return 0
    understand "$command"
    check
    local difference
    difference=$(diff -u --label expected <(printf '%s' "$wanted") --label understood got) || bad "understood otherwise" "$difference"
    command='' wanted=''
}

count=0
for expect in "$exports"/*.expect; do
    [[ -z ${1:-} || $expect == *$1* ]] || continue
    count=$((count + 1))
    # Under a sanitizer, which is slow, one in three.
    [[ -z ${SCADYG_TEST_ROUNDS:-} || -n ${SCADYG_TEST_LONG:-} || $((count % 3)) == 0 ]] || continue
    rm -rf "$scratch/work"
    mkdir "$scratch/work"
    cd "$scratch/work" || exit 1
    cp "${expect%.expect}" .
    while IFS= read -r line <&3; do
        case $line in
        '#'*) ;;
        '> '*)
            compare
            command=${line#> }
            ;;
        '$ '*)
            compare
            eval "${line#\$ }" || bad "failed: $line"
            ;;
        trains)
            compare
            run train out.events -o m.scadyg --epochs 1 --quiet
            exits 0
            ;;
        *) wanted+=$line$'\n' ;;
        esac
    done 3<"$expect"
    compare
done
check
((count >= 60)) || [[ -n ${1:-} ]] || bad "only $count exports"

done_testing
