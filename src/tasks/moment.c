/* A past: the messages of chosen nodes at a point of the log. */
#include "tasks/moment.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int sg_past_reader_open(sg_past_reader *past, sg_inputs *inputs, scadyg_error *error)
{
    *past = (sg_past_reader){.inputs = inputs, .at = -INFINITY};
    past->message = sg_alloc(inputs->width, sizeof *past->message);
    return past->message ? SCADYG_OK : sg_fail_memory(error, "a message");
}

void sg_past_reader_close(sg_past_reader *past)
{
    scadyg_stream_close(past->stream);
    free(past->message);
    *past = (sg_past_reader){0};
}

void sg_past_reader_rewind(sg_past_reader *past)
{
    scadyg_stream_close(past->stream);
    past->stream = NULL;
    past->added = 0;
    past->at = -INFINITY;
}

static int follow(sg_past_reader *past, double at, uint64_t seen, scadyg_error *error)
{
    if (seen < past->added || at < past->at) sg_past_reader_rewind(past);
    int status = SCADYG_OK;
    if (!past->stream) status = scadyg_stream_open(past->inputs->messages, &past->stream, error);
    if (!status && seen > past->added)
        status =
            scadyg_stream_add_events(past->stream, past->inputs->events, past->added, seen - past->added, error);
    if (status) {
        sg_past_reader_rewind(past);
        return status;
    }
    past->added = seen;
    past->at = at;
    return SCADYG_OK;
}

int64_t sg_past_reader_step(const sg_inputs *inputs, int64_t step, double at, uint64_t seen)
{
    const sg_columns *columns = &inputs->messages->columns;
    if (step < 0) step = sg_messages_step_of(inputs->messages, at);
    if (seen >= columns->count) return step;
    const int64_t hidden = sg_messages_step_of(inputs->messages, columns->time[seen]);
    return hidden < step ? hidden : step;
}

int sg_past_reader_read(sg_past_reader *past, int64_t step, double at, uint64_t seen, const uint32_t *nodes,
                        size_t count, float *out, scadyg_error *error)
{
    sg_inputs *inputs = past->inputs;
    const size_t width = inputs->width;
    if (inputs->model->options.freshness == SCADYG_FRESHNESS_STEP) {
        return sg_inputs_some(inputs, sg_past_reader_step(inputs, step, at, seen), nodes, count, out, error);
    }
    int status = follow(past, at, seen, error);
    for (size_t i = 0; i < count && !status; i++) {
        status = scadyg_stream_read(past->stream, nodes[i], at, past->message, error);
        for (size_t j = 0; j < width && !status; j++) out[i * width + j] = (float)past->message[j];
    }
    if (!status) sg_model_normalise(inputs->model, out, count, 1);
    return status;
}
