/* A search as JSON. */
#include "tune.h"

#include "shape.h"

static json_t *trial_json(const scadyg_tuning_info *info, const scadyg_trial *trial)
{
    json_t *object = json_object(), *values = json_object();
    int failed = json_object_set_new(object, "trial", json_integer(trial->number));
    for (size_t i = 0; i < info->varied; i++)
        failed |= json_object_set_new(values, info->names[i], json_string(trial->values[i]));
    failed |= json_object_set_new(object, "settings", values);
    failed |= json_object_set_new(object, "round", json_integer(trial->round));
    failed |= json_object_set_new(object, "epochs", json_integer(trial->epochs));
    failed |= json_object_set_new(object, "best_epoch", json_integer(trial->best_epoch));
    failed |= json_object_set_new(object, "validation", cli_json_number(trial->validation));
    json_t *failure = trial->failure ? json_string(trial->failure) : json_null();
    failed |= json_object_set_new(object, "failure", failure);
    if (!failed) return object;
    json_decref(object);
    return NULL;
}

static json_t *rounds_json(const scadyg_tuning_info *info)
{
    json_t *rounds = json_array();
    for (size_t i = 0; i < info->round_count; i++) {
        json_t *round = json_object();
        json_object_set_new(round, "trials", json_integer(info->rounds[i].trials));
        json_object_set_new(round, "epochs", json_integer(info->rounds[i].epochs));
        json_array_append_new(rounds, round);
    }
    return rounds;
}

json_t *tune_json(const tune_arguments *arguments, const scadyg_tuning_info *info, const char *journal,
                  const char *command)
{
    json_t *object = json_object(), *vary = json_object(), *trials = json_array();
    int failed = json_object_set_new(
        object, "method", json_string(arguments->tune.method == SCADYG_TUNE_RANDOM ? "random" : "halving"));
    failed |= json_object_set_new(object, "search_seed", json_integer(arguments->tune.seed));
    for (size_t i = 0; i < info->varied; i++)
        failed |= json_object_set_new(vary, info->names[i], json_string(info->specs[i]));
    failed |= json_object_set_new(object, "vary", vary);
    failed |= json_object_set_new(object, "rounds", rounds_json(info));
    failed |= json_object_set_new(object, "score", json_string(info->score));
    for (size_t i = 0; i < info->trial_count; i++)
        failed |= json_array_append_new(trials, trial_json(info, &info->trials[i]));
    failed |= json_object_set_new(object, "trials", trials);
    failed |= json_object_set_new(object, "best", json_integer(info->best->number));
    failed |= json_object_set_new(object, "command", json_string(command));
    json_t *file = json_string(journal);
    failed |= json_object_set_new(object, "journal", file ? file : json_null());
    if (!failed) return object;
    json_decref(object);
    return NULL;
}
