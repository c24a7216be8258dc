# What bench/accuracy.sh and bench/ablation.sh make of the JSON that train and eval write.

def mean: if length == 0 or any(. == null) then null else add / length end;
def std: mean as $m | if $m == null or length < 2 then null
    else (map((. - $m) * (. - $m)) | add / (length - 1) | sqrt) end;
def spread: {mean: mean, std: std};
def median: if length == 0 then null else sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;
def scores: ["mrr", "hits@1", "hits@3", "hits@10", "ap", "auc", "ndcg@10"];

# Text.
def fixed($digits): if . == null then "-" else
    (pow(10; $digits)) as $p | ((. * $p | round | tostring) | if startswith("-") then ["-", .[1:]] else ["", .] end)
    | .[0] as $sign | .[1] | (if length <= $digits then ("0" * ($digits + 1 - length)) + . else . end)
    | $sign + .[:-$digits] + "." + .[-$digits:] end;
def signed($digits): if . == null then "-" elif . < 0 then fixed($digits) else "+" + fixed($digits) end;
def short($digits): fixed($digits) | sub("^0\\."; ".");
def left($n): . + " " * ([$n - length, 0] | max);
def right($n): " " * ([$n - length, 0] | max) + .;
def cell($digits): (.mean | short($digits)) + (if .std == null then "" else " ± " + (.std | short($digits)) end);
def cell: cell(4);

