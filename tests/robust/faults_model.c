/* Every call that can fail while a model file or a checkpoint is written or read is made to fail. */
#include "model/sample_model.h"

#include "robust/faults_run.h"
#include "robust/scratch.h"

static const int chosen[] = {1, 5, 6}; /* together they have every section */
enum { CHOSEN = sizeof chosen / sizeof *chosen };

static int save_model(void *context, const char *output, scadyg_error *error)
{
    return scadyg_model_save(context, output, error);
}

static int save_checkpoint(void *context, const char *output, scadyg_error *error)
{
    const scadyg_model *model = context;
    float *zeros = model->values; /* any numbers will do */
    scadyg_epoch epochs[3] = {{.epoch = 1}, {.epoch = 2}, {.epoch = 3}};
    const sg_checkpoint state = {
        .epoch = model->epochs, .average = zeros, .square = zeros, .best = zeros, .epochs = epochs};
    return sg_checkpoint_save(output, model, &state, error);
}

static void writing(void **state)
{
    (void)state;
    for (int i = 0; i < CHOSEN; i++) {
        scadyg_model *model = sample_model(&samples[chosen[i]]);
        faults_work work = {samples[chosen[i]].name, save_model, model};
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
        scadyg_model *model = sample_model(&samples[chosen[i]]);
        reading context = {path, model};
        faults_work work = {samples[chosen[i]].name, open_model, &context};
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
    const sample *s = &samples[5];
    static char *const names[] = {"a", "b"};
    scadyg_train_options options = sample_options(s->settings);
    scadyg_model *model;
    int status = sg_model_new(&options, context, &model, error);
    if (status) return status;
    status = sg_model_set_classes(model, names, 2, error);
    if (!status) status = sg_model_shape(model, 5, 2, error);
    if (!status) memset(model->values, 0, model->net.count * sizeof(float));
    if (!status) status = scadyg_model_set_result(model, "{}", error);
    if (!status) status = scadyg_model_save(model, output, error);
    scadyg_model_close(model);
    return status;
}

static void making(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(&samples[5]);
    faults_work work = {"making", make_model, events};
    assert_true(faults_everywhere(&work) > 20);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing),
        cmocka_unit_test(reading_back),
        cmocka_unit_test(making),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
