/* Evaluation: a model and the baselines of its task, by one protocol on one file. */
#include "base/memory.h"
#include "evaluate/negatives.h"
#include "models/baselines/rules.h"
#include "models/kind.h"

#include "scadyg_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVALUATED_MOST 32

typedef struct evaluating {
    const scadyg_model *model;
    sg_eval_options options;
    sg_view view;
    sg_evaluated_data data;
    sg_labels labels;
    sg_past past;   /* the baselines share it */
    unsigned keeps; /* what of it fits into the memory: SG_KEEPS_... */
    sg_scorer scorers[EVALUATED_MOST];
    sg_label_scorer label_scorers[EVALUATED_MOST];
    const char *names[EVALUATED_MOST];
    size_t count;
    sg_evaluation_scores scores;
    double seconds[EVALUATED_MOST], errors[EVALUATED_MOST];
    double score_errors[EVALUATED_MOST * SG_SCORES], own_errors[EVALUATED_MOST * SG_SCORES];
} evaluating;

/* ---- The protocol ---- */

const char *scadyg_model_protocol(const scadyg_model *model)
{
    return sg_protocols[sg_model_protocol(model)].name;
}

static int settle_options(evaluating *e, const scadyg_options *options, scadyg_error *error)
{
    int status = sg_options_values(options, &sg_eval_set, &e->options, error);
    if (status) return status;
    e->options.exactly = 1; /* who names a number has counted */
    if (e->options.protocol == SG_PROTOCOL_AUTO) e->options.protocol = sg_model_protocol(e->model);
    return sg_eval_check(&e->options, e->model->kind->task, error);
}

/* ---- Who is evaluated: the model first ---- */

static int add_kind(evaluating *e, const sg_kind *kind, scadyg_error *error)
{
    const size_t i = e->count;
    if (i == EVALUATED_MOST) return sg_fail(error, SCADYG_E_USAGE, "more than %d are evaluated", EVALUATED_MOST);
    int status = kind->task == SG_TASK_LINK
                     ? kind->scorer_open(kind, &e->view, &e->scorers[i], error)
                     : kind->label_scorer_open(kind, &e->view, &e->labels, &e->label_scorers[i], error);
    if (status) return status;
    e->names[e->count++] = kind->shown.name;
    return SCADYG_OK;
}

/* Whether it stands beside the model under this protocol; and whether what it keeps of the past fits into the memory. */
static int is_baseline(const evaluating *e, const sg_kind *kind)
{
    const sg_kind *own = e->model->kind;
    if (kind->task != own->task || kind->shown.learns || kind == own) return 0;
    return kind->only == SG_PROTOCOL_AUTO || kind->only == e->options.protocol;
}

static int has_past(const evaluating *e, const sg_kind *kind)
{
    const sg_rule *rule = kind->task == SG_TASK_LINK ? sg_link_rule_find(kind->shown.name) : NULL;
    return !rule || !(rule->keeps & ~e->keeps);
}

static int add_all(evaluating *e, scadyg_error *error)
{
    int status = add_kind(e, e->model->kind, error);
    for (size_t i = 0; sg_kinds[i] && e->options.baselines && !status; i++)
        if (is_baseline(e, sg_kinds[i]) && has_past(e, sg_kinds[i])) status = add_kind(e, sg_kinds[i], error);
    return status;
}

/* Another log than the one trained on may end before what the model knows, and that one may have had no test part. */
static int check_later(const evaluating *e, const sg_split *trained, scadyg_error *error)
{
    const scadyg_model *model = e->model;
    const sg_columns *columns = e->view.columns;
    const int by_choice = trained->train_end < columns->count;
    char known[64], last[64];
    if (!model->kind->shown.learns || model->kind->task != SG_TASK_LINK || !columns->count) return SCADYG_OK;
    if (by_choice && (trained->validation_end < columns->count || e->options.part != SG_PART_TEST ||
                      e->options.protocol != SG_PROTOCOL_LIVE))
        return SCADYG_OK;
    scadyg_time_human(model->shape.time_kind, by_choice ? model->validation_end : model->train_end, known);
    scadyg_time_human(e->view.events->shape.time_kind, columns->time[columns->count - 1], last);
    return sg_fail(error, SCADYG_E_USAGE,
                   "there is nothing to evaluate: the model %s the events up to %s, and the log ends at %s; later "
                   "events would be its test part",
                   by_choice ? "was chosen by" : "has learned from", known, last);
}

