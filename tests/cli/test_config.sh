# --preset, --config, --print-config: where options come from, and which win.
. "$(dirname "$0")/lib.sh"

run train --print-config
exits 0
says_nothing
json_is '[.task, .model, .epochs, .split]' '["link","scadyg",20,"steps"]'
json_is '[.head, ."train-pool"]' '["pair","mixed"]'
json_is '[has("threads"), has("memory"), has("output")]' '[false,false,false]'
json_is '.labels' null
cp .out defaults.json

# Every preset prints options that read back to the same.
run train --help
exits 0
presets=$(sed -n '/^what --preset takes/,/^$/s/^  \([^ ]*\).*/\1/p' .out)
check
[[ $(wc -w <<<"$presets") -ge 13 ]] || bad "few presets in the help" "$presets"
for preset in $presets; do
    run train --preset "$preset" --print-config
    exits 0
    says_nothing
    cp .out preset.json
    run train --config preset.json --print-config
    exits 0
    prints "$(cat preset.json)"
done
run train --preset paper:mooc --print-config
json_is '[.window, .steps, ."step-rule"]' '[9,100,"equal-count"]'

# Defaults < preset < config < what is typed, whatever the order.
echo '{"window": 5, "lr": 0.01, "hidden": "auto", "without": "time"}' >mine.json
run train --preset paper:mooc --config mine.json --print-config
json_is '[.window, .lr, .without, ."step-rule"]' '[5,0.01,"time","equal-count"]'
run train --window 3 --lr 0.5 --config mine.json --print-config --preset paper:mooc
json_is '[.window, .lr, .without, ."step-rule"]' '[3,0.5,"time","equal-count"]'
run train --preset paper:mooc --step-rule equal-time --print-config
json_is '[.window, ."step-rule"]' '[9,"equal-time"]'
run train --seed 1 --seed 7 --preset paper --print-config
json_is .seed 7

# null is "not set".
echo '{"gamma0": null, "rates": null, "labels": null}' >null.json
run train --preset paper:mooc --config null.json --print-config
exits 0
json_is '[.rates, .labels]' '[null,null]'
check
[[ $(json .gamma0) == "$(jq -c .gamma0 defaults.json)" ]] || bad "gamma0 is $(json .gamma0)"

# Wrong.
wrong_config() { # PATTERN JSON: exit code 1 or 2, one line
    printf '%s' "$2" >wrong.json
    run train --config wrong.json --print-config
    check
    [[ $exit_code == 1 || $exit_code == 2 ]] || bad "exit code $exit_code"
    says_like "$1"
    prints_nothing
}
wrong_config "^scadyg train: wrong\.json: unknown option 'windw'; did you mean 'window'\?$" '{"windw": 1}'
wrong_config "^scadyg train: wrong\.json: unknown option 'xyzzy'; 'scadyg train --help' lists them all$" '{"xyzzy": 1}'
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
run train --preset papr --print-config
exits 2
says_like "^scadyg train: .*'papr'.* paper"
run train --preset paper:moc --print-config
exits 2
says_like "^scadyg train: .*paper:mooc"

done_testing
