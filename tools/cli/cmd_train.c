/* scadyg train: a model from events. */
#include "cli/train.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/config.h"

static const sg_option options[] = {
    CLI_ROW_OUTPUT(train_arguments, output, "FILE", "the model file to write"),
    CLI_ROW_TEXT(train_arguments, preset, "preset", 0, "NAME", "option values of the model's kind, for a dataset",
                 0),
    CLI_ROW_FLAG(train_arguments, resume, "resume", 0, "go on from the checkpoint of a stopped training", 0),
    CLI_ROW_FILE(train_arguments, from, "from", 0, "M.scadyg", "go on from this model on a longer log", 0,
                 SCADYG_FILE_READ),
    CLI_ROW_FLAG(train_arguments, refit, "refit", 0, "then train once more, on all events", 0),
    CLI_ROW_FLAG(train_arguments, no_eval, "no-eval", 0, "save the model without a test result", 0),
    TRAIN_ROW_QUERIES(train_arguments, queries),
    CLI_ROW_FILE(train_arguments, json, "json", 0, "F.json",
                 "also write everything there: options, epochs, results", 1, SCADYG_FILE_WRITTEN),
    CLI_ROW_FILE(train_arguments, config, "config", 0, "F.json",
                 "option values from a file as --print-config writes it", 1, SCADYG_FILE_READ),
    CLI_ROW_FLAG(train_arguments, print_config, "print-config", 0, "print the option values as JSON and stop", 1),
    CLI_ROW_THREADS,
    CLI_ROW_MEMORY(1, "stay within this [a quarter of the machine's]"),
};

static const cli_example examples[] = {
    {"scadyg train log.csv", "from a text log to a model, log.scadyg, with the defaults"},
    {"scadyg train log.csv --src buyer --dst seller --time day", "columns with names of their own, as of import"},
    {"scadyg train uci.events --model scadyg-paper --preset uci -o uci.scadyg",
     "the paper's model with the settings published for this dataset"},
    {"scadyg train uci.events --epochs 50 --resume", "go on after it was stopped"},
    {"scadyg train --from log.scadyg log.csv -o new.scadyg", "the log has grown: go on where the model ended"},
    {NULL, NULL}};

/* ---- Options from all the places they may come from ---- */

int train_has_preset(const char *model, const char *task, const char *preset)
{
    scadyg_options *of_kind = NULL;
    const char *name;
    int found = 0;
    if (scadyg_options_open_train(model, task, &of_kind, NULL)) return 0;
    for (size_t i = 0; !found && (name = scadyg_preset_at(of_kind, i, NULL)); i++)
        found = strcmp(name, preset) == 0;
    scadyg_options_close(of_kind);
    return found;
}

/* The kind and the task: as typed, else as configured. Without a task it is the one for which there is the preset. */
static int open_kind(const cli_call *call, const json_t *config, scadyg_error *error)
{
    train_arguments *arguments = call->arguments;
    const char *model = NULL, *task = NULL, *typed_model = cli_given_text(call, "model"),
               *typed_task = cli_given_text(call, "task");
    int status = config ? cli_config_word(arguments->config, config, "model", &model, error) : SCADYG_OK;
    if (!status && config) status = cli_config_word(arguments->config, config, "task", &task, error);
    if (status) return status;
    const int configured = (!typed_model && model) || (!typed_task && task);
    if (typed_model) model = typed_model;
    if (typed_task) task = typed_task;
    if (!task && arguments->preset && !train_has_preset(model, "link", arguments->preset) &&
        train_has_preset(model, "affinity", arguments->preset))
        task = "affinity";
    scadyg_error reason = {0};
    if (!scadyg_options_open_train(model, task, &arguments->options, &reason)) return SCADYG_OK;
    if (!configured) return sg_fail(error, reason.status, "%s", reason.message);
    return sg_fail(error, reason.status, "%.400s: %.600s", arguments->config, reason.message);
}

static int set_typed(const cli_call *call, scadyg_options *settled, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < call->given_count && !status; i++) {
        const char *name = call->given[i].option->name;
        if (strcmp(name, "model") != 0 && strcmp(name, "task") != 0)
            status = cli_kind_set(&call->tables, settled, name, call->given[i].text, error);
    }
    return status;
}

