/* scadyg eval: how good a model is, by a protocol, beside the baselines. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

#include "cli/describe.h"
#include "cli/open_events.h"
#include "cli/output.h"
#include "cli/result.h"

typedef struct eval_arguments {
    cli_common common;
    const char *json;
    const char *queries; /* where they go */
} eval_arguments;

static const sg_option options[] = {
    CLI_ROW_FILE(eval_arguments, json, "json", 0, "F.json",
                 "also write the result there; - prints it instead of the table", 0, SCADYG_FILE_WRITTEN),
    CLI_ROW_FILE(eval_arguments, queries, "write-queries", 0, "F.csv",
                 "live: write what was asked there, to ask another model the same", 1, SCADYG_FILE_WRITTEN),
    CLI_ROW_LABELS,
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example examples[] = {
    {"scadyg eval log.scadyg log.events", "the test part by the protocol that fits the model"},
    {"scadyg eval log.scadyg log.events --protocol tgb-link --seeds 5",
     "a published protocol, negatives drawn five times: mean and deviation"},
    {"scadyg eval log.scadyg log.events --json -", "as JSON for a program"},
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
        if (session->info->answers_as)
            printf("  the model answers as the baseline %s: no epoch was clearly better in validation\n",
                   session->info->answers_as);
        if (arguments->common.verbose)
            for (size_t i = 0; i < result->count; i++)
                printf("%s%s %.2f s", i ? ", " : "\none pass: ", result->evaluated[i]->name,
                       result->evaluated[i]->seconds);
        if (arguments->common.verbose) putchar('\n');
    }
    json_decref(object);
    return code;
}

/* ---- The queries, for other programs ---- */

/* Nodes are named by the first event that went to them, which means the same to everybody who has the log. */
typedef struct written_queries {
    uint64_t *first; /* [nodes]: UINT64_MAX if there is none */
    cli_csv csv;
} written_queries;

static int find_first_events(const cli_session *session, written_queries *queries, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(session->events);
    const void *column;
    int status = scadyg_events_column(session->events, SCADYG_COLUMN_DST, &column, error);
    if (status) return status;
    const uint32_t *dst = column;
    queries->first = sg_alloc((size_t)shape->nodes, sizeof *queries->first);
    if (!queries->first) return sg_fail_memory(error, "the destinations");
    memset(queries->first, 0xFF, (size_t)shape->nodes * sizeof *queries->first);
    for (uint64_t e = 0; e < shape->events; e++)
        if (queries->first[dst[e]] == UINT64_MAX) queries->first[dst[e]] = e;
    return SCADYG_OK;
}

static void write_query(void *data, const scadyg_query *query)
{
    written_queries *queries = data;
    if (query->evaluated || !query->negatives) return; /* all of those evaluated are asked the same */
    cli_csv *csv = &queries->csv;
    cli_csv_text(csv, cli_text("%llu,%zu,%llu,%.9g,", (unsigned long long)query->events[0], query->seed,
                               (unsigned long long)query->seen, 1 / query->score));
    if (query->all_negatives) cli_csv_text(csv, "all");
    for (size_t i = 0; i < query->negative_count && !query->all_negatives; i++)
        cli_csv_text(csv, cli_text(i ? " %llu" : "%llu", (unsigned long long)queries->first[query->negatives[i]]));
    cli_csv_text(csv, "\n");
}

/* Before all the work, not after it. */
static int check_queries(const cli_call *call, const cli_session *session)
{
    char protocol[32];
    scadyg_options_get(call->tables.set, "protocol", protocol, sizeof protocol);
    const int is_auto = strcmp(protocol, "auto") == 0;
    if (strcmp(is_auto ? scadyg_model_protocol(session->model) : protocol, "live") == 0) return SCADYG_OK;
    return sg_fail(call->error, SCADYG_E_USAGE, "--write-queries is for the protocol live");
}

static int ask_all(const cli_call *call, const cli_session *session, scadyg_result **result)
{
    const eval_arguments *arguments = call->arguments;
    written_queries queries = {0};
    if (!arguments->queries)
        return scadyg_evaluate(call->context, session->model, session->events, call->tables.set, result,
                               call->error);
    int status = check_queries(call, session);
    if (!status) status = find_first_events(session, &queries, call->error);
    cli_csv_text(&queries.csv, "event,seed,seen,rank,negatives\n");
    if (!status)
        status = scadyg_evaluate_queries(call->context, session->model, session->events, call->tables.set,
                                         write_query, &queries, result, call->error);
    if (!status) status = cli_csv_write(&queries.csv, arguments->queries, call->error);
    SG_FREE(queries.csv.text, queries.first);
    return status;
}

static int tell_left_out(const cli_call *call, const cli_session *session)
{
    const eval_arguments *arguments = call->arguments;
    char names[CLI_LEFT_OUT] = "";
    if (arguments->common.quiet) return SCADYG_OK;
    int status = scadyg_baselines_left_out(call->context, session->model, session->events, call->tables.set, names,
                                           sizeof names, call->error);
    if (!status && *names) cli_note(call->command, CLI_LEFT_OUT_WORDS, names);
    return status;
}

static int evaluate(const cli_call *call, const cli_session *session)
{
    const eval_arguments *arguments = call->arguments;
    scadyg_result *result = NULL;
    int failed = tell_left_out(call, session);
    if (!failed) failed = ask_all(call, session, &result);
    const int code = failed ? cli_failed(call, arguments->queries) : print_result(call, result, session);
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
    .summary = "evaluate a model: live, or by a published protocol",
    .operands = "M.scadyg X.events",
    .description = "Scores a model and the baselines on the test part of the events: where the real destination\n"
                   "ranks at the time of each event (live), or by one of four published protocols. What the model\n"
                   "was trained on is never scored. With --seeds the negatives are drawn so many times, and the\n"
                   "table has mean and standard deviation. The best of each column is marked with a star.\n"
                   "docs/protocols.md says how each protocol splits, draws, ranks and averages.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    .set = "evaluate",
    .size = sizeof(eval_arguments),
    .run = run,
};
