# report: the page is one file, has all its charts, opens in a browser without an error; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
"$scadyg" generate -q --events 3000 --nodes 60 --seed 3 --oracle oracle.csv -o again.events
expect "the same graph" cmp g.events again.events
link_model m.scadyg

run report m.scadyg g.events --oracle oracle.csv -o report.html --threads 1
exits 0
prints 'report      report.html; open it in a browser'
says_nothing

# The score shown is the one that eval finds for the same negatives, also beside the oracle.
run eval m.scadyg g.events --protocol tgb-link --pool destination --negatives 100 --json -
mrr=$(json .mrr)
shown=$(printf '%.3f' "$mrr")
expect "the result" grep -q ">$shown</text>" report.html
expect "the oracle" grep -q '>oracle</text>' report.html
expect "the checksum of the data" grep -q "$("$scadyg" show m.scadyg --json | jq -r .data.checksum)" report.html

# The words under the calibration are those of its dots: off by the mean distance, and too sure if they lie so.
check
last="the words of the calibration"
told=$(sed -n 's/.*On average it is off by \([0-9.]*\) points of 100.*/\1/p' report.html)
grep -o 'said [0-9.]* %, were [0-9.]* %: [0-9.]* % of the pairs' report.html |
    awk -v told="$told" '{ gap = $2 - $5; off += (gap < 0 ? -gap : gap) * $7 / 100; n++ }
        END { exit !(n > 2 && told != "" && off - told < 0.2 && told - off < 0.2) }' || bad "off by $told"
expect "a direction, or none to speak of" \
    grep -Eq 'points of 100(: probabilities can|; (it is (too|not) sure|its prob|now too))' report.html

# The same page again, whatever the number of threads.
run report -q m.scadyg g.events --oracle oracle.csv -o again.html --threads 2
exits 0
silent
expect "the same bytes" cmp report.html again.html

# Nothing from elsewhere, no script.
check
if grep -Eiq '(src|href)="?(http|//|file)|url\(|<script|@import' report.html; then bad "the page needs something else"; fi

# Words of the data are written out, not taken for HTML.
printf 'src,dst,time\n' >odd.csv
seq 600 | awk '{ printf "<b>%d&,\"it'"'"'s %d\",%d\n", $1 % 7, $1 % 5, $1 }' >>odd.csv
"$scadyg" import -q odd.csv -o 'odd <i>.events'
"$scadyg" train -q 'odd <i>.events' "${small[@]}" -o odd.scadyg
run report -q odd.scadyg 'odd <i>.events' -o odd.html
exits 0
silent
expect "a name written out" grep -q 'odd &lt;i&gt;.events' odd.html
check
if grep -q '<i>\.events\|<b>[0-9]&' odd.html; then bad "a name that is taken for HTML"; fi

# Times at the end of what a number can say are drawn as any others.
{
    echo src,dst,time
    awk 'BEGIN { for (i = 0; i < 400; i++) printf "%d,%d,%.6ge308\n", i % 7, (i * i) % 11, -0.8 + 1.6 * i / 399 }'
} >far.csv
"$scadyg" import -q far.csv -o far.events
"$scadyg" train -q far.events --model popularity --steps 10 -o far.scadyg
run report -q far.scadyg far.events -o far.html
exits 0
for chart in repeats time; do
    check
    last="the chart $chart of times near 1e308"
    points=$(sed -n "/<figure id=\"chart-$chart\"/,/<\/figure>/p" far.html | grep -o 'circle class="dot c0" cx="[^"]*"' | sort -u | wc -l)
    ((points >= 4)) || bad "$points places along it"
done

# Wrong.
wrong "scadyg report: no model file given; the usage is: scadyg report M.scadyg X.events -o report.html" report
wrong "scadyg report: no events file given; the usage is: scadyg report M.scadyg X.events -o report.html" report m.scadyg
wrong "scadyg report: no output given; say -o report.html" report m.scadyg g.events
wrong "scadyg report: g.events is the input; give --output another name" report m.scadyg g.events -o g.events
fails '^scadyg report: .*nowhere\.scadyg' report nowhere.scadyg g.events -o x.html
fails '^scadyg report: .*g\.events' report g.events m.scadyg -o x.html
fails '^scadyg report: cannot read nowhere\.csv: ' report m.scadyg g.events --oracle nowhere.csv -o x.html
head -n 100 oracle.csv >short.csv
fails '^scadyg report: short\.csv:101:1: the file ends after 99 of 3000 events: it is of another graph$' \
    report m.scadyg g.events --oracle short.csv -o x.html
{ cat oracle.csv; echo 3000,1; } >long.csv
fails '^scadyg report: long\.csv:3002:1: a line after the last of 3000 events: it is of another graph$' \
    report m.scadyg g.events --oracle long.csv -o x.html
