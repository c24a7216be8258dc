/* The bench: scratch memory for a batch of learning. */
#include "model/bench.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <stdlib.h>

static size_t round_up(size_t x, size_t unit)
{
    return (x + unit - 1) / unit * unit;
}

/* Sets *at to the next `count` floats of the block, or only counts them while there is no block. */
static void take(sg_bench *bench, size_t *used, float **at, size_t count)
{
    *at = bench->block ? bench->block + *used : NULL;
    *used += round_up(count, 16);
}

static size_t lay_out(sg_bench *bench)
{
    const sg_net *net = &bench->net;
    const size_t d = net->width, lanes = SG_LANES(bench->batch), hidden = net->hidden;
    const size_t nodes = round_up(bench->sides * lanes, SG_PIECE), pieces = nodes / SG_PIECE;
    const size_t parts = d > SG_NARROW ? pieces : bench->sides;
    size_t used = 0;
    take(bench, &used, &bench->m, nodes * d);
    if (net->hypernetwork) {
        take(bench, &used, &bench->r, nodes * d);
        take(bench, &used, &bench->h, nodes * d);
        take(bench, &used, &bench->dh, nodes * d);
        take(bench, &used, &bench->dr, nodes * d);
        take(bench, &used, &bench->part, parts * (2 * d * d + d));
        if (d <= SG_NARROW) take(bench, &used, &bench->s, nodes * d * d);
        if (d >= SG_DISTINCT_FROM) take(bench, &used, &bench->z, bench->inputs * lanes);
        if (d >= SG_DISTINCT_FROM) take(bench, &used, &bench->dz, bench->inputs * lanes);
    }
    take(bench, &used, &bench->x, hidden * lanes);
    take(bench, &used, &bench->logit, net->outputs * lanes);
    take(bench, &used, &bench->slope, lanes);
    take(bench, &used, &bench->log_sum, lanes);
    take(bench, &used, &bench->sums, hidden);
    if (net->task == SCADYG_TASK_LINK)
        take(bench, &used, &bench->scaled, bench->inputs * hidden);
    else
        take(bench, &used, &bench->dx, hidden * lanes);
    return used;
}

int sg_bench_open(const sg_net *net, size_t batch, int threads, sg_bench **result, scadyg_error *error)
{
    *result = NULL;
    sg_bench *bench = sg_alloc_zero(1, sizeof *bench);
    if (!bench) return sg_fail_memory(error, "a batch");
    bench->net = *net;
    bench->kernels = sg_kernels_best();
    bench->batch = batch ? batch : 1;
    bench->threads = sg_threads(threads);
    bench->sides = net->task == SCADYG_TASK_LINK ? 2 : 1;
    bench->inputs = bench->sides * net->width;
    const size_t ends = bench->sides * bench->batch;
    size_t table = 16;
    for (bench->table_shift = 28; table < 2 * ends; bench->table_shift--) table *= 2;
    bench->table_mask = table - 1;
    bench->table = sg_alloc(table, sizeof *bench->table);
    bench->row_at = sg_alloc(ends, sizeof *bench->row_at);
    bench->place = sg_alloc(ends, sizeof *bench->place);
    bench->block = sg_alloc_aligned(lay_out(bench), sizeof *bench->block);
    if (!bench->table || !bench->row_at || !bench->place || !bench->block) {
        sg_bench_close(bench);
        return sg_fail_memory(error, "a batch");
    }
    lay_out(bench);
    *result = bench;
    return SCADYG_OK;
}

void sg_bench_close(sg_bench *bench)
{
    if (!bench) return;
    free(bench->table);
    free(bench->row_at);
    free(bench->place);
    free(bench->block);
    free(bench);
}
