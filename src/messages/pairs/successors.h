/*
 * What comes after two: for every two destinations that a source chose one after the other, how often which one came next.
 * Two in order are an entry of a hash table: fourteen successors with their counts, of which the rarest makes way for a new one,
 * and how often any came. The memory is bounded: when no more lines fit, all counts are halved and lines with less than one
 * event left forgotten, then again with twice that bound, until a quarter of the room is free. What stays depends on the counts
 * alone.
 */
#ifndef SG_MESSAGES_PAIRS_SUCCESSORS_H
#define SG_MESSAGES_PAIRS_SUCCESSORS_H

#include "base/hash.h"
#include "base/simd.h"
#include "base/state_file.h"
#include "base/status.h"

enum { SG_SUCCESSORS_FIRST = 6, SG_SUCCESSORS_MORE = 8, SG_SUCCESSORS = SG_SUCCESSORS_FIRST + SG_SUCCESSORS_MORE };

/* Two cache lines. The second holds nothing and is not touched before the first is full: few have so many. all 0: free. */
typedef struct sg_successor_line {
    uint32_t earlier, latest;
    float all;
    uint32_t unused;
    uint32_t who[SG_SUCCESSORS_FIRST]; /* UINT32_MAX behind the last */
    float count[SG_SUCCESSORS_FIRST];
    uint32_t more[SG_SUCCESSORS_MORE];
    float more_count[SG_SUCCESSORS_MORE];
} sg_successor_line;

typedef struct sg_successors {
    sg_successor_line *lines;
    uint64_t mask, used, limit; /* limit: the most lines there may be */
    sg_hash_key key;
    sg_state_range mapped; /* what lies there is of a file */
} sg_successors;

/* bytes: that it may take in all, also while it grows; 1024 lines are always there. */
int sg_successors_open(uint64_t bytes, sg_successors **successors, scadyg_error *error);
void sg_successors_close(sg_successors *successors); /* NULL is fine */
void sg_successors_clear(sg_successors *successors);
uint64_t sg_successors_bytes(const sg_successors *successors);

/* What it takes at most after so many events, also while it grows. */
uint64_t sg_successors_bytes_for(uint64_t events);

/* Without memory it fails, and nothing has changed. */
int sg_successors_add(sg_successors *successors, uint32_t earlier, uint32_t latest, uint32_t next,
                      scadyg_error *error);

/* Two sections from `kind` on; and back, into one just opened, which is checked. */
void sg_successors_save(const sg_successors *successors, uint32_t kind, sg_state_writer *writer);
int sg_successors_load(sg_successors *successors, scadyg_context *context, uint32_t kind,
                       const sg_state_reader *reader, scadyg_error *error);

static inline uint64_t sg_successors_hash(const sg_successors *successors, uint32_t earlier, uint32_t latest)
{
    return sg_hash_number(&successors->key, (uint64_t)earlier << 32 | latest) & successors->mask;
}

/* The line of these two, or a free one. */
static inline sg_successor_line *sg_successors_line(const sg_successors *successors, uint32_t earlier,
                                                    uint32_t latest)
{
    uint64_t at = sg_successors_hash(successors, earlier, latest);
    while (successors->lines[at].all > 0 &&
           (successors->lines[at].earlier != earlier || successors->lines[at].latest != latest))
        at = (at + 1) & successors->mask;
    return &successors->lines[at];
}

/* Brings the line of these two into the cache, as far as most need it. */
SG_INLINE void sg_successors_fetch(const sg_successors *successors, uint32_t earlier, uint32_t latest)
{
    __builtin_prefetch(&successors->lines[sg_successors_hash(successors, earlier, latest)], 1);
}

/* The i-th successor, UINT32_MAX behind the last. */
static inline uint32_t sg_successors_at(const sg_successor_line *line, size_t i)
{
    if (!(line->all > 0)) return UINT32_MAX;
    if (i < SG_SUCCESSORS_FIRST) return line->who[i];
    return line->who[SG_SUCCESSORS_FIRST - 1] == UINT32_MAX ? UINT32_MAX : line->more[i - SG_SUCCESSORS_FIRST];
}

static inline float sg_successors_count(const sg_successor_line *line, uint32_t next)
{
    float count = 0;
    if (!(line->all > 0)) return 0;
    for (int i = 0; i < SG_SUCCESSORS_FIRST; i++) count = line->who[i] == next ? line->count[i] : count;
    if (count > 0 || line->who[SG_SUCCESSORS_FIRST - 1] == UINT32_MAX) return count;
    for (int i = 0; i < SG_SUCCESSORS_MORE; i++) count = line->more[i] == next ? line->more_count[i] : count;
    return count;
}

#endif
