/* What comes after a first training: refit on all events, and going on from a model on a longer log, for every kind. */
#include "learn/sample.h"

#include "models/scadyg/scadyg.h"
#include "scadyg_lab.h"

enum { BEGINNING = 900 }; /* events of the shorter log */

typedef struct case_ {
    const char *model, *task, *settings;
} case_;

/* The learning rate is high, so that a few epochs make a difference. */
static const case_ cases[] = {
    {"scadyg", "link", "epochs=4 patience=4 hidden=16 fallback=0 lr=0.01"},
    {"scadyg", "link", "epochs=4 patience=4 hidden=16 fallback=0 lr=0.01 averaging=0 stepwise=1 steps=30"},
    {"scadyg-paper", "link", "epochs=4 patience=4 steps=30 lr=0.01 normalise=log-standard"},
    {"scadyg-paper", "link", "epochs=4 patience=4 steps=30 lr=0.01 stepwise=0 node-features=onehot normalise=log"},
    {"scadyg", "affinity", "epochs=4 patience=4 steps=30 lr=0.01 normalise=log-standard"},
    {"scadyg-paper", "affinity", "epochs=4 patience=4 steps=30 lr=0.01"},
};
enum { CASES = sizeof cases / sizeof *cases };

static scadyg_events *beginning_of(scadyg_events *events)
{
    char path[64];
    scadyg_error error = {0};
    scadyg_events *first = NULL;
    make_path(path);
    if (scadyg_events_first(NULL, events, BEGINNING, path, &error)) fail_msg("%s", error.message);
    if (scadyg_events_open(path, &first, &error)) fail_msg("%s", error.message);
    unlink(path);
    return first;
}

static scadyg_model *must_refit(scadyg_events *events, const scadyg_model *model, const scadyg_model *from)
{
    scadyg_error error = {0};
    scadyg_model *refitted = NULL;
    if (scadyg_refit(NULL, events, model, from, NULL, 0, NULL, &refitted, &error)) fail_msg("%s", error.message);
    return refitted;
}

static scadyg_model *must_go_on(scadyg_events *events, const scadyg_model *from, const scadyg_options *options)
{
    scadyg_error error = {0};
    scadyg_model *model = NULL;
    if (scadyg_train_from(NULL, events, from, options, NULL, 0, NULL, &model, &error))
        fail_msg("%s", error.message);
    return model;
}

static int same_values(const scadyg_model *a, const scadyg_model *b)
{
    return a->count == b->count && memcmp(a->values, b->values, a->count * sizeof *a->values) == 0;
}

/* ---- Refit ---- */

static void refit_keeps_what_was_said(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(5);
    const double last = scadyg_events_shape(events)->last_time;
    for (int i = 0; i < CASES; i++) {
        scadyg_error error = {0};
        scadyg_model *first = trained(NULL, events, cases[i].model, cases[i].task, cases[i].settings);
        assert_int_equal(scadyg_model_set_result(first, "[{\"mrr\":0.5}]", &error), SCADYG_OK);
        scadyg_model *model = must_refit(events, first, NULL), *back = NULL;
        const scadyg_model_info *is = scadyg_model_look(model), *was = scadyg_model_look(first);
        assert_true(is->refit && !was->refit);
        assert_true(is->train_end == last && is->validation_end == last && was->train_end < last);
        assert_int_equal(is->epochs, was->epochs);
        assert_int_equal(is->best_epoch, was->best_epoch);
        assert_true(is->validation == was->validation);
        assert_memory_equal(is->losses, was->losses, (size_t)was->epochs * sizeof(double));
        assert_string_equal(scadyg_model_result(model), "[{\"mrr\":0.5}]");
        assert_int_equal(same_values(model, first), was->best_epoch == 0); /* a start that was the best */
        /* Kept in a file; and there is nothing to test it on. */
        char path[64];
        scadyg_result *result = NULL;
        make_path(path);
        assert_int_equal(scadyg_model_save(model, path, &error), SCADYG_OK);
        if (scadyg_model_open(path, &back, &error)) fail_msg("%s", error.message);
        assert_true(scadyg_model_look(back)->refit);
        assert_int_equal(scadyg_evaluate(NULL, back, events, NULL, &result, &error), SCADYG_E_USAGE);
        assert_non_null(strstr(error.message, "refit on all of these events"));
        unlink(path);
        scadyg_model_close(back);
        scadyg_model_close(model);
        scadyg_model_close(first);
    }
    scadyg_events_close(events);
}

