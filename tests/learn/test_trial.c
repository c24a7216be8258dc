/* Vectors of destinations are left to the data: where they are not worth trying they are off, else short trainings decide. */
#include "learn/sample.h"
#include "learn/model_bytes.h"
#include "models/scadyg/scadyg.h"

#define QUICK "hidden=8 lr=0.01 epochs=2 negatives=2 fallback=0 "

/* Sources of some groups turn to random destinations of their group, which they have hardly ever met. */
static scadyg_events *shop(uint32_t destinations)
{
    enum { EVENTS = 4000, SOURCES = 150, GROUPS = 10 };
    static uint32_t src[EVENTS], dst[EVENTS];
    static double time[EVENTS];
    sg_rng rng;
    sg_rng_seed(&rng, 6, 6);
    for (size_t i = 0; i < EVENTS; i++) {
        src[i] = (uint32_t)sg_rng_below(&rng, SOURCES);
        dst[i] = SOURCES + (uint32_t)sg_rng_below(&rng, destinations / GROUPS) * GROUPS + src[i] % GROUPS;
        time[i] = (double)i;
    }
    const made_events made = {
        .count = EVENTS, .nodes = SOURCES + destinations, .src = src, .dst = dst, .time = time};
    return make_events(&made);
}

static char noted[256];

static void note(void *data, const char *sentence)
{
    (void)data;
    if (strstr(sentence, "--vectors")) snprintf(noted, sizeof noted, "%s", sentence);
}

static scadyg_model *train_with(scadyg_events *events, const char *settings, const char *checkpoint, int resume)
{
    const scadyg_watch watch = {.size = sizeof watch, .note = note};
    scadyg_options *options = train_options("scadyg", "link", settings);
    scadyg_model *model = NULL;
    scadyg_error error = {0};
    *noted = 0;
    if (scadyg_train(NULL, events, options, checkpoint, resume, &watch, &model, &error))
        fail_msg("%s", error.message);
    scadyg_options_close(options);
    return model;
}

static void must_have(const scadyg_model *model, const char *expected)
{
    char value[16];
    scadyg_options_get(scadyg_model_look(model)->options, "vectors", value, sizeof value);
    assert_string_equal(value, expected);
}

/* Few destinations, or the paper's steps: nothing is tried. */
static void not_worth_it(void **state)
{
    (void)state;
    scadyg_events *few = shop(200), *many = shop(1500);
    scadyg_model *model = train_with(few, QUICK, NULL, 0);
    must_have(model, "off");
    assert_string_equal(noted, "");
    scadyg_model_close(model);
    model = train_with(many, QUICK "stepwise=1 steps=20", NULL, 0);
    must_have(model, "off");
    assert_string_equal(noted, "");
    scadyg_model_close(model);
    scadyg_events_close(few);
    scadyg_events_close(many);
}

/* A log that only says how long it is. */
static void nor_on_long_logs(void **state)
{
    (void)state;
    scadyg_events *events = shop(1500);
    scadyg_options *options = train_options("scadyg", "link", QUICK);
    const uint64_t events_there = events->shape.events;
    int worth = 0;
    assert_int_equal(sg_scadyg_trial.worth(NULL, events, options, &worth, NULL), SCADYG_OK);
    assert_int_equal(worth, 1);
    events->shape.events = ((uint64_t)1 << 23) + 1;
    assert_int_equal(sg_scadyg_trial.worth(NULL, events, options, &worth, NULL), SCADYG_OK);
    assert_int_equal(worth, 0);
    events->shape.events = events_there;
    scadyg_options_close(options);
    scadyg_events_close(events);
}

/* What comes out is a training with the better value, and it says so; one that is resumed does not try again. */
static void the_better_one(void **state)
{
    (void)state;
    scadyg_events *events = shop(1500);
    char path[64], value[8];
    double off, on;
    make_path(path);
    unlink(path);
    scadyg_model *model = train_with(events, QUICK, path, 0);
    assert_int_equal(sscanf(noted,
                            "--vectors %7[a-z]: after short trainings the validation MRR is %lf with off, %lf",
                            value, &off, &on),
                     3);
    print_message("%s\n", noted);
    assert_string_equal(value, on > off * 1.01 ? "on" : "off");
    must_have(model, value);
    scadyg_model *told =
        train_with(events, strcmp(value, "on") == 0 ? QUICK "vectors=on" : QUICK "vectors=off", NULL, 0);
    assert_string_equal(noted, "");
    assert_same_model(model, told);
    scadyg_model *again = train_with(events, QUICK, path, 1);
    assert_string_equal(noted, "");
    assert_same_model(model, again);
    scadyg_model_close(model);
    scadyg_model_close(told);
    scadyg_model_close(again);
    scadyg_events_close(events);
    unlink(path);
}

/* Where nothing can be validated nothing is found out, and that is said. */
static void nothing_to_compare(void **state)
{
    (void)state;
    scadyg_events *events = shop(1500);
    scadyg_model *model = train_with(events, QUICK "train-share=1", NULL, 0);
    assert_string_equal(noted, "--vectors off: the short trainings have no validation score to compare");
    must_have(model, "off");
    scadyg_model_close(model);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(not_worth_it), cmocka_unit_test(nor_on_long_logs),
                                       cmocka_unit_test(the_better_one), cmocka_unit_test(nothing_to_compare)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
