/* Where training negatives come from. */
#include "tasks/pool.h"

#include "base/memory.h"

#include <stdlib.h>

int sg_pool_make(const sg_columns *columns, size_t nodes, int kind, uint32_t **list, size_t *count,
                 scadyg_error *error)
{
    *list = NULL;
    *count = nodes;
    if (kind == 0) return SCADYG_OK;
    unsigned char *is = sg_alloc_zero(nodes, 1);
    uint32_t *found = sg_alloc(nodes, sizeof *found);
    if (!is || !found) {
        free(is);
        free(found);
        return sg_fail_memory(error, "the destinations");
    }
    for (uint64_t e = 0; e < columns->count; e++) is[columns->dst[e]] = 1;
    size_t used = 0;
    for (size_t node = 0; node < nodes; node++)
        if (is[node]) found[used++] = (uint32_t)node;
    free(is);
    *list = found;
    *count = used;
    return SCADYG_OK;
}
