/* What a study is to run: its judges, and its variants as sets of options. */
#include "study.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lists with commas ---- */

/* Cuts a text at its commas, in place. Returns how many words there are, at most `most`; empty ones are left out. */
static size_t cut(char *text, const char **words, size_t most)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word && count < most; word = strtok_r(NULL, ",", &rest))
        words[count++] = word;
    return count;
}

/* The lists of the command line but that of the protocols, in one block that lives as long as the study. */
static int cut_lists(study *s)
{
    const study_arguments *a = s->arguments;
    const char *values = a->values ? a->values : "", *presets = s->kind->presets;
    if (a->train.task == SCADYG_TASK_AFFINITY && s->kind->affinity_presets) presets = s->kind->affinity_presets;
    if (a->presets) presets = a->presets;
    const size_t size = strlen(presets) + 1, value_size = strlen(values) + 1;
    s->words = malloc(size + value_size);
    s->values = malloc(value_size * sizeof *s->values);
    if (!s->words || !s->values) return cli_fail(s->call->command, "not enough memory for the plan");
    memcpy(s->words, presets, size);
    memcpy(s->words + size, values, value_size);
    s->preset_count = cut(s->words, s->presets, STUDY_MOST_PRESETS);
    s->value_count = cut(s->words + size, s->values, value_size);
    if (!s->preset_count) return cli_usage(s->call->command, "--presets needs at least one name");
    if (a->values && !s->value_count) return cli_usage(s->call->command, "--values needs at least one value");
    if (a->values && !s->kind->varied)
        return cli_usage(s->call->command, "study %s varies no option; leave out --values", s->kind->name);
    return CLI_OK;
}

/* ---- Judges ---- */

