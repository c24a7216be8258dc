/* Training: from an events file and options to a model. */
#include "learn/train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "learn/loop.h"
#include "models/label_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parts of the events, or of the labels, and what the model keeps of them. */
static int cut_parts(sg_training *training, scadyg_error *error)
{
    scadyg_model *model = training->model;
    const double *time = training->view.columns->time;
    int status;
    if (model->kind->task == SG_TASK_LINK) {
        status = sg_view_split(&training->view, &training->split, error);
        if (status) return status;
        model->train_end = time[training->split.train_end - 1];
        model->validation_end = time[training->split.validation_end - 1];
        return SCADYG_OK;
    }
    const sg_labels *labels = &training->labels;
    status = sg_view_labels(&training->view, NULL, &training->labels, error);
    if (!status) status = sg_label_split_make(labels, training->view.columns, &training->label_split, error);
    if (status) return status;
    model->train_end = labels->time[training->label_split.train - 1];
    model->validation_end = labels->time[training->label_split.validation - 1];
    return sg_model_set_classes(model, labels->names, labels->classes, error);
}

static void close_learner(const sg_learning *learning, sg_learner *learner)
{
    if (learner->scorer.close) learner->scorer.close(learner->scorer.context);
    if (learner->label_scorer.close) learner->label_scorer.close(learner->label_scorer.context);
    if (learning->close && learner->state) learning->close(learner->state);
    free(learner->state);
}

static int run_learner(sg_training *training, const char *checkpoint, int resume, scadyg_error *error)
{
    const scadyg_watch *watch = training->watch;
    const sg_learning *learning = training->model->kind->learning;
    const double began = sg_seconds();
    sg_learner learner = {.state = sg_alloc_zero(1, learning->size + 1)};
    int status = learner.state ? learning->open(training, &learner, error) : sg_fail_memory(error, "the training");
    if (!status && watch && watch->prepared)
        watch->prepared(watch->data, sg_seconds() - began, learner.width, learner.bytes, learner.kept);
    if (!status) status = sg_training_run(training, &learner, checkpoint, resume, error);
    close_learner(learning, &learner);
    return status;
}

/* A kind that learns nothing only has to know where the parts end. */
static int train_model(scadyg_context *context, scadyg_model *model, scadyg_events *events, const char *checkpoint,
                       int resume, const scadyg_watch *watch, scadyg_error *error)
{
    sg_training training = {.context = context, .model = model, .watch = watch};
    int status = sg_report(context, "opening", 0, 1, error);
    if (!status) status = sg_view_open(context, model, events, &training.view, error);
    if (!status) status = cut_parts(&training, error);
    if (!status && model->kind->learning) status = run_learner(&training, checkpoint, resume, error);
    if (model->kind->task == SG_TASK_AFFINITY) sg_labels_free(&training.labels);
    sg_view_close(&training.view);
    return status;
}

int sg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options, const char *checkpoint,
             int resume, const scadyg_watch *watch, sg_reached *reached, scadyg_model **out, scadyg_error *error)
{
    scadyg_model *model = NULL;
    scadyg_watch known = {0}; /* a caller of an older version has fewer of them */
    if (watch) memcpy(&known, watch, watch->size < sizeof known ? watch->size : sizeof known);
    int status = sg_model_new(options, events, &model, error);
    if (!status) status = train_model(context, model, events, checkpoint, resume, &known, error);
    if (reached)
        *reached = model && model->epochs ? (sg_reached){model->epochs, model->best_epoch, model->validation}
                                          : (sg_reached){.validation = NAN};
    if (status) {
        scadyg_model_close(model);
        return status;
    }
    sg_model_settle(model);
    *out = model;
    return SCADYG_OK;
}

int scadyg_train(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                 const char *checkpoint, int resume, const scadyg_watch *watch, scadyg_model **out,
                 scadyg_error *error)
{
    return sg_train(context, events, options, checkpoint, resume, watch, NULL, out, error);
}
