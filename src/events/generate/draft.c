/* Drafts: pieces of a generated graph on their way from the process to the file. */
#include "events/generate/draft.h"

#include "base/memory.h"

#include <stdlib.h>

enum { STREAM_SOURCE_SIGNS = 0xA1, STREAM_DESTINATION_SIGNS = 0xB2, STREAM_NOISE = 0xC3, STREAM_OTHERS = 0xD4 };

int sg_draft_open(sg_draft *draft, size_t capacity, size_t dimension, int oracle, scadyg_error *error)
{
    *draft = (sg_draft){0};
    draft->src = sg_alloc(capacity, sizeof *draft->src);
    draft->dst = sg_alloc(capacity, sizeof *draft->dst);
    draft->time = sg_alloc(capacity, sizeof *draft->time);
    int missing = !draft->src || !draft->dst || !draft->time;
    if (dimension) {
        draft->src_community = sg_alloc(capacity, sizeof *draft->src_community);
        draft->dst_community = sg_alloc(capacity, sizeof *draft->dst_community);
        draft->features = sg_alloc(capacity, dimension * sizeof *draft->features);
        missing |= !draft->src_community || !draft->dst_community || !draft->features;
    }
    if (oracle) {
        draft->rank = sg_alloc(capacity, sizeof *draft->rank);
        missing |= !draft->rank;
    }
    return missing ? sg_fail_memory(error, "a draft of events") : SCADYG_OK;
}

void sg_draft_close(sg_draft *draft)
{
    free(draft->src);
    free(draft->dst);
    free(draft->time);
    free(draft->src_community);
    free(draft->dst_community);
    free(draft->features);
    free(draft->rank);
    *draft = (sg_draft){0};
}

double sg_oracle_rank(const sg_process *process, uint64_t seed, uint32_t destination)
{
    const double truth = sg_process_probability(process, destination);
    uint32_t others = sg_process_candidates(process) - 1;
    double rank = 1;
    if (others == 0) return rank;
    sg_rng rng;
    sg_rng_seed(&rng, seed ^ STREAM_OTHERS, process->event);
    for (int i = 0; i < SG_ORACLE_OTHERS; i++) {
        uint32_t node;
        do node = process->first + (uint32_t)sg_rng_below(&rng, process->pool);
        while (node == destination || (!process->items && node == process->source));
        double probability = sg_process_probability(process, node);
        if (probability > truth) rank += 1;
        if (probability == truth) rank += 0.5;
    }
    return rank;
}

int sg_draft_simulate(sg_draft *draft, sg_process *process, uint64_t seed, uint64_t first, size_t count,
                      scadyg_error *error)
{
    draft->first = first;
    draft->count = count;
    for (size_t i = 0; i < count; i++) {
        int status = sg_process_begin(process, error);
        if (status) return status;
        uint32_t destination = sg_process_draw(process);
        if (draft->rank) draft->rank[i] = sg_oracle_rank(process, seed, destination);
        if (draft->features) {
            draft->src_community[i] = process->actor[process->source].community;
            draft->dst_community[i] = process->actor[destination].community;
        }
        draft->src[i] = process->source;
        draft->dst[i] = destination;
        draft->time[i] = process->time;
        sg_process_accept(process, destination);
    }
    return SCADYG_OK;
}

/* The signs of dimensions 64 k .. 64 k + 63 of a community. */
static uint64_t signs(uint64_t seed, uint64_t stream, uint32_t community, size_t k)
{
    return sg_hash3(seed, stream, (uint64_t)community << 16 | (k / 64));
}

void sg_draft_features(sg_draft *draft, uint64_t seed, size_t dimension, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        float *feature = draft->features + i * dimension;
        uint64_t from = 0, to = 0;
        sg_rng rng;
        sg_rng_seed(&rng, seed ^ STREAM_NOISE, draft->first + i);
        for (size_t k = 0; k < dimension; k++) {
            if (k % 64 == 0) {
                from = signs(seed, STREAM_SOURCE_SIGNS, draft->src_community[i], k);
                to = signs(seed, STREAM_DESTINATION_SIGNS, draft->dst_community[i], k);
            }
            int sum = (from >> k % 64 & 1 ? 1 : -1) + (to >> k % 64 & 1 ? 1 : -1);
            feature[k] = (float)(sum * 0.5 + 0.5 * sg_rng_normal(&rng));
        }
    }
}
