/* Training: epoch after epoch until the validation score no longer rises, whatever it is that learns. */
#include "tasks/training.h"

#include "base/clock.h"
#include "base/memory.h"
#include "model/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sg_optimiser_step(sg_optimiser *optimiser, const sg_net *net, float *values, const float *gradient)
{
    sg_adam_step(&optimiser->adam, net->count, values, gradient, optimiser->average, optimiser->square,
                 ++optimiser->steps);
}

/* The run: its state is a checkpoint in memory. */
typedef struct training {
    scadyg_model *model;
    const sg_learner *learner;
    const scadyg_watch *watch;
    sg_checkpoint state;
    size_t room; /* of state.epochs */
    sg_optimiser optimiser;
} training;

/* ---- Where it begins ---- */

static int begin_anew(training *run, scadyg_error *error)
{
    scadyg_model *model = run->model;
    const size_t count = model->net.count;
    sg_checkpoint *state = &run->state;
    state->average = sg_alloc_aligned(count, sizeof *state->average);
    state->square = sg_alloc_aligned(count, sizeof *state->square);
    state->best = sg_alloc(count, sizeof *state->best);
    if (!state->average || !state->square || !state->best) return sg_fail_memory(error, "the training");
    memcpy(state->best, model->values, count * sizeof *state->best);
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
    if (earlier->net.count == model->net.count) {
        memcpy(model->values, earlier->values, model->net.count * sizeof *model->values);
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
    if (!isfinite(epoch->loss) || !sg_all_finite(run->model->values, run->model->net.count))
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
    if (epoch->best || none_yet) memcpy(run->state.best, model->values, model->net.count * sizeof *run->state.best);
}

static int next_epoch(training *run, const char *checkpoint, scadyg_error *error)
{
    sg_checkpoint *state = &run->state;
    scadyg_epoch epoch = {.epoch = state->epoch + 1, .score = run->learner->score};
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

int sg_training_run(scadyg_model *model, const sg_learner *learner, const char *checkpoint, int resume,
                    const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error)
{
    const scadyg_train_options *options = &model->options;
    training run = {.model = model, .learner = learner, .watch = watch};
    int known = resume && checkpoint && access(checkpoint, F_OK) == 0;
    int status = known ? begin_from(&run, checkpoint, error) : begin_anew(&run, error);
    run.optimiser = (sg_optimiser){.adam = SG_ADAM_DEFAULT(options->learning_rate, options->weight_decay),
                                   .average = run.state.average,
                                   .square = run.state.square,
                                   .steps = run.state.adam_steps};
    while (!status && run.state.epoch < options->epochs &&
           (run.state.epoch == 0 || run.state.since_best < options->patience)) {
        status = sg_report(progress, "training", 0, 1, error);
        if (!status) status = next_epoch(&run, checkpoint, error);
    }
    if (!status) memcpy(model->values, run.state.best, model->net.count * sizeof *model->values);
    sg_checkpoint_free(&run.state);
    return status;
}
