# The tables of results as Markdown, from what `scadyg study run` writes.
include "text";

# goals.tsv, read raw.
def goals: [split("\n")[] | select(length > 0 and (startswith("#") | not)) | split("\t")
    | {name: .[0], protocol: .[1], pool: .[2], goal: .[3], published: .[4]}];

def score_name: {mrr: "MRR", ap: "AP", "ndcg@10": "NDCG@10"}[.];
def pool_name: if .protocol == "dyglib" and .pool == "destination" then "random"
    elif .protocol == "tgb-link" then "all destinations" else .pool end;
def question: "\(.protocol) \(.main | score_name)" + (if .protocol == "tgb-node" then "" else ", \(pool_name)" end);

# A line for each model and protocol of a study: its score, the best rule, what is published.
def lines($goals):
    . as $set | .results.columns[] as $c | .results.rows
    | ([.[] | select(.rule) | {name: .series, score: .cells[$c.id][$c.main].mean} | select(.score)]
        | sort_by(-.score)) as $rules
    | .[] | select(.rule | not) | .cells[$c.id][$c.main] as $cell | select($cell.mean)
    | ([$goals[] | select(.name == $set.name and .protocol == $c.protocol and (.pool == "-" or .pool == $c.pool))][0]
       // {}) as $goal
    | ($goal.published // "" | [scan("\\.[0-9]+") | "0" + . | tonumber] | max // 0) as $best
    | {data: $set.title, question: ($c | question), series, cell: $cell, rules: $rules, rule: $rules[0],
       goal: ($goal.goal // ""), published: ($goal.published // ""),
       wins: (if $cell.mean >= ([$best, $rules[0].score // 0] | max) then "scadyg"
              elif $rules and ($rules[0].score // 0) >= $best then "rule" else "published" end)};

def bold($yes): if $yes and . != "" then "**\(.)**" else . end;
def rule: "|" + ("---|" * .);
def spread: if .std == null then "" else " ± \(.std | short(3))" end;

def results:
    "| data | protocol, negatives | scadyg | best rule | published | goal |", (6 | rule),
    (.[] | . as $l | "| \(.data) | \(.question) | \(.cell.mean | short(3) | bold($l.wins == "scadyg"))\(.cell | spread) | "
     + "\(if .rule then "\(.rule.name) \(.rule.score | short(3))" | bold($l.wins == "rule") else "" end) | "
     + "\(.published | bold($l.wins == "published")) | \(.goal) |");

# The paper's model beside every rule: a column for each line.
def beside_rules:
    . as $lines | [$lines[].rules[].name] | unique as $names
    | "| | \($lines | map("\(.data), \(.question)") | join(" | ")) |", ($lines | length + 1 | rule),
      "| scadyg-paper | \($lines | map("\(.cell.mean | short(3))\(.cell | spread)") | join(" | ")) |",
      ($names[] as $name | "| \($name) | "
       + ($lines | map(.rules | map(select(.name == $name).score)[0] | short(3)) | join(" | ")) + " |");

# Without each part: the difference to the whole model, first on validation, then on test by each protocol.
def parts:
    [.[] | .results as $r | $r.rows[0] as $whole
     | {title, rows: [$r.rows[] | . as $row | {part: .label, text: ([["validation", "score"], ($r.columns[] | [.id, .main])]
        | map(. as [$c, $s] | if $row.label == "whole" then $row.cells[$c][$s].mean | short(3)
              else $row.cells[$c][$s].mean - $whole.cells[$c][$s].mean | signed(3) | sub("0\\."; ".") end)
        | join(", ") + if $row.idle then " (no effect)" else "" end)}]}] as $sets
    | "| \($sets | map(.title) | join(" | ")) |" | "| " + ., ($sets | length + 1 | rule),
      ([$sets[].rows[].part] | reduce .[] as $l ([]; if index($l) then . else . + [$l] end))[] as $part
    | "| \($part) | \($sets | map(([.rows[] | select(.part == $part).text][0]) // "-") | join(" | ")) |";

def markdown($goals):
    [.datasets[] | select(.results.study == "compare") | lines($goals)] as $lines
    | [.datasets[] | select(.results.study == "ablation")] as $ablations
    | ([$lines[] | select(.series == "scadyg")] | select(length > 0) | results, ""),
      ([$lines[] | select(.series != "scadyg")] | select(length > 0) | beside_rules, ""),
      ($ablations | select(length > 0) | parts, ""),
      "Training seeds: \([.datasets[].results.seeds | length] | unique | map(tostring) | join(" or ")).";