int train_settle(const cli_call *call)
{
    train_arguments *arguments = call->arguments;
    json_t *config = NULL;
    int status = arguments->config ? cli_config_read(arguments->config, &config, call->error) : SCADYG_OK;
    if (!status) status = open_kind(call, config, call->error);
    if (!status && arguments->preset)
        status = scadyg_preset_apply(arguments->options, arguments->preset, call->error);
    if (!status && config)
        status = cli_config_set(&call->tables, arguments->config, config, arguments->options, call->error);
    if (!status) status = set_typed(call, arguments->options, call->error);
    json_decref(config);
    return status ? cli_failed(call, NULL) : CLI_OK;
}

/* ---- Going on from a model: its options ---- */

static int check_kind(const cli_call *call, const char *option, const char *own)
{
    const train_arguments *arguments = call->arguments;
    const char *typed = cli_given_text(call, option);
    if (!typed || strcmp(typed, own) == 0) return CLI_OK;
    return cli_usage(call->command, "%s was trained with --%s %s, not %s; leave out --%s", arguments->from, option,
                     own, typed, option);
}

static int settle_from(const cli_call *call)
{
    train_arguments *arguments = call->arguments;
    if (arguments->preset || arguments->config)
        return cli_usage(call->command, "--from takes the options of its model; leave out --%s",
                         arguments->preset ? "preset" : "config");
    if (scadyg_model_open(arguments->from, &arguments->from_model, call->error)) return cli_failed(call, NULL);
    const scadyg_model_info *info = scadyg_model_look(arguments->from_model);
    int code = check_kind(call, "model", info->kind);
    if (!code) code = check_kind(call, "task", info->task);
    if (code) return code;
    if (scadyg_options_copy(info->options, &arguments->options, call->error) ||
        set_typed(call, arguments->options, call->error))
        return cli_failed(call, NULL);
    return CLI_OK;
}

/* ---- Checks of its files ---- */

int train_check_folder(const cli_call *call, const char *output)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
    const int reachable = folder && access(folder, W_OK | X_OK) == 0;
    const int reason = errno;
    free(folder);
    return reachable ? CLI_OK : cli_fail(call->command, "cannot write %s: %s", output, strerror(reason));
}

int train_check(const cli_call *call, const char **path)
{
    const train_arguments *arguments = call->arguments;
    int code = cli_one_operand(call, "events file", path);
    if (code) return code;
    if (!arguments->output) return cli_usage(call->command, "no output file given; add -o M.scadyg");
    if (strcmp(arguments->output, "-") == 0)
        return cli_usage(call->command, "a model cannot go to standard output; give -o M.scadyg");
    code = cli_writes(call, "output", arguments->output);
    if (!code) code = cli_reads_options(call, arguments->options);
    return code ? code : train_check_folder(call, arguments->output);
}

/* Without -o: "data/log.csv.gz" makes "log.scadyg". NULL if there is no memory. */
static char *name_after(const char *path)
{
    const char *name = cli_file_name(path);
    char *stem = strdup(name), *made = NULL;
    if (!stem) return NULL;
    if (cli_ends_with(stem, ".gz")) stem[strlen(stem) - 3] = 0;
    if (cli_ends_with(stem, ".zst")) stem[strlen(stem) - 4] = 0;
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = 0;
    if (asprintf(&made, "%s.scadyg", stem) < 0) made = NULL;
    free(stem);
    return made;
}

/* ---- One run ---- */

static void tell_checkpoint(const train_run *r)
{
    const int there = sg_exists(r->checkpoint);
    if (r->arguments->resume && !there)
        train_tell(r->arguments, "resume",
                   sg_exists(r->arguments->output)
                       ? "there is no checkpoint, which a finished training does not leave, so it starts anew"
                       : "there is no checkpoint, so it starts anew");
    /* Left until the first epoch takes its place: who forgot --resume can still stop and give it. */
    if (!r->arguments->resume && there)
        train_tell(r->arguments, "checkpoint",
                   "%.400s is of a run that was stopped; --resume would go on from it, this run replaces it",
                   r->checkpoint);
}

/* Ctrl-C loses nothing but the epoch that was being trained. */
static int fail_training(const train_run *r)
{
    if (r->call->error->status != SCADYG_E_CANCELLED || !cli_signal_seen() || !sg_exists(r->checkpoint))
        return cli_failed(r->call, r->arguments->output);
    const long long epochs = (long long)json_array_size(r->watch.epochs);
    cli_note(
        r->call->command,
        "interrupted after %lld epoch%s; what was learned is in %s, and the same command with --resume goes on",
        epochs, sg_plural(epochs), r->checkpoint);
    return 128 + cli_signal_seen();
}

