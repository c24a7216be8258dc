/* The loop of training: epoch after epoch until the validation score no longer rises, whatever it is that learns. */
#include "learn/train.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FULL_EPOCHS 2 /* at the full learning rate */
/* A model that goes on is near to where it will end: the learning rate falls from the first epoch on, and twice as fast. */
#define FALLS_FASTER 2
#define MORE_EPOCHS 8  /* that it goes on for at most, unless another number than the model's is asked for */
#define BLIND_EPOCHS 5 /* where nothing tells which of them is best, at most: docs/training.md */

void sg_training_say(const sg_training *training, const char *format, ...)
{
    const scadyg_watch *watch = training->watch;
    char sentence[256];
    va_list arguments;
    if (!watch || !watch->note) return;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    watch->note(watch->data, sentence);
}

/* The default of an option: what differs from it is somebody's choice. */
static double usual_value(const scadyg_model *model, const char *name)
{
    const sg_option *option = sg_option_find(model->options->set, name);
    return option && option->shown.fallback ? strtod(option->shown.fallback, NULL) : 0;
}

/* Where nobody chose a number of epochs there are at most so many. */
static int64_t epochs_within(const scadyg_model *model, int64_t most)
{
    const int64_t asked = sg_most_epochs(sg_train_of(model)), usual = (int64_t)usual_value(model, "epochs");
    return sg_train_of(model)->epochs != usual || asked < most ? asked : most;
}

static int64_t blind_epochs(const scadyg_model *model)
{
    return epochs_within(model, BLIND_EPOCHS);
}

int64_t sg_training_epochs(const sg_training *training, int64_t most)
{
    const scadyg_model *from = training->from;
    const sg_train_options *options = sg_train_of(training->model);
    const int64_t asked = sg_most_epochs(options);
    if (from) return options->epochs != sg_train_of(from)->epochs || asked < MORE_EPOCHS ? asked : MORE_EPOCHS;
    return most ? epochs_within(training->model, most) : asked;
}

void sg_training_say_blind(const sg_training *training, const char *reason)
{
    const int64_t epochs = blind_epochs(training->model);
    sg_training_say(training, "%s: it trains for %lld epoch%s%s and keeps the last", reason, (long long)epochs,
                    sg_plural(epochs),
                    epochs == sg_most_epochs(sg_train_of(training->model)) ? ""
                                                                           : " (--epochs says another number)");
}

/* The run: its state is a checkpoint in memory. */
typedef struct run_state {
    sg_training *training;
    scadyg_model *model;
    const sg_learner *learner;
    const char *score, *chosen_by; /* what validation measures, and what epochs are chosen by */
    sg_checkpoint state;
    size_t room;          /* of state.epochs */
    sg_validated current; /* what validation said of the latest epoch */
    int has_raw;          /* Adam moves something else than the values: sg_optimiser */
    float *at, *slope;
    sg_optimiser optimiser;
} run_state;

/* ---- Where it begins ---- */

/* The first values of a net are for inputs that are taken apart; those of a model that goes on are as they are. */
static void begin_raw(run_state *run)
{
    scadyg_model *model = run->model;
    const sg_learner *learner = run->learner;
    const size_t count = model->count;
    if (!run->has_raw) return;
    if (run->training->from) {
        sg_blocks_apply(learner->blocks, learner->block_count, 1, count, model->values, run->state.raw);
    } else {
        memcpy(run->state.raw, model->values, count * sizeof *run->state.raw);
        sg_blocks_apply(learner->blocks, learner->block_count, 0, count, run->state.raw, model->values);
    }
}

static int begin_anew(run_state *run, scadyg_error *error)
{
    scadyg_model *model = run->model;
    const size_t count = model->count;
    sg_checkpoint *state = &run->state;
    state->average = sg_alloc_aligned(count, sizeof *state->average);
    state->square = sg_alloc_aligned(count, sizeof *state->square);
    state->best = sg_alloc(count, sizeof *state->best);
    if (run->has_raw) state->raw = sg_alloc_aligned(count, sizeof *state->raw);
    if (!state->average || !state->square || !state->best || (run->has_raw && !state->raw))
        return sg_fail_memory(error, "the training");
    begin_raw(run);
    memcpy(state->best, model->values, count * sizeof *state->best);
    model->epochs = model->best_epoch = 0;
    model->validation = run->state.validated.choice = NAN;
    if (!run->learner->start_counts && !run->training->from) return SCADYG_OK;
    int status = sg_validate(run->training, run->learner, &run->state.validated, error);
    model->validation = run->state.validated.score;
    return status;
}

