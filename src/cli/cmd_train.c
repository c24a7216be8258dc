/* scadyg train: a model from events. */
#include "train.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "result.h"
#include "session.h"
#include "shape.h"

#define FIELD(field) .offset = offsetof(train_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SCADYG_OPTION_TEXT,
     FIELD(output),
     .argument = "FILE",
     .help = "the model file to write"},
    {.name = "preset",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(preset),
     .argument = "NAME",
     .help = "a set of option values; those that are given override it"},
    {.name = "config",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(config),
     .argument = "F.json",
     .help = "option values from a file as --print-config writes it"},
    {.name = "print-config",
     .kind = SCADYG_OPTION_FLAG,
     FIELD(print_config),
     .help = "print the option values as JSON and stop"},
    {.name = "resume",
     .kind = SCADYG_OPTION_FLAG,
     FIELD(resume),
     .help = "go on from the checkpoint of a training that was stopped"},
    {.name = "json",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(json),
     .argument = "F.json",
     .help = "also write everything there: options, epochs, results"},
};

static const cli_default defaults[] = {{"output", "required"}, {NULL, NULL}};

static const char *const examples[] = {"scadyg train log.csv -o log.scadyg",
                                       "from a text log to a model, with the defaults",
                                       "scadyg train uci.events --preset paper:uci -o uci.scadyg",
                                       "as published for this dataset",
                                       "scadyg train uci.events --preset paper:uci -o uci.scadyg --resume",
                                       "go on after it was stopped",
                                       "scadyg train --preset paper:uci --epochs 5 --print-config > mine.json",
                                       "options to keep, for --config mine.json",
                                       NULL};

/* One run. */
typedef struct training {
    const cli_call *call;
    const train_arguments *arguments;
    const char *path; /* of the events */
    char *checkpoint;
    scadyg_events *events;
    scadyg_model *model;
    json_t *results;
    train_watch watch;
    double began;
} training;

/* Better before an hour of training than after it. */
static int check_folder(const cli_call *call, const char *output)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
    int reachable = folder && access(folder, W_OK | X_OK) == 0;
    int reason = errno;
    free(folder);
    return reachable ? CLI_OK : cli_fail(call->command, "cannot write %s: %s", output, strerror(reason));
}

static int check(const cli_call *call, const char **path)
{
    const train_arguments *arguments = call->arguments;
    scadyg_error error = {0};
    int code = cli_one_operand(call, "events file", path);
    if (code) return code;
    if (!arguments->output) return cli_usage(call->command, "no output file given; add -o M.scadyg");
    if (strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "a model cannot go to standard output; give -o M.scadyg");
    code = cli_check_output(call, arguments->output, path, 1);
    if (!code && arguments->json) {
        if (strcmp(arguments->json, arguments->output) == 0)
            return cli_usage(call->command, "--json and --output are the same file; give two names");
        code = cli_check_output(call, arguments->json, path, 1);
    }
    if (!code && scadyg_train_check(&arguments->train, &error)) code = cli_fail_error(call->command, &error, NULL);
    return code ? code : check_folder(call, arguments->output);
}

static int exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* --json - leaves standard output to the JSON. */
static int is_silent(const train_arguments *arguments)
{
    return arguments->common.quiet || (arguments->json && strcmp(arguments->json, "-") == 0);
}

static void tell(const training *t, const char *label, const char *text)
{
    if (!is_silent(t->arguments)) printf("%-11s %s\n", label, text);
}

/* How the options cut time into parts. */
static void split_text(const scadyg_train_options *train, char *text, size_t size)
{
    double rest = 1 - train->train_share - train->validation_share;
    snprintf(text, size, "%s: %.4g %% training, %.4g %% validation, %.4g %% test",
             train->split == 0 ? "by steps" : "by time", 100 * train->train_share, 100 * train->validation_share,
             100 * (rest > 0 ? rest : 0));
}

