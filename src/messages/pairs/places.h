/*
 * Which of a few places a number stands in, all compared at once: a bit for each place. The processors that most machines have
 * do so with four comparisons; elsewhere the loop gives the same bits.
 */
#ifndef SG_MESSAGES_PAIRS_PLACES_H
#define SG_MESSAGES_PAIRS_PLACES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__)
#include <emmintrin.h>

/* A bit for each of eight lanes, of which all bits are set or none. */
static inline unsigned sg_places_bits(__m128i low, __m128i high)
{
    return (unsigned)(_mm_movemask_ps(_mm_castsi128_ps(low)) | _mm_movemask_ps(_mm_castsi128_ps(high)) << 4);
}

static inline unsigned sg_places_match_eight(const uint32_t *places, uint32_t number)
{
    const __m128i asked = _mm_set1_epi32((int)number), *eight = (const __m128i *)(const void *)places;
    return sg_places_bits(_mm_cmpeq_epi32(_mm_loadu_si128(eight), asked),
                          _mm_cmpeq_epi32(_mm_loadu_si128(eight + 1), asked));
}

#else

static inline unsigned sg_places_match_eight(const uint32_t *places, uint32_t number)
{
    unsigned found = 0;
    for (unsigned i = 0; i < 8; i++) found |= (unsigned)(places[i] == number) << i;
    return found;
}

#endif

static inline unsigned sg_places_match_sixteen(const uint32_t *places, uint32_t number)
{
    return sg_places_match_eight(places, number) | sg_places_match_eight(places + 8, number) << 8;
}

#endif
