/*
 * Signals: Ctrl-C asks the work to stop, which it does at the next report of progress, leaving nothing
 * behind. Work that cannot come round to that, because it waits for input, is ended after a moment; a second
 * signal ends the program at once. Outputs have no name before they are complete, so neither leaves half a
 * file.
 */
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE = 2 /* seconds */ };

static volatile sig_atomic_t seen;

static void note(int number)
{
    if (seen) return;
    seen = number;
    alarm(PATIENCE);
}

static char last_words[64];

static void give_up(int number)
{
    (void)number;
    if (cli_progress_shown()) (void)!write(STDERR_FILENO, "\n", 1);
    (void)!write(STDERR_FILENO, last_words, strlen(last_words));
    _exit(128 + seen);
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

void cli_signals_install(const cli_command *command)
{
    snprintf(last_words, sizeof last_words, "scadyg %s: stopped\n", command->name);
    int once = (int)SA_RESETHAND; /* the second one is the system's */
    handle(SIGINT, note, once);
    handle(SIGTERM, note, once);
    handle(SIGALRM, give_up, 0);
    handle(SIGPIPE, SIG_DFL, 0); /* a reader that has seen enough ends the program without a word */
}

int cli_signal_seen(void)
{
    return seen;
}