sed 's/^7,.*/7,none/' oracle.csv >wrong.csv
fails "^scadyg report: wrong\\.csv:9:3: 'none' is not a rank, a number that is at least 1$" \
    report m.scadyg g.events --oracle wrong.csv -o x.html
sed 5d oracle.csv >wrong.csv
fails '^scadyg report: wrong\.csv:5:1: the line of event 3 was expected, its number and a comma first$' \
    report m.scadyg g.events --oracle wrong.csv -o x.html
fails "^scadyg report: g\.json:1:1: it does not begin with 'event,rank' as generate --oracle writes it$" \
    report m.scadyg g.events --oracle g.json -o x.html
absent x.html

# A study: from its folder or from its results.json.
mkdir study
cat >study/results.json <<'END'
{"study": "ablation", "version": "0.1.0", "data": {"file": "x <i>.events", "checksum": "0123abcd", "events": 2000},
 "seeds": [1, 2], "columns": [{"id": "paper:any", "main": "mrr", "protocol": "paper", "pool": "any"}],
 "rows": [
  {"series": "default", "label": "whole", "rule": false, "x": null,
   "cells": {"paper:any": {"mrr": {"mean": 0.5, "std": 0.01, "values": [0.49, 0.51]}}}},
  {"series": "default", "label": "without pairs", "rule": false, "x": null,
   "cells": {"paper:any": {"mrr": {"mean": 0.25, "std": 0.02, "values": [0.23, 0.27]}}}},
  {"series": "markov", "label": "", "rule": true, "cells": {"paper:any": {"mrr": {"mean": 0.125, "std": null, "values": [0.125]}}}}],
 "configs": {"default": {"steps": 100, "without": "none"}, "default, without pairs": {"steps": 100, "without": "pairs"}},
 "curves": [{"series": "default", "seed": 1, "score": "MRR", "points": [[0.5, 0.3], [1.0, 0.4]]}]}
END
run report study -o study.html
exits 0
prints 'report      study.html; open it in a browser'
run report -q study/results.json -o again.html
exits 0
silent
expect "the same page" cmp study.html again.html
for text in '0\.5000 ± 0\.0100' '>without pairs</text>' '>0\.125</text>' '0123abcd' 'x &lt;i&gt;\.events' '>pairs</span>' '>MRR on the test part'; do
    expect "$text in the page of a study" grep -q -- "$text" study.html
done
jq '{study: "reproduce", version, datasets: [{title: "One", results: .}, {title: "Two", results: .}]}' study/results.json >two.json
run report -q two.json -o two.html
exits 0
expect "both datasets" test "$(grep -c '<section' two.html)" = 2
jq '.rows[0].x = 1 | .rows[1].x = 2' study/results.json >values.json
run report -q values.json -o values.html
exits 0
# As many models as a study takes: each has a look of its own, in lines, dots, bars and the key.
jq '.study = "steps" | .rows[0].label = "" | .rows = [range(16) as $i | (1, 2) as $x | .rows[0] |
    (.series = "model \($i)") | (.x = $x) | (.cells["paper:any"].mrr.mean = ($i + $x) / 20)]' study/results.json >sixteen.json
jq '.study = "compare" | .rows |= map(select(.x == 1) | .x = null)' sixteen.json >bars.json
for kind in sixteen bars; do
    run report -q $kind.json -o $kind.html
    exits 0
    last="the looks of $kind"
    check
    shape=$([[ $kind == bars ]] && echo 'rect class="bar' || echo 'path class="line')
    [[ $(grep -o "<$shape c[0-9]\( d[0-9]\)\?\"" $kind.html | sort -u | wc -l) == 16 ]] || bad "not sixteen of them"
    for i in $(seq 0 15); do
        check
        grep -q ">model $i</text>" $kind.html || bad "model $i is not in the key"
    done
