/*
 * Neighbours of destinations: for every destination i, which others sources went on to that had been at i of late, as
 * item-to-item recommenders count it, among the first events of a file.
 *
 * A source has been at its last SG_NEIGHBOUR_PLACES distinct destinations; the latest is place 0. An event (s, d, t) counts
 * for each of those that s met strictly before t, d itself left out: 1 / (1 + place), halved in every half-life. Events of
 * one source at one time are all counted from the same places and none from each other: what is counted is what a question
 * at t asks.
 *
 * Memory is bounded: a destination has at most SG_NEIGHBOURS_MOST neighbours. Where one more comes, the one that counts
 * least by then makes room, of equals the one in the first place. So counts are exact as long as no destination has more.
 */
#ifndef SG_MODELS_BASELINES_NEIGHBOURS_H
#define SG_MODELS_BASELINES_NEIGHBOURS_H

#include "events/file.h"

#include <stddef.h>
#include <stdint.h>

enum { SG_NEIGHBOUR_PLACES = 10, SG_NEIGHBOURS_MOST = 64 };

typedef struct sg_neighbour_row {
    uint32_t *node; /* [room], then as many counts at the reference time */
    uint32_t count, room;
    double reference;
} sg_neighbour_row;

typedef struct sg_neighbours {
    const sg_columns *columns;
    uint64_t nodes;
    double rate;   /* of decay */
    uint32_t most; /* neighbours of a destination */
    uint64_t seen; /* events taken in */
    uint64_t now;  /* the first event at the time of the last one taken in */
    double reference;
    float weight; /* of an event now, at the reference time */
    sg_neighbour_row *rows;
    uint32_t *places; /* [nodes][SG_NEIGHBOUR_PLACES]: the latest first */
    uint8_t *filled;  /* [nodes] */
    uint64_t *stamp;  /* [nodes]: 1 + the `now` of the source's last event */
    uint32_t *kept;   /* [nodes]: if that is now, which of `before` has its places strictly before */
    uint32_t *before; /* [kept_count][1 + SG_NEIGHBOUR_PLACES]: how many, then they */
    size_t kept_count, kept_room;
    double *sum;       /* [nodes] all 0 between questions */
    uint32_t *touched; /* [SG_NEIGHBOUR_PLACES * SG_NEIGHBOURS_MOST] */
} sg_neighbours;

/* To be closed also if this fails; a zeroed one may be closed, too. */
int sg_neighbours_open(sg_neighbours *neighbours, const sg_columns *columns, uint64_t nodes, double rate,
                       scadyg_error *error);
void sg_neighbours_close(sg_neighbours *neighbours);
void sg_neighbours_rewind(sg_neighbours *neighbours);

/* Takes in the first `seen` events, never fewer than before. */
int sg_neighbours_follow(sg_neighbours *neighbours, uint64_t seen, scadyg_error *error);

/* How popular destinations are: popularity[node] * factor. */
typedef struct sg_popularities {
    const double *of;
    double factor;
} sg_popularities;

/*
 * The shrunk cosines of destinations with where a source has been, at a time: for each the sum over its places of
 *
 *     count(i to v) / (1 + place) / (sqrt(popularity of i * popularity of v) + 5)
 *
 * and 0 if there is no such neighbour.
 */
void sg_neighbours_score(sg_neighbours *neighbours, double at, sg_popularities popularities, uint32_t source,
                         const uint32_t *destination, size_t count, double *score);

#endif
