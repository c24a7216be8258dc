/*
 * Eight columns, the parallel form. The ends of a chunk of events are sorted by blocks of rows that fit the
 * second-level cache: counted, then placed as entries, in the order of events. Then each block is one task.
 */
#include "messages/nodes/eight.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "messages/nodes/eight_row.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((uint64_t)2 << 20) /* events: 48 MiB of entries */
#define PIECE ((uint64_t)1 << 16) /* events counted and placed by one task */
#define BLOCK_SHIFT 13            /* rows of a block: 8192, 256 KiB */
#define PLACE_AHEAD 10            /* entries ahead of the one placed, about two cache lines */

#define ADD_AHEAD 64 /* entries ahead of the one added: each takes little time */

#define NEAR_BYTES ((size_t)16 << 20) /* rows that a processor's caches keep near */

int sg_eight_parallel_pays(const sg_sums *sums, int threads)
{
    return threads >= 4 || (threads >= 2 && sums->count * sums->plan->width * sizeof(float) > NEAR_BYTES);
}

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
    if (row == SG_NO_ROW) return;
    entry *to = &c->entries[places[row >> BLOCK_SHIFT]++];
    __builtin_prefetch(to + PLACE_AHEAD, 1); /* a line of its own for each block: it must be on its way by then */
    *to = (entry){row, value, ratio};
}

static void place_piece(void *context, size_t index)
{
    const chunk *c = context;
    const uint64_t begin = index * PIECE, end = c->count - begin < PIECE ? c->count : begin + PIECE;
    uint32_t *places = c->places + index * c->blocks;
    float value[SG_TILE], ratio[SG_TILE];
    for (uint64_t at = begin; at < end; at += SG_TILE) {
        const size_t size = end - at < SG_TILE ? (size_t)(end - at) : SG_TILE;
        sg_eight_encode(c->sums, c->source, c->first + at, size, value, ratio);
        for (size_t i = 0; i < size; i++) {
            place(c, places, c->src[at + i], value[i], ratio[i]);
            place(c, places, c->dst[at + i], value[i], ratio[i]);
        }
    }
}

SG_INLINE void add_entries_body(sg_sums *sums, const entry *entries, size_t count, int plain)
{
    const size_t width = sums->plan->width;
    float *rows = sums->rows;
    for (size_t i = 0; i < count; i++) {
        __builtin_prefetch(rows + entries[i + ADD_AHEAD < count ? i + ADD_AHEAD : i].row * width, 1);
        sg_eight powers;
        sg_eight_powers(&powers, entries[i].value, entries[i].ratio);
        sg_eight_add_to(sums, rows, width, entries[i].row, &powers, plain);
    }
}

SG_AVX2 static void add_entries_avx2(sg_sums *sums, const entry *entries, size_t count)
{
    if (sums->frames)
        add_entries_body(sums, entries, count, 0);
    else
        add_entries_body(sums, entries, count, 1);
}

static void add_entries_any(sg_sums *sums, const entry *entries, size_t count)
{
    add_entries_body(sums, entries, count, 0);
}

static void add_block(void *context, size_t index)
{
    const chunk *c = context;
    const entry *entries = c->entries + c->begins[index];
    const size_t count = c->begins[index + 1] - c->begins[index];
    (SG_HAS_AVX2() ? add_entries_avx2 : add_entries_any)(c->sums, entries, count);
}

int sg_eight_add_parallel(sg_sums *sums, const sg_source *source, uint64_t first, uint64_t count,
                          const uint32_t *src_rows, const uint32_t *dst_rows, int threads, scadyg_error *error)
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
