/* Training: epoch after epoch until the validation score no longer rises, whatever it is that learns. */
#include "tasks/training.h"

#include "base/clock.h"
#include "base/memory.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sg_optimiser_step(sg_optimiser *optimiser, size_t count, float *values, const float *gradient)
{
    float *moved = optimiser->raw ? optimiser->raw : values;
    sg_adam_step(&optimiser->adam, count, moved, gradient, optimiser->average, optimiser->square,
                 ++optimiser->steps);
    if (!optimiser->raw) return;
    /* At first it is the plain mean of all steps. */
    const double begin = 1 - 1 / (double)(optimiser->steps + 1);
    const float older = (float)(begin < optimiser->averaging ? begin : optimiser->averaging), newer = 1 - older;
    for (size_t i = 0; i < count; i++) values[i] = older * values[i] + newer * moved[i];
}

#define FULL_EPOCHS 2 /* at the full learning rate */

/* The run: its state is a checkpoint in memory. */
typedef struct training {
    scadyg_model *model;
    const sg_learner *learner;
    const scadyg_watch *watch;
    sg_checkpoint state;
    size_t room;  /* of state.epochs */
    int averages; /* the values are a running average of what is learned */
    sg_optimiser optimiser;
} training;

/* ---- Where it begins ---- */

static int begin_anew(training *run, scadyg_error *error)
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
    return run->learner->validate(run->learner->context, &model->validation, error);
}

static void show_epoch(const training *run, const scadyg_epoch *epoch, int resumed)
{
    if (run->watch && run->watch->epoch) run->watch->epoch(run->watch->context, epoch, resumed);
}

static int begin_from(training *run, const char *checkpoint, scadyg_error *error)
{
    scadyg_model *model = run->model, *earlier = NULL;
    int status = sg_checkpoint_open(checkpoint, model, &earlier, &run->state, error);
    if (status) {
        run->state = (sg_checkpoint){0};
        return status;
    }
    /* Memory is no part of the model, but it says how wide the sketches are and which pairs are forgotten. */
    if (memcmp(&earlier->plan, &model->plan, sizeof model->plan) != 0)
        status =
            sg_fail(error, SCADYG_E_USAGE, "the checkpoint %s is of a training with another --memory", checkpoint);
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
        run->state.epochs[i].score = run->learner->score;
        show_epoch(run, &run->state.epochs[i], 1);
    }
    return status;
}

/* ---- An epoch ---- */

static int learn(training *run, scadyg_epoch *epoch, scadyg_error *error)
{
    const sg_learner *learner = run->learner;
    uint64_t cases = 0;
    double begin = sg_seconds();
    int status = learner->learn(learner->context, epoch->epoch, &run->optimiser, &epoch->loss, &cases, error);
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
    status = learner->validate(learner->context, &epoch->validation, error);
    epoch->evaluation_seconds = sg_seconds() - begin;
    return status;
}

/* What the score means for the run. */
static void weigh(training *run, scadyg_epoch *epoch)
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

static int next_epoch(training *run, const char *checkpoint, scadyg_error *error)
{
    sg_checkpoint *state = &run->state;
    scadyg_epoch epoch = {.epoch = state->epoch + 1, .score = run->learner->score};
    const scadyg_train_options *options = &run->model->options;
    if (options->head == SCADYG_HEAD_PAIR && epoch.epoch > FULL_EPOCHS)
        run->optimiser.adam.learning_rate =
            options->learning_rate * pow(options->learning_rate_decay, (double)(epoch.epoch - FULL_EPOCHS));
    if (sg_grow(&state->epochs, &run->room, (size_t)epoch.epoch, sizeof *state->epochs))
        return sg_fail_memory(error, "the training");
    int status = learn(run, &epoch, error);
    if (status) return status;
    weigh(run, &epoch);
    state->epochs[state->epoch++] = epoch;
    state->adam_steps = run->optimiser.steps;
    run->model->epochs = state->epoch;
    if (checkpoint) status = sg_checkpoint_save(checkpoint, run->model, state, error);
    if (!status) show_epoch(run, &epoch, 0);
    return status;
}

/* The learning curve, for those who look at the model later. */
static int keep_curve(const training *run, scadyg_error *error)
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

int sg_training_run(scadyg_model *model, const sg_learner *learner, const char *checkpoint, int resume,
                    const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error)
{
    const scadyg_train_options *options = &model->options;
    const int pair = options->head == SCADYG_HEAD_PAIR;
    training run = {.model = model, .learner = learner, .watch = watch, .averages = pair && options->averaging > 0};
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
        status = sg_report(progress, "training", 0, 1, error);
        if (!status) status = next_epoch(&run, checkpoint, error);
    }
    if (!status) status = keep_curve(&run, error);
    if (!status) memcpy(model->values, run.state.best, model->count * sizeof *model->values);
    sg_checkpoint_free(&run.state);
    return status;
}
