/* scadyg rank and affinity: the most likely next destinations of a source, and what a node will choose. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/describe.h"
#include "cli/open_events.h"

typedef struct rank_arguments {
    cli_common common;
    const char *node;
    const char *at;
    int64_t top;
    int exclude_seen, exact;
} rank_arguments;

/* What is ranked for a node: other nodes, or classes. */
typedef struct ranking {
    const cli_session *session;
    uint32_t node;
    size_t count;
    uint32_t *nodes;
    double *scores, *probabilities; /* of classes: shares */
} ranking;

static int open_ranking(ranking *r, size_t count, scadyg_error *error)
{
    r->nodes = calloc(count + 1, sizeof *r->nodes);
    r->scores = calloc(count + 1, sizeof *r->scores);
    r->probabilities = calloc(count + 1, sizeof *r->probabilities);
    return r->nodes && r->scores && r->probabilities ? SCADYG_OK : sg_fail_memory(error, "the ranking");
}

/* The member `key` with the node's id, the time, and the list. */
static json_t *ranking_json(const ranking *r, const char *key, const char *list_key, json_t *list,
                            scadyg_error *error)
{
    char *id = cli_node_id(r->session->events, r->node, error);
    json_t *object =
        json_pack("{s:o, s:o, s:o}", key, cli_json_text(id), "at", cli_json_number(r->session->at), list_key, list);
    free(id);
    return cli_json_whole(object, cli_session_sees_json(r->session, object) || error->status);
}

static int print_ranking(const cli_call *call, json_t *object)
{
    return call->error->status ? cli_failed(call, NULL) : cli_json_print(call->command, object);
}

static int print_heading(const cli_call *call, const ranking *r, const char *what, scadyg_error *error)
{
    const rank_arguments *arguments = call->arguments;
    char *node = cli_node_text(r->session->events, r->node, error);
    if (!node) return error->status;
    if (!arguments->common.quiet) {
        printf("%s of ", what);
        cli_session_heading(r->session, node);
    }
    free(node);
    return SCADYG_OK;
}

static void print_name(size_t place, const char *name)
{
    printf("%4zu  ", place + 1);
    cli_print_padded(name ? name : "?", 24, 0);
}

/* Opens the session and the node, and hands both to `answer`. The log is followed only for a node that is there. */
static int run_for_node(cli_call *call, const char *task, int (*answer)(const cli_call *call, ranking *r))
{
    const rank_arguments *arguments = call->arguments;
    cli_session session;
    ranking r = {.session = &session};
    int code = cli_session_prepare(call, task, arguments->at, &session);
    if (!code) code = cli_session_node(call, &session, SCADYG_SOURCE, arguments->node, &r.node);
    if (!code) code = cli_session_ask(call, session.at, &session);
    if (!code) code = cli_events_check(call, session.events, answer(call, &r));
    if (!code) cli_session_keep(call, &session);
    free(r.nodes);
    free(r.scores);
    free(r.probabilities);
    cli_session_close(&session);
    return code;
}

/* ---- rank ---- */

static const sg_option rank_options[] = {
    CLI_ROW_TEXT(rank_arguments, node, "source", 0, "ID", "the source: an id as in the log", 0),
    CLI_ROW_AT(rank_arguments),
    CLI_ROW_TOP(rank_arguments),
    CLI_ROW_FLAG(rank_arguments, exclude_seen, "exclude-seen", 0, "leave out those the source has met before", 0),
    CLI_ROW_FLAG(rank_arguments, exact, "exact", 0,
                 "score every candidate; without it, of more than 4,096 some thousand that are likely", 0),
    CLI_ROW_JSON("print JSON with all digits"),
    CLI_ROW_NO_STATE,
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example rank_examples[] = {
    {"scadyg rank log.scadyg log.events --source alice", "the ten most likely next destinations of alice, now"},
    {"scadyg rank log.scadyg log.events --source alice --exclude-seen --top 3", "three she has not met yet"},
    {NULL, NULL}};

static json_t *nodes_json(const ranking *r, scadyg_error *error)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->count && !failed; i++) {
        char *id = cli_node_id(r->session->events, r->nodes[i], error);
        failed = !id || json_array_append_new(list, json_pack("{s:I, s:s, s:o, s:o}", "rank", (json_int_t)i + 1,
                                                              "node", id, "score", cli_json_number(r->scores[i]),
                                                              "probability", cli_json_number(r->probabilities[i])));
        free(id);
    }
    return cli_json_whole(list, failed);
}