# Time until the best model was there, and until training was over, in seconds.
def epoch_seconds: .seconds + (.evaluation_seconds // 0);
def seconds_to_best: .best_epoch as $b
    | (.prepare_seconds // 0) + ([.epochs[] | select(.epoch <= $b) | epoch_seconds] | add // 0);
def seconds_of_training: (.prepare_seconds // 0) + ([.epochs[] | epoch_seconds] | add // 0);

# What the runs of one dataset say together. Input: an array of runs, one per training seed, each what train --json writes.
def summary:
    . as $runs
    | {seeds: [.[].config.seed],
       train_seconds: ([.[] | seconds_of_training] | spread),
       seconds_to_best: ([.[] | seconds_to_best] | spread),
       epochs: ([.[].epochs | length] | spread),
       validation: ([.[].validation] | spread),
       events_per_second: ([.[].epochs | map(.events_per_second) | median] | median),
       peak_memory_bytes: ([.[].peak_memory_bytes] | max),
       plan: .[0].plan,
       results: [range(.[0].results | length) as $i | .[0].results[$i] as $first | [$runs[].results[$i]] as $all
           | {protocol: $first.protocol, pool: $first.pool, part: $first.part, negatives: $first.negatives,
              draws: $first.seeds, first_draw: $first.first_seed, queries: $first.queries, overlap: $first.overlap,
              model: (reduce scores[] as $s ({}; .[$s] = ([$all[][$s]] | spread))),
              heuristics: (reduce ($first.heuristics | keys_unsorted[]) as $h ({};
                  .[$h] = (reduce scores[] as $s ({}; .[$s] = ([$all[].heuristics[$h][$s]] | mean)))))}],
       runs: $runs};

# goals.tsv, read raw.
def goals: [split("\n")[] | select(length > 0 and (startswith("#") | not)) | split("\t")
    | {name: .[0], protocol: .[1], pool: .[2], score: .[3], goal: (("0" + .[4]) | tonumber), beside: .[5]}];

# The score a protocol is known for.
def main_score: {paper: "mrr", "tgb-link": "mrr", dyglib: "ap", "tgb-node": "ndcg@10"}[.protocol];
def score_name: {mrr: "MRR", ap: "AP", auc: "AUC", "ndcg@10": "NDCG@10"}[.] // .;
def pool_name: if .protocol == "dyglib" and .pool == "destination" then "random destination"
    elif .protocol == "tgb-node" then "derived labels" else .pool end;

# One line per result of a dataset: the score beside the goal, what is published, and all heuristics.
def lines($goals):
    . as $d | .results[] | . as $r | main_score as $s
    | ([$goals[] | select(.name == $d.name and .protocol == $r.protocol and .score == $s
        and (.pool == "-" or .pool == $r.pool))][0]) as $g
    | ([.heuristics | to_entries[] | {name: .key, score: .value[$s]} | select(.score != null)]
        | sort_by(-.score)) as $rules
    | {data: $d.title, name: $d.name, protocol: $r.protocol, score: $s, pool: ($r | pool_name),
       seeds: ($d.seeds | length), model: .model[$s], goal: $g.goal, beside: ($g.beside // ""), rules: $rules,
       rule: $rules[0],
       # one seed of one dataset may be missing in a table that is not complete
       reached: (if $g == null or .model[$s].mean == null then null else .model[$s].mean >= $g.goal end),
       beats: (if $rules[0] == null or .model[$s].mean == null then null else .model[$s].mean > $rules[0].score end)};
def mark: if . == null then "" elif . then "yes" else "NO" end;
def protocol_text: "\(.protocol) \(.score | score_name), \(.pool)";

# The table of one dataset, for a person.
def table:
    . as $d
    | [.results[] | main_score as $s
       | {title: "\($s | score_name) \(.protocol)", pool: pool_name, result: ., score: $s}] as $columns
    | "\(.title) (\(.name)): options \(if .options | length > 0 then .options | join(" ") else "none" end)",
      (.results[] | "  \(.protocol) protocol, \(.part) part, pool \(.pool), negatives: \(.negatives), \(.queries) queries"
          + (if .pool == "none" or .protocol == "tgb-node" then ""
             else ", draw \(.first_draw) of the negatives for every seed" end)
          + (if (.overlap // 0) > 0 then ", \(100 * .overlap | fixed(1)) % of them in the training part" else "" end)),
      ("  training seeds: \(.seeds | map(tostring) | join(", "))"
       + (if .seeds | length > 1 then "; mean ± standard deviation over them" else "" end)),
      ([.runs[].commit] | unique | select(length > 1) | "  CAREFUL: trained by different versions, \(join(", "))"),
      "",
      ("  " + ("" | left(22)) + ($columns | map(.title | right(20)) | join(""))),
      ("  " + ("" | left(22)) + ($columns | map(.pool | right(20)) | join(""))),
      ("  " + ("scadyg" | left(22)) + ($columns | map(.score as $s | .result.model[$s] | cell | right(20)) | join(""))),
      ((.results[0].heuristics // {}) | keys_unsorted[] | . as $h
       | "  " + ($h | left(22))
         + ($columns | map(.score as $s | {mean: .result.heuristics[$h][$s]} | cell | right(20)) | join(""))),
      (if .paper then "  " + ("the paper says" | left(22)) + (.paper.figure | short(4) | right(20))
           + (if .paper.note then "  (\(.paper.note))" else "" end) else empty end),
      "",
      ("  training: \(.train_seconds.mean | fixed(2)) s a seed with validation, "
       + "\(.seconds_to_best.mean | fixed(2)) s to the best model; \(.epochs.mean | fixed(1)) epochs; "
       + "peak memory \(.peak_memory_bytes / 1e6 | fixed(1)) MB");

# All lines beside goals, for a person. Input: the whole results file.
def overview($goals):
    [.datasets[] | lines($goals)]
    | ([.[].data | length] | (max // 0) + 2) as $wide
    | if length == 0 then empty else
      (("data" | left($wide)) + ("protocol, pool" | left(34)) + ("scadyg" | right(15)) + ("goal" | right(7))
       + ("reached" | right(9)) + "   " + ("best rule" | left(27)) + ("beaten" | left(8)) + "beside it"),
      (.[] | (.data | left($wide)) + (protocol_text | left(34)) + (.model | cell | right(15))
       + (.goal | if . == null then "" else short(3) end | right(7)) + (.reached | mark | right(9)) + "   "
       + (if .rule then "\(.rule.name) \(.rule.score | short(4))" else "-" end | left(27))
       + (.beats | mark | left(8)) + .beside) end;

# The same as Markdown.
def markdown($goals):
    def rule: "|" + ("---|" * .);
    [.datasets[] | lines($goals)] as $lines
    | ([$lines[] | select(.protocol != "tgb-node") | .rules[].name] | unique) as $links
    | ([$lines[] | select(.protocol == "tgb-node") | .rules[].name] | unique) as $labels
    | "| data | protocol, pool | scadyg | goal | | best heuristic | beaten | beside it |", (8 | rule),
      ($lines[] | "| \(.data) | \(protocol_text) | \(.model | cell) | "
       + "\(.goal | if . == null then "" else short(3) end) | \(.reached | mark) | "
       + "\(if .rule then "\(.rule.name) \(.rule.score | short(4))" else "" end) | \(.beats | mark) | \(.beside) |"),
      "",
      (([["links", $links, [$lines[] | select(.protocol != "tgb-node")]],
         ["affinity", $labels, [$lines[] | select(.protocol == "tgb-node")]]])[]
       | select(.[2] | length > 0) | .[1] as $names
       | "| \(.[0]): data | protocol, pool | scadyg | \($names | join(" | ")) |", ($names | length + 3 | rule),
         (.[2][] | (.rules | map({key: .name, value: .score}) | from_entries) as $by
          | "| \(.data) | \(protocol_text) | \(.model.mean | short(3)) | "
            + ([$names[] | $by[.] | short(3)] | join(" | ")) + " |"), ""),
      "Training seeds: \([.datasets[].seeds | length] | unique | map(tostring) | join(" or ")); mean ± standard deviation"
      + " over them. Test part. Heuristics on the same negatives in the same run.";
