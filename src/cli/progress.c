/*
 * The progress line: what, how far, how fast, how long still. Drawn on a terminal only, not more than ten
 * times a second, and wiped away at the end.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    int drawing;
    char what[64];
    double began;   /* when `what` began */
    double drawn;   /* when the line was last drawn */
    size_t columns; /* how much of the line is in use */
} line;

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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

static void draw(const char *what, uint64_t done, uint64_t total, double elapsed)
{
    char text[256], rate[CLI_TEXT], left[CLI_TEXT], count[CLI_TEXT];
    double speed = elapsed > 0 ? (double)done / elapsed : 0;
    cli_rate(speed, rate);
    if (total > 0 && done <= total) {
        clock_text(speed > 0 ? (double)(total - done) / speed : 0, left);
        snprintf(text, sizeof text, "%s  %3.0f %%  %s/s  %s left", what, 100.0 * (double)done / (double)total, rate,
                 left);
    } else {
        snprintf(text, sizeof text, "%s  %s  %s/s", what, cli_count(done, count), rate);
    }
    size_t width = cli_terminal_width(STDERR_FILENO), length = strlen(text);
    if (length >= width) text[length = width - 1] = 0;
    size_t wipe = line.columns > length ? line.columns - length : 0;
    fprintf(stderr, "\r%s%*s", text, (int)wipe, "");
    fflush(stderr);
    line.columns = length;
}

static int report(void *context, const char *what, uint64_t done, uint64_t total)
{
    (void)context;
    if (cli_signal_seen()) return 1;
    if (!line.drawing) return 0;
    double now = cli_seconds();
    if (strncmp(line.what, what, sizeof line.what - 1) != 0) {
        snprintf(line.what, sizeof line.what, "%s", what);
        line.began = now;
    }
    /* What is over in a moment needs no line. */
    if (now - line.drawn < 0.1 || (now - line.began < 0.3 && line.columns == 0)) return 0;
    line.drawn = now;
    draw(what, done, total, now - line.began);
    return 0;
}

const scadyg_progress *cli_progress(const cli_common *common)
{
    static const scadyg_progress progress = {report, NULL};
    line.drawing = !common->quiet && isatty(STDERR_FILENO);
    return &progress;
}
