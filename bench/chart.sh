#!/bin/bash
# The chart of results in the README, from the README's own table: docs/charts/results.svg and results-dark.svg.
#
#   bench/chart.sh
#
# A line for each row of the table: scadyg, the best rule, and the best of what others published.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/packages.sh
need_packages gnuplot-nox || exit 1
rows=$(mktemp) || exit 1
trap 'rm -f "$rows"' EXIT

# number, label, scadyg, rule, published (NaN: none), the least and the most of these. Empty cells repeat the row above.
awk -F ' *[|] *' '
    /^\| data \|/ { inside = 1; getline; next }
    !/^\|/ { inside = 0 }
    inside {
        if ($2 != "") data = $2
        what = $3
        if (what ~ /, /) { protocol = what; sub(/,.*/, "", protocol) } else if (what !~ / /) what = protocol ", " what
        printf "%d\t%s: %s", ++n, data, what
        least = 2; most = 0
        for (i = 4; i <= 6; i++) {
            best = "NaN"
            cell = $i
            if (i == 4) sub(/ ±.*/, "", cell)
            while (match(cell, /[01]?\.[0-9]+/)) {
                score = substr(cell, RSTART, RLENGTH) + 0
                if (best == "NaN" || score > best) best = score
                cell = substr(cell, RSTART + RLENGTH)
            }
            printf "\t%s", best
            if (best != "NaN" && best < least) least = best
            if (best != "NaN" && best > most) most = best
        }
        printf "\t%s\t%s\n", least, most
    }' README.md >"$rows"
[ -s "$rows" ] || { echo "bench/chart.sh: no table of results in README.md" >&2; exit 1; }

draw() { # FILE TEXT GRID MODEL RULE PUBLISHED
    gnuplot <<END || exit 1
set terminal svg size 860,$((90 + 21 * $(wc -l <"$rows"))) font "Helvetica,13" noenhanced
set output "docs/charts/$1"
set datafile separator tab
set border 0
set tics textcolor rgb "$2" scale 0
set key above horizontal textcolor rgb "$2" samplen 1
set xrange [0.45:1.01]
set yrange [$(wc -l <"$rows").7:0.3]
set xtics 0.1 format "%.1f"
set grid x linecolor rgb "$3" linetype 1
set lmargin 34
set rmargin 3
plot "$rows" using 6:1:(\$7 - \$6):(0) with vectors nohead linecolor rgb "$3" linewidth 3 notitle, \
     "" using 5:1 with points pointtype 9 pointsize 1 linecolor rgb "$6" title "best published", \
     "" using 4:1 with points pointtype 5 pointsize 0.7 linecolor rgb "$5" title "best rule without training", \
     "" using 3:1:ytic(2) with points pointtype 7 pointsize 0.9 linecolor rgb "$4" title "scadyg"
END
}
draw results.svg '#1f2328' '#d1d9e0' '#0969da' '#bc4c00' '#6e7781'
draw results-dark.svg '#e6edf3' '#3d444d' '#58a6ff' '#f0883e' '#9198a1'
echo "docs/charts/results.svg and results-dark.svg: $(wc -l <"$rows") rows"
