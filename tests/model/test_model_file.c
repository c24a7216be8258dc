/* Model files and checkpoints: what is written comes back, and the same content is the same bytes. */
#include "model/sample_model.h"

#include "model/container.h"
#include "model/model_file.h"
#include "model/repair_model.h"

#include <math.h>
#include <sys/stat.h>

static unsigned char *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void assert_same_file(const char *a, const char *b)
{
    size_t n, m;
    unsigned char *x = read_whole(a, &n), *y = read_whole(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void assert_same_options(const scadyg_train_options *a, const scadyg_train_options *b)
{
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    for (size_t i = 0; i < count; i++) {
        char x[256], y[256];
        scadyg_option_text(&table[i], a, x, sizeof x);
        scadyg_option_text(&table[i], b, y, sizeof y);
        assert_string_equal(x, y);
    }
}

static void assert_same_model(const scadyg_model *a, const scadyg_model *b)
{
    assert_same_options(&a->options, &b->options);
    assert_true((a->options.labels == NULL) == (b->options.labels == NULL));
    assert_true((a->options.messages.rates == NULL) == (b->options.messages.rates == NULL));
    assert_int_equal(a->options.messages.seed, b->options.messages.seed);
    assert_memory_equal(&a->net, &b->net, sizeof a->net);
    if (a->values) assert_memory_equal(a->values, b->values, a->count * sizeof(float));
    assert_true((a->mean == NULL) == (b->mean == NULL));
    if (a->mean) assert_memory_equal(a->mean, b->mean, a->net.width * sizeof(float));
    if (a->mean) assert_memory_equal(a->scale, b->scale, a->net.width * sizeof(float));
    assert_true(a->trained_on.origin == b->trained_on.origin && a->trained_on.range == b->trained_on.range);
    assert_int_equal(a->trained_on.step_events, b->trained_on.step_events);
    assert_int_equal(a->trained_on.edge_features, b->trained_on.edge_features);
    assert_int_equal(a->trained_on.node_features, b->trained_on.node_features);
    assert_int_equal(a->trained_on.has_weight, b->trained_on.has_weight);
    assert_int_equal(a->trained_on.column_count, b->trained_on.column_count);
    if (a->trained_on.columns)
        assert_memory_equal(a->trained_on.columns, b->trained_on.columns, a->trained_on.column_count * 8);
    assert_int_equal(a->classes, b->classes);
    for (size_t i = 0; i < a->classes; i++) assert_string_equal(scadyg_model_class(a, i), scadyg_model_class(b, i));
    assert_null(scadyg_model_class(b, b->classes));
    assert_string_equal(a->data, b->data);
    assert_int_equal(a->checksum, b->checksum);
    assert_true(a->train_end == b->train_end && a->validation_end == b->validation_end);
    assert_true(a->validation == b->validation || (isnan(a->validation) && isnan(b->validation)));
    assert_int_equal(a->epochs, b->epochs);
    assert_int_equal(a->best_epoch, b->best_epoch);
    assert_string_equal(scadyg_model_result(a), scadyg_model_result(b));
    const scadyg_model_info *x = scadyg_model_look(a), *y = scadyg_model_look(b);
    assert_int_equal(x->parameters, y->parameters);
    assert_int_equal(x->width, y->width);
    assert_string_equal(x->score, y->score);
    assert_int_equal(x->shape.events, y->shape.events);
    assert_int_equal(x->shape.nodes, y->shape.nodes);
    assert_true(x->shape.last_time == y->shape.last_time);
    assert_ptr_equal(y->options, &b->options);
}

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

/* What an earlier version wrote: the same without a curve. */
static void version_1(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    make_path(path);
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]), *back;
        free(model->curve);
        model->curve = NULL;
        sg_model_settle(model);
        assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_OK);
        size_t size;
        unsigned char *bytes = read_whole(path, &size);
        const uint32_t version = 1;
        memcpy(bytes + offsetof(sg_model_header, version), &version, sizeof version);
        repair_model(bytes, size);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, size, file), size);
        fclose(file);
        if (scadyg_model_open(path, &back, &error)) fail_msg("%s", error.message);
        assert_same_model(model, back);
        assert_null(scadyg_model_look(back)->losses);
        assert_null(scadyg_model_look(back)->validations);
        free(bytes);
        scadyg_model_close(back);
        scadyg_model_close(model);
    }
    unlink(path);
}

