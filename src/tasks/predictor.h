/* A predictor: a model joined with an events file. */
#ifndef SG_TASKS_PREDICTOR_H
#define SG_TASKS_PREDICTOR_H

#include "evaluate/evaluate.h"
#include "tasks/pair_reader.h"

struct scadyg_predictor {
    const scadyg_model *model;
    scadyg_events *events;
    sg_inputs inputs; /* heuristics use its plan only */
    sg_past_reader past;
    sg_pair_reader reader; /* head pair: for embeddings; opened when needed */
    sg_scorer scorer;      /* link */
    sg_labels labels;      /* affinity: of a heuristic or a mix net */
    sg_label_scorer label_scorer;
    size_t revealed;               /* label times that it has seen */
    double reached;                /* the latest time the scorer was asked about */
    uint32_t *all;                 /* [nodes]: every node in turn; made when needed */
    unsigned char *is_destination; /* [nodes]: in the first `listed` events; made when needed */
    uint64_t listed;
};

/* Whether the model is a heuristic. */
static inline int sg_predictor_is_rule(const scadyg_predictor *p)
{
    return p->model->options.model != SCADYG_MODEL_SCADYG;
}

/* Whether the answers depend on earlier labels. */
static inline int sg_predictor_needs_labels(const scadyg_predictor *p)
{
    return p->model->options.task == SCADYG_TASK_AFFINITY && (sg_predictor_is_rule(p) || p->model->mix.count);
}

/* Each SCADYG_OK, or a sentence that says what is wrong. */
int sg_predictor_check_task(const scadyg_predictor *p, int task, scadyg_error *error);
int sg_predictor_check_time(const scadyg_predictor *p, double at, scadyg_error *error);
int sg_predictor_check_node(const scadyg_predictor *p, uint32_t node, scadyg_error *error);
int sg_predictor_check_learned(const scadyg_predictor *p, const char *what, scadyg_error *error); /* "weights" */

/* Makes the scorer ready for questions from a time on: it goes through the log again only to go back. */
int sg_predictor_from(scadyg_predictor *p, double first, double last, scadyg_error *error);

/* The normalised message of a node as its hypernetwork reads it; head pair: its row of the ledger. */
int sg_predictor_message(scadyg_predictor *p, uint32_t node, double at, float *out, scadyg_error *error);

/* The events strictly before a time. */
uint64_t sg_predictor_seen(const scadyg_predictor *p, double at);

#endif
