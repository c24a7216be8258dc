/* A predictor: a model joined with an events file, and a scorer that follows the log. */
#ifndef SG_PREDICT_PREDICTOR_H
#define SG_PREDICT_PREDICTOR_H

#include "models/kind.h"

struct scadyg_predictor {
    const scadyg_model *model;
    sg_view view;
    sg_scorer scorer;              /* link */
    sg_labels labels;              /* affinity: of a kind whose answers depend on earlier labels */
    sg_label_scorer label_scorer;  /* affinity */
    size_t revealed;               /* label times that it has seen */
    double reached;                /* the latest time the scorer was asked about */
    uint32_t *all;                 /* [nodes]: every node in turn; made when needed */
    unsigned char *is_destination; /* [nodes]: in the first `listed` events; made when needed */
    uint64_t listed;
    size_t destinations;  /* of those */
    size_t rank_all;      /* see rank.h */
    sg_state_reader kept; /* that the scorer began with; see kept.c */
    int is_followed;      /* with a state that can be kept */
};

/* Without a scorer yet. */
int sg_predictor_new(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                     scadyg_predictor **predictor, scadyg_error *error);

/* What follows the log, whatever the task: for what a kind can do beyond scoring. */
static inline void *sg_predictor_state(const scadyg_predictor *p)
{
    return p->model->kind->task == SG_TASK_LINK ? p->scorer.context : p->label_scorer.context;
}

/* Progress, and whether the events are still as they were: for every piece of work. */
static inline int sg_predictor_report(const scadyg_predictor *p, const char *what, uint64_t done, uint64_t total,
                                      scadyg_error *error)
{
    return sg_events_report(p->view.context, p->view.events, what, done, total, error);
}

/* Each SCADYG_OK, or a sentence that says what is wrong. */
int sg_predictor_check_task(const scadyg_predictor *p, int task, scadyg_error *error);
int sg_predictor_check_time(const scadyg_predictor *p, double at, scadyg_error *error);
int sg_predictor_check_node(const scadyg_predictor *p, uint32_t node, scadyg_error *error);

/* "a baseline has no embeddings": a kind that cannot do something says so. */
int sg_predictor_cannot(const scadyg_predictor *p, const char *what, scadyg_error *error);

/* Makes the scorer ready for questions from a time on: it goes through the log again only to go back. */
int sg_predictor_from(scadyg_predictor *p, double first, double last, scadyg_error *error);

/* The events strictly before a time. */
uint64_t sg_predictor_seen(const scadyg_predictor *p, double at);

#endif
