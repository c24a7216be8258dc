/* Checkpoints: what is written comes back, and those of another training are refused. */
#include "models/same_model.h"

static void assert_same_state(const scadyg_model *model, const sg_checkpoint *a, const sg_checkpoint *b)
{
    const size_t size = model->count * sizeof(float);
    assert_int_equal(a->epoch, b->epoch);
    assert_int_equal(a->since_gain, b->since_gain);
    assert_int_equal(a->adam_steps, b->adam_steps);
    assert_memory_equal(a->average, b->average, size);
    assert_memory_equal(a->square, b->square, size);
    assert_memory_equal(a->best, b->best, size);
    assert_true((a->raw == NULL) == (b->raw == NULL));
    if (a->raw) assert_memory_equal(a->raw, b->raw, size);
    assert_memory_equal(&a->validated.choice, &b->validated.choice, sizeof(double)); /* NaN too */
    assert_int_equal(a->validated.count, b->validated.count);
    assert_memory_equal(a->validated.each, b->validated.each, a->validated.count * sizeof(double));
    for (int64_t i = 0; i < a->epoch; i++) {
        const scadyg_epoch *x = &a->epochs[i], *y = &b->epochs[i];
        assert_int_equal(x->epoch, y->epoch);
        assert_int_equal(x->best, y->best);
        assert_string_equal(x->score, y->score);
        assert_true(x->loss == y->loss && x->validation == y->validation && x->seconds == y->seconds &&
                    x->events_per_second == y->events_per_second &&
                    x->evaluation_seconds == y->evaluation_seconds && x->choice == y->choice);
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
        was.square[0] = INFINITY; /* of a parameter whose slope was too steep to be squared */
        for (size_t k = 0; k < model->count; k++) was.best[k] = (float)k / 7;
        if (sg_checkpoint_save(path, model, &was, &error)) fail_msg("%s", error.message);
        if (sg_checkpoint_open(path, model, &back, &is, &error)) fail_msg("%s", error.message);
        assert_same_model(model, back);
        assert_same_state(model, &was, &is);
        sg_checkpoint_free(&is);
        scadyg_model_close(back);

        /* It is a model, of the best values so far. */
        if (scadyg_model_open(path, &back, &error)) fail_msg("%s", error.message);
        assert_true(scadyg_model_look(back)->unfinished);
        assert_memory_equal(back->values, was.best, model->count * sizeof(float));
        scadyg_model_close(back);
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
    scadyg_model *model = sample_model(find_sample("paper-affinity"));
    sg_checkpoint was = sample_checkpoint(model);
    assert_int_equal(sg_checkpoint_save(path, model, &was, &error), SCADYG_OK);
    model->checksum++;
    refused(path, model, "other data");
    model->checksum--;
    apply_settings(model->options, "lr=0.5");
    refused(path, model, "--lr '0.003', not '0.5'");
    apply_settings(model->options, "lr=0.003 labels=elsewhere.csv"); /* where they lie makes no difference */
    model->label_file.checksum++;
    refused(path, model, "other labels");
    model->label_file.checksum--;
    model->label_file.lines++;
    refused(path, model, "other labels");
    model->label_file.lines--;
    model->class_names[1][0] = 'G';
    refused(path, model, "other labels");
    model->class_names[1][0] = 'g';
    model->count++;
    refused(path, model, "another net");
    model->count--;

    scadyg_model *back;
    sg_checkpoint is;
    assert_int_equal(sg_checkpoint_open(path, model, &back, &is, &error), SCADYG_OK);
    scadyg_model_close(back);
    sg_checkpoint_free(&is);

    /* A model of another kind has other options: the first of them says so. */
    scadyg_model *other = sample_model(find_sample("scadyg-affinity"));
    other->checksum = model->checksum;
    refused(path, other, "--model 'scadyg-paper', not 'scadyg'");
    scadyg_model_close(other);
    sg_checkpoint_free(&was);
    scadyg_model_close(model);
    unlink(path);
}

/* Numbers that training never writes: each place of one, what is put there, and back. */
static void assert_not_taken(const char *path, scadyg_model *model, const sg_checkpoint *state, const char *says)
{
    scadyg_model *back = NULL;
    sg_checkpoint is = {0};
    scadyg_error error;
    if (sg_checkpoint_save(path, model, state, &error)) fail_msg("%s", error.message);
    assert_int_equal(sg_checkpoint_open(path, model, &back, &is, &error), SCADYG_E_FORMAT);
    assert_null(back);
    if (!strstr(error.message, says)) fail_msg("%s", error.message);
}

static void numbers_that_are_not_finite(void **state)
{
    (void)state;
    char path[64];
    make_path(path);
    scadyg_model *model = sample_model(find_sample("scadyg"));
    sg_checkpoint was = sample_checkpoint(model);
    float *const floats[] = {model->values, was.average, was.best, was.raw, was.square};
    static const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 5; i++)
        for (size_t k = 0; k < 3; k++) {
            float *at = floats[i] + model->count - 1;
            const float kept = *at;
            if (i == 4 && k == 1) continue; /* a square may be infinite, see above */
            *at = wrong[k];
            assert_not_taken(path, model, &was, "the state of its training has numbers that are not finite");
            *at = kept;
        }
    scadyg_epoch *epoch = &was.epochs[1];
    double *const doubles[] = {
        &epoch->loss,       &epoch->seconds, &epoch->evaluation_seconds, &epoch->events_per_second,
        &epoch->validation, &epoch->choice};
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 3; k++) {
            const double kept = *doubles[i];
            if (i >= 4 && k == 0) continue; /* a score that could not be measured */
            *doubles[i] = (double)wrong[k];
            assert_not_taken(path, model, &was, "an epoch of it has numbers that are not finite");
            *doubles[i] = kept;
        }
    sg_checkpoint_free(&was);
    scadyg_model_close(model);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(checkpoints_of_other_trainings),
        cmocka_unit_test(numbers_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
