/* scadyg rank: whom a node will meet next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "session.h"
#include "shape.h"

typedef struct rank_arguments {
    cli_common common;
    const char *source;
    const char *at;
    int64_t top;
    int exclude_seen;
} rank_arguments;

#define FIELD(field) .offset = offsetof(rank_arguments, field), .least = 1, .most = 0

static const scadyg_option options[] = {
    {.name = "source", .kind = SCADYG_OPTION_TEXT, FIELD(source), .argument = "ID", .help = "whose partners"},
    CLI_OPTION_AT(rank_arguments),
    CLI_OPTION_TOP(rank_arguments),
    {.name = "exclude-seen",
     .kind = SCADYG_OPTION_FLAG,
     FIELD(exclude_seen),
     .help = "leave out those the source has met before"},
    CLI_OPTION_JSON("print JSON with all digits"),
    CLI_OPTION_THREADS,
};

static const cli_default defaults[] = {{"source", "required"}, {"at", "after the last event"}, {NULL, NULL}};

static const char *const examples[] = {
    "scadyg rank log.scadyg log.events --source alice", "the ten likeliest partners of alice, now",
    "scadyg rank log.scadyg log.events --source alice --exclude-seen --top 3", "three she has not met yet", NULL};

typedef struct ranking {
    const cli_session *session;
    uint32_t source;
    uint32_t *nodes;
    double *scores, *probabilities;
    size_t count;
} ranking;

static json_t *entry_json(const ranking *r, size_t i, scadyg_error *error)
{
    char *id = cli_node_id(r->session->events, r->nodes[i], error);
    json_t *entry = json_object();
    int failed = !id || json_object_set_new(entry, "rank", json_integer((json_int_t)i + 1));
    failed |= json_object_set_new(entry, "node", id ? json_string(id) : NULL);
    failed |= json_object_set_new(entry, "score", cli_json_number(r->scores[i]));
    failed |= json_object_set_new(entry, "probability", cli_json_number(r->probabilities[i]));
    free(id);
    if (!failed) return entry;
    json_decref(entry);
    return NULL;
}

static json_t *ranking_json(const ranking *r, scadyg_error *error)
{
    char *id = cli_node_id(r->session->events, r->source, error);
    json_t *object = json_object(), *list = json_array();
    int failed = !id || json_object_set_new(object, "source", json_string(id));
    failed |= json_object_set_new(object, "at", cli_json_number(r->session->at));
    for (size_t i = 0; i < r->count && !failed; i++) failed |= json_array_append_new(list, entry_json(r, i, error));
    failed |= json_object_set_new(object, "ranking", list);
    free(id);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static int print_table(const ranking *r, const cli_common *common, const char *source, scadyg_error *error)
{
    if (!common->quiet) {
        printf("partners of ");
        cli_session_heading(r->session, source);
    }
    int known = r->count > 0 && !isnan(r->probabilities[0]);
    printf("rank  %-24s %12s%s\n", "node", "score", known ? "  probability" : "");
    for (size_t i = 0; i < r->count; i++) {
        char *name = cli_node_text(r->session->events, r->nodes[i], error);
        if (!name) return error->status;
        printf("%4zu  ", i + 1);
        cli_print_padded(name, 24, 0);
        printf(" %12.6g", r->scores[i]);
        if (known) printf("  %11.4f", r->probabilities[i]);
        putchar('\n');
        free(name);
    }
    if (r->count == 0 && !common->quiet) printf("   -  nobody is left to choose from\n");
    return SCADYG_OK;
}

/* Rules have ties by nature; a net only where it knows nothing of anybody, as when a window has passed by all events. */
static void warn_of_ties(const cli_call *call, const ranking *r)
{
    const rank_arguments *arguments = call->arguments;
    if (arguments->common.quiet || r->count < 2 || r->session->info->options->model != SCADYG_MODEL_SCADYG) return;
    for (size_t i = 1; i < r->count; i++)
        if (r->scores[i] != r->scores[0]) return;
    cli_note(call->command, "warning: all of these have the same score, so their order says nothing%s",
             r->session->info->options->messages.window && r->session->at > r->session->shape->last_time
                 ? "; the model's --window may not reach back from this time to the last events"
                 : "");
}

static int print(const cli_call *call, const ranking *r)
{
    const rank_arguments *arguments = call->arguments;
    scadyg_error error = {0};
    cli_progress_erase();
    warn_of_ties(call, r);
    if (arguments->common.json) {
        json_t *object = ranking_json(r, &error);
        return error.status ? cli_fail_error(call->command, &error, NULL) : cli_json_print(call->command, object);
    }
    char *source = cli_node_text(r->session->events, r->source, &error);
    int failed = !source || print_table(r, &arguments->common, source, &error);
    free(source);
    return failed ? cli_fail_error(call->command, &error, NULL) : CLI_OK;
}

static int compute(const cli_call *call, ranking *r)
{
    const rank_arguments *arguments = call->arguments;
    uint64_t nodes = r->session->shape->nodes;
    size_t top = (uint64_t)arguments->top < nodes ? (size_t)arguments->top : (size_t)nodes;
    scadyg_error error = {0};
    r->nodes = malloc((top + 1) * sizeof *r->nodes);
    r->scores = malloc((top + 1) * sizeof *r->scores);
    r->probabilities = malloc((top + 1) * sizeof *r->probabilities);
    if (!r->nodes || !r->scores || !r->probabilities)
        return cli_fail(call->command, "not enough memory for the ranking");
    if (scadyg_rank(r->session->predictor, r->source, r->session->at, arguments->exclude_seen, top, r->nodes,
                    r->scores, r->probabilities, &r->count, &error))
        return cli_fail_error(call->command, &error, NULL);
    return CLI_OK;
}

static int run(cli_call *call)
{
    const rank_arguments *arguments = call->arguments;
    if (!arguments->source) return cli_usage(call->command, "no source given; add --source ID");
    cli_session session;
    ranking r = {.session = &session};
    int code = cli_session_open(call, SCADYG_TASK_LINK, arguments->at, &session);
    if (!code) code = cli_session_node(call, &session, arguments->source, &r.source);
    if (!code) code = compute(call, &r);
    if (!code) code = print(call, &r);
    free(r.nodes);
    free(r.scores);
    free(r.probabilities);
    cli_session_close(&session);
    return code;
}

const cli_command cli_rank = {
    .name = "rank",
    .summary = "the likeliest partners of a node",
    .operands = "M.scadyg X.events --source ID",
    .description = "Ranks the nodes that a source may turn to next, best first. Candidates are all nodes that\n"
                   "have been a destination before the time. The probability is that of being the next one the\n"
                   "source meets, if it is one of the candidates: over all of them it adds up to 1. The events\n"
                   "may be newer than those the model was trained on; a text log is taken too.",
    .examples = examples,
    .options = options,
    .option_count = CLI_COUNT(options),
    .defaults = defaults,
    .size = sizeof(rank_arguments),
    .run = run,
};
