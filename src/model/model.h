/*
 * The model: everything a prediction needs except the events. One file, see docs/model-format.md.
 */
#ifndef SG_MODEL_MODEL_H
#define SG_MODEL_MODEL_H

#include "messages/anchor.h"
#include "model/mix_net.h"
#include "model/net.h"

#define SG_CLASSES_MOST ((size_t)1 << 24)

struct scadyg_model {
    scadyg_train_options options; /* its texts are owned (option_text) */
    char *option_text;
    sg_anchor anchor;
    sg_net net;          /* zero for heuristics; of a mix net only its figures: what it is made of is in `mix` */
    sg_mix_net mix;      /* affinity with --head pair */
    double label_gap;    /* ... the usual distance between label times of the training part, */
    double label_span;   /* ... how far apart its first and last one are, */
    double label_noise;  /* ... and how much the logarithm of a share usually changes from label to label */
    float *values;       /* [net.count] */
    float *mean, *scale; /* [net.width]: normalised = (f(x) - mean) * scale; NULL without standardising */

    size_t classes;     /* affinity */
    char **class_names; /* each owned */

    char *data; /* name of the file it was trained on */
    uint32_t checksum;
    scadyg_shape shape;
    double train_end;      /* the latest time of an event it was trained on */
    double validation_end; /* ... or chosen by */
    int64_t epochs, best_epoch;
    double validation;
    char *result; /* JSON or NULL */

    scadyg_model_info info; /* the public view, made by sg_model_settle */
};

/* A model with these options and nothing learned yet: texts copied, anchor and provenance taken from the file. */
int sg_model_new(const scadyg_train_options *options, scadyg_events *events, scadyg_model **model,
                 scadyg_error *error);

/*
 * Sets net and values (uninitialised) for a width and number of outputs. Where the options say so it also makes mean
 * (all 0) and scale (all 1), to be filled in from the training part.
 */
int sg_model_shape(scadyg_model *model, size_t width, size_t outputs, scadyg_error *error);

/* Copies the names of the classes. */
int sg_model_set_classes(scadyg_model *model, char *const *names, size_t count, scadyg_error *error);

/* Makes a copy of options and of their texts the model's own. */
int sg_model_keep_options(scadyg_model *model, const scadyg_train_options *options, scadyg_error *error);

/* Whether these options ask for a mix net, and its shape for node messages of this width. */
int sg_options_mix(const scadyg_train_options *options);
int sg_model_mix(const scadyg_train_options *options, size_t width, sg_mix_net *mix, scadyg_error *error);

/* The figures of a net with the count of a mix net, and no groups. */
sg_net sg_mix_figures(const sg_net *net, const sg_mix_net *mix);

/* The rates of its label averages, as gap, span and ablations say. */
int sg_model_label_rates(const scadyg_model *model, double *rates, scadyg_error *error);

/* The hidden units these options ask for. */
size_t sg_model_hidden(const scadyg_train_options *options);

/* Refreshes model->info after changes. */
void sg_model_settle(scadyg_model *model);

/* The options of the messages of a model, ready for sg_messages_open_anchored: seed, threads, ablations set. */
int sg_model_messages(const scadyg_model *model, scadyg_events *events, int threads, scadyg_messages **messages,
                      scadyg_error *error);

/* Normalises messages rows[count][width] in place as the options and the training statistics say. */
void sg_model_normalise(const scadyg_model *model, float *rows, size_t count, int threads);

/* What options->without says. */
enum {
    SG_WITHOUT_TIME = 1,
    SG_WITHOUT_HYPERNETWORK = 2,
    SG_WITHOUT_MULTIRATE = 4,
    SG_WITHOUT_POPULARITY = 8, /* from here on: a mix net */
    SG_WITHOUT_REVERSE = 16,
    SG_WITHOUT_NODE = 32
};
#define SG_WITHOUT_MIX (SG_WITHOUT_POPULARITY | SG_WITHOUT_REVERSE | SG_WITHOUT_NODE)

int sg_without(const char *text, unsigned *what, scadyg_error *error);

/*
 * A checkpoint: the model as it is, and what else training needs to go on. `epochs` lists all epochs so far.
 */
typedef struct sg_checkpoint {
    int64_t epoch;      /* finished */
    int64_t since_best; /* epochs without a better score */
    uint64_t adam_steps;
    float *average, *square; /* [net.count] */
    float *best;             /* [net.count]: the values of the best epoch */
    scadyg_epoch *epochs;    /* [epoch]; score points to static text */
} sg_checkpoint;

int sg_checkpoint_save(const char *path, const scadyg_model *model, const sg_checkpoint *state,
                       scadyg_error *error);

/* Reads both. Fails with SCADYG_E_USAGE and a sentence if the checkpoint is of other data or options. */
int sg_checkpoint_open(const char *path, const scadyg_model *expected, scadyg_model **model, sg_checkpoint *state,
                       scadyg_error *error);
void sg_checkpoint_free(sg_checkpoint *state);

#endif