/* ---- Whether it fits into the memory ---- */

#define LIVE_QUERIES 16016 /* that live asks of itself where sources are many */

/* Sums for the standard errors, of each score that has them and each source that is asked for. */
static double sums_bytes(const evaluating *e, double nodes)
{
    const int live = e->options.protocol == SG_PROTOCOL_LIVE;
    const double queries = e->options.queries > 0            ? (double)e->options.queries
                           : e->options.queries == 0 && live ? LIVE_QUERIES
                                                             : INFINITY;
    const double sources = fmin(nodes, queries);
    return sources * (live ? 5 : 1) * (12 * (1 + SG_LINK_RULES) + 64);
}

/* Beside the baselines and pages of the file: the model, what negatives are drawn from, sums. */
static double own_bytes(const evaluating *e, const scadyg_events *events, const sg_log_size *size)
{
    const double model = e->model->kind->bytes ? e->model->kind->bytes(e->model, &events->shape) : 0;
    const int pool = e->options.pool;
    const int draws_nodes =
        e->options.protocol == SG_PROTOCOL_PAPER && pool != SG_POOL_HISTORICAL && pool != SG_POOL_INDUCTIVE;
    const uint64_t drawn = draws_nodes ? 0 : sg_first_contacts_bytes(size->events, size->pairs, size->nodes);
    return model + sums_bytes(e, (double)size->nodes) + (double)drawn;
}

/* Pages are a quarter of the memory at most. */
static double without_pages(const scadyg_events *events, uint64_t memory)
{
    return (double)memory - fmin((double)events->mapping.size, (double)memory / 4);
}

/* What the model itself keeps as a baseline, or answering as one; that is never left out. */
static unsigned own_past(const evaluating *e)
{
    const char *instead = scadyg_model_look(e->model)->answers_as;
    const sg_rule *rule = sg_link_rule_find(instead ? instead : e->model->kind->shown.name);
    return rule ? rule->keeps : 0;
}

static unsigned wanted_past(const evaluating *e)
{
    const unsigned intervals = e->options.protocol == SG_PROTOCOL_DYGLIB ? SG_KEEPS_INTERVALS : 0;
    return own_past(e) | (e->options.baselines ? SG_KEEPS_GENERAL | intervals : 0);
}

/*
 * What the evaluation takes beside baselines other than the model, and what these can keep within the rest of the memory. The log
 * is counted only where what it can have at most would not fit.
 */
static int find_room(evaluating *e, scadyg_context *context, scadyg_events *events, double *own,
                     scadyg_error *error)
{
    const uint64_t nodes = events->shape.nodes;
    sg_log_size size = sg_log_size_most(events->shape.events, nodes);
    sg_columns columns;
    *own = 0;
    if (e->model->kind->task != SG_TASK_LINK) return SCADYG_OK;
    e->keeps = wanted_past(e);
    *own = own_bytes(e, events, &size);
    const double room = without_pages(events, sg_context_memory(context, 2));
    if (*own + (double)sg_past_bytes(&size, e->keeps) <= room) return SCADYG_OK;
    int status = sg_events_columns(context, events, 0, 0, &columns, error);
    if (!status) status = sg_log_size_count(&columns, nodes, &size, error);
    *own = own_bytes(e, events, &size);
    e->keeps = sg_past_within(&size, e->keeps, room - *own) | own_past(e);
    if (own_past(e)) *own += (double)sg_past_bytes(&size, own_past(e));
    return status;
}

static int check_room(evaluating *e, scadyg_context *context, scadyg_events *events, scadyg_error *error)
{
    const uint64_t memory = sg_context_memory(context, 2);
    double own;
    int status = find_room(e, context, events, &own, error);
    if (status || !e->model->is_read || own <= without_pages(events, memory)) return status;
    return sg_fail(error, SCADYG_E_MEMORY,
                   "an evaluation on these events needs about %.0f bytes, more than the %llu it may take; --memory "
                   "allows more",
                   ceil(fmin(own + (double)events->mapping.size, own / 3 * 4)), (unsigned long long)memory);
}

