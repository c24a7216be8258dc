/* The table of model kinds: found by name, and what all of them share. */
#include "models/kind.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/search.h"

#include <math.h>
#include <string.h>

static const char *const task_names[] = {"link", "affinity"};

const char *sg_task_name(int task)
{
    return task_names[task];
}

int sg_task_find(const char *name)
{
    for (int i = 0; i < (int)(sizeof task_names / sizeof *task_names); i++)
        if (strcmp(name, task_names[i]) == 0) return i;
    return -1;
}

const sg_kind *sg_kind_find(const char *name, int task)
{
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++)
        if ((*kind)->task == task && strcmp((*kind)->shown.name, name) == 0) return *kind;
    return NULL;
}

/* The name somebody most likely meant. */
static const char *nearest_kind(const char *name)
{
    const char *words[64];
    size_t count = 0;
    for (const sg_kind *const *kind = sg_kinds; *kind && count < sizeof words / sizeof *words; kind++)
        words[count++] = (*kind)->shown.name;
    return sg_nearest(name, words, sizeof *words, count);
}

int sg_kind_choose(const char *name, const char *task, const sg_kind **kind, scadyg_error *error)
{
    const int number = task ? sg_task_find(task) : SG_TASK_LINK;
    if (number < 0) return sg_fail(error, SCADYG_E_USAGE, "--task takes one of link|affinity, not '%s'", task);
    for (size_t i = 0; !name && sg_kinds[i]; i++)
        if (sg_kinds[i]->task == number) name = sg_kinds[i]->shown.name;
    if ((*kind = sg_kind_find(name, number))) return SCADYG_OK;
    for (int other = SG_TASK_LINK; other <= SG_TASK_AFFINITY; other++)
        if (sg_kind_find(name, other))
            return sg_fail(error, SCADYG_E_USAGE, "--model %s is for --task %s", name, sg_task_name(other));
    const char *near = nearest_kind(name);
    return sg_fail(error, SCADYG_E_USAGE, "there is no model '%s'%s%s%s", name, near ? "; did you mean " : "",
                   near ? near : "", near ? "?" : "");
}

const scadyg_kind *scadyg_kind_at(size_t i)
{
    for (size_t at = 0; sg_kinds[at]; at++)
        if (at == i) return &sg_kinds[i]->shown;
    return NULL;
}

/* ---- Options of training ---- */

int scadyg_options_open_train(const char *model, const char *task, scadyg_options **options, scadyg_error *error)
{
    const sg_kind *kind = NULL;
    int status = sg_kind_choose(model, task, &kind, error);
    if (!status) status = sg_options_open(kind->options, options, error);
    if (!status) (*options)->owner = kind;
    return status;
}

const char *scadyg_preset_at(const scadyg_options *options, size_t i, const char **summary)
{
    const sg_kind *kind = options->owner;
    const sg_preset *preset = kind ? kind->presets : NULL;
    while (preset && preset->name && i) preset++, i--;
    if (!preset || !preset->name) return NULL;
    if (summary) *summary = preset->summary;
    return preset->name;
}

static int fail_preset(const scadyg_options *options, const char *name, scadyg_error *error)
{
    const sg_kind *kind = options->owner;
    const char *words[64];
    size_t count = 0;
    while (count < sizeof words / sizeof *words && (words[count] = scadyg_preset_at(options, count, NULL))) count++;
    for (size_t i = 0; kind && sg_kinds[i]; i++)
        for (const sg_preset *p = sg_kinds[i]->presets; p && p->name; p++)
            if (strcmp(p->name, name) == 0)
                return sg_fail(error, SCADYG_E_USAGE, "the preset '%s' is of --model %s, --task %s", name,
                               sg_kinds[i]->shown.name, sg_kinds[i]->shown.task);
    if (!count)
        return sg_fail(error, SCADYG_E_USAGE, "%s has no presets", kind ? kind->shown.name : options->set->name);
    const char *near = sg_nearest(name, words, sizeof *words, count);
    return sg_fail(error, SCADYG_E_USAGE, "%s has no preset '%s' for --task %s; did you mean %s?", kind->shown.name,
                   name, kind->shown.task, near ? near : words[0]);
}

int scadyg_preset_apply(scadyg_options *options, const char *name, scadyg_error *error)
{
    const sg_kind *kind = options->owner;
    const sg_preset *preset = kind ? kind->presets : NULL;
    while (preset && preset->name && strcmp(preset->name, name) != 0) preset++;
    if (!preset || !preset->name) return fail_preset(options, name, error);
    int status = SCADYG_OK;
    for (const sg_setting *s = preset->settings; s->name && !status; s++)
        status = scadyg_options_set(options, s->name, s->value, error);
    return status;
}

const char *scadyg_part_at(const scadyg_options *options, size_t i)
{
    const sg_kind *kind = options->owner;
    const char *word = NULL;
    for (size_t bit = 0; kind && (word = sg_part_word(bit)); bit++)
        if (kind->parts >> bit & 1 && i-- == 0) return word;
    return NULL;
}

/* ---- Validation ---- */

