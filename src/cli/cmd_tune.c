/* scadyg tune: a search over the options of train. */
#include "tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "result.h"

#define FIELD(field) .offset = offsetof(tune_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    CLI_OPTION_OUTPUT(tune_arguments, train.output, "FILE", "the model file to write, of the best trial"),
    {.name = "vary",
     .kind = CLI_OPTION_EACH,
     FIELD(vary),
     .argument = "NAME=VALUES",
     .help = "vary an option of train: a|b|c, LOW..HIGH or LOW..HIGH:log; again for each"},
    {.name = "journal",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(journal),
     .argument = "FILE",
     .help = "where the outcome of every trial is kept"},
    {.name = "resume",
     .kind = SCADYG_OPTION_FLAG,
     FIELD(train.resume),
     .help = "go on from the journal of a search that was stopped"},
    {.name = "preset",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(train.preset),
     .argument = "NAME",
     .help = "a set of option values; those that are given override it"},
    {.name = "config",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(train.config),
     .argument = "F.json",
     .help = "option values from a file as train --print-config writes it"},
    {.name = "json",
     .kind = SCADYG_OPTION_TEXT,
     FIELD(train.json),
     .argument = "F.json",
     .help = "also write everything there: all trials, options, results"},
};

static const cli_default defaults[] = {
    {"output", "required"}, {"vary", "see below"}, {"journal", "M.scadyg.journal"}, {NULL, NULL}};

/* What is varied without --vary. */
static const char *usual(size_t i, const char **summary)
{
    if (summary) *summary = NULL;
    return scadyg_tune_default(i);
}

static const cli_entries entries[] = {{"", "what is varied without --vary", "usual values", usual},
                                      {"preset", "what --preset takes", "presets", scadyg_preset_name},
                                      {NULL, NULL, NULL, NULL}};

static const char *const examples[] = {
    "scadyg tune log.csv -o log.scadyg",
    "twenty settings of what is usually varied, and the best model",
    "scadyg tune x.events -o x.scadyg --vary lr=1e-4..0.1:log --vary 'window=all|5|20'",
    "these two options",
    "scadyg tune x.events -o x.scadyg --vary 'rates=|0.1,0.01|1,0.1' --method random --trials 3",
    "each of three lists of rates (the first: none), trained to the end",
    "scadyg tune x.events -o x.scadyg --vary hidden=16..256:log --epochs 50 --resume",
    "go on after it was stopped",
    NULL};

/* One run. */
typedef struct tuning {
    const cli_call *call;
    const tune_arguments *arguments;
    const char *path; /* of the events */
    char *journal;    /* owned */
    char *checkpoint; /* of the best trial, once it is known */
    char *command;    /* that repeats it */
    scadyg_tuning *search;
    const scadyg_tuning_info *info;
    scadyg_events *events;
    scadyg_model *model;
    json_t *results;
    train_watch watch;
    double began;
} tuning;

/* ---- Before anything is read ---- */

static int check_journal(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    int length = t->arguments->journal ? asprintf(&t->journal, "%s", t->arguments->journal)
                                       : asprintf(&t->journal, "%s.journal", train->output);
    if (length < 0) {
        t->journal = NULL;
        return cli_fail(t->call->command, "not enough memory for a file name");
    }
    if (strcmp(t->journal, train->output) == 0 || (train->json && strcmp(t->journal, train->json) == 0))
        return cli_usage(t->call->command, "--journal and another output are the same file; give two names");
    int code = cli_check_output(t->call, t->journal, &t->path, 1);
    return code ? code : train_check_folder(t->call, t->journal);
}

static int open_search(tuning *t)
{
    scadyg_error error = {0};
    const char **vary = NULL;
    size_t count;
    int code = tune_vary(t->call, &vary, &count);
    if (code) return code;
    if (scadyg_tuning_open(&t->arguments->train.train, vary, count, &t->arguments->tune, &t->search, &error))
        code = cli_fail_error(t->call->command, &error, NULL);
    free(vary);
    if (code) return code;
    t->info = scadyg_tuning_look(t->search);
    for (size_t i = 0; i < t->info->varied; i++)
        if (scadyg_tune_moves_target(t->info->names[i]))
            cli_note(t->call->command,
                     "warning: --%s changes what the validation score measures; compare its values with care",
                     t->info->names[i]);
    return CLI_OK;
}

/* ---- The search ---- */

/* Ctrl-C loses nothing but the epoch that was being trained. */
static int stopped(const tuning *t, const scadyg_error *error)
{
    char first[4096];
    scadyg_tuning_checkpoint(t->journal, 1, first, sizeof first);
    if (error->status != SCADYG_E_CANCELLED || !cli_signal_seen() ||
        (!train_exists(t->journal) && !train_exists(first)))
        return cli_fail_error(t->call->command, error, t->arguments->train.output);
    cli_note(t->call->command, "stopped; the trials so far are in %s, and the same command with --resume goes on",
             t->journal);
    return 128 + cli_signal_seen();
}

static void tell_journal(const tuning *t)
{
    char text[512];
    const int there = train_exists(t->journal);
    if (t->arguments->train.resume && !there)
        train_tell(&t->arguments->train, "resume", "there is no journal, so it starts anew");
    if (t->arguments->train.resume || !there) return;
    /* Left until the first trial takes its place: who forgot --resume can still stop and give it. */
    snprintf(text, sizeof text,
             "%.400s is of an earlier search; --resume would go on from it, this one replaces it", t->journal);
    train_tell(&t->arguments->train, "journal", text);
}

