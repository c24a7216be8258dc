# Numbers as text in columns, for tables.
def median: if length == 0 then null else sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2 end;
def fixed($digits): if . == null then "-" else
    (pow(10; $digits)) as $p | ((. * $p | round | tostring) | if startswith("-") then ["-", .[1:]] else ["", .] end)
    | .[0] as $sign | .[1] | (if length <= $digits then ("0" * ($digits + 1 - length)) + . else . end)
    | $sign + .[:-$digits] + "." + .[-$digits:] end;
def signed($digits): if . == null then "-" elif . < 0 then fixed($digits) else "+" + fixed($digits) end;
def short($digits): fixed($digits) | sub("^0\\."; ".");
def left($n): . + " " * ([$n - length, 0] | max);
def right($n): " " * ([$n - length, 0] | max) + .;

# Time until the best model was there, and until training was over, in seconds; of what train --json writes.
def epoch_seconds: .seconds + (.evaluation_seconds // 0);
def seconds_to_best: .best_epoch as $b
    | (.prepare_seconds // 0) + ([.epochs[] | select(.epoch <= $b) | epoch_seconds] | add // 0);
def seconds_of_training: (.prepare_seconds // 0) + ([.epochs[] | epoch_seconds] | add // 0);
