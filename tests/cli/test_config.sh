# --preset, --config, --print-config: where options come from, and which win.
. "$(dirname "$0")/lib.sh"

run train --print-config
exits 0
says_nothing
json_is '[.task, .model, .epochs, .stepwise, has("split"), has("freshness")]' '["link","scadyg","auto",false,false,false]'
json_is '[has("head"), ."train-pool"]' '[false,"mixed"]'
json_is '[has("threads"), has("memory"), has("output")]' '[false,false,false]'
json_is '[has("labels"), has("window")]' '[false,false]'
cp .out defaults.json
run train --model scadyg-paper --task affinity --print-config
exits 0
json_is '[.task, .model, .epochs, .labels, .stepwise]' '["affinity","scadyg-paper",100,null,true]'

# A flag can be switched off as well as on, whatever it is by itself in the kind named.
for model in scadyg scadyg-paper; do
    for task in link affinity; do
        run train --model $model --task $task --stepwise --print-config
        json_is .stepwise true
        run train --no-stepwise --model $model --task $task --print-config
        json_is .stepwise false
        run train --stepwise --model $model --task $task --no-stepwise --print-config
        json_is .stepwise false
    done
done
wrong "scadyg train: --no-stepwise takes no argument, not 'x'" train --no-stepwise=x
wrong "scadyg train: --stepwise is not an option of popularity; it is of scadyg, scadyg-paper" \
    train g.events --model popularity --no-stepwise
wrong "scadyg train: unknown option '--no-quiet'; did you mean '--quiet'?" train --no-quiet
for old in freshness split; do
    run train g.events --$old time
    exits 2
    says_like "^scadyg train: unknown option '--$old'; .*--stepwise"
done

# Every preset prints options that read back to the same, kind and task among them.
run help models
exits 0
presets=$(sed -n '/^presets of scadyg-paper/,/^$/s/^  \([^ ]\+\) .*/\1/p' .out)
check
[[ $(wc -w <<<"$presets") -ge 12 ]] || bad "few presets in the help" "$presets"
for preset in $presets; do
    run train --model scadyg-paper --preset "$preset" --print-config
    exits 0
    says_nothing
    cp .out preset.json
    run train --config preset.json --print-config
    exits 0
    prints "$(cat preset.json)"
done
mooc=(--model scadyg-paper --preset mooc)
run train "${mooc[@]}" --print-config
json_is '[.window, .steps, ."step-rule", .task]' '[9,100,"equal-count","link"]'
# A preset that is for the other task only brings it along; a task that is typed stands.
run train --model scadyg-paper --preset trade --print-config
json_is '[.task, .steps, .window]' '["affinity",30,26]'
run train --model scadyg-paper --preset trade --task link --print-config
exits 2
says_like "^scadyg train: the preset 'trade' is of --model scadyg-paper, --task affinity"

# Defaults < preset < config < what is typed, whatever the order.
echo '{"window": 5, "lr": 0.01, "hidden": "auto", "without": "time"}' >mine.json
run train "${mooc[@]}" --config mine.json --print-config
json_is '[.window, .lr, .without, ."step-rule"]' '[5,0.01,"time","equal-count"]'
run train --window 3 --lr 0.5 --config mine.json --print-config "${mooc[@]}"
json_is '[.window, .lr, .without, ."step-rule"]' '[3,0.5,"time","equal-count"]'
run train "${mooc[@]}" --step-rule equal-time --print-config
json_is '[.window, ."step-rule"]' '[9,"equal-time"]'
wrong "scadyg train: --seed was given twice" train --seed 1 --seed 7 --print-config
echo '{"model": "scadyg-paper", "task": "affinity", "window": 4}' >kind.json
run train --config kind.json --print-config
json_is '[.model, .task, .window]' '["scadyg-paper","affinity",4]'
run train --config kind.json --task link --print-config
json_is '[.model, .task, .window]' '["scadyg-paper","link",4]'

# null is "not set".
echo '{"gamma0": null, "rates": null, "lr": null}' >null.json
run train "${mooc[@]}" --config null.json --print-config
exits 0
json_is '[.gamma0, .rates, .lr]' '["auto",null,0.003]'

# An option of another kind is refused, typed or configured.
wrong "scadyg train: --lr is not an option of popularity; it is of scadyg, scadyg-paper" \
    train --model popularity --lr 0.1 --print-config
wrong "scadyg train: --vectors is not an option of scadyg-paper; it is of scadyg" \
    train g.events --vectors on --model scadyg-paper
wrong "scadyg train: --labels is for --task affinity: it is an option of scadyg, scadyg-paper, persistence, moving-average" \
    train g.events --labels l.csv
wrong "scadyg train: mine.json: --window is not an option of scadyg; it is of scadyg-paper" \
    train --config mine.json --print-config
run train --head paper
exits 2
says_like "^scadyg train: unknown option '--head'"

# Wrong.
wrong_config() { # PATTERN JSON: exit code 1 or 2, one line
    printf '%s' "$2" >wrong.json
    run train --config wrong.json --print-config --model scadyg-paper
    check
    [[ $exit_code == 1 || $exit_code == 2 ]] || bad "exit code $exit_code"
    says_like "$1"
    prints_nothing
}
wrong_config "^scadyg train: wrong\.json: unknown option 'windw'; did you mean 'window'\?$" '{"windw": 1}'
wrong_config "^scadyg train: wrong\.json: unknown option 'xyzzy'; 'scadyg train --help-all' lists them all$" '{"xyzzy": 1}'
wrong_config "^scadyg train: wrong\.json: --window takes " '{"window": "some"}'
wrong_config "^scadyg train: wrong\.json: --hops must be between 1 and 3, not 4$" '{"hops": 4}'
wrong_config "^scadyg train: wrong\.json: --task takes a text in quotes$" '{"task": 1}'
wrong_config "^scadyg train: wrong\.json: --task takes one of link\|affinity, not 'links'$" '{"task": "links"}'
wrong_config "^scadyg train: wrong\.json: --lr takes a number" '{"lr": [1]}'
wrong_config "^scadyg train: wrong\.json: --epochs takes a number" '{"epochs": true}'
wrong_config '^scadyg train: wrong\.json:2:[0-9]+: ' $'{"lr": 1,\n"hops": }'
wrong_config '^scadyg train: wrong\.json:1:[0-9]+: .*duplicate' '{"lr": 1, "lr": 2}'
wrong_config '^scadyg train: wrong\.json: expected an object' '[1]'
wrong_config '^scadyg train: wrong\.json:' ''
fails '^scadyg train: cannot open nowhere\.json: No such file or directory$' train --config nowhere.json --print-config
printf '{"model": "scadig"}' >wrong.json
wrong "scadyg train: wrong.json: there is no model 'scadig'; did you mean scadyg?" train --config wrong.json --print-config
wrong "scadyg train: there is no model 'scadig'; did you mean scadyg?" train --model scadig --print-config
run train --model scadyg-paper --preset moc --print-config
exits 2
says_like "^scadyg train: .*'moc'.* mooc"
wrong "scadyg train: the preset 'mooc' is of --model scadyg-paper, --task link" train --preset mooc --print-config

done_testing
