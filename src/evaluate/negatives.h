/*
 * Negatives of a source: other nodes than its positives, from a pool. And what they are made with: draws, the events
 * of a step or a time by source, and the first contacts of all pairs.
 */
#ifndef SG_EVALUATE_NEGATIVES_H
#define SG_EVALUATE_NEGATIVES_H

#include "base/pair_map.h"
#include "base/rng.h"
#include "evaluate/evaluate.h"

/* ---- Draws ----
 *
 * Uniformly from a pool of nodes without those that are marked, with or without replacement.
 *
 * Draws with rejection are bounded. Where too many were rejected the pool is nearly exhausted; what is left of it is
 * then listed and drawn from directly, which has the same distribution.
 */

/* A set of nodes (or any numbers), a bit for each that there is; to empty it costs no more than it did to fill it. */
typedef struct sg_marks {
    uint64_t *bits;
    uint32_t *listed;    /* the first that were marked: while they are all, they alone are to be cleared */
    uint64_t size, room; /* numbers; those that can be listed */
    uint64_t count;      /* in the set */
} sg_marks;

int sg_marks_open(sg_marks *marks, uint64_t size, scadyg_error *error);
void sg_marks_close(sg_marks *marks);
void sg_marks_clear(sg_marks *marks);

static inline int sg_marked(const sg_marks *marks, uint32_t i)
{
    return marks->bits[i / 64] >> i % 64 & 1;
}

static inline void sg_mark(sg_marks *marks, uint32_t i)
{
    if (sg_marked(marks, i)) return;
    marks->bits[i / 64] |= (uint64_t)1 << i % 64;
    if (marks->count < marks->room) marks->listed[marks->count] = i;
    marks->count++;
}

/* What is drawn from: a list of nodes, or the numbers from `first` on, without the places that are holes. */
typedef struct sg_pool {
    const uint32_t *node; /* NULL: numbers */
    uint32_t first;
    uint64_t count;       /* without holes */
    const uint64_t *hole; /* [holes]: places in the list, ascending */
    size_t holes;
} sg_pool;

/* The place of number i among those that are no holes: i and as many as there are holes before it. */
static inline uint64_t sg_pool_place(const sg_pool *pool, uint64_t i)
{
    size_t low = 0, high = pool->holes;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pool->hole[middle] - middle <= i)
            low = middle + 1;
        else
            high = middle;
    }
    return i + low;
}

static inline uint32_t sg_pool_at(const sg_pool *pool, uint64_t i)
{
    if (pool->holes) i = sg_pool_place(pool, i);
    return pool->node ? pool->node[i] : pool->first + (uint32_t)i;
}

/* Working space for draws from pools up to a size. */
typedef struct sg_drawer {
    uint32_t *left; /* [largest pool] */
    sg_marks drawn;
} sg_drawer;

/* pools: the largest pool; numbers: all numbers drawn are below this. To be closed also if this fails. */
int sg_drawer_open(sg_drawer *drawer, uint64_t pools, uint64_t numbers, scadyg_error *error);
void sg_drawer_close(sg_drawer *drawer);

/* `without` may be NULL. count draws with replacement; returns count, or 0 if nothing is allowed. */
size_t sg_draw_again(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                     uint32_t *out);

/* Without replacement; returns how many there were, at most count. */
size_t sg_draw_once(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                    uint32_t *out);

/* The distinct nodes of one of the columns, src or dst, ascending: *list is to be freed. */
int sg_list_distinct(const sg_columns *columns, const uint32_t *column, uint64_t nodes, uint32_t **list,
                     uint64_t *count, scadyg_error *error);

/* ---- First contacts: every distinct ordered pair of a file at its first event, in order and by source ----
 *
 * A pair has a number, its place in the order of first events, and a place in the rows of its sources, where pairs lie in the
 * same order. Twelve bytes a pair, and somewhat more than a bit an event. Where that would be too much, pairs of one source in so
 * many alone: then only these sources can be asked about what they have met, and negatives that have met are theirs.
 */