static int print_nodes(const cli_call *call, const ranking *r, scadyg_error *error)
{
    const rank_arguments *arguments = call->arguments;
    if (print_heading(call, r, "next destinations", error)) return error->status;
    const int known = r->count > 0 && !isnan(r->probabilities[0]);
    printf("rank  %-24s %12s%s\n", "node", "score", known ? "  probability" : "");
    for (size_t i = 0; i < r->count; i++) {
        char *name = cli_node_text(r->session->events, r->nodes[i], error);
        if (!name) return error->status;
        print_name(i, name);
        printf(" %12.6g", r->scores[i]);
        if (known) printf("  %11.4f", r->probabilities[i]);
        putchar('\n');
        free(name);
    }
    if (r->count == 0 && !arguments->common.quiet) printf("   -  nobody is left to choose from\n");
    return SCADYG_OK;
}

/* Rules have ties by nature; a net only where it knows nothing of anybody, as when a window has passed by all events. */
static void warn_of_ties(const cli_call *call, const ranking *r)
{
    const rank_arguments *arguments = call->arguments;
    const scadyg_options *options = r->session->info->options;
    if (arguments->common.quiet || r->count < 2 || !r->session->info->learns) return;
    for (size_t i = 1; i < r->count; i++)
        if (r->scores[i] != r->scores[0]) return;
    const int windowed = cli_option_find(options, "window") && !cli_option_is(options, "window", "all");
    cli_note(call->command, "warning: all of these have the same score, so their order says nothing%s",
             windowed && r->session->at > r->session->shape->last_time
                 ? "; the model's --window may not reach back from this time to the last events"
                 : "");
}

static int answer_rank(const cli_call *call, ranking *r)
{
    const rank_arguments *arguments = call->arguments;
    const uint64_t nodes = r->session->shape->nodes;
    const size_t top = (uint64_t)arguments->top < nodes ? (size_t)arguments->top : (size_t)nodes;
    const int how =
        (arguments->exclude_seen ? SCADYG_RANK_EXCLUDE_SEEN : 0) | (arguments->exact ? SCADYG_RANK_EXACT : 0);
    if (open_ranking(r, top, call->error) ||
        scadyg_rank(r->session->predictor, r->node, r->session->at, how, top, r->nodes, r->scores, r->probabilities,
                    &r->count, call->error))
        return cli_failed(call, NULL);
    cli_progress_erase();
    warn_of_ties(call, r);
    if (!arguments->common.json) return print_nodes(call, r, call->error) ? cli_failed(call, NULL) : CLI_OK;
    return print_ranking(call, ranking_json(r, "source", "ranking", nodes_json(r, call->error), call->error));
}

static int run_rank(cli_call *call)
{
    const rank_arguments *arguments = call->arguments;
    if (!arguments->node) return cli_usage(call->command, "no source given; add --source ID");
    return run_for_node(call, "link", answer_rank);
}

const cli_command cli_rank = {
    .name = "rank",
    .summary = "the most likely next destinations of a source",
    .operands = "M.scadyg X.events --source ID",
    .description = "Ranks the nodes that a source may choose next, best first. Candidates are all nodes that\n"
                   "have been a destination before the time. The probability is that of being the next one the\n"
                   "source meets, if it is one of the candidates: over all of them it adds up to 1. The events\n"
                   "may be newer than those the model was trained on; a text log is taken too. Of more than 4,096\n"
                   "candidates the default model scores about 2,000 that are likely, in some milliseconds:\n"
                   "partners of the source, partners of theirs, what came up together, the popular and the new.\n"
                   "Scores are the same as among all, probabilities then estimates, and one of the best is hardly\n"
                   "ever missed. With --exact, and for a --top above 100, all are scored. Beside a log of\n"
                   "100,000 events or more the state after them is kept (X.state), so that the next answer need\n"
                   "not follow it again; when the log has grown, only what is new is followed.",
    .examples = rank_examples,
    CLI_OPTIONS(rank_options),
    .reads_log = 1,
    CLI_DEFAULTS({"source", "required"}, {"at", "after the last event"}),
    .size = sizeof(rank_arguments),
    .run = run_rank,
};

