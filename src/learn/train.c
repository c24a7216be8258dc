/* Training: from an events file and options to a model. */
#include "learn/train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "models/label_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The loop: epoch after epoch until the validation score no longer rises, whatever it is that learns ---- */

#define FULL_EPOCHS 2 /* at the full learning rate */

/* The run: its state is a checkpoint in memory. */
typedef struct run_state {
    sg_training *training;
    scadyg_model *model;
    const sg_learner *learner;
    const char *score; /* what validation measures */
    sg_checkpoint state;
    size_t room;  /* of state.epochs */
    int averages; /* the values are a running average of what is learned */
    sg_optimiser optimiser;
} run_state;

/* ---- Where it begins ---- */

static int begin_anew(run_state *run, scadyg_error *error)
{
    scadyg_model *model = run->model;
    const size_t count = model->count;
    sg_checkpoint *state = &run->state;
    state->average = sg_alloc_aligned(count, sizeof *state->average);
    state->square = sg_alloc_aligned(count, sizeof *state->square);
    state->best = sg_alloc(count, sizeof *state->best);
    if (run->averages) state->raw = sg_alloc_aligned(count, sizeof *state->raw);
    if (!state->average || !state->square || !state->best || (run->averages && !state->raw))
        return sg_fail_memory(error, "the training");
    memcpy(state->best, model->values, count * sizeof *state->best);
    if (run->averages) memcpy(state->raw, model->values, count * sizeof *state->raw);
    model->epochs = model->best_epoch = 0;
    model->validation = NAN;
    if (!run->learner->start_counts) return SCADYG_OK;
    return sg_validate(run->training, run->learner, &model->validation, error);
}

static void show_epoch(const run_state *run, const scadyg_epoch *epoch, int resumed)
{
    const scadyg_watch *watch = run->training->watch;
    if (watch && watch->epoch) watch->epoch(watch->data, epoch, resumed);
}

/* Whether what a kind keeps beside the parameters is the same: as it would be written. */
static int same_own(const scadyg_model *a, const scadyg_model *b)
{
    sg_pack one = {0}, other = {0};
    if (!a->kind->pack) return 1;
    sg_pack_begin(&one, SG_PART_NET);
    sg_pack_begin(&other, SG_PART_NET);
    a->kind->pack(a, &one);
    b->kind->pack(b, &other);
    const int same = !one.failed && !other.failed && one.size == other.size &&
                     (!one.size || memcmp(one.data, other.data, one.size) == 0);
    SG_FREE(one.data, other.data);
    return same;
}

static int begin_from(run_state *run, const char *checkpoint, scadyg_error *error)
{
    scadyg_model *model = run->model, *earlier = NULL;
    int status = sg_checkpoint_open(checkpoint, model, &earlier, &run->state, error);
    if (status) {
        run->state = (sg_checkpoint){0};
        return status;
    }
    /* Memory is no part of the options, but a kind may keep what it made of it. */
    if (!same_own(earlier, model))
        status =
            sg_fail(error, SCADYG_E_USAGE,
                    "the checkpoint %s is of a training with another plan; was it another --memory?", checkpoint);
    else if (earlier->count == model->count && (run->state.raw != NULL) == run->averages) {
        memcpy(model->values, earlier->values, model->count * sizeof *model->values);
        model->epochs = earlier->epochs;
        model->best_epoch = earlier->best_epoch;
        model->validation = earlier->validation;
        run->room = (size_t)run->state.epoch;
    } else
        status = sg_fail(error, SCADYG_E_USAGE, "%s is the checkpoint of a model of another shape", checkpoint);
    scadyg_model_close(earlier);
    for (int64_t i = 0; !status && i < run->state.epoch; i++) {
        run->state.epochs[i].score = run->score;
        show_epoch(run, &run->state.epochs[i], 1);
    }
    return status;
}

/* ---- An epoch ---- */

