/* What a search varies: how it is read, what is drawn from it, and how it is refused. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "tasks/tune_space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sg_space opened(const char *text)
{
    sg_space space;
    scadyg_error error = {0};
    if (sg_space_open(&space, &text, 1, &error)) fail_msg("%s: %s", text, error.message);
    return space;
}

/* What was drawn, as a number; the text must be one that the option takes back unchanged. */
static double drawn(const sg_space *space, double u)
{
    const scadyg_option *option = space->dimensions[0].option;
    char *text = sg_dimension_value(&space->dimensions[0], u), again[64];
    assert_non_null(text);
    scadyg_train_options options = {0};
    scadyg_error error = {0};
    if (scadyg_option_set(option, &options, text, &error)) fail_msg("%s", error.message);
    scadyg_option_text(option, &options, again, sizeof again);
    assert_string_equal(text, again);
    assert_true(sg_dimension_holds(&space->dimensions[0], &options));
    const double value = atof(text);
    free(text);
    return value;
}

static void lists(void **state)
{
    (void)state;
    sg_space space = opened("hidden=auto|32|064");
    assert_true(sg_space_size(&space) == 3);
    assert_int_equal(space.dimensions[0].count, 3);
    assert_string_equal(space.dimensions[0].values[0], "auto");
    assert_string_equal(space.dimensions[0].values[2], "64");
    assert_string_equal(space.dimensions[0].spec, "auto|32|064");
    assert_true(drawn(&space, 0) == 0 && drawn(&space, 0.5) == 32 && drawn(&space, 0.999999) == 64);
    scadyg_train_options options = {.hidden = 33};
    assert_false(sg_dimension_holds(&space.dimensions[0], &options));
    sg_space_close(&space);

    /* Texts may hold dots and commas, or nothing. */
    space = opened("labels=../a.csv|..|");
    assert_int_equal(space.dimensions[0].count, 3);
    assert_string_equal(space.dimensions[0].values[0], "../a.csv");
    assert_string_equal(space.dimensions[0].values[2], "");
    assert_true(sg_dimension_holds(&space.dimensions[0], &(scadyg_train_options){0}));
    sg_space_close(&space);

    space = opened("normalise=log|none");
    assert_true(sg_dimension_holds(&space.dimensions[0], &(scadyg_train_options){.normalise = 1}));
    assert_false(sg_dimension_holds(&space.dimensions[0], &(scadyg_train_options){.normalise = 2}));
    sg_space_close(&space);
}

static void ranges(void **state)
{
    (void)state;
    sg_space space = opened("batch=3..6");
    int seen[7] = {0};
    for (int i = 0; i < 1000; i++) {
        const double value = drawn(&space, i / 1000.0);
        assert_true(value >= 3 && value <= 6 && value == floor(value));
        seen[(int)value]++;
    }
    for (int i = 3; i <= 6; i++) assert_int_equal(seen[i], 250);
    assert_true(sg_space_size(&space) == 4);
    sg_space_close(&space);

    /* On a logarithmic scale as many below the middle as above, and the ends belong to it. */
    space = opened("hidden=16..1024:log");
    int below = 0;
    for (int i = 0; i < 1000; i++) below += drawn(&space, i / 1000.0) < 128;
    assert_in_range(below, 490, 510);
    assert_true(drawn(&space, 0) == 16 && drawn(&space, 1 - 0x1p-53) == 1024);
    sg_space_close(&space);

    space = opened("lr=1e-5..0.1:log");
    assert_true(isinf(sg_space_size(&space)));
    below = 0;
    for (int i = 0; i < 1000; i++) {
        const double value = drawn(&space, i / 1000.0);
        assert_true(value >= 1e-5 && value <= 0.1);
        assert_true(fabs(log(value / 1e-5) / log(1e4) - i / 1000.0) < 0.006);
        below += value < 1e-3;
    }
    assert_in_range(below, 490, 510);
    sg_space_close(&space);

    /* A narrow range is not rounded away. */
    space = opened("train-share=0.7..0.7001");
    assert_true(fabs(drawn(&space, 0.5) - 0.70005) < 1e-6);
    assert_true(drawn(&space, 0) >= 0.7 && drawn(&space, 1 - 0x1p-53) <= 0.7001);
    sg_space_close(&space);

    space = opened("seed=-5..5");
    assert_true(drawn(&space, 0) == -5);
    sg_space_close(&space);
}

static void refused(const char *text, const char *word)
{
    sg_space space;
    scadyg_error error = {0};
    assert_int_equal(sg_space_open(&space, &text, 1, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, word)) fail_msg("%s: '%s' does not say '%s'", text, error.message, word);
}

static void refusals(void **state)
{
    (void)state;
    refused("hiden=1", "did you mean 'hidden'");
    refused("learning=1", "did you mean '");
    refused("=1", "did you mean");
    refused("lr", "NAME=VALUES");
    refused("", "NAME=VALUES");
    refused("lr=", "--lr takes a number");
    refused("lr=1|x", "--lr takes a number, not 'x'");
    refused("lr=1e-3||1", "--lr takes a number");
    refused("lr=20..30", "between 1e-12 and 10");
    refused("lr=1..30", "between 1e-12 and 10");
    refused("lr=1..1", "begin below");
    refused("lr=2..1", "begin below");
    refused("lr=1..2:exp", "--lr takes a number");
    refused("lr=..", "--lr takes a number");
    refused("weight-decay=0..1:log", "above 0");
    refused("hidden=auto..5", "not 'auto'");
    refused("hidden=1.5..5", "whole number");
    refused("seed=1..9223372036854775807", "whole numbers ends");
    refused("task=link..affinity", "link|affinity");
    refused("lr=0.1|1e-1", "twice");
    refused("threads=1|2", "no result depends on it");
    refused("memory=1G|2G", "no result depends on it");
    sg_space space;
    scadyg_error error = {0};
    const char *twice[] = {"lr=1|2", "hidden=4|5", "lr=3|4"};
    assert_int_equal(sg_space_open(&space, twice, 3, &error), SCADYG_E_USAGE);
    assert_string_equal(error.message, "--vary lr is given twice");
}

/* Every option of the table can be varied, whatever it is; what is usually varied is right. */
static void any_option(void **state)
{
    (void)state;
    size_t count, usual = 0;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_train_options options = {0};
    scadyg_options_default(table, count, &options);
    for (size_t i = 0; i < count; i++) {
        char text[256], value[128];
        if (strcmp(table[i].name, "threads") == 0 || strcmp(table[i].name, "memory") == 0) continue;
        scadyg_option_text(&table[i], &options, value, sizeof value);
        snprintf(text, sizeof text, "%s=%s", table[i].name, value);
        sg_space space = opened(text);
        assert_true(sg_dimension_holds(&space.dimensions[0], &options));
        sg_space_close(&space);
    }
    for (const char *text; (text = scadyg_tune_default(usual)); usual++) {
        sg_space space = opened(text);
        assert_true(
            sg_dimension_holds(&space.dimensions[0], &options)); /* so that the first trial is the default */
        sg_space_close(&space);
    }
    assert_in_range(usual, 3, 8);
    assert_true(scadyg_tune_moves_target("split") && !scadyg_tune_moves_target("lr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(ranges),
                                       cmocka_unit_test(refusals), cmocka_unit_test(any_option)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
