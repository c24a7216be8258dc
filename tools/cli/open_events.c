/* The events a command works on, straight from an events file or through a cache of a text log; with a model. */
#include "cli/open_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "scadyg_live.h"
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

/* Nothing there, or an older cache: a link or a pipe is left alone. */
static int is_free(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) != 0 || S_ISREG(facts.st_mode);
}

static const char *why_anew(const cli_call *call, int older)
{
    if (!older) return "";
    return call->of_log ? "; the cache that was there was not of the log as it is now with these options"
                        : "; the cache that was there was not of the log as it is now";
}

/* As many of its words as fit into a line. */
static size_t fit_words(const char *text, size_t length, size_t width)
{
    size_t fit = length;
    if (length <= width) return length;
    for (fit = width; fit > 0 && text[fit] != ' ';) fit--;
    return fit ? fit : length;
}

/* The reason, in brackets, begins a line of its own where the decision fits into one. */
void cli_roles_print(const char *sentence, int indent, int width)
{
    const char *reason = strstr(sentence, " (");
    const size_t room = 79 - (size_t)(indent + width), decision = reason ? (size_t)(reason - sentence) : SIZE_MAX;
    for (size_t at = 0, length = strlen(sentence); at < length;) {
        const size_t end = at < decision && decision <= room ? decision : length;
        const size_t fit = fit_words(sentence + at, end - at, room);
        printf("%*s%-*s %s\n", indent, "", width, at ? "" : "roles",
               cli_safe(cli_text("%.*s", (int)fit, sentence + at)));
        at += fit;
        while (sentence[at] == ' ') at++;
    }
}

static void tell_made(const cli_call *call, const scadyg_import_report *report, const char *log, const char *cache,
                      double seconds, int older, FILE *told)
{
    if (report->bad) cli_bad_rows_tell(call, report, "skipped");
    fprintf(told, "%sread        %s into %s, %.2f s%s\n", told == stdout ? report->layout : "", log, cache, seconds,
            why_anew(call, older));
    if (told != stdout) return;
    cli_roles_print(report->roles, 0, 11);
    cli_left_out_print(report, 12);
    cli_checks_print(report);
}

static int make_cache(const cli_call *call, const char *log, const char *cache, FILE *told, scadyg_events **events)
{
    scadyg_import_report *report = NULL;
    const double began = sg_seconds();
    const int older = sg_exists(cache);
    const scadyg_options *reading = call->tables.log;
    int status = scadyg_cache_make(call->context, &log, 1, reading, cache, &report, call->error);
    if (!status) status = scadyg_cache_open(call->context, &log, 1, reading, cache, events, call->error);
    if (!status && !*events)
        status = sg_fail(call->error, SCADYG_E_IO, "%s changed while it was being read; run this again", log);
    cli_progress_erase();
    if (!status && told) tell_made(call, report, log, cache, sg_seconds() - began, older, told);
    scadyg_import_report_free(report);
    if (status == SCADYG_E_INPUT)
        return cli_fail(call->command, "%s (scadyg import --dry-run %s shows how it is understood)",
                        call->error->message, log);
    return status ? cli_failed(call, cache) : CLI_OK;
}

/* What import reads of its own accord is an input like any other. */
typedef struct input_check {
    const cli_call *call;
    int code;
} input_check;

static void check_input(void *data, const char *path)
{
    input_check *check = data;
    if (!check->code) check->code = cli_reads(check->call, path);
}

int cli_reads_import(const cli_call *call, const char *const *files, size_t count, const scadyg_options *options)
{
    input_check check = {.call = call};
    if (scadyg_import_inputs(files, count, options, check_input, &check, call->error))
        return cli_failed(call, NULL);
    return check.code;
}

/* What the columns of a text log say is known without reading all of it; else what was decided is in its cache. */
int cli_roles_of(const cli_call *call, const char *path, scadyg_events *events, char sentence[CLI_ROLES],
                 scadyg_error *error)
{
    scadyg_events *itself = NULL;
    scadyg_import_report *report = NULL;
    *sentence = 0;
    if (scadyg_events_open(path, &itself, NULL) &&
        !scadyg_import_look(call->context, path, call->tables.log, &report, NULL))
        snprintf(sentence, CLI_ROLES, "%s", report->roles);
    scadyg_events_close(itself);
    scadyg_import_report_free(report);
    return *sentence ? SCADYG_OK : scadyg_events_roles(call->context, events, sentence, CLI_ROLES, error);
}

static int print_roles(const cli_call *call, const char *path, scadyg_events *events)
{
    char sentence[CLI_ROLES];
    if (cli_roles_of(call, path, events, sentence, call->error)) return cli_failed(call, NULL);
    cli_roles_print(sentence, 0, 11);
    return CLI_OK;
}

