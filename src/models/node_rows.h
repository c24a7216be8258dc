/*
 * The node messages that a model reads: of all nodes step by step, or of chosen nodes at a point of the log, normalised as
 * the model says.
 *
 *   stepwise   what is known before the step that a time falls in (sg_view_step)
 *   live       what lies strictly before a time, from a stream that follows the log
 */
#ifndef SG_MODELS_NODE_ROWS_H
#define SG_MODELS_NODE_ROWS_H

#include "base/status.h"
#include "models/view.h"

/*
 * Mean and deviation of columns, learned once from the training part. Sums are taken from the first row seen, so that
 * a small deviation keeps its digits beside a large mean.
 */

typedef struct sg_column_stats {
    size_t width;
    uint64_t count;               /* rows seen */
    double *first, *sum, *square; /* [width] */
} sg_column_stats;

int sg_column_stats_open(sg_column_stats *stats, size_t width, scadyg_error *error);
void sg_column_stats_close(sg_column_stats *stats);

void sg_column_stats_add(sg_column_stats *stats, const float *row);

/* What to take away and to multiply by for mean 0 and deviation 1. A column that does not vary keeps its size. */
void sg_column_stats_settle(const sg_column_stats *stats, float *mean, float *scale);

/* Bytes that the messages of all nodes over a log of this shape take: their sums, and the rows of two steps. */
double sg_node_rows_bytes(const scadyg_model *model, const scadyg_shape *shape);

/*
 * The messages of all nodes before every step. Prepared once for training: they are kept if they fit into the memory
 * granted; else they are walked through again in every pass, which gives the same numbers.
 */
typedef struct sg_node_rows {
    sg_view *view;
    float *kept;     /* [steps][nodes][width], or NULL */
    float *rows[2];  /* walked: the two latest steps, [nodes][width] each */
    int64_t step[2]; /* which they are; -1: none */
    int latest;      /* of the two */
    uint64_t bytes;  /* that the messages take */
} sg_node_rows;

void sg_node_rows_open(sg_node_rows *rows, sg_view *view);
void sg_node_rows_close(sg_node_rows *rows); /* also of a zeroed one */

/*
 * For training, once the model has its shape: learns the normalisation from the events of the training part (into
 * model->mean and scale, if it standardises; split NULL: it has that already) and keeps the messages of all steps if they take at most `memory` bytes.
 */
int sg_node_rows_prepare(sg_node_rows *rows, scadyg_model *model, const sg_split *split, uint64_t memory,
                         scadyg_error *error);

/* The messages of all nodes before a step. The rows of a step and of the one asked for before it stay valid. */
int sg_node_rows_step(sg_node_rows *rows, int64_t step, const float **out, scadyg_error *error);

/* Some nodes at a point of the log, as the model sees them. */
typedef struct sg_past_reader {
    sg_node_rows *rows;
    scadyg_stream *stream; /* live; NULL before the first use */
    uint64_t added;        /* events in the stream */
    double at;             /* latest read */
    double *message;       /* [width] */
} sg_past_reader;

int sg_past_reader_open(sg_past_reader *past, sg_node_rows *rows, scadyg_error *error);
void sg_past_reader_close(sg_past_reader *past); /* also of a zeroed one */

/* Forgets the stream, so that earlier times can be asked for. */
void sg_past_reader_rewind(sg_past_reader *past);

/*
 * Normalised messages of nodes, out[count][width], given that the first `seen` events are visible. step: the step
 * whose past it is, or -1: the one that `at` falls in. Going back in time rewinds.
 */
int sg_past_reader_read(sg_past_reader *past, int64_t step, double at, uint64_t seen, const uint32_t *nodes,
                        size_t count, float *out, scadyg_error *error);

/* Normalises messages rows[count][width] in place as the options and the training statistics say. */
void sg_normalise_rows(scadyg_context *context, const scadyg_model *model, float *rows, size_t count);

#endif
