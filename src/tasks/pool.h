/* Where training negatives come from. */
#ifndef SG_TASKS_POOL_H
#define SG_TASKS_POOL_H

#include "events/file.h"

/* Kind 0: any node, *list is NULL and *count the number of nodes. Kind 1: the nodes that are a destination. */
int sg_pool_make(const sg_columns *columns, size_t nodes, int kind, uint32_t **list, size_t *count,
                 scadyg_error *error);

#endif
