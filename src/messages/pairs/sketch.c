/* Walk sketches: their memory, and the choice of loops. */
#include "messages/pairs/sketch_state.h"

#include "base/memory.h"
#include "base/rng.h"
#include "base/simd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t sg_sketch_signs(uint64_t key, size_t block)
{
    return (uint32_t)sg_hash64(sg_hash64(key) ^ block) & ((1u << SG_BLOCK) - 1);
}

static const sg_sketch_loops *best_loops(void)
{
#if defined(__x86_64__)
    if (SG_HAS_AVX2()) return &sg_sketch_avx2;
#endif
    return &sg_sketch_any;
}

static int check(const sg_sketch_options *options, scadyg_error *error)
{
    if (options->width == 0 || options->width % SG_BLOCK)
        return sg_fail(error, SCADYG_E_USAGE, "the width of walk sketches must be a multiple of %d, not %zu",
                       SG_BLOCK, options->width);
    if (!(options->rate >= 0 && isfinite(options->rate)))
        return sg_fail(error, SCADYG_E_USAGE, "the rate of walk sketches must not be negative");
    for (int k = 0; k < SG_ORDERS; k++)
        if (!(options->factor[k] >= 0 && options->factor[k] < 1))
            return sg_fail(error, SCADYG_E_USAGE, "factors of walk sketches must be from 0 to less than 1");
    return SCADYG_OK;
}

/* Room for `capacity` nodes; the first `nodes` are kept. Returns -1 with everything as it was. */
static int reserve(sg_sketch_block *block, size_t nodes, size_t capacity)
{
    if (block->walks && capacity <= block->capacity) return 0;
    sg_sketch_block larger = {.capacity = capacity};
    larger.walks = sg_alloc_lazy(capacity, sizeof *larger.walks, &larger.walks_memory);
    larger.sides = sg_alloc_lazy(capacity, sizeof *larger.sides, &larger.sides_memory);
    if (!larger.walks || !larger.sides) {
        free(larger.walks_memory);
        free(larger.sides_memory);
        return -1;
    }
    if (nodes) {
        memcpy(larger.walks, block->walks, nodes * sizeof *larger.walks);
        memcpy(larger.sides, block->sides, nodes * sizeof *larger.sides);
    }
    free(block->walks_memory);
    free(block->sides_memory);
    *block = larger;
    return 0;
}

static int hold(sg_sketch *sketch, const uint64_t *keys, size_t nodes, size_t capacity, scadyg_error *error)
{
    for (size_t b = 0; b < sketch->blocks; b++)
        if (reserve(&sketch->block[b], sketch->nodes, capacity)) return sg_fail_memory(error, "the walk sketches");
    for (size_t b = 0; b < sketch->blocks; b++)
        for (size_t x = sketch->nodes; x < nodes; x++)
            sketch->block[b].sides[x] = (sg_side){.last = -INFINITY, .signs = sg_sketch_signs(keys[x], b)};
    sketch->nodes = nodes;
    return SCADYG_OK;
}

int sg_sketch_open(const sg_sketch_options *options, const uint64_t *keys, size_t nodes, sg_sketch **sketch,
                   scadyg_error *error)
{
    *sketch = NULL;
    int status = check(options, error);
    if (status) return status;
    const size_t blocks = options->width / SG_BLOCK;
    sg_sketch *made = NULL;
    if (blocks < SIZE_MAX / sizeof *made->block / 2)
        made = sg_alloc_zero(1, sizeof *made + blocks * sizeof *made->block);
    if (!made) return sg_fail_memory(error, "the walk sketches");
    made->options = *options;
    made->loops = best_loops();
    made->blocks = blocks;
    status = hold(made, keys, nodes, nodes, error);
    if (status)
        sg_sketch_close(made);
    else
        *sketch = made;
    return status;
}

void sg_sketch_close(sg_sketch *sketch)
{
    if (!sketch) return;
    for (size_t b = 0; b < sketch->blocks; b++) {
        free(sketch->block[b].walks_memory);
        free(sketch->block[b].sides_memory);
    }
    free(sketch);
}

/* Memory of nodes without events stays untouched. */
void sg_sketch_clear(sg_sketch *sketch)
{
    for (size_t b = 0; b < sketch->blocks; b++)
        for (size_t x = 0; x < sketch->nodes; x++) {
            sg_side *side = sketch->block[b].sides + x;
            if (side->mass[0] == 0) continue;
            memset(sketch->block[b].walks + x, 0, sizeof(sg_walks));
            *side = (sg_side){.last = -INFINITY, .signs = side->signs};
        }
}

size_t sg_sketch_blocks(const sg_sketch *sketch)
{
    return sketch->blocks;
}

int sg_sketch_grow(sg_sketch *sketch, const uint64_t *keys, size_t nodes, scadyg_error *error)
{
    if (nodes <= sketch->nodes) return SCADYG_OK;
    size_t capacity = sketch->block[0].capacity;
    if (nodes > capacity) {
        capacity += capacity / 2; /* so that growing one by one does not copy each time */
        if (capacity < nodes) capacity = nodes;
    }
    return hold(sketch, keys, nodes, capacity, error);
}

uint64_t sg_sketch_bytes(size_t width, uint64_t nodes)
{
    return width / SG_BLOCK * nodes * (sizeof(sg_walks) + sizeof(sg_side));
}

void sg_sketch_add(sg_sketch *sketch, size_t block, const uint32_t *src, const uint32_t *dst, const double *time,
                   size_t count)
{
    sketch->loops->add(&sketch->options, &sketch->block[block], src, dst, time, count);
}

void sg_sketch_read(const sg_sketch *sketch, size_t block, const uint32_t *src, const uint32_t *dst, size_t count,
                    double at, float *dots)
{
    sketch->loops->read(&sketch->options, &sketch->block[block], src, dst, count, count, at, dots);
}

void sg_sketch_read_some(const sg_sketch *sketch, size_t block, const uint32_t *src, const uint32_t *dst,
                         size_t count, size_t known, double at, float *dots)
{
    sketch->loops->read(&sketch->options, &sketch->block[block], src, dst, count, known, at, dots);
}

const float *sg_sketch_mass(const sg_sketch *sketch, size_t block, uint32_t node)
{
    return sketch->block[block].sides[node].mass;
}
