/*
 * The arithmetic of sums, once in float and once in double: kernel.inc, included by kernel_float.c and
 * kernel_double.c. All of them work in the current frame of the sums.
 */
#ifndef SG_MESSAGES_NODES_KERNEL_H
#define SG_MESSAGES_NODES_KERNEL_H

#include "messages/nodes/decay.h"
#include "messages/nodes/sums.h"

/* Rows of the parallel engines are dealt to this many tasks, whatever the number of threads. */
#define SG_ROW_CLASSES 16

/* Fewer events than this are not worth waking threads for. */
#define SG_PARALLEL_EVENTS 8192

#define SG_KERNEL(real)                                                                                            \
    /* The number that all edge columns of an event share (stored <= 1), its weight included. */                   \
    void sg_base_##real(const scadyg_messages *plan, const sg_source *source, uint64_t first, size_t count,        \
                        real *base);                                                                               \
    /* Brings a row from its frame to the current one. */                                                          \
    void sg_carry_##real(sg_sums *sums, size_t row);                                                               \
    void sg_add_##real(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,                     \
                       const uint32_t *src_rows, const uint32_t *dst_rows);                                        \
    int sg_add_parallel_##real(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first,    \
                               uint64_t count, const uint32_t *src_rows, const uint32_t *dst_rows,                 \
                               scadyg_error *error);                                                               \
    void sg_hops_##real(scadyg_context *context, sg_sums *sums, const uint32_t *src_rows,                          \
                        const uint32_t *dst_rows, uint64_t count);                                                 \
    void sg_fold_##real(sg_sums *sums, size_t row, const sg_sums *from, size_t from_row);                          \
    void sg_read_##real(const sg_sums *sums, size_t row, double at, double *out);

SG_KERNEL(float)
SG_KERNEL(double)

/* Numbers kept per event between computing its message and adding it: one-hot columns are all but two zero. */
static inline size_t sg_packed_width(const scadyg_messages *plan)
{
    return plan->node_kind == SG_NODE_ONEHOT ? plan->edge_width + 2 : plan->hop_width;
}

/* At least `bytes` of sums->entries; NULL if there is no memory. */
void *sg_sums_entries(sg_sums *sums, size_t bytes);

#endif
