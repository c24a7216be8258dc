/*
 * The options of models: what several kinds have in common. The struct of a kind begins with sg_train_options, and its
 * table takes the rows it reads from the lists below, with defaults of its own. A kind that does not read an option does
 * not list it, and so it is refused.
 */
#ifndef SG_MODELS_OPTIONS_H
#define SG_MODELS_OPTIONS_H

#include "base/options.h"
#include "evaluate/evaluate.h"
#include "messages/nodes/plan.h"

#define SG_HIDDEN_MOST 65536

enum { SG_NORMALISE_NONE, SG_NORMALISE_LOG, SG_NORMALISE_STANDARD, SG_NORMALISE_LOG_STANDARD };

typedef struct sg_train_options {
    const char *model; /* the name of the kind */
    int task;
    sg_messages_options messages; /* steps and, where the kind reads node messages, their columns */
    int stepwise;       /* a prediction sees earlier steps only, and parts are whole steps; else it sees all events
                                strictly before its time, and parts are shares of the events */
    double train_share; /* of the events, or of the steps */
    double validation_share; /* the rest is the test part */
    const char *labels;      /* affinity: a file "time,node,class,weight", or NULL: derived from the events */
    const char *without;     /* "none", or parts to leave out */
    int64_t hidden;          /* hidden units; 0: as the kind says */
    int normalise;           /* of node messages */
    double learning_rate;
    double learning_rate_decay; /* factor for each epoch after the second; 0: none */
    double weight_decay;
    double averaging; /* share of the older values in the running average that is validated; 0: no average */
    int64_t batch;
    int64_t epochs;   /* 0: as the learner says, see sg_most_epochs */
    int64_t patience; /* epochs without a gain in validation score before it stops */
    int64_t seed;
} sg_train_options;

/* As asked for; where that is more than training leaves, half of the rest. */
static inline double sg_validation_share(const sg_train_options *options)
{
    const double rest = 1 - options->train_share;
    return options->validation_share <= rest + 1e-12 ? options->validation_share : rest / 2;
}

/* ---- Rows of tables. type: the struct of the kind, which has sg_train_options as its field `train`. ---- */

#define SG_ROWS_KIND(type, model_, task_)                                                                          \
    SG_OPTION(type, train.model, "model", 0, SCADYG_OPTION_TEXT, "KIND", model_, NULL, 1, 0,                       \
              "the kind of model; 'scadyg help models' lists them", 0),                                            \
        SG_OPTION(type, train.task, "task", 0, SCADYG_OPTION_CHOICE, "TASK", task_, "link|affinity", 1, 0,         \
                  "what to predict: whom a node meets next, or its distribution over classes", 0)

#define SG_ROWS_SPLIT(type)                                                                                        \
    SG_OPTION(type, train.train_share, "train-share", 0, SCADYG_OPTION_REAL, "SHARE", "0.7", NULL, 1e-6, 1,        \
              "share of the training part; 1 trains on all of it, without scores", 1),                             \
        SG_OPTION(type, train.validation_share, "validation-share", 0, SCADYG_OPTION_REAL, "SHARE", "0.15", NULL,  \
                  0, 0.999999, "share of the validation part; the rest is the test part", 1)

#define SG_ROWS_STEPWISE(type, default_)                                                                           \
    SG_OPTION(type, train.stepwise, "stepwise", 0, SCADYG_OPTION_FLAG, NULL, default_, NULL, 1, 0,                 \
              "the paper's mode: cut time into --steps, see whole earlier steps only", 0)

#define SG_ROWS_LABELS(type)                                                                                       \
    SG_FILE_OPTION(type, train.labels, "labels", 0, SCADYG_OPTION_TEXT, "FILE", NULL, NULL, 1, 0,                  \
                   "labels as time,node,class,weight [derived: a node's destinations in every step]", 0,           \
                   SCADYG_FILE_READ)

#define SG_ROWS_NORMALISE(type, default_)                                                                          \
    SG_OPTION(type, train.normalise, "normalise", 0, SCADYG_OPTION_CHOICE, "HOW", default_,                        \
              "none|log|standard|log-standard", 1, 0,                                                              \
              "scale messages: sign(x) log(1 + |x|), mean 0 and deviation 1 per column, or both", 1)

#define SG_ROWS_WITHOUT(type, parts_)                                                                              \
    SG_OPTION(type, train.without, "without", 0, SCADYG_OPTION_TEXT, "PARTS", "none", NULL, 1, 0,                  \
              "leave parts out, as a list with commas: none, or some of " parts_, 1)

