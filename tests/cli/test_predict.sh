# predict: forms of the input, the output, times; how it fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"
link_model m.scadyg
affinity_model a.scadyg
late=$(awk -v t="$last_time" 'BEGIN { printf "%.0f", t + 1000 }')
early=$(awk -v t="$first_time" 'BEGIN { printf "%.0f", t - 1000 }')

printf 'src,dst,time\n%s,%s,%s\n%s,%s,%s\n' "$node" "$other" "$late" "$other" "$node" "$last_time" >pairs.csv
run predict m.scadyg g.events -i pairs.csv
exits 0
says_like '^scadyg predict: each pair sees events strictly before its time; the latest sees events up to .* \(3,000 of 3,000\)$'
cp .out expected
check
[[ $(head -1 expected) == src,dst,time,score,probability && $(wc -l <expected) == 3 ]] || bad "the lines" "$(cat expected)"
prints_like "^$node,$other,$late,-?[0-9.e+-]+,0\.[0-9e-]+$"
check
awk -F, 'NR > 1 && ((d = 1 / (1 + exp(-$4)) - $5) > 1e-6 || d < -1e-6) { exit 1 }' expected || bad "not the logistic of the score"

# The same in other forms: no header, tabs, blanks, semicolons, other columns, quotes, Windows lines, standard input.
same() { # WHAT: what the last run printed, but for how the pairs were written
    check
    [[ $exit_code == 0 ]] && cmp -s expected .out || bad "$1" "$(cat .out .err)"
}
sed 1d pairs.csv >plain.csv
run predict m.scadyg g.events -i plain.csv
same "no header"
tr , '\t' <pairs.csv >tabs.tsv
run predict m.scadyg g.events -i tabs.tsv
same "tabs"
sed '1d;s/,/   /g;s/^/ /' pairs.csv >blanks.txt
run predict m.scadyg g.events -i blanks.txt
same "blanks"
tr , ';' <pairs.csv >semi.csv
run predict m.scadyg g.events -i semi.csv
same "semicolons"
awk -F, -v OFS=, '{ print $3, "x", $2, $1 }' pairs.csv | sed '1s/.*/Timestamp,note,Target,Source/' >order.csv
run predict m.scadyg g.events -i order.csv
same "columns in another order"
# The names that import knows, and its bars.
for header in 'nation,trading nation,year' 'Caller,Callee,created_at' 'From Address,To-Address,unix_timestamp'; do
    sed "1s/.*/$header/" pairs.csv >names.csv
    run predict m.scadyg g.events -i names.csv
    same "a header $header"
done
tr , '|' <pairs.csv >bars.csv
run predict m.scadyg g.events -i bars.csv
same "bars"
sed '2,$s/\([^,]*\),/"\1" ,/' pairs.csv >quoted.csv
run predict m.scadyg g.events -i quoted.csv
same "quotes"
{ printf '\xEF\xBB\xBF# a comment\n\n'; sed 's/$/\r/' pairs.csv; echo; } | sed 's/^\xEF\xBB\xBF//' >windows.csv
run predict m.scadyg g.events -i windows.csv
same "Windows lines, comments and blank lines"
run predict m.scadyg g.events -i - <pairs.csv
same "standard input"
run predict m.scadyg g.events -i pairs.csv --threads 1
same "one thread"
run predict m.scadyg g.events -i pairs.csv -o out.csv
exits 0
prints_like '^wrote   out.csv, 2 pairs$'
prints_like '^        each pair sees events strictly before its time; the latest sees events up to '
expect "the file" cmp expected out.csv
run predict -q m.scadyg g.events -i pairs.csv -o out.csv
silent

# Without a time: just after the last event.
echo "$node $other" >now.txt
run predict m.scadyg g.events -i now.txt
exits 0
score=$(sed -n 's/.*,\([^,]*\),[^,]*$/\1/p' .out | tail -1)
printf 'src,dst,time\n%s,%s,\n' "$node" "$other" >now.csv
run predict m.scadyg g.events -i now.csv
exits 0
prints_like ",$score,"
# An empty list is a list.
: >empty.csv
run predict m.scadyg g.events -i empty.csv
exits 0
prints 'src,dst,time,score,probability'