static void show_epoch(const run_state *run, const scadyg_epoch *epoch, int resumed)
{
    const scadyg_watch *watch = run->training->watch;
    if (watch && watch->epoch) watch->epoch(watch->data, epoch, resumed);
}

/* Whether what a kind keeps beside the parameters is the same: as it would be written. */
static int same_own(const scadyg_model *a, const scadyg_model *b, int *failed)
{
    sg_pack one = {0}, other = {0};
    if (!a->kind->pack) return 1;
    sg_pack_begin(&one, SG_PART_NET);
    sg_pack_begin(&other, SG_PART_NET);
    a->kind->pack(a, &one);
    b->kind->pack(b, &other);
    const int same = one.size == other.size && (!one.size || memcmp(one.data, other.data, one.size) == 0);
    *failed = one.failed || other.failed;
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
    int failed = 0;
    const int same = same_own(earlier, model, &failed);
    if (failed)
        status = sg_fail_memory(error, "the checkpoint");
    else if (!same)
        status =
            sg_fail(error, SCADYG_E_USAGE,
                    "the checkpoint %s is of a training with another plan; was it another --memory?", checkpoint);
    else if (earlier->count == model->count && (run->state.raw != NULL) == run->has_raw) {
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
        run->state.epochs[i].chosen_by = run->chosen_by;
        show_epoch(run, &run->state.epochs[i], 1);
    }
    if (!status && run->state.epoch && isnan(run->state.epochs[0].validation)) run->training->validates = 0;
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
            "try %sa smaller --lr than %g",
            (long long)epoch->epoch, sg_model_normalise_hint(run->model), run->optimiser.adam.learning_rate);
    begin = sg_seconds();
    status = sg_validate(run->training, learner, &run->current, error);
    epoch->validation = run->current.score;
    epoch->choice = run->current.choice;
    epoch->evaluation_seconds = sg_seconds() - begin;
    /* Neither a checkpoint nor a model comes of events that changed on the way. */
    return sg_events_finish(status, run->training->view.events, error);
}

/* The standard error of the mean difference between what two models scored in the same queries. */
static double difference_error(const sg_validated *a, const sg_validated *b)
{
    const size_t count = a->count;
    double sum = 0, squares = 0;
    if (count < 2 || b->count != count) return 0;
    for (size_t i = 0; i < count; i++) sum += a->each[i] - b->each[i];
    for (size_t i = 0; i < count; i++) {
        const double d = a->each[i] - b->each[i] - sum / (double)count;
        squares += d * d;
    }
    return sqrt(squares / (double)(count - 1) / (double)count);
}

/* Whether an epoch that is better is so by more than chance might do. */
static int is_clear(const run_state *run)
{
    if (!run->model->kind->learning->clear_gains) return 1;
    return run->current.score - run->state.validated.score > difference_error(&run->current, &run->state.validated);
}

/* What the score means for the run. */
static void weigh_epoch(run_state *run, scadyg_epoch *epoch)
{
    scadyg_model *model = run->model;
    const int none_yet = !isfinite(run->state.validated.choice);
    epoch->best = isfinite(run->current.choice) && (none_yet || run->current.choice > run->state.validated.choice);
    run->state.since_gain = epoch->best && (none_yet || is_clear(run)) ? 0 : run->state.since_gain + 1;
    if (epoch->best) {
        const sg_validated before = run->state.validated;
        run->state.validated = run->current;
        run->current = before; /* its room is used again */
        model->validation = epoch->validation;
        model->best_epoch = epoch->epoch;
    }
    if (epoch->best || none_yet) memcpy(run->state.best, model->values, model->count * sizeof *run->state.best);
}

static double learning_rate(const run_state *run, int64_t epoch)
{
    const sg_train_options *options = sg_train_of(run->model);
    const int64_t falls = run->training->from ? FALLS_FASTER * (epoch - 1) : epoch - FULL_EPOCHS;
    if (!(options->learning_rate_decay > 0) || falls <= 0) return options->learning_rate;
    return options->learning_rate * pow(options->learning_rate_decay, (double)falls);
}