/* It is the training without parts, for so many epochs. */
static void refit_is_a_training_on_all_events(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(6);
    scadyg_model *first = trained(NULL, events, "scadyg", "link", cases[0].settings);
    scadyg_model *model = must_refit(events, first, NULL);
    char settings[160];
    assert_true(first->best_epoch > 0);
    snprintf(settings, sizeof settings, "%s train-share=1 epochs=%d", cases[0].settings, (int)first->best_epoch);
    scadyg_model *twin = trained(NULL, events, "scadyg", "link", settings);
    assert_int_equal(twin->epochs, first->best_epoch);
    assert_true(same_values(model, twin));
    scadyg_model_close(twin);
    scadyg_model_close(model);
    scadyg_model_close(first);
    scadyg_events_close(events);
}

static void refit_is_refused(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(7), *other = sample_events(8);
    scadyg_model *model = trained(NULL, events, "scadyg", "link", SMALL LIVE "epochs=1"), *none = NULL;
    scadyg_model *rule = trained(NULL, events, "popularity", "link", NULL);
    scadyg_error error = {0};
    assert_int_equal(scadyg_refit(NULL, other, model, NULL, NULL, 0, NULL, &none, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "the events that it was trained on"));
    assert_int_equal(scadyg_refit(NULL, events, model, model, NULL, 0, NULL, &none, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "went on from another"));
    assert_int_equal(scadyg_refit(NULL, events, rule, NULL, NULL, 0, NULL, &none, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "nothing to refit"));
    assert_null(none);
    scadyg_model_close(rule);
    scadyg_model_close(model);
    scadyg_events_close(events);
    scadyg_events_close(other);
}

/* ---- Going on ---- */

static void goes_on_from_a_model(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(9), *first = beginning_of(events);
    for (int i = 0; i < CASES; i++) {
        scadyg_model *from = trained(NULL, first, cases[i].model, cases[i].task, cases[i].settings);
        scadyg_model *model = must_go_on(events, from, NULL);
        const scadyg_model_info *info = scadyg_model_look(model);
        assert_int_equal(info->from, scadyg_model_mark(from));
        assert_int_equal(info->shape->events, SAMPLE_EVENTS);
        assert_true(info->train_end > scadyg_model_look(from)->train_end);
        assert_true(isfinite(info->validation) && info->epochs > 0); /* the start has a score at least */
        /* How its data is read, and its normalisation, stay. */
        assert_true(model->trained_on.origin == from->trained_on.origin &&
                    model->trained_on.range == from->trained_on.range &&
                    model->trained_on.events == from->trained_on.events &&
                    model->trained_on.column_count == from->trained_on.column_count);
        assert_true((model->mean != NULL) == (from->mean != NULL));
        if (from->mean) assert_memory_equal(model->mean, from->mean, from->width * sizeof *from->mean);
        if (strcmp(from->kind->shown.name, "scadyg") == 0 &&
            from->kind->task == SG_TASK_LINK) /* what is settled on the validation part is settled anew */
            assert_memory_equal(&sg_scadyg_of(model)->plan, &sg_scadyg_of(from)->plan, sizeof(sg_ledger_plan));
        else if (from->own)
            assert_memory_equal(model->own, from->own, from->kind->own_size);
        assert_int_equal(model->classes, from->classes);
        /* Where no epoch was better the parameters are those it began with, and else others. */
        assert_int_equal(same_values(model, from), info->best_epoch == 0);
        /* Saved, opened and refit. */
        scadyg_model *refitted = must_refit(events, model, from);
        assert_int_equal(scadyg_model_look(refitted)->from, scadyg_model_mark(from));
        assert_int_equal(same_values(refitted, from), info->best_epoch == 0);
        size_t size;
        free(model_bytes(refitted, &size));
        /* And gone on from once more, where there is nothing new. */
        scadyg_model *none = NULL;
        scadyg_error error = {0};
        assert_int_equal(scadyg_train_from(NULL, events, refitted, NULL, NULL, 0, NULL, &none, &error),
                         SCADYG_E_USAGE);
        assert_non_null(strstr(error.message, "too little to go on with"));
        scadyg_model_close(refitted);
        scadyg_model_close(model);
        scadyg_model_close(from);
    }
    scadyg_events_close(first);
    scadyg_events_close(events);
}

/* What it knows already it learns again in part only: so many cases an epoch, and not all the same ones. */
static void count_events(void *data, const scadyg_epoch *epoch, int resumed)
{
    (void)resumed;
    *(double *)data += epoch->events_per_second * epoch->seconds;
}

