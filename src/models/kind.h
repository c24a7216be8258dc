/*
 * The table of model kinds. Everything else (training, evaluation, prediction, the model file, tuning) goes through it
 * and knows no kind by name: a new kind is a folder and a row in kinds.c.
 *
 * A kind is a name and a task. It brings its options, what it keeps in a model beside its parameters, a learner if there
 * is something to learn, a scorer that follows the log and answers, and what it can do beyond that.
 */
#ifndef SG_MODELS_KIND_H
#define SG_MODELS_KIND_H

#include "base/rng.h"
#include "base/state_file.h"
#include "evaluate/evaluate.h"
#include "models/container.h"
#include "models/view.h"
#include "nn/optimiser.h"

/* A named set of option values. */
typedef struct sg_setting {
    const char *name, *value;
} sg_setting;

typedef struct sg_preset {
    const char *name, *summary;
    const sg_setting *settings; /* ends with a NULL name */
} sg_preset;

/*
 * An option whose value "auto" is settled by short trainings: where they are worth their time, the second of two values is
 * taken if what it misses of a validation score of 1 is less by this share; else the first.
 */
typedef struct sg_trial {
    const char *option, *values[2];
    double gain;
    const sg_setting *settings; /* of the short trainings; ends with a NULL name */
    uint64_t events;            /* of the log's beginning that these train and validate on at most */
    int (*worth)(scadyg_context *context, scadyg_events *events, const scadyg_options *options, int *worth,
                 scadyg_error *error);
} sg_trial;

/* Labels in order of time: groups 0 .. train-1 are for training, then up to validation-1 for validation. */
typedef struct sg_label_split {
    size_t train, validation;
} sg_label_split;

/* A training, as a kind's learner finds it: the parts are cut, and for affinity the labels read and the classes set. */
typedef struct sg_training {
    scadyg_context *context;
    scadyg_model *model;
    sg_view view;
    sg_split split;             /* link */
    int validates;              /* there is something to compare epochs on */
    sg_labels labels;           /* affinity */
    sg_label_split label_split; /* affinity */
    const scadyg_watch *watch;  /* NULL: nobody */

    const scadyg_model *from;   /* it goes on from this one, whose values a learner keeps; NULL: it begins anew */
    uint64_t new_from;          /* the first event, or row of the labels, that `from` was not trained on; else 0 */
    const scadyg_model *chosen; /* refit: for as many epochs as were best for this one; NULL: the usual training */
    int is_trial;               /* only the validation score is asked for */

    struct sg_first_contacts *contacts; /* kept from one evaluation to the next */
    uint64_t drawn_bytes;               /* what they draw from may take, of kinds that plan it, */
    uint64_t answer_bytes;              /* and what the model may take beside its state to answer a test */
} sg_training;

/* Progress of a training, and whether its events are still as they were: for every piece of it. */
static inline int sg_training_report(const sg_training *training, const char *what, uint64_t done, uint64_t total,
                                     scadyg_error *error)
{
    return sg_events_report(training->context, training->view.events, what, done, total, error);
}

/* What validation and all that is chosen by it may know: without the events behind the validation part, but stepwise, where parts
 * are steps, all. */
static inline sg_columns sg_training_known(const sg_training *training)
{
    sg_columns columns = *training->view.columns;
    if (!sg_train_of(training->model)->stepwise && columns.count > training->split.validation_end)
        columns.count = training->split.validation_end;
    return columns;
}

/*
 * Where the events end by which epochs are compared: those of the validation part, or of a long log its first two thirds. What
 * is settled after the epochs can then go by the rest, in the same pass; following such a log again takes as long as an epoch.
 */
#define SG_LONG_LOG (UINT64_C(1) << 23)
static inline uint64_t sg_training_compared_end(const sg_training *training)
{
    const uint64_t first = training->split.train_end, end = training->split.validation_end;
    return first < SG_LONG_LOG || sg_train_of(training->model)->stepwise ? end : first + (end - first) / 3 * 2;
}