static int learn_epoch(run_state *run, scadyg_epoch *epoch, scadyg_error *error)
{
    const sg_learner *learner = run->learner;
    uint64_t cases = 0;
    double begin = sg_seconds();
    int status = run->model->kind->learning->learn(run->training, learner->state, epoch->epoch, &run->optimiser,
                                                   &epoch->loss, &cases, error);
    if (status) return status;
    epoch->seconds = sg_seconds() - begin;
    epoch->events_per_second = epoch->seconds > 0 ? (double)cases / epoch->seconds : 0;
    if (!isfinite(epoch->loss) || !sg_all_finite(run->model->values, run->model->count))
        return sg_fail(
            error, SCADYG_E_USAGE,
            "the loss is no longer a finite number in epoch %lld: the messages are too large to learn from; "
            "try --normalise log-standard or a smaller --lr than %g",
            (long long)epoch->epoch, run->optimiser.adam.learning_rate);
    begin = sg_seconds();
    status = sg_validate(run->training, learner, &epoch->validation, error);
    epoch->evaluation_seconds = sg_seconds() - begin;
    return status;
}

/* What the score means for the run. */
static void weigh_epoch(run_state *run, scadyg_epoch *epoch)
{
    scadyg_model *model = run->model;
    const int none_yet = !isfinite(model->validation);
    epoch->best = isfinite(epoch->validation) && (none_yet || epoch->validation > model->validation);
    run->state.since_best = epoch->best ? 0 : run->state.since_best + 1;
    if (epoch->best) {
        model->validation = epoch->validation;
        model->best_epoch = epoch->epoch;
    }
    if (epoch->best || none_yet) memcpy(run->state.best, model->values, model->count * sizeof *run->state.best);
}

static int next_epoch(run_state *run, const char *checkpoint, scadyg_error *error)
{
    sg_checkpoint *state = &run->state;
    scadyg_epoch epoch = {.epoch = state->epoch + 1, .score = run->score};
    const sg_train_options *options = sg_train_of(run->model);
    if (options->learning_rate_decay > 0 && epoch.epoch > FULL_EPOCHS)
        run->optimiser.adam.learning_rate =
            options->learning_rate * pow(options->learning_rate_decay, (double)(epoch.epoch - FULL_EPOCHS));
    if (sg_grow(&state->epochs, &run->room, (size_t)epoch.epoch, sizeof *state->epochs))
        return sg_fail_memory(error, "the training");
    int status = learn_epoch(run, &epoch, error);
    if (status) return status;
    weigh_epoch(run, &epoch);
    state->epochs[state->epoch++] = epoch;
    state->adam_steps = run->optimiser.steps;
    run->model->epochs = state->epoch;
    if (checkpoint) status = sg_checkpoint_save(checkpoint, run->model, state, error);
    if (!status) show_epoch(run, &epoch, 0);
    return status;
}

/* The learning curve, for those who look at the model later. */
static int keep_curve(const run_state *run, scadyg_error *error)
{
    const size_t epochs = (size_t)run->state.epoch;
    double *curve = epochs ? sg_alloc(2 * epochs, sizeof *curve) : NULL;
    if (epochs && !curve) return sg_fail_memory(error, "the learning curve");
    for (size_t i = 0; i < epochs; i++) {
        curve[i] = run->state.epochs[i].loss;
        curve[epochs + i] = run->state.epochs[i].validation;
    }
    free(run->model->curve);
    run->model->curve = curve;
    return SCADYG_OK;
}

int sg_training_run(sg_training *training, const sg_learner *learner, const char *checkpoint, int resume,
                    scadyg_error *error)
{
    scadyg_model *model = training->model;
    const sg_train_options *options = sg_train_of(model);
    run_state run = {.training = training,
                     .model = model,
                     .learner = learner,
                     .score = sg_validation_score(model),
                     .averages = options->averaging > 0};
    int known = resume && checkpoint && access(checkpoint, F_OK) == 0;
    int status = known ? begin_from(&run, checkpoint, error) : begin_anew(&run, error);
    run.optimiser = (sg_optimiser){.adam = SG_ADAM_DEFAULT(options->learning_rate, options->weight_decay),
                                   .average = run.state.average,
                                   .square = run.state.square,
                                   .averaging = options->averaging,
                                   .raw = run.state.raw,
                                   .steps = run.state.adam_steps};
    while (!status && run.state.epoch < options->epochs &&
           (run.state.epoch == 0 || run.state.since_best < options->patience)) {
        status = sg_report(training->context, "training", 0, 1, error);
        if (!status) status = next_epoch(&run, checkpoint, error);
    }
    if (!status) status = keep_curve(&run, error);
    if (!status) memcpy(model->values, run.state.best, model->count * sizeof *model->values);
    sg_checkpoint_free(&run.state);
    return status;
}

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
