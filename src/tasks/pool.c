/* Where training negatives come from. */
#include "tasks/pool.h"

#include "base/memory.h"

#include <stdlib.h>

void sg_train_pool_free(sg_train_pool *pool)
{
    free(pool->nodes);
    free(pool->known);
    *pool = (sg_train_pool){0};
}

static void list_nodes(sg_train_pool *pool, const sg_columns *columns, const sg_steps *steps)
{
    size_t known = 0;
    for (int64_t step = 0; step < steps->count; step++) {
        for (uint64_t e = steps->first[step]; e < steps->first[step + 1]; e++) {
            const uint32_t last = columns->src[e] > columns->dst[e] ? columns->src[e] : columns->dst[e];
            if (last >= known) known = (size_t)last + 1;
        }
        pool->known[step] = known;
    }
}

static int list_destinations(sg_train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                             scadyg_error *error)
{
    unsigned char *is = sg_alloc_zero(nodes, 1);
    pool->nodes = sg_alloc(nodes, sizeof *pool->nodes);
    if (!is || !pool->nodes) {
        free(is);
        return sg_fail_memory(error, "the destinations");
    }
    size_t known = 0;
    for (int64_t step = 0; step < steps->count; step++) {
        for (uint64_t e = steps->first[step]; e < steps->first[step + 1]; e++) {
            const uint32_t node = columns->dst[e];
            if (!is[node]) pool->nodes[known++] = node;
            is[node] = 1;
        }
        pool->known[step] = known;
    }
    free(is);
    return SCADYG_OK;
}

int sg_train_pool_make(sg_train_pool *pool, const sg_columns *columns, size_t nodes, const sg_steps *steps,
                       int kind, scadyg_error *error)
{
    *pool = (sg_train_pool){.known = sg_alloc((size_t)steps->count, sizeof *pool->known)};
    if (!pool->known) return sg_fail_memory(error, "the pool of negatives");
    if (kind == 1) return list_destinations(pool, columns, nodes, steps, error);
    for (int64_t step = 0; step < steps->count; step++) pool->known[step] = nodes;
    if (kind == 2) list_nodes(pool, columns, steps);
    return SCADYG_OK;
}
