/* The hypernetwork over the nodes of a batch: h_i = sum over j of sigmoid(r_i p_j) W_ij m_j with r = Wr m. */
#include "model/workspace.h"

#include "base/parallel.h"

#include <string.h>

static sg_grid grid_of(const sg_workspace *workspace, size_t i)
{
    const size_t d = workspace->net.width, size = d * workspace->piece;
    float *part = workspace->part + i * (2 * d * d + d);
    return (sg_grid){.width = d,
                     .lanes = workspace->piece,
                     .w = workspace->values + workspace->net.w,
                     .p = workspace->values + workspace->net.wp,
                     .m = workspace->m + i * size,
                     .r = workspace->r + i * size,
                     .h = workspace->h + i * size,
                     .s = workspace->s ? workspace->s + i * d * size : NULL,
                     .dh = workspace->dh + i * size,
                     .dr = workspace->dr + i * size,
                     .dw = part,
                     .dp = part + 2 * d * d};
}

static void piece_forward(void *context, size_t i)
{
    sg_workspace *workspace = context;
    const size_t d = workspace->net.width;
    const sg_grid grid = grid_of(workspace, i);
    if (workspace->z) {
        const size_t begin = i * workspace->piece, left = workspace->nodes - begin;
        workspace->kernels->gather(d, workspace->rows, workspace->row_at + begin,
                                   left < workspace->piece ? left : workspace->piece, workspace->piece,
                                   workspace->m + begin * d);
    }
    workspace->kernels->mix(d, d, workspace->piece, (sg_weights){workspace->values + workspace->net.wr, 1, d}, NULL,
                            grid.m, workspace->r + i * d * workspace->piece);
    workspace->kernels->grid_forward(&grid);
}

static void piece_backward(void *context, size_t i)
{
    sg_workspace *workspace = context;
    const size_t d = workspace->net.width;
    const sg_grid grid = grid_of(workspace, i);
    workspace->kernels->grid_backward(&grid);
    workspace->kernels->outer(d, d, workspace->piece, grid.dr, grid.m, grid.dw + d * d);
}

/* The distinct rows of the batch, numbered in the order of their first appearance. */
static void find_distinct(sg_workspace *workspace)
{
    memset(workspace->table, 0, (workspace->table_mask + 1) * sizeof *workspace->table);
    workspace->nodes = 0;
    for (size_t side = 0; side < workspace->sides; side++)
        for (size_t k = 0; k < workspace->count; k++) {
            const uint32_t row = workspace->index[side][k];
            size_t at = (row * 2654435769u) >> workspace->table_shift;
            while (workspace->table[at] && workspace->row_at[workspace->table[at] - 1] != row)
                at = (at + 1) & workspace->table_mask;
            if (!workspace->table[at]) {
                workspace->row_at[workspace->nodes] = row;
                workspace->table[at] = (uint32_t)++workspace->nodes;
            }
            workspace->place[side * workspace->count + k] = workspace->table[at] - 1;
        }
}

/* Where the first number of a place is in matrices [pieces][d][piece]. */
static size_t begin_of(const sg_workspace *workspace, uint32_t place)
{
    return place / workspace->piece * workspace->piece * workspace->net.width + place % workspace->piece;
}

static void spread(sg_workspace *workspace)
{
    const size_t d = workspace->net.width;
    for (size_t side = 0; side < workspace->sides; side++) {
        float *z = workspace->z + side * d * workspace->lanes;
        for (size_t k = 0; k < workspace->count; k++) {
            const float *h = workspace->h + begin_of(workspace, workspace->place[side * workspace->count + k]);
            for (size_t j = 0; j < d; j++) z[j * workspace->lanes + k] = h[j * workspace->piece];
        }
        for (size_t j = 0; j < d; j++)
            for (size_t k = workspace->count; k < workspace->lanes; k++) z[j * workspace->lanes + k] = 0;
    }
}

static void gather_back(sg_workspace *workspace)
{
    const size_t d = workspace->net.width;
    memset(workspace->dh, 0, workspace->pieces * workspace->piece * d * sizeof *workspace->dh);
    for (size_t side = 0; side < workspace->sides; side++) {
        const float *dz = workspace->dz + side * d * workspace->lanes;
        for (size_t k = 0; k < workspace->count; k++) {
            float *dh = workspace->dh + begin_of(workspace, workspace->place[side * workspace->count + k]);
            for (size_t j = 0; j < d; j++) dh[j * workspace->piece] += dz[j * workspace->lanes + k];
        }
    }
}

static int threads_of(const sg_workspace *workspace)
{
    return workspace->net.width > SG_NARROW ? workspace->threads : 1;
}

const float *sg_workspace_forward(sg_workspace *workspace, const float *values, const float *rows,
                                  const uint32_t *first, const uint32_t *second, size_t count)
{
    const size_t d = workspace->net.width;
    workspace->values = values;
    workspace->rows = rows;
    workspace->index[0] = first;
    workspace->index[1] = second;
    workspace->count = count;
    workspace->lanes = SG_LANES(count);
    if (!workspace->z) {
        workspace->piece = workspace->lanes;
        workspace->pieces = workspace->sides;
        for (size_t side = 0; side < workspace->sides; side++)
            workspace->kernels->gather(d, rows, workspace->index[side], count, workspace->lanes,
                                       workspace->m + side * d * workspace->lanes);
        if (!workspace->net.hypernetwork) return workspace->m;
    } else {
        find_distinct(workspace);
        workspace->piece = d > SG_NARROW ? SG_PIECE : SG_LANES(workspace->nodes);
        workspace->pieces = (workspace->nodes + workspace->piece - 1) / workspace->piece;
    }
    sg_parallel_for(threads_of(workspace), workspace->pieces, piece_forward, workspace);
    if (!workspace->z) return workspace->h;
    spread(workspace);
    return workspace->z;
}

void sg_workspace_backward(sg_workspace *workspace, float *gradient)
{
    const size_t d = workspace->net.width, size = 2 * d * d + d;
    if (workspace->z) gather_back(workspace);
    sg_parallel_for(threads_of(workspace), workspace->pieces, piece_backward, workspace);
    memcpy(gradient, workspace->part, size * sizeof *gradient);
    for (size_t i = 1; i < workspace->pieces; i++)
        for (size_t k = 0; k < size; k++) gradient[k] += workspace->part[i * size + k];
}
