/* The workspace: scratch memory for a batch of learning. */
#include "model/workspace.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdlib.h>

static size_t round_up(size_t x, size_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Sets *at to the next `count` floats of the block, or only counts them while there is no block. */
static void take(sg_workspace *workspace, size_t *used, float **at, size_t count)
{
    *at = workspace->block ? workspace->block + *used : NULL;
    *used += round_up(count, 16);
}

static size_t lay_out(sg_workspace *workspace)
{
    const sg_net *net = &workspace->net;
    const size_t d = net->width, lanes = SG_LANES(workspace->batch), hidden = net->hidden;
    const size_t nodes = round_up(workspace->sides * lanes, SG_PIECE), pieces = nodes / SG_PIECE;
    const size_t parts = d > SG_NARROW ? pieces : workspace->sides;
    size_t used = 0;
    take(workspace, &used, &workspace->m, nodes * d);
    if (net->hypernetwork) {
        take(workspace, &used, &workspace->r, nodes * d);
        take(workspace, &used, &workspace->h, nodes * d);
        take(workspace, &used, &workspace->dh, nodes * d);
        take(workspace, &used, &workspace->dr, nodes * d);
        take(workspace, &used, &workspace->part, parts * (2 * d * d + d));
        if (d <= SG_NARROW) take(workspace, &used, &workspace->s, nodes * d * d);
        if (d >= SG_DISTINCT_FROM) take(workspace, &used, &workspace->z, workspace->inputs * lanes);
        if (d >= SG_DISTINCT_FROM) take(workspace, &used, &workspace->dz, workspace->inputs * lanes);
    }
    take(workspace, &used, &workspace->x, hidden * lanes);
    take(workspace, &used, &workspace->logit, net->outputs * lanes);
    take(workspace, &used, &workspace->slope, lanes);
    take(workspace, &used, &workspace->log_sum, lanes);
    take(workspace, &used, &workspace->sums, hidden);
    if (net->task == SCADYG_TASK_LINK)
        take(workspace, &used, &workspace->scaled, workspace->inputs * hidden);
    else
        take(workspace, &used, &workspace->dx, hidden * lanes);
    return used;
}

int sg_workspace_open(const sg_net *net, size_t batch, int threads, sg_workspace **result, scadyg_error *error)
{
    *result = NULL;
    sg_workspace *workspace = sg_alloc_zero(1, sizeof *workspace);
    if (!workspace) return sg_fail_memory(error, "a batch");
    workspace->net = *net;
    workspace->kernels = sg_kernels_best();
    workspace->batch = batch ? batch : 1;
    workspace->threads = sg_threads(threads);
    workspace->sides = net->task == SCADYG_TASK_LINK ? 2 : 1;
    workspace->inputs = workspace->sides * net->width;
    const size_t ends = workspace->sides * workspace->batch;
    size_t table = 16;
    for (workspace->table_shift = 28; table < 2 * ends; workspace->table_shift--) table *= 2;
    workspace->table_mask = table - 1;
    workspace->table = sg_alloc(table, sizeof *workspace->table);
    workspace->row_at = sg_alloc(ends, sizeof *workspace->row_at);
    workspace->place = sg_alloc(ends, sizeof *workspace->place);
    workspace->block = sg_alloc_aligned(lay_out(workspace), sizeof *workspace->block);
    if (!workspace->table || !workspace->row_at || !workspace->place || !workspace->block) {
        sg_workspace_close(workspace);
        return sg_fail_memory(error, "a batch");
    }
    lay_out(workspace);
    *result = workspace;
    return SCADYG_OK;
}

void sg_workspace_close(sg_workspace *workspace)
{
    if (!workspace) return;
    free(workspace->table);
    free(workspace->row_at);
    free(workspace->place);
    free(workspace->block);
    free(workspace);
}