static int validate_links(const sg_training *training, const sg_learner *learner, const sg_eval_options *options,
                          const sg_listener *listener, sg_evaluation_scores *out, scadyg_error *error)
{
    const sg_evaluated_data data = {.columns = sg_training_known(training),
                                    .nodes = training->view.nodes,
                                    .steps = &training->view.messages->steps,
                                    .split = {training->split.train_end, sg_training_compared_end(training)},
                                    .contacts = training->contacts};
    return sg_evaluate_links(training->context, &data, options, &learner->scorer, 1, listener, out, error);
}

static int validate_labels(const sg_training *training, const sg_learner *learner, const sg_eval_options *options,
                           const sg_listener *listener, sg_evaluation_scores *out, scadyg_error *error)
{
    const sg_columns *columns = training->view.columns;
    const scadyg_model *model = training->model;
    const sg_evaluated_data data = {.columns = *columns,
                                    .nodes = training->view.nodes,
                                    .labels = &training->labels,
                                    .trained =
                                        sg_after_double(columns->time, (size_t)columns->count, model->train_end),
                                    .trained_until = model->train_end,
                                    .chosen_until = model->validation_end};
    return sg_evaluate_labels(training->context, &data, options, &learner->label_scorer, 1, listener, out, error);
}

/* Queries that are enough to tell epochs apart, which are all asked the same ones. */
size_t sg_validation_live(sg_eval_options *options, int *score)
{
    options->protocol = SG_PROTOCOL_LIVE;
    options->queries = 6000;
    options->negatives = 100;
    *score = sg_protocols[SG_PROTOCOL_LIVE].main_score;
    return 1;
}

static size_t set_validation(const scadyg_model *model, size_t i, sg_eval_options *options, int *score)
{
    if (model->kind->validation) return model->kind->validation(model, i, options, score);
    if (model->kind->task == SG_TASK_LINK && !sg_train_of(model)->stepwise)
        return sg_validation_live(options, score);
    options->protocol = model->kind->task == SG_TASK_AFFINITY ? SG_PROTOCOL_TGB_NODE : SG_PROTOCOL_PAPER;
    *score = sg_protocols[options->protocol].main_score;
    return 1;
}

int sg_model_protocol(const scadyg_model *model)
{
    sg_eval_options options = {0};
    int score;
    (void)set_validation(model, 0, &options, &score);
    return options.protocol;
}

/* Every query of a validation. */
typedef struct heard {
    sg_validated *out;
    int failed;
} heard;

static void hear_query(void *data, const scadyg_query *query)
{
    heard *h = data;
    sg_validated *out = h->out;
    if (sg_grow(&out->each, &out->room, out->count + 1, sizeof *out->each))
        h->failed = 1;
    else
        out->each[out->count++] = query->score;
}

double sg_choice_of(const double *scores, int protocol, int number)
{
    static const int live[] = {SCADYG_MRR, SCADYG_AP, SCADYG_AP_PARTNERS};
    double sum = 0, count = 0;
    if (protocol != SG_PROTOCOL_LIVE) return scores[number];
    for (size_t i = 0; i < sizeof live / sizeof *live; i++) {
        if (!isfinite(scores[live[i]])) continue;
        sum += scores[live[i]];
        count++;
    }
    return sum / count;
}

int sg_validate(const sg_training *training, const sg_learner *learner, sg_validated *out, scadyg_error *error)
{
    const sg_kind *kind = training->model->kind;
    heard each = {.out = out};
    const sg_listener listener = {hear_query, &each};
    int status = SCADYG_OK;
    double sum = 0, choice = 0;
    out->score = out->choice = NAN;
    out->count = 0;
    if (!training->validates) return SCADYG_OK;
    for (size_t i = 0, count = 1; i < count && !status; i++) {
        sg_eval_options options = {
            .part = SG_PART_VALIDATION, .seeds = 1, .seed = sg_train_of(training->model)->seed};
        sg_scores scores;
        sg_evaluation_scores of = {.scores = &scores};
        int number = SCADYG_MRR;
        count = set_validation(training->model, i, &options, &number);
        status = kind->task == SG_TASK_LINK ? validate_links(training, learner, &options, &listener, &of, error)
                                            : validate_labels(training, learner, &options, &listener, &of, error);
        if (status == SCADYG_E_USAGE &&
            of.queries == 0) /* a part of which nothing can be asked is as good as none */
            return SCADYG_OK;
        if (!status) sum += scores.of[number] / (double)count;
        if (!status) choice += sg_choice_of(scores.of, options.protocol, number) / (double)count;
    }
    if (!status && each.failed) status = sg_fail_memory(error, "the scores of queries");
    if (status) return status;
    out->score = sum;
    out->choice = choice;
    return SCADYG_OK;
}

const char *sg_validation_score(const scadyg_model *model)
{
    sg_eval_options options = {0};
    int number = SCADYG_MRR;
    (void)set_validation(model, 0, &options, &number);
    return scadyg_score_at((size_t)number)->title;
}

const char *sg_validation_choice(const scadyg_model *model)
{
    return sg_model_protocol(model) == SG_PROTOCOL_LIVE ? "mean of MRR and both APs" : sg_validation_score(model);
}
