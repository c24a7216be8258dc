/* Whether what is appended was appended before. */
#include "events/import/again.h"

#include "base/memory.h"

#include <stdlib.h>

static uint64_t pair_of(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

int sg_again_keep(sg_again *again, uint32_t src, uint32_t dst)
{
    if (sg_grow(&again->pairs, &again->room, again->count + 1, sizeof *again->pairs)) return -1;
    again->pairs[again->count++] = pair_of(src, dst);
    return 0;
}

void sg_again_ask(sg_again *again, uint32_t src, uint32_t dst, int is_newest)
{
    const uint64_t pair = pair_of(src, dst);
    again->rows++;
    if (!is_newest || !again->count) return;
    if (!again->is_sorted) qsort(again->pairs, again->count, sizeof *again->pairs, compare_pairs);
    again->is_sorted = 1;
    again->found += bsearch(&pair, again->pairs, again->count, sizeof pair, compare_pairs) != NULL;
}

void sg_again_close(sg_again *again)
{
    free(again->pairs);
    *again = (sg_again){0};
}
