/* The common case, fast: eight columns that share one number, at rates that descend evenly, in float. */
#include "messages/nodes/eight.h"

#include "messages/nodes/eight_row.h"

int sg_eight_applies(const scadyg_messages *plan)
{
    return !plan->double_precision && plan->hop_width == 8 && plan->edge_width == 8 && plan->stored <= 1 &&
           plan->difference >= 0;
}

void sg_eight_encode(const sg_sums *sums, const sg_source *source, uint64_t first, size_t count, float *value,
                     float *ratio)
{
    const scadyg_messages *plan = sums->plan;
    float base[SG_TILE];
    sg_base_float(plan, source, first, count, base);
    sg_decay_float(source->time + first, count, sums->frame, plan->rates[7], value);
    sg_decay_float(source->time + first, count, sums->frame, plan->difference, ratio);
    for (size_t i = 0; i < count; i++) value[i] *= base[i];
}

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
        const size_t next = i + SG_EIGHT_AHEAD < t->left ? i + SG_EIGHT_AHEAD : i;
        __builtin_prefetch(rows + src[next] * width, 1);
        __builtin_prefetch(rows + dst[next] * width, 1);
        sg_eight powers;
        sg_eight_powers(&powers, t->value[i], t->ratio[i]);
        sg_eight_add_to(sums, rows, width, src[i], &powers, plain);
        sg_eight_add_to(sums, rows, width, dst[i], &powers, plain);
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
    ask_for_rows(sums, &t, count < SG_EIGHT_AHEAD ? (size_t)count : SG_EIGHT_AHEAD);
    for (t.left = count; t.left; t.left -= t.count, t.src += t.count, t.dst += t.count) {
        t.count = t.left < SG_TILE ? (size_t)t.left : SG_TILE;
        sg_eight_encode(sums, source, first + count - t.left, t.count, t.value, t.ratio);
        (avx2 ? scatter_avx2 : scatter_any)(sums, &t, plain);
    }
}