/* Of what it knows already a model that goes on learns this share again: see docs/training.md. */
#define SG_REHEARSED 0.25

/* Whether an epoch learns from something (an event, a row, a step) that begins at event or row `first` and has this
 * number: from all that is new, and from a share of the rest, another one in each epoch. */
static inline int sg_training_learns(const sg_training *training, int64_t epoch, uint64_t first, uint64_t number)
{
    return first >= training->new_from ||
           (double)(sg_hash3(0xF50F, (uint64_t)epoch, number) >> 11) * 0x1p-53 < SG_REHEARSED;
}

/* Who learns, as it is opened. */
typedef struct sg_learner {
    void *state; /* [size], cleared */

    /* Validation: answers by model->values as they are at the time. Closed with the learner. */
    sg_scorer scorer;             /* link */
    sg_label_scorer label_scorer; /* affinity */

    /* How Adam moves the values; see nn/decorrelate.h. They stay until the learner is closed. */
    const sg_block *blocks;
    size_t block_count;

    int64_t most_epochs; /* unless another number than the default is asked for; 0: as --epochs says */
    double averaging;    /* the same of --averaging */

    int start_counts; /* the first values are a model already: kept where no epoch is better, with best_epoch 0 */

    /* What was prepared, for the caller to show. */
    size_t width;
    uint64_t bytes;
    int kept;
} sg_learner;

/* Epochs of a training at most, of which its learner says so many (0: nothing). */
int64_t sg_training_epochs(const sg_training *training, int64_t most);

/* How a kind learns. */
typedef struct sg_learning {
    size_t size; /* of the learner's state */

    /* Settles what the model keeps, shapes it (sg_model_shape), gives first values and prepares what epochs need; a failure
     * leaves the rest to closing. Where it goes on from another model, all that it keeps is of that (sg_model_keep_values). */
    int (*open)(sg_training *training, sg_learner *learner, scadyg_error *error);

    /* One epoch, from 1: improves model->values through the optimiser. *loss is the mean, *cases how many events (or
     * labels) it learned from. What it does may depend only on the options, the epoch and the values. It may take long and
     * reports progress itself; SCADYG_E_CANCELLED ends the run and leaves the checkpoint of the last whole epoch. */
    int (*learn)(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                 uint64_t *cases, scadyg_error *error);

    /* When the parameters are chosen: what else the model keeps. NULL: nothing. Left out in a trial. */
    int (*settle)(sg_training *training, const sg_learner *learner, scadyg_error *error);

    void (*close)(void *state); /* NULL: nothing but the scorers is to be closed, which is done elsewhere */

    int clear_gains; /* an epoch that is better by less than the standard error of that has not gained: see --patience */
} sg_learning;

/* Nodes asked about at a point of the log: the first `seen` events are visible, as of `at`. */
typedef struct sg_nodes_asked {
    double at;
    uint64_t seen;
    const uint32_t *nodes;
    size_t count;
} sg_nodes_asked;

/* What of the messages' plan a kind reads. */
enum {
    SG_READS_STEPS,   /* where steps begin */
    SG_READS_LEDGER,  /* that, and stored features of nodes; messages between nodes come from a ledger */
    SG_READS_MESSAGES /* node messages, as the options say */
};

/*
 * A state that goes on with a log: kept in a file, and live. Of a scorer, which follows a whole file, and of a live state, which
 * is told of events.
 */