static void learns_what_is_new(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(10), *first = beginning_of(events);
    scadyg_options *options = train_options("scadyg", "link", SMALL LIVE "epochs=2 patience=2");
    scadyg_model *from = must_train(NULL, first, options), *model = NULL;
    scadyg_error error = {0};
    double learned = 0;
    const scadyg_watch watch = {.size = sizeof watch, .data = &learned, .epoch = count_events};
    if (scadyg_train_from(NULL, events, from, NULL, NULL, 0, &watch, &model, &error)) fail_msg("%s", error.message);
    /* 630 of 900 are known, 840 of 1,200 are for training: 210 are new. */
    const double expected = 2 * (210 + SG_REHEARSED * 630);
    if (fabs(learned - expected) > 0.2 * expected) fail_msg("%g events were learned, not %g", learned, expected);
    scadyg_model_close(model);
    scadyg_model_close(from);
    scadyg_options_close(options);
    scadyg_events_close(first);
    scadyg_events_close(events);
}

static void refuses_other_options(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(11), *first = beginning_of(events);
    scadyg_model *from = trained(NULL, first, "scadyg", "link", SMALL LIVE "epochs=1"), *model = NULL;
    static const struct {
        const char *model, *settings, *says;
    } refused[] = {{"scadyg", SMALL LIVE "lr=0.5", "--lr '0.01', not '0.5'"},
                   {"scadyg", SMALL LIVE "seed=2", "--seed '1', not '2'"},
                   {"scadyg", SMALL "epochs=1", "--stepwise '0', not '1'"},
                   {"scadyg-paper", "epochs=1", "is scadyg for --task link, not scadyg-paper for --task link"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        scadyg_error error = {0};
        scadyg_options *options = train_options(refused[i].model, "link", refused[i].settings);
        assert_int_equal(scadyg_train_from(NULL, events, from, options, NULL, 0, NULL, &model, &error),
                         SCADYG_E_USAGE);
        if (!strstr(error.message, refused[i].says)) fail_msg("%s", error.message);
        scadyg_options_close(options);
    }
    /* These may be others. */
    scadyg_options *options =
        train_options("scadyg", "link", SMALL LIVE "epochs=2 patience=7 train-share=0.8 validation-share=0.1");
    model = must_go_on(events, from, options);
    scadyg_model_close(model);
    scadyg_options_close(options);
    scadyg_model_close(from);
    scadyg_events_close(first);
    scadyg_events_close(events);
}

/* ---- Both, stopped anywhere ---- */

static void stopped_and_gone_on_with(void **state)
{
    (void)state;
    scadyg_events *events = sample_events(12), *first = beginning_of(events);
    char checkpoint[64];
    make_path(checkpoint);
    for (int i = 0; i < CASES; i++) {
        scadyg_model *from = trained(NULL, first, cases[i].model, cases[i].task, cases[i].settings);
        scadyg_model *whole = must_go_on(events, from, NULL), *refitted = must_refit(events, whole, from);
        for (int refit = 0; refit <= 1; refit++) {
            scadyg_model *model = NULL;
            unlink(checkpoint);
            for (uint64_t tries = 0; !model; tries++) {
                scadyg_error error = {0};
                stopper s = {.left = 3 + 4 * tries};
                scadyg_context *context = context_with(1, 0, stop_at, &s);
                const int status =
                    refit ? scadyg_refit(context, events, whole, from, checkpoint, 1, NULL, &model, &error)
                          : scadyg_train_from(context, events, from, NULL, checkpoint, 1, NULL, &model, &error);
                if (status && status != SCADYG_E_CANCELLED) fail_msg("%s", error.message);
            }
            assert_same_model(model, refit ? refitted : whole);
            scadyg_model_close(model);
        }
        /* The checkpoint of one is none of the other, nor of a training from the beginning. */
        scadyg_error error = {0};
        scadyg_model *none = NULL;
        if (access(checkpoint, F_OK) == 0) {
            assert_int_equal(scadyg_train_from(NULL, events, from, NULL, checkpoint, 1, NULL, &none, &error),
                             SCADYG_E_USAGE);
            assert_non_null(strstr(error.message, "began from another model"));
        }
        scadyg_model_close(refitted);
        scadyg_model_close(whole);
        scadyg_model_close(from);
    }
    unlink(checkpoint);
    scadyg_events_close(first);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refit_keeps_what_was_said), cmocka_unit_test(refit_is_a_training_on_all_events),
        cmocka_unit_test(refit_is_refused),          cmocka_unit_test(goes_on_from_a_model),
        cmocka_unit_test(learns_what_is_new),        cmocka_unit_test(refuses_other_options),
        cmocka_unit_test(stopped_and_gone_on_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
