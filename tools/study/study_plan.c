/* What a study is to run: its evaluations, and its variants as sets of options. */
#include "study/study.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

/* ---- Lists with commas ---- */

size_t study_cut(char *text, const char **words, size_t most)
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
    const char *values = a->values ? a->values : "", *models = a->models ? a->models : s->kind->models;
    const size_t size = strlen(models) + 1, value_size = strlen(values) + 1;
    s->words = malloc(size + value_size);
    s->values = malloc(value_size * sizeof *s->values);
    if (!s->words || !s->values) return cli_fail(s->call->command, "not enough memory for the plan");
    memcpy(s->words, models, size);
    memcpy(s->words + size, values, value_size);
    s->model_count = study_cut(s->words, s->models, STUDY_MOST_MODELS);
    s->value_count = study_cut(s->words + size, s->values, value_size);
    if (!s->model_count) return cli_usage(s->call->command, "--models needs at least one name");
    if (a->values && !s->value_count) return cli_usage(s->call->command, "--values needs at least one value");
    if (a->values && !s->kind->varied)
        return cli_usage(s->call->command, "study %s varies no option; leave out --values", s->kind->name);
    return CLI_OK;
}

/* ---- Evaluations ---- */

/* What training has to know of a protocol beforehand. */
static const struct {
    const char *name, *task;
    int live;
} protocols[] = {{"live", "link", 1},
                 {"paper", "link", 0},
                 {"dyglib", "link", 1},
                 {"tgb-link", "link", 1},
                 {"tgb-node", "affinity", 0}};

/* What may stand behind a protocol as NAME=VALUE, and how tables say it; those of eval that change the question. */
static const struct {
    const char *name, *value; /* NULL: any */
    const char *words;
} asides[] = {{"answer", "one", "one answer"},       {"answer", "pool", "answer per pool"},
              {"reveal", "event", "event by event"}, {"reveal", "batch", "in batches of 200"},
              {"negatives", NULL, "negatives"},      {"queries", NULL, "queries"}};

static void add_words(study_evaluation *evaluation, const char *words)
{
    const size_t used = strlen(evaluation->words);
    snprintf(evaluation->words + used, sizeof evaluation->words - used, "%s%s", used ? ", " : "", words);
}

