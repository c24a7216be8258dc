/* The loop: epoch after epoch until the validation score no longer rises, whatever it is that learns. */
#include "learn/loop.h"

#include "base/clock.h"
#include "base/memory.h"
#include "learn/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    free(one.data);
    free(other.data);
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
