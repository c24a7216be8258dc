/* The test result of a trained model, and the record of a whole run. */
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "result.h"
#include "shape.h"

/* Of a large test part so many queries are judged, which tells scores apart that differ by .005. */
#define QUERIES 100000

static int judge_once(const cli_call *call, const scadyg_model *model, scadyg_events *events, int protocol,
                      int pool, json_t *results, scadyg_error *error)
{
    const train_arguments *arguments = call->arguments;
    size_t count = 0;
    const scadyg_option *table = scadyg_eval_option_table(&count);
    scadyg_eval_options options = {0};
    scadyg_options_default(table, count, &options); /* so that eval --queries 100000 gives the same numbers */
    options.protocol = protocol;
    options.pool = pool;
    options.heuristics = 1;
    if (protocol != SCADYG_PROTOCOL_TGB_NODE) options.queries = QUERIES;
    options.threads = arguments->train.threads;
    scadyg_result result = {0};
    if (scadyg_evaluate(model, events, &options, cli_progress(&arguments->common), &result, error))
        return error->status;
    if (json_array_append_new(results, cli_result_json(&result)) == 0) return SCADYG_OK;
    *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the result"};
    return error->status;
}

static int judge_all(const cli_call *call, const scadyg_model *model, scadyg_events *events, json_t *results,
                     scadyg_error *error)
{
    if (scadyg_model_look(model)->options->task == SCADYG_TASK_AFFINITY)
        return judge_once(call, model, events, SCADYG_PROTOCOL_TGB_NODE, SCADYG_POOL_DEFAULT, results, error);
    static const int by_steps[] = {SCADYG_POOL_ANY, SCADYG_POOL_DESTINATION, -1};
    static const int by_time[] = {SCADYG_POOL_DESTINATION, SCADYG_POOL_HISTORICAL, SCADYG_POOL_INDUCTIVE, -1};
    const scadyg_train_options *options = scadyg_model_look(model)->options;
    /* The protocol that cuts the parts as training did. The head `paper` is judged as in the paper. */
    const int time = options->split == 1 && options->head == SCADYG_HEAD_PAIR;
    int status = SCADYG_OK;
    for (const int *pool = time ? by_time : by_steps; *pool >= 0 && !status; pool++)
        status = judge_once(call, model, events, time ? SCADYG_PROTOCOL_DYGLIB : SCADYG_PROTOCOL_PAPER, *pool,
                            results, error);
    return status;
}

static int keep(scadyg_model *model, const json_t *results, scadyg_error *error)
{
    char *text = json_dumps(results, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) {
        *error = (scadyg_error){.status = SCADYG_E_MEMORY, .message = "not enough memory for the result"};
        return error->status;
    }
    int status = scadyg_model_set_result(model, text, error);
    free(text);
    return status;
}

int train_judge(const cli_call *call, scadyg_model *model, scadyg_events *events, json_t **results)
{
    scadyg_error error = {0};
    *results = json_array();
    int status = judge_all(call, model, events, *results, &error);
    cli_progress_erase();
    if (status == SCADYG_E_USAGE || status == SCADYG_E_INPUT) {
        /* Too little data for a test part is no reason to throw the model away. */
        cli_note(call->command, "warning: no test result: %s", error.message);
        status = SCADYG_OK;
        error = (scadyg_error){0};
    }
    if (!status && json_array_size(*results) > 0) status = keep(model, *results, &error);
    return status ? cli_fail_error(call->command, &error, NULL) : CLI_OK;
}

/* The most memory this process ever held. The kernel counts in KiB. */
static json_t *peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? json_null() : json_integer((json_int_t)usage.ru_maxrss * 1024);
}

static json_t *plan_json(const scadyg_plan *plan)
{
    json_t *object = json_object();
    json_object_set_new(object, "memory_bytes", json_integer((json_int_t)plan->memory));
    json_object_set_new(object, "node_bytes", json_integer((json_int_t)plan->node_bytes));
    json_object_set_new(object, "pair_bytes", json_integer((json_int_t)plan->pair_bytes));
    json_object_set_new(object, "pairs", json_integer((json_int_t)plan->pairs));
    json_object_set_new(object, "walk_width", json_integer((json_int_t)plan->walk_width));
    json_object_set_new(object, "inputs", json_integer((json_int_t)plan->inputs));
    json_object_set_new(object, "slowest", cli_json_number(plan->slowest));
    json_object_set_new(object, "fastest", cli_json_number(plan->fastest));
    json_object_set_new(object, "events", json_integer((json_int_t)plan->events));
    json_object_set_new(object, "events_per_second", cli_json_number(plan->events_per_second));
    return object;
}

json_t *train_json(const train_arguments *arguments, const char *events_path, const scadyg_model *model,
                   const train_watch *watch, json_t *results, double seconds)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    json_t *object = json_object(), *file = json_string(arguments->output), *data = json_string(events_path);
    int failed = json_object_set_new(object, "model_file", file ? file : json_null());
    failed |= json_object_set_new(object, "events_file", data ? data : json_null());
    failed |= json_object_set_new(object, "config", cli_config_json(train_table(), info->options));
    json_t *shape = json_object();
    failed |= cli_shape_json(shape, &info->shape);
    failed |= json_object_set_new(object, "data", shape);
    failed |= json_object_set_new(object, "width", json_integer((json_int_t)info->width));
    failed |= json_object_set_new(object, "parameters", json_integer((json_int_t)info->parameters));
    failed |= json_object_set(object, "epochs", watch->epochs);
    failed |= json_object_set_new(object, "best_epoch", json_integer(info->best_epoch));
    failed |= json_object_set_new(object, "validation", cli_json_number(info->validation));
    failed |= json_object_set_new(object, "score", info->score ? json_string(info->score) : json_null());
    failed |= json_object_set_new(object, "seconds", json_real(seconds));
    failed |= json_object_set_new(object, "prepare_seconds", cli_json_number(watch->prepare));
    if (watch->plan.epochs) failed |= json_object_set_new(object, "plan", plan_json(&watch->plan));
    failed |= json_object_set_new(object, "peak_memory_bytes", peak_memory());
    failed |= json_object_set_new(object, "results", results ? json_incref(results) : json_array());
    if (!failed) return object;
    json_decref(object);
    return NULL;
}
