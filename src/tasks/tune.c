/* A search over the options of training: its settings, drawn and checked before anything is trained. */
#include "tasks/tune.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(scadyg_tune_options, name)
#define DRAW ((uint64_t)0x70E << 48) /* streams of random numbers: with the trial in the low bits */
#define DRAWS_MOST 100000            /* in search of a setting that was not drawn before */

static const scadyg_option table[] = {
    {"trials", 0, SCADYG_OPTION_INT, FIELD(trials), "N", "20", NULL, 1, 10000, "how many settings to try"},
    {"method", 0, SCADYG_OPTION_CHOICE, FIELD(method), "HOW", "halving", "halving|random", 1, 0,
     "all settings for a few epochs and the best for more, or every one to its end"},
    {"keep", 0, SCADYG_OPTION_CHOICE, FIELD(keep), "PART", "third", "third|half", 1, 0,
     "halving: how many of a round go on to the next"},
    {"search-seed", 0, SCADYG_OPTION_INT, FIELD(seed), "N", "1", NULL, 1, 0,
     "seed of the draw of settings; --seed is that of training"},
};

const scadyg_option *scadyg_tune_option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}

static int check_options(const scadyg_tune_options *options, scadyg_error *error)
{
    scadyg_tune_options scratch = *options;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[64];
        scadyg_option_text(&table[i], options, text, sizeof text);
        int status = scadyg_option_set(&table[i], &scratch, text, error);
        if (status) return status;
    }
    return SCADYG_OK;
}

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
        const scadyg_option *option = tuning->space.dimensions[i].option;
        const size_t size = scadyg_option_text(option, &tuning->base, NULL, 0) + 1;
        char *text = sg_alloc(size, 1);
        if (!text) return sg_fail_memory(error, "the settings");
        scadyg_option_text(option, &tuning->base, text, size);
        values_of(tuning, trial)[i] = text;
    }
    return SCADYG_OK;
}

static int draw_once(scadyg_tuning *tuning, size_t trial, uint64_t attempt, scadyg_error *error)
{
    const size_t width = tuning->space.count;
    for (size_t i = 0; i < width; i++) {
        const uint64_t bits = sg_hash3((uint64_t)tuning->options.seed, DRAW | (uint64_t)trial, attempt * width + i);
        char *text = sg_dimension_value(&tuning->space.dimensions[i], sg_unit(bits));
        if (!text) return sg_fail_memory(error, "the settings");
        values_of(tuning, trial)[i] = text;
    }
    return SCADYG_OK;
}

/* A setting not drawn before. *found is 0 if there is none. */
static int draw(scadyg_tuning *tuning, size_t trial, int *found, scadyg_error *error)
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
        if (!sg_dimension_holds(&tuning->space.dimensions[i], &tuning->base)) return 0;
    return 1;
}

static int draw_all(scadyg_tuning *tuning, scadyg_error *error)
{
    const size_t most = (size_t)tuning->options.trials;
    for (size_t i = 0; i < most; i++) {
        int found = 1;
        int status =
            i == 0 && base_is_inside(tuning) ? take_base(tuning, i, error) : draw(tuning, i, &found, error);
        if (status) return status;
        if (!found) break;
        tuning->count++;
        tuning->train[i] = tuning->base;
        for (size_t d = 0; d < tuning->space.count; d++)
            (void)scadyg_option_set(tuning->space.dimensions[d].option, &tuning->train[i], values_of(tuning, i)[d],
                                    NULL);
        tuning->trials[i] = (scadyg_trial){.number = (int64_t)i + 1,
                                           .values = (const char *const *)values_of(tuning, i),
                                           .options = &tuning->train[i],
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
    const scadyg_option *option = tuning->space.dimensions[dimension].option;
    scadyg_train_options alone = tuning->base;
    scadyg_error reason = {0};
    int status = scadyg_option_set(option, &alone, value, &reason);
    if (!status) status = scadyg_train_check(&alone, &reason);
    if (!status || status == SCADYG_E_MEMORY) return status ? sg_fail_memory(error, "the options") : SCADYG_OK;
    for (size_t i = 0; i < tuning->count; i++)
        if (strcmp(values_of(tuning, i)[dimension], value) == 0 && !scadyg_train_check(&tuning->train[i], NULL))
            return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "--vary %s: %s", option->name, reason.message);
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
        status = scadyg_train_check(&tuning->train[i - 1], error);
        if (!status) break;
    }
    return status;
}