typedef struct sg_live_kind {
    int (*can)(const scadyg_model *model); /* whether this model has one */

    /* A scorer of scorer_open: follows all events of its file, and lists its state, which must stay until it is written. */
    int (*follow)(void *scorer, scadyg_error *error);
    void (*save_scorer)(const void *scorer, sg_state_writer *writer);

    /* Live. view->columns has new events behind the first of the log; view->nodes and keys have room for more nodes than
     * there are. It begins with view->state, if there is one. */
    int (*open)(sg_view *view, const uint64_t *keys, void **state, scadyg_error *error);
    void (*close)(void *state);
    int (*grow)(void *state, const uint64_t *keys, size_t nodes, scadyg_error *error);
    int (*observe)(void *state, uint64_t first, uint64_t end, uint64_t number, scadyg_error *error);
    void (*save)(const void *state, size_t nodes, sg_state_writer *writer);
    uint64_t (*bytes)(const void *state);
    uint64_t (*node_bytes)(const scadyg_model *model); /* that a node takes; */
    uint64_t (*bound)(const scadyg_model *model);      /* and all but the nodes, at most */

    /* A scorer that shares the state, one for each thread that asks, whose questions see no events of the columns. The reader
     * is renewed before every question, and closed after the scorer. */
    int (*reader_open)(const void *state, sg_view *view, void **reader, sg_scorer *scorer, scadyg_error *error);
    void (*reader_renew)(void *reader);
    void (*reader_close)(void *reader);

    /* Whom a source has met, as far as it is remembered. */
    void (*met)(const void *state, uint32_t source, const uint32_t *nodes, size_t count, unsigned char *met);
} sg_live_kind;

/* What a ranking looks at. */
typedef struct sg_retrieval {
    uint32_t source;
    int unmet;           /* none that the source has met, in the list and in the counts, and not itself */
    size_t destinations; /* that there are in all */
    uint32_t *list;      /* destinations, each once, and behind them others that are drawn from the rest */
    size_t count, others;
    size_t all_count; /* destinations that the list and the rest are of */
    int too_few; /* with unmet, and then nothing is listed: so many are met that all others are to be looked at */
} sg_retrieval;

struct sg_kind {
    scadyg_kind shown; /* name, task, summary, whether it learns */
    int task;
    const sg_option_set *options; /* its struct begins with sg_train_options */
    const sg_preset *presets;     /* ends with a NULL name; NULL: none */
    unsigned parts;               /* SG_WITHOUT_...: what can be left out */
    int reads;                    /* SG_READS_... */
    int only;        /* a baseline that stands beside others under this protocol alone; SG_PROTOCOL_AUTO: any */
    size_t own_size; /* of what it keeps in model->own */

    const sg_learning *learning; /* NULL: there is nothing to learn */
    const sg_trial *trial;       /* NULL: no option is left to the data */

    /* How epochs are compared: sets the options of evaluation number i, from 0, and the score that counts; returns how
     * many evaluations there are. Their mean is the validation score. NULL: by the protocol that fits the model. */
    size_t (*validation)(const scadyg_model *model, size_t i, sg_eval_options *options, int *score);

    /* Answers. The view must stay; so must the model's values, which may change between passes. */
    int (*scorer_open)(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error); /* link */
    int (*label_scorer_open)(const sg_kind *kind, sg_view *view, const sg_labels *labels, sg_label_scorer *scorer,
                             scadyg_error *error); /* affinity */
    int needs_labels;                              /* affinity: answers depend on earlier labels */
    int shares;                                    /* affinity: scores are shares, not logits */

    /* The model file: the kind's own numbers, which stand before the count of parameters; NULL: it has none. unpack also
     * sets model->count and model->width from them and the options; a slice that makes no sense is `bad`. */
    void (*pack)(const scadyg_model *model, sg_pack *pack);
    int (*unpack)(scadyg_model *model, sg_slice *slice, scadyg_error *error);

    /* Bytes that answers take over a log of this shape, all nodes asked about: what the sizes in a model file cost, known
     * before anything is made. NULL: nothing that the model decides. */
    double (*bytes)(const scadyg_model *model, const scadyg_shape *shape);

    /* Why a model would not be read back, or NULL: figures out of range, or parts that do not fit each other. */
    const char *(*fault)(const scadyg_model *model);