typedef struct sg_first_contacts {
    uint64_t one_in; /* sources that are kept, by a hash; 0 or 1: all. Set before they are made, and stays */
    size_t pairs;
    uint64_t *is_first; /* a bit for each event */
    uint32_t *before;   /* [events / SG_FIRST_EVENTS + 1]: first contacts before so many events */
    uint32_t *row;      /* [nodes + 1]: where the pairs of a source begin */
    uint32_t *partner;  /* [pairs] by source: the destinations */
    uint32_t *number;   /* [pairs] by source: the numbers, ascending within a source */
    uint32_t *sorted;   /* [pairs] by source: the places by partner, of long rows */
    uint64_t events;    /* of the file, when they were made */
} sg_first_contacts;

enum { SG_FIRST_EVENTS = 512 };

/* Where a pair stands in the rows; SIZE_MAX: it never meets. */
size_t sg_first_contacts_find(const sg_first_contacts *contacts, uint32_t src, uint32_t dst);

/* How many pairs first met before an event: the number of the first that did not. */
size_t sg_first_contacts_before(const sg_first_contacts *contacts, uint64_t event);

/* The first event of the pair of a number. */
uint64_t sg_first_contacts_event(const sg_first_contacts *contacts, size_t number);

int sg_first_contacts_keeps(const sg_first_contacts *contacts, uint32_t src);

/* The most that it takes to make and to draw from those of so many events and pairs, with what negatives keep of nodes; and one
 * source in how many can be kept within so many bytes, a power of two, or within 128 MiB. */
uint64_t sg_first_contacts_bytes(uint64_t events, uint64_t pairs, uint64_t nodes, uint64_t one_in);
#define SG_MET_SHARE 8 /* of the memory for that, where sources may be left out */
uint64_t sg_first_contacts_fit(uint64_t events, uint64_t pairs, uint64_t nodes, uint64_t bytes);

int sg_first_contacts_make(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes,
                           scadyg_error *error);
void sg_first_contacts_free(sg_first_contacts *contacts);

/* Those that somebody keeps for all who ask about the same events, made when they are first needed; kept NULL: in *own, which
 * the caller frees. */
int sg_first_contacts_use(sg_first_contacts *kept, sg_first_contacts *own, const sg_columns *columns,
                          uint64_t nodes, const sg_first_contacts **used, scadyg_error *error);

/* ---- Events of a step, or of one time, by source: sources in order of appearance, events of each in order ---- */

typedef struct sg_by_source {
    size_t sources;
    uint32_t *source; /* [sources] */
    size_t *first;    /* [sources + 1], into event */
    uint64_t *event;
    size_t capacity; /* events there is room for */
    uint32_t *slot;  /* [nodes]: where a node stands in source, if it does */
    size_t *fill;
} sg_by_source;

int sg_by_source_open(sg_by_source *by_source, uint64_t nodes, scadyg_error *error);
void sg_by_source_close(sg_by_source *by_source);

/* Sorts the events begin .. end-1, in time linear in their number. */
int sg_by_source_make(sg_by_source *by_source, const uint32_t *src, uint64_t begin, uint64_t end,
                      scadyg_error *error);

/* Leaves one source in `every`; which ones depends on `salt`. */
void sg_by_source_thin(sg_by_source *by_source, uint64_t every, uint64_t salt);

/* ---- Negatives of a source ----
 *
 *   any          all nodes
 *   destination  the distinct destinations of the file
 *   historical   nodes the source met before, each once; filled up with destinations it has not met
 *   inductive    the same with nodes it met before, but not in the training part
 *   seen         up to half from the nodes it met before, the rest destinations it did not; who asks says which (live)
 *   mix          up to half from the nodes it met in the training part, the rest destinations it did not (TGB)
 */

#define SG_ALL_NEGATIVES SIZE_MAX

/* Destinations that a source has not met before event `until`. */
typedef struct sg_unmet {
    uint32_t *node; /* ascending */
    uint64_t count, until;
} sg_unmet;

