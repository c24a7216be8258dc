/* A graph, models and predictors for tests of learning and predicting. */
#ifndef TESTS_LEARN_SAMPLE_H
#define TESTS_LEARN_SAMPLE_H

#include "contexts.h"
#include "learn/model_bytes.h"
#include "train_options.h"
#include "under_sanitizer.h"

#include "base/rng.h"
#include "predict/predictor.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_EVENTS = 1200, SAMPLE_NODES = 40, SAMPLE_FEATURES = 3 };

/* Habits, whims and ties, with weights and edge features. */
typedef struct sample_log {
    uint32_t src[SAMPLE_EVENTS], dst[SAMPLE_EVENTS];
    double time[SAMPLE_EVENTS];
    float weight[SAMPLE_EVENTS], features[SAMPLE_EVENTS * SAMPLE_FEATURES];
    made_events made;
} sample_log;

static inline void sample_log_make(sample_log *s, uint64_t seed, double start)
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

static inline scadyg_events *sample_events(uint64_t seed)
{
    static sample_log s;
    sample_log_make(&s, seed, 1e9);
    return make_events(&s.made);
}

/* Settings of a small model of the kind scadyg for links; later ones win. */
#define SMALL "stepwise=1 steps=30 epochs=3 hidden=16 fallback=0 lr=0.01 "
#define LIVE "stepwise=0 "
#define STEPWISE "stepwise=1 "

static inline scadyg_model *must_train(scadyg_context *context, scadyg_events *events,
                                       const scadyg_options *options)
{
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    if (scadyg_train(context, events, options, NULL, 0, NULL, &model, &error)) fail_msg("%s", error.message);
    return model;
}

/* In one line. */
static inline scadyg_model *trained(scadyg_context *context, scadyg_events *events, const char *model,
                                    const char *task, const char *settings)
{
    scadyg_options *options = train_options(model, task, settings);
    scadyg_model *made = must_train(context, events, options);
    scadyg_options_close(options);
    return made;
}

static inline scadyg_predictor *must_predictor(scadyg_context *context, const scadyg_model *model,
                                               scadyg_events *events)
{
    scadyg_error error = {0};
    scadyg_predictor *predictor = NULL;
    if (scadyg_predictor_open(context, model, events, &predictor, &error)) fail_msg("%s", error.message);
    return predictor;
}

/* By options of "evaluate" in one line; for the caller to free. */
static inline scadyg_result *evaluated(scadyg_context *context, const scadyg_model *model, scadyg_events *events,
                                       const char *settings)
{
    scadyg_error error = {0};
    scadyg_result *result = NULL;
    scadyg_options *options = set_options("evaluate", settings);
    if (scadyg_evaluate(context, model, events, options, &result, &error)) fail_msg("%s", error.message);
    scadyg_options_close(options);
    return result;
}

/* By options of "generate" in one line, with an oracle if that is wanted. */
static inline scadyg_events *generated(const char *settings, const char *oracle)
{
    char path[64];
    scadyg_error error = {0};
    scadyg_options *options = set_options("generate", settings);
    scadyg_events *events;
    make_path(path);
    if (scadyg_generate(NULL, path, oracle, options, &error)) fail_msg("%s", error.message);
    if (scadyg_events_open(path, &events, &error)) fail_msg("%s", error.message);
    unlink(path);
    scadyg_options_close(options);
    return events;
}

/* Says stop at a report of progress: in a test's own context, so that nobody else is told. */
typedef struct stopper {
    uint64_t left; /* reports before it */
    uint64_t told;
} stopper;

static inline int stop_at(void *data, const char *what, uint64_t done, uint64_t total)
{
    (void)what, (void)done, (void)total;
    stopper *s = data;
    s->told++;
    return s->left-- == 0;
}

/* Whether the campaigns that take long are wanted: the long tier of ./test. */
static inline int long_tier(void)
{
    const char *text = getenv("SCADYG_TEST_LONG");
    return text && *text && strcmp(text, "0") != 0;
}

#endif
