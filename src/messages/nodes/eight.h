/*
 * The common case, fast: eight columns that share one number, at rates that descend evenly, in float.
 *
 * This is a file without features, or with a single one, repeated eight times. An event is then two numbers,
 * its value at the slowest rate and the ratio of neighbouring columns, and a row is one vector.
 */
#ifndef SG_MESSAGES_NODES_EIGHT_H
#define SG_MESSAGES_NODES_EIGHT_H

#include "messages/nodes/sums.h"

int sg_eight_applies(const scadyg_messages *plan);

/*
 * Whether several threads are faster than one. Sorting by blocks costs as much as adding directly to rows that are far
 * from the processor, and several times as much as adding to rows that are near.
 */
int sg_eight_parallel_pays(scadyg_context *context, const sg_sums *sums);

/* As sg_sums_add, within the current frame. */
void sg_eight_add(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count, const uint32_t *src_rows,
                  const uint32_t *dst_rows);
int sg_eight_add_parallel(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first,
                          uint64_t count, const uint32_t *src_rows, const uint32_t *dst_rows, scadyg_error *error);

#endif
