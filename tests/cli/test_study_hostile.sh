# A study folder from a stranger: links, pipes, giants and any JSON are refused with a sentence or answered; nothing outside
# of the folder is read or changed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/models.sh"

options=(--stepwise --steps 10 --epochs 1 --batch 64 --threads 1 --seeds 1 --models scadyg)
"$scadyg" study compare -q g.events "${options[@]}" -o good || exit 1
record=good/runs/scadyg-seed-1.json
[[ -e $record ]] || { echo "no $record"; exit 1; }
printf 'the secret of the victim\n' >victim
printf '{"study": "compare", "version": "the secret of the victim"}\n' >victim.json
mkdir elsewhere

resume() { run study compare g.events "${options[@]}" -o bad; }
anew() { rm -rf bad && cp -r good bad; }
# unharmed: no hang, no crash, nothing outside changed, nothing of it shown.
unharmed() {
    check
    ((exit_code == 0 || exit_code == 1 || exit_code == 2)) || bad "exit code $exit_code"
    [[ $(cat victim) == "the secret of the victim" && $(stat -c %s victim) == 25 ]] || bad "the victim is changed"
    [[ -z $(ls elsewhere) ]] || bad "something was written elsewhere" "$(ls elsewhere)"
    if grep -q 'the secret' .out .err x.html 2>/dev/null; then bad "the victim is shown"; fi
    if find bad -type f -exec grep -l 'the secret' {} + | grep -q .; then bad "the victim is in the folder"; fi
}

# Each name that study and report use, taken by something else.
names=(study.json results.json results.csv lock runs charts runs/scadyg-seed-1.json runs/scadyg-seed-1.checkpoint
    charts/mrr-paper-any.svg)
for name in "${names[@]}"; do
    for kind in link json dangling pipe device folder; do
        anew
        rm -rf "bad/$name"
        case $kind in
        link) ln -s "$PWD/victim" "bad/$name" ;;
        json) ln -s "$PWD/victim.json" "bad/$name" ;;
        dangling) ln -s "$PWD/elsewhere/new" "bad/$name" ;;
        pipe) mkfifo "bad/$name" ;;
        device) ln -s /dev/zero "bad/$name" ;;
        folder) mkdir "bad/$name" ;;
        esac
        last="$name is a $kind"
        rm -f x.html
        # Without a reader or writer at the other end a pipe that is waited for would hang: the test's own limit is the end.
        run report bad -o x.html
        last="report, $name is a $kind"
        unharmed
        if [[ $name == results.json ]]; then
            exits 1
            says_like "^scadyg report: bad/results\\.json is a (link|pipe|folder), not a regular file; remove it$"
            absent x.html
        else
            exits 0
        fi
        resume
        last="study, $name is a $kind"
        unharmed
        if [[ $name == runs || $name == charts ]] && [[ $kind == folder ]]; then
            exits 0 # an empty one: all is made again
        elif [[ $name == runs || $name == charts ]]; then
            exits 1
            says_like "^scadyg study: bad/$name is not a folder but a (link|file); remove it$"
        else
            exits 1
            says_like "^scadyg study: bad/$name is a (link|pipe|folder), not a regular file; remove it$"
        fi
    done
done
anew
rm -r bad/runs
ln -s "$PWD/elsewhere" bad/runs
resume
exits 1
says_like '^scadyg study: bad/runs is not a folder but a link; remove it$'
unharmed
# The folder itself is named by the user, and may be a link.
anew
ln -sfn bad linked
run study compare -q g.events "${options[@]}" -o linked
exits 0

# Too large: 10 GB that take no room. They are not read.
for name in study.json results.json runs/scadyg-seed-1.json; do
    anew
    truncate -s 10G "bad/$name"
    if [[ $name == results.json ]]; then run report bad -o x.html; else resume; fi
    exits 1
    says_like "bad/$name has 10737418240 bytes, more than the 134217728 that it may have"
done

