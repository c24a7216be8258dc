/*
 * Who is near a node, and who is not: for rankings over many destinations.
 *
 * Between a source and most destinations there is nothing: they never met, nobody is a partner of both, nothing came up together.
 * Then all numbers of the pair are those of the source alone. sg_near_find_blank finds such destinations from the lists of
 * nodes, without reading pairs; sg_near_list lists those that are the opposite, as far as lists lead to them.
 */
#ifndef SG_MESSAGES_PAIRS_LEDGER_NEAR_H
#define SG_MESSAGES_PAIRS_LEDGER_NEAR_H

#include "messages/pairs/ledger.h"

enum { SG_NEAR_MARKS = 1 << 16 };

/* What a source has to do with others, in marks by a hash of their numbers: a mark says maybe, no mark says no. */
typedef struct sg_near {
    uint32_t source, latest;
    int full_out, full_in; /* its lists of latest partners may lack some */
    unsigned char mark[SG_NEAR_MARKS];
} sg_near;

/* Whether such rows can be told at all: with vectors of destinations no two pairs are the same. */
int sg_near_can(const sg_ledger *ledger);

/* Of a source, as of the state at hand. */
void sg_near_set(const sg_ledger *ledger, uint32_t source, sg_near *near);

/* blank[i]: 1 only if there is nothing between the source and dst[i]; 0 may be wrong. Threads may share `near`. */
void sg_near_find_blank(const sg_ledger *ledger, const sg_near *near, const uint32_t *dst, size_t count,
                        unsigned char *blank);

/*
 * The same for many sources at one state: in whose lists each node stands, by which those near a source are found without a look at
 * all the others. NULL: it would take more than `most` bytes, or there is no memory; nothing needs it.
 */
typedef struct sg_near_index sg_near_index;
sg_near_index *sg_near_index_open(const sg_ledger *ledger, uint64_t most);
void sg_near_index_close(sg_near_index *index); /* NULL is fine */

/* Marks those near the source in is_near[nodes], which is cleared first; then it tells the others, as sg_near_find_blank does. */
void sg_near_index_mark(const sg_near_index *index, const sg_ledger *ledger, uint32_t source,
                        unsigned char *is_near);
void sg_near_index_find_blank(const sg_near_index *index, const sg_ledger *ledger, const sg_near *near,
                              const unsigned char *is_near, const uint32_t *dst, size_t count,
                              unsigned char *blank);

/* The row of a pair of this source with nothing between, [between] numbers, not normalised. */
void sg_near_blank_row(const sg_ledger *ledger, uint32_t source, double at, float *row);

/*
 * Destinations, each once. sg_near_list begins one with those that the source is likely to have to do with, itself among them, the
 * nearest lists first, until there are `most`: its latest partners in both directions, what came after its latest two, what came
 * up together with its latest, partners of partners, sources that come to the same. With `unmet` whom the source has met is
 * passed over, and so is the source: lists then lead further.
 */
enum { SG_NEAR_MOST = 768, SG_NEAR_SEEN = 8192 };

typedef struct sg_near_listing {
    uint32_t *list;
    size_t count, most; /* most: at most half of SG_NEAR_SEEN */
    int unmet;
    uint32_t source;
    uint32_t seen[SG_NEAR_SEEN];
} sg_near_listing;

void sg_near_list(const sg_ledger *ledger, uint32_t source, sg_near_listing *listing);
void sg_near_add(const sg_ledger *ledger, sg_near_listing *listing,
                 uint32_t node); /* nothing if it was no destination */

/*
 * Destinations that the source has not met, without itself: how many of all that there are, `destinations` among `nodes`; and all
 * of them, list[nodes], in the order of their numbers. Where pairs were forgotten the count is an estimate.
 */
size_t sg_near_count_unmet(const sg_ledger *ledger, uint32_t source, size_t nodes, size_t destinations);
size_t sg_near_list_unmet(const sg_ledger *ledger, uint32_t source, size_t nodes, uint32_t *list);

/* ---- Popular destinations (popular.c) ---- */

/*
 * The destinations that lead by each of several keys: decayed counts at several rates, and how new they are. A key changes only
 * with an event of its node, for time takes the same share of all counts. So the lists are a function of the state alone, and
 * what leads now is among what led before and the destinations of the events since.
 */
enum { SG_POPULAR_KEYS = 6, SG_POPULAR_EACH = 384, SG_POPULAR_NODES = SG_POPULAR_KEYS * SG_POPULAR_EACH };

typedef struct sg_popular_list {
    uint32_t node[SG_POPULAR_EACH]; /* [count], by key, the greatest first; equal keys: the lower number first */
    double key[SG_POPULAR_EACH];
    size_t count;
} sg_popular_list;

typedef struct sg_popular {
    sg_popular_list list[SG_POPULAR_KEYS];
    int is_known; /* else they must be found */
} sg_popular;

/* From all nodes; and after events with these destinations, to the same lists. */
int sg_popular_find(sg_popular *popular, const sg_ledger *ledger, scadyg_error *error);
int sg_popular_follow(sg_popular *popular, const sg_ledger *ledger, const uint32_t *dst, size_t count,
                      scadyg_error *error);

/* All that lead by any key, some of them twice, the leaders of each list first: all[SG_POPULAR_NODES]. Returns how many. */
size_t sg_popular_all(const sg_popular *popular, uint32_t *all);

#endif
