/* A few events kept aside. */
#include "messages/nodes/buffer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void sg_buffer_free(sg_buffer *buffer)
{
    free(buffer->src);
    free(buffer->dst);
    free(buffer->time);
    free(buffer->weight);
    free(buffer->features);
    *buffer = (sg_buffer){0};
}

/* Every column grows by the same rule, so one capacity serves them all once the last has grown. */
static int grow(sg_buffer *buffer, size_t needed, int weights, size_t features, scadyg_error *error)
{
    size_t capacity[5];
    for (int k = 0; k < 5; k++) capacity[k] = buffer->capacity;
    if (sg_grow(&buffer->src, &capacity[0], needed, sizeof *buffer->src) ||
        sg_grow(&buffer->dst, &capacity[1], needed, sizeof *buffer->dst) ||
        sg_grow(&buffer->time, &capacity[2], needed, sizeof *buffer->time) ||
        (weights && sg_grow(&buffer->weight, &capacity[3], needed, sizeof *buffer->weight)) ||
        (features && sg_grow(&buffer->features, &capacity[4], needed, features * sizeof *buffer->features)))
        return sg_fail_memory(error, "the events of a step");
    buffer->capacity = capacity[0];
    return SCADYG_OK;
}

int sg_buffer_append(sg_buffer *buffer, const scadyg_messages *plan, const sg_source *source, uint64_t first,
                     uint64_t count, scadyg_error *error)
{
    const size_t at = buffer->count, size = (size_t)count, stored = plan->stored;
    if (at + size > buffer->capacity) {
        int status = grow(buffer, at + size, source->weight != NULL, stored, error);
        if (status) return status;
    }
    /* Plain loops: events mostly come one by one, and a call to copy a number would cost more than the number. */
    for (size_t i = 0; i < size; i++) {
        buffer->src[at + i] = source->src[first + i];
        buffer->dst[at + i] = source->dst[first + i];
        buffer->time[at + i] = source->time[first + i];
        if (source->weight) buffer->weight[at + i] = source->weight[first + i];
    }
    if (stored)
        memcpy(buffer->features + at * stored, source->features + first * stored,
               size * stored * sizeof *buffer->features);
    buffer->count += size;
    return SCADYG_OK;
}

void sg_buffer_drop(sg_buffer *buffer, const scadyg_messages *plan, size_t count)
{
    const size_t left = buffer->count - count, stored = plan->stored;
    memmove(buffer->src, buffer->src + count, left * sizeof *buffer->src);
    memmove(buffer->dst, buffer->dst + count, left * sizeof *buffer->dst);
    memmove(buffer->time, buffer->time + count, left * sizeof *buffer->time);
    if (buffer->weight) memmove(buffer->weight, buffer->weight + count, left * sizeof *buffer->weight);
    if (stored)
        memmove(buffer->features, buffer->features + count * stored, left * stored * sizeof *buffer->features);
    buffer->count = left;
}

sg_source sg_buffer_source(const sg_buffer *buffer)
{
    return (sg_source){buffer->src, buffer->dst, buffer->time, buffer->weight, buffer->features};
}
