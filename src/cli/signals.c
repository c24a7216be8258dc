/*
 * Signals: Ctrl-C asks the work to stop, which it does at the next report of progress, leaving nothing
 * behind. A second one ends the program at once.
 */
#include "cli.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen;

static void note(int number) {
    if (!seen) seen = number;
}

void cli_signals_install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    action.sa_flags = (int)SA_RESETHAND; /* the second one is the system's */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_DFL); /* a reader that has seen enough ends the program without a word */
}

int cli_signal_seen(void) {
    return seen;
}
