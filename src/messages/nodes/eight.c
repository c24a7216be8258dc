/* The common case, fast: eight columns that share one number, at rates that descend evenly, in float. */
#include "messages/nodes/sums.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/simd.h"
#include "messages/nodes/kernel.h"

#include <stdlib.h>
#include <string.h>

/*
 * How far ahead memory is asked for, so that it is there when its turn comes, and what a processor keeps near: measured
 * with bench_propagation on 0.01 to 2.6 M nodes (docs/performance.md, "One by one").
 */
#define SCATTER_AHEAD 32              /* events ahead of the one whose rows are added to */
#define PLACE_AHEAD 10                /* entries ahead of the one placed, about two cache lines */
#define ADD_AHEAD 64                  /* entries ahead of the one added: each takes little time */
#define NEAR_BYTES ((size_t)16 << 20) /* rows that a processor's caches keep near */

/* The parallel form. */
#define CHUNK ((uint64_t)2 << 20) /* events: 48 MiB of entries */
#define PIECE ((uint64_t)1 << 16) /* events counted and placed by one task */
#define BLOCK_SHIFT 13            /* rows of a block: 8192, 256 KiB, which the second-level cache holds */

int sg_eight_applies(const scadyg_messages *plan)
{
    return !plan->double_precision && plan->hop_width == 8 && plan->edge_width == 8 && plan->stored <= 1 &&
           plan->difference >= 0;
}

int sg_eight_parallel_pays(scadyg_context *context, const sg_sums *sums)
{
    const size_t threads = sg_context_threads(context);
    return threads >= 4 || (threads >= 2 && sums->count * sums->plan->width * sizeof(float) > NEAR_BYTES);
}

/* ---- An event and a row ---- */

/* The two numbers of each of up to SG_TILE events: value at the slowest rate, and ratio of neighbours. */
static void encode_events(const sg_sums *sums, const sg_source *source, uint64_t first, size_t count, float *value,
                          float *ratio)
{
    const scadyg_messages *plan = sums->plan;
    float base[SG_TILE];
    sg_base_float(plan, source, first, count, base);
    sg_decay_float(source->time + first, count, sums->frame, plan->rates[7], value);
    sg_decay_float(source->time + first, count, sums->frame, plan->difference, ratio);
    for (size_t i = 0; i < count; i++) value[i] *= base[i];
}

typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t eight_bits __attribute__((vector_size(32)));

/* *powers = value * {ratio^7, ..., ratio, 1}: powers 4, 2 and 1 are put where the exponent has that bit. */
SG_INLINE void make_powers(eight *powers, float value, float ratio)
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
    *powers = p4 * p2 * p1 * value;
}

/* With `plain`, every end has a row and all rows are in the current frame. */
SG_INLINE void add_to_row(sg_sums *sums, float *rows, size_t width, uint32_t row, const eight *powers, int plain)
{
    if (!plain) {
        if (row == SG_NO_ROW) return;
        if (sums->frames && sums->frames[row] != sums->frame) sg_carry_float(sums, row);
    }
    *(eight *)(rows + row * width) += *powers;
}

/* ---- On one thread ---- */

/* A tile of events, `left` of them up to the end of the run: rows are asked for some events ahead. */
typedef struct tile {
    const uint32_t *src, *dst;
    size_t count;
    uint64_t left;
    float value[SG_TILE], ratio[SG_TILE];
} tile;

SG_INLINE void scatter_body(sg_sums *sums, const tile *t, int plain)
{
    const size_t width = sums->plan->width, count = t->count;
    const uint32_t *src = t->src, *dst = t->dst;
    float *rows = sums->rows;
    for (size_t i = 0; i < count; i++) {
        const size_t next = i + SCATTER_AHEAD < t->left ? i + SCATTER_AHEAD : i;
        __builtin_prefetch(rows + src[next] * width, 1);
        __builtin_prefetch(rows + dst[next] * width, 1);
        eight powers;
        make_powers(&powers, t->value[i], t->ratio[i]);
        add_to_row(sums, rows, width, src[i], &powers, plain);
        add_to_row(sums, rows, width, dst[i], &powers, plain);
    }
}

SG_AVX2 static void scatter_avx2(sg_sums *sums, const tile *t, int plain)
{
    if (plain)
        scatter_body(sums, t, 1);
    else
        scatter_body(sums, t, 0);
}

static void scatter_any(sg_sums *sums, const tile *t, int plain)
{
    scatter_body(sums, t, plain);
}

/* The first rows come while the first exponentials are computed. */
static void ask_for_rows(const sg_sums *sums, const tile *t, size_t count)
{
    const float *rows = sums->rows;
    const size_t width = sums->plan->width;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(rows + t->src[i] * width, 1);
        __builtin_prefetch(rows + t->dst[i] * width, 1);
    }
}

