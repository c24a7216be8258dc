/*
 * The model: everything a prediction needs except the events. One file, see docs/model-format.md.
 */
#ifndef SG_MODEL_MODEL_H
#define SG_MODEL_MODEL_H

#include "messages/nodes/trained_on.h"
#include "messages/pairs/ledger.h"
#include "model/mix_net.h"
#include "model/net.h"
#include "model/pair_net.h"

#define SG_WALK_MOST 4096
#define SG_CLASSES_MOST ((size_t)1 << 24)

struct scadyg_model {
    scadyg_train_options options; /* its texts are owned (option_text) */
    char *option_text;
    sg_trained_on trained_on;
    sg_net net;          /* of the head `paper`, else zero; of a mix net its figures */
    sg_mix_net mix;      /* of the head `pair` for affinity, else zero */
    double label_gap;    /* ... the usual distance between label times of the training part, */
    double label_span;   /* ... how far apart its first and last one are, */
    double label_noise;  /* ... and how much the logarithm of a share usually changes from label to label */
    sg_pair_net pair;    /* of the head `pair` for links, else zero */
    sg_ledger_plan plan; /* the same: what the ledger needs to know beside the events */
    size_t count;        /* learned numbers; 0 for heuristics */
    float *values;       /* [count] */
    size_t width;        /* numbers that are normalised: a message, or a row of a node and one of a pair */
    float *mean, *scale; /* [width]: normalised = (f(x) - mean) * scale; NULL without standardising */

    size_t classes;     /* affinity */
    char **class_names; /* each owned */

    char *data; /* name of the file it was trained on */
    uint32_t checksum;
    uint32_t file_checksum; /* of the file it was read from, else 0 */
    scadyg_shape shape;
    double train_end;      /* the latest time of an event it was trained on */
    double validation_end; /* ... or chosen by */
    int64_t epochs, best_epoch;
    double validation;
    double *curve; /* [2][epochs]: the loss of each epoch, then the validation scores; NULL: not known */
    char *result;  /* JSON or NULL */

    scadyg_model_info info; /* the public view, made by sg_model_settle */
};

/* A model with these options and nothing learned yet: texts copied, trained_on and provenance taken from the file. */
int sg_model_new(const scadyg_train_options *options, scadyg_events *events, scadyg_model **model,
                 scadyg_error *error);

/*
 * Sets net and values (uninitialised) for a width and number of outputs. Where the options say so it also makes mean
 * (all 0) and scale (all 1), to be filled in from the training part.
 */
int sg_model_shape(scadyg_model *model, size_t width, size_t outputs, scadyg_error *error);

/* The same for the head `pair` of links, once model->plan is set. */
int sg_model_shape_pair(scadyg_model *model, scadyg_error *error);

/* The share of the binary loss beside the ranking loss, which may have been left out. */
double sg_model_binary(const scadyg_model *model);

/* The options of the ledger of a model over its files. */
int sg_model_ledger(const scadyg_model *model, sg_ledger_options *options, scadyg_error *error);

/* The net that the options and the trained_on of a model ask for. */
int sg_model_pair_net(const scadyg_model *model, sg_pair_net *net, scadyg_error *error);

/* Whether it learns links with the head `pair`. */
int sg_model_reads_pairs(const scadyg_model *model);

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

/* The options of its messages as far as they matter for it. */
scadyg_messages_options sg_model_messages_options(const scadyg_model *model);

/* The options of the messages of a model, ready for sg_messages_open_trained_on: seed, threads, ablations set. */
int sg_model_messages(const scadyg_model *model, scadyg_events *events, int threads, scadyg_messages **messages,
                      scadyg_error *error);

/* Normalises messages rows[count][width] in place as the options and the training statistics say. */
void sg_model_normalise(const scadyg_model *model, float *rows, size_t count, int threads);

/* Head pair: brings rows of nodes and pairs to mean 0 and deviation 1 by the training statistics, in place. */
void sg_model_normalise_pairs(const scadyg_model *model, float *nodes, size_t node_count, float *between,
                              size_t pairs, sg_workers *workers);

/* What options->without says. */
enum {
    SG_WITHOUT_TIME = 1,
    SG_WITHOUT_HYPERNETWORK = 2,
    SG_WITHOUT_MULTIRATE = 4,
    SG_WITHOUT_NODES = 8, /* from here on: head pair */
    SG_WITHOUT_PAIRS = 16,
    SG_WITHOUT_TRANSITIONS = 32,
    SG_WITHOUT_WALKS1 = 64,
    SG_WITHOUT_WALKS2 = 128,
    SG_WITHOUT_RANKING = 256,
    SG_WITHOUT_POPULARITY = 512,
    SG_WITHOUT_REVERSE = 1024
};
/* What a mix net can do without. */
#define SG_WITHOUT_MIX                                                                                             \
    (SG_WITHOUT_HYPERNETWORK | SG_WITHOUT_MULTIRATE | SG_WITHOUT_NODES | SG_WITHOUT_POPULARITY | SG_WITHOUT_REVERSE)
int sg_without(const char *text, unsigned *what, scadyg_error *error);

/*
 * A checkpoint: the model as it is, and what else training needs to go on. `epochs` lists all epochs so far.
 */
typedef struct sg_checkpoint {
    int64_t epoch;      /* finished */
    int64_t since_best; /* epochs without a better score */
    uint64_t adam_steps;
    float *average, *square; /* [count] */
    float *best;             /* [count]: the values of the best epoch */
    float *raw;              /* [count]: what is learned, where the values are its running average; else NULL */
    scadyg_epoch *epochs;    /* [epoch]; score points to static text */
} sg_checkpoint;

int sg_checkpoint_save(const char *path, const scadyg_model *model, const sg_checkpoint *state,
                       scadyg_error *error);

/* Reads both. Fails with SCADYG_E_USAGE and a sentence if the checkpoint is of other data or options. */
int sg_checkpoint_open(const char *path, const scadyg_model *expected, scadyg_model **model, sg_checkpoint *state,
                       scadyg_error *error);
void sg_checkpoint_free(sg_checkpoint *state);

#endif
