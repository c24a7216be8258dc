/* The batch engine's parts. */
#ifndef SG_MESSAGES_NODES_BATCH_H
#define SG_MESSAGES_NODES_BATCH_H

#include "messages/nodes/node_map.h"
#include "messages/nodes/sums.h"

/* Events between two reports of progress. */
#define SG_REPORT_EVENTS ((uint64_t)8 << 20)

/* Which events a message at a time is made of: those of the window, strictly before it. */
typedef struct sg_span {
    uint64_t first, end;
    int64_t first_step, last_step;
} sg_span;

sg_span sg_batch_span(const scadyg_messages *plan, double at);

/* The sums of all nodes, rows by node number, as of the frame the sums are fixed to. */
int sg_batch_all(sg_sums *sums, const sg_span *span, const scadyg_progress *progress, scadyg_error *error);

/* The sums of the mapped nodes only, one hop: only events that touch them are added. The same bytes. */
int sg_batch_some(sg_sums *sums, const sg_node_map *wanted, const sg_span *span, const scadyg_progress *progress,
                  scadyg_error *error);

#endif
