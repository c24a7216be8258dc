/* A search over the options of training: its settings, drawn and checked before anything is trained. */
#include "learn/tune/tune.h"

#include "base/memory.h"
#include "base/rng.h"
#include "learn/train.h"
#include "models/kind.h"
#include "models/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAW ((uint64_t)0x70E << 48) /* streams of random numbers: with the trial in the low bits */
#define DRAWS_MOST 100000            /* in search of a setting that was not drawn before */

static const sg_option table[] = {
    SG_OPTION(sg_tune_options, trials, "trials", 0, SCADYG_OPTION_INT, "N", "20", NULL, 1, 10000,
              "how many settings to try", 0),
    SG_OPTION(sg_tune_options, method, "method", 0, SCADYG_OPTION_CHOICE, "HOW", "halving", "halving|random", 1, 0,
              "all settings for a few epochs and the best for more, or every one to its end", 0),
    SG_OPTION(sg_tune_options, keep, "keep", 0, SCADYG_OPTION_CHOICE, "PART", "third", "third|half", 1, 0,
              "halving: how many of a round go on to the next", 1),
    SG_OPTION(sg_tune_options, seed, "search-seed", 0, SCADYG_OPTION_INT, "N", "1", NULL, 1, 0,
              "seed of the draw of settings; --seed is that of training", 1),
};

const sg_option_set sg_tune_set = SG_OPTION_SET("tune", table, sg_tune_options, NULL);

/* ---- Drawing ---- */

static char **values_of(const scadyg_tuning *tuning, size_t trial)
{
    return tuning->values + trial * tuning->space.count;
}

static void forget_values(scadyg_tuning *tuning, size_t trial)
{
    char **values = values_of(tuning, trial);
    for (size_t i = 0; i < tuning->space.count; i++) {
        free(values[i]);
        values[i] = NULL;
    }
}

static int seen_before(const scadyg_tuning *tuning, size_t trial)
{
    char **values = values_of(tuning, trial);
    for (size_t other = 0; other < trial; other++) {
        char **theirs = values_of(tuning, other);
        size_t i = 0;
        while (i < tuning->space.count && strcmp(values[i], theirs[i]) == 0) i++;
        if (i == tuning->space.count) return 1;
    }
    return 0;
}

/* The values that the base has. */
static int take_base(scadyg_tuning *tuning, size_t trial, scadyg_error *error)
{
    for (size_t i = 0; i < tuning->space.count; i++) {
        const sg_option *option = tuning->space.dimensions[i].option;
        const size_t size = sg_option_text(option, tuning->base->values, NULL, 0) + 1;
        char *text = sg_alloc(size, 1);
        if (!text) return sg_fail_memory(error, "the settings");
        sg_option_text(option, tuning->base->values, text, size);
        values_of(tuning, trial)[i] = text;
    }
    return SCADYG_OK;
}

static int draw_once(scadyg_tuning *tuning, size_t trial, uint64_t attempt, scadyg_error *error)
{
    const size_t width = tuning->space.count;
    for (size_t i = 0; i < width; i++) {
        const uint64_t bits = sg_hash3((uint64_t)tuning->options.seed, DRAW | (uint64_t)trial, attempt * width + i);
        char *text = sg_dimension_value(&tuning->space, &tuning->space.dimensions[i], sg_unit(bits));
        if (!text) return sg_fail_memory(error, "the settings");
        values_of(tuning, trial)[i] = text;
    }
    return SCADYG_OK;
}

/* A setting not drawn before. *found is 0 if there is none. */
static int draw_new(scadyg_tuning *tuning, size_t trial, int *found, scadyg_error *error)
{
    *found = 0;
    if ((double)trial >= sg_space_size(&tuning->space)) return SCADYG_OK;
    for (uint64_t attempt = 0; attempt < DRAWS_MOST; attempt++) {
        int status = draw_once(tuning, trial, attempt, error);
        if (status) return status;
        *found = !seen_before(tuning, trial);
        if (*found) return SCADYG_OK;
        forget_values(tuning, trial);
    }
    return SCADYG_OK;
}

