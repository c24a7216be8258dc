/* scadyg eval: how good a model is, by a protocol, beside the baselines. */
#include <string.h>

#include "cli/describe.h"
#include "cli/open_events.h"
#include "cli/output.h"
#include "cli/result.h"

typedef struct eval_arguments {
    cli_common common;
    const char *json;
} eval_arguments;

static const sg_option options[] = {
    CLI_ROW_FILE(eval_arguments, json, "json", 0, "F.json",
                 "also write the result there; - prints it instead of the table", 0, SCADYG_FILE_WRITTEN),
    CLI_ROW_LABELS,
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example examples[] = {
    {"scadyg eval log.scadyg log.events", "the test part by the protocol that fits the model"},
    {"scadyg eval log.scadyg log.events --pool destination --seeds 5",
     "harder negatives, five draws of them: mean and deviation"},
    {"scadyg eval log.scadyg log.events --protocol tgb-link --json -", "as JSON for a program"},
    {NULL, NULL}};

/* What the JSON says beyond the result itself: with which files, and how long it took. */
static json_t *whole_json(const scadyg_result *result, const cli_session *session)
{
    json_t *object = cli_result_json(result);
    int failed = !object;
    failed |=
        cli_json_add(object, json_pack("{s:o, s:o, s:s, s:I}", "model_file", cli_json_text(session->model_path),
                                       "events_file", cli_json_text(session->events_path), "task",
                                       session->info->task, "parameters", (json_int_t)session->info->parameters));
    if (result->count > 0)
        failed |= json_object_set_new(object, "seconds", json_real(result->evaluated[0]->seconds));
    return cli_json_whole(object, failed);
}

static int print_result(const cli_call *call, const scadyg_result *result, const cli_session *session)
{
    const eval_arguments *arguments = call->arguments;
    int to_output = arguments->json && strcmp(arguments->json, "-") == 0;
    cli_progress_erase();
    json_t *object = whole_json(result, session);
    int code = CLI_OK;
    if (!object)
        code = cli_fail(call->command, "not enough memory for the result");
    else if (arguments->json && cli_json_write(arguments->json, object, call->error))
        code = cli_failed(call, arguments->json);
    if (!code && !to_output && !arguments->common.quiet) {
        cli_result_print(object, session->shape);
        if (arguments->common.verbose)
            for (size_t i = 0; i < result->count; i++)
                printf("%s%s %.2f s", i ? ", " : "\none pass: ", result->evaluated[i]->name,
                       result->evaluated[i]->seconds);
        if (arguments->common.verbose) putchar('\n');
    }
    json_decref(object);
    return code;
}

static int evaluate(const cli_call *call, const cli_session *session)
{
    scadyg_result *result = NULL;
    if (scadyg_evaluate(call->context, session->model, session->events, call->tables.set, &result, call->error))
        return cli_failed(call, NULL);
    int code = print_result(call, result, session);
    scadyg_result_free(result);
    return code;
}

static int run(cli_call *call)
{
    cli_session session = {0};
    int code = cli_session_open(call, &session);
    if (!code) code = evaluate(call, &session);
    cli_session_close(&session);
    return code;
}

const cli_command cli_eval = {
    .name = "eval",
    .summary = "judge a model by a published protocol, beside simple rules",
    .operands = "M.scadyg X.events",
    .description = "Scores a model and the baselines on the test part of the events, by one of four protocols\n"
                   "(docs/protocols.md says how each splits, draws, ranks and averages). With --seeds the\n"
                   "negatives are drawn so many times, and the table has mean and standard deviation. The best\n"
                   "of each column is marked with a star.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    .set = "evaluate",
    .size = sizeof(eval_arguments),
    .run = run,
};
