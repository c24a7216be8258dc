#!/bin/bash
# The chart of results in the README, from the README's own table: docs/charts/results.svg, for light and dark pages.
#
#   bench/chart.sh
#
# A line for each row of the tables that have protocols: scadyg, the best baseline, and the best of what others published.
set -u
cd "$(dirname "$0")/.." || exit 1
new=$(mktemp docs/charts/.results.XXXXXX) || exit 1
trap 'rm -f "$new"' EXIT

# In the tables, empty cells repeat the row above; what stands where is known by the headings. The scale is from .45 to 1.
awk -F ' *[|] *' '
    function at(score) { return 290 + (score - .45) / .55 * 550 }
    function text(words) { gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words); return words }
    function best_of(cell,   best, score) {
        while (match(cell, /[01]?\.[0-9]+/)) {
            score = substr(cell, RSTART, RLENGTH) + 0
            if (best == "" || score > best) best = score
            cell = substr(cell, RSTART + RLENGTH)
        }
        return best
    }
    function mark(kind, x, y) {
        if (kind == 1) return sprintf("<circle class=\"m1\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>", x, y)
        if (kind == 2) return sprintf("<rect class=\"m2\" x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>", x - 4, y - 4)
        return sprintf("<path class=\"m3\" d=\"M%.1f %.1fl5.5 9.5h-11z\"/>", x, y - 6)
    }
    function key(kind, x, words) { return mark(kind, x, 18) sprintf("<text x=\"%d\" y=\"22\">%s</text>", x + 11, words) }
    /^\| data \|/ {
        split("", at_heading)
        for (i = 2; i < NF; i++) at_heading[$i ~ /^best/ ? "best" : $i] = i
        inside = "protocol, negatives" in at_heading
        getline
        next
    }
    !/^\|/ { inside = 0 }
    inside {
        if ($2 != "") data = $2
        what = $at_heading["protocol, negatives"]
        if (what ~ /, /) { protocol = what; sub(/,.*/, "", protocol) } else if (what !~ / /) what = protocol ", " what
        gsub(/, (all destinations|event by event)/, "", what)
        cell = $at_heading["scadyg"]
        sub(/ ±.*/, "", cell)
        published = $at_heading["published"]
        sub(/^the oracle.*/, "", published)
        score[1] = best_of(cell); score[2] = best_of($at_heading["best"]); score[3] = best_of(published)
        y = 53 + 21 * n++
        least = 2; most = 0; marks = ""
        for (i = 3; i >= 1; i--) if (score[i] != "") {
            if (score[i] < least) least = score[i]
            if (score[i] > most) most = score[i]
            marks = marks mark(i, at(score[i]), y)
        }
        rows = rows sprintf("<text class=\"end\" x=\"280\" y=\"%d\">%s</text>", y + 4, text(data ": " what))
        rows = rows sprintf("<path class=\"span\" d=\"M%.1f %dH%.1f\"/>%s\n", at(least), y, at(most), marks)
    }
    END {
        if (!n) exit 1
        height = 75 + 21 * n
        printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"%d\" viewBox=\"0 0 860 %d\">\n<style>\n", height, height
        print ":root{--ink:#1f2328;--paper:#fff;--line:#d1d9e0;--m1:#0969da;--m2:#bc4c00;--m3:#6e7781;color-scheme:light dark}"
        print "@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--paper:#0d1117;--line:#3d444d;--m1:#58a6ff;--m2:#f0883e;--m3:#9198a1}}"
        print "text{font:13px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;fill:var(--ink)}"
        print ".end{text-anchor:end}.middle{text-anchor:middle}.grid{stroke:var(--line)}.span{stroke:var(--line);stroke-width:3}"
        print ".paper{fill:var(--paper)}.m1{fill:var(--m1)}.m2{fill:var(--m2)}.m3{fill:var(--m3)}\n</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
        print key(1, 340, "scadyg") key(2, 430, "best baseline, without training") key(3, 670, "best published")
        for (i = 5; i <= 10; i++) {
            printf "<path class=\"grid\" d=\"M%.1f 38V%d\"/>", at(i / 10), height - 24
            printf "<text class=\"middle\" x=\"%.1f\" y=\"%d\">%.1f</text>\n", at(i / 10), height - 6, i / 10
        }
        printf "%s</svg>\n", rows
    }' README.md >"$new" || { echo "bench/chart.sh: no table of results in README.md" >&2; exit 1; }
chmod 644 "$new" && mv "$new" docs/charts/results.svg || exit 1
echo "docs/charts/results.svg: $(grep -c 'class="span"' docs/charts/results.svg) rows"