static int learn_and_save(train_run *r)
{
    const train_arguments *arguments = r->arguments;
    train_tell_plan(arguments, r->events);
    tell_checkpoint(r);
    if (train_learn(r, arguments->options, arguments->resume, train_is_silent(arguments), r->call->error))
        return fail_training(r);
    return train_finish(r, 0);
}

/* Whether a run that was finished lacks nothing of what is asked for now. */
static int is_complete(const train_run *r)
{
    return scadyg_model_look(r->model)->refit == r->arguments->refit &&
           (r->arguments->no_eval || json_array_size(r->results) > 0 || !train_has_test(r->model));
}

static int run_files(const cli_call *call)
{
    train_run r = {.call = call, .arguments = call->arguments, .began = sg_seconds()};
    int code = train_check(call, &r.path);
    if (code) return code;
    if (asprintf(&r.checkpoint, "%s.checkpoint", r.arguments->output) < 0) r.checkpoint = NULL;
    if (asprintf(&r.refit_checkpoint, "%s.refit.checkpoint", r.arguments->output) < 0) r.refit_checkpoint = NULL;
    if (!r.checkpoint || !r.refit_checkpoint) {
        train_close(&r);
        return cli_fail(call->command, "not enough memory for a file name");
    }
    code = cli_writes(call, "output", r.checkpoint);
    if (!code) code = cli_writes(call, "output", r.refit_checkpoint);
    if (!code) code = train_open_events(&r);
    const int saved = !code && train_is_saved(&r, r.arguments->options), complete = saved && is_complete(&r);
    if (!code) code = saved ? train_finish(&r, 1) : learn_and_save(&r);
    if (!code)
        code = train_report(&r, complete ? "; it was finished before, there is nothing to resume" : "", NULL);
    train_close(&r);
    return code;
}

static int run(cli_call *call)
{
    train_arguments *arguments = call->arguments;
    char *name = NULL;
    if (!arguments->output && call->operand_count == 1) arguments->output = name = name_after(call->operands[0]);
    int code = arguments->from ? settle_from(call) : train_settle(call);
    if (!code && scadyg_options_check(arguments->options, call->error)) code = cli_failed(call, NULL);
    if (!code && !arguments->print_config)
        code = run_files(call);
    else if (!code && cli_config_print(arguments->options))
        code = cli_fail(call->command, "not enough memory for the JSON output");
    scadyg_options_close(arguments->options);
    scadyg_model_close(arguments->from_model);
    free(name);
    return code;
}

const cli_command cli_train = {
    .name = "train",
    .summary = "train a model on events and evaluate it",
    .operands = "X.events [-o M.scadyg]",
    .description = "Trains a model that says who will interact with whom next (--task link) or what\n"
                   "each node will choose next (--task affinity), saves it, and tests it\n"
                   "beside simple baselines. A text log is taken as well as an events file.",
    .details = "A text log is imported once, into a cache beside it (LOG.scadyg-cache.events), which is used\n"
               "again until the log, a file that import finds beside it or an option that says how it is read\n"
               "changes.\n"
               "\n"
               "Options come from the defaults of the model's kind, then --preset, then --config, then what\n"
               "is typed; later ones win, whatever their order on the line. The same seed gives the same\n"
               "bytes for any number of threads. With a preset that exists for one task only, --task follows\n"
               "from it.\n"
               "\n"
               "After every epoch a checkpoint is written beside the output (M.scadyg.checkpoint), which is a\n"
               "model too, of the best epoch so far. It is removed when the model is saved, which is before the\n"
               "model is scored. A training that was stopped or killed goes on with --resume and ends in the\n"
               "same bytes; --epochs and --patience may then be more than they were.\n"
               "\n"
               "--refit keeps the epochs, curve and scores of the first training and learns the parameters\n"
               "anew from all events. --from goes on from a model on a log that has grown since: same kind and\n"
               "options (--epochs, --patience, --train-share, --validation-share and --labels may be others),\n"
               "its parameters count as epoch 0, and it learns from what is new and a quarter of the rest.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    .trains = 1,
    CLI_DEFAULTS({"output", "X.scadyg in the current folder"}),
    .size = sizeof(train_arguments),
    .run = run,
};
