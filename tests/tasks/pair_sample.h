/* Graphs and options for tests of the head `pair`. */
#ifndef TESTS_TASKS_PAIR_SAMPLE_H
#define TESTS_TASKS_PAIR_SAMPLE_H

#include "tasks/model_bytes.h"

#include "base/rng.h"
#include "tasks/predictor.h"
#include "under_sanitizer.h"
#include "defaults.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_EVENTS = 2400, SAMPLE_NODES = 40, SAMPLE_FEATURES = 3 };

/* Habits, whims and ties, with weights and edge features. The later half is full of new pairs. */
typedef struct pair_sample {
    uint32_t src[SAMPLE_EVENTS], dst[SAMPLE_EVENTS];
    double time[SAMPLE_EVENTS];
    float weight[SAMPLE_EVENTS], features[SAMPLE_EVENTS * SAMPLE_FEATURES];
    made_events made;
} pair_sample;

static inline void pair_sample_make(pair_sample *s, uint64_t seed, double start)
{
    sg_rng rng;
    sg_rng_seed(&rng, seed, 0x9a1);
    double now = start;
    for (size_t i = 0; i < SAMPLE_EVENTS; i++) {
        const uint32_t u = (uint32_t)sg_rng_below(&rng, SAMPLE_NODES);
        s->src[i] = u;
        s->dst[i] = (u + 7) % SAMPLE_NODES;
        if (sg_rng_below(&rng, 3) == 0) s->dst[i] = (uint32_t)sg_rng_below(&rng, SAMPLE_NODES);
        s->time[i] = now;
        s->weight[i] = (float)sg_rng_unit(&rng) * 3;
        for (size_t j = 0; j < SAMPLE_FEATURES; j++)
            s->features[i * SAMPLE_FEATURES + j] = (float)sg_rng_unit(&rng) - 0.5f;
        if (sg_rng_below(&rng, 3)) now += (double)sg_rng_below(&rng, 40);
    }
    s->made = (made_events){.count = SAMPLE_EVENTS,
                            .nodes = SAMPLE_NODES,
                            .src = s->src,
                            .dst = s->dst,
                            .time = s->time,
                            .weight = s->weight,
                            .edge_features = SAMPLE_FEATURES,
                            .features = s->features};
}

static inline scadyg_events *pair_events(uint64_t seed)
{
    static pair_sample s;
    pair_sample_make(&s, seed, 1e9);
    return make_events(&s.made);
}

static inline scadyg_train_options pair_options(int freshness)
{
    scadyg_train_options options = default_train();
    options.head = SCADYG_HEAD_PAIR;
    options.freshness = freshness;
    options.messages.steps = 30;
    options.epochs = 3;
    options.hidden = 16;
    options.walk_width = 32;
    options.learning_rate = 0.01;
    options.train_pool = 3;
    options.memory = 256u << 20;
    options.threads = 1;
    return options;
}

static inline scadyg_model *must_train(scadyg_events *events, const scadyg_train_options *options)
{
    scadyg_error error = {0};
    scadyg_model *model;
    if (scadyg_train(events, options, NULL, 0, NULL, NULL, &model, &error)) fail_msg("%s", error.message);
    return model;
}

static inline scadyg_predictor *must_predictor(const scadyg_model *model, scadyg_events *events, int threads)
{
    scadyg_error error = {0};
    scadyg_predictor *predictor;
    if (scadyg_predictor_open(model, events, threads, &predictor, &error)) fail_msg("%s", error.message);
    return predictor;
}

static inline scadyg_events *generated_graph(int64_t count, int64_t nodes, double again)
{
    char path[64];
    scadyg_error error = {0};
    scadyg_generate_options options = default_generate();
    scadyg_events *events;
    options.events = count;
    options.nodes = nodes;
    options.again = again;
    make_path(path);
    if (scadyg_generate(path, NULL, &options, NULL, &error)) fail_msg("%s", error.message);
    if (scadyg_events_open(path, &events, &error)) fail_msg("%s", error.message);
    unlink(path);
    return events;
}

#endif
