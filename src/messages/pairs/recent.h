/*
 * The latest partners of a node in one role, each once, the latest first, with how often they have met since
 * they came to the list: a list of a fixed length, so that what it costs to keep and to compare does not grow with the log.
 */
#ifndef SG_MESSAGES_PAIRS_RECENT_H
#define SG_MESSAGES_PAIRS_RECENT_H

#include "base/simd.h"
#include "messages/pairs/places.h"

#include <stdint.h>
#include <string.h>

#define SG_RECENT 16

typedef struct sg_recent {
    uint32_t who[SG_RECENT]; /* SG_RECENT_NOBODY behind the last */
    uint16_t times[SG_RECENT];
} sg_recent;

#define SG_RECENT_NOBODY UINT32_MAX

/* How much a place counts: 1 / (1 + place). */
static const float sg_recent_near[SG_RECENT] = {1.0f / 1,  1.0f / 2,  1.0f / 3,  1.0f / 4,  1.0f / 5,  1.0f / 6,
                                                1.0f / 7,  1.0f / 8,  1.0f / 9,  1.0f / 10, 1.0f / 11, 1.0f / 12,
                                                1.0f / 13, 1.0f / 14, 1.0f / 15, 1.0f / 16};

/* Eight places at once. */
typedef uint32_t sg_recent_eight __attribute__((vector_size(32), aligned(4), may_alias));

static inline void sg_recent_clear(sg_recent *list)
{
    memset(list->who, 0xFF, sizeof list->who);
    memset(list->times, 0, sizeof list->times);
}

/* Where a node stands in the list, from 0; SG_RECENT: it does not. */
SG_INLINE size_t sg_recent_place(const sg_recent *list, uint32_t node)
{
    size_t place = SG_RECENT;
    for (size_t i = SG_RECENT; i-- > 0;) place = list->who[i] == node ? i : place;
    return place;
}

/* Nodes in the list. */
static inline size_t sg_recent_count(const sg_recent *list)
{
    return (size_t)__builtin_ctz(sg_places_match_sixteen(list->who, SG_RECENT_NOBODY) | 1u << SG_RECENT);
}

/* To the front; those before `place` move on by one, and who stood there is gone. */
static inline void sg_recent_to_front(sg_recent *list, size_t place, uint32_t node, uint16_t times)
{
#if defined(__SSE2__)
    /* A place of who is four bytes of a register, one of times two; whose number is not below `place` stays. */
    __m128i *who = (__m128i *)(void *)list->who, *often = (__m128i *)(void *)list->times;
    __m128i before = _mm_slli_si128(_mm_cvtsi32_si128((int)node), 12), at = _mm_setr_epi32(0, 1, 2, 3);
    const __m128i last = _mm_set1_epi32((int)place);
    for (int i = 0; i < SG_RECENT / 4; i++) {
        const __m128i four = _mm_loadu_si128(who + i), stay = _mm_cmpgt_epi32(at, last);
        const __m128i moved = _mm_or_si128(_mm_slli_si128(four, 4), _mm_srli_si128(before, 12));
        _mm_storeu_si128(who + i, _mm_or_si128(_mm_and_si128(stay, four), _mm_andnot_si128(stay, moved)));
        before = four;
        at = _mm_add_epi32(at, _mm_set1_epi32(4));
    }
    before = _mm_slli_si128(_mm_cvtsi32_si128(times), 14);
    at = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < SG_RECENT / 8; i++) {
        const __m128i eight = _mm_loadu_si128(often + i), stay = _mm_cmpgt_epi16(at, _mm_set1_epi16((short)place));
        const __m128i moved = _mm_or_si128(_mm_slli_si128(eight, 2), _mm_srli_si128(before, 14));
        _mm_storeu_si128(often + i, _mm_or_si128(_mm_and_si128(stay, eight), _mm_andnot_si128(stay, moved)));
        before = eight;
        at = _mm_add_epi16(at, _mm_set1_epi16(8));
    }
#else
    memmove(list->who + 1, list->who, place * sizeof *list->who);
    memmove(list->times + 1, list->times, place * sizeof *list->times);
    list->who[0] = node;
    list->times[0] = times;
#endif
}

/* To the front, with one contact more. */
static inline void sg_recent_meet(sg_recent *list, uint32_t node)
{
    const unsigned found = sg_places_match_sixteen(list->who, node);
    const size_t place = found ? (size_t)__builtin_ctz(found) : SG_RECENT - 1;
    const uint16_t times = found ? list->times[place] : 0;
    sg_recent_to_front(list, place, node, times < UINT16_MAX ? (uint16_t)(times + 1) : UINT16_MAX);
}

/* How many of the list have met more often. */
SG_INLINE size_t sg_recent_above(const sg_recent *list, size_t place)
{
    size_t above = 0;
    for (size_t i = 0; i < SG_RECENT; i++) above += list->times[i] > list->times[place];
    return above;
}

/* How many nodes are in both lists; *near: each counted by 1 / (1 + its place in the first). Most lists have nobody in
 * common, so all places of one are compared at a time, and only then looked at one by one. */
SG_INLINE float sg_recent_common(const sg_recent *a, const sg_recent *b, float *near)
{
    const sg_recent_eight *places = (const sg_recent_eight *)a->who;
    union {
        sg_recent_eight lanes[SG_RECENT / 8];
        uint64_t halves[SG_RECENT / 2];
        uint32_t place[SG_RECENT];
    } found = {{{0}}};
    float count = 0, sum = 0;
    uint64_t any = 0;
    *near = 0;
    for (size_t j = 0; j < SG_RECENT && b->who[j] != SG_RECENT_NOBODY; j++) {
        const sg_recent_eight other = b->who[j] - (sg_recent_eight){0};
        for (size_t i = 0; i < SG_RECENT / 8; i++) found.lanes[i] |= (sg_recent_eight)(places[i] == other);
    }
    for (size_t i = 0; i < SG_RECENT / 2; i++) any |= found.halves[i];
    if (!any) return 0;
    for (size_t i = 0; i < SG_RECENT; i++) {
        const float one = (float)(found.place[i] & 1);
        count += one;
        sum += one * sg_recent_near[i];
    }
    *near = sum;
    return count;
}

#endif
