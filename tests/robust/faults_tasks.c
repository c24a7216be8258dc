/*
 * Every call that can fail while a model of any kind is trained, evaluated or asked is made to fail: an error, no crash, no
 * leak, and whoever succeeds has the right answers.
 */
#include "cmocka_all.h"

#include "contexts.h"
#include "robust/faults_run.h"
#include "robust/scratch.h"
#include "train_options.h"

#include "scadyg_lab.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 8, WIDEST = 128 };

/* Beside the defaults of each kind: what takes other ways through it. */
static const struct {
    const char *kind, *task, *settings;
} others[] = {
    {"scadyg", "link", "stepwise=0"},
    {"scadyg-paper", "link", "window=3 normalise=log-standard"},
    {"scadyg-paper", "link", "stepwise=0 node-features=onehot normalise=log"},
    {"scadyg-paper", "affinity", "node-features=random:3 normalise=standard"},
};

static char *events_path;
static scadyg_context *alone; /* one thread, so that the same calls come in the same order */

static scadyg_options *options_of(const char *kind, const char *task, const char *settings)
{
    scadyg_options *options = train_options(kind, task, "steps=12");
    const scadyg_option *option;
    for (size_t i = 0; (option = scadyg_options_at(options, i)); i++)
        if (strcmp(option->name, "hidden") == 0) apply_settings(options, "hidden=4 epochs=1");
    return apply_settings(options, settings);
}

/* ---- Training ---- */

static int train(void *data, const char *output, scadyg_error *error)
{
    scadyg_events *events;
    scadyg_model *model = NULL;
    int status = scadyg_events_open(events_path, &events, error);
    if (status) return status;
    status = scadyg_train(alone, events, data, NULL, 0, NULL, &model, error);
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    scadyg_events_close(events);
    return status;
}

/* ---- Evaluating and asking a model that is there ---- */

typedef struct asked {
    scadyg_model *model;
    char text[4096]; /* all that was said, to be kept in the model */
    size_t length;
} asked;

static void put(asked *a, double number)
{
    a->length += (size_t)snprintf(a->text + a->length, sizeof a->text - a->length, "%a ", number);
    if (a->length >= sizeof a->text) abort();
}

static int evaluate(asked *a, scadyg_events *events, scadyg_error *error)
{
    static const char *const of_links[] = {"paper", "tgb-link", "dyglib", NULL}, *const of_labels[] = {"tgb-node",
                                                                                                       NULL};
    const char *const *protocol = strcmp(scadyg_model_look(a->model)->task, "link") ? of_labels : of_links;
    int status = SCADYG_OK;
    for (; *protocol && !status; protocol++) {
        scadyg_result *result = NULL;
        scadyg_options *options = NULL;
        status = scadyg_options_open("evaluate", &options, error);
        if (!status) status = scadyg_options_set(options, "protocol", *protocol, error);
        if (!status && protocol == of_links) status = scadyg_options_set(options, "negatives", "5", error);
        if (!status) status = scadyg_evaluate(alone, a->model, events, options, &result, error);
        for (size_t i = 0; !status && i < result->count; i++)
            put(a, result->evaluated[i]->mean[result->main_score]);
        scadyg_result_free(result);
        scadyg_options_close(options);
    }
    return status;
}

static int ask_links(asked *a, scadyg_predictor *predictor, double at, scadyg_error *error)
{
    const uint32_t src[] = {0, 1}, dst[] = {1, 2};
    const double time[] = {at, at / 2};
    uint32_t ranked[3];
    double score[3];
    size_t found;
    int status = scadyg_predict(predictor, src, dst, time, 2, score, error);
    for (size_t i = 0; !status && i < 2; i++) put(a, score[i]);
    if (!status) status = scadyg_rank(predictor, 0, at, 0, 3, ranked, score, NULL, &found, error);
    for (size_t i = 0; !status && i < found; i++) put(a, score[i]);
    return status;
}

/* What the kind cannot do is no failure. */
static int look_into(asked *a, scadyg_predictor *predictor, double at, scadyg_error *error)
{
    const uint32_t nodes[] = {0, 1};
    const double ages[] = {0, 100};
    static float rows[WIDEST * WIDEST];
    double curve[2];
    int status = scadyg_embed(predictor, at, nodes, 2, rows, error);
    if (!status) put(a, (double)rows[0]);
    if (!status || status == SCADYG_E_USAGE) status = scadyg_node_weights(predictor, 1, at, rows, error);
    if (!status) put(a, (double)rows[0]);
    if (!status || status == SCADYG_E_USAGE) status = scadyg_memory_curve(predictor, 1, at, ages, 2, curve, error);
    if (!status) put(a, curve[1]);
    return status == SCADYG_E_USAGE ? SCADYG_OK : status;
}

static int ask(asked *a, scadyg_events *events, scadyg_error *error)
{
    const double at = scadyg_events_shape(events)->last_time;
    double shares[NODES];
    scadyg_predictor *predictor;
    int status = scadyg_predictor_open(alone, a->model, events, &predictor, error);
    if (status) return status;
    if (strcmp(scadyg_model_look(a->model)->task, "link") == 0) {
        status = ask_links(a, predictor, at, error);
    } else {
        status = scadyg_affinity(predictor, 0, at, shares, error);
        if (!status) put(a, shares[0]);
    }
    if (!status) status = look_into(a, predictor, at, error);
    scadyg_predictor_close(predictor);
    return status;
}

static int use(void *data, const char *output, scadyg_error *error)
{
    asked *a = data;
    scadyg_events *events;
    a->length = 0;
    int status = scadyg_events_open(events_path, &events, error);
    if (status) return status;
    status = evaluate(a, events, error);
    if (!status) status = ask(a, events, error);
    if (!status) status = scadyg_model_set_result(a->model, a->text, error);
    if (!status) status = scadyg_model_save(a->model, output, error);
    scadyg_events_close(events);
    return status;
}

/* ---- Of everything there is ---- */

static void break_one(const char *kind, const char *task, const char *settings)
{
    static asked a;
    char name[256];
    scadyg_events *events;
    scadyg_error error = {0};
    scadyg_options *options = options_of(kind, task, settings);
    snprintf(name, sizeof name, "training %s for %s %s", kind, task, settings ? settings : "");
    assert_true(faults_everywhere(&(faults_work){name, train, options}) > 30);
    assert_int_equal(scadyg_events_open(events_path, &events, NULL), SCADYG_OK);
    if (scadyg_train(alone, events, options, NULL, 0, NULL, &a.model, &error)) fail_msg("%s", error.message);
    scadyg_events_close(events);
    snprintf(name, sizeof name, "using %s for %s %s", kind, task, settings ? settings : "");
    assert_true(faults_everywhere(&(faults_work){name, use, &a}) > 30);
    scadyg_model_close(a.model);
    scadyg_options_close(options);
}

static void everywhere(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    for (size_t i = 0; (kind = scadyg_kind_at(i)); i++) break_one(kind->name, kind->task, NULL);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        break_one(others[i].kind, others[i].task, others[i].settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere)};
    char *directory = scratch_make();
    events_path = strdup(scratch_path(directory, "in.events"));
    alone = context_of(1);
    scadyg_options *options = set_options("generate", "events=150 nodes=8");
    if (scadyg_generate(NULL, events_path, NULL, options, NULL)) abort();
    scadyg_options_close(options);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(events_path);
    scratch_remove(directory);
    return failed;
}
