# No data reaches a shell, another program or a format string: what can start one is named here, each place with its reason.
. "$(dirname "$0")/lib.sh"
command -v perl >/dev/null || { echo "needs perl"; exit 77; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CC=${CC:-cc}

# Calls that start a program, load code or expand words, outside of comments and texts.
starters='popen|system|(f?exec|posix_spawn)[a-z]*|v?fork|clone|dlm?open|wordexp|glob'
starts() {
    find "$@" -name '*.[ch]' -o -name '*.inc' | sort | xargs perl -0pe 's{/\*.*?\*/|"(?:[^"\\]|\\.)*"}{ }gs' |
        grep -oE "\\b($starters) *\\(" | sort | uniq -c | tr -s ' '
}
last="starting programs"
check
found=$(starts "$root/src" "$root/tools" "$root/include")
[[ $found == " 1 fork("$'\n'" 1 posix_spawn(" ]] || bad "the library and the tool start something" "$found"
# A snapshot in the background is written by a copy of the process, which starts nothing and ends when it has written.
expect "the copy that writes" grep -q 'live->child = fork();' "$root/src/predict/live_state.c"
# That one place starts the program itself, by its own file, with words and no shell.
expect "the one place" grep -q 'posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ)' "$root/tools/study/subprocess.c"
# The check sees what it is for.
mkdir seen
printf '/* system(x) */ const char *t = "popen(";\nint f(void) { return system(t) + execvp (t, 0); }\n' >seen/x.c
check
[[ $(starts seen) == " 1 execvp ("$'\n'" 1 system(" ]] || bad "the check is blind" "$(starts seen)"

# The same of the program as it is linked; a sanitizer's runtime brings its own.
if [[ -z ${SCADYG_SANITIZE:-} ]] && command -v nm >/dev/null; then
    check
    linked=$(nm -D --undefined-only "$scadyg" | sed 's/.* U //; s/@.*//' | grep -xE "_*($starters)")
    [[ $linked == posix_spawn ]] || bad "the program is linked with" "$linked"
fi

# Scripts that people run: nothing is evaluated.
check
if found=$(grep -nE '(^|[;&|`(] *)eval |\b(ba)?sh -c\b|\bsystem\(' "$root"/examples/* "$root/run"); then
    bad "an example evaluates words" "$found"
fi

# Format strings are texts of the program: all of it is compiled with these warnings, which are errors.
for flag in -Wformat=2 -Wmissing-format-attribute; do
    expect "$flag" grep -q -- "$flag" "$root/cmake/flags.cmake"
done
printf '#include <stdio.h>\nvoid f(const char *t);\nvoid f(const char *t) { printf(t); }\n' >format.c
printf '#include <stdio.h>\nvoid f(const char *t, int i);\nvoid f(const char *t, int i) { printf(t, i); }\n' >nonliteral.c
for file in format nonliteral; do
    check
    last="$CC $file.c"
    if "$CC" -Wall -Wformat=2 -Werror -c $file.c -o format.o 2>/dev/null; then bad "a format from data compiles"; fi
done

done_testing
