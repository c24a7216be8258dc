/*
 * Who comes before whom: every node has a short list of others, each with a weight that is added to again and again.
 *
 * A list is cut into buckets of eight, a cache line each, and another node has one bucket that it may stand in, by its number:
 * to find it is one comparison of a line. A list begins with one bucket and doubles when one overflows, up to
 * SG_LINK_BUCKETS. Then, and when the memory granted is used up, the lightest of the bucket makes way: a list keeps what came
 * often, and beside it what came last. What it keeps depends on what was added, and in which order, alone.
 */
#ifndef SG_MESSAGES_PAIRS_LINKS_H
#define SG_MESSAGES_PAIRS_LINKS_H

#include "base/simd.h"
#include "base/state_file.h"
#include "base/status.h"

#include <stdint.h>

enum { SG_LINK_WAYS = 8, SG_LINK_BUCKETS = 8, SG_LINK_SIZES = 4 /* lists of 1, 2, 4 and 8 buckets */ };

/* A cache line. Free: who UINT32_MAX, weight 0. */
typedef struct sg_link_bucket {
    uint32_t who[SG_LINK_WAYS];
    float weight[SG_LINK_WAYS];
} sg_link_bucket;

/* Where the list of a node is, kept by whoever keeps the node; all 0: it has none yet. */
typedef struct sg_link_place {
    uint32_t chunk;  /* of sg_links.chunk */
    uint16_t first;  /* bucket in it */
    uint16_t length; /* buckets: 0, 1, 2, 4 or 8 */
} sg_link_place;

/* Lists of one size: chunks are cut from the front, and what was given back is taken first. */
typedef struct sg_link_size {
    sg_link_place next, given_back;
} sg_link_size;

typedef struct sg_links {
    sg_link_bucket **chunk;
    size_t chunks, chunk_room, used; /* chunks that there are, and that lists stand in */
    uint64_t most;                   /* chunks */
    sg_link_size size[SG_LINK_SIZES];
    sg_state_range mapped; /* what lies there is of a file */
} sg_links;

/* bytes: that the lists may take; SG_LINK_SIZES chunks are always granted. */
int sg_links_open(uint64_t bytes, sg_links **links, scadyg_error *error);
void sg_links_close(sg_links *links); /* NULL is fine */
void sg_links_clear(sg_links *links); /* as if new, but keeps the memory; places are the caller's to clear */

/* Bytes of the lists now; and of so many nodes at most after so many additions, none of which is then lost for want of
 * memory. */
uint64_t sg_links_bytes(const sg_links *links);
uint64_t sg_links_bytes_for(uint64_t nodes, uint64_t additions);

/* Another node to a list. Where the memory granted is used up that is no failure, where the machine has none it is. */
int sg_links_add(sg_links *links, sg_link_place *list, uint32_t other, float weight, scadyg_error *error);

/* The bucket of another node in a list of so many: the upper bits of a multiplicative hash, so that when a list doubles, a bucket
 * parts in two neighbours. */
SG_INLINE uint32_t sg_links_hash(uint32_t other, uint16_t length)
{
    return (uint32_t)((uint64_t)(other * 0x9E3779B1u) * length >> 32);
}

/*
 * Two sections from `kind` on; and back, into lists just opened. Then each place must be claimed, which fails (-1) if it lies
 * nowhere or on another: only then are they safe to use. claimed: bits for sg_links_buckets, cleared at first.
 */
void sg_links_save(const sg_links *links, uint32_t kind, sg_state_writer *writer);
int sg_links_load(sg_links *links, uint32_t kind, const sg_state_reader *reader, scadyg_error *error);
uint64_t sg_links_buckets(const sg_links *links);
int sg_links_claim(const sg_links *links, uint64_t *claimed, sg_link_place place);
int sg_links_claim_free(const sg_links *links, uint64_t *claimed); /* once, what no list has */

SG_INLINE const sg_link_bucket *sg_links_bucket(const sg_links *links, sg_link_place at, uint32_t other)
{
    return links->chunk[at.chunk] + at.first + sg_links_hash(other, at.length);
}

typedef uint32_t sg_link_eight __attribute__((vector_size(32), aligned(4), may_alias));

/* The weight of another node in a list; 0: it is not there. */
SG_INLINE float sg_links_find(const sg_links *links, sg_link_place at, uint32_t other)
{
    if (at.length == 0) return 0;
    const sg_link_bucket *bucket = sg_links_bucket(links, at, other);
    const sg_link_eight asked = other - (sg_link_eight){0};
    /* At most one is found, so that its weight is what all lanes together have. */
    union {
        sg_link_eight lanes;
        uint64_t halves[4];
    } found = {(sg_link_eight)(*(const sg_link_eight *)bucket->who == asked) &
               *(const sg_link_eight *)bucket->weight};
    const uint64_t all = found.halves[0] | found.halves[1] | found.halves[2] | found.halves[3];
    const union {
        uint32_t bits;
        float number;
    } one = {(uint32_t)(all | all >> 32)};
    return one.number;
}

/* The same of several others, each with its weight; `skip` among them is passed over. */
int sg_links_add_all(sg_links *links, sg_link_place *list, const uint32_t *others, const float *weights,
                     size_t count, uint32_t skip, scadyg_error *error);

/* Brings into the cache what additions of these others will touch. */
SG_INLINE void sg_links_fetch(const sg_links *links, sg_link_place at, const uint32_t *others, size_t count)
{
    if (at.length == 0) return;
    const sg_link_bucket *first = links->chunk[at.chunk] + at.first;
    unsigned touched = 0;
    for (size_t i = 0; i < count; i++) touched |= 1u << sg_links_hash(others[i], at.length);
    for (; touched; touched &= touched - 1) __builtin_prefetch(first + __builtin_ctz(touched), 1);
}

/* Brings a list into the cache. */
SG_INLINE void sg_links_prefetch(const sg_links *links, sg_link_place at)
{
    for (uint32_t i = 0; i < at.length; i++) __builtin_prefetch(links->chunk[at.chunk] + at.first + i);
}

#endif
