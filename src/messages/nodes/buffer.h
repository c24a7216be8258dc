/* A few events kept aside: those of a step that is not over, or those that touch the wanted nodes. */
#ifndef SG_MESSAGES_NODES_BUFFER_H
#define SG_MESSAGES_NODES_BUFFER_H

#include "messages/nodes/plan.h"

typedef struct sg_buffer {
    size_t count, capacity;
    uint32_t *src, *dst;
    double *time;
    float *weight;   /* NULL unless the plan has weights */
    float *features; /* NULL unless the plan has stored features */
} sg_buffer;

void sg_buffer_free(sg_buffer *buffer);

/* Appends events first .. first+count-1 of a source. */
int sg_buffer_append(sg_buffer *buffer, const scadyg_messages *plan, const sg_source *source, uint64_t first,
                     uint64_t count, scadyg_error *error);

/* Appends one event where there is room, without a call; returns 0 if there is none. */
static inline int sg_buffer_push(sg_buffer *buffer, uint32_t src, uint32_t dst, double time, float weight)
{
    const size_t at = buffer->count;
    if (at == buffer->capacity || buffer->features) return 0;
    buffer->src[at] = src;
    buffer->dst[at] = dst;
    buffer->time[at] = time;
    if (buffer->weight) buffer->weight[at] = weight;
    buffer->count++;
    return 1;
}

/* Forgets the first `count` events. */
void sg_buffer_drop(sg_buffer *buffer, const scadyg_messages *plan, size_t count);

sg_source sg_buffer_source(const sg_buffer *buffer);

#endif