int cli_roles_tell(const cli_call *call, const char *path, scadyg_events *events)
{
    scadyg_events *itself = NULL;
    if (scadyg_events_open(path, &itself, NULL)) return CLI_OK;
    scadyg_events_close(itself);
    return print_roles(call, path, events);
}

static int open_cached(const cli_call *call, const char *log, char *const places[2], FILE *told,
                       scadyg_events **events)
{
    const char *used = NULL;
    for (int i = 0; i < 2 && !used; i++) {
        if (scadyg_cache_open(call->context, &log, 1, call->tables.log, places[i], events, call->error))
            return cli_failed(call, NULL);
        if (*events) used = places[i];
    }
    cli_progress_erase();
    if (used) {
        int code = cli_reads(call, used);
        const uint64_t bad = scadyg_cache_bad_rows(*events);
        if (!code && told) fprintf(told, "read        %s, made from %s earlier\n", used, log);
        if (!code && told && bad)
            cli_note(call->command, "%s bad row%s of %s %s skipped", cli_count(bad), sg_plural(bad), log,
                     bad == 1 ? "was" : "were");
        return code || told != stdout ? code : print_roles(call, log, *events);
    }
    used = folder_writable(log) && is_free(places[0]) ? places[0] : places[1];
    int code = cli_writes(call, NULL, used);
    return code ? code : make_cache(call, log, used, told, events);
}

static int open_log(const cli_call *call, const char *log, const char *beside, FILE *told, scadyg_events **events)
{
    char *places[2] = {NULL, cache_elsewhere(log, beside)};
    if (asprintf(&places[0], "%s" ENDING, log) < 0) places[0] = NULL;
    int code = places[0] && places[1] ? cli_reads_import(call, &log, 1, call->tables.log)
                                      : cli_fail(call->command, "not enough memory for a file name");
    if (!code) code = open_cached(call, log, places, told, events);
    free(places[0]);
    free(places[1]);
    return code;
}

/* What an events file holds was settled when it was made. */
static int refuse_of_log(const cli_call *call, const char *path)
{
    return cli_usage(call->command, "--%s says how a text log is read; %s is an events file, which has been read",
                     call->of_log->name, path);
}

/* ---- As the log of a model was read ---- */

static int was_typed(const cli_call *call, const char *name)
{
    for (size_t i = 0; i < call->log_given_count; i++)
        if (strcmp(call->log_given[i].option->name, name) == 0) return 1;
    return 0;
}

/* --columns gives all roles in order: with it typed, what was said of single columns is said anew; and the other way round. */
static int is_replaced(const cli_call *call, const char *name)
{
    static const char *const single[] = {"src", "dst", "time", "weight", "features", "label"};
    for (size_t k = 0; k < CLI_COUNT(single); k++) {
        if (strcmp(name, "columns") == 0 && was_typed(call, single[k])) return 1;
        if (strcmp(name, single[k]) == 0 && was_typed(call, "columns")) return 1;
    }
    return was_typed(call, name);
}

/* One option of a model's log; what is taken is written as it could be typed. */
static int read_as(const cli_call *call, scadyg_options *options, const char *name, const char *value, FILE *words)
{
    const scadyg_option *option = cli_option_find(options, name);
    if (!option || is_replaced(call, name)) return SCADYG_OK;
    fprintf(words, " --%s", name);
    if (option->type != SCADYG_OPTION_FLAG) {
        putc(' ', words);
        cli_put_word(words, value);
    }
    return scadyg_options_set(options, name, value, call->error);
}

int cli_read_as(const cli_call *call, scadyg_options *options, const char *reading, const char *what)
{
    char *lines = strdup(reading), *typed = NULL;
    size_t size;
    FILE *words = open_memstream(&typed, &size);
    int status = SCADYG_OK;
    for (char *line = lines; words && line && *line && !status;) {
        char *end = line + strcspn(line, "\n"), *equals = strchr(line, '=');
        char *next = *end ? end + 1 : end;
        *end = 0;
        if (equals) *equals = 0;
        if (equals) status = read_as(call, options, line, equals + 1, words);
        line = next;
    }
    const int failed = !lines || !words || fclose(words) != 0;
    if (!status && !failed && what && *typed) cli_note(call->command, "%s:%s", what, typed);
    free(lines);
    free(typed);
    if (failed) return cli_fail(call->command, "not enough memory for the options");
    return status ? cli_failed(call, NULL) : CLI_OK;
}

int cli_events_open(const cli_call *call, const char *path, const char *beside, FILE *told, scadyg_events **events)
{
    return cli_events_open_as(call, path, beside, told, "", events);
}

