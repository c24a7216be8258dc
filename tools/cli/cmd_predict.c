/* scadyg predict: how likely pairs are to meet. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/describe.h"
#include "cli/open_events.h"
#include "cli/output.h"
#include "cli/pair_list.h"

typedef struct predict_arguments {
    cli_common common;
    const char *input;
    const char *output;
} predict_arguments;

static const sg_option options[] = {
    CLI_ROW_FILE(predict_arguments, input, "input", 'i', "FILE", "the pairs, as src,dst,time; - is standard input",
                 0, SCADYG_FILE_READ),
    CLI_ROW_OUTPUT(predict_arguments, output, "FILE", "the CSV to write"),
    CLI_ROW_NO_STATE,
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example examples[] = {
    {"scadyg predict log.scadyg log.events -i pairs.csv -o scores.csv", "score and probability of every pair"},
    {"echo alice,bob | scadyg predict log.scadyg log.events -i -", "one pair, now"},
    {NULL, NULL}};

/* The pairs as numbers, and what comes out. */
typedef struct questions {
    const char *name; /* of the input */
    cli_pairs pairs;
    scadyg_time_reader *times; /* of the log */
    uint32_t *src, *dst;
    double *time, *score;
} questions;

static int resolve_time(const cli_session *session, questions *q, size_t i, scadyg_error *error)
{
    const cli_pair *pair = &q->pairs.pairs[i];
    const scadyg_shape *shape = session->shape;
    scadyg_error reason = {0};
    if (!*pair->time.text) {
        q->time[i] = session->at;
        return SCADYG_OK;
    }
    if (scadyg_time_reader_read(q->times, pair->time.text, &q->time[i], &reason))
        return cli_pairs_fail(q->name, pair, &pair->time, reason.message, error);
    if (q->time[i] >= shape->first_time) return SCADYG_OK;
    return cli_pairs_fail(q->name, pair, &pair->time,
                          cli_text("the time '%.64s' lies before the first event, at %s", pair->time.text,
                                   cli_time(shape, shape->first_time)),
                          error);
}

/* An id that is not there is a fault of its row. */
static int resolve_node(const cli_session *session, const questions *q, const cli_pair *pair, int role,
                        uint32_t *node, scadyg_error *error)
{
    const cli_field *id = role == SCADYG_SOURCE ? &pair->src : &pair->dst;
    scadyg_error reason = {0};
    int status = scadyg_node_find(session->events, role, id->text, node, &reason);
    if (status == SCADYG_E_NOT_FOUND) return cli_pairs_fail(q->name, pair, id, reason.message, error);
    if (status) *error = reason;
    return status;
}

static int resolve_pairs(const cli_session *session, questions *q, scadyg_error *error)
{
    for (size_t i = 0; i < q->pairs.count; i++) {
        const cli_pair *pair = &q->pairs.pairs[i];
        if (resolve_node(session, q, pair, SCADYG_SOURCE, &q->src[i], error) ||
            resolve_node(session, q, pair, SCADYG_DESTINATION, &q->dst[i], error))
            return error->status;
        if (resolve_time(session, q, i, error)) return error->status;
    }
    return SCADYG_OK;
}

static int allocate_questions(questions *q, scadyg_error *error)
{
    size_t room = q->pairs.count + 1;
    q->src = malloc(room * sizeof *q->src);
    q->dst = malloc(room * sizeof *q->dst);
    q->time = malloc(room * sizeof *q->time);
    q->score = malloc(room * sizeof *q->score);
    return q->src && q->dst && q->time && q->score ? SCADYG_OK : sg_fail_memory(error, "so many pairs");
}

/* In the input's order; logits are computed in float, counts and times of the baselines are not. */
static int write_scores(const cli_session *session, const questions *q, const char *output, scadyg_error *error)
{
    cli_csv csv = {0};
    const int digits = session->info->learns ? 9 : 15;
    cli_csv_text(&csv, "src,dst,time,score,probability\n");
    for (size_t i = 0; i < q->pairs.count; i++) {
        const cli_pair *pair = &q->pairs.pairs[i];
        char now[64];
        /* Now is just behind the last event: its time has the digits that a person knows. */
        const int just_behind = q->time[i] == nextafter(session->shape->last_time, INFINITY);
        scadyg_time_reader_text(q->times, just_behind ? session->shape->last_time : q->time[i], now);
        cli_csv_field(&csv, pair->src.text);
        cli_csv_field(&csv, pair->dst.text);
        cli_csv_field(&csv, *pair->time.text ? pair->time.text : now);
        cli_csv_number(&csv, q->score[i], digits);
        cli_csv_number(&csv, scadyg_probability(session->model, q->score[i]), 9);
        cli_csv_line(&csv);
    }
    return cli_csv_write(&csv, output, error);
}