#define SG_ROWS_LEARNING(type, lr_, decay_, batch_, epochs_, patience_)                                            \
    SG_ROWS_LEARNING_BY(type, lr_, decay_, batch_, NULL,                                                           \
                        "events (or nodes) with their negatives per step of Adam", epochs_, NULL,                  \
                        "passes over the training part at most", patience_)

/* With words that --batch and --epochs take beside numbers, and what these are. */
#define SG_ROWS_LEARNING_BY(type, lr_, decay_, batch_, words_, help_, epochs_, epoch_words_, epoch_help_,          \
                            patience_)                                                                             \
    SG_OPTION(type, train.learning_rate, "lr", 0, SCADYG_OPTION_REAL, "RATE", lr_, NULL, 1e-12, 10,                \
              "learning rate of Adam", 0),                                                                         \
        SG_OPTION(type, train.weight_decay, "weight-decay", 0, SCADYG_OPTION_REAL, "RATE", decay_, NULL, 0, 10,    \
                  "L2 weight decay, added to the gradient", 1),                                                    \
        SG_OPTION(type, train.batch, "batch", 0, SCADYG_OPTION_INT, "N", batch_, words_, 1, 1e6, help_, 1),        \
        SG_OPTION(type, train.epochs, "epochs", 0, SCADYG_OPTION_INT, "N", epochs_, epoch_words_, 1, 1e6,          \
                  epoch_help_, 0),                                                                                 \
        SG_OPTION(type, train.patience, "patience", 0, SCADYG_OPTION_INT, "N", patience_, NULL, 1, 1e6,            \
                  "stop after N epochs that gain nothing in validation score", 1),                                 \
        SG_OPTION(type, train.seed, "seed", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, 0,                            \
                  "seed of everything random; the same seed gives the same bytes", 0)

#define SG_ROWS_SCHEDULE(type, decay_)                                                                             \
    SG_OPTION(type, train.learning_rate_decay, "lr-decay", 0, SCADYG_OPTION_REAL, "FACTOR", decay_, NULL, 1e-6, 1, \
              "the learning rate is multiplied by this for each epoch after the second", 1),                       \
        SG_OPTION(type, train.averaging, "averaging", 0, SCADYG_OPTION_REAL, "SHARE", "0.99", NULL, 0, 0.999999,   \
                  "validate a running average of the parameters, with this share of the older ones; 0 is none", 1)

/* Epochs at most, where --epochs is auto. */
#define SG_EPOCHS 20

static inline int64_t sg_most_epochs(const sg_train_options *options)
{
    return options->epochs > 0 ? options->epochs : SG_EPOCHS;
}

/* ---- Parts that can be left out, whatever the kind; a kind says which it has ---- */

enum {
    SG_WITHOUT_TIME = 1,
    SG_WITHOUT_HYPERNETWORK = 2,
    SG_WITHOUT_MULTIRATE = 4,
    SG_WITHOUT_NODES = 8,
    SG_WITHOUT_PAIRS = 16,
    SG_WITHOUT_TRANSITIONS = 32,
    SG_WITHOUT_PARTNERS = 64,
    SG_WITHOUT_TOGETHER = 128,
    SG_WITHOUT_RANKING = 256,
    SG_WITHOUT_POPULARITY = 512,
    SG_WITHOUT_REVERSE = 1024
};

/* The word for a bit, from 0; NULL after the last. */
const char *sg_part_word(size_t bit);

/* Which parts a text names; an error if one of them is not among `has`. */
int sg_without(const char *text, unsigned has, unsigned *what, scadyg_error *error);

/* ---- Checks that several kinds share ---- */

/* Whether a text option says something: neither NULL nor "". */
static inline int sg_given(const char *text)
{
    return text && *text;
}

/* The shares of the parts, for kinds with SG_ROWS_SPLIT. */
int sg_check_split(const sg_train_options *options, scadyg_error *error);

/* Rates, node features: for kinds that read node messages with all their columns. */
int sg_check_columns(const sg_train_options *options, unsigned without, scadyg_error *error);

/* "none", "onehot", "random:D" or "stored". */
typedef struct sg_node_part {
    int kind;     /* a sg_node_kind */
    size_t width; /* random: D */
} sg_node_part;

int sg_node_part_parse(const char *text, sg_node_part *part, scadyg_error *error);

/* ---- As text, for files ---- */

/*
 * The options as lines "name=value"; what names a file is left empty, since that is no business of a file that may be
 * anywhere. Free it; NULL without memory.
 */
char *sg_options_write(const scadyg_options *options);

/* Reads them back, for the kind that they name. `path` is for messages. */
int sg_options_read(const char *text, size_t size, const char *path, scadyg_options **options, scadyg_error *error);

#endif
