/* The common case, fast: eight columns that share one number, at rates that descend evenly, in float. */
#include "messages/eight.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/kernel.h"
#include "messages/simd.h"

#include <stdlib.h>
#include <string.h>

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t eight_bits __attribute__((vector_size(32)));

int sg_eight_applies(const scadyg_messages *plan)
{
    return !plan->double_precision && plan->hop_width == 8 && plan->edge_width == 8 && plan->stored <= 1 &&
           plan->difference >= 0;
}

/* *row += value * {ratio^7, ..., ratio, 1}: powers 4, 2 and 1 are put where the exponent has that bit. */
SG_INLINE void add_powers(eight *row, float value, float ratio)
{
    const eight_bits one = {0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000,
                            0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000};
    const eight_bits bit4 = {-1, -1, -1, -1, 0, 0, 0, 0}, bit2 = {-1, -1, 0, 0, -1, -1, 0, 0},
                     bit1 = {-1, 0, -1, 0, -1, 0, -1, 0};
    const float square = ratio * ratio, fourth = square * square;
    const eight q1 = {ratio, ratio, ratio, ratio, ratio, ratio, ratio, ratio};
    const eight q2 = {square, square, square, square, square, square, square, square};
    const eight q4 = {fourth, fourth, fourth, fourth, fourth, fourth, fourth, fourth};
    const eight p1 = (eight)(((eight_bits)q1 & bit1) | (one & ~bit1));
    const eight p2 = (eight)(((eight_bits)q2 & bit2) | (one & ~bit2));
    const eight p4 = (eight)(((eight_bits)q4 & bit4) | (one & ~bit4));
    *row += p4 * p2 * p1 * value;
}

/* The two numbers of each of up to SG_TILE events. */
static void encode(const sg_sums *sums, const sg_source *source, uint64_t first, size_t count, float *value,
                   float *ratio)
{
    const scadyg_messages *plan = sums->plan;
    float base[SG_TILE];
    sg_base_float(plan, source, first, count, base);
    sg_decay_float(source->time + first, count, sums->frame, plan->rates[7], value);
    sg_decay_float(source->time + first, count, sums->frame, plan->difference, ratio);
    for (size_t i = 0; i < count; i++) value[i] *= base[i];
}

SG_INLINE void add_to(sg_sums *sums, size_t row, size_t width, float value, float ratio)
{
    if (row == SG_NO_ROW) return;
    if (sums->frames && sums->frames[row] != sums->frame) sg_carry_float(sums, row);
    add_powers((eight *)((float *)sums->rows + row * width), value, ratio);
}

SG_INLINE void scatter_body(sg_sums *sums, size_t count, const uint32_t *src, const uint32_t *dst,
                            const float *value, const float *ratio)
{
    const size_t width = sums->plan->width;
    for (size_t i = 0; i < count; i++) {
        add_to(sums, src[i], width, value[i], ratio[i]);
        add_to(sums, dst[i], width, value[i], ratio[i]);
    }
}

SG_AVX2 static void scatter_avx2(sg_sums *sums, size_t count, const uint32_t *src, const uint32_t *dst,
                                 const float *value, const float *ratio)
{
    scatter_body(sums, count, src, dst, value, ratio);
}

static void scatter_any(sg_sums *sums, size_t count, const uint32_t *src, const uint32_t *dst,
                        const float *value, const float *ratio)
{
    scatter_body(sums, count, src, dst, value, ratio);
}

static void prefetch(const sg_sums *sums, size_t count, const uint32_t *src, const uint32_t *dst)
{
    const float *rows = sums->rows;
    const size_t width = sums->plan->width;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(rows + src[i] * width, 1);
        __builtin_prefetch(rows + dst[i] * width, 1);
    }
}

void sg_eight_add(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,
                  const uint32_t *src_rows, const uint32_t *dst_rows)
{
    const uint32_t *src = src_rows ? src_rows : source->src + first;
    const uint32_t *dst = dst_rows ? dst_rows : source->dst + first;
    const int avx2 = SG_HAS_AVX2();
    float value[SG_TILE], ratio[SG_TILE];
    for (uint64_t done = 0; done < count; done += SG_TILE) {
        const size_t size = count - done < SG_TILE ? (size_t)(count - done) : SG_TILE;
        if (count > 1) prefetch(sums, size, src + done, dst + done);
        encode(sums, source, first + done, size, value, ratio);
        (avx2 ? scatter_avx2 : scatter_any)(sums, size, src + done, dst + done, value, ratio);
    }
}

/*
 * The parallel form. The ends of a chunk of events are sorted by blocks of rows that fit the second-level
 * cache: counted, then placed as entries, in the order of events. Then each block is one task.
 */

#define CHUNK ((uint64_t)8 << 20) /* events: 192 MiB of entries */
#define PIECE ((uint64_t)1 << 16) /* events counted and placed by one task */
#define BLOCK_SHIFT 12            /* rows of a block: 4096, 128 KiB */

