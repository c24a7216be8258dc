/* The hypernetwork over the nodes of a batch: h_i = sum over j of sigmoid(r_i p_j) W_ij m_j with r = Wr m. */
#include "model/bench.h"

#include "base/parallel.h"

#include <string.h>

static sg_grid grid_of(const sg_bench *bench, size_t i)
{
    const size_t d = bench->net.width, size = d * bench->piece;
    float *part = bench->part + i * (2 * d * d + d);
    return (sg_grid){.width = d,
                     .lanes = bench->piece,
                     .w = bench->values + bench->net.w,
                     .p = bench->values + bench->net.wp,
                     .m = bench->m + i * size,
                     .r = bench->r + i * size,
                     .h = bench->h + i * size,
                     .s = bench->s ? bench->s + i * d * size : NULL,
                     .dh = bench->dh + i * size,
                     .dr = bench->dr + i * size,
                     .dw = part,
                     .dp = part + 2 * d * d};
}

static void piece_forward(void *context, size_t i)
{
    sg_bench *bench = context;
    const size_t d = bench->net.width;
    const sg_grid grid = grid_of(bench, i);
    if (bench->z) {
        const size_t begin = i * bench->piece, left = bench->nodes - begin;
        bench->kernels->gather(d, bench->rows, bench->row_at + begin, left < bench->piece ? left : bench->piece,
                               bench->piece, bench->m + begin * d);
    }
    bench->kernels->mix(d, d, bench->piece, (sg_weights){bench->values + bench->net.wr, 1, d}, NULL, grid.m,
                        bench->r + i * d * bench->piece);
    bench->kernels->grid_forward(&grid);
}

static void piece_backward(void *context, size_t i)
{
    sg_bench *bench = context;
    const size_t d = bench->net.width;
    const sg_grid grid = grid_of(bench, i);
    bench->kernels->grid_backward(&grid);
    bench->kernels->outer(d, d, bench->piece, grid.dr, grid.m, grid.dw + d * d);
}

/* The distinct rows of the batch, numbered in the order of their first appearance. */
static void find_distinct(sg_bench *bench)
{
    memset(bench->table, 0, (bench->table_mask + 1) * sizeof *bench->table);
    bench->nodes = 0;
    for (size_t side = 0; side < bench->sides; side++)
        for (size_t k = 0; k < bench->count; k++) {
            const uint32_t row = bench->index[side][k];
            size_t at = (row * 2654435769u) >> bench->table_shift;
            while (bench->table[at] && bench->row_at[bench->table[at] - 1] != row)
                at = (at + 1) & bench->table_mask;
            if (!bench->table[at]) {
                bench->row_at[bench->nodes] = row;
                bench->table[at] = (uint32_t)++bench->nodes;
            }
            bench->place[side * bench->count + k] = bench->table[at] - 1;
        }
}

/* Where the first number of a place is in matrices [pieces][d][piece]. */
static size_t begin_of(const sg_bench *bench, uint32_t place)
{
    return place / bench->piece * bench->piece * bench->net.width + place % bench->piece;
}

static void spread(sg_bench *bench)
{
    const size_t d = bench->net.width;
    for (size_t side = 0; side < bench->sides; side++) {
        float *z = bench->z + side * d * bench->lanes;
        for (size_t k = 0; k < bench->count; k++) {
            const float *h = bench->h + begin_of(bench, bench->place[side * bench->count + k]);
            for (size_t j = 0; j < d; j++) z[j * bench->lanes + k] = h[j * bench->piece];
        }
        for (size_t j = 0; j < d; j++)
            for (size_t k = bench->count; k < bench->lanes; k++) z[j * bench->lanes + k] = 0;
    }
}

static void gather_back(sg_bench *bench)
{
    const size_t d = bench->net.width;
    memset(bench->dh, 0, bench->pieces * bench->piece * d * sizeof *bench->dh);
    for (size_t side = 0; side < bench->sides; side++) {
        const float *dz = bench->dz + side * d * bench->lanes;
        for (size_t k = 0; k < bench->count; k++) {
            float *dh = bench->dh + begin_of(bench, bench->place[side * bench->count + k]);
            for (size_t j = 0; j < d; j++) dh[j * bench->piece] += dz[j * bench->lanes + k];
        }
    }
}

static int threads_of(const sg_bench *bench)
{
    return bench->net.width > SG_NARROW ? bench->threads : 1;
}

const float *sg_bench_forward(sg_bench *bench, const float *values, const float *rows, const uint32_t *first,
                              const uint32_t *second, size_t count)
{
    const size_t d = bench->net.width;
    bench->values = values;
    bench->rows = rows;
    bench->index[0] = first;
    bench->index[1] = second;
    bench->count = count;
    bench->lanes = SG_LANES(count);
    if (!bench->z) {
        bench->piece = bench->lanes;
        bench->pieces = bench->sides;
        for (size_t side = 0; side < bench->sides; side++)
            bench->kernels->gather(d, rows, bench->index[side], count, bench->lanes,
                                   bench->m + side * d * bench->lanes);
        if (!bench->net.hypernetwork) return bench->m;
    } else {
        find_distinct(bench);
        bench->piece = d > SG_NARROW ? SG_PIECE : SG_LANES(bench->nodes);
        bench->pieces = (bench->nodes + bench->piece - 1) / bench->piece;
    }
    sg_parallel_for(threads_of(bench), bench->pieces, piece_forward, bench);
    if (!bench->z) return bench->h;
    spread(bench);
    return bench->z;
}

void sg_bench_backward(sg_bench *bench, float *gradient)
{
    const size_t d = bench->net.width, size = 2 * d * d + d;
    if (bench->z) gather_back(bench);
    sg_parallel_for(threads_of(bench), bench->pieces, piece_backward, bench);
    memcpy(gradient, bench->part, size * sizeof *gradient);
    for (size_t i = 1; i < bench->pieces; i++)
        for (size_t k = 0; k < size; k++) gradient[k] += bench->part[i * size + k];
}