static int base_is_inside(const scadyg_tuning *tuning)
{
    for (size_t i = 0; i < tuning->space.count; i++)
        if (!sg_dimension_holds(&tuning->space.dimensions[i], tuning->base)) return 0;
    return 1;
}

static int draw_all(scadyg_tuning *tuning, scadyg_error *error)
{
    const size_t most = (size_t)tuning->options.trials;
    for (size_t i = 0; i < most; i++) {
        int found = 1;
        int status =
            i == 0 && base_is_inside(tuning) ? take_base(tuning, i, error) : draw_new(tuning, i, &found, error);
        if (status) return status;
        if (!found) break;
        tuning->count++;
        status = scadyg_options_copy(tuning->base, &tuning->train[i], error);
        for (size_t d = 0; d < tuning->space.count && !status; d++)
            status = sg_options_set(tuning->train[i], tuning->space.dimensions[d].option, values_of(tuning, i)[d],
                                    error);
        if (status) return status;
        tuning->trials[i] = (scadyg_trial){.number = (int64_t)i + 1,
                                           .values = (const char *const *)values_of(tuning, i),
                                           .options = tuning->train[i],
                                           .validation = NAN};
    }
    return SCADYG_OK;
}

/* ---- Checking ---- */

/*
 * Whether any set of options can have this value. A set may be wrong because of what else is in it, so one that is right
 * is enough; a value that makes every set wrong is wrong itself.
 */
static int check_value(const scadyg_tuning *tuning, size_t dimension, const char *value, scadyg_error *error)
{
    const sg_option *option = tuning->space.dimensions[dimension].option;
    scadyg_options *alone = NULL;
    scadyg_error reason = {0};
    int status = scadyg_options_copy(tuning->base, &alone, &reason);
    if (!status) status = sg_options_set(alone, option, value, &reason);
    if (!status) status = scadyg_options_check(alone, &reason);
    scadyg_options_close(alone);
    if (!status || status == SCADYG_E_MEMORY) return status ? sg_fail_memory(error, "the options") : SCADYG_OK;
    for (size_t i = 0; i < tuning->count; i++)
        if (strcmp(values_of(tuning, i)[dimension], value) == 0 && !scadyg_options_check(tuning->train[i], NULL))
            return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "--vary %s: %s", option->shown.name, reason.message);
}

static int check_values(const scadyg_tuning *tuning, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t d = 0; d < tuning->space.count && !status; d++) {
        const sg_dimension *dimension = &tuning->space.dimensions[d];
        for (size_t i = 0; i < dimension->count && !status; i++)
            status = check_value(tuning, d, dimension->values[i], error);
    }
    if (status) return status;
    /* Some settings may contradict themselves, but not all. */
    for (size_t i = tuning->count; i > 0; i--) {
        status = scadyg_options_check(tuning->train[i - 1], error);
        if (!status) break;
    }
    return status;
}

/* ---- Open and close ---- */

static int allocate_trials(scadyg_tuning *tuning, scadyg_error *error)
{
    const size_t width = tuning->space.count, trials = (size_t)tuning->options.trials;
    tuning->train = sg_alloc_zero(trials, sizeof *tuning->train);
    tuning->values = sg_alloc_zero(trials * width, sizeof *tuning->values);
    tuning->failures = sg_alloc_zero(trials, sizeof *tuning->failures);
    if (SG_ALLOC(SG_ARRAY(tuning->names, width), SG_ARRAY(tuning->specs, width), SG_ARRAY(tuning->trials, trials),
                 SG_ARRAY(tuning->standings, trials)) ||
        !tuning->train || !tuning->values || !tuning->failures)
        return sg_fail_memory(error, "the search");
    for (size_t i = 0; i < width; i++) {
        tuning->names[i] = tuning->space.dimensions[i].option->shown.name;
        tuning->specs[i] = tuning->space.dimensions[i].spec;
    }
    return SCADYG_OK;
}

