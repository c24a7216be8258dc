/* The messages of labels. */
#include "tasks/affinity_rows.h"

#include "base/memory.h"
#include "tasks/moment.h"
#include "tasks/moments.h"

#include <stdlib.h>

void sg_affinity_rows_free(sg_affinity_rows *rows)
{
    free(rows->messages);
    *rows = (sg_affinity_rows){0};
}

/* ---- Reading ---- */

static int read_groups(sg_affinity_rows *rows, sg_inputs *inputs, size_t groups, const scadyg_progress *progress,
                       scadyg_error *error)
{
    const sg_labels *labels = rows->labels;
    const sg_columns *columns = &inputs->messages->columns;
    sg_past_reader past;
    int status = sg_past_reader_open(&past, inputs, error);
    for (size_t g = 0; !status && g < groups; g++) {
        const size_t first = labels->first_row[g], count = labels->first_row[g + 1] - first;
        const uint64_t seen = sg_events_before(columns->time, columns->count, labels->time[g]);
        status = sg_report(progress, "preparing messages", first, rows->count, error);
        if (!status)
            status = sg_past_reader_read(&past, -1, labels->time[g], seen, labels->node + first, count,
                                         rows->messages + first * rows->width, error);
    }
    sg_past_reader_close(&past);
    return status;
}

/* ---- Normalising ---- */

/* Mean and deviation of every column over the first `count` rows. */
static int learn_scale(const sg_affinity_rows *rows, size_t count, scadyg_model *model, scadyg_error *error)
{
    sg_column_stats stats;
    int status = sg_column_stats_open(&stats, rows->width, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) sg_column_stats_add(&stats, rows->messages + i * rows->width);
    sg_column_stats_settle(&stats, model->mean, model->scale);
    sg_column_stats_close(&stats);
    return SCADYG_OK;
}

/* The same arithmetic as sg_model_normalise has for rows read later. */
static void scale_rows(sg_affinity_rows *rows, const scadyg_model *model)
{
    for (size_t i = 0; i < rows->count; i++) {
        float *x = rows->messages + i * rows->width;
        for (size_t j = 0; j < rows->width; j++) x[j] = (x[j] - model->mean[j]) * model->scale[j];
    }
}

int sg_affinity_rows_make(sg_affinity_rows *rows, scadyg_model *model, sg_inputs *inputs, const sg_labels *labels,
                          size_t train, size_t groups, const scadyg_progress *progress, scadyg_error *error)
{
    const int how = model->options.normalise;
    const int standard = how == SCADYG_NORMALISE_STANDARD || how == SCADYG_NORMALISE_LOG_STANDARD;
    *rows = (sg_affinity_rows){labels, inputs->width, labels->first_row[groups], NULL};
    if (rows->width && rows->count <= SIZE_MAX / rows->width)
        rows->messages = sg_alloc_huge(rows->count * rows->width, sizeof *rows->messages);
    if (!rows->messages) return sg_fail_memory(error, "the messages of the labels");
    int status = read_groups(rows, inputs, groups, progress, error);
    if (!status && standard) status = learn_scale(rows, labels->first_row[train], model, error);
    if (!status && standard) scale_rows(rows, model);
    if (status) sg_affinity_rows_free(rows);
    return status;
}
