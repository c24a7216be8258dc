/* What train and tune say before and after, and the checks of their files. */
#include "train.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result.h"
#include "session.h"
#include "shape.h"

int train_check_folder(const cli_call *call, const char *output)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
    int reachable = folder && access(folder, W_OK | X_OK) == 0;
    int reason = errno;
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
    code = cli_check_output(call, arguments->output, path, 1);
    if (!code && arguments->json) {
        if (strcmp(arguments->json, arguments->output) == 0)
            return cli_usage(call->command, "--json and --output are the same file; give two names");
        code = cli_check_output(call, arguments->json, path, 1);
    }
    return code ? code : train_check_folder(call, arguments->output);
}

int train_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

int train_is_silent(const train_arguments *arguments)
{
    return arguments->common.quiet || (arguments->json && strcmp(arguments->json, "-") == 0);
}

void train_tell(const train_arguments *arguments, const char *label, const char *text)
{
    if (!train_is_silent(arguments)) printf("%-11s %s\n", label, text);
}

/* How the options cut time into parts. */
static void split_text(const scadyg_train_options *train, char *text, size_t size)
{
    double rest = 1 - train->train_share - train->validation_share;
    snprintf(text, size, "%s: %.4g %% training, %.4g %% validation, %.4g %% test",
             train->split == 0 ? "by steps" : "by time", 100 * train->train_share, 100 * train->validation_share,
             100 * (rest > 0 ? rest : 0));
}

void train_tell_plan(const train_arguments *arguments, const scadyg_events *events)
{
    const scadyg_train_options *train = &arguments->train;
    const scadyg_shape *shape = scadyg_events_shape(events);
    char text[512], times[192], kind[CLI_TEXT];
    cli_shape_text(shape, text, sizeof text);
    train_tell(arguments, "data", text);
    cli_times_text(shape, times, sizeof times);
    train_tell(arguments, "", times);
    split_text(train, text, sizeof text);
    train_tell(arguments, "split", text);
    cli_kind_name(&(scadyg_model_info){.options = train}, kind);
    if (train->model != SCADYG_MODEL_SCADYG)
        snprintf(text, sizeof text, "%s, a rule without training, for the task %s", kind,
                 cli_task_name(train->task));
    else
        snprintf(text, sizeof text, "%s for the task %s, %lld steps, seed %lld", kind, cli_task_name(train->task),
                 (long long)train->messages.steps, (long long)train->seed);
    train_tell(arguments, "model", text);
}

void train_tell_results(const train_arguments *arguments, const scadyg_model *model, const json_t *results,
                        const char *remark)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    char text[512], size[CLI_TEXT], count[CLI_TEXT];
    if (train_is_silent(arguments)) return;
    cli_results_print(results);
    putchar('\n');
    snprintf(text, sizeof text, "%.300s, %s, %s parameters%s", arguments->output,
             cli_bytes(cli_file_size(arguments->output), size), cli_count(info->parameters, count), remark);
    train_tell(arguments, "saved", text);
}

scadyg_model *train_find_model(const char *path, scadyg_events *events, const scadyg_train_options *options,
                               json_t **results)
{
    scadyg_model *model = NULL;
    if (scadyg_model_open(path, &model, NULL)) return NULL;
    const scadyg_model_info *info = scadyg_model_look(model);
    if (info->checksum != scadyg_events_checksum(events) || !train_same_options(info->options, options)) {
        scadyg_model_close(model);
        return NULL;
    }
    const char *text = scadyg_model_result(model);
    *results = text && *text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    return model;
}
