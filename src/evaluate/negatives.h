/*
 * Negatives of a source: other nodes than its positives, from a pool.
 *
 *   any          all nodes
 *   destination  the distinct destinations of the file
 *   historical   nodes the source met before, each once; filled up with destinations it has not met
 *   inductive    the same with nodes it met before, but not in the training part
 *   mix          up to half from the nodes it met in the training part, the rest destinations it did not (TGB)
 */
#ifndef SG_EVALUATE_NEGATIVES_H
#define SG_EVALUATE_NEGATIVES_H

#include "evaluate/draw.h"
#include "evaluate/first_contacts.h"

enum { SG_POOL_MIX = SCADYG_POOL_DEFAULT }; /* the other pools are called as in scadyg_pool */

#define SG_ALL_NEGATIVES SIZE_MAX

typedef struct sg_negatives {
    const sg_columns *columns;
    int pool;              /* SG_POOL_MIX or a scadyg_pool */
    int again;             /* random ones with replacement */
    uint64_t train_end;    /* first event after the training part */
    uint32_t *destination; /* [destinations], ascending */
    uint64_t destinations;
    sg_pool random;                   /* where random ones come from */
    sg_first_contacts first_contacts; /* of the pools that need them */
    sg_drawer drawer;
    sg_marks without; /* of the source at hand: what is not drawn at random */
    uint32_t *met;    /* of the source at hand: what historical ones are drawn from */
    size_t met_count, met_room;
} sg_negatives;

int sg_negatives_open(sg_negatives *negatives, const sg_columns *columns, uint64_t nodes, int pool, int again,
                      uint64_t train_end, scadyg_error *error);
void sg_negatives_close(sg_negatives *negatives);

/* From now on for this source, whose positives are the destinations of some events; it has met what lies before event
 * `seen`. -1 without memory. */
int sg_negatives_of(sg_negatives *negatives, uint32_t source, const uint64_t *positive, size_t positives,
                    uint64_t seen);

/* The most that sg_negatives_draw can give. */
size_t sg_negatives_most(const sg_negatives *negatives, size_t count);

/* Draws `count`, or as many as there are; returns their number. */
size_t sg_negatives_draw(sg_negatives *negatives, sg_rng *rng, size_t count, uint32_t *out);

/* "any node": a pool in words. */
const char *sg_pool_text(int pool);

#endif
