/* The events a command works on, straight from an events file or through a cache of a text log; with a model. */
#include "cli/open_events.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/describe.h"

#define ENDING ".scadyg-cache.events"

/* The folder of a path with its slash, as a length. */
static int folder_length(const char *path)
{
    return (int)(cli_file_name(path) - path);
}

static int folder_writable(const char *path)
{
    char *folder = strndup(path, (size_t)folder_length(path));
    int writable = folder && access(*folder ? folder : ".", W_OK | X_OK) == 0;
    free(folder);
    return writable;
}

/* In another folder, logs of the same name must not be taken for each other: the name holds where the log is. */
static char *cache_elsewhere(const char *log, const char *beside)
{
    char *real = realpath(log, NULL), *name = NULL;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *c = real ? real : log; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    free(real);
    int length = asprintf(&name, "%.*s%s.%08x" ENDING, folder_length(beside), beside, cli_file_name(log),
                          (unsigned)(hash ^ hash >> 32));
    return length < 0 ? NULL : name;
}

/* Opens the cache if it was made from the log as it is now. */
static int open_fresh(const char *cache, const struct stat *log, scadyg_events **events)
{
    struct stat status;
    return stat(cache, &status) == 0 && status.st_mtim.tv_sec == log->st_mtim.tv_sec &&
           status.st_mtim.tv_nsec == log->st_mtim.tv_nsec && scadyg_events_open(cache, events, NULL) == SCADYG_OK;
}

/* The cache gets the log's time from before the reading: a log that changes meanwhile is read again next time. */
static int make_cache(const cli_call *call, const char *log, const char *cache, const struct stat *before,
                      FILE *told)
{
    scadyg_import_report *report = NULL;
    int code = CLI_OK;
    const double began = sg_seconds();
    int status = scadyg_import(call->context, &log, 1, cache, NULL, &report, call->error);
    cli_progress_erase();
    if (status == SCADYG_E_INPUT || status == SCADYG_E_LAYOUT)
        code = cli_fail(call->command, "%s (import it first: scadyg import %s -o X.events)", call->error->message,
                        log);
    else if (status)
        code = cli_failed(call, cache);
    if (!code) {
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, before->st_mtim};
        (void)utimensat(AT_FDCWD, cache, times, 0); /* else it is only made again */
    }
    if (!code && told)
        fprintf(told, "%sread        %s into %s, %.2f s\n", told == stdout ? report->layout : "", log, cache,
                sg_seconds() - began);
    scadyg_import_report_free(report);
    return code;
}

static int open_log(const cli_call *call, const char *log, const char *beside, FILE *told, scadyg_events **events)
{
    struct stat status;
    if (stat(log, &status)) return cli_fail(call->command, "cannot open %s: %s", log, strerror(errno));
    char *places[2] = {NULL, cache_elsewhere(log, beside)};
    int code = CLI_OK;
    if (asprintf(&places[0], "%s" ENDING, log) < 0) places[0] = NULL;
    const char *used = NULL;
    for (int i = 0; i < 2 && !used; i++)
        if (places[i] && open_fresh(places[i], &status, events)) used = places[i];
    if (used && told == stdout) fprintf(told, "read        %s, made from %s earlier\n", used, log);
    if (!used) {
        used = folder_writable(log) ? places[0] : places[1];
        code = used ? make_cache(call, log, used, &status, told) : cli_fail(call->command, "not enough memory");
        if (!code && scadyg_events_open(used, events, call->error)) code = cli_failed(call, NULL);
    }
    free(places[0]);
    free(places[1]);
    return code;
}

int cli_events_open(const cli_call *call, const char *path, const char *beside, FILE *told, scadyg_events **events)
{
    scadyg_error error = {0};
    if (strcmp(path, "-") == 0)
        return cli_usage(call->command, "standard input cannot be read twice; scadyg import - makes a file of it");
    int status = scadyg_events_open(path, events, &error);
    if (status == SCADYG_OK) return CLI_OK;
    /* Not an events file: a log, unless its name says otherwise. */
    if (status == SCADYG_E_FORMAT && !cli_ends_with(path, ".events") && !cli_ends_with(path, ".scadyg"))
        return open_log(call, path, beside, told, events);
    return cli_fail_error(call->command, &error, NULL);
}

/* ---- A model with events ---- */

int cli_session_open(const cli_call *call, cli_session *session)
{
    static const char *const what[] = {"model file", "events file"};
    const cli_common *common = call->arguments;
    const char *operands[2];
    *session = (cli_session){0};
    int code = cli_operands(call, what, 2, operands);
    if (code) return code;
    session->model_path = operands[0];
    session->events_path = operands[1];
    if (scadyg_model_open(session->model_path, &session->model, call->error)) return cli_failed(call, NULL);
    session->info = scadyg_model_look(session->model);
    code = cli_events_open(call, session->events_path, session->model_path, common->quiet ? NULL : stderr,
                           &session->events);
    if (!code) session->shape = scadyg_events_shape(session->events);
    return code;
}

static int check_task(const cli_call *call, const cli_session *session, const char *task)
{
    if (!task || strcmp(session->info->task, task) == 0) return CLI_OK;
    return cli_fail(call->command, "%s is a model of the task %s; what it can do is scadyg %s, embed and eval",
                    session->model_path, session->info->task,
                    strcmp(session->info->task, "link") == 0 ? "predict and rank" : "affinity");
}

int cli_time_parse(const cli_call *call, const scadyg_shape *shape, const char *text, double *at)
{
    *at = nextafter(shape->last_time, INFINITY);
    if (text && scadyg_time_parse(shape->time_kind, text, at, call->error))
        return cli_usage(call->command, "--at: %s", call->error->message);
    return CLI_OK;
}

static int check_time(const cli_call *call, const cli_session *session, const char *text)
{
    if (session->at >= session->shape->first_time) return CLI_OK;
    return cli_fail(call->command, "--at: %s lies before the first event, at %s; nothing is known by then", text,
                    cli_time(session->shape, session->shape->first_time));
}

int cli_session_predict(const cli_call *call, const char *task, const char *at, cli_session *session)
{
    int code = cli_session_open(call, session);
    if (!code) code = check_task(call, session, task);
    if (!code) code = cli_time_parse(call, session->shape, at, &session->at);
    session->at_end = !at;
    if (!code) code = check_time(call, session, at);
    if (!code &&
        scadyg_predictor_open(call->context, session->model, session->events, &session->predictor, call->error))
        code = cli_failed(call, NULL);
    return code;
}

void cli_session_close(cli_session *session)
{
    scadyg_predictor_close(session->predictor);
    scadyg_events_close(session->events);
    scadyg_model_close(session->model);
}

int cli_session_node(const cli_call *call, const cli_session *session, const char *id, uint32_t *node)
{
    if (scadyg_node_find(session->events, id, node, call->error)) return cli_failed(call, NULL);
    return CLI_OK;
}

void cli_session_heading(const cli_session *session, const char *what)
{
    printf("%s %s %s\n\n", what, session->at_end ? "just after the last event, at" : "at",
           cli_time(session->shape, session->at_end ? session->shape->last_time : session->at));
}
