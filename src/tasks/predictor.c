/* A predictor: opened, closed, and what it refuses. */
#include "tasks/predictor.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "tasks/affinity_scorer.h"
#include "tasks/link_scorer.h"
#include "tasks/task_labels.h"

#include <math.h>
#include <stdlib.h>

static int open_scorer(scadyg_predictor *p, scadyg_error *error)
{
    const scadyg_model *model = p->model;
    const sg_columns *columns = &p->inputs.messages->columns;
    if (model->options.task == SCADYG_TASK_LINK) {
        if (!sg_predictor_is_rule(p)) return sg_link_scorer_open(&p->inputs, &p->scorer, error);
        return sg_heuristic_open(model->options.model, columns, p->inputs.nodes,
                                 model->train_end - model->trained_on.origin, &p->scorer, error);
    }
    int status = SCADYG_OK;
    if (sg_predictor_needs_labels(p))
        status = sg_task_labels(model, p->events, &p->inputs.messages->steps, NULL, &p->labels, error);
    if (status) return status;
    if (!sg_predictor_is_rule(p)) return sg_affinity_scorer_open(&p->inputs, &p->labels, &p->label_scorer, error);
    return sg_label_heuristic_open(model->options.model, &p->labels, p->inputs.nodes, &p->label_scorer, error);
}

int scadyg_predictor_open(const scadyg_model *model, scadyg_events *events, int threads,
                          scadyg_predictor **predictor, scadyg_error *error)
{
    scadyg_predictor *p = sg_alloc_zero(1, sizeof *p);
    if (!p) return sg_fail_memory(error, "a predictor");
    p->model = model;
    p->events = events;
    p->reached = -INFINITY;
    int status = sg_inputs_open(model, events, sg_threads(threads), &p->inputs, error);
    if (!status && model->net.count && p->inputs.width != model->net.width)
        status = sg_fail(error, SCADYG_E_USAGE, "the model takes messages of %zu numbers; these have %zu",
                         model->net.width, p->inputs.width);
    if (!status) status = sg_past_reader_open(&p->past, &p->inputs, error);
    if (!status) status = open_scorer(p, error);
    if (status) {
        scadyg_predictor_close(p);
        return status;
    }
    *predictor = p;
    return SCADYG_OK;
}

void scadyg_predictor_close(scadyg_predictor *p)
{
    if (!p) return;
    if (p->scorer.close) p->scorer.close(p->scorer.context);
    if (p->label_scorer.close) p->label_scorer.close(p->label_scorer.context);
    sg_labels_free(&p->labels);
    sg_past_reader_close(&p->past);
    sg_pair_reader_close(&p->reader);
    sg_inputs_close(&p->inputs);
    free(p->all);
    free(p->is_destination);
    free(p);
}

int sg_predictor_check_task(const scadyg_predictor *p, int task, scadyg_error *error)
{
    if (p->model->options.task == task) return SCADYG_OK;
    if (task == SCADYG_TASK_LINK)
        return sg_fail(error, SCADYG_E_USAGE,
                       "this is an affinity model: it says what a node turns to, not who meets "
                       "whom; use 'affinity'");
    return sg_fail(
        error, SCADYG_E_USAGE,
        "this is a link model: it says who meets whom, not what a node turns to; use 'rank' or 'predict'");
}

int sg_predictor_check_time(const scadyg_predictor *p, double at, scadyg_error *error)
{
    const scadyg_shape *shape = scadyg_events_shape(p->events);
    if (isfinite(at) && at >= shape->first_time) return SCADYG_OK;
    char asked[64], first[64];
    scadyg_time_text(shape->time_kind, at, asked);
    scadyg_time_text(shape->time_kind, shape->first_time, first);
    return sg_fail(error, SCADYG_E_USAGE, "time %s is before the first event at %s: nothing is known then", asked,
                   first);
}

int sg_predictor_check_node(const scadyg_predictor *p, uint32_t node, scadyg_error *error)
{
    if (node < p->inputs.nodes) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", node);
}

int sg_predictor_check_learned(const scadyg_predictor *p, const char *what, scadyg_error *error)
{
    if (!sg_predictor_is_rule(p)) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "a heuristic has no %s", what);
}

int sg_predictor_from(scadyg_predictor *p, double first, double last, scadyg_error *error)
{
    const int back = first < p->reached;
    p->reached = last;
    return back ? p->scorer.rewind(p->scorer.context, error) : SCADYG_OK;
}

uint64_t sg_predictor_seen(const scadyg_predictor *p, double at)
{
    const sg_columns *columns = &p->inputs.messages->columns;
    return sg_events_before(columns->time, columns->count, at);
}
