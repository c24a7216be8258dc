/* Every call that can fail while a model is trained, judged or asked is made to fail: an error, no crash, no leak. */
#include "cmocka_all.h"

#include "scadyg.h"

#include "robust/faults_run.h"
#include "robust/scratch.h"
#include "defaults.h"

#include <stdlib.h>
#include <string.h>

typedef struct setting {
    const char *name;
    int task, model, freshness, normalise;
    const char *node_features;
    int64_t window;
    int head;
} setting;

static const setting settings[] = {
    {"links by steps", SCADYG_TASK_LINK, 0, 0, SCADYG_NORMALISE_LOG_STANDARD, "none", 3, 0},
    {"links by events, wide", SCADYG_TASK_LINK, 0, 1, SCADYG_NORMALISE_LOG, "onehot", 0, 0},
    {"a rule for links", SCADYG_TASK_LINK, SCADYG_MODEL_PAIR_THEN_POPULARITY, 0, 0, "none", 0, 0},
    {"affinity", SCADYG_TASK_AFFINITY, 0, 0, SCADYG_NORMALISE_STANDARD, "random:3", 0, 0},
    {"pairs by steps", SCADYG_TASK_LINK, 0, 0, 0, "none", 0, SCADYG_HEAD_PAIR},
    {"pairs by events", SCADYG_TASK_LINK, 0, 1, 0, "none", 0, SCADYG_HEAD_PAIR},
    {"affinity by pairs", SCADYG_TASK_AFFINITY, 0, 0, SCADYG_NORMALISE_STANDARD, "none", 0, SCADYG_HEAD_PAIR},
    {"a rule for affinity", SCADYG_TASK_AFFINITY, SCADYG_MODEL_MOVING_AVERAGE, 0, 0, "none", 0, 0},
};

typedef struct job {
    const setting *setting;
    const char *events;
} job;

static scadyg_train_options options_of(const setting *s)
{
    scadyg_train_options options = default_train();
    options.task = s->task;
    options.model = s->model;
    options.freshness = s->freshness;
    options.normalise = s->normalise;
    options.messages.node_features = s->node_features;
    options.messages.window = s->window;
    options.messages.steps = 20;
    options.head = s->head;
    if (s->head != SCADYG_HEAD_PAIR) options.train_pool = 0; /* mixed, the default, is of the head pair */
    options.walk_width = 16;
    options.hidden = 4;
    options.epochs = 1;
    options.threads = 1;
    return options;
}

static int ask(const scadyg_model *model, scadyg_events *events, scadyg_error *error)
{
    const scadyg_model_info *info = scadyg_model_look(model);
    const double at = scadyg_events_shape(events)->last_time;
    const uint32_t src[] = {0, 1}, dst[] = {1, 2};
    const double time[] = {at, at / 2};
    double score[64];
    uint32_t ranked[3];
    float h[64], weights[32 * 32];
    size_t found;
    scadyg_predictor *predictor;
    int status = scadyg_predictor_open(model, events, 1, &predictor, error);
    if (status) return status;
    if (info->options->task == SCADYG_TASK_AFFINITY)
        status = scadyg_affinity(predictor, 0, at, score, error);
    else
        status = scadyg_predict(predictor, src, dst, time, 2, score, NULL, error);
    if (!status && info->options->task == SCADYG_TASK_LINK)
        status = scadyg_rank(predictor, 0, at, 0, 3, ranked, score, NULL, &found, error);
    if (!status && info->width) status = scadyg_embed(predictor, at, src, 2, h, NULL, error);
    if (!status && info->options->head == SCADYG_HEAD_PAIR && info->options->task == SCADYG_TASK_LINK)
        status = scadyg_node_weights(predictor, 1, at, weights, error);
    scadyg_predictor_close(predictor);
    return status;
}

static int judge(const scadyg_model *model, scadyg_events *events, scadyg_error *error)
{
    scadyg_result result;
    int status = SCADYG_OK;
    const int affinity = scadyg_model_look(model)->options->task == SCADYG_TASK_AFFINITY;
    for (int protocol = affinity ? 3 : 0; protocol <= (affinity ? 3 : 2) && !status; protocol++) {
        const scadyg_eval_options options = {.protocol = protocol,
                                             .seeds = 1,
                                             .seed = 1,
                                             .heuristics = 1,
                                             .negatives = protocol ? 0 : 5,
                                             .threads = 1};
        status = scadyg_evaluate(model, events, &options, NULL, &result, error);
    }
    return status;
}

static int work(void *context, const char *output, scadyg_error *error)
{
    const job *j = context;
    const scadyg_train_options options = options_of(j->setting);
    scadyg_events *events;
    scadyg_model *model = NULL;
    int status = scadyg_events_open(j->events, &events, error);
    if (status) return status;
    status = scadyg_train(events, &options, NULL, 0, NULL, NULL, &model, error);
    if (!status) status = judge(model, events, error);
    if (!status) status = ask(model, events, error);
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    scadyg_events_close(events);
    return status;
}

static void everywhere(void **state)
{
    (void)state;
    char *directory = scratch_make();
    char *path = strdup(scratch_path(directory, "in.events"));
    scadyg_generate_options options = default_generate();
    options.events = 300;
    options.nodes = 12;
    assert_int_equal(scadyg_generate(path, NULL, &options, NULL, NULL), SCADYG_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        job j = {&settings[i], path};
        const faults_work w = {settings[i].name, work, &j};
        assert_true(faults_everywhere(&w) > 30);
    }
    free(path);
    scratch_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
