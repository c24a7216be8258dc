/* Every call that can fail while a model file or a checkpoint is written or read is made to fail; and the pair net's. */
#include "models/sample_model.h"

#include "robust/faults.h"
#include "robust/faults_run.h"
#include "robust/scratch.h"

/* Every kind that keeps something of its own, and together every section. */
static const char *const chosen[] = {"scadyg-stored", "scadyg-affinity", "paper-standard", "paper-affinity",
                                     "markov"};
enum { CHOSEN = sizeof chosen / sizeof *chosen };

static int save_model(void *context, const char *output, scadyg_error *error)
{
    return scadyg_model_save(context, output, error);
}

static int save_checkpoint(void *context, const char *output, scadyg_error *error)
{
    const scadyg_model *model = context;
    float *numbers = model->values, squares[8192] = {0}; /* any will do */
    assert_true(model->count <= 8192);
    scadyg_epoch epochs[3] = {{.epoch = 1}, {.epoch = 2}, {.epoch = 3}};
    const sg_checkpoint state = {
        .epoch = model->epochs, .average = numbers, .square = squares, .best = numbers, .epochs = epochs};
    return sg_checkpoint_save(output, model, &state, error);
}

static void writing(void **state)
{
    (void)state;
    for (int i = 0; i < CHOSEN; i++) {
        scadyg_model *model = sample_model(find_sample(chosen[i]));
        faults_work work = {chosen[i], save_model, model};
        assert_true(faults_everywhere(&work) > 10);
        if (model->values) {
            work.run = save_checkpoint;
            assert_true(faults_everywhere(&work) > 10);
        }
        scadyg_model_close(model);
    }
}

typedef struct reading {
    const char *path;
    const scadyg_model *model;
} reading;

/* What was read is written again, so that there is an output to compare. */
static int open_model(void *context, const char *output, scadyg_error *error)
{
    const reading *r = context;
    scadyg_model *model;
    int status = scadyg_model_open(r->path, &model, error);
    if (status) return status;
    status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    return status;
}

static int open_checkpoint(void *context, const char *output, scadyg_error *error)
{
    const reading *r = context;
    scadyg_model *model;
    sg_checkpoint state;
    int status = sg_checkpoint_open(r->path, r->model, &model, &state, error);
    if (status) return status;
    status = sg_checkpoint_save(output, model, &state, error);
    sg_checkpoint_free(&state);
    scadyg_model_close(model);
    return status;
}

static void reading_back(void **state)
{
    (void)state;
    char *directory = scratch_make();
    char *path = strdup(scratch_path(directory, "in.scadyg"));
    for (int i = 0; i < CHOSEN; i++) {
        scadyg_model *model = sample_model(find_sample(chosen[i]));
        reading context = {path, model};
        faults_work work = {chosen[i], open_model, &context};
        assert_int_equal(scadyg_model_save(model, path, NULL), SCADYG_OK);
        assert_true(faults_everywhere(&work) > 10);
        if (model->values) {
            work.run = open_checkpoint;
            assert_int_equal(save_checkpoint(model, path, NULL), SCADYG_OK);
            assert_true(faults_everywhere(&work) > 10);
        }
        scadyg_model_close(model);
    }
    free(path);
    scratch_remove(directory);
}

/* Making one: from options and an events file to a net. */
static int make_model(void *context, const char *output, scadyg_error *error)
{
    static char *const names[] = {"a", "b"};
    static const char *const settings[][2] = {
        {"node-features", "random:3"}, {"labels", "a\\b=c\nd.csv"}, {"normalise", "standard"}};
    scadyg_options *options = NULL;
    scadyg_model *model = NULL;
    int status = scadyg_options_open_train("scadyg-paper", "affinity", &options, error);
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !status; i++)
        status = scadyg_options_set(options, settings[i][0], settings[i][1], error);
    if (!status) status = sg_model_new(options, context, &model, error);
    if (!status) status = sg_model_set_classes(model, names, 2, error);
    if (!status) status = sg_paper_shape(model, 11, 2, error);
    if (!status) memset(model->values, 0, model->count * sizeof(float));
    if (!status) status = scadyg_model_set_result(model, "{}", error);
    if (!status) free(model->data);
    if (!status && !(model->data = strdup("x.events"))) status = sg_fail_memory(error, "a name");
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    scadyg_options_close(options);
    return status;
}

static void making(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(find_sample("paper-affinity"));
    faults_work work = {"making", make_model, events};
    assert_true(faults_everywhere(&work) > 20);
    scadyg_events_close(events);
}

