/* Drawing negatives. */
#include "evaluate/draw.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 20 }; /* per draw, before what is left is listed */

int sg_marks_open(sg_marks *marks, uint64_t size)
{
    *marks = (sg_marks){.mark = sg_alloc_zero((size_t)size, sizeof(uint32_t)), .size = size, .token = 1};
    return marks->mark ? 0 : -1;
}

void sg_marks_close(sg_marks *marks)
{
    free(marks->mark);
    *marks = (sg_marks){0};
}

void sg_marks_clear(sg_marks *marks)
{
    if (++marks->token) return;
    memset(marks->mark, 0, (size_t)marks->size * sizeof *marks->mark);
    marks->token = 1;
}

int sg_drawer_open(sg_drawer *drawer, uint64_t pools, uint64_t numbers)
{
    drawer->left = sg_alloc((size_t)pools, sizeof *drawer->left);
    int bad = sg_marks_open(&drawer->drawn, numbers);
    return drawer->left && !bad ? 0 : -1;
}

void sg_drawer_close(sg_drawer *drawer)
{
    free(drawer->left);
    sg_marks_close(&drawer->drawn);
    *drawer = (sg_drawer){0};
}

static int excluded(const sg_marks *without, uint32_t node)
{
    return without && sg_marked(without, node);
}

/* Lists what of the pool is neither excluded nor drawn. */
static uint64_t list_left(sg_drawer *drawer, const sg_pool *pool, const sg_marks *without)
{
    uint64_t left = 0;
    for (uint64_t i = 0; i < pool->count; i++) {
        uint32_t node = sg_pool_at(pool, i);
        if (!excluded(without, node) && !sg_marked(&drawer->drawn, node)) drawer->left[left++] = node;
    }
    return left;
}

size_t sg_draw_again(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                     uint32_t *out)
{
    if (pool->count == 0) return 0;
    size_t done = 0;
    for (size_t tries = 0; done < count && tries < TRIES * count; tries++) {
        uint32_t node = sg_pool_at(pool, sg_rng_below(rng, pool->count));
        out[done] = node;
        done += !excluded(without, node);
    }
    if (done == count) return done;
    sg_marks_clear(&drawer->drawn);
    uint64_t left = list_left(drawer, pool, without);
    if (left == 0) return 0;
    while (done < count) out[done++] = drawer->left[sg_rng_below(rng, left)];
    return done;
}

size_t sg_draw_once(sg_drawer *drawer, sg_rng *rng, const sg_pool *pool, const sg_marks *without, size_t count,
                    uint32_t *out)
{
    size_t done = 0;
    sg_marks_clear(&drawer->drawn);
    if (count < pool->count / 2)
        for (size_t tries = 0; done < count && tries < TRIES * count; tries++) {
            uint32_t node = sg_pool_at(pool, sg_rng_below(rng, pool->count));
            if (excluded(without, node) || sg_marked(&drawer->drawn, node)) continue;
            sg_mark(&drawer->drawn, node);
            out[done++] = node;
        }
    if (done == count) return done;
    uint64_t left = list_left(drawer, pool, without);
    const int all = left <= count - done;                 /* then there is nothing to choose */
    for (uint64_t i = 0; i < left && done < count; i++) { /* the front of a shuffle */
        uint64_t j = all ? i : i + sg_rng_below(rng, left - i);
        uint32_t node = drawer->left[j];
        drawer->left[j] = drawer->left[i];
        drawer->left[i] = node;
        out[done++] = node;
    }
    return done;
}