typedef struct entry {
    uint32_t row;
    float value, ratio;
} entry;

typedef struct chunk {
    sg_sums *sums;
    const sg_source *source;
    uint64_t first, count;
    const uint32_t *src, *dst; /* rows of the ends of the chunk's first event on */
    size_t blocks;
    uint32_t *places; /* [pieces][blocks]: how many entries, then where the next one goes */
    uint32_t *begins; /* [blocks + 1] */
    entry *entries;
} chunk;

static void count_piece(void *context, size_t index)
{
    const chunk *c = context;
    const uint64_t begin = index * PIECE, end = c->count - begin < PIECE ? c->count : begin + PIECE;
    uint32_t *places = c->places + index * c->blocks;
    memset(places, 0, c->blocks * sizeof *places);
    for (uint64_t i = begin; i < end; i++) {
        if (c->src[i] != SG_NO_ROW) places[c->src[i] >> BLOCK_SHIFT]++;
        if (c->dst[i] != SG_NO_ROW) places[c->dst[i] >> BLOCK_SHIFT]++;
    }
}

static void share_places(const chunk *c, size_t pieces)
{
    uint32_t next = 0;
    for (size_t block = 0; block < c->blocks; block++) {
        c->begins[block] = next;
        for (size_t piece = 0; piece < pieces; piece++) {
            uint32_t count = c->places[piece * c->blocks + block];
            c->places[piece * c->blocks + block] = next;
            next += count;
        }
    }
    c->begins[c->blocks] = next;
}

static inline void place(const chunk *c, uint32_t *places, uint32_t row, float value, float ratio)
{
    if (row != SG_NO_ROW) c->entries[places[row >> BLOCK_SHIFT]++] = (entry){row, value, ratio};
}

static void place_piece(void *context, size_t index)
{
    const chunk *c = context;
    const uint64_t begin = index * PIECE, end = c->count - begin < PIECE ? c->count : begin + PIECE;
    uint32_t *places = c->places + index * c->blocks;
    float value[SG_TILE], ratio[SG_TILE];
    for (uint64_t at = begin; at < end; at += SG_TILE) {
        const size_t size = end - at < SG_TILE ? (size_t)(end - at) : SG_TILE;
        encode(c->sums, c->source, c->first + at, size, value, ratio);
        for (size_t i = 0; i < size; i++) {
            place(c, places, c->src[at + i], value[i], ratio[i]);
            place(c, places, c->dst[at + i], value[i], ratio[i]);
        }
    }
}

SG_INLINE void add_entries_body(sg_sums *sums, const entry *entries, size_t count)
{
    const size_t width = sums->plan->width;
    for (size_t i = 0; i < count; i++)
        add_to(sums, entries[i].row, width, entries[i].value, entries[i].ratio);
}

SG_AVX2 static void add_entries_avx2(sg_sums *sums, const entry *entries, size_t count)
{
    add_entries_body(sums, entries, count);
}

static void add_entries_any(sg_sums *sums, const entry *entries, size_t count)
{
    add_entries_body(sums, entries, count);
}

static void add_block(void *context, size_t index)
{
    const chunk *c = context;
    const entry *entries = c->entries + c->begins[index];
    const size_t count = c->begins[index + 1] - c->begins[index];
    (SG_HAS_AVX2() ? add_entries_avx2 : add_entries_any)(c->sums, entries, count);
}

int sg_eight_add_parallel(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,
                          const uint32_t *src_rows, const uint32_t *dst_rows, int threads,
                          scadyg_error *error)
{
    const uint64_t most = count < CHUNK ? count : CHUNK;
    const size_t pieces = (size_t)((most + PIECE - 1) / PIECE), blocks = (sums->count >> BLOCK_SHIFT) + 1;
    chunk c = {.sums = sums, .source = source, .blocks = blocks};
    c.places = sg_alloc(pieces * blocks + blocks + 1, sizeof *c.places);
    c.entries = sg_sums_entries(sums, (size_t)most * 2 * sizeof *c.entries);
    if (!c.places || !c.entries) {
        free(c.places);
        return sg_fail_memory(error, "the messages of some events");
    }
    c.begins = c.places + pieces * blocks;
    for (uint64_t done = 0; done < count; done += most) {
        c.first = first + done;
        c.count = count - done < most ? count - done : most;
        c.src = src_rows ? src_rows + done : source->src + c.first;
        c.dst = dst_rows ? dst_rows + done : source->dst + c.first;
        const size_t used = (size_t)((c.count + PIECE - 1) / PIECE);
        sg_parallel_for(threads, used, count_piece, &c);
        share_places(&c, used);
        sg_parallel_for(threads, used, place_piece, &c);
        sg_parallel_for(threads, blocks, add_block, &c);
    }
    free(c.places);
    return SCADYG_OK;
}
