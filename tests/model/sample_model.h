/* Models of every kind, with made-up numbers, for tests of what is kept of them. */
#ifndef SAMPLE_MODEL_H
#define SAMPLE_MODEL_H

#include "make_events.h"

#include "base/rng.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

typedef struct sample {
    const char *name;
    const char *settings[24]; /* option, value, ..., NULL */
    int edge_features, node_features, weights;
    size_t classes; /* affinity */
    int result;
} sample;

static const sample samples[] = {
    {"link",
     {"steps", "20", "lr", "0.0034562317384750716", "gamma0", "5.6790098270506866e-08", NULL},
     4,
     0,
     0,
     0,
     1},
    {"link-standard", {"normalise", "log-standard", "hidden", "7", "repeat", "3", NULL}, 0, 0, 1, 0, 0},
    {"link-onehot", {"node-features", "onehot", "hidden", "4", "select", "ap", "repeat", "2", NULL}, 0, 0, 0, 0, 0},
    {"link-stored",
     {"node-features", "stored", "hidden", "5", "hops", "2", "without", "time,multirate", NULL},
     2,
     3,
     0,
     0,
     0},
    {"link-plain", {"without", "hypernetwork", "rates", "0.5,0.25,0", "hidden", "3", NULL}, 0, 0, 0, 0, 1},
    {"affinity",
     {"task", "affinity", "node-features", "random:3", "repeat", "2", "hidden", "3", "labels", "a\\b=c\nd.csv",
      "normalise", "standard", "step-rule", "equal-count", NULL},
     1,
     0,
     1,
     5,
     1},
    {"link-pair",
     {"head", "pair", "without", "hypernetwork", "hidden", "2", "walk-width", "16", "freshness", "event", NULL},
     2,
     0,
     1,
     0,
     0},
    {"affinity-pair",
     {"task", "affinity", "head", "pair", "without", "reverse", "hidden", "2", "repeat", "2", NULL},
     0,
     0,
     1,
     4,
     0},
    {"popularity", {"model", "popularity", "node-features", "onehot", NULL}, 0, 0, 0, 0, 1},
    {"moving-average", {"task", "affinity", "model", "moving-average", NULL}, 0, 0, 1, 3, 0},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static inline scadyg_train_options sample_options(const char *const *settings)
{
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_train_options options = {0};
    scadyg_options_default(table, count, &options);
    options.head = SCADYG_HEAD_PAPER;
    options.train_pool = 0;
    for (; *settings; settings += 2) {
        size_t i = 0;
        scadyg_error error;
        while (i < count && strcmp(table[i].name, settings[0]) != 0) i++;
        if (i == count) fail_msg("no option %s", settings[0]);
        if (scadyg_option_set(&table[i], &options, settings[1], &error)) fail_msg("%s", error.message);
    }
    return options;
}

static inline scadyg_events *sample_events(const sample *s)
{
    enum { EVENTS = 12, NODES = 5 };
    uint32_t src[EVENTS], dst[EVENTS];
    double time[EVENTS];
    float weight[EVENTS], features[EVENTS * 4], nodes[NODES * 4];
    for (uint32_t i = 0; i < EVENTS; i++) {
        src[i] = i % NODES;
        dst[i] = (i * 3 + 1) % NODES;
        time[i] = 10 + i * 2.5;
        weight[i] = 1 + (float)i;
    }
    for (int i = 0; i < EVENTS * 4; i++) features[i] = (float)i / 7;
    for (int i = 0; i < NODES * 4; i++) nodes[i] = (float)i / 3;
    made_events made = {.count = EVENTS,
                        .nodes = NODES,
                        .src = src,
                        .dst = dst,
                        .time = time,
                        .weight = s->weights ? weight : NULL,
                        .edge_features = (uint32_t)s->edge_features,
                        .features = features,
                        .node_features = (uint32_t)s->node_features,
                        .node_values = nodes};
    return make_events(&made);
}

static inline void sample_numbers(float *values, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) values[i] = (float)(sg_unit(sg_hash3(seed, 0, i)) - 0.5);
}

