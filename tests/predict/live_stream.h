/* Streams of events as they arrive, for tests of live states: ties, new nodes, self-loops, late events. */
#ifndef TESTS_PREDICT_LIVE_STREAM_H
#define TESTS_PREDICT_LIVE_STREAM_H

#include "learn/sample.h"

#include "scadyg_live.h"

enum { ARRIVALS = 1500, LIVE_NODES = 70 };

typedef struct arrivals {
    size_t count;
    uint32_t src[ARRIVALS], dst[ARRIVALS]; /* numbers, which are the ids too */
    char text[LIVE_NODES][8];
    const char *from[ARRIVALS], *to[ARRIVALS];
    double time[ARRIVALS], taken[ARRIVALS];
    float weight[ARRIVALS], features[ARRIVALS * SAMPLE_FEATURES];
    size_t nodes[ARRIVALS + 1]; /* of the first events */
} arrivals;

/* late: one in so many comes late; 0: none does. */
static inline void make_arrivals(arrivals *a, uint64_t seed, size_t count, uint64_t late)
{
    sg_rng rng;
    double now = 1e9;
    size_t nodes = 0;
    sg_rng_seed(&rng, seed, 0xa11);
    a->count = count;
    a->nodes[0] = 0;
    for (size_t i = 0; i < LIVE_NODES; i++) snprintf(a->text[i], sizeof a->text[i], "%zu", i);
    const uint64_t ties = 1 + sg_rng_below(&rng, 4);
    for (size_t i = 0; i < count; i++) {
        uint32_t *end[2] = {&a->src[i], &a->dst[i]};
        for (int k = 0; k < 2; k++) {
            if (k && i && sg_rng_below(&rng, 8) == 0)
                *end[k] = a->src[i];
            else if (nodes < LIVE_NODES && (nodes < 2 || sg_rng_below(&rng, 14) == 0))
                *end[k] = (uint32_t)nodes++;
            else
                *end[k] = i && sg_rng_below(&rng, 2) ? a->dst[sg_rng_below(&rng, i)]
                                                     : (uint32_t)sg_rng_below(&rng, nodes);
        }
        a->from[i] = a->text[a->src[i]];
        a->to[i] = a->text[a->dst[i]];
        a->time[i] = late && sg_rng_below(&rng, late) == 0 ? now - (double)sg_rng_below(&rng, 90) : now;
        a->weight[i] = (float)sg_rng_unit(&rng) * 3;
        for (size_t j = 0; j < SAMPLE_FEATURES; j++)
            a->features[i * SAMPLE_FEATURES + j] = (float)sg_rng_unit(&rng) - 0.5f;
        a->nodes[i + 1] = nodes;
        if (sg_rng_below(&rng, ties) == 0) now += (double)sg_rng_below(&rng, 40);
    }
}

static inline scadyg_live_events arrivals_between(const arrivals *a, size_t first, size_t end)
{
    return (scadyg_live_events){.size = sizeof(scadyg_live_events),
                                .count = end - first,
                                .src = a->from + first,
                                .dst = a->to + first,
                                .time = a->time + first,
                                .weight = a->weight + first,
                                .features = a->features + first * SAMPLE_FEATURES};
}

/* A file of the first events, at the times at which they were taken in. */
static inline scadyg_events *arrivals_file(const arrivals *a, size_t count)
{
    const made_events made = {.count = count,
                              .nodes = a->nodes[count],
                              .src = a->src,
                              .dst = a->dst,
                              .time = a->taken,
                              .weight = a->weight,
                              .edge_features = SAMPLE_FEATURES,
                              .features = a->features};
    return make_events(&made);
}

static inline void live_must(int status, const scadyg_error *error)
{
    if (status) fail_msg("%s", error->message);
}

static inline void live_observe(scadyg_live *live, arrivals *a, size_t first, size_t end)
{
    scadyg_error error = {0};
    const scadyg_live_events some = arrivals_between(a, first, end);
    live_must(scadyg_live_observe(live, &some, a->taken + first, &error), &error);
}

#endif