/* Where the scores go to standard output, what is said of them goes elsewhere. */
static void tell_seen(const cli_call *call, const cli_session *session, const questions *q, int to_file)
{
    const predict_arguments *arguments = call->arguments;
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < q->pairs.count; i++) {
        first = fmin(first, q->time[i]);
        last = fmax(last, q->time[i]);
    }
    if (arguments->common.quiet || !q->pairs.count) return;
    const char *sees = cli_session_sees(session, last);
    const char *sentence =
        first < last ? cli_text("each pair sees events strictly before its time; the latest %s", sees) : sees;
    if (to_file)
        printf("        %s\n", sentence);
    else
        cli_note(call->command, "%s", sentence);
}

static double find_earliest(const questions *q)
{
    double earliest = INFINITY;
    for (size_t i = 0; i < q->pairs.count; i++) earliest = q->time[i] < earliest ? q->time[i] : earliest;
    return earliest;
}

static int answer_questions(const cli_call *call, cli_session *session, questions *q)
{
    const predict_arguments *arguments = call->arguments;
    if (cli_pairs_read(arguments->input, &q->pairs, call->error) ||
        scadyg_time_reader_open(session->events, &q->times, call->error) || allocate_questions(q, call->error) ||
        resolve_pairs(session, q, call->error))
        return cli_failed(call, arguments->output);
    const int code = cli_session_ask(call, find_earliest(q), session);
    if (code) return code;
    if (scadyg_predict(session->predictor, q->src, q->dst, q->time, q->pairs.count, q->score, call->error))
        return cli_failed(call, arguments->output);
    cli_progress_erase();
    if (write_scores(session, q, arguments->output, call->error)) return cli_failed(call, arguments->output);
    const int to_file = arguments->output && strcmp(arguments->output, "-") != 0;
    if (to_file && !arguments->common.quiet)
        printf("wrote   %s, %s\n", cli_safe(arguments->output), cli_counted(q->pairs.count, "pair", "pairs"));
    tell_seen(call, session, q, to_file);
    if (session->info->answers_as && !arguments->common.quiet)
        cli_note(call->command, "the model answers as the baseline %s, which has scores but no probabilities",
                 session->info->answers_as);
    else if (session->info->learns && !session->info->probabilities && !arguments->common.quiet)
        cli_note(call->command, "the model was trained with --binary 0: it has scores but no probabilities");
    return CLI_OK;
}

static int run(cli_call *call)
{
    const predict_arguments *arguments = call->arguments;
    if (!arguments->input)
        return cli_usage(call->command, "no pairs given; add -i pairs.csv, or -i - for standard input");
    cli_session session;
    questions q = {.name = strcmp(arguments->input, "-") == 0 ? "standard input" : arguments->input};
    int code = cli_session_prepare(call, "link", NULL, &session);
    if (!code) code = answer_questions(call, &session, &q);
    if (!code) cli_session_keep(call, &session);
    cli_pairs_free(&q.pairs);
    scadyg_time_reader_close(q.times);
    free(q.src);
    free(q.dst);
    free(q.time);
    free(q.score);
    cli_session_close(&session);
    return code;
}

const cli_command cli_predict = {
    .name = "predict",
    .summary = "score and probability of pairs at their times",
    .operands = "M.scadyg X.events -i pairs.csv",
    .description =
        "Reads pairs, one per line, and writes them back in the same order with a score, higher is\n"
        "likelier, and how likely a pair is an event rather than a random pair; nothing where the model\n"
        "gives no probabilities (a baseline, or one trained with --binary 0).\n"
        "Columns are separated by commas, semicolons, tabs or blanks; a header is known by its names,\n"
        "and without one they are src, dst, time. Where there is no time, it is just after the last\n"
        "event. For the most likely destinations of one source use rank, which is better at that.\n"
        "\n"
        "Every prediction sees only events strictly before its time. The events may be newer than\n"
        "those the model was trained on; a text log is taken too. A pair that cannot be predicted\n"
        "stops with its file, line and column, and nothing is written.",
    .examples = examples,
    CLI_OPTIONS(options),
    .reads_log = 1,
    CLI_DEFAULTS({"input", "required"}, {"output", "standard output"}),
    .size = sizeof(predict_arguments),
    .run = run,
};
