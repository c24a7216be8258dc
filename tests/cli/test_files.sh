#!/usr/bin/env bash
# What a command reads is never written over, whatever the option and the name; what it replaces keeps its permissions.
. "$(dirname "$0")/lib.sh"

"$scadyg" generate -q --nodes 40 --events 2000 --seed 4 --oracle oracle.csv -o g.events
"$scadyg" export -q g.events -o log.csv
"$scadyg" train -q g.events --steps 20 --model popularity -o m.scadyg
"$scadyg" train -q g.events --task affinity --model persistence --steps 10 -o a.scadyg
printf '1,2\n' >pairs.csv
echo '{"model": "popularity", "labels": null}' >config.json
awk -F, 'NR > 1 { print int($3 / 400000) * 400000 + 1 "," $1 "," ($2 % 3) ",1" }' log.csv >labels.csv
{ echo id,a; cut -d, -f1-2 log.csv | tail -n +2 | tr , '\n' | sort -u | sed 's/$/,1/'; } >nodes.csv
cp nodes.csv log.nodes.csv
echo 'id,a' >empty.csv
ln labels.csv hard.csv
ln -s labels.csv soft.csv
sha256sum -- *.csv *.events *.json *.scadyg >before

# refused NAME OPTION ARGUMENTS...: the file is an input, and --OPTION names it.
refused() {
    local name=$1 option=$2
    shift 2
    wrong "scadyg $1: $name is the input; give --$option another name" "$@"
}

refused log.csv output import log.csv -o log.csv
refused log.nodes.csv output import log.csv -o log.nodes.csv
refused nodes.csv output import log.csv --node-features nodes.csv -o nodes.csv
refused ./g.events output export g.events -o ./g.events
refused g.events output messages g.events -o g.events
refused m.scadyg output embed m.scadyg g.events -o m.scadyg
refused pairs.csv output predict m.scadyg g.events -i pairs.csv -o pairs.csv
refused m.scadyg output predict m.scadyg g.events -i pairs.csv -o m.scadyg
refused pairs.csv output predict m.scadyg g.events -i - -o pairs.csv <pairs.csv
for file in m.scadyg g.events; do refused $file json eval m.scadyg g.events --json $file; done
for file in m.scadyg g.events oracle.csv; do
    refused $file output report m.scadyg g.events --oracle oracle.csv -o $file
done
train=(train g.events --task affinity)
for file in labels.csv hard.csv soft.csv "$PWD/labels.csv"; do
    refused "$file" output "${train[@]}" --labels labels.csv -o "$file"
    refused "$file" json "${train[@]}" --labels labels.csv -o x.scadyg --json "$file"
    refused "$file" journal tune g.events --task affinity --labels labels.csv -o x.scadyg --journal "$file"
done
refused labels.csv json eval a.scadyg g.events --labels labels.csv --json labels.csv
refused labels.csv output report a.scadyg g.events --labels labels.csv -o labels.csv
refused config.json output train g.events --config config.json -o config.json
refused config.json json train g.events --config config.json -o x.scadyg --json config.json
echo '{"task": "affinity", "labels": "labels.csv"}' >config2.json
refused labels.csv output train g.events --config config2.json -o labels.csv
refused labels.csv output tune g.events --task affinity --vary 'labels=labels.csv|other.csv' -o labels.csv
refused log.nodes.csv output train log.csv --model popularity -o log.nodes.csv
"$scadyg" train -q log.csv --steps 20 --model popularity -o log.scadyg
cache=log.csv.scadyg-cache.events
refused $cache output train log.csv --model popularity -o $cache
refused $cache json eval m.scadyg log.csv --json $cache
# What follows from a name is an output too.
cp g.events x.scadyg.checkpoint
refused x.scadyg.checkpoint output train x.scadyg.checkpoint -o x.scadyg
cp g.events x.scadyg.journal
refused x.scadyg.journal journal tune x.scadyg.journal -o x.scadyg
mkdir study
cp g.events study/results.csv
refused study/results.csv output study compare study/results.csv -o study
rm -r study x.scadyg.*

"$scadyg" import -q log.csv -o x.nodes.csv
wrong "scadyg export: the node features would go to x.nodes.csv, which is the input: choose another name" \
    export x.nodes.csv -o x.csv
rm x.nodes.csv

# Two outputs are two files.
wrong "scadyg train: --json and --output are the same file; give two names" train g.events -o x.scadyg --json ./x.scadyg
wrong "scadyg train: --output and --json are the same file; give two names" \
    train g.events -o x.scadyg --json x.scadyg.checkpoint
wrong "scadyg tune: --journal and --output are the same file; give two names" tune g.events -o x.scadyg --journal ./x.scadyg
wrong "scadyg generate: --oracle and --output are the same file; give two names" generate -o x.events --oracle ./x.events
absent x.scadyg
rm config2.json log.scadyg $cache
expect "all is as it was" sha256sum --quiet -c before

# Permissions of what is replaced stay.
for mode in 600 640 444; do
    for output in s.csv e.npy p.json x.events x.csv r.html t.scadyg; do
        echo older >$output
        chmod $mode $output
    done
    run predict -q m.scadyg g.events -i pairs.csv -o s.csv
    exits 0
    run messages -q g.events -o e.npy
    exits 0
    run eval -q m.scadyg g.events --json p.json
    exits 0
    run import -q log.csv -o x.events
    exits 0
    run export -q g.events -o x.csv
    exits 0
    run report -q m.scadyg g.events -o r.html
    exits 0
    run train -q g.events --steps 20 --model popularity -o t.scadyg
    exits 0
    for output in s.csv e.npy p.json x.events x.csv r.html t.scadyg; do
        expect "$output keeps $mode" test "$(stat -c %a $output)" = $mode
        expect "$output is new" test "$(head -c 5 $output)" != older
        rm -f $output
    done
done

# A link is replaced; what it points to is left alone.
echo precious >victim
ln -s victim s.csv
run predict -q m.scadyg g.events -i pairs.csv -o s.csv
exits 0
expect "what the link pointed to" test "$(cat victim)" = precious
expect "a file of its own" test ! -L s.csv

done_testing
