/*
 * What the terminal shows beside the result: the one line on standard error that says what went wrong, with the exit code
 * that goes with it, being stopped, and the progress line.
 */
#include "base/letters.h"
#include "cli/cli.h"
#include "cli/describe.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* File names and ids may hold anything; a message is one line all the same. */
static void print_line(const cli_command *command, const char *text)
{
    char line[2048];
    snprintf(line, sizeof line, "%s", text);
    sg_text_calm(line);
    cli_progress_erase();
    fflush(stdout);
    if (command)
        fprintf(stderr, "scadyg %s: %s\n", command->name, line);
    else
        fprintf(stderr, "scadyg: %s\n", line);
}

/* What all three do with their words. */
#define PRINT_FORMATTED(command, format)                                                                           \
    do {                                                                                                           \
        char text[2048];                                                                                           \
        va_list arguments;                                                                                         \
        va_start(arguments, format);                                                                               \
        vsnprintf(text, sizeof text, format, arguments);                                                           \
        va_end(arguments);                                                                                         \
        print_line(command, text);                                                                                 \
    } while (0)

int cli_usage(const cli_command *command, const char *format, ...)
{
    PRINT_FORMATTED(command, format);
    return CLI_USAGE;
}

int cli_fail(const cli_command *command, const char *format, ...)
{
    PRINT_FORMATTED(command, format);
    return CLI_FAILURE;
}

void cli_note(const cli_command *command, const char *format, ...)
{
    PRINT_FORMATTED(command, format);
}

int cli_fail_error(const cli_command *command, const scadyg_error *error, const char *output)
{
    if (error->status == SCADYG_E_CANCELLED && cli_signal_seen()) {
        print_line(command, output ? "stopped, nothing written" : "stopped");
        return 128 + cli_signal_seen();
    }
    print_line(command, error->message[0] ? error->message : scadyg_status_name(error->status));
    return error->status == SCADYG_E_USAGE ? CLI_USAGE : CLI_FAILURE;
}

int cli_failed(const cli_call *call, const char *output)
{
    return cli_fail_error(call->command, call->error, output);
}

static const cli_command *running; /* NULL: none yet */

void cli_out_of_memory(void)
{
    print_line(running, "not enough memory");
    _exit(CLI_FAILURE);
}

int cli_finish(const cli_command *command, int code)
{
    cli_progress_erase();
    errno = 0;
    int failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code != CLI_OK) return code;
    return cli_fail(command, "cannot write standard output: %s", errno ? strerror(errno) : "write error");
}

/* ---- Signals ----
 *
 * Ctrl-C cancels the context, and the work with it ends soon, leaving nothing behind. Work that cannot come round to
 * that, because it waits for input, is ended after a moment; a second signal ends the program at once. Outputs have no
 * name before they are complete, so neither leaves half a file.
 *
 * Files are read through mappings. The library notices what is done to them between two pieces of work; a page that is gone
 * in the middle of one is a bus error, which ends the program with a sentence too.
 */

enum { PATIENCE = 2 /* seconds */ };

static volatile sig_atomic_t seen;
static scadyg_context *working; /* set before any signal is handled */
static char last_words[64], bus_words[160];

static void stop_work(int number)
{
    if (seen) return;
    seen = number;
    scadyg_context_cancel(working);
    alarm(PATIENCE);
}

static void leave(const char *words, int code)
{
    if (cli_progress_shown()) (void)!write(STDERR_FILENO, "\n", 1);
    (void)!write(STDERR_FILENO, words, strlen(words));
    _exit(code);
}

