/* What becomes of a trained model: it is saved at once, then evaluated, then trained once more on all events if asked. */
#include "cli/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/result.h"
#include "scadyg_lab.h"

/* ---- Saved ---- */

static int save_model(const train_run *run)
{
    if (scadyg_model_save(run->model, run->arguments->output, run->call->error))
        return cli_failed(run->call, run->arguments->output);
    return CLI_OK;
}

/* ---- Evaluated ---- */

/* The pools of negatives that train shows for the protocol of a model, and of a large test part so many queries, which
 * tells scores apart that differ by .005. */
static const struct {
    const char *protocol, *queries;
    const char *pools[4];
} shown[] = {
    {"live", "auto", {"auto"}}, {"paper", "100000", {"destination", "any"}}, {"tgb-node", "auto", {"auto"}}};

const char *train_queries(const train_arguments *arguments, const char *usual, char buffer[TRAIN_QUERIES])
{
    if (arguments->queries == 0) return usual;
    if (arguments->queries < 0) return "all";
    snprintf(buffer, TRAIN_QUERIES, "%lld", (long long)arguments->queries);
    return buffer;
}

/* Baselines without room are named once. */
static int tell_left_out(const train_run *run, const scadyg_options *options, int *told, scadyg_error *error)
{
    char names[CLI_LEFT_OUT] = "";
    if (*told || train_is_silent(run->arguments)) return SCADYG_OK;
    int status =
        scadyg_baselines_left_out(run->call->context, run->model, run->events, options, names, sizeof names, error);
    if (status || !*names) return status;
    train_tell(run->arguments, "note", CLI_LEFT_OUT_WORDS, names);
    *told = 1;
    return SCADYG_OK;
}

static int evaluate_all(const train_run *run, scadyg_error *error)
{
    char queries[TRAIN_QUERIES];
    size_t i = 0;
    int told = 0, status = SCADYG_OK;
    while (i + 1 < CLI_COUNT(shown) && strcmp(shown[i].protocol, scadyg_model_protocol(run->model)) != 0) i++;
    for (const char *const *pool = shown[i].pools; *pool && !status; pool++) {
        scadyg_options *options = NULL;
        status = cli_options_with(&options, error, "evaluate", "pool", *pool, "queries",
                                  train_queries(run->arguments, shown[i].queries, queries), NULL);
        if (!status) status = tell_left_out(run, options, &told, error);
        if (!status)
            status = cli_result_add(run->call->context, run->model, run->events, options, run->results, error);
        scadyg_options_close(options);
    }
    return status;
}

static int keep_results(const train_run *run)
{
    if (json_array_size(run->results) == 0) return SCADYG_OK;
    char *text = json_dumps(run->results, JSON_COMPACT | JSON_REAL_PRECISION(17));
    int status = text ? scadyg_model_set_result(run->model, text, run->call->error)
                      : sg_fail_memory(run->call->error, "the result");
    free(text);
    return status;
}

/* Ctrl-C loses nothing but the scores. */
static int fail_evaluation(const train_run *run)
{
    const train_arguments *arguments = run->arguments;
    if (run->call->error->status != SCADYG_E_CANCELLED || !cli_signal_seen()) return cli_failed(run->call, NULL);
    unlink(run->checkpoint); /* the model has all of it */
    cli_note(
        run->call->command,
        "stopped; the model is in %s, without scores: the same command with --resume makes them%s, or scadyg eval",
        arguments->output, arguments->refit ? " and refits" : "");
    return 128 + cli_signal_seen();
}

static int evaluate_model(train_run *run)
{
    json_decref(run->results);
    run->results = json_array();
    if (!train_is_silent(run->arguments)) putchar('\n');
    train_tell(run->arguments, "evaluating", "on the test part; %.300s is saved, Ctrl-C leaves it without scores",
               run->arguments->output);
    fflush(stdout); /* it may take a minute */
    int status = evaluate_all(run, run->call->error);
    cli_progress_erase();
    if (status == SCADYG_E_USAGE || status == SCADYG_E_INPUT) {
        /* Too little data for a test part is no reason to call the model a failure. */
        cli_note(run->call->command, "warning: no test result: %s", run->call->error->message);
        *run->call->error = (scadyg_error){0};
        status = SCADYG_OK;
    }
    if (!status) status = keep_results(run);
    if (status) return fail_evaluation(run);
    return json_array_size(run->results) ? save_model(run) : CLI_OK;
}

/* ---- Trained once more ---- */

static int fail_refit(const train_run *run)
{
    if (run->call->error->status != SCADYG_E_CANCELLED || !cli_signal_seen()) return cli_failed(run->call, NULL);
    cli_note(
        run->call->command,
        "stopped; the model of the first training is in %s, and the same command with --resume goes on refitting",
        run->arguments->output);
    return 128 + cli_signal_seen();
}

static int refit_model(train_run *run)
{
    const train_arguments *arguments = run->arguments;
    const scadyg_model_info *info = scadyg_model_look(run->model);
    const int64_t epochs = isfinite(info->validation) ? info->best_epoch : info->epochs;
    train_watch again;
    scadyg_model *refitted = NULL;
    if (info->train_end >= info->shape->last_time) {
        train_tell(arguments, "refit", "there is nothing to do: it has learned from all events already");
        return CLI_OK;
    }
    if (!train_is_silent(arguments)) putchar('\n');
    train_tell(arguments, "refit", "on all %s events, %lld epoch%s", cli_count(info->shape->events),
               (long long)epochs, sg_plural(epochs));
    const scadyg_watch watch = train_watch_begin(&again, train_is_silent(arguments), run->events);
    again.exactly = epochs;
    const int status = scadyg_refit(run->call->context, run->events, run->model, arguments->from_model,
                                    run->refit_checkpoint, arguments->resume, &watch, &refitted, run->call->error);
    cli_progress_erase();
    json_decref(again.epochs);
    if (status) return fail_refit(run);
    scadyg_model_close(run->model);
    run->model = refitted;
    return save_model(run);
}

int train_has_test(const scadyg_model *model)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    return strcmp(info->task, "link") != 0 || info->validation_end < info->shape->last_time;
}

int train_finish(train_run *run, int saved)
{
    const train_arguments *arguments = run->arguments;
    int code = saved ? CLI_OK : save_model(run);
    if (!code && !arguments->no_eval && json_array_size(run->results) == 0 &&
        !scadyg_model_look(run->model)->refit && train_has_test(run->model))
        code = evaluate_model(run);
    if (!code && arguments->refit && !scadyg_model_look(run->model)->refit) code = refit_model(run);
    return code;
}