/* What training calls its validation score. */
static const char *score_name(const scadyg_options *train)
{
    scadyg_options options = *train;
    const scadyg_model model = {.kind = train->owner, .options = &options};
    return sg_validation_score(&model);
}

static const sg_train_options *train_of(const scadyg_tuning *tuning, size_t trial)
{
    return tuning->train[trial]->values;
}

static void settle_rounds(scadyg_tuning *tuning)
{
    int64_t epochs = 1;
    for (size_t i = 0; i < tuning->count; i++)
        if (sg_most_epochs(train_of(tuning, i)) > epochs) epochs = sg_most_epochs(train_of(tuning, i));
    sg_contest_plan(&tuning->contest, &tuning->options, tuning->count, epochs);
    sg_contest_begin(&tuning->contest, tuning->standings, tuning->count);
    tuning->info = (scadyg_tuning_info){.varied = tuning->space.count,
                                        .names = tuning->names,
                                        .specs = tuning->specs,
                                        .round_count = tuning->contest.round_count,
                                        .rounds = tuning->contest.rounds,
                                        .trial_count = tuning->count,
                                        .trials = tuning->trials,
                                        .score = score_name(tuning->train[0])};
}

static int open_space(scadyg_tuning *tuning, const char *const *vary, size_t count, scadyg_error *error)
{
    const char *usual[64];
    const sg_option_set *set = tuning->base->set;
    if (count) return sg_space_open(&tuning->space, set, vary, count, error);
    while (count < sizeof usual / sizeof *usual && (usual[count] = scadyg_tune_default(tuning->base, count)))
        count++;
    return sg_space_open(&tuning->space, set, usual, count, error);
}

int scadyg_tuning_open(const scadyg_options *base, const char *const *vary, size_t count,
                       const scadyg_options *options, scadyg_tuning **out, scadyg_error *error)
{
    const sg_kind *kind = base->owner;
    if (!kind) return sg_fail(error, SCADYG_E_USAGE, "these are not options of training");
    if (!kind->shown.learns)
        return sg_fail(error, SCADYG_E_USAGE, "%s is a baseline without training and has nothing to tune",
                       kind->shown.name);
    scadyg_tuning *tuning = sg_alloc_zero(1, sizeof *tuning);
    if (!tuning) return sg_fail_memory(error, "the search");
    int status = sg_options_values(options, &sg_tune_set, &tuning->options, error);
    if (!status) status = scadyg_options_copy(base, &tuning->base, error);
    if (!status) status = open_space(tuning, vary, count, error);
    if (!status) status = allocate_trials(tuning, error);
    if (!status) status = draw_all(tuning, error);
    if (!status) status = check_values(tuning, error);
    if (status) {
        scadyg_tuning_close(tuning);
        return status;
    }
    settle_rounds(tuning);
    *out = tuning;
    return SCADYG_OK;
}

void scadyg_tuning_close(scadyg_tuning *tuning)
{
    if (!tuning) return;
    for (size_t i = 0; tuning->values && i < (size_t)tuning->options.trials * tuning->space.count; i++)
        free(tuning->values[i]);
    for (size_t i = 0; tuning->failures && i < (size_t)tuning->options.trials; i++) free(tuning->failures[i]);
    SG_FREE(tuning->names, tuning->specs, tuning->trials);
    for (size_t i = 0; tuning->train && i < (size_t)tuning->options.trials; i++)
        scadyg_options_close(tuning->train[i]);
    free(tuning->train);
    scadyg_options_close(tuning->base);
    SG_FREE(tuning->values, tuning->failures, tuning->standings);
    sg_space_close(&tuning->space);
    free(tuning);
}

const scadyg_tuning_info *scadyg_tuning_look(const scadyg_tuning *tuning)
{
    return &tuning->info;
}