static void give_up(int number)
{
    (void)number;
    leave(last_words, 128 + seen);
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

/* In whichever thread touched the page, and the first of them alone: another that touches one meanwhile waits for the end. Any
 * other bus error is a fault of the program and takes its usual way. */
static void lose_page(int number, siginfo_t *facts, void *context)
{
    static atomic_flag is_leaving = ATOMIC_FLAG_INIT;
    (void)context;
    if (facts->si_code == BUS_ADRERR && atomic_flag_test_and_set(&is_leaving))
        for (;;) pause();
    if (facts->si_code == BUS_ADRERR) leave(bus_words, CLI_FAILURE);
    handle(number, SIG_DFL, 0);
    raise(number);
}

static void handle_bus_errors(const cli_command *command)
{
    struct sigaction action;
    snprintf(bus_words, sizeof bus_words,
             "scadyg %s: a file was truncated while it was being read, or its disk failed\n", command->name);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = lose_page;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, NULL);
}

void cli_signals_install(const cli_command *command, scadyg_context *context)
{
    working = context;
    running = command;
    snprintf(last_words, sizeof last_words, "scadyg %s: stopped\n", command->name);
    const int once = (int)SA_RESETHAND; /* the second one is the system's */
    handle(SIGINT, stop_work, once);
    handle(SIGTERM, stop_work, once);
    handle(SIGALRM, give_up, 0);
    handle_bus_errors(command);
    handle(SIGPIPE, SIG_DFL, 0); /* a reader that has seen enough ends the program without a word */
}

/* Nothing is left to stop. */
void cli_signals_remove(void)
{
    handle(SIGINT, SIG_DFL, 0);
    handle(SIGTERM, SIG_DFL, 0);
}

int cli_signal_seen(void)
{
    return seen;
}

/* ---- The progress line: on a terminal only, at most ten times a second, wiped away at the end ---- */

static struct {
    char what[64];
    double began;   /* when `what` began */
    double drawn;   /* when the line was last drawn */
    size_t columns; /* how much of the line is in use */
} line;

void cli_progress_erase(void)
{
    if (line.columns == 0) return;
    fprintf(stderr, "\r%*s\r", (int)line.columns, "");
    fflush(stderr);
    line.columns = 0;
}

int cli_progress_shown(void)
{
    return line.columns > 0;
}

static void clock_text(double seconds, char text[CLI_TEXT])
{
    unsigned long s = seconds < 1e8 ? (unsigned long)(seconds + 0.5) : 100000000ul;
    if (s >= 3600)
        snprintf(text, CLI_TEXT, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, CLI_TEXT, "%lu:%02lu", s / 60, s % 60);
}

static void draw_line(const char *what, uint64_t done, uint64_t total, double elapsed)
{
    char text[256], left[CLI_TEXT];
    double speed = elapsed > 0 ? (double)done / elapsed : 0;
    const char *rate = cli_rate(speed);
    if (total > 0 && done <= total) {
        clock_text(speed > 0 ? (double)(total - done) / speed : 0, left);
        snprintf(text, sizeof text, "%s  %3.0f %%  %s/s  %s left", what, 100.0 * (double)done / (double)total, rate,
                 left);
    } else {
        snprintf(text, sizeof text, "%s  %s  %s/s", what, cli_count(done), rate);
    }
    size_t width = cli_terminal_width(STDERR_FILENO), length = strlen(text);
    if (length >= width) text[length = width - 1] = 0;
    size_t wipe = line.columns > length ? line.columns - length : 0;
    fprintf(stderr, "\r%s%*s", text, (int)wipe, "");
    fflush(stderr);
    line.columns = length;
}

/* Stopping is the context's business: a signal cancels it. */
static int show_progress(void *data, const char *what, uint64_t done, uint64_t total)
{
    (void)data;
    const double now = sg_seconds();
    if (strncmp(line.what, what, sizeof line.what - 1) != 0) {
        snprintf(line.what, sizeof line.what, "%s", what);
        line.began = now;
    }
    /* What is over in a moment needs no line. */
    if (now - line.drawn < 0.1 || (now - line.began < 0.3 && line.columns == 0)) return 0;
    line.drawn = now;
    draw_line(what, done, total, now - line.began);
    return 0;
}

void cli_progress_begin(scadyg_context *context, const cli_common *common)
{
    if (!common->quiet && isatty(STDERR_FILENO)) scadyg_context_set_progress(context, show_progress, NULL);
}
