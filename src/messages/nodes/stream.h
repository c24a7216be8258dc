/* The streaming form inside the library: walking through steps stands on it. */
#ifndef SG_MESSAGES_NODES_STREAM_H
#define SG_MESSAGES_NODES_STREAM_H

#include "messages/nodes/step_sums.h"

/*
 * What is kept:
 *   window all, one hop    `all`: the sums of every node
 *   window N, one hop      the sums of each of the last N steps
 *   more hops              as above for the steps that are over, and the events of the step that is not
 * Sums of steps that leave the window are dropped, not subtracted: subtracting would leave rounding behind.
 */
struct scadyg_stream {
    const scadyg_messages *plan;
    sg_sums all;
    sg_step_sums *of_steps; /* in the order of steps */
    size_t step_count, step_capacity;
    size_t step_gone;     /* the first so many of them have left the window */
    sg_buffer buffer;     /* more hops: the events of the current step */
    sg_step_sums current; /* more hops: made of the buffer when needed */
    int current_valid;
    int64_t step;     /* of the latest event; -1: no events yet */
    double last_time; /* of the latest event */

    /* Events given and not added yet: together they are added many times faster, and those at the latest time wait
     * so that a read at that time sees only what is strictly before it. */
    sg_buffer pending;
    uint64_t pending_nodes;
    double newest_time; /* of the latest event given */
};

/* Adds events whose node numbers are below `nodes`, on several threads if that pays. */
int sg_stream_add(scadyg_context *context, scadyg_stream *stream, const sg_source *source, uint64_t first,
                  uint64_t count, uint64_t nodes, scadyg_error *error);

/* To be called before sg_stream_message, which many threads may then call at once. */
int sg_stream_prepare(scadyg_context *context, scadyg_stream *stream, scadyg_error *error);

/* The message of a node at a time, of a window that ends with step `last`. */
void sg_stream_message(const scadyg_stream *stream, uint32_t node, double at, int64_t last, double *out);

#endif
