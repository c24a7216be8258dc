/* scadyg eval: how good a model is, by a protocol, beside the heuristics. */
#include <stdio.h>
#include <string.h>

#include "log.h"
#include "result.h"
#include "session.h"

typedef struct eval_arguments {
    cli_common common;
    const char *json;
    int no_heuristics;
    scadyg_eval_options eval;
} eval_arguments;

static const scadyg_option options[] = {
    {.name = "json",
     .kind = SCADYG_OPTION_TEXT,
     .offset = offsetof(eval_arguments, json),
     .argument = "F.json",
     .least = 1,
     .help = "also write the result there; - prints it instead of the table"},
    {.name = "no-heuristics",
     .kind = SCADYG_OPTION_FLAG,
     .offset = offsetof(eval_arguments, no_heuristics),
     .least = 1,
     .help = "judge the model alone"},
};

static const cli_default defaults[] = {{"protocol", "paper for links, tgb-node for affinity"}, {NULL, NULL}};

static const char *const examples[] = {
    "scadyg eval log.scadyg log.events",
    "the test part by the protocol of the paper",
    "scadyg eval log.scadyg log.events --protocol paper --pool destination --seeds 5",
    "harder negatives, five draws of them: mean and deviation",
    "scadyg eval log.scadyg log.events --protocol tgb-link --json -",
    "as JSON for a program",
    NULL};

/* What the JSON says beyond the result itself: with which files, and how long it took. */
static json_t *whole_json(const scadyg_result *result, const cli_session *session)
{
    json_t *object = cli_result_json(result), *file = json_string(session->model_path),
           *events = json_string(session->events_path);
    int failed = !object;
    failed |= json_object_set_new(object, "model_file", file ? file : json_null());
    failed |= json_object_set_new(object, "events_file", events ? events : json_null());
    failed |= json_object_set_new(object, "task", json_string(cli_task_name(session->info->options->task)));
    failed |= json_object_set_new(object, "parameters", json_integer((json_int_t)session->info->parameters));
    if (result->count > 0) failed |= json_object_set_new(object, "seconds", json_real(result->judged[0].seconds));
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int print(const cli_call *call, const scadyg_result *result, const cli_session *session)
{
    const eval_arguments *arguments = call->arguments;
    int to_output = arguments->json && strcmp(arguments->json, "-") == 0;
    scadyg_error error = {0};
    cli_progress_erase();
    json_t *object = whole_json(result, session);
    int code = CLI_OK;
    if (!object)
        code = cli_fail(call->command, "not enough memory for the result");
    else if (arguments->json && cli_json_write(arguments->json, object, &error))
        code = cli_fail_error(call->command, &error, arguments->json);
    if (!code && !to_output && !arguments->common.quiet) {
        cli_result_print(object);
        if (arguments->common.verbose)
            for (size_t i = 0; i < result->count; i++)
                printf("%s%s %.2f s", i ? ", " : "\none pass: ", result->judged[i].name, result->judged[i].seconds);
        if (arguments->common.verbose) putchar('\n');
    }
    if (!code && result->overlap > 0 && !arguments->common.quiet)
        cli_note(call->command,
                 "warning: %.1f %% of the queries lie in the part the model was trained on; for a fair score under "
                 "this protocol train with --split time",
                 100 * result->overlap);
    json_decref(object);
    return code;
}

static int evaluate(const cli_call *call, const cli_session *session)
{
    const eval_arguments *arguments = call->arguments;
    scadyg_eval_options eval = arguments->eval;
    eval.heuristics = !arguments->no_heuristics;
    if (!cli_was_given(call, "protocol"))
        eval.protocol =
            session->info->options->task == SCADYG_TASK_AFFINITY ? SCADYG_PROTOCOL_TGB_NODE : SCADYG_PROTOCOL_PAPER;
    int for_affinity = eval.protocol == SCADYG_PROTOCOL_TGB_NODE;
    if (for_affinity != (session->info->options->task == SCADYG_TASK_AFFINITY))
        return cli_fail(call->command, "%s is a model of the task %s, which the protocol does not judge; give %s",
                        session->model_path, cli_task_name(session->info->options->task),
                        for_affinity ? "--protocol paper, tgb-link or dyglib" : "--protocol tgb-node");
    scadyg_result result = {0};
    scadyg_error error = {0};
    if (scadyg_evaluate(session->model, session->events, &eval, cli_progress(&arguments->common), &result, &error))
        return cli_fail_error(call->command, &error, NULL);
    return print(call, &result, session);
}

static int run(cli_call *call)
{
    static const char *const what[] = {"model file", "events file"};
    const eval_arguments *arguments = call->arguments;
    const char *operands[2];
    int code = cli_operands(call, what, 2, operands);
    if (!code && arguments->json) code = cli_check_output(call, arguments->json, operands, 2);
    if (code) return code;
    cli_session session = {.model_path = operands[0], .events_path = operands[1]};
    scadyg_error error = {0};
    if (scadyg_model_open(session.model_path, &session.model, &error))
        return cli_fail_error(call->command, &error, NULL);
    session.info = scadyg_model_look(session.model);
    code = cli_log_open(call, session.events_path, session.model_path, arguments->common.quiet ? NULL : stderr,
                        &session.events);
    if (!code) code = evaluate(call, &session);
    cli_session_close(&session);
    return code;
}

const cli_command cli_eval = {
    .name = "eval",
    .summary = "judge a model by a published protocol, beside simple rules",
    .operands = "M.scadyg X.events",
    .description = "Scores a model and the heuristics on the test part of the events, by one of four protocols\n"
                   "(docs/protocols.md says how each splits, draws, ranks and averages). With --seeds the\n"
                   "negatives are drawn so many times, and the table has mean and standard deviation. The best\n"
                   "of each column is marked with a star.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .library_options = scadyg_eval_option_table,
    .library_offset = offsetof(eval_arguments, eval),
    .defaults = defaults,
    .size = sizeof(eval_arguments),
    .run = run,
};
