# Ids, names and options that mean something to a shell, a terminal, a page or printf: nothing of them is ever done.
. "$(dirname "$0")/lib.sh"

# Every id is data. What they would do: run commands (touch done), steer a terminal, turn the direction of text, become
# part of a page, be taken for a format.
ids=('</script><script>alert(1)</script>' '"><img src=x onerror=alert(1)>' ']]><svg onload=alert(1)>' $'\e[2J\e]0;owned\a' $'a\bc\v'
    $'\xe2\x80\xaereversed\xe2\x80\xac' $'\xc2\x9b31m' '`touch done`' '$(touch done)' "'; touch done; '" '%s%s%s%n%n' '&lt;b&gt;' '-o' '../../x'
    $'\xe2\x81\xa6x\xe2\x81\xa9' '=cmd|touch done' $'\xc3\xa9t\xc3\xa9')
{
    echo src,dst,time
    for i in $(seq 900); do
        printf '"%s","%s",%d\n' "${ids[i % 17]//\"/\"\"}" "${ids[(i * i + i / 7) % 17]//\"/\"\"}" "$i"
    done
} >ids.csv
data=$'<script>\e[31m"onload="x.events'
small=(--steps 10 --epochs 1 --batch 64 --threads 1)

# calm FILE...: bytes that steer a terminal, and turns of direction, are not in it.
calm() {
    check
    local found
    found=$(LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae\x8e\x8f]|\xe2\x81[\xa6-\xa9]' "$@") &&
        bad "it has bytes that steer" "$(cat -v <<<"$found")"
    return 0
}
shown() { # of the last run
    calm .out .err
    exits "${1:-0}"
}

run import ids.csv -o "$data"
shown
run import --dry-run --verbose ids.csv
shown
run info "./$data"
shown
expect "ids are shown, written out" grep -qF '\x1B[2J' .out
run info "./$data" --json
exits 0
check
[[ $(jq -r '.top_nodes[].id' .out | grep -c $'\e\\[2J') -le 1 ]] || bad "ids are not exact"
run train "$data" "${small[@]}" -o $'m\e[1m.scadyg'
shown
mv m*.scadyg m.scadyg
run show m.scadyg
shown
for id in "${ids[@]}"; do
    run rank m.scadyg "$data" --source="$id" --top 20
    shown
    expect "sixteen others or so" test "$(grep -c '^ *[0-9]' .out)" -ge 5
    run rank m.scadyg "$data" --source="no $id"
    shown 1
    run messages "$data" --steps 5 --node="$id"
    shown
done
printf '%s\n' "${ids[3]},nobody" >pairs.csv
run predict m.scadyg "$data" -i pairs.csv -o x.csv
shown 1
run predict m.scadyg "$data" -i $'\e[2Jpairs.csv' -o x.csv
shown 1
run train "$data" --model $'\e[2J%n' -o x.scadyg
shown 2
run train "$data" --lr $'\xe2\x80\xae1%s' -o x.scadyg
shown 2
# Tables of a program stay exact.
run export "$data" -o -
expect "exact ids" test "$(grep -c $'\e\\[2J' .out)" -gt 50

# The header of a log, and rows that are refused.
printf 'src,dst,time,\e[2J%%n\xe2\x80\xae\na,b,1,1\na,b,\e[31m,2\nb,c,3,3\n' >header.csv
run import --dry-run --verbose header.csv
shown 1
run import --verbose header.csv -o x.events
shown 1
run import --verbose header.csv --skip-bad 9 -o x.events
shown

# Pages and charts: no element, no attribute and no instruction is made of data.
page_is_plain() { # FILE
    calm "$1"
    check
    local found
    # shellcheck disable=SC2016
    found=$(perl -CSD -0ne 's{<style>.*?</style>}{}gs;
        while (/<(\/?)([^\s>\/]+)([^>]*)>/g) {
            my ($tag, $rest) = (lc $2, $3);
            print "<$tag>\n" unless $tag =~ /^(!doctype|html|head|meta|link|title|style|body|header|h[123]|p|section|figure|figcaption|div|span|i|b|pre|table|tr|th|td|svg|text|path|rect|circle|g)$/;
            print "$tag $1\n" while $rest =~ /\b(on\w+|src|xlink:href)\s*=/gi;
        }
        print "CDATA\n" if /<!\[CDATA|\]\]>/;' "$1")
    [[ -z $found ]] || bad "$1 has what no page of ours has" "$found"
}
run report m.scadyg "$data" -o page.html
shown
page_is_plain page.html
expect "an id in the page, written out" grep -q '&lt;/script&gt;\|onerror=alert(1)&gt;\|&quot;' page.html
run study weights "$data" "${small[@]}" --seeds 1 --models scadyg-paper --node="${ids[0]}" --node="${ids[1]}" --node="${ids[2]}" \
    --node="${ids[3]}" --node="${ids[5]}" --node="${ids[6]}" --node="${ids[7]}" --node="${ids[10]}" -o study
shown
run report study -o study.html
shown
page_is_plain study.html
for chart in study/charts/*.svg; do page_is_plain "$chart"; done
expect "charts" test -e study/charts/weights-scadyg-paper.svg

last="all of it"
check
[[ ! -e done ]] || bad "a command of the data was run"

done_testing