# A study of a list has its folder within that of the list.
printf 'one\tOne\tg.csv\talways\tcompare --steps 10 --epochs 1 --batch 64 --models scadyg\n' >list.tsv
mkdir data && "$scadyg" export -q g.events -o data/g.csv
mkdir -p sets
ln -s "$PWD/elsewhere" sets/one
fails '^scadyg study: sets/one is not a folder but a link; remove it$' study run -q list.tsv --data data --seeds 1 -o sets
rm sets/one sets/data/*
ln -s "$PWD/victim" sets/data/g.csv.events
fails '^scadyg study: sets/data/g\.csv\.events is a link, not a regular file; remove it$' \
    study run -q list.tsv --data data --seeds 1 -o sets
anew
unharmed

# Any JSON. Wrong types in every place of every file: refused, or what is missing stays out.
# wrong_types FILE: for each kind of place in it a line [place, value] and one with the whole file with that value there;
# with some of the values, more in the long tests.
every=11
[[ -z ${SCADYG_TEST_LONG:-} ]] || every=3
wrong_types() {
    jq -c --argjson every $every '. as $file |
        [null, true, -1, 1e308, -1e308, 5e-324, 123456789012345678, "", "\u001b[2J</td><script>", [], [[]], {}, {a: {b: []}}] as $values |
        [paths | select(length <= 7)] | group_by(map(if type == "number" then 0 else . end)) | map(.[0]) |
        [.[] as $place | $values[] as $value | [$place, $value]] | to_entries[] | select(.key % $every == 0) | .value |
        (., . as [$place, $value] | $file | setpath($place; $value))' "$1"
}
try_all() { # FILE COMMAND
    local what
    while read -r what && read -r file; do
        printf '%s\n' "$file" >"bad/$1"
        "$2"
        last="$2 with $1 $what"
        check
        ((exit_code == 0 || exit_code == 1 || exit_code == 2)) || bad "exit code $exit_code" "$(head -c 600 .err)"
        ((exit_code == 0)) || [[ $(wc -l <.err) == 1 ]] || bad "not one line" "$(head -c 600 .err)"
        if LC_ALL=C grep -q $'\e' .out .err; then bad "it steers the terminal"; fi
        if [[ $2 == show_page ]] && grep -Eq '<script|[" ]-?(nan|inf)' x.html; then bad "the page has what is none"; fi
    done < <(wrong_types "good/$1")
}
show_page() { run report -q bad -o x.html; }
anew
try_all results.json show_page
anew
try_all runs/scadyg-seed-1.json resume
cp good/runs/*.json bad/runs/
try_all study.json resume

# Texts that are no JSON, and JSON that goes deep.
deep=$(printf '[%.0s' {1..100000})
for text in '' '{' 'x' '{"study": "compare", "study": "compare"}' "{\"study\": $deep" '[]' '"compare"' \
    $'{"study": "\xff\xfe"}' '{"study": "a\u0000b"}' '{"study": 1e999}' '{"study": NaN}'; do
    for name in study.json results.json runs/scadyg-seed-1.json; do
        anew
        printf '%s' "$text" >"bad/$name"
        if [[ $name == results.json ]]; then show_page; else resume; fi
        last="$name of ${text:0:40}"
        exits 1
        says_like "bad/$name"
    done
done

# Lists that are longer than a study has.
for change in '.rows = [range(3000) as $i | .rows[0]]' '.columns = [range(100) as $i | .columns[0]]' \
    '.rows[0].cells = ([range(100) | {"\(.)": {}}] | add)' '.weights = {m: {times: [range(99) | "t"], nodes: []}}' \
    '.weights = {m: {times: ["t"], nodes: [{id: "x", matrices: [[range(600) as $i | []]]}]}}' \
    '.weights = {m: {times: ["t"], nodes: [{id: "x", matrices: [[[1], [1]]]}]}}' '.seeds = [range(2000)]' \
    '.datasets = [range(2000) as $i | {title: "x"}]'; do
    jq "$change" good/results.json >bad/results.json
    show_page
    last="report with $change"
    exits 1
    says_like '^scadyg report: bad/results\.json: '
done

done_testing
