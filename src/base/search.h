/*
 * Searching in ascending order: where something would go. sg_first_TYPE is the first index whose value is not less
 * than x, sg_after_TYPE the first whose value is greater; `count` if there is none.
 */
#ifndef SG_BASE_SEARCH_H
#define SG_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#define SG_DEFINE_SEARCH(name_, type_, before_)                                                                    \
    static inline size_t name_(const type_ *values, size_t count, type_ x)                                         \
    {                                                                                                              \
        size_t low = 0, high = count;                                                                              \
        while (low < high) {                                                                                       \
            const size_t middle = low + (high - low) / 2;                                                          \
            if (values[middle] before_ x)                                                                          \
                low = middle + 1;                                                                                  \
            else                                                                                                   \
                high = middle;                                                                                     \
        }                                                                                                          \
        return low;                                                                                                \
    }

SG_DEFINE_SEARCH(sg_first_double, double, <)
SG_DEFINE_SEARCH(sg_after_double, double, <=)
SG_DEFINE_SEARCH(sg_first_uint32, uint32_t, <)
SG_DEFINE_SEARCH(sg_first_uint64, uint64_t, <)
SG_DEFINE_SEARCH(sg_first_int64, int64_t, <)

/* For any order: the first of 0 .. count-1 that is not before what is looked for. */
static inline size_t sg_first(size_t count, int (*is_before)(const void *data, size_t index), const void *data)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(data, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
