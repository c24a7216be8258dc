/* An option that is left to the data: short trainings on the same parts, and the value with the better validation score. */
#include "base/file.h"
#include "learn/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 32 /* of a value */

static const sg_trial *trial_of(const scadyg_options *options)
{
    const sg_kind *kind = options->owner;
    return kind ? kind->trial : NULL;
}

static int is_left_open(const sg_trial *trial, const scadyg_options *options)
{
    char value[LONGEST];
    return trial && scadyg_options_get(options, trial->option, value, sizeof value) < sizeof value &&
           strcmp(value, "auto") == 0;
}

static int settle(const scadyg_options *options, const sg_trial *trial, const char *value, scadyg_options **settled,
                  scadyg_error *error)
{
    int status = scadyg_options_copy(options, settled, error);
    return status ? status : scadyg_options_set(*settled, trial->option, value, error);
}

int sg_trial_keep(const scadyg_options *options, const scadyg_options *before, scadyg_options **settled,
                  scadyg_error *error)
{
    const sg_trial *trial = trial_of(options);
    char value[LONGEST];
    *settled = NULL;
    if (!is_left_open(trial, options)) return SCADYG_OK;
    if (scadyg_options_get(before, trial->option, value, sizeof value) >= sizeof value) return SCADYG_OK;
    return settle(options, trial, value, settled, error);
}

/* The training and validation parts of the first events of a long log, in the same proportion. */
static int shorten(const sg_trial *trial, uint64_t events, scadyg_options *options, scadyg_error *error)
{
    const sg_train_options *train = (const sg_train_options *)options->values;
    const double validation = sg_validation_share(train), used = (train->train_share + validation) * (double)events;
    char share[2][LONGEST];
    if (train->stepwise || used <= (double)trial->events) return SCADYG_OK;
    (void)snprintf(share[0], LONGEST, "%.17g", train->train_share * (double)trial->events / used);
    (void)snprintf(share[1], LONGEST, "%.17g", validation * (double)trial->events / used);
    const int status = scadyg_options_set(options, "train-share", share[0], error);
    return status ? status : scadyg_options_set(options, "validation-share", share[1], error);
}

/* The validation score of a short training with this value; NaN: there is none. */
static int try_value(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                     const sg_trial *trial, const char *value, double *score, scadyg_error *error)
{
    scadyg_options *copy = NULL;
    *score = NAN;
    int status = scadyg_options_copy(options, &copy, error);
    if (!status) status = scadyg_options_set(copy, trial->option, value, error);
    for (const sg_setting *setting = trial->settings; setting->name && !status; setting++)
        status = scadyg_options_set(copy, setting->name, setting->value, error);
    if (!status) status = shorten(trial, scadyg_events_shape(events)->events, copy, error);
    if (!status) status = sg_train_trial(context, events, copy, score, error);
    scadyg_options_close(copy);
    return status;
}

static void tell(const sg_trial *trial, const char *const *value, const double *score, const scadyg_watch *watch)
{
    char sentence[256];
    if (!watch->note) return;
    (void)snprintf(sentence, sizeof sentence,
                   "--%s %s: after short trainings the validation MRR is %.4f with %s, %.4f with %s", trial->option,
                   *value, score[0], trial->values[0], score[1], trial->values[1]);
    watch->note(watch->data, sentence);
}

/* What was announced and came to nothing. */
static void tell_nothing(const sg_trial *trial, const char *value, const char *reason, const scadyg_watch *watch)
{
    char sentence[256];
    if (!watch->note) return;
    (void)snprintf(sentence, sizeof sentence, "--%s %s: %s", trial->option, value, reason);
    watch->note(watch->data, sentence);
}

/* Of a large log they take minutes, in which nothing else is said. */
static void tell_begin(const sg_trial *trial, const scadyg_watch *watch)
{
    char sentence[256];
    if (!watch->note) return;
    (void)snprintf(sentence, sizeof sentence,
                   "short trainings with --%s %s and %s come first, to see which is better here", trial->option,
                   trial->values[0], trial->values[1]);
    watch->note(watch->data, sentence);
}

static int try_values(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                      const sg_trial *trial, const scadyg_watch *watch, const char **value, scadyg_error *error)
{
    double score[2];
    scadyg_error reason = {0};
    tell_begin(trial, watch);
    int status = try_value(context, events, options, trial, trial->values[0], &score[0], error);
    if (status) return status;
    /* What there is no memory for is not taken. */
    status = try_value(context, events, options, trial, trial->values[1], &score[1], &reason);
    if (status == SCADYG_E_MEMORY) {
        tell_nothing(trial, *value, "there was not enough memory for the other short training", watch);
        return SCADYG_OK;
    }
    if (status) return sg_fail(error, status, "%s", reason.message);
    if (!isfinite(score[0]) || !isfinite(score[1])) {
        tell_nothing(trial, *value, "the short trainings have no validation score to compare", watch);
        return SCADYG_OK;
    }
    *value = trial->values[1 - score[1] < (1 - score[0]) * (1 - trial->gain)];
    tell(trial, value, score, watch);
    return SCADYG_OK;
}

int sg_trial_settle(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                    const char *checkpoint, const scadyg_watch *watch, scadyg_options **settled,
                    scadyg_error *error)
{
    const sg_trial *trial = trial_of(options);
    scadyg_model *begun = NULL;
    int worth = 0, status;
    *settled = NULL;
    if (!is_left_open(trial, options)) return SCADYG_OK;
    if (checkpoint && sg_exists(checkpoint) && !scadyg_model_open(checkpoint, &begun, NULL)) {
        status = sg_trial_keep(options, scadyg_model_look(begun)->options, settled, error);
        scadyg_model_close(begun);
        return status;
    }
    const char *value = trial->values[0];
    status = trial->worth(context, events, options, &worth, error);
    if (!status && worth) status = try_values(context, events, options, trial, watch, &value, error);
    return status ? status : settle(options, trial, value, settled, error);
}