# Ids with separators; sources and destinations of their own.
printf 'user,item,time\n"a,b","say ""x""",1\nc,d,2\n"a,b",d,3\nc,"say ""x""",4\n' >ids.csv
for i in $(seq 5 60); do printf '"a,b",d,%s\nc,"say ""x""",%s\n' "$i" "$i"; done >>ids.csv
run import -q ids.csv -o ids.events
run train -q ids.events --steps 10 --model pair-recency -o ids.scadyg
exits 0
printf 'user,item,time\n"a,b","say ""x""",70\n' >idpairs.csv
run predict ids.scadyg ids.events -i idpairs.csv
exits 0
prints_like '^"a,b","say ""x""",70,[0-9.e+-]+,$'

# A log longer than the one trained on, with nodes never seen.
"$scadyg" export -q g.events -o longer.csv
awk -v t="$late" 'BEGIN { for (i = 1; i <= 50; i++) print "new" i % 5, "new" i % 7, t + i }' | tr ' ' , >>longer.csv
if run import -q longer.csv -o longer.events && [[ $exit_code == 0 ]]; then
    printf 'new1,new3\n' >new.csv
    run predict m.scadyg longer.events -i new.csv
    exits 0
fi

# Wrong: file, line, column and reason; nothing is written.
wrong_pairs() { # PATTERN TEXT
    printf '%b' "$2" >wrong.csv
    fails "$1" predict m.scadyg g.events -i wrong.csv -o wrong.out
    absent wrong.out
}
wrong_pairs "^scadyg predict: wrong\.csv:2:1: .*'nobody'" "src,dst,time\nnobody,$node,$late\n"
wrong_pairs "^scadyg predict: wrong\.csv:1:[0-9]+: .*'nobody'" "$node,nobody,$late\n"
wrong_pairs "^scadyg predict: wrong\.csv:2:[0-9]+: the time '$early' lies before the first event" \
    "$node,$other,$late\n$node,$other,$early\n"
wrong_pairs "^scadyg predict: wrong\.csv:1:[0-9]+: .*'soon'" "$node,$other,soon\n"
wrong_pairs '^scadyg predict: wrong\.csv:3:[0-9]+: there is no destination in this line$' "src,dst,time\n\n$node\n"
wrong_pairs '^scadyg predict: wrong\.csv:3:[0-9]+: there is no time in this line; ' \
    "src,dst,time\n$node,$other,$late\n$node,$other\n"
wrong_pairs '^scadyg predict: wrong\.csv:2:1: there is no source in this line$' "src,dst,time\n,$node,$late\n"
wrong_pairs '^scadyg predict: wrong\.csv:1:1: the quotation mark has no end in this line$' "\"$node,$other\n"
wrong_pairs '^scadyg predict: wrong\.csv:1:[0-9]+: a zero byte: a binary file, not text$' "a,b\\0000c\n"
fails '^scadyg predict: a\.scadyg is a model of the task affinity' predict a.scadyg g.events -i pairs.csv
fails '^scadyg predict: cannot open nowhere\.csv' predict m.scadyg g.events -i nowhere.csv
fails '^scadyg predict: .*g\.events' predict g.events g.events -i pairs.csv
fails '^scadyg predict: cannot write nowhere/x\.csv' predict m.scadyg g.events -i pairs.csv -o nowhere/x.csv
wrong "scadyg predict: no pairs given; add -i pairs.csv, or -i - for standard input" predict m.scadyg g.events
wrong "scadyg predict: pairs.csv is the input; give --output another name" predict m.scadyg g.events -i pairs.csv -o pairs.csv

# A model that answers as a baseline has scores but no probabilities, and says why.
awk 'BEGIN { srand(3); print "src,dst,time"; for (i = 0; i < 400; i++) printf "u%d,i%d,%d\n", rand() * 20, rand() * 10, i }' </dev/null >chance.csv
"$scadyg" train -q chance.csv --epochs 1 --no-eval -o chance.scadyg
if [[ $("$scadyg" show chance.scadyg --json | jq -r .answers_as) != null ]]; then
    run predict chance.scadyg chance.csv -i - <<<u1,i2
    exits 0
    expect "it says why" grep -Eqx 'scadyg predict: the model answers as the baseline [a-z-]+, which has scores but no probabilities' .err
fi

# One that has learned no chances likewise; a ranking has probabilities all the same.
link_model order.scadyg --binary 0
run predict order.scadyg g.events -i pairs.csv
exits 0
expect "it says why" grep -Eqx 'scadyg predict: the model was trained with --binary 0: it has scores but no probabilities' .err
prints_like "^$node,$other,$late,-?[0-9.e+-]+,$"
run rank order.scadyg g.events --source "$node" --top 2
exits 0
prints_like '^rank .* probability$'

done_testing
