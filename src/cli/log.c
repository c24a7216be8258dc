/* The events a command works on, straight from an events file or through a cache of a text log. */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shape.h"

#define ENDING ".scadyg-cache.events"

static int ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of a path with its slash, as a length. */
static int folder_length(const char *path)
{
    return (int)(last_part(path) - path);
}

static int folder_writable(const char *path)
{
    char *folder = strndup(path, (size_t)folder_length(path));
    int writable = folder && access(*folder ? folder : ".", W_OK | X_OK) == 0;
    free(folder);
    return writable;
}

static char *cache_beside(const char *log)
{
    char *name = NULL;
    return asprintf(&name, "%s" ENDING, log) < 0 ? NULL : name;
}

/* In another folder, logs of the same name must not be taken for each other: the name holds where the log is. */
static char *cache_elsewhere(const char *log, const char *beside)
{
    char *real = realpath(log, NULL), *name = NULL;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = real ? real : log; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    free(real);
    int length = asprintf(&name, "%.*s%s.%08x" ENDING, folder_length(beside), beside, last_part(log),
                          (unsigned)(hash ^ hash >> 32));
    return length < 0 ? NULL : name;
}

/* Whether the cache was made from the log as it is now. */
static int is_fresh(const char *cache, const struct stat *log)
{
    struct stat status;
    return stat(cache, &status) == 0 && status.st_mtim.tv_sec == log->st_mtim.tv_sec &&
           status.st_mtim.tv_nsec == log->st_mtim.tv_nsec;
}

static int open_fresh(const char *cache, const struct stat *log, scadyg_events **events)
{
    return is_fresh(cache, log) && scadyg_events_open(cache, events, NULL) == SCADYG_OK;
}

/* The cache gets the log's time from before the reading: a log that changes meanwhile is read again next time. */
static int make_cache(const cli_call *call, const char *log, const char *cache, const struct stat *before,
                      FILE *told)
{
    size_t count = 0;
    const scadyg_option *table = scadyg_import_option_table(&count);
    scadyg_import_options options = {0};
    scadyg_import_report report = {0};
    scadyg_error error = {0};
    scadyg_options_default(table, count, &options);
    int code = CLI_OK, status;
    double began = cli_seconds();
    status = scadyg_import(&log, 1, cache, &options, cli_progress(call->arguments), &report, &error);
    cli_progress_erase();
    if (status == SCADYG_E_INPUT || status == SCADYG_E_LAYOUT)
        code = cli_fail(call->command, "%s (import it first: scadyg import %s -o X.events)", error.message, log);
    else if (status)
        code = cli_fail_error(call->command, &error, cache);
    if (!code) {
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, before->st_mtim};
        (void)utimensat(AT_FDCWD, cache, times, 0); /* else it is only made again */
    }
    if (!code && told)
        fprintf(told, "%sread        %s into %s, %.2f s\n", told == stdout && report.layout ? report.layout : "",
                log, cache, cli_seconds() - began);
    scadyg_import_report_free(&report);
    return code;
}

static int open_log(const cli_call *call, const char *log, const char *beside, FILE *told, scadyg_events **events)
{
    struct stat status;
    if (stat(log, &status)) return cli_fail(call->command, "cannot open %s: %s", log, strerror(errno));
    char *places[2] = {cache_beside(log), cache_elsewhere(log, beside)};
    int code = CLI_OK;
    const char *used = NULL;
    for (int i = 0; i < 2 && !used; i++)
        if (places[i] && open_fresh(places[i], &status, events)) used = places[i];
    if (used && told == stdout) fprintf(told, "read        %s, made from %s earlier\n", used, log);
    if (!used) {
        scadyg_error error = {0};
        used = folder_writable(log) ? places[0] : places[1];
        code = used ? make_cache(call, log, used, &status, told) : cli_fail(call->command, "not enough memory");
        if (!code && scadyg_events_open(used, events, &error)) code = cli_fail_error(call->command, &error, NULL);
    }
    free(places[0]);
    free(places[1]);
    return code;
}

int cli_log_open(const cli_call *call, const char *path, const char *beside, FILE *told, scadyg_events **events)
{
    scadyg_error error = {0};
    if (strcmp(path, "-") == 0)
        return cli_usage(call->command, "standard input cannot be read twice; scadyg import - makes a file of it");
    int status = scadyg_events_open(path, events, &error);
    if (status == SCADYG_OK) return CLI_OK;
    /* Not an events file: a log, unless its name says otherwise. */
    if (status == SCADYG_E_FORMAT && !ends_with(path, ".events") && !ends_with(path, ".scadyg"))
        return open_log(call, path, beside, told, events);
    return cli_fail_error(call->command, &error, NULL);
}