int cli_events_open_as(const cli_call *call, const char *path, const char *beside, FILE *told, const char *reading,
                       scadyg_events **events)
{
    scadyg_error error = {0};
    if (strcmp(path, "-") == 0)
        return cli_usage(call->command, "standard input cannot be read twice; scadyg import - makes a file of it");
    int status = scadyg_events_open(path, events, &error);
    if (status == SCADYG_OK && call->of_log) {
        scadyg_events_close(*events);
        *events = NULL;
        return refuse_of_log(call, path);
    }
    if (status == SCADYG_OK) return CLI_OK;
    /* Not an events file: a log, unless its name says otherwise. */
    if (status == SCADYG_E_FORMAT && !cli_ends_with(path, ".events") && !cli_ends_with(path, ".scadyg")) {
        const char *what = told ? cli_text("%s is read as the model's log was", path) : NULL;
        int code = cli_read_as(call, call->tables.log, reading, what);
        return code ? code : open_log(call, path, beside, told, events);
    }
    return cli_fail_error(call->command, &error, NULL);
}

int cli_events_check(const cli_call *call, const scadyg_events *events, int code)
{
    if (code == CLI_OK && scadyg_events_check(events, call->error)) code = cli_failed(call, NULL);
    return code;
}

/* ---- A model with events ---- */

static const char *name_roles(int separate)
{
    return separate ? "separate" : "of one kind";
}

int cli_roles_check(const cli_call *call, const scadyg_model_info *info, const char *model)
{
    const int separate = info->shape->two_id_spaces;
    const char *against = separate ? "one-kind" : "bipartite";
    if (!call->tables.log || !cli_option_is(call->tables.log, against, "1")) return CLI_OK;
    return cli_usage(call->command, "%s was trained with sources and destinations %s; leave out --%s", model,
                     name_roles(separate), against);
}

int cli_events_fit(const cli_call *call, scadyg_events *events, const char *path, const scadyg_model_info *info,
                   const char *model, int quiet)
{
    const int separate = info->shape->two_id_spaces;
    if (scadyg_events_shape(events)->two_id_spaces == separate) return CLI_OK;
    if (scadyg_events_set_roles(call->context, events, separate, call->error)) return cli_failed(call, NULL);
    cli_progress_erase();
    if (!quiet)
        cli_note(call->command,
                 "%s was trained with sources and destinations %s, so %s is read so, too; by itself it "
                 "would be read with them %s",
                 model, name_roles(separate), path, name_roles(!separate));
    return CLI_OK;
}

/* What was learned fits the labels it was learned from; others may be meant, but not unnoticed. */
static int take_labels(const cli_call *call, const cli_session *session)
{
    const cli_common *common = call->arguments;
    int match = SCADYG_LABELS_SAME;
    if (!common->labels) return CLI_OK;
    if (scadyg_model_set_labels(session->model, common->labels, &match, call->error)) return cli_failed(call, NULL);
    if (match == SCADYG_LABELS_OTHER && !common->quiet)
        cli_note(call->command, "warning: %s %s", common->labels,
                 session->info->label_lines
                     ? "is not the file of labels that the model was trained with, nor one that goes on from it"
                     : "takes the place of labels from the events, with which the model was trained");
    return CLI_OK;
}

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
    code = take_labels(call, session);
    if (code) return code;
    code = cli_roles_check(call, session->info, session->model_path);
    if (code) return code;
    code = cli_events_open_as(call, session->events_path, session->model_path, common->quiet ? NULL : stderr,
                              session->info->reading, &session->events);
    if (!code)
        code = cli_events_fit(call, session->events, session->events_path, session->info, session->model_path,
                              common->quiet);
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

int cli_time_parse(const cli_call *call, const scadyg_events *events, const char *text, double *at)
{
    scadyg_time_reader *reader = NULL;
    *at = nextafter(scadyg_events_shape(events)->last_time, INFINITY);
    if (!text) return CLI_OK;
    if (scadyg_time_reader_open(events, &reader, call->error)) return cli_failed(call, NULL);
    const int status = scadyg_time_reader_read(reader, text, at, call->error);
    scadyg_time_reader_close(reader);
    return status ? cli_usage(call->command, "--at: %s", call->error->message) : CLI_OK;
}

static int check_time(const cli_call *call, const cli_session *session, const char *text)
{
    if (session->at >= session->shape->first_time) return CLI_OK;
    return cli_fail(call->command, "--at: %s lies before the first event, at %s; nothing is known by then", text,
                    cli_time(session->shape, session->shape->first_time));
}

/* ---- The state beside a log ---- */

#define KEPT_EVENTS 100000 /* a log of fewer is followed in less time than a state takes */
#define NEWER_EVENTS 50000 /* that many more are worth writing it again */

