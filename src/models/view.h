/*
 * A view: a model joined with an events file and a context. It has the plan of the messages over that file, as the model
 * was trained: columns of the events, steps, and rates and widths of node messages where the kind reads them.
 */
#ifndef SG_MODELS_VIEW_H
#define SG_MODELS_VIEW_H

#include "models/model.h"

struct sg_past;
struct sg_state_reader;

/* A state to begin with: after the first `events` events, which have `nodes` nodes. */
typedef struct sg_view_state {
    const struct sg_state_reader *reader; /* must stay; NULL: none */
    uint64_t events, nodes;
    double newest; /* time */
} sg_view_state;

typedef struct sg_view {
    scadyg_context *context;
    const scadyg_model *model;
    scadyg_events *events;
    scadyg_messages *messages;
    const sg_columns *columns; /* of the messages' plan */
    size_t nodes, width;       /* width: of a node message */
    struct sg_past *past;      /* that several baselines share; NULL: each has its own */
    sg_view_state state;
} sg_view;

/*
 * Whether sources and destinations are separate, or of one kind, as where the model was trained: else what is one node there
 * would be two here.
 */
int sg_view_check_roles(const scadyg_model *model, const scadyg_events *events, scadyg_error *error);

int sg_view_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events, sg_view *view,
                 scadyg_error *error);
void sg_view_close(sg_view *view); /* also of a zeroed one */

/*
 * Refuses a model from a file whose answers over these events would take more than the memory of the context, half of the
 * machine's if none was set. Whoever trains one has chosen its sizes.
 */
int sg_view_check_shape(const scadyg_context *context, const scadyg_model *model, const scadyg_shape *shape,
                        scadyg_error *error); /* of the events alone */
int sg_view_check_memory(const scadyg_context *context, const scadyg_model *model, const scadyg_events *events,
                         scadyg_error *error);

/* The parts that the model's options ask for over a file: shares of the events, or stepwise of the steps. */
sg_split sg_view_parts(const sg_view *view);

/* The same by steps, whatever the model sees: the paper's protocol. */
sg_split sg_view_step_parts(const sg_view *view);

/* The same for training. Stepwise it is an error if a part has no events; else the training part has all there are if it
 * must, and the others may be empty. */
int sg_view_split(const sg_view *view, sg_split *split, scadyg_error *error);

/* The parts of the model's own training, by its times: the test part is whatever is later than what it was trained on and
 * chosen by, in a longer log too. */
sg_split sg_view_trained_parts(const sg_view *view);

/*
 * The labels of an affinity model: read from the file its options name, else derived from the events in the steps of the
 * view. A model that has classes keeps them; one that has none yet gets all there are. One that was trained with labels from
 * a file must have been told where they are.
 */
int sg_view_labels(const sg_view *view, sg_labels *labels, scadyg_error *error);
int sg_view_has_labels(const sg_view *view, scadyg_error *error);

/* The step whose past is read by a stepwise model: that of `step` (-1: the one that `at` falls in), or the one
 * that the first event out of sight falls in if that is earlier: a step counts once all of it is visible. */
int64_t sg_view_step(const sg_view *view, int64_t step, double at, uint64_t seen);

/* Events that are followed at a time, so that it can be watched and stopped, and their pages be given back. */
uint64_t sg_view_stretch(const sg_view *view);

#endif