typedef struct sg_negatives {
    const sg_columns *columns;
    int pool;              /* SG_POOL_..., not the default */
    int again;             /* random ones with replacement */
    uint64_t train_end;    /* first event after the training part */
    uint32_t *destination; /* [destinations], ascending */
    uint64_t destinations;
    sg_pool random;                    /* where random ones come from */
    sg_first_contacts *kept, own;      /* one of them has */
    const sg_first_contacts *contacts; /* these, of the pools that need them */
    sg_drawer drawer;
    /* Of the source at hand, in time that does not grow with how many it has met: */
    uint32_t source;
    sg_marks without;  /* what is not drawn at random: its positives, and what it has met once that is marked */
    sg_pool met;       /* what historical ones are drawn from: what it has met, without its positives */
    uint64_t until;    /* it met them before this event */
    size_t first, end; /* their places in the rows of contacts */
    int met_is_marked;
    uint64_t *hole; /* of met */
    size_t hole_room;
    /* Of sources that have met nearly all destinations: the others. */
    sg_unmet *unmet;
    size_t unmet_count, unmet_room;
    sg_pair_map unmet_of; /* from a source to its place in unmet */
} sg_negatives;

/* kept: see sg_first_contacts_use. */
int sg_negatives_open(sg_negatives *negatives, const sg_columns *columns, uint64_t nodes, int pool, int again,
                      uint64_t train_end, sg_first_contacts *kept, scadyg_error *error);
void sg_negatives_close(sg_negatives *negatives);

/* From now on for this source, whose positives are the destinations of some events; it has met what lies before event
 * `seen`. */
int sg_negatives_of(sg_negatives *negatives, uint32_t source, const uint64_t *positive, size_t positives,
                    uint64_t seen, scadyg_error *error);

/* The most that sg_negatives_draw can give. */
size_t sg_negatives_most(const sg_negatives *negatives, size_t count);

/* Draws `count`, or as many as there are; returns their number. */
size_t sg_negatives_draw(sg_negatives *negatives, sg_rng *rng, size_t count, uint32_t *out);

/* "historical": a pool in words. */
const char *sg_pool_text(int pool);

/*
 * Negatives of a batch of events, one each, as DyGLib draws them. `Batch time` is from the batch's first to its last
 * time.
 *
 *   any, destination  the source with a node, or with a destination of the file; no collision check
 *   historical        pairs that met before the batch time and do not meet in it, each once; if there are too few all
 *                     of them behind random pairs of any source and any destination that are not in the batch
 *   inductive         the same with pairs that first met after the last time a model has learned from
 */

typedef struct sg_dyglib_negatives {
    const sg_columns *columns;
    int pool;          /* SG_POOL_..., not the default */
    uint64_t observed; /* the first event after those a model has learned from */
    uint64_t nodes;
    uint32_t *source, *destination; /* distinct, ascending */
    uint64_t sources, destinations;
    sg_first_contacts *kept, own_contacts;
    const sg_first_contacts *contacts;
    sg_drawer drawer;
    sg_marks current;                     /* pairs that meet in the batch time, by their numbers */
    uint64_t current_first, current_last; /* the events that are marked there */
    sg_marks own;                         /* pairs of the batch itself */
    uint32_t *number;                     /* [batch] */
    sg_pair_map filled;
    uint64_t begin, end; /* the batch */
    sg_pool eligible;    /* pairs for historical and inductive draws */
} sg_dyglib_negatives;

int sg_dyglib_negatives_open(sg_dyglib_negatives *draw, const sg_columns *columns, uint64_t nodes, int pool,
                             uint64_t observed, size_t batch, sg_first_contacts *kept, scadyg_error *error);
void sg_dyglib_negatives_close(sg_dyglib_negatives *draw);

/* From now on for the batch of events begin .. end-1. */
void sg_dyglib_negatives_batch(sg_dyglib_negatives *draw, uint64_t begin, uint64_t end);

/* One negative per event of the batch; fewer only if there are no other pairs. Returns their number. */
size_t sg_dyglib_negatives_next(sg_dyglib_negatives *draw, sg_rng *rng, uint32_t *src, uint32_t *dst);

#endif