static void round_trip(void **state)
{
    (void)state;
    char path[64], again[64];
    scadyg_error error;
    make_path(path);
    make_path(again);
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]), *back;
        if (scadyg_model_save(model, path, &error)) fail_msg("%s: %s", samples[i].name, error.message);
        if (scadyg_model_open(path, &back, &error)) fail_msg("%s: %s", samples[i].name, error.message);
        assert_same_model(model, back);
        assert_same_curve(model, back);
        assert_int_equal(scadyg_model_save(back, again, &error), SCADYG_OK);
        assert_same_file(path, again);
        scadyg_model_close(back);
        scadyg_model_close(model);
    }
    unlink(path);
    unlink(again);
}

/* Threads and memory are not part of what a model is. */
static void how_it_was_run_is_not_kept(void **state)
{
    (void)state;
    char path[64], other[64];
    scadyg_error error;
    make_path(path);
    make_path(other);
    scadyg_model *model = sample_model(&samples[0]);
    assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_OK);
    model->options.threads = model->options.messages.threads = 7;
    model->options.memory = 1 << 30;
    assert_int_equal(scadyg_model_save(model, other, &error), SCADYG_OK);
    assert_same_file(path, other);
    scadyg_model_close(model);
    unlink(path);
    unlink(other);
}

static void groups(void **state)
{
    (void)state;
    scadyg_model *model = sample_model(&samples[0]);
    size_t rows, columns, sum = 0, i = 0;
    const float *values;
    for (; scadyg_model_group(model, i, &rows, &columns, &values); i++) {
        assert_ptr_equal(values, model->values + sum);
        sum += rows * columns;
    }
    assert_int_equal(i, 7);
    assert_int_equal(sum, scadyg_model_look(model)->parameters);
    scadyg_model_close(model);
    model = sample_model(&samples[SAMPLES - 1]);
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
    scadyg_model *model = sample_model(&samples[0]);
    model->values[5] = INFINITY;
    assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "diverged"));
    model->values[5] = 0;
    model->train_end = NAN;
    assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_E_USAGE);
    assert_int_equal(access(path, F_OK), -1);
    scadyg_model_close(model);
}

/* Under 1 MB for the paper's settings; the widest is trade, with 255 one-hot nodes that are classes too. */
static void small(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    make_path(path);
    const sample wide = {"wide", {"node-features", "random:255", "task", "affinity", NULL}, 0, 0, 1, 1, 1};
    scadyg_model *model = sample_model(&wide);
    assert_int_equal(model->net.width, 263);
    assert_int_equal(model->net.hidden, 128);
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

/* ---- Options in the file ---- */

static void options_text(void **state)
{
    (void)state;
    scadyg_error error;
    scadyg_model *model = sample_model(&samples[5]);
    char *text = sg_options_write(&model->options);
    assert_non_null(strstr(text, "labels=a\\\\b=c\\nd.csv\n"));
    assert_null(strstr(text, "threads"));
    assert_null(strstr(text, "memory"));
    free(text);
    static const struct {
        const char *text;
        int status;
        const char *says;
    } cases[] = {
        {"steps=17\n", SCADYG_OK, ""},
        {"wings=2\n", SCADYG_E_VERSION, "newer version"},
        {"threads=2\n", SCADYG_E_VERSION, "newer version"},
        {"steps=7\nsteps=7\n", SCADYG_E_FORMAT, "twice"},
        {"steps=0\n", SCADYG_E_FORMAT, "between 1 and"},
        {"steps\n", SCADYG_E_FORMAT, "no option"},
        {"steps=7", SCADYG_E_FORMAT, "no lines"},
        {"", SCADYG_E_FORMAT, "no lines"},
        {"\n", SCADYG_E_FORMAT, "no option"},
        {"labels=\\x\ntask=affinity\n", SCADYG_E_FORMAT, "no value"},
        {"labels=x\n", SCADYG_E_FORMAT, "--task affinity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = sg_options_read(model, cases[i].text, strlen(cases[i].text), "F", &error);
        assert_int_equal(status, cases[i].status);
        if (status && !strstr(error.message, cases[i].says)) fail_msg("%s", error.message);
        if (!status) assert_int_equal(model->options.messages.steps, 17);
    }
    scadyg_model_close(model);
}

/* ---- Checkpoints ---- */

static void assert_same_state(const scadyg_model *model, const sg_checkpoint *a, const sg_checkpoint *b)
{
    const size_t size = model->count * sizeof(float);
    assert_int_equal(a->epoch, b->epoch);
    assert_int_equal(a->since_best, b->since_best);
    assert_int_equal(a->adam_steps, b->adam_steps);
    assert_memory_equal(a->average, b->average, size);
    assert_memory_equal(a->square, b->square, size);
    assert_memory_equal(a->best, b->best, size);
    for (int64_t i = 0; i < a->epoch; i++) {
        const scadyg_epoch *x = &a->epochs[i], *y = &b->epochs[i];
        assert_int_equal(x->epoch, y->epoch);
        assert_int_equal(x->best, y->best);
        assert_string_equal(x->score, y->score);
        assert_true(x->loss == y->loss && x->validation == y->validation && x->seconds == y->seconds &&
                    x->events_per_second == y->events_per_second && x->evaluation_seconds == y->evaluation_seconds);
    }
}

static void checkpoints(void **state)
{
    (void)state;
    char path[64], saved[64];
    scadyg_error error;
    make_path(path);
    make_path(saved);
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]), *back;
        sg_checkpoint was = {0}, is = {0};
        if (!model->values) {
            scadyg_model_close(model);
            continue;
        }
        was = sample_checkpoint(model);
        model->values[0] = NAN; /* a training that has diverged may still have a best epoch */
        if (sg_checkpoint_save(path, model, &was, &error)) fail_msg("%s", error.message);
        if (sg_checkpoint_open(path, model, &back, &is, &error)) fail_msg("%s", error.message);
        assert_same_model(model, back);
        assert_same_state(model, &was, &is);
        sg_checkpoint_free(&is);
        scadyg_model_close(back);

        assert_int_equal(scadyg_model_open(path, &back, &error), SCADYG_E_FORMAT);
        model->values[0] = 0;
        assert_int_equal(scadyg_model_save(model, saved, &error), SCADYG_OK);
        assert_int_equal(sg_checkpoint_open(saved, model, &back, &is, &error), SCADYG_E_FORMAT);
        sg_checkpoint_free(&was);
        scadyg_model_close(model);
    }
    unlink(path);
    unlink(saved);
}

