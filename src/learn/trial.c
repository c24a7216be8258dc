/* An option that is left to the data: short trainings on the same parts, and the value with the better validation score. */
#include "base/file.h"
#include "learn/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 32 /* of a value */

/* A training that goes on keeps what was settled when it began. */
static int find_settled(const sg_trial *trial, const char *checkpoint, char value[LONGEST])
{
    scadyg_model *model = NULL;
    if (!checkpoint || !sg_exists(checkpoint) || scadyg_model_open(checkpoint, &model, NULL)) return 0;
    const size_t length = scadyg_options_get(scadyg_model_look(model)->options, trial->option, value, LONGEST);
    scadyg_model_close(model);
    return length > 0 && length < LONGEST && strcmp(value, "auto") != 0;
}

/* The validation score of a short training with this value; NaN: there is none. */
static int try_value(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                     const sg_trial *trial, const char *value, double *score, scadyg_error *error)
{
    scadyg_options *copy = NULL;
    scadyg_model *model = NULL;
    *score = NAN;
    int status = scadyg_options_copy(options, &copy, error);
    if (!status) status = scadyg_options_set(copy, trial->option, value, error);
    for (const sg_setting *setting = trial->settings; setting->name && !status; setting++)
        status = scadyg_options_set(copy, setting->name, setting->value, error);
    if (!status) status = sg_train(context, events, copy, NULL, 0, NULL, NULL, &model, error);
    if (!status) *score = model->validation;
    scadyg_model_close(model);
    scadyg_options_close(copy);
    return status;
}

static void tell(const sg_trial *trial, const char *const *value, const double *score, const scadyg_watch *watch)
{
    char sentence[256];
    if (!watch->note) return;
    (void)snprintf(sentence, sizeof sentence,
                   "--%s %s: after short trainings the validation score is %.4f with %s, %.4f with %s",
                   trial->option, *value, score[0], trial->values[0], score[1], trial->values[1]);
    watch->note(watch->data, sentence);
}

static int try_values(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                      const sg_trial *trial, const scadyg_watch *watch, const char **value, scadyg_error *error)
{
    double score[2];
    scadyg_error reason = {0};
    int status = try_value(context, events, options, trial, trial->values[0], &score[0], error);
    if (status) return status;
    /* What there is no memory for is not taken. */
    status = try_value(context, events, options, trial, trial->values[1], &score[1], &reason);
    if (status == SCADYG_E_MEMORY) return SCADYG_OK;
    if (status) return sg_fail(error, status, "%s", reason.message);
    if (!isfinite(score[0]) || !isfinite(score[1])) return SCADYG_OK;
    *value = trial->values[score[1] > score[0] * (1 + trial->gain)];
    tell(trial, value, score, watch);
    return SCADYG_OK;
}

int sg_trial_settle(scadyg_context *context, scadyg_events *events, const scadyg_options *options,
                    const char *checkpoint, const scadyg_watch *watch, scadyg_options **settled,
                    scadyg_error *error)
{
    const sg_kind *kind = options->owner;
    const sg_trial *trial = kind ? kind->trial : NULL;
    char asked[LONGEST], before[LONGEST];
    int worth = 0, status = SCADYG_OK;
    *settled = NULL;
    if (!trial || scadyg_options_get(options, trial->option, asked, sizeof asked) >= sizeof asked ||
        strcmp(asked, "auto") != 0)
        return SCADYG_OK;
    const char *value = trial->values[0];
    if (find_settled(trial, checkpoint, before))
        value = before;
    else {
        status = trial->worth(context, events, options, &worth, error);
        if (!status && worth) status = try_values(context, events, options, trial, watch, &value, error);
    }
    if (!status) status = scadyg_options_copy(options, settled, error);
    if (!status) status = scadyg_options_set(*settled, trial->option, value, error);
    return status;
}
