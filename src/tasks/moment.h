/*
 * A past: the messages of chosen nodes at a point of the log, by the model's freshness.
 *
 *   step    what is known before the step that a time falls in, or that the first event out of sight falls in if that
 *           is earlier: a step counts once all of it is visible
 *   event   what lies strictly before a time, from a stream that follows the log
 */
#ifndef SG_TASKS_MOMENT_H
#define SG_TASKS_MOMENT_H

#include "tasks/inputs.h"

typedef struct sg_past_reader {
    sg_inputs *inputs;
    scadyg_stream *stream; /* event freshness; NULL before the first use */
    uint64_t added;        /* events in the stream */
    double at;             /* latest read */
    double *message;       /* [width] */
} sg_past_reader;

int sg_past_reader_open(sg_past_reader *past, sg_inputs *inputs, scadyg_error *error);
void sg_past_reader_close(sg_past_reader *past);

/* Forgets the stream, so that earlier times can be asked for. */
void sg_past_reader_rewind(sg_past_reader *past);

/* Step freshness: the step whose past is read. step: as below. */
int64_t sg_past_reader_step(const sg_inputs *inputs, int64_t step, double at, uint64_t seen);

/*
 * Normalised messages of nodes, out[count][width], given that the first `seen` events are visible. step: the step
 * whose past it is, or -1: the one that `at` falls in. Going back in time rewinds.
 */
int sg_past_reader_read(sg_past_reader *past, int64_t step, double at, uint64_t seen, const uint32_t *nodes,
                        size_t count, float *out, scadyg_error *error);

#endif