static int find_best(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    scadyg_error error = {0};
    tell_journal(t);
    if (!train_is_silent(train)) fflush(stdout);
    tune_watch told;
    const scadyg_tune_watch watch = tune_watch_begin(&told, train, t->info);
    int status = scadyg_tuning_run(t->search, t->events, t->journal, train->resume, &watch,
                                   cli_progress(&train->common), &error);
    cli_progress_erase();
    tune_watch_end(&told);
    if (status) return stopped(t, &error);
    const int64_t best = t->info->best->number;
    const size_t size = scadyg_tuning_checkpoint(t->journal, best, NULL, 0) + 1;
    t->checkpoint = malloc(size);
    t->command = tune_command(t->call, t->info);
    if (!t->checkpoint || !t->command) return cli_fail(t->call->command, "not enough memory for the best trial");
    scadyg_tuning_checkpoint(t->journal, best, t->checkpoint, size);
    tune_tell_best(train, t->info, t->command);
    return CLI_OK;
}

/* ---- Its model ---- */

/* From the checkpoint of its trial, which has all epochs. */
static int learn(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    scadyg_error error = {0};
    cli_common silent = train->common;
    silent.quiet = 1;
    const scadyg_watch watch = train_watch_begin(&t->watch, &silent, t->events);
    int status = scadyg_train(t->events, t->info->best->options, t->checkpoint, 1, &watch,
                              cli_progress(&train->common), &t->model, &error);
    cli_progress_erase();
    t->watch.common = &train->common;
    if (status) return stopped(t, &error);
    return train_judge(t->call, t->model, t->events, &t->results);
}

static int save(tuning *t)
{
    scadyg_error error = {0};
    if (scadyg_model_save(t->model, t->arguments->train.output, &error))
        return cli_fail_error(t->call->command, &error, t->arguments->train.output);
    unlink(t->checkpoint);
    return CLI_OK;
}

static int report(const tuning *t, int fresh)
{
    const train_arguments *train = &t->arguments->train;
    scadyg_error error = {0};
    train_tell_results(train, t->model, t->results, fresh ? "" : "; it was there already");
    train_tell(train, "journal", t->journal);
    if (!train->json) return CLI_OK;
    json_t *object = train_json(train, t->path, t->model, &t->watch, t->results, cli_seconds() - t->began);
    json_t *search = tune_json(t->arguments, t->info, t->journal, t->command);
    if (json_object_set_new(object, "tuning", search)) {
        json_decref(object);
        object = NULL;
    }
    int status = cli_json_write(train->json, object, &error);
    json_decref(object);
    return status ? cli_fail_error(t->call->command, &error, NULL) : CLI_OK;
}

/* With --resume and no checkpoint, the best model may have been saved before. */
static int is_saved(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    if (!train->resume || train_exists(t->checkpoint)) return 0;
    t->model = train_find_model(train->output, t->events, t->info->best->options, &t->results);
    return t->model != NULL;
}

static int work(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    int code = cli_log_open(t->call, t->path, train->output, train_is_silent(train) ? NULL : stdout, &t->events);
    if (code) return code;
    train_tell_plan(train, t->events);
    tune_tell_plan(train, &t->arguments->tune, t->info);
    code = find_best(t);
    if (code) return code;
    int fresh = !is_saved(t);
    if (fresh) {
        code = learn(t);
        if (!code) code = save(t);
    } else {
        (void)train_watch_begin(&t->watch, &train->common, t->events);
    }
    return code ? code : report(t, fresh);
}

static int run(cli_call *call)
{
    json_t *kept = NULL;
    tuning t = {.call = call, .arguments = call->arguments, .began = cli_seconds()};
    int code = train_settle(call, &kept);
    if (!code) code = train_check(call, &t.path);
    if (!code) code = check_journal(&t);
    if (!code) code = open_search(&t);
    if (!code) code = work(&t);
    free(t.journal);
    free(t.checkpoint);
    free(t.command);
    json_decref(t.results);
    json_decref(t.watch.epochs);
    scadyg_tuning_close(t.search);
    scadyg_model_close(t.model);
    scadyg_events_close(t.events);
    json_decref(kept);
    return code;
}

const cli_command cli_tune = {
    .name = "tune",
    .summary = "search for the training options with the best validation score",
    .operands = "X.events -o M.scadyg",
    .description =
        "Draws settings of some options of train, trains a model with each, and saves the one with the\n"
        "best score on the validation part. The test part is looked at once, at the end, and its\n"
        "result is printed as train does.\n"
        "\n"
        "--vary says which options and values. Without it a few that usually matter are varied (they\n"
        "are listed below), except those that are typed. All other options are as for train; where\n"
        "their own values lie within what is varied, they are the first trial.\n"
        "\n"
        "--method halving trains all settings for a few epochs, the best third of them three times as\n"
        "long, and so on up to --epochs, going on from where they were; random trains each to its end.\n"
        "A setting that cannot be trained is noted as failed and the search goes on.\n"
        "\n"
        "The journal keeps the outcome of every trial. A search that was stopped or killed goes on with\n"
        "--resume and ends in the same journal and the same model; a random one that is finished takes\n"
        "more --trials. The same seeds give the same bytes for any number of threads.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .library_options = scadyg_train_option_table,
    .library_offset = offsetof(tune_arguments, train.train),
    .more_options = scadyg_tune_option_table,
    .more_offset = offsetof(tune_arguments, tune),
    .defaults = defaults,
    .entries = entries,
    .size = sizeof(tune_arguments),
    .run = run,
};
