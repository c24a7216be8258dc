/* scadyg tune: a search over the options of train. */
#include "cli/tune.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const sg_option options[] = {
    CLI_ROW_OUTPUT(tune_arguments, train.output, "FILE", "the model file to write, of the best trial"),
    CLI_ROW_LIST(tune_arguments, vary, "vary", CLI_OPTION_EACH, "NAME=VALUES",
                 "vary an option of train: a|b|c, LOW..HIGH or LOW..HIGH:log; again for each", 0),
    CLI_ROW_FILE(tune_arguments, journal, "journal", 0, "FILE", "where the outcome of every trial is kept", 0,
                 SCADYG_FILE_WRITTEN),
    CLI_ROW_FLAG(tune_arguments, train.resume, "resume", 0, "go on from the journal of a search that was stopped",
                 0),
    CLI_ROW_TEXT(tune_arguments, train.preset, "preset", 0, "NAME",
                 "option values of the model's kind, for a dataset", 0),
    CLI_ROW_FILE(tune_arguments, train.config, "config", 0, "F.json",
                 "option values from a file as train --print-config writes it", 1, SCADYG_FILE_READ),
    CLI_ROW_FILE(tune_arguments, train.json, "json", 0, "F.json",
                 "also write everything there: all trials, options, results", 0, SCADYG_FILE_WRITTEN),
    CLI_ROW_THREADS,
    CLI_ROW_MEMORY(1, "stay within this [a quarter of the machine's]"),
};

/* What is varied without --vary, of the default model. */
static const char *usual_at(const cli_tables *tables, size_t i, const char **summary)
{
    (void)summary;
    return scadyg_tune_default(tables->kinds[0], i);
}

static const cli_entries usual = {"what is varied without --vary", usual_at};

static const cli_example examples[] = {
    {"scadyg tune log.csv -o log.scadyg", "twenty settings of what is usually varied, and the best model"},
    {"scadyg tune x.csv -o x.scadyg --vary lr=1e-4..0.1:log --vary 'batch=64|256'", "these two options"},
    {"scadyg tune x.csv -o x.scadyg --vary 'negatives=1|5|20' --method random",
     "each of three values, trained to the end"},
    {"scadyg tune x.csv -o x.scadyg --vary hidden=16..256:log --resume", "go on after it was stopped"},
    {NULL, NULL}};

/* ---- What is varied ---- */

/* The option of train that is typed and that a text "NAME=SPEC" is about; NULL: none is. */
static const char *typed_and_varied(const cli_call *call, const char *text)
{
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; i < call->given_count; i++) {
        const char *name = call->given[i].option->name;
        if (strlen(name) == length && memcmp(name, text, length) == 0) return name;
    }
    return NULL;
}

/* --vary, or the usual without what was typed. Free *out; the texts are borrowed. */
static int choose_varied(const cli_call *call, const char ***out, size_t *count)
{
    const tune_arguments *arguments = call->arguments;
    const cli_list *asked = &arguments->vary;
    const char *text;
    size_t usual_count = 0;
    int code = CLI_OK;
    while (scadyg_tune_default(arguments->train.options, usual_count)) usual_count++;
    const char **words = *out = malloc((usual_count + asked->count + 1) * sizeof *words);
    if (!words) return cli_fail(call->command, "not enough memory for the command line");
    *count = 0;
    for (size_t i = 0; i < asked->count && !code; i++) {
        const char *name = typed_and_varied(call, asked->words[i]);
        if (name) code = cli_usage(call->command, "--%s is given and varied; leave out one of the two", name);
        words[(*count)++] = asked->words[i];
    }
    for (size_t i = 0; !asked->count && (text = scadyg_tune_default(arguments->train.options, i)); i++)
        if (!typed_and_varied(call, text)) words[(*count)++] = text;
    if (!code && *count == 0 && usual_count)
        code =
            cli_usage(call->command, "all that is usually varied is given; say what to vary: --vary NAME=VALUES");
    return code;
}

/* One search, which ends in a run: `run` has the best trial's checkpoint once that is known. */
typedef struct tuning {
    const cli_call *call;
    const tune_arguments *arguments;
    train_run run;
    char *journal; /* owned */
    char *command; /* that repeats the best trial */
    scadyg_tuning *search;
    const scadyg_tuning_info *info;
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
    int code = cli_writes(t->call, "journal", t->journal);
    return code ? code : train_check_folder(t->call, t->journal);
}