/* Without memory a file is not damaged, nor of another version. */
static void need_is_not_damage(void **state)
{
    (void)state;
    char path[64];
    make_path(path);
    for (int i = 0; i < CHOSEN; i++) {
        scadyg_model *model = sample_model(find_sample(chosen[i]));
        assert_int_equal(scadyg_model_save(model, path, NULL), SCADYG_OK);
        scadyg_model_close(model);
        for (long n = 1, failed = 1; failed; n++) {
            scadyg_error error = {0};
            faults_arm(FAULTS_MEMORY, n, 0);
            const int status = scadyg_model_open(path, &model, &error);
            failed = faults_disarm();
            if (status != (failed ? SCADYG_E_MEMORY : SCADYG_OK))
                fail_msg("%s, call %ld: status %d, %s", chosen[i], n, status, error.message);
            if (!status) scadyg_model_close(model);
        }
    }
    unlink(path);
}

/* ---- The pair net ---- */

enum { PAIRS = 60, NODES = 40, NODE = 5, ROW = 4 + 3, HIDDEN = 9 };

typedef struct pair_output {
    float gradient[1000], h[NODES * 2 * HIDDEN];
    double loss, score[2][PAIRS];
} pair_output;

/* Learns, scores pairs of many nodes and pairs of few, and embeds, on two threads. */
static int pair_work(const sg_pair_net *net, const sg_pair_rows *rows, const float *values, pair_output *out,
                     scadyg_error *error)
{
    static const unsigned char in[PAIRS] = {0xFF, 3, 0, 0xFF, 4, 8};
    sg_pair_rows few = *rows;
    sg_pair_workspace *workspace;
    scadyg_context *context = NULL;
    int status = scadyg_context_open(&context, error);
    if (status) return status;
    scadyg_context_set_threads(context, 2);
    status = sg_pair_workspace_open(context, net, 100000, &workspace, error); /* enough for both threads */
    if (!status) out->loss = sg_pair_gradient(workspace, values, rows, 3, in, .5, out->gradient);
    if (!status) sg_pair_workspace_close(workspace);
    few.node_count = PAIRS / 2;
    if (!status) status = sg_pair_scores(context, net, values, rows, SG_ORDER, out->score[0], error);
    if (!status) status = sg_pair_scores(context, net, values, &few, SG_CHANCE, out->score[1], error);
    if (!status) status = sg_pair_embed(context, net, values, rows->nodes, NODES, out->h, error);
    scadyg_context_close(context);
    return status;
}

static void pairs_in_need(void **state)
{
    (void)state;
    static float values[1000], nodes[NODES * NODE], between[PAIRS * ROW];
    static pair_output expected, actual;
    uint32_t left[PAIRS], right[PAIRS];
    scadyg_error error;
    sg_pair_net net;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    sg_pair_net_make(&net, NODE, ROW, HIDDEN, 7);
    assert_true(net.count <= 1000);
    sg_pair_net_init(&net, 1, values);
    for (size_t i = 0; i < NODES * NODE; i++) nodes[i] = (float)sg_rng_normal(&rng);
    for (size_t i = 0; i < PAIRS * ROW; i++) between[i] = (float)sg_rng_normal(&rng);
    for (uint32_t k = 0; k < PAIRS; k++) left[k] = k / 3, right[k] = k % (PAIRS / 2);
    const double compared[] = {1, .5, .25};
    const sg_pair_rows rows = {.nodes = nodes,
                               .node_count = NODES,
                               .left = left,
                               .right = right,
                               .between = between,
                               .count = PAIRS,
                               .compared = compared};
    assert_int_equal(pair_work(&net, &rows, values, &expected, &error), SCADYG_OK);
    for (int on = 0; on < 2; on++)
        for (long n = 1, failed = 1; failed; n++) {
            memset(&actual, 0, sizeof actual), memset(&error, 0, sizeof error);
            faults_arm(FAULTS_MEMORY, n, on);
            const int status = pair_work(&net, &rows, values, &actual, &error);
            failed = faults_disarm();
            if (!failed) assert_true(n > 10);
            assert_int_equal(status, failed ? SCADYG_E_MEMORY : SCADYG_OK);
            if (failed) assert_true(strlen(error.message) > 5);
            if (!failed) assert_memory_equal(&actual, &expected, sizeof actual);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),       cmocka_unit_test(reading_back),
        cmocka_unit_test(making),        cmocka_unit_test(need_is_not_damage),
        cmocka_unit_test(pairs_in_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