static void refused(const char *path, const scadyg_model *expected, const char *says)
{
    scadyg_model *back = NULL;
    sg_checkpoint state = {0};
    scadyg_error error;
    assert_int_equal(sg_checkpoint_open(path, expected, &back, &state, &error), SCADYG_E_USAGE);
    assert_null(back);
    assert_null(state.best);
    if (!strstr(error.message, says)) fail_msg("%s", error.message);
}

static void checkpoints_of_other_trainings(void **state)
{
    (void)state;
    char path[64];
    scadyg_error error;
    make_path(path);
    scadyg_model *model = sample_model(&samples[5]);
    sg_checkpoint was = sample_checkpoint(model);
    assert_int_equal(sg_checkpoint_save(path, model, &was, &error), SCADYG_OK);
    model->checksum++;
    refused(path, model, "other data");
    model->checksum--;
    model->options.learning_rate = 0.5;
    refused(path, model, "--lr '0.002', not '0.5'");
    model->options.learning_rate = 0.002;
    model->options.labels = NULL;
    refused(path, model, "--labels 'a\\\\b=c\\nd.csv', not ''");
    model->options.labels = "a\\b=c\nd.csv";
    model->class_names[1][0] = 'G';
    refused(path, model, "other labels");
    model->class_names[1][0] = 'g';
    model->count++;
    refused(path, model, "another net");
    model->count--;

    /* Threads and memory may differ, and are the new ones. */
    scadyg_model *back;
    sg_checkpoint is;
    model->options.threads = 3;
    model->options.memory = 1 << 24;
    assert_int_equal(sg_checkpoint_open(path, model, &back, &is, &error), SCADYG_OK);
    assert_int_equal(back->options.threads, 3);
    assert_int_equal(back->options.memory, 1 << 24);
    scadyg_model_close(back);
    sg_checkpoint_free(&is);
    sg_checkpoint_free(&was);
    scadyg_model_close(model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(version_1),
        cmocka_unit_test(how_it_was_run_is_not_kept),
        cmocka_unit_test(groups),
        cmocka_unit_test(unsound_is_not_saved),
        cmocka_unit_test(small),
        cmocka_unit_test(other_files),
        cmocka_unit_test(options_text),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(checkpoints_of_other_trainings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