done
expect "dots that are told apart as lines are" \
    test "$(grep -o '<circle class="dot c[0-9]\( d[0-9]\)\?"' sixteen.html | sort -u | wc -l)" = 16
jq '.rows += [.rows[0] | .series = "one more"]' sixteen.json >seventeen.json
fails "^scadyg report: seventeen\.json: 'series' has 17 entries, more than the 16 a study has$" \
    report seventeen.json -o x.html
# What single nodes have: maps and curves, whatever ids and numbers are.
jq '.study = "weights" | .time_unit = "days" | .time_unit_size = 1 | .weights = {default: {times: ["2004-05-06 12:00:00", "x"],
    nodes: [{id: "<script>alert(1)</script>", matrices: [[[1, -1], [0, 1e308]], [[1e308, 0], [-1e308, 5e-324]]],
             drift: [[5, 0], [100, 1e308]], decay: [[1, -1e308], [1e308, 1e308]], memory: [[0.1, 1], [10, 2]]},
            {id: "\u0001&\"\ufffe", matrices: [], drift: [[5, 0.97001], [100, 0.97002]], decay: [], memory: []}]}}' \
    study/results.json >weights.json
run report -q weights.json -o weights.html
exits 0
expect "a title" grep -q '<h3>default: how far W_x is from what it was</h3>' weights.html
expect "words under it" grep -q '<figcaption>How far the matrix of each node is ' weights.html
check
if grep -q '<script' weights.html; then bad "an id that is part of the page"; fi
echo '{"study"' >broken.json
fails '^scadyg report: broken\.json:2:0: ' report broken.json -o x.html
echo '{"mrr": 1}' >other.json
fails '^scadyg report: other\.json is not the results\.json of a study$' report other.json -o x.html
mkdir empty
fails '^scadyg report: empty has no results\.json: it is no study, or not finished$' report empty -o x.html
wrong "scadyg report: study/results.json is the input; give --output another name" report study -o study/results.json
wrong "scadyg report: --oracle goes with a model and its events" report study --oracle oracle.csv -o x.html
wrong "scadyg report: no output given; say -o report.html" report study
wrong "scadyg report: study/results.json is the input; give --output another name" \
    report study/results.json -o study/results.json
absent x.html

# ---- In a browser ----

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [[ -z $browser ]]; then
    ((failures)) && done_testing
    echo "skipped, no chromium ($checks checks without it)"
    exit 77
fi

# opened PAGE: the page as the browser understood it, in .dom, and what it logged, in .log.
opened() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --user-data-dir="$scratch/profile" --enable-logging=stderr --v=0 --dump-dom "file://$PWD/$1" >.dom 2>.log
}

# charts PAGE ID...: these charts are there, each with something drawn in it, and the page logged nothing.
charts() {
    local page=$1 id
    shift
    expect "the browser opens $page" opened "$page"
    expect "$page arrived whole" grep -q '</html>' .dom
    for id in "$@"; do
        check
        sed -n "/<figure id=\"chart-$id\"/,/<\/figure>/p" .dom >.figure
        grep -q '<svg' .figure || bad "$page has no chart $id"
        grep -Eq '<(rect|circle) class="(bar|dot) |<path class="cell |<path class="line [^>]* d="M[^"]*L' .figure || bad "the chart $id of $page is empty"
        grep -Eiq 'nan|inf[" ,]' .figure && bad "the chart $id of $page has numbers that are none"
        grep -q '<figcaption>...' .figure || bad "the chart $id of $page has no words"
    done
    check
    if grep -E 'CONSOLE|Uncaught|net::ERR' .log >.errors; then bad "$page logged an error" "$(cat .errors)"; fi
}

