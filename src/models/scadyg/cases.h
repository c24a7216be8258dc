/*
 * Training cases: events of the training part, each with its negatives, a chunk at a time in the order of time.
 * Drawn anew each epoch from (seed, epoch, chunk), so that any epoch can be made again by itself.
 *
 * The negatives of a case are
 *   random destinations    `negatives` of them, of the same source: one that has been a destination, or (half of them, pool
 *                          `mixed`) any node; for the order, and for chances against random pairs
 *   one that has met       of any source, each pair with the same chance however often it met; for chances against such
 *   one that met lately    for the first time, among the latest fifth of the events seen; for chances against such, which
 *                          also learn from the first random one: where few pairs are new, random ones stand in for them
 * the last two unless stepwise. A pair that meets in the very step, or at the very time, of the case is left out.
 *
 * Pool `mixed` draws nodes that have been a destination far more often than others, and a net that learns from it finds
 * the others as much too likely. Half of that is taken back by an offset of every pair (sg_pair_rows): all of it would be
 * best against any nodes, none against destinations, and a model is asked both.
 */
#ifndef SG_MODELS_SCADYG_CASES_H
#define SG_MODELS_SCADYG_CASES_H

#include "base/pair_map.h"
#include "base/rng.h"
#include "models/scadyg/reader.h"

#define SG_CHUNK 2048 /* cases */

/* A chunk: what is read for it, and what the net needs beside that. */
typedef struct sg_pair_chunk {
    uint64_t next; /* the first event behind it */
    size_t count;  /* cases */
    sg_ledger_group *groups;
    size_t group_count;
    uint32_t *src, *dst;
    uint32_t *left, *right; /* of each pair: the rows of its nodes */
    uint32_t *nodes;        /* whose rows they are; each once in a group */
    size_t *node_first;
    unsigned char *in; /* of each pair: the losses it is part of, see sg_pair_gradient */
    float *offset;
    size_t node_count;
} sg_pair_chunk;

typedef struct sg_pair_cases {
    const sg_view *view;
    const sg_training *training; /* what it learns from; NULL: all of the training part */
    uint64_t train_end;
    size_t group; /* pairs of a case */

    unsigned char *first; /* a bit per event: whether its pair had not met before (one in ten may be overlooked) */

    /* What has been seen: for drawing. */
    uint64_t seen;
    uint32_t *pool; /* destinations in the order they appeared */
    unsigned char *is_destination;
    size_t known; /* in pool */
    sg_rng rng;

    sg_pair_map now; /* pairs that meet in the past being made, now_begin .. now_end - 1, if they are not few */
    uint64_t now_begin, now_end, past_begin, past_end;

    uint64_t next;          /* event */
    uint32_t *slot;         /* [nodes]: its row in the group being made */
    sg_pair_chunk chunk[2]; /* the latest and the one before it */
    int latest;
} sg_pair_cases;

/* What a chunk has at most in a log of so many events, and the bytes of what is beside the rows of two of them. */
sg_read_size sg_pair_chunk_most(const scadyg_model *model, uint64_t events);
uint64_t sg_pair_chunk_bytes(const scadyg_model *model);

/* Bytes to learn from the cases of a step. */
uint64_t sg_pair_step_bytes(const scadyg_model *model);

int sg_pair_cases_open(sg_pair_cases *cases, const sg_view *view, uint64_t train_end, scadyg_error *error);
void sg_pair_cases_close(sg_pair_cases *cases);

/* Back to the first event. */
void sg_pair_cases_rewind(sg_pair_cases *cases);

/* The next chunk, which stays until the one after the next is asked for; NULL after the last. every: one in so many events
 * makes a case, another one in each epoch. */
int sg_pair_cases_next(sg_pair_cases *cases, int64_t epoch, uint64_t every, const sg_pair_chunk **chunk,
                       scadyg_error *error);

/* What is to be read for a chunk. */
sg_read_plan sg_pair_chunk_plan(const sg_pair_chunk *chunk);

#endif
