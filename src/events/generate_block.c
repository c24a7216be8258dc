/* Blocks: pieces of a generated graph on their way from the process to the file. */
#include "events/generate_block.h"

#include "base/memory.h"

#include <stdlib.h>

enum {
    STREAM_SOURCE_SIGNS = 0xA1,
    STREAM_DESTINATION_SIGNS = 0xB2,
    STREAM_NOISE = 0xC3,
    STREAM_OTHERS = 0xD4
};

int sg_block_open(sg_block *block, size_t capacity, size_t dimension, int oracle, scadyg_error *error) {
    *block = (sg_block){0};
    block->src = sg_alloc(capacity, sizeof *block->src);
    block->dst = sg_alloc(capacity, sizeof *block->dst);
    block->time = sg_alloc(capacity, sizeof *block->time);
    int missing = !block->src || !block->dst || !block->time;
    if (dimension) {
        block->src_community = sg_alloc(capacity, sizeof *block->src_community);
        block->dst_community = sg_alloc(capacity, sizeof *block->dst_community);
        block->features = sg_alloc(capacity, dimension * sizeof *block->features);
        missing |= !block->src_community || !block->dst_community || !block->features;
    }
    if (oracle) {
        block->rank = sg_alloc(capacity, sizeof *block->rank);
        missing |= !block->rank;
    }
    return missing ? sg_fail_memory(error, "a block of events") : SCADYG_OK;
}

void sg_block_close(sg_block *block) {
    free(block->src);
    free(block->dst);
    free(block->time);
    free(block->src_community);
    free(block->dst_community);
    free(block->features);
    free(block->rank);
    *block = (sg_block){0};
}

double sg_oracle_rank(const sg_process *process, uint64_t seed, uint32_t destination) {
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

int sg_block_simulate(sg_block *block, sg_process *process, uint64_t seed, uint64_t first, size_t count,
                      scadyg_error *error) {
    block->first = first;
    block->count = count;
    for (size_t i = 0; i < count; i++) {
        int status = sg_process_begin(process, error);
        if (status) return status;
        uint32_t destination = sg_process_draw(process);
        if (block->rank) block->rank[i] = sg_oracle_rank(process, seed, destination);
        if (block->features) {
            block->src_community[i] = process->actor[process->source].community;
            block->dst_community[i] = process->actor[destination].community;
        }
        block->src[i] = process->source;
        block->dst[i] = destination;
        block->time[i] = process->time;
        sg_process_accept(process, destination);
    }
    return SCADYG_OK;
}

/* The signs of dimensions 64 k .. 64 k + 63 of a community. */
static uint64_t signs(uint64_t seed, uint64_t stream, uint32_t community, size_t k) {
    return sg_hash3(seed, stream, (uint64_t)community << 16 | (k / 64));
}

void sg_block_features(sg_block *block, uint64_t seed, size_t dimension, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        float *feature = block->features + i * dimension;
        uint64_t from = 0, to = 0;
        sg_rng rng;
        sg_rng_seed(&rng, seed ^ STREAM_NOISE, block->first + i);
        for (size_t k = 0; k < dimension; k++) {
            if (k % 64 == 0) {
                from = signs(seed, STREAM_SOURCE_SIGNS, block->src_community[i], k);
                to = signs(seed, STREAM_DESTINATION_SIGNS, block->dst_community[i], k);
            }
            int sum = (from >> k % 64 & 1 ? 1 : -1) + (to >> k % 64 & 1 ? 1 : -1);
            feature[k] = (float)(sum * 0.5 + 0.5 * sg_rng_normal(&rng));
        }
    }
}