static void tell_plan(const training *t)
{
    const scadyg_train_options *train = &t->arguments->train;
    const scadyg_shape *shape = scadyg_events_shape(t->events);
    char text[512], times[192], kind[CLI_TEXT];
    scadyg_messages *messages = NULL;
    cli_shape_text(shape, text, sizeof text);
    tell(t, "data", text);
    cli_times_text(shape, times, sizeof times);
    tell(t, "", times);
    split_text(train, text, sizeof text);
    tell(t, "split", text);
    cli_kind_name(&(scadyg_model_info){.options = train}, kind);
    if (train->model != SCADYG_MODEL_SCADYG)
        snprintf(text, sizeof text, "%s, a rule without training, for the task %s", kind,
                 cli_task_name(train->task));
    else if (scadyg_messages_open(t->events, &train->messages, &messages, NULL) == 0)
        snprintf(text, sizeof text, "%s for the task %s, messages of %zu numbers over %lld steps, seed %lld", kind,
                 cli_task_name(train->task), scadyg_messages_width(messages),
                 (long long)scadyg_messages_step_count(messages), (long long)train->seed);
    else
        snprintf(text, sizeof text, "%s for the task %s", kind, cli_task_name(train->task));
    tell(t, "model", text);
    scadyg_messages_close(messages);
}

/* With --resume and no checkpoint, a model made of the same data with the same options has nothing left to do. */
static int is_finished(training *t)
{
    const train_arguments *arguments = t->arguments;
    if (!arguments->resume || exists(t->checkpoint)) return 0;
    scadyg_model *model = NULL;
    if (scadyg_model_open(arguments->output, &model, NULL)) return 0;
    const scadyg_model_info *info = scadyg_model_look(model);
    int same =
        info->checksum == scadyg_events_checksum(t->events) && train_same_options(info->options, &arguments->train);
    const char *text = scadyg_model_result(model);
    if (same) {
        t->model = model;
        t->results = text && *text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    } else {
        scadyg_model_close(model);
    }
    return same;
}

static void prepare_checkpoint(const training *t)
{
    char text[512];
    if (t->arguments->resume) {
        if (!exists(t->checkpoint)) tell(t, "resume", "there is no checkpoint, so it starts anew");
    } else if (exists(t->checkpoint)) {
        /* Left until the first epoch takes its place: who forgot --resume can still stop and give it. */
        snprintf(text, sizeof text,
                 "%.400s is of a run that was stopped; --resume would go on from it, this run replaces it",
                 t->checkpoint);
        tell(t, "checkpoint", text);
    }
}

/* Ctrl-C loses nothing but the epoch that was being trained. */
static int stopped(const training *t, const scadyg_error *error)
{
    if (error->status != SCADYG_E_CANCELLED || !cli_signal_seen() || !exists(t->checkpoint))
        return cli_fail_error(t->call->command, error, t->arguments->output);
    cli_note(t->call->command, "stopped; what was learned is in %s, and the same command with --resume goes on",
             t->checkpoint);
    return 128 + cli_signal_seen();
}

static int learn(training *t)
{
    const train_arguments *arguments = t->arguments;
    scadyg_error error = {0};
    cli_common silent = arguments->common;
    silent.quiet = is_silent(arguments);
    prepare_checkpoint(t);
    if (!is_silent(arguments)) fflush(stdout);
    scadyg_watch watch = train_watch_begin(&t->watch, &silent);
    int status = scadyg_train(t->events, &arguments->train, t->checkpoint, arguments->resume, &watch,
                              cli_progress(&arguments->common), &t->model, &error);
    cli_progress_erase();
    if (status) return stopped(t, &error);
    train_watch_end(&t->watch);
    t->watch.common = &arguments->common;
    return train_judge(t->call, t->model, t->events, &t->results);
}

static int save(training *t)
{
    scadyg_error error = {0};
    if (scadyg_model_save(t->model, t->arguments->output, &error))
        return cli_fail_error(t->call->command, &error, t->arguments->output);
    unlink(t->checkpoint);
    return CLI_OK;
}

