/* What a search varies: how it is read, what is drawn from it, and how it is refused. */
#include "cmocka_all.h"

#include "learn/tune/tune.h"
#include "models/options.h"
#include "train_options.h"

#include <math.h>

/* Values are tried over the options of the paper's model, which has the most. */
static scadyg_options *paper;

static int open_options(void **state)
{
    (void)state;
    paper = train_options("scadyg-paper", "link", NULL);
    return 0;
}

static int close_options(void **state)
{
    (void)state;
    scadyg_options_close(paper);
    return 0;
}

static sg_space opened_over(const scadyg_options *options, const char *text)
{
    sg_space space;
    scadyg_error error = {0};
    if (sg_space_open(&space, options->set, &text, 1, &error)) fail_msg("%s: %s", text, error.message);
    return space;
}

static sg_space opened(const char *text)
{
    return opened_over(paper, text);
}

/* What was drawn, as a number; the text must be one that the option takes back unchanged. */
static double drawn(const sg_space *space, double u)
{
    const sg_option *option = space->dimensions[0].option;
    char *text = sg_dimension_value(space, &space->dimensions[0], u), again[64];
    assert_non_null(text);
    scadyg_options *options = NULL;
    scadyg_error error = {0};
    if (scadyg_options_copy(paper, &options, &error) ||
        scadyg_options_set(options, option->shown.name, text, &error))
        fail_msg("%s", error.message);
    scadyg_options_get(options, option->shown.name, again, sizeof again);
    assert_string_equal(text, again);
    assert_true(sg_dimension_holds(&space->dimensions[0], options));
    scadyg_options_close(options);
    const double value = atof(text);
    free(text);
    return value;
}

/* Whether the options of a kind with these settings lie in what is varied. */
static int holds(const sg_space *space, const char *model, const char *task, const char *settings)
{
    scadyg_options *options = train_options(model, task, settings);
    const int inside = sg_dimension_holds(&space->dimensions[0], options);
    scadyg_options_close(options);
    return inside;
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
    assert_false(holds(&space, "scadyg-paper", "link", "hidden=33"));
    sg_space_close(&space);

    /* Texts may hold dots and commas, or nothing. */
    scadyg_options *affinity = train_options("scadyg-paper", "affinity", NULL);
    space = opened_over(affinity, "labels=../a.csv|..|");
    assert_int_equal(space.dimensions[0].count, 3);
    assert_string_equal(space.dimensions[0].values[0], "../a.csv");
    assert_string_equal(space.dimensions[0].values[2], "");
    assert_true(holds(&space, "scadyg-paper", "affinity", NULL));
    sg_space_close(&space);
    scadyg_options_close(affinity);

    space = opened("normalise=log|none");
    assert_true(holds(&space, "scadyg-paper", "link", "normalise=log"));
    assert_false(holds(&space, "scadyg-paper", "link", "normalise=standard"));
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
    assert_int_equal(sg_space_open(&space, paper->set, &text, 1, &error), SCADYG_E_USAGE);
    if (!strstr(error.message, word)) fail_msg("%s: '%s' does not say '%s'", text, error.message, word);
}

static void refusals(void **state)
{
    (void)state;
    refused("hiden=1", "did you mean 'hidden'");
    refused("learning=1", "has no option 'learning'");
    refused("=1", "has no option ''");
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
    refused("normalise=none..log", "none|log|standard|log-standard");
    refused("model=scadyg|scadyg-paper", "one kind of model");
    refused("task=link|affinity", "one kind of model");
    refused("vectors=off|on", "scadyg-paper has no option 'vectors'"); /* of another kind */
    refused("head=pair|paper", "has no option 'head'");
    refused("lr=0.1|1e-1", "twice");
    refused("threads=1|2", "has no option 'threads'"); /* no result depends on it */
    refused("memory=1G|2G", "has no option 'memory'");
    sg_space space;
    scadyg_error error = {0};
    const char *twice[] = {"lr=1|2", "hidden=4|5", "lr=3|4"};
    assert_int_equal(sg_space_open(&space, paper->set, twice, 3, &error), SCADYG_E_USAGE);
    assert_string_equal(error.message, "--vary lr is given twice");
}

/* Every option of a kind can be varied, whatever it is; what is usually varied is right, for every kind that learns. */
static void any_option(void **state)
{
    (void)state;
    const scadyg_kind *kind;
    for (size_t k = 0; (kind = scadyg_kind_at(k)); k++) {
        if (!kind->learns) continue;
        scadyg_options *options = train_options(kind->name, kind->task, NULL);
        const scadyg_option *option;
        for (size_t i = 0; (option = scadyg_options_at(options, i)); i++) {
            char text[256], value[128];
            if (strcmp(option->name, "model") == 0 || strcmp(option->name, "task") == 0) continue;
            scadyg_options_get(options, option->name, value, sizeof value);
            snprintf(text, sizeof text, "%s=%s", option->name, value);
            sg_space space = opened_over(options, text);
            assert_true(sg_dimension_holds(&space.dimensions[0], options));
            sg_space_close(&space);
        }
        size_t usual = 0;
        for (const char *text; (text = scadyg_tune_default(options, usual)); usual++) {
            sg_space space = opened_over(options, text);
            /* So that the first trial is the default. */
            assert_true(sg_dimension_holds(&space.dimensions[0], options));
            sg_space_close(&space);
        }
        assert_in_range(usual, 3, 8);
        scadyg_options_close(options);
    }
    assert_true(scadyg_tune_moves_target("stepwise") && !scadyg_tune_moves_target("lr"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(ranges),
                                       cmocka_unit_test(refusals), cmocka_unit_test(any_option)};
    return cmocka_run_group_tests(tests, open_options, close_options);
}