    /* Parameters: group i, from 0: its name, place and shape; NULL after the last. */
    const char *(*group)(const scadyg_model *model, size_t i, size_t *begin, size_t *rows, size_t *columns);

    /* What scadyg_model_info says of its net: width, hidden; as what it answers, and whether there are
     * probabilities. */
    void (*describe)(const scadyg_model *model, scadyg_model_info *info);

    /* A figure by name, for scadyg_model_figure: NaN if there is none of it. */
    double (*figure)(const scadyg_model *model, const char *name);

    const sg_live_kind *live; /* NULL: a predictor over the log is all there is */

    /* Which of the nodes asked about a source has met, as far as the scorer remembers at that point; NULL: as the log says. */
    int (*met)(void *scorer, const sg_nodes_asked *asked, uint32_t source, unsigned char *met, scadyg_error *error);

    /* Destinations at that point, among which the best for a source are likely to be, at most `retrieved` with the others: a
     * function of the state and of asked->count, the nodes there are. Of models with a live state; NULL: rankings look at all.
     * unmet: all destinations that the source has not met, without itself, list[asked->count]. */
    size_t retrieved;
    int (*retrieve)(void *scorer, const sg_nodes_asked *asked, sg_retrieval *retrieval, scadyg_error *error);
    int (*unmet)(void *scorer, const sg_nodes_asked *asked, uint32_t source, uint32_t *list, size_t *count,
                 scadyg_error *error);

    /* ---- What it can do beyond scoring; NULL: it cannot, and is refused with a sentence. scorer: of scorer_open or
     * label_scorer_open. ---- */

    /* Embeddings, out[count][info.width]. */
    int (*embed)(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);

    /* The matrix W_x of one node, out[info.width][info.width]. */
    int (*node_weights)(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error);

    /* What one event of an age still does to the first layer: a mix of exponentials, see predict/predictor.c. */
    int (*memory_rates)(void *scorer, size_t *count, const double **rates, int *is_logarithm, scadyg_error *error);
    int (*memory_vectors)(void *scorer, const sg_nodes_asked *asked, size_t *hidden, double **vectors,
                          scadyg_error *error);
};

/* The table. Of each task the first kind is the default; baselines stand in the order of result tables. */
extern const sg_kind *const sg_kinds[]; /* ends with NULL */

/* The kind of this name and task, or NULL. */
const sg_kind *sg_kind_find(const char *name, int task);

/* "link", "affinity"; and back, -1 if there is none. */
const char *sg_task_name(int task);
int sg_task_find(const char *name);

/* The same with a sentence: the nearest name, or the other task. */
int sg_kind_choose(const char *name, const char *task, const sg_kind **kind, scadyg_error *error);

/* A kind's `validation` under the protocol live. */
size_t sg_validation_live(sg_eval_options *options, int *score);

/* What the validation part says of a model. */
typedef struct sg_validated {
    double score;  /* as shown to the user; NaN: there is nothing to evaluate */
    double choice; /* what epochs are chosen by: the mean over all that it is asked, under live MRR and both APs */
    double *each;  /* [count]: the score of every query, the same queries in the same order each time */
    size_t count, room;
} sg_validated;

/* From scores (or their standard errors) by number to what is chosen by: the mean of those that answer different questions. */
double sg_choice_of(const double *scores, int protocol, int number);

/* That of a training at the model's values; and the title of the score ("MRR"). each: freed by the caller. */
int sg_validate(const sg_training *training, const sg_learner *learner, sg_validated *out, scadyg_error *error);
const char *sg_validation_score(const scadyg_model *model);

/* What the choice is, in words: the title of the score, or which mean it is. */
const char *sg_validation_choice(const scadyg_model *model);

/* The protocol that a model's epochs were compared by, which cuts the parts as it was trained: SG_PROTOCOL_... */
int sg_model_protocol(const scadyg_model *model);

#endif