static int report(const training *t, int fresh)
{
    const train_arguments *arguments = t->arguments;
    const scadyg_model_info *info = scadyg_model_look(t->model);
    char text[512], size[CLI_TEXT], count[CLI_TEXT];
    scadyg_error error = {0};
    if (!is_silent(arguments)) {
        cli_results_print(t->results);
        putchar('\n');
        snprintf(text, sizeof text, "%.300s, %s, %s parameters%s", arguments->output,
                 cli_bytes(cli_file_size(arguments->output), size), cli_count(info->parameters, count),
                 fresh ? "" : "; it was finished before, there is nothing to resume");
        tell(t, "saved", text);
    }
    if (!arguments->json) return CLI_OK;
    json_t *object = train_json(arguments, t->path, t->model, &t->watch, t->results, cli_seconds() - t->began);
    int status = cli_json_write(arguments->json, object, &error);
    json_decref(object);
    return status ? cli_fail_error(t->call->command, &error, NULL) : CLI_OK;
}

static int work(training *t)
{
    int code =
        cli_log_open(t->call, t->path, t->arguments->output, is_silent(t->arguments) ? NULL : stdout, &t->events);
    if (code) return code;
    int fresh = !is_finished(t);
    if (fresh) {
        tell_plan(t);
        code = learn(t);
        if (!code) code = save(t);
    } else {
        (void)train_watch_begin(&t->watch, &t->arguments->common);
    }
    return code ? code : report(t, fresh);
}

static int print_config(const cli_call *call)
{
    const train_arguments *arguments = call->arguments;
    scadyg_error error = {0};
    if (scadyg_train_check(&arguments->train, &error)) return cli_fail_error(call->command, &error, NULL);
    if (cli_config_print(train_table(), &arguments->train))
        return cli_fail(call->command, "not enough memory for the JSON output");
    return CLI_OK;
}

static int run(cli_call *call)
{
    const train_arguments *arguments = call->arguments;
    json_t *kept = NULL;
    training t = {.call = call, .arguments = arguments, .began = cli_seconds()};
    int code = train_settle(call, &kept);
    if (!code && arguments->print_config) {
        code = print_config(call);
    } else if (!code && !(code = check(call, &t.path))) {
        if (asprintf(&t.checkpoint, "%s.checkpoint", arguments->output) < 0)
            code = cli_fail(call->command, "not enough memory for a file name");
        else
            code = work(&t);
        free(t.checkpoint);
    }
    json_decref(t.results);
    json_decref(t.watch.epochs);
    scadyg_model_close(t.model);
    scadyg_events_close(t.events);
    json_decref(kept);
    return code;
}

const cli_command cli_train = {
    .name = "train",
    .summary = "train a model on events and judge it",
    .operands = "X.events -o M.scadyg",
    .description = "Trains a model that says who will meet whom next (--task link) or what each node will turn\n"
                   "to (--task affinity), then judges it on the test part beside simple rules, and saves it.\n"
                   "A text log is taken as well as an events file: it is imported once, into a cache beside it\n"
                   "(LOG.scadyg-cache.events), which is used again until the log changes.\n"
                   "\n"
                   "Options come from the defaults, then --preset, then --config, then what is typed; later\n"
                   "ones win, whatever their order on the line. The same seed gives the same bytes for any\n"
                   "number of threads.\n"
                   "\n"
                   "After every epoch a checkpoint is written beside the output (M.scadyg.checkpoint) and\n"
                   "removed at the end. A training that was stopped or killed goes on with --resume and ends in\n"
                   "the same bytes.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .library_options = scadyg_train_option_table,
    .library_offset = offsetof(train_arguments, train),
    .defaults = defaults,
    .entries = scadyg_preset_name,
    .entries_of = "preset",
    .size = sizeof(train_arguments),
    .run = run,
};
