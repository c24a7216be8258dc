# The tables of results as Markdown, from what `scadyg study run` writes.
include "text";

# goals.tsv, read raw.
def goals: [split("\n")[] | select(length > 0 and (startswith("#") | not)) | split("\t")
    | {name: .[0], column: .[1], goal: .[2], published: .[3]}];

def score_name: {mrr: "MRR", ap: "AP", "ndcg@10": "NDCG@10"}[.];
def pool_name: if .protocol == "dyglib" and .pool == "destination" then "random"
    elif .protocol == "tgb-link" then if .negatives == "all" then "all destinations" else "\(.negatives) random" end
    else .pool end;
def question: "\(.protocol) \(.main | score_name)" + (if .protocol == "tgb-node" then "" else ", \(pool_name)" end)
    + if .reveal == "batch" then ", in batches of 200" elif .protocol == "tgb-link" then ", event by event" else "" end;

# A line for each model and protocol of a study: its score, the best baseline, what is published; of a protocol with two
# answers both, side by side.
def lines($goals):
    . as $set | .results as $r | def goal($id): [$goals[] | select(.name == $set.name and .column == $id)][0] // {};
    $r.columns[] | select(.answer != "pool") as $c | ($c.id + ":answer=pool") as $per_pool
    | ([$r.rows[] | select(.rule) | {name: .series, score: .cells[$c.id][$c.main].mean} | select(.score)]
        | sort_by(-.score)) as $rules
    | ($r.rows[] | select(.oracle) | .cells[$c.id][$c.main].mean) // null | . as $oracle
    | $r.rows[] | select((.rule or .oracle) | not) | .cells[$c.id][$c.main] as $cell | select($cell.mean)
    | (goal($c.id).published // "") as $published
    | ($published | [scan("\\.[0-9]+") | "0" + . | tonumber] | max // 0) as $best
    | {data: $set.title, protocol: $c.protocol, question: ($c | question), series, cell: $cell, rules: $rules,
       rule: $rules[0], per_pool: .cells[$per_pool][$c.main], answers: .cells[$c.id].answers_as, $oracle, $published,
       events: $r.data.events, seeds: ($r.seeds | length),
       goals: [goal($c.id).goal, goal($per_pool).goal],
       wins: (if $cell.mean >= ([$best, $rules[0].score // 0] | max) then "scadyg"
              elif $rules and ($rules[0].score // 0) >= $best then "rule" else "published" end)};

def bold($yes): if $yes and . != "" then "**\(.)**" else . end;
def rule: "|" + ("---|" * .);
# Near 1 three digits would say that all are the same.
def digits: if . == null then "-" elif . >= 0.995 then short(4) else short(3) end;
def spread: (if .mean >= 0.995 then 4 else 3 end) as $digits | if .std == null then "" else " ± \(.std | short($digits))" end;
def score($yes): "\(.mean | digits | bold($yes))\(spread)";
def grouped: tostring | [while(length > 0; .[:-3]) | .[-3:]] | reverse | join(",");

def own: .wins as $w | (.cell | score($w == "scadyg"))
    + if .answers then " (as \(.answers | sub(" in (?<n>[0-9]+) of \\k<n> runs$"; "")))" else "" end;
def best_baseline: .wins as $w | if .rule then "\(.rule.name) \(.rule.score | digits)" | bold($w == "rule") else "" end;
# The difference of the means; its error is the paired one of the first seed.
def margin: (if .cell.mean >= 0.995 then 4 else 3 end) as $digits | if .cell.difference == null then ""
    else (.cell.difference | signed($digits) | sub("0\\."; "."))
        + if .cell.difference_error == null then "" else " ± \(.cell.difference_error | short($digits))" end end;
# What is reached is marked.
def goal_of($mean): if . == null or . == "" then null
    else . + if (if endswith("%") then .[:-1] | tonumber / 100 else "0" + . | tonumber end) <= $mean then " ✓" else "" end end;
def goals_of: . as $l | [($l.goals[0] | goal_of(if $l.oracle then $l.cell.mean / $l.oracle else $l.cell.mean end)),
    ($l.goals[1] | goal_of($l.per_pool.mean // 0))] | map(select(.)) | join("; ");
def beside: .wins as $w | .published | bold($w == "published");

# As logs are used: where does the next destination stand among all so far?
def live:
    "| data | events | scadyg, live MRR | best baseline | margin | seeds |", (6 | rule),
    (.[] | "| \(.data) | \(.events | grouped) | \(own) | \(best_baseline) | \(margin) | \(.seeds) |");

def protocols:
    "| data | protocol, negatives | scadyg | answer per pool | best baseline | margin | published | goal | seeds |", (9 | rule),
    (.[] | "| \(.data) | \(.question) | \(own) | \(if .per_pool then .per_pool | score(false) else "" end) | \(best_baseline) | \(margin) | "
     + (if .oracle then "the oracle \(.oracle | short(3)): \(100 * .cell.mean / .oracle | round) %" else beside end)
     + " | \(goals_of) | \(.seeds) |");

# The paper's model beside every rule: a column for each line.
def beside_rules:
    . as $lines | [$lines[].rules[].name] | unique as $names
    | "| | \($lines | map("\(.data), \(.question)") | join(" | ")) |", ($lines | length + 1 | rule),
      "| scadyg-paper | \($lines | map(.cell | score(false)) | join(" | ")) |",
      ($names[] as $name | "| \($name) | "
       + ($lines | map(.rules | map(select(.name == $name).score)[0] | digits) | join(" | ")) + " |");

# Without each part: the difference to the whole model, first on validation, then on test by each protocol.
def parts:
    [.[] | .results as $r | $r.rows[0] as $whole
     | {title, rows: [$r.rows[] | . as $row | {part: .label, text: ([[($whole.cells | keys[] | select(startswith("validation"))), "score"], ($r.columns[] | [.id, .main])]
        | map(. as [$c, $s] | if $row.label == "whole" then $row.cells[$c][$s].mean | short(3)
              else $row.cells[$c][$s].mean - $whole.cells[$c][$s].mean | signed(3) | sub("0\\."; ".") end)
        | join(", ") + if $row.idle then " (no effect)" else "" end)}]}] as $sets
    | "| \($sets | map(.title) | join(" | ")) |" | "| " + ., ($sets | length + 1 | rule),
      ([$sets[].rows[].part] | reduce .[] as $l ([]; if index($l) then . else . + [$l] end))[] as $part
    | "| \($part) | \($sets | map(([.rows[] | select(.part == $part).text][0]) // "-") | join(" | ")) |";

def is_cut: (.until // 1) < 1;

# How to read them.
def notes: "Behind a score: the standard deviation over the training seeds. The margin is over the best baseline, with the paired standard error of the first seed; bold is the best of a row. Goals: ✓ is reached; where there are two, the second is for the answer per pool."
    + if is_cut then " Every log was cut off after the first \(100 * .until | round) % of its events: the test part is the last of these, and what comes later was not looked at. Goals and what others published are of the whole logs and left out." else "" end;

def markdown($all):
    (if is_cut then [$all[] | select(.goal | endswith("%"))] else $all end) as $goals | [.datasets[] | select(.results.study == "compare") | lines($goals)] as $lines
    | [.datasets[] | select(.results.study == "ablation")] as $ablations
    | [$lines[] | select(.series == "scadyg")] as $own
    | ["paper", "dyglib", "tgb-link", "tgb-node"] as $order
    | ([$own[] | select(.protocol == "live")] | select(length > 0) | live, ""),
      ([$own[] | select(.protocol != "live")] | sort_by(.protocol as $p | $order | index($p)) | select(length > 0) | protocols, ""),
      ([$lines[] | select(.series != "scadyg")] | select(length > 0) | beside_rules, ""),
      ($ablations | select(length > 0) | parts, ""),
      notes;
