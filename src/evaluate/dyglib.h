/*
 * Negatives of a batch of events, one each, as DyGLib draws them. `Batch time` is from the batch's first to its last
 * time.
 *
 *   any, destination  the source with a node, or with a destination of the file; no collision check
 *   historical        pairs that met before the batch time and do not meet in it, each once; if there are too few all
 *                     of them behind random pairs of any source and any destination that are not in the batch
 *   inductive         the same with pairs that first met after the last time a model has learned from
 */
#ifndef SG_EVALUATE_DYGLIB_H
#define SG_EVALUATE_DYGLIB_H

#include "evaluate/negatives.h"

typedef struct sg_dyglib_negatives {
    const sg_columns *columns;
    int pool;          /* SG_POOL_..., not the default */
    uint64_t observed; /* the first event after those a model has learned from */
    uint64_t nodes;
    uint32_t *source, *destination; /* distinct, ascending */
    uint64_t sources, destinations;
    sg_first_contacts contacts;
    sg_drawer drawer;
    sg_marks current; /* pairs that meet in the batch time, by their place in contacts */
    sg_marks own;     /* pairs of the batch itself */
    uint32_t *place;  /* [batch] */
    sg_pair_map filled;
    uint64_t begin, end; /* the batch */
    sg_pool eligible;    /* pairs for historical and inductive draws */
} sg_dyglib_negatives;

int sg_dyglib_negatives_open(sg_dyglib_negatives *draw, const sg_columns *columns, uint64_t nodes, int pool,
                             uint64_t observed, size_t batch, scadyg_error *error);
void sg_dyglib_negatives_close(sg_dyglib_negatives *draw);

/* From now on for the batch of events begin .. end-1. */
void sg_dyglib_negatives_batch(sg_dyglib_negatives *draw, uint64_t begin, uint64_t end);

/* One negative per event of the batch; fewer only if there are no other pairs. Returns their number. */
size_t sg_dyglib_negatives_next(sg_dyglib_negatives *draw, sg_rng *rng, uint32_t *src, uint32_t *dst);

#endif
