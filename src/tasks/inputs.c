/* Inputs: the messages a model learns from and is asked about. */
#include "tasks/inputs.h"

#include "base/memory.h"
#include "tasks/moments.h"

#include <stdlib.h>
#include <string.h>

int sg_inputs_open(const scadyg_model *model, scadyg_events *events, int threads, sg_inputs *inputs,
                   scadyg_error *error)
{
    *inputs = (sg_inputs){.model = model, .events = events, .threads = threads, .step = {-1, -1}};
    int status = sg_model_messages(model, events, threads, &inputs->messages, error);
    if (status) return status;
    inputs->workers = sg_workers_open(threads);
    if (!inputs->workers) {
        sg_inputs_close(inputs);
        return sg_fail_memory(error, "the threads");
    }
    inputs->nodes = (size_t)inputs->messages->nodes;
    inputs->width = inputs->messages->width;
    return SCADYG_OK;
}

void sg_inputs_close(sg_inputs *inputs)
{
    scadyg_messages_close(inputs->messages);
    sg_workers_close(inputs->workers);
    free(inputs->kept);
    free(inputs->rows[0]);
    free(inputs->rows[1]);
    *inputs = (sg_inputs){.step = {-1, -1}};
}

/* ---- Normalisation: learned from the messages of both ends of the training events, before their steps ---- */

typedef struct preparation {
    sg_inputs *inputs;
    uint64_t train_end;
    int standard;
    sg_column_stats stats;
    float *row; /* [width] */
} preparation;

/* The model does not standardise yet (mean 0, scale 1), but may take logarithms. */
static void add_end(preparation *p, const float *message)
{
    memcpy(p->row, message, p->inputs->width * sizeof *p->row);
    sg_model_normalise(p->inputs->model, p->row, 1, 1);
    sg_column_stats_add(&p->stats, p->row);
}

static void add_step_moments(preparation *p, int64_t step, const float *rows)
{
    const scadyg_messages *messages = p->inputs->messages;
    const sg_steps *steps = &messages->steps;
    const sg_columns *columns = &messages->columns;
    const size_t width = p->inputs->width;
    for (uint64_t e = steps->first[step]; e < steps->first[step + 1] && e < p->train_end; e++) {
        add_end(p, rows + columns->src[e] * width);
        add_end(p, rows + columns->dst[e] * width);
    }
}

/* Where the raw messages of a step go: to their place if they are kept, else to one buffer. */
static float *place(sg_inputs *inputs, int64_t step)
{
    return inputs->kept ? inputs->kept + (size_t)step * inputs->nodes * inputs->width : inputs->rows[0];
}

static int walk(preparation *p, const scadyg_progress *progress, scadyg_error *error)
{
    sg_inputs *inputs = p->inputs;
    const sg_steps *steps = &inputs->messages->steps;
    int status = SCADYG_OK;
    for (int64_t step = 0; step < steps->count && !status; step++) {
        if (!inputs->kept && (!p->standard || steps->first[step] >= p->train_end)) break;
        status = sg_report(progress, "preparing messages", (uint64_t)step, (uint64_t)steps->count, error);
        float *rows = place(inputs, step);
        if (!status) status = sg_messages_before_step(inputs->messages, step, NULL, inputs->nodes, rows, error);
        if (!status && p->standard && step > 0) add_step_moments(p, step, rows);
    }
    return status;
}

static int allocate(sg_inputs *inputs, uint64_t memory, scadyg_error *error)
{
    const uint64_t one = (uint64_t)inputs->nodes * inputs->width * sizeof(float);
    const uint64_t steps = (uint64_t)inputs->messages->steps.count;
    if (one <= memory / steps) inputs->kept = sg_alloc_huge((size_t)(one * steps) + 1, 1);
    if (inputs->kept) {
        inputs->bytes = one * steps;
        return SCADYG_OK;
    }
    inputs->bytes = 2 * one;
    for (int i = 0; i < 2; i++) {
        inputs->rows[i] = sg_alloc_huge((size_t)one + 1, 1);
        if (!inputs->rows[i]) return sg_fail_memory(error, "the messages of a step");
    }
    return SCADYG_OK;
}

int sg_inputs_prepare(sg_inputs *inputs, scadyg_model *model, const sg_split *split, uint64_t memory,
                      const scadyg_progress *progress, scadyg_error *error)
{
    const int kind = model->options.normalise;
    preparation p = {.inputs = inputs,
                     .train_end = split->train_end,
                     .standard = kind == SCADYG_NORMALISE_STANDARD || kind == SCADYG_NORMALISE_LOG_STANDARD};
    int status = sg_column_stats_open(&p.stats, inputs->width, error);
    if (status) return status;
    p.row = sg_alloc(inputs->width, sizeof *p.row);
    status = p.row ? allocate(inputs, memory, error) : sg_fail_memory(error, "the normalisation");
    if (!status) status = walk(&p, progress, error);
    if (!status && p.standard) sg_column_stats_settle(&p.stats, model->mean, model->scale);
    sg_column_stats_close(&p.stats);
    free(p.row);
    if (!status && inputs->kept)
        sg_model_normalise(model, inputs->kept, (size_t)inputs->messages->steps.count * inputs->nodes,
                           inputs->threads);
    return status;
}

int sg_inputs_step(sg_inputs *inputs, int64_t step, const float **rows, scadyg_error *error)
{
    if (inputs->kept && step < inputs->messages->steps.count) {
        *rows = place(inputs, step);
        return SCADYG_OK;
    }
    for (int i = 0; i < 2; i++)
        if (inputs->step[i] == step) {
            inputs->latest = i;
            *rows = inputs->rows[i];
            return SCADYG_OK;
        }
    const int to = !inputs->latest;
    const size_t numbers = inputs->nodes * inputs->width;
    if (!inputs->rows[to]) inputs->rows[to] = sg_alloc_huge(numbers + 1, sizeof(float));
    if (!inputs->rows[to]) return sg_fail_memory(error, "the messages of a step");
    inputs->step[to] = -1;
    int status = sg_messages_before_step(inputs->messages, step, NULL, inputs->nodes, inputs->rows[to], error);
    if (status) return status;
    sg_model_normalise(inputs->model, inputs->rows[to], inputs->nodes, inputs->threads);
    inputs->step[to] = step;
    inputs->latest = to;
    *rows = inputs->rows[to];
    return SCADYG_OK;
}

int sg_inputs_some(sg_inputs *inputs, int64_t step, const uint32_t *nodes, size_t count, float *out,
                   scadyg_error *error)
{
    const size_t width = inputs->width;
    const float *rows = NULL;
    if (inputs->kept && step < inputs->messages->steps.count)
        rows = place(inputs, step);
    else if (count > inputs->nodes / 8) {
        int status = sg_inputs_step(inputs, step, &rows, error);
        if (status) return status;
    }
    if (rows) {
        for (size_t i = 0; i < count; i++) memcpy(out + i * width, rows + nodes[i] * width, width * sizeof *out);
        return SCADYG_OK;
    }
    int status = sg_messages_before_step(inputs->messages, step, nodes, count, out, error);
    if (!status) sg_model_normalise(inputs->model, out, count, 1);
    return status;
}