/* The length of a model's messages, as a plan has it. */
static inline size_t sample_width(const scadyg_model *model, scadyg_events *events)
{
    scadyg_messages *plan;
    scadyg_error error;
    if (scadyg_messages_open(events, &model->options.messages, &plan, &error)) fail_msg("%s", error.message);
    size_t width = scadyg_messages_width(plan);
    scadyg_messages_close(plan);
    return width;
}

/* The net of a model, with made-up numbers; with the head `pair` also the plan of its ledger. */
static inline void sample_net(scadyg_model *model, scadyg_events *events, size_t outputs)
{
    scadyg_error error;
    int status;
    if (sg_model_reads_pairs(model)) {
        model->plan = (sg_ledger_plan){.walk_rate = 0.01, .width = 16, .pair_bytes = 1u << 20};
        for (int k = 0; k < SG_RATES; k++) model->plan.rates.rate[k] = 0.01 * (1 << k);
        status = sg_model_shape_pair(model, &error);
    } else {
        status = sg_model_shape(model, sample_width(model, events), outputs, &error);
    }
    if (status) fail_msg("%s", error.message);
    if (model->mix.count) {
        model->label_gap = 2.5;
        model->label_span = 20;
        model->label_noise = 0.125;
    }
    sample_numbers(model->values, model->count, 1);
    if (model->mean) sample_numbers(model->mean, model->width, 2);
    if (model->mean) sample_numbers(model->scale, model->width, 3);
}

static inline scadyg_model *sample_model(const sample *s)
{
    scadyg_train_options options = sample_options(s->settings);
    scadyg_events *events = sample_events(s);
    scadyg_model *model;
    scadyg_error error;
    static char *const names[] = {"red", "green", "", "blue or so", "\xc3\xa9"};
    if (sg_model_new(&options, events, &model, &error)) fail_msg("%s: %s", s->name, error.message);
    if (s->classes && sg_model_set_classes(model, names, s->classes, &error)) fail_msg("%s", error.message);
    if (options.model == SCADYG_MODEL_SCADYG) {
        sample_net(model, events, s->classes ? s->classes : 1);
        model->epochs = 3;
        model->best_epoch = 2;
        model->validation = 0.75;
        if (s->result) { /* files of version 1 have no curve */
            static const double curve[] = {0.9, 0.5, 0.25, NAN, 0.75, 0.5};
            model->curve = malloc(sizeof curve);
            assert_non_null(model->curve);
            memcpy(model->curve, curve, sizeof curve);
        }
    }
    model->train_end = 30;
    model->validation_end = 33.25;
    if (s->result && scadyg_model_set_result(model, "{\"mrr\": 0.5}\n", &error)) fail_msg("%s", error.message);
    sg_model_settle(model);
    scadyg_events_close(events);
    return model;
}

/* What training of that model would keep. */
static inline sg_checkpoint sample_checkpoint(const scadyg_model *model)
{
    const size_t count = model->count;
    sg_checkpoint state = {.epoch = model->epochs, .since_best = 1, .adam_steps = 77};
    state.average = malloc(count * sizeof(float));
    state.square = malloc(count * sizeof(float));
    state.best = malloc(count * sizeof(float));
    state.epochs = calloc((size_t)model->epochs, sizeof *state.epochs);
    assert_true(state.average && state.square && state.best && state.epochs);
    sample_numbers(state.average, count, 4);
    sample_numbers(state.square, count, 5);
    sample_numbers(state.best, count, 6);
    if (model->options.head == SCADYG_HEAD_PAIR) {
        state.raw = malloc(count * sizeof(float));
        assert_non_null(state.raw);
        sample_numbers(state.raw, count, 7);
    }
    for (int64_t i = 0; i < model->epochs; i++)
        state.epochs[i] = (scadyg_epoch){.epoch = i + 1,
                                         .loss = 1.0 / (double)(i + 1),
                                         .validation = 0.7,
                                         .score = model->info.score,
                                         .best = i == 1,
                                         .events_per_second = 1e6,
                                         .seconds = 0.25,
                                         .evaluation_seconds = 0.5};
    return state;
}

#endif
