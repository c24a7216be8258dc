/*
 * Many destinations of one source at one place of the log. Between most of them and the source there is nothing
 * (messages/pairs/ledger_near.h): such pairs need no row of their own, and what the first layer makes of a destination is kept for
 * the next source that is asked about at the same place. The scores have the bytes that they have pair by pair.
 */
#ifndef SG_MODELS_SCADYG_ONE_SOURCE_H
#define SG_MODELS_SCADYG_ONE_SOURCE_H

#include "messages/pairs/ledger_near.h"
#include "models/scadyg/reader.h"

/* Destinations at a time, so that what is read of them stays in the cache. */
#define SG_ONE_SOURCE_SLAB 16384

/* Fewer are not worth it. */
#define SG_ONE_SOURCE_LEAST 64

typedef struct sg_one_source {
    sg_pair_reader *reader;
    sg_near near;
    float *source, *between; /* rows: of the source, and of a pair with nothing between */

    /* What the first layer makes of destinations: of all nodes if that is kept, else of a slab. */
    float *right;
    int keeps;
    uint32_t *known, round; /* [nodes]: the round in which a node's became known; a round is a place of the log */
    sg_place place;

    /* Who is near a source, where all are asked about again and again. */
    sg_near_index *index;
    unsigned char *is_near;  /* [nodes] */
    int large, large_before; /* this question is one, and there was one with the same events */

    /* The slab at hand: indices of the pairs that are blank and of those that are not; destinations to be read. */
    unsigned char blank[SG_ONE_SOURCE_SLAB];
    uint32_t at[SG_ONE_SOURCE_SLAB], to[SG_ONE_SOURCE_SLAB], rest[SG_ONE_SOURCE_SLAB];
    uint32_t unread[SG_ONE_SOURCE_SLAB], unread_at[SG_ONE_SOURCE_SLAB];
    size_t rest_count;
} sg_one_source;

/* Bytes of what is kept of all nodes. */
uint64_t sg_one_source_kept(size_t hidden, uint64_t nodes);

/* keeps: of all nodes, where that is not too much; the model's values must then stay as they are. */
int sg_one_source_open(sg_one_source **one, sg_pair_reader *reader, int keeps, scadyg_error *error);
void sg_one_source_close(sg_one_source *one);                            /* NULL is fine */
uint64_t sg_one_source_bytes(const scadyg_model *model, uint64_t nodes); /* without the index */

/* A source at a place, where the ledger then is. `count` destinations follow, slab by slab. */
int sg_one_source_begin(sg_one_source *one, sg_place place, uint32_t source, size_t count, scadyg_error *error);

/* Scores of those with nothing between; the indices of the others are in rest[rest_count]. */
int sg_one_source_score(sg_one_source *one, const uint32_t *dst, size_t count, int output, double *score,
                        scadyg_error *error);

#endif
