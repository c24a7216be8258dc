/*
 * The messages of labels: for every row of the labels, what was known of its node at its time. Made once; training
 * takes the rows in any order, and validation looks them up. And what else the kinds for affinity share.
 */
#ifndef SG_MODELS_LABEL_ROWS_H
#define SG_MODELS_LABEL_ROWS_H

#include "models/kind.h"
#include "models/node_rows.h"

typedef struct sg_label_rows {
    const sg_labels *labels;
    size_t width;
    size_t count;    /* rows 0 .. count-1 of the labels */
    float *messages; /* [count][width], normalised */
} sg_label_rows;

/*
 * Of the labels of the training and the validation part. Where the model standardises, its mean and scale are learned from
 * those of the training part. The model has its shape already.
 */
int sg_label_rows_make(sg_label_rows *rows, sg_training *training, scadyg_error *error);
void sg_label_rows_free(sg_label_rows *rows);

/* Where a scorer of affinities has its messages from: rows made before, or a reader of the log. */
typedef struct sg_label_source {
    const sg_label_rows *made; /* NULL: none */
    sg_node_rows node_rows;
    sg_past_reader past;
    float *rows; /* [capacity][width]: of the latest read */
    size_t capacity;
} sg_label_source;

/* made NULL: from the log of the view. */
int sg_label_source_open(sg_label_source *source, sg_view *view, const sg_label_rows *made, scadyg_error *error);
void sg_label_source_close(sg_label_source *source);
void sg_label_source_rewind(sg_label_source *source);

/* The messages of the nodes of a question, into source->rows. */
int sg_label_source_read(sg_label_source *source, const sg_label_question *question, scadyg_error *error);

/* Of nodes at any point of the log; the source has no made rows. */
int sg_label_source_ask(sg_label_source *source, const sg_nodes_asked *asked, float *out, scadyg_error *error);

/* The parts of labels: by the quantiles .70 and .85 of the event times, as the protocol tgb-node has it. Where that leaves
 * the training or the validation part empty, 70 and 15 % of the label times (by_groups). */
int sg_label_split_make(const sg_labels *labels, const sg_columns *columns, sg_label_split *split, int *by_groups,
                        scadyg_error *error);

/* Rows first .. end-1 of labels in random order. */
void sg_shuffle_rows(uint32_t *order, size_t first, size_t end, uint64_t seed, uint64_t stream);

#endif
