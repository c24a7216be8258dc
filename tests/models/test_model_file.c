/* Model files: what is written comes back, and the same content is the same bytes, for every kind. */
#include "models/same_model.h"

#include "models/repair_model.h"

#include <sys/stat.h>

/* The learning curve, and the checksum that tells files apart. */
static void assert_same_curve(const scadyg_model *a, const scadyg_model *b)
{
    const scadyg_model_info *x = scadyg_model_look(a), *y = scadyg_model_look(b);
    const size_t epochs = (size_t)x->epochs;
    assert_true((x->losses == NULL) == (y->losses == NULL));
    if (x->losses) {
        assert_ptr_equal(y->validations, y->losses + epochs);
        assert_memory_equal(x->losses, y->losses, 2 * epochs * sizeof *x->losses);
    }
    assert_int_equal(x->file_checksum, 0);
    assert_int_not_equal(y->file_checksum, 0);
    assert_true(x->train_end == y->train_end && x->validation_end == y->validation_end);
}

/* A kind without a sample is one that these tests do not know. */
static void every_kind_has_a_sample(void **state)
{
    (void)state;
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++) {
        int found = 0;
        for (int i = 0; i < SAMPLES; i++)
            found += strcmp(samples[i].model, (*kind)->shown.name) == 0 &&
                     strcmp(samples[i].task, (*kind)->shown.task) == 0;
        if (!found) fail_msg("no sample of %s for %s", (*kind)->shown.name, (*kind)->shown.task);
    }
}

static void saves_as_the_same(const scadyg_model *model, const char *name)
{
    char path[64], again[64];
    scadyg_model *back;
    scadyg_error error;
    make_path(path);
    make_path(again);
    if (scadyg_model_save(model, path, &error)) fail_msg("%s: %s", name, error.message);
    if (scadyg_model_open(path, &back, &error)) fail_msg("%s: %s", name, error.message);
    assert_same_model(model, back);
    assert_same_curve(model, back);
    assert_int_equal(scadyg_model_save(back, again, &error), SCADYG_OK);
    assert_same_file(path, again);
    scadyg_model_close(back);
    unlink(path);
    unlink(again);
}

static void round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]);
        saves_as_the_same(model, samples[i].name);
        scadyg_model_close(model);
    }
}

/* Whatever the kind: trained for an epoch. */
static void trained_models(void **state)
{
    (void)state;
    enum { EVENTS = 400, NODES = 12 };
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    for (uint32_t i = 0; i < EVENTS; i++) {
        src[i] = i % 5;
        dst[i] = 5 + (uint32_t)sg_hash3(1, 2, i) % (NODES - 5);
        time[i] = i;
    }
    const made_events made = {.count = EVENTS, .nodes = NODES, .src = src, .dst = dst, .time = time};
    scadyg_events *events = make_events(&made);
    for (const sg_kind *const *kind = sg_kinds; *kind; kind++) {
        const char *name = (*kind)->shown.name;
        scadyg_options *options = train_options(name, (*kind)->shown.task, "steps=40");
        scadyg_model *model;
        scadyg_error error;
        if ((*kind)->shown.learns) apply_settings(options, "epochs=1 hidden=4");
        if (scadyg_train(NULL, events, options, NULL, 0, NULL, &model, &error))
            fail_msg("%s: %s", name, error.message);
        assert_null(sg_model_fault(model));
        saves_as_the_same(model, name);
        scadyg_model_close(model);
        scadyg_options_close(options);
    }
    scadyg_events_close(events);
}

