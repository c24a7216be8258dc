/*
 * A run in a process of its own: what it holds in memory is then its own, and not what an earlier one left behind. This is
 * the only place where the program starts another: itself, by its own file, with the words it was given.
 */
#include "study/study.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The words of this call, with --only NAME before them. Free it. */
static char **words_for(const cli_call *call, const char *name)
{
    static char program[] = "scadyg", command[] = "study", quiet[] = "--quiet", only[] = "--only";
    char **words = calloc(call->word_count + 6, sizeof *words);
    if (!words) return NULL;
    char *first[] = {program, command, quiet, only, (char *)(uintptr_t)name};
    memcpy(words, first, sizeof first);
    memcpy(words + CLI_COUNT(first), call->words, call->word_count * sizeof *words);
    return words;
}

/* Waits, and hands on a signal that was meant for both. */
static int wait_for(const study *s, pid_t child, const char *name)
{
    int status = 0, told = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return cli_fail(s->call->command, "cannot wait for a run: %s", strerror(errno));
        if (cli_signal_seen() && !told) {
            kill(child, SIGTERM);
            told = 1;
        }
    }
    if (cli_signal_seen()) return study_stopped(s);
    if (WIFSIGNALED(status))
        return cli_fail(s->call->command, "the run %s was ended by signal %d", name, WTERMSIG(status));
    if (WEXITSTATUS(status) >= 128)
        cli_note(s->call->command, "the run %s was ended by signal %d", name, WEXITSTATUS(status) - 128);
    return WEXITSTATUS(status);
}

int study_run_apart(const study *s, const char *name)
{
    char **words = words_for(s->call, name);
    pid_t child;
    int code;
    fflush(stdout);
    if (cli_signal_seen())
        code = study_stopped(s);
    else if (!words)
        code = cli_fail(s->call->command, "not enough memory for the command line");
    else if ((code = posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ)))
        code = cli_fail(s->call->command, "cannot start a run: %s", strerror(code));
    else
        code = wait_for(s, child, name);
    free(words);
    return code;
}
