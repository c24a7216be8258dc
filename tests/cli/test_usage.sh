# Wrong usage: one line that says what is wrong and what would be right, exit code 2, and nothing done.
. "$(dirname "$0")/lib.sh"

printf 'a,b,1\nb,c,2\n' >log.csv

wrong "scadyg: no command given; 'scadyg help' lists them"
wrong "scadyg: unknown command 'imprt'; did you mean 'import'?" imprt log.csv
wrong "scadyg: unknown command 'infos'; did you mean 'info'?" infos
wrong "scadyg: unknown command 'xyzzy'; 'scadyg help' lists the commands" xyzzy
wrong "scadyg: unknown option '--verison'; did you mean '--version'?" --verison
wrong "scadyg help: unknown command 'exprot'; did you mean 'export'?" help exprot
wrong "scadyg help: unexpected argument 'info'; give one command" help import info

wrong "scadyg import: no input file given; give one or more, or - for standard input" import
wrong "scadyg import: no output file given; add -o X.events, or --dry-run to look only" import log.csv
wrong "scadyg import: an events file cannot go to standard output; give -o X.events" import log.csv -o -
wrong "scadyg import: ./log.csv is the input; give --output another name" import log.csv -o ./log.csv
expect "the input is as it was" cmp log.csv - < <(printf 'a,b,1\nb,c,2\n')
wrong "scadyg import: unknown option '--colums'; did you mean '--columns'?" import log.csv --colums src,dst,time
wrong "scadyg import: unknown option '--colums'; did you mean '--columns'?" import log.csv --colums=src,dst,time
wrong "scadyg import: unknown option '--zzzz'; 'scadyg import --help-all' lists them all" import --zzzz
wrong "scadyg import: unknown option '-x'; 'scadyg import --help-all' lists them all" import -x log.csv
wrong "scadyg import: unknown option '-x'; 'scadyg import --help-all' lists them all" import -qx log.csv
wrong "scadyg import: --output needs an argument: --output FILE" import log.csv -o
wrong "scadyg import: --skip-bad needs an argument: --skip-bad N" import log.csv --skip-bad
wrong "scadyg import: --json takes no argument, not 'yes'" import log.csv --json=yes
wrong "scadyg import: --skip-bad takes a whole number, 'none' or 'all', not 'some'" import log.csv -o x.events --skip-bad some
wrong "scadyg import: --skip-bad must be at least 0, not -1" import log.csv -o x.events --skip-bad -1
wrong "scadyg import: --memory takes a size such as 512M or 2G, not 'lots'" import log.csv --memory lots
absent x.events

for command in info export messages; do
    wrong "scadyg $command: unexpected argument 'two.events'; give one events file" $command one.events two.events
done
wrong "scadyg info: no events file given; the usage is: scadyg info X.events" info
wrong "scadyg export: no events file given; the usage is: scadyg export X.events -o F.csv" export -o x.csv
wrong "scadyg export: no output file given; add -o F.csv, or -o - for standard output" export one.events
wrong "scadyg export: the CSV and --json cannot both go to standard output; give -o F.csv" \
    export one.events -o - --json

wrong "scadyg generate: no output file given; add -o X.events" generate
wrong "scadyg generate: an events file cannot go to standard output; give -o X.events" generate -o -
wrong "scadyg generate: unexpected argument 'log.csv'; generate reads no file" generate log.csv -o x.events
wrong "scadyg generate: --oracle and --output are the same file; give two names" generate -o x --oracle x
wrong "scadyg generate: --kind takes one of messages|items, not 'cats'" generate -o x.events --kind cats

wrong "scadyg messages: no events file given; put it before --node, which takes every word after it" \
    messages --node a b x.events
wrong "scadyg messages: --node needs at least one ID" messages x.events --node
wrong "scadyg messages: --node needs at least one ID" messages x.events --node --json
wrong "scadyg messages: --output writes a .npy file, not x.txt; for JSON use --json > FILE" messages a.events -o x.txt
wrong "scadyg messages: --json and --output exclude each other; for a JSON file use --json > FILE" \
    messages a.events -o x.npy --json

# Of an option with one value given twice, one would be without effect.
printf 'a,b,1\nb,c,2\n' >twice.csv
wrong "scadyg import: --where was given twice" import twice.csv -o x.events --where '1 == a' --where '2 == c'
wrong "scadyg import: --output was given twice" import twice.csv -o x.events -oy.events
wrong "scadyg rank: --source was given twice" rank m.scadyg x.events --source 12 --source=13
wrong "scadyg train: --epochs was given twice" train x.events --epochs 1 --epochs 1

# One line, whatever the words hold.
wrong "scadyg: unknown command 'two?lines'; 'scadyg help' lists the commands" $'two\nlines'
run "$(printf '%05000d' 0)"
exits 2
says_like "^scadyg: unknown command '0+"


# Options that every command has may stand before it.
printf 'a,b,1\nb,c,2\n' >early.csv
run -q --threads 2 import early.csv -o early.events
exits 0
silent
run --threads=1 info early.events --json
exits 0
json_is .events 2

done_testing