static int check_rule(const scadyg_tuning *tuning, scadyg_error *error)
{
    for (size_t i = 0; i < tuning->count; i++)
        if (tuning->train[i].model == SCADYG_MODEL_SCADYG) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "a rule without training has nothing to tune; leave out --model");
}

/* ---- Open and close ---- */

static int allocate(scadyg_tuning *tuning, scadyg_error *error)
{
    const size_t width = tuning->space.count, trials = (size_t)tuning->options.trials;
    tuning->names = sg_alloc(width, sizeof *tuning->names);
    tuning->specs = sg_alloc(width, sizeof *tuning->specs);
    tuning->trials = sg_alloc(trials, sizeof *tuning->trials);
    tuning->train = sg_alloc(trials, sizeof *tuning->train);
    tuning->values = sg_alloc_zero(trials * width, sizeof *tuning->values);
    tuning->failures = sg_alloc_zero(trials, sizeof *tuning->failures);
    tuning->standings = sg_alloc(trials, sizeof *tuning->standings);
    if (!tuning->names || !tuning->specs || !tuning->trials || !tuning->train || !tuning->values ||
        !tuning->failures || !tuning->standings)
        return sg_fail_memory(error, "the search");
    for (size_t i = 0; i < width; i++) {
        tuning->names[i] = tuning->space.dimensions[i].option->name;
        tuning->specs[i] = tuning->space.dimensions[i].spec;
    }
    return SCADYG_OK;
}

/* What training calls its validation score. */
static const char *score_name(const scadyg_train_options *train)
{
    if (train->task == SCADYG_TASK_AFFINITY) return "NDCG@10";
    return (train->head == SCADYG_HEAD_PAIR ? train->split : train->select) ? "AP" : "MRR";
}

static void settle(scadyg_tuning *tuning)
{
    int64_t epochs = 1;
    for (size_t i = 0; i < tuning->count; i++)
        if (tuning->train[i].epochs > epochs) epochs = tuning->train[i].epochs;
    sg_contest_plan(&tuning->contest, &tuning->options, tuning->count, epochs);
    sg_contest_begin(&tuning->contest, tuning->standings, tuning->count);
    tuning->info = (scadyg_tuning_info){.varied = tuning->space.count,
                                        .names = tuning->names,
                                        .specs = tuning->specs,
                                        .round_count = tuning->contest.round_count,
                                        .rounds = tuning->contest.rounds,
                                        .trial_count = tuning->count,
                                        .trials = tuning->trials,
                                        .score = score_name(&tuning->train[0])};
}

static int open_space(scadyg_tuning *tuning, const char *const *vary, size_t count, scadyg_error *error)
{
    const char *usual[64];
    if (count) return sg_space_open(&tuning->space, vary, count, error);
    for (; count < sizeof usual / sizeof *usual && (usual[count] = scadyg_tune_default(count)); count++) {
    }
    return sg_space_open(&tuning->space, usual, count, error);
}

int scadyg_tuning_open(const scadyg_train_options *base, const char *const *vary, size_t count,
                       const scadyg_tune_options *options, scadyg_tuning **out, scadyg_error *error)
{
    int status = check_options(options, error);
    if (status) return status;
    scadyg_tuning *tuning = sg_alloc_zero(1, sizeof *tuning);
    if (!tuning) return sg_fail_memory(error, "the search");
    tuning->options = *options;
    tuning->base = *base;
    status = open_space(tuning, vary, count, error);
    if (!status) status = allocate(tuning, error);
    if (!status) status = draw_all(tuning, error);
    if (!status) status = check_values(tuning, error);
    if (!status) status = check_rule(tuning, error);
    if (status) {
        scadyg_tuning_close(tuning);
        return status;
    }
    settle(tuning);
    *out = tuning;
    return SCADYG_OK;
}

void scadyg_tuning_close(scadyg_tuning *tuning)
{
    if (!tuning) return;
    for (size_t i = 0; tuning->values && i < (size_t)tuning->options.trials * tuning->space.count; i++)
        free(tuning->values[i]);
    for (size_t i = 0; tuning->failures && i < (size_t)tuning->options.trials; i++) free(tuning->failures[i]);
    free(tuning->names);
    free(tuning->specs);
    free(tuning->trials);
    free(tuning->train);
    free(tuning->values);
    free(tuning->failures);
    free(tuning->standings);
    sg_space_close(&tuning->space);
    free(tuning);
}

const scadyg_tuning_info *scadyg_tuning_look(const scadyg_tuning *tuning)
{
    return &tuning->info;
}