void sg_eight_add(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count, const uint32_t *src_rows,
                  const uint32_t *dst_rows)
{
    const int avx2 = SG_HAS_AVX2(), plain = !src_rows && !sums->frames;
    tile t;
    t.src = src_rows ? src_rows : source->src + first;
    t.dst = dst_rows ? dst_rows : source->dst + first;
    ask_for_rows(sums, &t, count < SCATTER_AHEAD ? (size_t)count : SCATTER_AHEAD);
    for (t.left = count; t.left; t.left -= t.count, t.src += t.count, t.dst += t.count) {
        t.count = t.left < SG_TILE ? (size_t)t.left : SG_TILE;
        encode_events(sums, source, first + count - t.left, t.count, t.value, t.ratio);
        (avx2 ? scatter_avx2 : scatter_any)(sums, &t, plain);
    }
}

/*
 * ---- On several threads ----
 *
 * The ends of a chunk of events are sorted by blocks of rows that fit the second-level cache: counted, then placed as
 * entries, in the order of events. Then each block is one task.
 */

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

static void count_piece(void *data, size_t worker, size_t index)
{
    (void)worker;
    const chunk *c = data;
    const uint64_t begin = index * PIECE, end = c->count - begin < PIECE ? c->count : begin + PIECE;
    uint32_t *places = c->places + index * c->blocks;
    memset(places, 0, c->blocks * sizeof *places);
    for (uint64_t i = begin; i < end; i++) {
        if (c->src[i] != SG_NO_ROW) places[c->src[i] >> BLOCK_SHIFT]++;
        if (c->dst[i] != SG_NO_ROW) places[c->dst[i] >> BLOCK_SHIFT]++;
    }
}

static void share_out_places(const chunk *c, size_t pieces)
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

static inline void place_entry(const chunk *c, uint32_t *places, uint32_t row, float value, float ratio)
{
    if (row == SG_NO_ROW) return;
    entry *to = &c->entries[places[row >> BLOCK_SHIFT]++];
    __builtin_prefetch(to + PLACE_AHEAD, 1); /* a line of its own for each block: it must be on its way by then */
    *to = (entry){row, value, ratio};
}

static void place_piece(void *data, size_t worker, size_t index)
{
    (void)worker;
    const chunk *c = data;
    const uint64_t begin = index * PIECE, end = c->count - begin < PIECE ? c->count : begin + PIECE;
    uint32_t *places = c->places + index * c->blocks;
    float value[SG_TILE], ratio[SG_TILE];
    for (uint64_t at = begin; at < end; at += SG_TILE) {
        const size_t size = end - at < SG_TILE ? (size_t)(end - at) : SG_TILE;
        encode_events(c->sums, c->source, c->first + at, size, value, ratio);
        for (size_t i = 0; i < size; i++) {
            place_entry(c, places, c->src[at + i], value[i], ratio[i]);
            place_entry(c, places, c->dst[at + i], value[i], ratio[i]);
        }
    }
}

SG_INLINE void add_entries_body(sg_sums *sums, const entry *entries, size_t count, int plain)
{
    const size_t width = sums->plan->width;
    float *rows = sums->rows;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(rows + entries[i + ADD_AHEAD < count ? i + ADD_AHEAD : i].row * width, 1);
        eight powers;
        make_powers(&powers, entries[i].value, entries[i].ratio);
        add_to_row(sums, rows, width, entries[i].row, &powers, plain);
    }
}

SG_AVX2 static void add_entries_avx2(sg_sums *sums, const entry *entries, size_t count)
{
    if (sums->frames)
        add_entries_body(sums, entries, count, 0);
    else
        add_entries_body(sums, entries, count, 1);
}

static void add_block(void *data, size_t worker, size_t index)
{
    (void)worker;
    const chunk *c = data;
    const entry *entries = c->entries + c->begins[index];
    const size_t count = c->begins[index + 1] - c->begins[index];
    if (SG_HAS_AVX2())
        add_entries_avx2(c->sums, entries, count);
    else
        add_entries_body(c->sums, entries, count, 0);
}

int sg_eight_add_parallel(scadyg_context *context, sg_sums *sums, const sg_source *source, uint64_t first,
                          uint64_t count, const uint32_t *src_rows, const uint32_t *dst_rows, scadyg_error *error)
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
        sg_parallel_for(context, used, count_piece, &c);
        share_out_places(&c, used);
        sg_parallel_for(context, used, place_piece, &c);
        sg_parallel_for(context, blocks, add_block, &c);
    }
    free(c.places);
    return SCADYG_OK;
}