/* Files of other versions are refused by name: what is in them means something else. */
static void other_versions(void **state)
{
    (void)state;
    static const struct {
        uint32_t version;
        const char *says;
    } cases[] = {{1, "older version of scadyg (format 1; this one reads 9): train it again"},
                 {2, "older version of scadyg (format 2; this one reads 9): train it again"},
                 {3, "older version of scadyg (format 3; this one reads 9): train it again"},
                 {4, "older version of scadyg (format 4; this one reads 9): train it again"},
                 {5, "older version of scadyg (format 5; this one reads 9): train it again"},
                 {6, "older version of scadyg (format 6; this one reads 9): train it again"},
                 {7, "older version of scadyg (format 7; this one reads 9): train it again"},
                 {8, "older version of scadyg (format 8; this one reads 9): train it again"},
                 {0, "older version"},
                 {10, "newer version of scadyg (format 10; this one reads 9)"},
                 {UINT32_MAX, "newer version"}};
    char path[64];
    make_path(path);
    scadyg_model *model = sample_model(find_sample("paper")), *back = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_error error;
        size_t size;
        assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_OK);
        unsigned char *bytes = read_whole(path, &size);
        memcpy(bytes + offsetof(sg_model_header, version), &cases[i].version, sizeof cases[i].version);
        repair_model(bytes, size);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        free(bytes);
        assert_int_equal(scadyg_model_open(path, &back, &error), SCADYG_E_VERSION);
        assert_null(back);
        if (!strstr(error.message, cases[i].says)) fail_msg("%s", error.message);
    }
    scadyg_model_close(model);
    unlink(path);
}

static void groups(void **state)
{
    (void)state;
    scadyg_model *model = sample_model(find_sample("paper"));
    size_t rows, columns, sum = 0, i = 0;
    const float *values;
    for (; scadyg_model_group(model, i, &rows, &columns, &values); i++) {
        assert_ptr_equal(values, model->values + sum);
        sum += rows * columns;
    }
    assert_int_equal(i, 7);
    assert_int_equal(sum, scadyg_model_look(model)->parameters);
    scadyg_model_close(model);
    model = sample_model(find_sample("popularity"));
    assert_null(scadyg_model_group(model, 0, &rows, &columns, &values));
    scadyg_model_close(model);
}

/* A model that cannot be read back is not written. */
static void unsound_is_not_saved(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    make_path(path);
    unlink(path);
    scadyg_model *model = sample_model(find_sample("paper"));
    model->values[5] = INFINITY;
    assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "diverged"));
    model->values[5] = 0;
    model->train_end = NAN;
    assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_E_USAGE);
    assert_int_equal(access(path, F_OK), -1);
    scadyg_model_close(model);
}

/* What a message about a model recommends is an option that its kind has. */
static void advice_fits_the_kind(void **state)
{
    (void)state;
    size_t recommended = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        scadyg_model *model = sample_model(&samples[i]);
        scadyg_error error;
        if (model->count) {
            model->values[0] = NAN;
            assert_int_equal(scadyg_model_save(model, "/nowhere/m", &error), SCADYG_E_USAGE);
            for (const char *at = error.message; (at = strstr(at, "--")); at += 2) {
                char name[64] = "";
                memcpy(name, at + 2, strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-"));
                if (!sg_option_find(model->kind->options, name))
                    fail_msg("%s has no --%s: %s", model->kind->shown.name, name, error.message);
                recommended++;
            }
        }
        scadyg_model_close(model);
    }
    assert_true(recommended > 0);
}

/* Under 1 MB for the paper's settings; the widest is trade, with 255 one-hot nodes that are classes too. */
static void small(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    make_path(path);
    const sample wide = {"wide", "scadyg-paper", "affinity", "node-features=random:255", 0, 0, 1, 1, 1};
    scadyg_model *model = sample_model(&wide);
    assert_int_equal(sg_paper_net(model)->width, 263);
    assert_int_equal(sg_paper_net(model)->hidden, 128);
    assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_OK);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    const off_t keys = 255 * 8, classes = 255 * (4 * 129 + 20);
    assert_true(status.st_size + keys + classes < 1000000);
    scadyg_model_close(model);
    unlink(path);
}

static void other_files(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    scadyg_model *model = NULL;
    make_path(path);
    assert_int_equal(scadyg_model_open(path, &model, &error), SCADYG_E_FORMAT);
    assert_non_null(strstr(error.message, "is not a model file"));
    unlink(path);
    assert_int_equal(scadyg_model_open(path, &model, &error), SCADYG_E_IO);
    assert_null(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_sample),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(trained_models),
        cmocka_unit_test(other_versions),
        cmocka_unit_test(groups),
        cmocka_unit_test(unsound_is_not_saved),
        cmocka_unit_test(advice_fits_the_kind),
        cmocka_unit_test(small),
        cmocka_unit_test(other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