int scadyg_baselines_left_out(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                              const scadyg_options *options, char *names, size_t size, scadyg_error *error)
{
    evaluating *e = sg_alloc_zero(1, sizeof *e);
    size_t length = 0;
    if (size) names[0] = 0;
    if (!e) return sg_fail_memory(error, "an evaluation");
    e->model = model;
    int status = settle_options(e, options, error);
    if (!status) status = sg_view_check_memory(context, model, events, error);
    if (!status) status = check_room(e, context, events, error);
    for (size_t i = 0; sg_kinds[i] && !status && e->options.baselines; i++) {
        if (!is_baseline(e, sg_kinds[i]) || has_past(e, sg_kinds[i]) || length >= size) continue;
        const int written =
            snprintf(names + length, size - length, "%s%s", length ? ", " : "", sg_kinds[i]->shown.name);
        length += written > 0 ? (size_t)written : 0;
    }
    free(e);
    return status;
}

static int open_data(evaluating *e, scadyg_context *context, scadyg_events *events, scadyg_error *error)
{
    int status = sg_view_check_memory(context, e->model, events, error);
    if (!status) status = check_room(e, context, events, error);
    if (!status) status = sg_view_open(context, e->model, events, &e->view, error);
    if (status) return status;
    const sg_columns *columns = e->view.columns;
    e->data = (sg_evaluated_data){
        .columns = *columns, .nodes = e->view.nodes, .steps = &e->view.messages->steps, .labels = &e->labels};
    /* Only the part that is evaluated needs events: a file may hold nothing but what came after training. */
    const sg_split trained = sg_view_trained_parts(&e->view);
    e->data.split = sg_protocols[e->options.protocol].cut == SG_CUT_STEPS ? sg_view_step_parts(&e->view) : trained;
    if (e->model->kind->shown.learns)
        e->data.trained = trained.train_end; /* what learns nothing was trained on nothing */
    e->data.trained_until = e->model->train_end;
    e->data.chosen_until = e->model->validation_end;
    if (e->model->refit && trained.train_end >= columns->count)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "there is nothing to evaluate: the model was refit on all of these events; the scores of its "
            "first training are in it (scadyg show)");
    status = check_later(e, &trained, error);
    if (status) return status;
    if (e->model->kind->task == SG_TASK_AFFINITY) return sg_view_labels(&e->view, &e->labels, error);
    e->view.past = &e->past;
    return sg_past_open(&e->past, context, columns, e->view.nodes,
                        e->model->train_end - e->model->trained_on.origin, e->keeps, error);
}

static void close_all(evaluating *e)
{
    for (size_t i = 0; i < e->count; i++) {
        if (e->scorers[i].close) e->scorers[i].close(e->scorers[i].context);
        if (e->label_scorers[i].close) e->label_scorers[i].close(e->label_scorers[i].context);
    }
    sg_past_close(&e->past);
    if (e->model->kind->task == SG_TASK_AFFINITY) sg_labels_free(&e->labels);
    sg_view_close(&e->view);
    SG_FREE(e->scores.scores, e);
}

/* ---- Evaluating ---- */

static int run_protocol(evaluating *e, scadyg_context *context, const sg_listener *listener, scadyg_error *error)
{
    e->scores.seconds = e->seconds;
    e->scores.errors = e->errors;
    e->scores.score_errors = e->score_errors;
    e->scores.own_errors = e->own_errors;
    e->scores.scores = sg_alloc_zero(e->count * (size_t)e->options.seeds, sizeof *e->scores.scores);
    if (!e->scores.scores) return sg_fail_memory(error, "the scores");
    if (e->model->kind->task == SG_TASK_LINK)
        return sg_evaluate_links(context, &e->data, &e->options, e->scorers, e->count, listener, &e->scores, error);
    return sg_evaluate_labels(context, &e->data, &e->options, e->label_scorers, e->count, listener, &e->scores,
                              error);
}

int scadyg_evaluate_queries(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                            const scadyg_options *options, void (*query)(void *data, const scadyg_query *query),
                            void *data, scadyg_result **result, scadyg_error *error)
{
    const sg_listener listener = {query, data};
    evaluating *e = sg_alloc_zero(1, sizeof *e);
    if (!e) return sg_fail_memory(error, "an evaluation");
    e->model = model;
    int status = settle_options(e, options, error);
    if (!status) status = open_data(e, context, events, error);
    if (!status) status = add_all(e, error);
    if (!status) status = run_protocol(e, context, query ? &listener : NULL, error);
    status = sg_events_finish(status, events, error);
    if (!status) status = sg_result_make(&e->options, &e->scores, e->names, e->count, result, error);
    close_all(e);
    return status;
}

int scadyg_evaluate(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                    const scadyg_options *options, scadyg_result **result, scadyg_error *error)
{
    return scadyg_evaluate_queries(context, model, events, options, NULL, NULL, result, error);
}