/* "answer=pool" */
static int set_aside(study_evaluation *evaluation, const char *word, scadyg_error *error)
{
    const char *name = cli_text("%.*s", (int)strcspn(word, "="), word), *value = strchr(word, '=') + 1;
    size_t i = 0;
    while (i < CLI_COUNT(asides) && strcmp(asides[i].name, name) != 0) i++;
    if (i == CLI_COUNT(asides)) {
        const char *nearest = sg_nearest(name, &asides[0].name, sizeof *asides, CLI_COUNT(asides));
        return sg_fail(error, SCADYG_E_USAGE, "'%.80s' is none of answer, reveal, negatives, queries%s%s%s", name,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    }
    int status = scadyg_options_set(evaluation->options, name, value, error);
    for (; i < CLI_COUNT(asides) && strcmp(asides[i].name, name) == 0 && !status; i++) {
        if (!asides[i].value) add_words(evaluation, cli_text("%s %s", value, asides[i].words));
        if (asides[i].value && strcmp(asides[i].value, value) == 0) add_words(evaluation, asides[i].words);
    }
    return status;
}

/* The words of "dyglib:historical:answer=pool", which are cut in place. */
static int set_evaluation(study_evaluation *evaluation, char *words, scadyg_error *error)
{
    const char *pool = NULL, *protocol = strsep(&words, ":");
    int status = cli_options_with(&evaluation->options, error, "evaluate", "protocol", protocol, NULL);
    snprintf(evaluation->place, sizeof evaluation->place, "%s", protocol);
    for (const char *word = NULL; !status && (word = strsep(&words, ":"));) {
        if (strchr(word, '=')) {
            status = set_aside(evaluation, word, error);
            continue;
        }
        if (pool) status = sg_fail(error, SCADYG_E_USAGE, "there are two pools, %.80s and %.80s", pool, word);
        if (!status) status = scadyg_options_set(evaluation->options, "pool", pool = word, error);
        if (!status) snprintf(evaluation->place, sizeof evaluation->place, "%.30s:%.30s", protocol, pool);
    }
    /* A reader who finds two answers side by side is told of both. */
    if (!status && strcmp(protocol, "dyglib") == 0 && !strstr(evaluation->words, "answer"))
        add_words(evaluation, "one answer");
    return status ? status : scadyg_options_check(evaluation->options, error);
}

static int read_evaluation(const study *s, const char *task, const char *word, study_evaluation *evaluation)
{
    size_t i = 0;
    char *words = strdup(word);
    if (!words) return cli_fail(s->call->command, "not enough memory for the plan");
    *evaluation = (study_evaluation){0};
    if ((size_t)snprintf(evaluation->id, sizeof evaluation->id, "%s", word) >= sizeof evaluation->id) {
        free(words);
        return cli_usage(s->call->command, "--protocols, '%s': this is too long", word);
    }
    const int status = set_evaluation(evaluation, words, s->call->error);
    free(words);
    if (status)
        return status == SCADYG_E_MEMORY
                   ? cli_failed(s->call, NULL)
                   : cli_usage(s->call->command, "--protocols, '%s': %s", word, s->call->error->message);
    const char *protocol = cli_text("%.*s", (int)strcspn(word, ":"), word);
    while (i < CLI_COUNT(protocols) && strcmp(protocols[i].name, protocol) != 0) i++;
    if (i == CLI_COUNT(protocols))
        return cli_usage(s->call->command, "--protocols: say which protocol, not %s", protocol);
    evaluation->live = protocols[i].live;
    if (strcmp(protocols[i].task, task) == 0) return CLI_OK;
    return cli_usage(s->call->command, "the protocol %s does not evaluate the task %s", protocol, task);
}

/* Models are live by themselves, and evaluated so; not those of the paper where nobody else is there, nor its own experiments. */
static int is_stepwise(const study *s)
{
    static const char paper[] = "scadyg-paper";
    const char *typed = cli_given_text(s->call, "stepwise");
    if (typed) return strcmp(typed, "1") == 0;
    if (s->kind->paper) return 1;
    for (size_t i = 0; i < s->model_count; i++) {
        const size_t length = strcspn(s->models[i], ":");
        if (length != sizeof paper - 1 || memcmp(s->models[i], paper, length) != 0) return 0;
    }
    return 1;
}

static int read_evaluations(study *s, const char *task)
{
    const char *words[STUDY_MOST_EVALUATIONS];
    const char *usual = strcmp(task, "link") != 0 ? "tgb-node"
                        : is_stepwise(s)          ? "paper:any,paper:destination"
                                                  : "live";
    char *text = strdup(s->arguments->protocols ? s->arguments->protocols : usual);
    if (!text) return cli_fail(s->call->command, "not enough memory for the plan");
    const size_t count = study_cut(text, words, STUDY_MOST_EVALUATIONS);
    int code = count ? CLI_OK : cli_usage(s->call->command, "--protocols needs at least one name");
    for (size_t i = 0; i < count && !code; i++) {
        s->evaluation_count = i + 1;
        code = read_evaluation(s, task, words[i], &s->evaluations[i]);
        for (size_t k = 0; k < i && !code; k++)
            if (strcmp(s->evaluations[k].id, s->evaluations[i].id) == 0)
                code = cli_usage(s->call->command, "--protocols has %s twice", s->evaluations[k].id);
    }
    free(text);
    return code;
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

static int set_varied(const study *s, study_variant *v, const char *option, const char *value, scadyg_error *error)
{
    char *end;
    int status = cli_kind_set(&s->call->tables, v->train, option, value, error);
    if (status) return status;
    add_name(v, option);
    add_name(v, value);
    snprintf(v->label, sizeof v->label, "%s %s", option, value);
    v->x = strtod(value, &end);
    if (*end || end == value) v->x = NAN;
    return SCADYG_OK;
}

int study_add(study *s, const study_variant *base, const char *option, const char *value, study_variant **added)
{
    if (sg_grow(&s->variants, &s->variant_room, s->variant_count + 1, sizeof *s->variants))
        return cli_fail(s->call->command, "not enough memory for the plan");
    study_variant *v = &s->variants[s->variant_count];
    *v = *base;
    v->train = NULL;
    if (scadyg_options_copy(base->train, &v->train, s->call->error)) return cli_failed(s->call, NULL);
    s->variant_count++; /* from here on it is closed with the others */
    if (option && set_varied(s, v, option, value, s->call->error)) return cli_failed(s->call, NULL);
    for (size_t i = 0; i + 1 < s->variant_count; i++)
        if (strcmp(s->variants[i].name, v->name) == 0)
            return cli_usage(s->call->command, "%s is there twice; leave out one of the two",
                             *v->label ? v->label : v->series);
    if (scadyg_options_check(v->train, s->call->error)) return cli_failed(s->call, NULL);
    if (added) *added = v;
    return CLI_OK;
}

/* The options of KIND or KIND:PRESET for the task that was typed, or for which there is the preset. */
static int open_model(const study *s, const char *model, scadyg_options **train, scadyg_error *error)
{
    const char *colon = strchr(model, ':'), *task = cli_given_text(s->call, "task"),
               *kind = cli_text("%.*s", (int)strcspn(model, ":"), model);
    if (!task && colon && !train_has_preset(kind, "link", colon + 1) &&
        train_has_preset(kind, "affinity", colon + 1))
        task = "affinity";
    int status = scadyg_options_open_train(kind, task, train, error);
    return !status && colon ? scadyg_preset_apply(*train, colon + 1, error) : status;
}

/* An option that is typed holds for all models that have it. */
static int set_typed(const study *s, scadyg_options *train, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t i = 0; i < s->call->given_count && !status; i++) {
        const cli_given *given = &s->call->given[i];
        if (strcmp(given->option->name, "task") != 0 && cli_option_find(train, given->option->name))
            status = scadyg_options_set(train, given->option->name, given->text, error);
    }
    return status;
}

/* Defaults, then the preset, then what was typed; and what the protocols ask for. Close base->train in any case. */
static int open_base(const study *s, const char *model, int live, study_variant *base)
{
    *base = (study_variant){.series = model, .x = NAN, .share = 1, .live = live};
    int status = open_model(s, model, &base->train, s->call->error);
    if (!status) status = set_typed(s, base->train, s->call->error);
    /* Label times are the same for everyone, so for affinity a kind stays as it is by itself. */
    if (!status && cli_option_find(base->train, "stepwise") && cli_option_is(base->train, "task", "link"))
        status = scadyg_options_set(base->train, "stepwise", live ? "0" : "1", s->call->error);
    add_name(base, model);
    if (live) add_name(base, "live");
    return status ? cli_failed(s->call, NULL) : CLI_OK;
}

/* Under the protocol paper the steps are part of the question: who is asked another one cannot be compared. */
static int is_same_question(const study *s, const study_variant *one, const study_variant *other)
{
    static const char *const names[] = {"task", "train-share", "validation-share", "steps", "step-rule"};
    const size_t count = one->live ? 3 : CLI_COUNT(names);
    if (s->kind->varied && strcmp(s->kind->varied, "steps") == 0) return 1;
    for (size_t i = 0; i < count; i++) {
        char value[CLI_TEXT];
        scadyg_options_get(one->train, names[i], value, sizeof value);
        if (!cli_option_is(other->train, names[i], value)) return 0;
    }
    return 1;
}

static int add_models(study *s, int live)
{
    study_variant first = {0};
    int code = open_base(s, s->models[0], live, &first);
    for (size_t i = 0; i < s->model_count && !code; i++) {
        study_variant base;
        code = open_base(s, s->models[i], live, &base);
        if (!code && !is_same_question(s, &first, &base))
            code = cli_usage(s->call->command,
                             "the models %s and %s cut time into different steps or have different tasks; say "
                             "which with --steps, --step-rule and --task",
                             s->models[0], s->models[i]);
        base.rules = s->kind->rules && i == 0;
        if (!code) code = s->kind->expand(s, &base);
        scadyg_options_close(base.train);
    }
    scadyg_options_close(first.train);
    return code;
}

/* ---- The whole ---- */

/* What cannot be typed because the study says it. */
static int check_typed(const study *s)
{
    for (const char *const *name = s->call->command->fixed; *name; name++)
        if (cli_given_text(s->call, *name))
            return cli_usage(s->call->command, "--%s follows from --models; leave it out", *name);
    if (s->arguments->protocols && cli_given_text(s->call, "stepwise"))
        return cli_usage(s->call->command, "--stepwise follows from --protocols; leave it out");
    /* Steps are varied around those that are typed. */
    if (s->kind->varied && cli_given_text(s->call, s->kind->varied) && strcmp(s->kind->varied, "steps") != 0)
        return cli_usage(s->call->command, "study %s varies --%s; say with --values which", s->kind->name,
                         s->kind->varied);
    return CLI_OK;
}

/* What is typed is never passed over in silence: at least one of the models has it. */
static int check_used(const study *s)
{
    for (size_t i = 0; i < s->call->given_count; i++) {
        const cli_given *given = &s->call->given[i];
        size_t v = 0;
        while (v < s->variant_count && !cli_option_find(s->variants[v].train, given->option->name)) v++;
        if (v == s->variant_count &&
            cli_kind_set(&s->call->tables, s->variants[0].train, given->option->name, given->text, s->call->error))
            return cli_failed(s->call, NULL);
    }
    return CLI_OK;
}

static int settle_evaluations(study *s)
{
    study_variant first;
    char task[CLI_TEXT];
    int code = open_base(s, s->models[0], 0, &first);
    if (!code) scadyg_options_get(first.train, "task", task, sizeof task);
    scadyg_options_close(first.train);
    if (!code) code = read_evaluations(s, task);
    /* A row has one cost, so one training. */
    for (size_t i = 1; i < s->evaluation_count && s->kind->costs && !code; i++)
        if (s->evaluations[i].live != s->evaluations[0].live)
            code = cli_usage(s->call->command, "%s and %s are trained for in different ways; study %s takes one",
                             s->evaluations[0].id, s->evaluations[i].id, s->kind->name);
    return code;
}

int study_plan(study *s)
{
    const char *seed = cli_given_text(s->call, "seed");
    s->first_seed = seed ? strtoll(seed, NULL, 10) : 1;
    int code = check_typed(s);
    if (!code) code = cut_lists(s);
    if (!code) code = settle_evaluations(s);
    for (int live = 0; live <= 1 && !code; live++) {
        int asked = 0;
        for (size_t i = 0; i < s->evaluation_count; i++) asked |= s->evaluations[i].live == live;
        if (asked) code = add_models(s, live);
    }
    if (!code && s->variant_count == 0)
        code = cli_usage(s->call->command, "there is nothing to train: no model has any of these --values");
    if (!code) code = study_check_oracle(s);
    return code ? code : check_used(s);
}

void study_plan_free(study *s)
{
    for (size_t i = 0; i < s->variant_count; i++) scadyg_options_close(s->variants[i].train);
    for (size_t i = 0; i < s->evaluation_count; i++) scadyg_options_close(s->evaluations[i].options);
    free(s->words);
    free(s->values);
    free(s->variants);
}