static int next_epoch(run_state *run, const char *checkpoint, scadyg_error *error)
{
    sg_checkpoint *state = &run->state;
    scadyg_epoch epoch = {.epoch = state->epoch + 1, .score = run->score, .chosen_by = run->chosen_by};
    run->optimiser.adam.learning_rate = learning_rate(run, epoch.epoch);
    if (sg_grow(&state->epochs, &run->room, (size_t)epoch.epoch, sizeof *state->epochs))
        return sg_fail_memory(error, "the training");
    int status = learn_epoch(run, &epoch, error);
    if (status) return status;
    weigh_epoch(run, &epoch);
    if (run->training->validates && epoch.epoch == 1 && isnan(epoch.validation)) {
        run->training->validates = 0;
        sg_training_say_blind(run->training, "nothing of the validation part can be evaluated");
    }
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

static int64_t most_epochs(const run_state *run)
{
    return sg_training_epochs(run->training, run->learner->most_epochs);
}

static int goes_on(const run_state *run, const sg_train_options *options)
{
    const int64_t epoch = run->state.epoch;
    const scadyg_model *chosen = run->training->chosen;
    if (chosen) return epoch < (isfinite(chosen->validation) ? chosen->best_epoch : chosen->epochs);
    if (!run->training->validates) return epoch < blind_epochs(run->model);
    if (epoch >= most_epochs(run)) return 0;
    return epoch == 0 || run->state.since_gain < options->patience;
}

static double averaging_of(const scadyg_model *model, const sg_learner *learner)
{
    const double asked = sg_train_of(model)->averaging;
    const int is_usual = !(asked < usual_value(model, "averaging")) && !(asked > usual_value(model, "averaging"));
    return learner->averaging > 0 && is_usual ? learner->averaging : asked;
}

static int make_blocks(run_state *run, scadyg_error *error)
{
    run->at = sg_alloc_aligned(run->model->count, sizeof *run->at);
    run->slope = sg_alloc_aligned(run->model->count, sizeof *run->slope);
    return run->at && run->slope ? SCADYG_OK : sg_fail_memory(error, "the training");
}

/* Why it goes on no longer, and which epoch is kept. */
static void tell_end(const run_state *run, const sg_train_options *options)
{
    const scadyg_watch *watch = run->training->watch;
    const scadyg_model *model = run->model;
    const long long epochs = (long long)run->state.epoch, patience = (long long)options->patience;
    const int validated = run->training->validates && !run->training->chosen;
    char why[96], kept[96] = "the last is kept", sentence[256];
    if (!watch || !watch->ended) return;
    if (validated && run->state.epoch < most_epochs(run))
        (void)snprintf(why, sizeof why, "stopped after epoch %lld: no %sgain in %lld epoch%s", epochs,
                       model->kind->learning->clear_gains ? "clear " : "", patience, sg_plural(patience));
    else if (epochs == 1)
        (void)snprintf(why, sizeof why, "one epoch");
    else
        (void)snprintf(why, sizeof why, "all %lld epochs", epochs);
    if (validated && model->best_epoch)
        (void)snprintf(kept, sizeof kept, "epoch %lld is kept, with the best %s", (long long)model->best_epoch,
                       run->chosen_by);
    else if (validated && isfinite(model->validation))
        (void)snprintf(kept, sizeof kept, "none was better than the start, which is kept");
    (void)snprintf(sentence, sizeof sentence, "%s; %s", why, kept);
    watch->ended(watch->data, sentence);
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
                     .chosen_by = sg_validation_choice(model),
                     .has_raw = averaging_of(model, learner) > 0 || learner->block_count};
    int known = resume && checkpoint && sg_exists(checkpoint);
    int status = learner->block_count ? make_blocks(&run, error) : SCADYG_OK;
    if (!status) status = known ? begin_from(&run, checkpoint, error) : begin_anew(&run, error);
    if (!status && run.at)
        sg_blocks_apply(learner->blocks, learner->block_count, 0, model->count, run.state.raw, run.at);
    run.optimiser = (sg_optimiser){.adam = SG_ADAM_DEFAULT(options->learning_rate, options->weight_decay),
                                   .average = run.state.average,
                                   .square = run.state.square,
                                   .averaging = averaging_of(model, learner),
                                   .raw = run.state.raw,
                                   .blocks = learner->blocks,
                                   .block_count = learner->block_count,
                                   .at = run.at,
                                   .slope = run.slope,
                                   .steps = run.state.adam_steps};
    while (!status && goes_on(&run, options)) {
        status = sg_training_report(training, "training", 0, 1, error);
        if (!status) status = next_epoch(&run, checkpoint, error);
    }
    if (!status) status = keep_curve(&run, error);
    if (!status) tell_end(&run, options);
    if (!status) memcpy(model->values, run.state.best, model->count * sizeof *model->values);
    sg_checkpoint_free(&run.state);
    SG_FREE(run.current.each, run.at, run.slope);
    if (!status && model->kind->learning->settle && !training->is_trial)
        status = model->kind->learning->settle(training, learner, error);
    return status;
}