# measured PAGE WIDTH FLAGS...: what lies outside of a window of that width, and the colours, as told by a script beside the page.
measured() {
    local page=$1 width=$2
    shift 2
    cat >frame.html <<END
<!DOCTYPE html><html><body><iframe id="f" src="$page" width="$width" height="2000" style="border:0"></iframe>
<pre id="told"></pre><script>
window.onload = function () {
    var page = document.getElementById("f").contentDocument, told = [], texts = page.querySelectorAll("svg text");
    told.push("width " + page.documentElement.scrollWidth, "texts " + texts.length);
    texts.forEach(function (text) {
        var box = text.getBoundingClientRect(), room = text.closest("figure").getBoundingClientRect();
        if (box.left < room.left - 1 || box.right > room.right + 1) told.push("outside " + text.textContent);
        if (box.height < 8) told.push("tiny " + text.textContent);
    });
    told.push("background " + page.defaultView.getComputedStyle(page.body).backgroundColor);
    document.getElementById("told").textContent = told.join("\\n") + "\\n";
};
</script></body></html>
END
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --user-data-dir="$scratch/profile" --allow-file-access-from-files --window-size=1200,1000 "$@" \
        --dump-dom "file://$PWD/frame.html" 2>/dev/null | sed -n '/<pre id="told">/,/<\/pre>/p' | sed 's/<[^>]*>//g' >.told
}

# fits PAGE WIDTH: nothing is wider than the window, and no word sticks out of its figure.
fits() {
    measured "$1" "$2"
    check
    last="$1 in a window of $2"
    grep -Eq '^texts [1-9]' .told || bad "it could not be measured" "$(cat .told)"
    [[ $(sed -n 's/^width //p' .told) -le $2 ]] || bad "it is wider than the window" "$(head -n 1 .told)"
    if grep -E '^(outside|tiny) ' .told >.outside; then bad "words that are cut off or too small" "$(cat .outside)"; fi
}

link="events degrees repeats result validation loss time calibration activity met age memory"
# shellcheck disable=SC2086
charts report.html $link
# shellcheck disable=SC2086
charts odd.html $link
for width in 360 390 1000; do
    fits report.html $width
    fits odd.html $width
done

# Light, and dark where the browser asks for it.
measured report.html 390 --blink-settings=preferredColorScheme=1
light=$(grep '^background' .told)
measured report.html 390 --blink-settings=preferredColorScheme=0
dark=$(grep '^background' .told)
expect "a light page" test "$light" = "background rgb(255, 255, 255)"
expect "a dark page" test "$dark" = "background rgb(13, 17, 23)"

# The other kinds of models: what they have to show.
affinity_model a.scadyg
link_model paper.scadyg "${paper[@]}"
rule_model rule.scadyg pair-recency
# The leak checker of clang 14 itself breaks off at the end of this training; cli/test_train has it check others.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 link_model steps.scadyg --stepwise
"$scadyg" report -q a.scadyg g.events -o a.html
"$scadyg" report -q m.scadyg g.events -o live.html
run eval m.scadyg g.events --json -
shown=$(printf '%.3f' "$(json .mrr)")
expect "the score of a live model" grep -q ">$shown</text>" live.html
expect "among what it is ranked" grep -q 'ranked among all those seen so far' live.html
expect "the difference and its error" grep -q 'the best baseline, with a standard error over [0-9]* sources' live.html
# shellcheck disable=SC2086
charts live.html $link
"$scadyg" report -q paper.scadyg g.events -o paper.html
"$scadyg" report -q rule.scadyg g.events -o rule.html
ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 "$scadyg" report -q steps.scadyg g.events -o steps.html
charts a.html events degrees repeats result validation loss time activity
charts rule.html events degrees repeats result time activity met age
# shellcheck disable=SC2086
charts paper.html $link
# shellcheck disable=SC2086
charts steps.html $link
charts study.html study-0-mrr-paper-any study-0-convergence
charts two.html study-{0,1}-{mrr-paper-any,convergence}
charts values.html study-0-mrr-paper-any
charts sixteen.html study-0-mrr-paper-any
charts bars.html study-0-mrr-paper-any
fits sixteen.html 390
fits bars.html 390
charts weights.html study-0-{weights,drift,decay,memory}-default
fits weights.html 390
fits study.html 390
expect "why there is no memory curve" grep -q 'There is no curve to show' a.html

# What the checks would say of a page that has an error.
printf '<!DOCTYPE html><html><body><script>console.error("no")</script></body></html>\n' >bad.html
opened bad.html
expect "an error is seen" grep -q CONSOLE .log
sed -e 's/<figure id="chart-events">/&<div style="width:900px">wide<\/div>/' -e 's/<text x="0.0" y="10.0"/<text x="900" y="10"/' \
    report.html >wide.html
measured wide.html 390
expect "a page that is too wide is seen" test "$(sed -n 's/^width //p' .told)" -gt 390
expect "words outside of their figure are seen" grep -q '^outside ' .told

done_testing
