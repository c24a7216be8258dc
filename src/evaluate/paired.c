/* Paired differences: how sure a difference between two scorers is that answered the same queries. */
#include "evaluate/evaluation.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

int sg_paired_open(sg_paired *paired, size_t scorers, scadyg_error *error)
{
    *paired = (sg_paired){.scorers = scorers};
    return sg_pair_map_open(&paired->index) ? sg_fail_memory(error, "the sums of the scores") : SCADYG_OK;
}

void sg_paired_close(sg_paired *paired)
{
    sg_pair_map_close(&paired->index);
    free(paired->sums);
    *paired = (sg_paired){0};
}

static int make_cluster(sg_paired *paired, uint64_t *place)
{
    const size_t width = paired->scorers + 1;
    if (sg_grow(&paired->sums, &paired->room, (paired->count + 1) * width, sizeof *paired->sums)) return -1;
    for (size_t i = 0; i < width; i++) paired->sums[paired->count * width + i] = 0;
    *place = paired->count++;
    return 0;
}

void sg_paired_add(sg_paired *paired, uint64_t cluster, size_t scorer, double value, double weight)
{
    const size_t width = paired->scorers + 1;
    int is_new;
    uint64_t *place = paired->failed ? NULL : sg_pair_map_put(&paired->index, cluster, &is_new);
    if (!place || (is_new && make_cluster(paired, place))) {
        paired->failed = 1;
        return;
    }
    double *sums = paired->sums + *place * width;
    sums[scorer] += weight * value;
    if (scorer == 0) sums[paired->scorers] += weight; /* all of them answer the same queries */
}

/* Of the sums of one scorer, less `share` times those of another. */
static double find_error(const sg_paired *paired, size_t one, size_t other, double share)
{
    const size_t width = paired->scorers + 1;
    double difference = 0, weight = 0, square = 0;
    if (paired->count < 2) return NAN;
    for (size_t i = 0; i < paired->count; i++) {
        const double *sums = paired->sums + i * width;
        difference += sums[one] - share * sums[other];
        weight += sums[paired->scorers];
    }
    for (size_t i = 0; i < paired->count; i++) {
        const double *sums = paired->sums + i * width;
        const double deviation = sums[one] - share * sums[other] - difference / weight * sums[paired->scorers];
        square += deviation * deviation;
    }
    const double clusters = (double)paired->count;
    return sqrt(square * clusters / (clusters - 1)) / weight;
}

double sg_paired_error(const sg_paired *paired, size_t one, size_t other)
{
    return find_error(paired, one, other, 1);
}

double sg_paired_own_error(const sg_paired *paired, size_t one)
{
    return find_error(paired, one, one, 0);
}