/* ---- affinity ---- */

static const sg_option affinity_options[] = {
    CLI_ROW_TEXT(rank_arguments, node, "node", 0, "ID", "whose affinities", 0),
    CLI_ROW_LABELS,
    CLI_ROW_AT(rank_arguments),
    CLI_ROW_TOP(rank_arguments),
    CLI_ROW_JSON("print JSON with all digits"),
    CLI_ROW_THREADS,
    CLI_ROW_ANSWER_MEMORY,
};

static const cli_example affinity_examples[] = {{"scadyg affinity trade.scadyg trade.events --node France",
                                                 "with whom most of its trade will be, and what share"},
                                                {NULL, NULL}};

typedef struct share {
    double value;
    uint32_t class;
} share;

/* The largest first; equal ones in the order of the classes. */
static int larger_first(const void *a, const void *b)
{
    const share *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return x->class < y->class ? -1 : x->class > y->class;
}

/* Sorts the shares of all classes and keeps the first of them. */
static int sort_shares(ranking *r, size_t classes, size_t top, scadyg_error *error)
{
    share *shares = malloc((classes + 1) * sizeof *shares);
    if (!shares) return sg_fail_memory(error, "the ranking");
    for (size_t i = 0; i < classes; i++) shares[i] = (share){r->scores[i], (uint32_t)i};
    qsort(shares, classes, sizeof *shares, larger_first);
    r->count = top < classes ? top : classes;
    for (size_t i = 0; i < r->count; i++) r->nodes[i] = shares[i].class, r->scores[i] = shares[i].value;
    free(shares);
    return SCADYG_OK;
}

static json_t *classes_json(const ranking *r)
{
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->count; i++)
        failed |=
            json_array_append_new(list, json_pack("{s:I, s:o, s:o}", "rank", (json_int_t)i + 1, "class",
                                                  cli_json_text(scadyg_model_class(r->session->model, r->nodes[i])),
                                                  "share", cli_json_number(r->scores[i])));
    return cli_json_whole(list, failed);
}

static int print_classes(const cli_call *call, const ranking *r, scadyg_error *error)
{
    if (print_heading(call, r, "affinities", error)) return error->status;
    printf("rank  %-24s %10s\n", "class", "share");
    for (size_t i = 0; i < r->count; i++) {
        const char *class = scadyg_model_class(r->session->model, r->nodes[i]);
        char *name = cli_safe_text(class ? class : "?");
        print_name(i, name);
        printf(" %10.4f\n", r->scores[i]);
        free(name);
    }
    return SCADYG_OK;
}

static int answer_affinity(const cli_call *call, ranking *r)
{
    const rank_arguments *arguments = call->arguments;
    const size_t classes = r->session->info->classes;
    if (open_ranking(r, classes, call->error) ||
        scadyg_affinity(r->session->predictor, r->node, r->session->at, r->scores, call->error) ||
        sort_shares(r, classes, (size_t)arguments->top, call->error))
        return cli_failed(call, NULL);
    cli_progress_erase();
    if (!arguments->common.json) return print_classes(call, r, call->error) ? cli_failed(call, NULL) : CLI_OK;
    json_t *object = ranking_json(r, "node", "affinities", classes_json(r), call->error);
    json_object_set_new(object, "classes", json_integer((json_int_t)classes));
    return print_ranking(call, object);
}

static int run_affinity(cli_call *call)
{
    const rank_arguments *arguments = call->arguments;
    if (!arguments->node) return cli_usage(call->command, "no node given; add --node ID");
    return run_for_node(call, "affinity", answer_affinity);
}

const cli_command cli_affinity = {
    .name = "affinity",
    .summary = "what a node will choose next, and with what share",
    .operands = "M.scadyg X.events --node ID",
    .description = "Shows how a node's weight will be shared out over the classes in the next step, as a model\n"
                   "trained with --task affinity predicts it: the largest shares first. All shares of a node\n"
                   "add up to 1.",
    .examples = affinity_examples,
    CLI_OPTIONS(affinity_options),
    .reads_log = 1,
    CLI_DEFAULTS({"node", "required"}, {"at", "after the last event"}),
    .size = sizeof(rank_arguments),
    .run = run_affinity,
};