static const scadyg_option *find(const scadyg_option *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

/* "paper:destination" */
static int read_judge(const study *s, int task, const char *word, study_judge *judge)
{
    size_t count;
    const scadyg_option *table = scadyg_eval_option_table(&count);
    scadyg_eval_options eval = {0};
    scadyg_error error = {0};
    char protocol[CLI_TEXT];
    scadyg_options_default(table, count, &eval);
    const char *colon = strchr(word, ':');
    snprintf(protocol, sizeof protocol, "%.*s", colon ? (int)(colon - word) : (int)strlen(word), word);
    if (scadyg_option_set(find(table, count, "protocol"), &eval, protocol, &error) ||
        (colon && scadyg_option_set(find(table, count, "pool"), &eval, colon + 1, &error)))
        return cli_usage(s->call->command, "--protocols takes PROTOCOL or PROTOCOL:POOL: %s", error.message);
    *judge = (study_judge){.protocol = eval.protocol, .pool = eval.pool};
    snprintf(judge->id, sizeof judge->id, "%s", word);
    judge->by_time = eval.protocol == SCADYG_PROTOCOL_DYGLIB || eval.protocol == SCADYG_PROTOCOL_TGB_LINK;
    const int affinity = task == SCADYG_TASK_AFFINITY;
    if ((eval.protocol == SCADYG_PROTOCOL_TGB_NODE) != affinity)
        return cli_usage(s->call->command, "the protocol %s does not judge the task %s", protocol,
                         affinity ? "affinity" : "link");
    return CLI_OK;
}

static int read_judges(study *s, int task)
{
    const char *words[STUDY_MOST_JUDGES];
    const char *usual = task == SCADYG_TASK_AFFINITY ? "tgb-node" : "paper:any,paper:destination";
    char *text = strdup(s->arguments->protocols ? s->arguments->protocols : usual);
    if (!text) return cli_fail(s->call->command, "not enough memory for the plan");
    const size_t count = cut(text, words, STUDY_MOST_JUDGES);
    int code = count ? CLI_OK : cli_usage(s->call->command, "--protocols needs at least one name");
    for (size_t i = 0; i < count && !code; i++) {
        code = read_judge(s, task, words[i], &s->judges[i]);
        for (size_t k = 0; k < i && !code; k++)
            if (strcmp(s->judges[k].id, s->judges[i].id) == 0)
                code = cli_usage(s->call->command, "--protocols has %s twice", s->judges[k].id);
        s->judge_count = i + 1;
    }
    free(text);
    return code;
}

int study_judges(const study_judge *judge, const study_variant *variant)
{
    return judge->by_time == (variant->train.split == 1);
}

/* ---- Variants ---- */

/* A part of a file's name: letters, digits and a few signs as they are, all else a hyphen. */
static void add_name(study_variant *variant, const char *text)
{
    size_t used = strlen(variant->name);
    if (used && used + 1 < sizeof variant->name) variant->name[used++] = '-';
    for (; *text && used + 1 < sizeof variant->name; text++)
        variant->name[used++] = isalnum((unsigned char)*text) || strchr("._", *text) ? *text : '-';
    variant->name[used] = 0;
}

int study_add(study *s, const study_variant *base, const char *option, const char *value)
{
    scadyg_error error = {0};
    study_variant *more = realloc(s->variants, (s->variant_count + 1) * sizeof *more);
    if (!more) return cli_fail(s->call->command, "not enough memory for the plan");
    s->variants = more;
    study_variant *v = &more[s->variant_count];
    *v = *base;
    if (option) {
        size_t count;
        const scadyg_option *table = scadyg_train_option_table(&count);
        if (scadyg_option_set(find(table, count, option), &v->train, value, &error))
            return cli_fail_error(s->call->command, &error, NULL);
        add_name(v, option);
        add_name(v, value);
        snprintf(v->label, sizeof v->label, "%s %s", option, value);
        char *end;
        v->x = strtod(value, &end);
        if (*end || end == value) v->x = NAN;
    }
    for (size_t i = 0; i < s->variant_count; i++)
        if (strcmp(more[i].name, v->name) == 0)
            return cli_usage(s->call->command, "%s is there twice; leave out one of the two",
                             *v->label ? v->label : v->series);
    if (scadyg_train_check(&v->train, &error)) return cli_fail_error(s->call->command, &error, NULL);
    s->variant_count++;
    return CLI_OK;
}

/* Defaults, then the preset, then what was typed; then what the protocols ask for. */
static int base_of(const study *s, const char *preset, int by_time, study_variant *base)
{
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_error error = {0};
    *base = (study_variant){.series = preset, .x = NAN, .share = 1};
    scadyg_options_default(table, count, &base->train);
    if (scadyg_preset_apply(preset, &base->train, &error)) return cli_fail_error(s->call->command, &error, NULL);
    if (by_time) base->train.freshness = SCADYG_FRESHNESS_EVENT;
    for (size_t i = 0; i < s->call->given_count; i++) {
        const cli_given *given = &s->call->given[i];
        if (scadyg_option_set(given->option, &base->train, given->text ? given->text : "1", &error))
            return cli_usage(s->call->command, "%s", error.message);
    }
    base->train.split = by_time;
    add_name(base, preset);
    if (by_time) add_name(base, "time");
    return CLI_OK;
}

/* Under the protocol paper the steps are part of the question: who is asked another one cannot be compared. */
static int same_question(const study *s, const scadyg_train_options *one, const scadyg_train_options *other)
{
    if (s->kind->varied && strcmp(s->kind->varied, "steps") == 0) return 1;
    return one->task == other->task && one->split == other->split && one->train_share == other->train_share &&
           one->validation_share == other->validation_share &&
           (one->split == 1 ||
            (one->messages.steps == other->messages.steps && one->messages.step_rule == other->messages.step_rule));
}

static int add_presets(study *s, int by_time)
{
    study_variant first;
    for (size_t i = 0; i < s->preset_count; i++) {
        study_variant base;
        int code = base_of(s, s->presets[i], by_time, &base);
        if (code) return code;
        if (i == 0) first = base;
        if (!same_question(s, &first.train, &base.train))
            return cli_usage(s->call->command,
                             "the presets %s and %s cut time into different steps or have different tasks; say "
                             "which with --steps, --step-rule and --task",
                             s->presets[0], s->presets[i]);
        base.rules = s->kind->rules && i == 0;
        code = s->kind->expand(s, &base);
        if (code) return code;
    }
    return CLI_OK;
}

/* What cannot be typed because the study says it. */
static int check_typed(const study *s)
{
    static const char *const fixed[] = {"split", "model"};
    for (size_t i = 0; i < CLI_COUNT(fixed); i++)
        if (cli_was_given(s->call, fixed[i]))
            return cli_usage(s->call->command, "--%s follows from --protocols and --presets; leave it out",
                             fixed[i]);
    /* Steps are varied around those that are typed. */
    if (s->kind->varied && cli_was_given(s->call, s->kind->varied) && strcmp(s->kind->varied, "steps") != 0)
        return cli_usage(s->call->command, "study %s varies --%s; say with --values which", s->kind->name,
                         s->kind->varied);
    return CLI_OK;
}

int study_plan(study *s)
{
    study_variant first = {0};
    int code = check_typed(s);
    if (!code) code = cut_lists(s);
    if (!code) code = base_of(s, s->presets[0], 0, &first);
    if (!code) code = read_judges(s, first.train.task);
    /* A row has one cost, so one training. */
    for (size_t i = 1; i < s->judge_count && s->kind->costs && !code; i++)
        if (s->judges[i].by_time != s->judges[0].by_time)
            code = cli_usage(s->call->command, "%s and %s are trained for in different ways; study %s takes one",
                             s->judges[0].id, s->judges[i].id, s->kind->name);
    for (int by_time = 0; by_time <= 1 && !code; by_time++) {
        int asked = 0;
        for (size_t i = 0; i < s->judge_count; i++) asked |= s->judges[i].by_time == by_time;
        if (asked) code = add_presets(s, by_time);
    }
    if (!code && s->variant_count == 0)
        code = cli_usage(s->call->command, "there is nothing to train: no preset has any of these --values");
    return code;
}

void study_plan_free(study *s)
{
    free(s->words);
    free(s->values);
    free(s->variants);
}
