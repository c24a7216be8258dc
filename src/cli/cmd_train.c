/* scadyg train: a model from events. */
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "result.h"

#define FIELD(field) .offset = offsetof(train_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    CLI_OPTION_OUTPUT(train_arguments, output, "FILE", "the model file to write"),
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

static const cli_default defaults[] = {{"output", "X.scadyg in the current folder"}, {NULL, NULL}};

static const cli_entries entries[] = {{"preset", "what --preset takes", "presets", scadyg_preset_name},
                                      {NULL, NULL, NULL, NULL}};

static const char *const examples[] = {"scadyg train log.csv",
                                       "from a text log to a model, log.scadyg, with the defaults",
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

static int ends_in(const char *name, size_t length, const char *ending)
{
    const size_t its = strlen(ending);
    return length > its && strncmp(name + length - its, ending, its) == 0;
}

/* Without -o: "data/log.csv.gz" makes "log.scadyg". NULL if there is no memory. */
static char *named_after(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (ends_in(name, length, ".gz")) length -= 3;
    if (ends_in(name, length, ".zst")) length -= 4;
    for (size_t i = length; i-- > 1;)
        if (name[i] == '.') {
            length = i;
            break;
        }
    char *made = NULL;
    return asprintf(&made, "%.*s.scadyg", (int)length, name) < 0 ? NULL : made;
}

/* With --resume and no checkpoint, a model made of the same data with the same options has nothing left to do. */
static int is_finished(training *t)
{
    const train_arguments *arguments = t->arguments;
    if (!arguments->resume || train_exists(t->checkpoint)) return 0;
    t->model = train_find_model(arguments->output, t->events, &arguments->train, &t->results);
    return t->model != NULL;
}

static int check(const cli_call *call)
{
    const train_arguments *arguments = call->arguments;
    scadyg_error error = {0};
    return scadyg_train_check(&arguments->train, &error) ? cli_fail_error(call->command, &error, NULL) : CLI_OK;
}

static void prepare_checkpoint(const training *t)
{
    char text[512];
    if (t->arguments->resume) {
        if (!train_exists(t->checkpoint))
            train_tell(t->arguments, "resume", "there is no checkpoint, so it starts anew");
    } else if (train_exists(t->checkpoint)) {
        /* Left until the first epoch takes its place: who forgot --resume can still stop and give it. */
        snprintf(text, sizeof text,
                 "%.400s is of a run that was stopped; --resume would go on from it, this run replaces it",
                 t->checkpoint);
        train_tell(t->arguments, "checkpoint", text);
    }
}

/* Ctrl-C loses nothing but the epoch that was being trained. */
static int stopped(const training *t, const scadyg_error *error)
{
    if (error->status != SCADYG_E_CANCELLED || !cli_signal_seen() || !train_exists(t->checkpoint))
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
    silent.quiet = train_is_silent(arguments);
    prepare_checkpoint(t);
    if (!train_is_silent(arguments)) fflush(stdout);
    scadyg_watch watch = train_watch_begin(&t->watch, &silent, t->events);
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
    scadyg_error error = {0};
    train_tell_results(arguments, t->model, t->results,
                       fresh ? "" : "; it was finished before, there is nothing to resume");
    if (!arguments->json) return CLI_OK;
    json_t *object = train_json(arguments, t->path, t->model, &t->watch, t->results, cli_seconds() - t->began);
    int status = cli_json_write(arguments->json, object, &error);
    json_decref(object);
    return status ? cli_fail_error(t->call->command, &error, NULL) : CLI_OK;
}

static int work(training *t)
{
    int code = cli_log_open(t->call, t->path, t->arguments->output, train_is_silent(t->arguments) ? NULL : stdout,
                            &t->events);
    if (code) return code;
    int fresh = !is_finished(t);
    if (fresh) {
        train_tell_plan(t->arguments, t->events);
        code = learn(t);
        if (!code) code = save(t);
    } else {
        (void)train_watch_begin(&t->watch, &t->arguments->common, t->events);
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
    train_arguments *arguments = call->arguments;
    json_t *kept = NULL;
    char *name = NULL;
    training t = {.call = call, .arguments = arguments, .began = cli_seconds()};
    int code = train_settle(call, &kept);
    if (!arguments->output && call->operand_count == 1) arguments->output = name = named_after(call->operands[0]);
    if (!code && arguments->print_config) {
        code = print_config(call);
    } else if (!code && !(code = train_check(call, &t.path)) && !(code = check(call))) {
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
    free(name);
    return code;
}

const cli_command cli_train = {
    .name = "train",
    .summary = "train a model on events and judge it",
    .operands = "X.events [-o M.scadyg]",
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
    .entries = entries,
    .size = sizeof(train_arguments),
    .run = run,
};