static int open_search(tuning *t)
{
    const char **vary = NULL;
    size_t count;
    int code = choose_varied(t->call, &vary, &count);
    if (!code && scadyg_tuning_open(t->arguments->train.options, vary, count, t->call->tables.set, &t->search,
                                    t->call->error))
        code = cli_failed(t->call, NULL);
    free(vary);
    if (code) return code;
    t->info = scadyg_tuning_look(t->search);
    for (size_t i = 0; i < t->info->trial_count && !code; i++)
        code = cli_reads_options(t->call, t->info->trials[i].options); /* --vary labels=... names files too */
    if (code) return code;
    for (size_t i = 0; i < t->info->varied; i++)
        if (scadyg_tune_moves_target(t->info->names[i]))
            cli_note(t->call->command,
                     "warning: --%s changes what the validation score measures; compare its values with care",
                     t->info->names[i]);
    return CLI_OK;
}

/* ---- The search ---- */

/* Ctrl-C loses nothing but the epoch that was being trained. */
static int fail_search(const tuning *t)
{
    char first[4096];
    scadyg_tuning_checkpoint(t->journal, 1, first, sizeof first);
    if (t->call->error->status != SCADYG_E_CANCELLED || !cli_signal_seen() ||
        (!sg_exists(t->journal) && !sg_exists(first)))
        return cli_failed(t->call, t->arguments->train.output);
    cli_note(t->call->command, "stopped; the trials so far are in %s, and the same command with --resume goes on",
             t->journal);
    return 128 + cli_signal_seen();
}

static void tell_journal(const tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    const int there = sg_exists(t->journal);
    if (train->resume && !there) train_tell(train, "resume", "there is no journal, so it starts anew");
    /* Left until the first trial takes its place: who forgot --resume can still stop and give it. */
    if (!train->resume && there)
        train_tell(train, "journal",
                   "%.400s is of an earlier search; --resume would go on from it, this one replaces it",
                   t->journal);
}

static int find_best(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    tell_journal(t);
    if (!train_is_silent(train)) fflush(stdout);
    tune_watch told;
    const scadyg_tune_watch watch = tune_watch_begin(&told, train, t->info);
    int status = scadyg_tuning_run(t->call->context, t->search, t->run.events, t->journal, train->resume, &watch,
                                   t->call->error);
    cli_progress_erase();
    tune_watch_end(&told);
    if (status) return fail_search(t);
    const int64_t best = t->info->best->number;
    const size_t size = scadyg_tuning_checkpoint(t->journal, best, NULL, 0) + 1;
    t->run.checkpoint = malloc(size);
    t->command = tune_command(t->call, t->info);
    if (!t->run.checkpoint || !t->command)
        return cli_fail(t->call->command, "not enough memory for the best trial");
    scadyg_tuning_checkpoint(t->journal, best, t->run.checkpoint, size);
    tune_tell_best(train, t->info, t->command);
    return CLI_OK;
}

/* ---- Its model ---- */

static int tune_and_save(tuning *t)
{
    const train_arguments *train = &t->arguments->train;
    int code = train_open_events(&t->run);
    if (code) return code;
    train_tell_plan(train, t->run.events);
    tune_tell_plan(t->call, t->info);
    code = find_best(t);
    if (code) return code;
    const int saved = train_is_saved(&t->run, t->info->best->options);
    /* From the checkpoint of its trial, which has all epochs. */
    if (!saved && train_learn(&t->run, t->info->best->options, 1, 1, t->call->error)) return fail_search(t);
    code = train_finish(&t->run, saved);
    if (code) return code;
    json_t *search = train->json ? tune_json(t->call, t->info, t->journal, t->command) : NULL;
    code = train_report(&t->run, saved ? "; it was there already" : "", json_pack("{s:o*}", "tuning", search));
    if (!code) train_tell(train, "journal", "%s", t->journal);
    return code;
}

static int run(cli_call *call)
{
    tuning t = {.call = call,
                .arguments = call->arguments,
                .run = {.call = call, .arguments = call->arguments, .began = sg_seconds()}};
    int code = train_settle(call);
    if (!code) code = train_check(call, &t.run.path);
    if (!code) code = check_journal(&t);
    if (!code) code = open_search(&t);
    if (!code) code = tune_and_save(&t);
    free(t.journal);
    free(t.command);
    train_close(&t.run);
    scadyg_tuning_close(t.search);
    scadyg_options_close(t.arguments->train.options);
    return code;
}

const cli_command cli_tune = {
    .name = "tune",
    .summary = "search for the training options with the best validation score",
    .operands = "X.events -o M.scadyg",
    .description = "Draws settings of some options of train, trains a model with each, and saves the one with the\n"
                   "best score on the validation part. The test part is looked at once, at the end, and its\n"
                   "result is printed as train does.",
    .details = "--vary says which options and values. Without it a few that usually matter are varied (they\n"
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
    CLI_OPTIONS(options),
    .reads_log = 1,
    .set = "tune",
    .trains = 1,
    CLI_DEFAULTS({"output", "required"}, {"vary", "see below"}, {"journal", "M.scadyg.journal"}),
    .entries = &usual,
    .size = sizeof(tune_arguments),
    .run = run,
};
