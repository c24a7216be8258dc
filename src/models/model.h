/*
 * The model: everything a prediction needs except the events. One file, see docs/model-format.md.
 */
#ifndef SG_MODELS_MODEL_H
#define SG_MODELS_MODEL_H

#include "base/context.h"
#include "base/finite.h"
#include "events/labels.h"
#include "events/steps.h"
#include "messages/nodes/plan.h"
#include "models/container.h"
#include "models/options.h"

#define SG_CLASSES_MOST ((size_t)1 << 24)
#define SG_WIDTH_MOST ((size_t)1 << 24)

typedef struct sg_kind sg_kind;

struct scadyg_model {
    const sg_kind *kind;
    scadyg_options *options; /* of that kind; owned */
    sg_trained_on trained_on;
    void *own;           /* [kind->own_size]: what the kind keeps beside the parameters; NULL: nothing */
    size_t count;        /* parameters; 0 for baselines */
    float *values;       /* [count] */
    size_t width;        /* numbers that are normalised: a message, or a row of a node and one of a pair */
    float *mean, *scale; /* [width]: normalised = (f(x) - mean) * scale; NULL without standardising */

    size_t classes;     /* affinity */
    char **class_names; /* each owned */
    sg_label_file
        label_file; /* that it was trained with; where it lies now is the option "labels", in memory only */

    char *data;    /* name of the file it was trained on */
    char *reading; /* how its text log was read: lines name=value of import's options; NULL: nothing to say */
    uint32_t checksum;
    uint32_t file_checksum; /* of the file it was read from, else 0 */
    int is_read;            /* from a file: nobody here has chosen its sizes */
    scadyg_shape shape;
    double train_end;      /* the latest time of an event it was trained on */
    double validation_end; /* ... or chosen by */
    int64_t epochs, best_epoch;
    double validation;
    double *curve; /* [2][epochs]: the loss of each epoch, then the validation scores; NULL: not known */
    char *result;  /* JSON or NULL */
    int refit; /* the values are of a second training, on all events; the rest is of the first, which chose the epochs */
    uint32_t from;  /* the mark of the model it went on from (scadyg_model_mark); 0: it began anew */
    int unfinished; /* read from a checkpoint: the best values so far */

    scadyg_model_info info; /* the public view, made by sg_model_settle */
};

/* What all kinds have of options. */
static inline const sg_train_options *sg_train_of(const scadyg_model *model)
{
    return (const sg_train_options *)model->options->values;
}

/* A model of these options' kind with nothing learned yet: options copied, trained_on and provenance from the file. */
int sg_model_new(const scadyg_options *options, scadyg_events *events, scadyg_model **model, scadyg_error *error);

/*
 * Sets the number of parameters and of normalised columns; parameters are not initialised. With `standard` it also makes
 * mean (all 0) and scale (all 1), to be filled in from the training part.
 */
int sg_model_shape(scadyg_model *model, size_t count, size_t width, int standard, scadyg_error *error);

/* What a model that goes on from another keeps of it: how its data was read. Before a view of the model is opened. */
int sg_model_keep_data(scadyg_model *model, const scadyg_model *from, scadyg_error *error);

/* And what its learner would have made first: its own figures, parameters and normalisation. */
int sg_model_keep_values(scadyg_model *model, const scadyg_model *from, scadyg_error *error);

/* Copies the names of the classes. */
int sg_model_set_classes(scadyg_model *model, char *const *names, size_t count, scadyg_error *error);

/* Refreshes model->info after changes. */
void sg_model_settle(scadyg_model *model);

/* A model that was made or read: settled and handed out, or closed where that failed. Returns the status. */
int sg_model_finish(scadyg_model *model, int status, scadyg_model **out);

/* The options of its messages, as far as its kind reads them. */
sg_messages_options sg_model_messages_options(const scadyg_model *model);

/* The columns of one hop of its node messages; 0 if options and trained_on do not fit together. */
size_t sg_model_hop_width(const scadyg_model *model);

/* What is left out of it (SG_WITHOUT_...). */
unsigned sg_model_without(const scadyg_model *model);

/* Whether steps have a say in what it learns from: a live model cut by time never looks at them. */
int sg_model_reads_steps(const scadyg_model *model);

/* "--normalise log-standard or " where it has this option and it says something else, else "". */
const char *sg_model_normalise_hint(const scadyg_model *model);

/* Whether it standardises node messages. */
int sg_model_standardises(const scadyg_model *model);

/* Why a model would not be read back, or NULL. */
const char *sg_model_fault(const scadyg_model *model);

/* ---- The sections of a model, for model files and checkpoints ---- */

/* All sections of a model, in order. */
int sg_model_pack(const scadyg_model *model, sg_pack *pack, scadyg_error *error);

/* The sections that come last of all: of its labels and of its log. */
void sg_model_pack_last(const scadyg_model *model, sg_pack *pack);

/* That of the file it was read from, or of the file it would be saved to as it is now: the same for both. Of one that cannot be
 * saved it is scadyg_model_mark. */
int sg_model_checksum(const scadyg_model *model, uint32_t *checksum, scadyg_error *error);

/* A model from its sections, checked. */
int sg_model_unpack(sg_unpack *unpack, scadyg_model **model, scadyg_error *error);

#endif
