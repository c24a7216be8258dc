/* The parts of the vectors, for their own files. */
#ifndef SG_MESSAGES_PAIRS_VECTORS_PARTS_H
#define SG_MESSAGES_PAIRS_VECTORS_PARTS_H

#include "messages/pairs/vectors.h"

#define SG_VECTOR_NONE UINT32_MAX
#define SG_VECTOR_STREAM ((uint64_t)0xEC << 56)

/* docs/accuracy.md, "Identity", has what was tried. */
enum { SG_VECTOR_NEGATIVES = 20 };

/* Four cache lines each: what an event touches of a destination is one of the two. */
typedef struct sg_vector_row {
    float e[SG_VECTOR], f[SG_VECTOR];
} sg_vector_row;

/* Mean squares of their slopes. */
typedef struct sg_vector_squares {
    float e, f;
} sg_vector_squares;

/* Whose a row is. */
typedef struct sg_vector_owner {
    uint32_t node;
    uint32_t used; /* how often it was chosen again, halved whenever the hand comes by */
    uint32_t made; /* at which of the times, which may begin anew: it is only compared with the present one */
} sg_vector_owner;

/* What the learning changes beside rows. */
typedef struct sg_vector_weights {
    float a[SG_VECTOR_PAST][SG_VECTOR_HEADS], a_square[SG_VECTOR_PAST][SG_VECTOR_HEADS];
    float c[SG_VECTOR_PAST], c_square[SG_VECTOR_PAST];
} sg_vector_weights;

_Static_assert(sizeof(sg_vector_row) + sizeof(sg_vector_squares) + sizeof(sg_vector_owner) == SG_VECTOR_ROW_BYTES,
               "what a destination is said to take");

enum {
    SG_VECTOR_ROW_OF,
    SG_VECTOR_PAST_OF,
    SG_VECTOR_ROWS,
    SG_VECTOR_SQUARES,
    SG_VECTOR_OWNERS,
    SG_VECTOR_PASTS,
    SG_VECTOR_ARRAYS
};

struct sg_vectors {
    const sg_columns *columns;
    const uint64_t *keys;
    size_t nodes, count, sources; /* count: rows; sources: pasts */
    size_t most;                  /* rows */
    uint32_t *row_of;  /* [nodes] of destinations, in the order of their first event, then where one was forgotten;
                          SG_VECTOR_NONE */
    uint32_t *past_of; /* [nodes] of sources, in the order of their first event; SG_VECTOR_NONE */
    sg_vector_row *rows;
    sg_vector_squares *squares;
    sg_vector_owner *owners;
    sg_vector_past *pasts;
    size_t room[SG_VECTOR_ARRAYS]; /* of each of these */
    uint64_t number;               /* of event 0 of the columns */
    sg_state_range mapped;         /* what lies there is of a file */
    uint32_t hand;                 /* the row to be looked at first when one is to be forgotten */
    uint32_t times;                /* how many there were, the present one with them */
    sg_vector_weights weights;

    /* Drawn ahead, for the event of this number. */
    uint64_t drawn;
    uint64_t draws[SG_VECTOR_NEGATIVES];
};

/*
 * The rows that an event is about: those of its source's latest destinations, each with its place in the past, and those its
 * destination, the first, is told from.
 */
typedef struct sg_vector_case {
    uint32_t past[SG_VECTOR_PAST + 2]; /* SG_VECTOR_NONE behind the last */
    uint32_t place[SG_VECTOR_PAST];
    size_t length;
    uint32_t at[SG_VECTOR_NEGATIVES + 1];
    size_t count;
} sg_vector_case;

void sg_vectors_free_arrays(sg_vectors *vectors);

/* The rows of a past, of those that have one. */
void sg_vector_case_past(const sg_vectors *vectors, const sg_vector_past *past, sg_vector_case *one);

/* One step on -log softmax. */
void sg_vectors_learn(sg_vectors *vectors, const sg_vector_case *one);

#endif
