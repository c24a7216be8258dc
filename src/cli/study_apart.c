/*
 * Runs in processes of their own, and on the first part of the events: what one run holds in memory is then its own, and
 * not what an earlier one left behind.
 */
#include "study.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- The first part of the events ---- */

static uint64_t events_of(const study *s, double share)
{
    return (uint64_t)floor(share * (double)scadyg_events_shape(s->events)->events);
}

void study_set_sizes(study *s)
{
    for (size_t i = 0; i < s->variant_count; i++)
        if (s->kind->apart) s->variants[i].x = (double)events_of(s, s->variants[i].share);
}

int study_events_open(const study *s, const study_variant *variant, scadyg_events **events)
{
    scadyg_error error = {0};
    *events = s->events;
    if (variant->share >= 1) return CLI_OK;
    char *path = study_path(s, "runs/first-%.0f.events", variant->x);
    if (!path) return CLI_FAILURE;
    int status = SCADYG_OK;
    if (!train_exists(path)) status = scadyg_events_first(s->events, (uint64_t)variant->x, path, &error);
    if (!status) status = scadyg_events_open(path, events, &error);
    free(path);
    return status ? cli_fail_error(s->call->command, &error, NULL) : CLI_OK;
}

void study_events_close(const study *s, scadyg_events *events)
{
    if (events != s->events) scadyg_events_close(events);
}

/* They can be made again, and may be large. */
void study_remove_parts(const study *s)
{
    for (size_t i = 0; i < s->variant_count; i++) {
        if (s->variants[i].share >= 1) continue;
        char *path = study_path(s, "runs/first-%.0f.events", s->variants[i].x);
        if (path) unlink(path);
        free(path);
    }
}

/* ---- Memory ---- */

/* The most that this program ever held. What the system counts per process may be of the program before it. */
double study_peak_memory(void)
{
    char line[256];
    unsigned long long kilobytes = 0;
    struct rusage usage;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %llu kB", &kilobytes) == 1) break;
    if (status) fclose(status);
    if (kilobytes) return 1024.0 * (double)kilobytes;
    return getrusage(RUSAGE_SELF, &usage) ? NAN : 1024.0 * (double)usage.ru_maxrss;
}

/* ---- Another process ---- */

/* A file of the system whose length is not known before it is read. */
static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t room = 0, used = 0, got = 1;
    while (file && got) {
        if (room - used < 4096) {
            char *grown = realloc(text, room += 65536);
            if (!grown) break;
            text = grown;
        }
        got = fread(text + used, 1, room - used, file);
        used += got;
    }
    const int whole = file && !got && !ferror(file);
    if (file) fclose(file);
    if (!whole) {
        free(text);
        return NULL;
    }
    *length = used;
    return text;
}

/* The command line of this process, with --only NAME behind the name of the command. Free both. */
static char **words_for(const char *name, char **block)
{
    static char only[] = "--only", quiet[] = "--quiet";
    size_t length = 0, count = 0, next = 0;
    *block = read_whole("/proc/self/cmdline", &length);
    char **words = *block ? calloc(length + 4, sizeof *words) : NULL;
    for (char *at = *block; words && at < *block + length; at += strlen(at) + 1) {
        words[next++] = at;
        if (++count != 2) continue;
        words[next++] = quiet;
        words[next++] = only;
        words[next++] = (char *)(uintptr_t)name;
    }
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
    if (WIFSIGNALED(status))
        return cli_fail(s->call->command, "the run %s was ended by signal %d", name, WTERMSIG(status));
    if (cli_signal_seen()) return 128 + cli_signal_seen();
    return WEXITSTATUS(status);
}

int study_apart(const study *s, const char *name)
{
    char *block = NULL, **words = words_for(name, &block);
    pid_t child;
    int code;
    fflush(stdout);
    if (!words)
        code = cli_fail(s->call->command, "cannot read the command line of this process");
    else if ((code = posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ)))
        code = cli_fail(s->call->command, "cannot start a run: %s", strerror(code));
    else
        code = wait_for(s, child, name);
    free(words);
    free(block);
    return code;
}

void study_follow_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
}
