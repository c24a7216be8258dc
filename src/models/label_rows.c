/* The messages of labels, and what else the kinds for affinity share. */
#include "models/label_rows.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/search.h"
#include "models/node_rows.h"

#include <stdlib.h>
#include <string.h>

/* ---- Made once ---- */

void sg_label_rows_free(sg_label_rows *rows)
{
    free(rows->messages);
    *rows = (sg_label_rows){0};
}

static int read_groups(sg_label_rows *rows, sg_training *training, scadyg_error *error)
{
    const sg_labels *labels = rows->labels;
    const sg_columns *columns = training->view.columns;
    sg_node_rows node_rows;
    sg_past_reader past;
    sg_node_rows_open(&node_rows, &training->view);
    int status = sg_past_reader_open(&past, &node_rows, error);
    for (size_t g = 0; !status && g < training->label_split.validation; g++) {
        const size_t first = labels->first_row[g], count = labels->first_row[g + 1] - first;
        const uint64_t seen = sg_events_before(columns->time, columns->count, labels->time[g]);
        status = sg_training_report(training, "preparing messages", first, rows->count, error);
        if (!status)
            status = sg_past_reader_read(&past, -1, labels->time[g], seen, labels->node + first, count,
                                         rows->messages + first * rows->width, error);
    }
    sg_past_reader_close(&past);
    sg_node_rows_close(&node_rows);
    return status;
}

/* Mean and deviation of every column over the first `count` rows. */
static int learn_scale(const sg_label_rows *rows, size_t count, scadyg_model *model, scadyg_error *error)
{
    sg_column_stats stats;
    int status = sg_column_stats_open(&stats, rows->width, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) sg_column_stats_add(&stats, rows->messages + i * rows->width);
    sg_column_stats_settle(&stats, model->mean, model->scale);
    sg_column_stats_close(&stats);
    return SCADYG_OK;
}

/* The same arithmetic as sg_normalise_rows has for rows read later. */
static void scale_rows(sg_label_rows *rows, const scadyg_model *model)
{
    for (size_t i = 0; i < rows->count; i++) {
        float *x = rows->messages + i * rows->width;
        for (size_t j = 0; j < rows->width; j++) x[j] = (x[j] - model->mean[j]) * model->scale[j];
    }
}

int sg_label_rows_make(sg_label_rows *rows, sg_training *training, scadyg_error *error)
{
    const sg_labels *labels = &training->labels;
    scadyg_model *model = training->model;
    const int standard = sg_model_standardises(model);
    *rows =
        (sg_label_rows){labels, training->view.width, labels->first_row[training->label_split.validation], NULL};
    if (rows->width && rows->count <= SIZE_MAX / rows->width)
        rows->messages = sg_alloc_huge(rows->count * rows->width, sizeof *rows->messages);
    if (!rows->messages) return sg_fail_memory(error, "the messages of the labels");
    int status = read_groups(rows, training, error);
    if (!status && standard && !training->from)
        status = learn_scale(rows, labels->first_row[training->label_split.train], model, error);
    if (!status && standard) scale_rows(rows, model);
    if (status) sg_label_rows_free(rows);
    return status;
}

/* ---- Where a scorer has its messages from ---- */

int sg_label_source_open(sg_label_source *source, sg_view *view, const sg_label_rows *made, scadyg_error *error)
{
    *source = (sg_label_source){.made = made};
    sg_node_rows_open(&source->node_rows, view);
    return made ? SCADYG_OK : sg_past_reader_open(&source->past, &source->node_rows, error);
}

void sg_label_source_close(sg_label_source *source)
{
    if (!source->made) sg_past_reader_close(&source->past);
    sg_node_rows_close(&source->node_rows);
    free(source->rows);
    *source = (sg_label_source){0};
}

void sg_label_source_rewind(sg_label_source *source)
{
    if (!source->made) sg_past_reader_rewind(&source->past);
}

static int copy_made(sg_label_source *source, const sg_label_question *question, scadyg_error *error)
{
    const sg_label_rows *made = source->made;
    for (size_t i = 0; i < question->count; i++) {
        size_t row = sg_labels_find(made->labels, question->group, question->nodes[i]);
        if (row >= made->count)
            return sg_fail(error, SCADYG_E_USAGE, "node %u has no label at this time", question->nodes[i]);
        memcpy(source->rows + i * made->width, made->messages + row * made->width,
               made->width * sizeof *source->rows);
    }
    return SCADYG_OK;
}

int sg_label_source_read(sg_label_source *source, const sg_label_question *question, scadyg_error *error)
{
    const size_t width = source->node_rows.view->width;
    if (sg_grow(&source->rows, &source->capacity, question->count, width * sizeof *source->rows))
        return sg_fail_memory(error, "the nodes to score");
    if (source->made) return copy_made(source, question, error);
    return sg_past_reader_read(&source->past, -1, question->at, question->seen, question->nodes, question->count,
                               source->rows, error);
}

int sg_label_source_ask(sg_label_source *source, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    return sg_past_reader_read(&source->past, -1, asked->at, asked->seen, asked->nodes, asked->count, out, error);
}

/* ---- Parts and order ---- */

/* Shares of the label times instead; there are at least three. */
static sg_label_split split_groups(size_t groups)
{
    size_t train = (size_t)(0.70 * (double)groups + 0.5), validation = (size_t)(0.85 * (double)groups + 0.5);
    if (train > groups - 2) train = groups - 2;
    if (validation > groups - 1) validation = groups - 1;
    return (sg_label_split){train, validation > train ? validation : train + 1};
}

int sg_label_split_make(const sg_labels *labels, const sg_columns *columns, sg_label_split *split, int *by_groups,
                        scadyg_error *error)
{
    *split = (sg_label_split){
        sg_after_double(labels->time, labels->groups, sg_quantile(columns->time, columns->count, .70)),
        sg_after_double(labels->time, labels->groups, sg_quantile(columns->time, columns->count, .85))};
    *by_groups = split->train == 0 || split->validation == split->train;
    if (*by_groups && labels->groups < 3)
        return sg_fail(error, SCADYG_E_USAGE,
                       "%zu time%s of the log %s labels; learning takes at least three: one to learn from, one to "
                       "choose the best epoch by and one to test on%s",
                       labels->groups, sg_plural(labels->groups), labels->groups == 1 ? "has" : "have",
                       labels->file.lines ? "" : " (--step-rule equal-count may make more of them)");
    if (*by_groups) *split = split_groups(labels->groups);
    if (labels->first_row[split->train] > UINT32_MAX)
        return sg_fail(error, SCADYG_E_USAGE, "more than 4,294,967,295 labels to learn from");
    return SCADYG_OK;
}

void sg_shuffle_rows(uint32_t *order, size_t first, size_t end, uint64_t seed, uint64_t stream)
{
    sg_rng rng;
    sg_rng_seed(&rng, seed, stream);
    for (size_t i = first; i < end; i++) order[i] = (uint32_t)i;
    for (size_t i = end - first; i > 1; i--) {
        const size_t j = first + (size_t)sg_rng_below(&rng, i);
        const uint32_t other = order[first + i - 1];
        order[first + i - 1] = order[j];
        order[j] = other;
    }
}