/* X.events has X.state, another log X its X.state. NULL: none is kept. */
static char *name_state(const cli_call *call, const cli_session *session)
{
    const cli_common *common = call->arguments;
    const char *path = session->events_path;
    char *name = NULL;
    if (common->no_state || session->shape->events < KEPT_EVENTS || session->info->file_checksum == 0) return NULL;
    const size_t length = strlen(path) - (cli_ends_with(path, ".events") ? strlen(".events") : 0);
    return asprintf(&name, "%.*s.state", (int)length, path) < 0 ? NULL : name;
}

static int open_kept(const cli_call *call, cli_session *session)
{
    const cli_common *common = call->arguments;
    scadyg_kept kept = {.size = sizeof kept};
    if (scadyg_predictor_open_kept(call->context, session->model, session->events, session->state_path,
                                   &session->predictor, &kept, call->error))
        return cli_failed(call, NULL);
    cli_progress_erase();
    if (*kept.note && common->verbose)
        cli_note(call->command, "%s is not used: %s", session->state_path, kept.note);
    if (kept.known && common->verbose)
        cli_note(call->command, "%s has the state after %s events; %s more were followed", session->state_path,
                 cli_count(kept.known), cli_count(kept.followed));
    session->followed = kept.followed;
    if (kept.can) return CLI_OK;
    free(session->state_path);
    session->state_path = NULL;
    return CLI_OK;
}

void cli_session_keep(const cli_call *call, cli_session *session)
{
    const cli_common *common = call->arguments;
    scadyg_error error = {0};
    if (!session->state_path || session->followed < NEWER_EVENTS || !folder_writable(session->state_path)) return;
    fflush(stdout);
    if (scadyg_predictor_keep(session->predictor, session->state_path, &error) && !common->quiet)
        cli_note(call->command, "no state is kept: %s", error.message);
}

int cli_session_prepare(const cli_call *call, const char *task, const char *at, cli_session *session)
{
    int code = cli_session_open(call, session);
    if (!code) code = check_task(call, session, task);
    if (!code) code = cli_time_parse(call, session->events, at, &session->at);
    session->at_end = !at;
    return code ? code : check_time(call, session, at);
}

int cli_session_ask(const cli_call *call, double earliest, cli_session *session)
{
    session->state_path = earliest > session->shape->last_time ? name_state(call, session) : NULL;
    if (session->state_path) return open_kept(call, session);
    if (scadyg_predictor_open(call->context, session->model, session->events, &session->predictor, call->error))
        return cli_failed(call, NULL);
    return CLI_OK;
}

int cli_session_predict(const cli_call *call, const char *task, const char *at, cli_session *session)
{
    const int code = cli_session_prepare(call, task, at, session);
    return code ? code : cli_session_ask(call, session->at, session);
}

void cli_session_close(cli_session *session)
{
    scadyg_predictor_close(session->predictor);
    free(session->state_path);
    scadyg_events_close(session->events);
    scadyg_model_close(session->model);
}

int cli_session_node(const cli_call *call, const cli_session *session, int role, const char *id, uint32_t *node)
{
    if (scadyg_node_find(session->events, role, id, node, call->error)) return cli_failed(call, NULL);
    return CLI_OK;
}

/* Of the times of the log's text, where they have none; NULL: UTC. */
static char *find_zone(const scadyg_events *events)
{
    scadyg_time_reader *reader = NULL;
    if (scadyg_time_reader_open(events, &reader, NULL)) return NULL;
    const char *zone = scadyg_time_reader_zone(reader);
    char *copy = zone && strcmp(zone, "UTC") != 0 ? strdup(zone) : NULL;
    scadyg_time_reader_close(reader);
    return copy;
}

void cli_session_heading(const cli_session *session, const char *what)
{
    char *zone = find_zone(session->events);
    printf("%s %s %s%s\n%s\n\n", what, session->at_end ? "just after the last event, at" : "at",
           cli_time(session->shape, session->at_end ? session->shape->last_time : session->at),
           zone ? cli_text(" UTC (times that you give are of %s, as in the log)", cli_safe(zone)) : "",
           cli_session_sees(session, session->at));
    free(zone);
}

const char *cli_session_sees_in(const cli_session *session, double at, char buffer[CLI_SEES])
{
    double until;
    const uint64_t events = scadyg_sees(session->predictor, at, &until);
    if (!events)
        snprintf(buffer, CLI_SEES, "sees no events");
    else
        snprintf(buffer, CLI_SEES, "sees events up to %s (%s of %s)", cli_time(session->shape, until),
                 cli_count(events), cli_count(session->shape->events));
    return buffer;
}

int cli_session_sees_json(const cli_session *session, json_t *object)
{
    double until;
    const uint64_t events = scadyg_sees(session->predictor, session->at, &until);
    return json_object_set_new(object, "sees_until", cli_json_number(until)) |
           json_object_set_new(object, "sees_events", json_integer((json_int_t)events));
}
