/* Models of every kind, with made-up numbers, for tests of what is kept of them. */
#ifndef TESTS_MODELS_SAMPLE_MODEL_H
#define TESTS_MODELS_SAMPLE_MODEL_H

#include "make_events.h"
#include "train_options.h"

#include "base/rng.h"
#include "learn/train.h"
#include "models/label_mix/label_mix.h"
#include "models/scadyg/scadyg.h"
#include "models/scadyg_paper/paper.h"

#include <math.h>
#include <string.h>

typedef struct sample {
    const char *name;
    const char *model, *task, *settings; /* for train_options */
    int edge_features, node_features, weights;
    size_t classes; /* affinity */
    int result;
} sample;

/* Every kind of the table is among them: test_model_file.c. */
static const sample samples[] = {
    {"scadyg", "scadyg", "link", "without=transitions hidden=2 fallback=0 stepwise=0", 2, 0, 1, 0, 0},
    {"scadyg-stored", "scadyg", "link",
     "hidden=3 stepwise=1 vectors=on averaging=0 without=partners,together,ranking", 0, 3, 0, 0, 1},
    {"scadyg-affinity", "scadyg", "affinity", "without=reverse hidden=2 repeat=2", 0, 0, 1, 4, 0},
    {"paper", "scadyg-paper", "link", "steps=20 lr=0.0034562317384750716 gamma0=5.6790098270506866e-08", 4, 0, 0, 0,
     1},
    {"paper-standard", "scadyg-paper", "link", "normalise=log-standard hidden=7 repeat=3", 0, 0, 1, 0, 0},
    {"paper-onehot", "scadyg-paper", "link", "node-features=onehot hidden=4 select=ap repeat=2", 0, 0, 0, 0, 0},
    {"paper-stored", "scadyg-paper", "link", "node-features=stored hidden=5 hops=2 without=time,multirate", 2, 3, 0,
     0, 0},
    {"paper-plain", "scadyg-paper", "link", "without=hypernetwork rates=0.5,0.25,0 hidden=3", 0, 0, 0, 0, 1},
    {"paper-affinity", "scadyg-paper", "affinity",
     "node-features=random:3 repeat=2 hidden=3 labels=f.csv normalise=standard step-rule=equal-count", 1, 0, 1, 5,
     1},
    {"paper-affinity-derived", "scadyg-paper", "affinity", "hidden=2 repeat=2 normalise=log", 0, 0, 0, 3, 0},
    {"popularity", "popularity", "link", NULL, 0, 0, 0, 0, 1},
    {"edgebank", "edgebank", "link", "validation-share=0.1", 3, 0, 0, 0, 0},
    {"edgebank-window", "edgebank-window", "link", NULL, 0, 2, 0, 0, 0},
    {"pair-recency", "pair-recency", "link", "steps=11", 0, 0, 1, 0, 0},
    {"pair-then-popularity", "pair-then-popularity", "link", NULL, 0, 0, 0, 0, 0},
    {"markov", "markov", "link", "train-share=0.5", 0, 0, 0, 0, 0},
    {"item-knn", "item-knn", "link", NULL, 0, 0, 0, 0, 1},
    {"repeat-then-neighbours", "repeat-then-neighbours", "link", "steps=7", 0, 0, 1, 0, 0},
    {"edgebank-recent", "edgebank-recent", "link", NULL, 0, 0, 0, 0, 0},
    {"edgebank-interval", "edgebank-interval", "link", NULL, 0, 0, 1, 0, 0},
    {"edgebank-repeated", "edgebank-repeated", "link", "train-share=0.6", 0, 0, 0, 0, 0},
    {"persistence", "persistence", "affinity", "labels=f.csv", 0, 0, 0, 5, 0},
    {"moving-average", "moving-average", "affinity", NULL, 0, 0, 1, 3, 0},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static inline const sample *find_sample(const char *name)
{
    for (int i = 0; i < SAMPLES; i++)
        if (strcmp(samples[i].name, name) == 0) return &samples[i];
    fail_msg("no sample %s", name);
    return NULL;
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
    sg_view view;
    scadyg_error error;
    if (sg_view_open(NULL, model, events, &view, &error)) fail_msg("%s", error.message);
    const size_t width = view.width;
    sg_view_close(&view);
    return width;
}

/* What the kind keeps beside its parameters, and its shape. */
static inline int sample_shape(scadyg_model *model, scadyg_events *events, scadyg_error *error)
{
    if (model->kind->reads == SG_READS_LEDGER) {
        sg_ledger_plan *plan = &sg_scadyg_of(model)->plan;
        const int vectors = sg_scadyg_options_of(model)->vectors == SG_SCADYG_VECTORS_ON;
        *sg_scadyg_of(model) = (sg_scadyg_own){.plan = {.pair_bytes = 1u << 20, .vectors = vectors ? 1000 : 0},
                                               .compared = {1, 0.25, 0.125}};
        for (int k = 0; k < SG_RATES; k++) plan->rates.rate[k] = 0.01 * (1 << k);
        return sg_scadyg_shape(model, error);
    }
    const size_t width = sample_width(model, events);
    if (strcmp(model->kind->shown.name, "scadyg-paper") == 0)
        return sg_paper_shape(model, width, model->classes ? model->classes : 1, error);
    assert_string_equal(model->kind->shown.name, "scadyg");
    sg_label_mix_own *own = sg_label_mix_of(model);
    own->gap = 2.5;
    own->span = 20;
    own->noise = 0.125;
    return sg_label_mix_shape(model, width, error);
}

static inline void sample_training(scadyg_model *model, scadyg_events *events, int curve)
{
    static const double figures[] = {0.9, 0.5, 0.25, NAN, 0.75, 0.5};
    scadyg_error error;
    if (sample_shape(model, events, &error)) fail_msg("%s", error.message);
    sample_numbers(model->values, model->count, 1);
    if (model->mean) sample_numbers(model->mean, model->width, 2);
    if (model->mean) sample_numbers(model->scale, model->width, 3);
    model->epochs = 3;
    model->best_epoch = 2;
    model->validation = 0.75;
    if (!curve) return;
    model->curve = malloc(sizeof figures);
    assert_non_null(model->curve);
    memcpy(model->curve, figures, sizeof figures);
}

/* The same bytes whenever it is made and saved. */
static inline scadyg_model *sample_model(const sample *s)
{
    scadyg_options *options = train_options(s->model, s->task, s->settings);
    scadyg_events *events = sample_events(s);
    scadyg_model *model;
    scadyg_error error;
    static char *const names[] = {"red", "green", "", "blue or so", "\xc3\xa9"};
    if (sg_model_new(options, events, &model, &error)) fail_msg("%s: %s", s->name, error.message);
    /* As training leaves it, and a file: what the labels were, not where. */
    if (sg_given(sg_train_of(model)->labels)) {
        model->label_file = (sg_label_file){7, 0xC0FFEE};
        assert_int_equal(scadyg_options_set(model->options, "labels", "", NULL), SCADYG_OK);
    }
    if (s->classes && sg_model_set_classes(model, names, s->classes, &error)) fail_msg("%s", error.message);
    if (model->kind->shown.learns) sample_training(model, events, s->result);
    strcpy(model->data, "x.events"); /* its name is longer */
    model->train_end = 30;
    model->validation_end = 33.25;
    if (s->result && scadyg_model_set_result(model, "{\"mrr\": 0.5}\n", &error)) fail_msg("%s", error.message);
    sg_model_settle(model);
    scadyg_events_close(events);
    scadyg_options_close(options);
    return model;
}

/* What training of that model would keep. */
static inline sg_checkpoint sample_checkpoint(const scadyg_model *model)
{
    const size_t count = model->count;
    sg_checkpoint state = {.epoch = model->epochs, .since_gain = 1, .adam_steps = 77};
    state.average = malloc(count * sizeof(float));
    state.square = malloc(count * sizeof(float));
    state.best = malloc(count * sizeof(float));
    state.epochs = calloc((size_t)model->epochs, sizeof *state.epochs);
    assert_true(state.average && state.square && state.best && state.epochs);
    sample_numbers(state.average, count, 4);
    sample_numbers(state.square, count, 5);
    for (size_t i = 0; i < count; i++) state.square[i] = fabsf(state.square[i]);
    sample_numbers(state.best, count, 6);
    if (sg_train_of(model)->averaging > 0) {
        state.raw = malloc(count * sizeof(float));
        assert_non_null(state.raw);
        sample_numbers(state.raw, count, 7);
    }
    state.validated = (sg_validated){.score = model->validation, .choice = model->validation, .count = 9};
    state.validated.each = malloc(9 * sizeof(double));
    assert_non_null(state.validated.each);
    for (int i = 0; i < 9; i++) state.validated.each[i] = 1.0 / (i + 1);
    for (int64_t i = 0; i < model->epochs; i++)
        state.epochs[i] = (scadyg_epoch){.epoch = i + 1,
                                         .loss = 1.0 / (double)(i + 1),
                                         .validation = 0.7,
                                         .score = model->info.score,
                                         .best = i == 1,
                                         .events_per_second = 1e6,
                                         .seconds = 0.25,
                                         .evaluation_seconds = 0.5,
                                         .choice = 0.8};
    return state;
}

#endif
