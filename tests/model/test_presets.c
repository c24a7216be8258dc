/* Options, checks and presets of training. */
#include "model/sample_model.h"

#include "messages/nodes/rates.h"
#include "model/model_file.h"
#include "model/options.h"
#include "model/width.h"

static scadyg_train_options defaults(void)
{
    static const char *const none[] = {NULL};
    return sample_options(none);
}

static void table_is_sound(void **state)
{
    (void)state;
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    assert_string_equal(table[0].name, "task");
    assert_string_equal(table[1].name, "model");
    for (size_t i = 0; i < count; i++) {
        scadyg_train_options options = {0};
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(table[i].name, table[j].name);
            assert_int_not_equal(table[i].offset, table[j].offset);
        }
        if (table[i].fallback) {
            scadyg_error error;
            if (scadyg_option_set(&table[i], &options, table[i].fallback, &error)) fail_msg("%s", error.message);
        }
        assert_ptr_equal(sg_train_option(table[i].name, strlen(table[i].name)), &table[i]);
    }
    assert_null(sg_train_option("step", 4));
    assert_true(sg_option_is_part_of_model("labels") && sg_option_is_part_of_model("seed"));
    assert_false(sg_option_is_part_of_model("threads") || sg_option_is_part_of_model("memory"));
    scadyg_train_options options = defaults();
    assert_int_equal(scadyg_train_check(&options, NULL), SCADYG_OK);
    assert_int_equal(options.messages.repeat, 8);
    assert_int_equal(options.hidden, 0);
    assert_true(options.weight_decay == 1e-5 && options.train_share == 0.7 && options.validation_share == 0.15);
    scadyg_train_options empty = {0};
    assert_int_equal(scadyg_train_check(&empty, NULL), SCADYG_E_USAGE);
}

static void contradictions(void **state)
{
    (void)state;
    static const struct {
        const char *settings[8], *says;
    } cases[] = {
        {{"model", "persistence", NULL}, "--task affinity"},
        {{"task", "affinity", "model", "popularity", NULL}, "--task link"},
        {{"gamma0", "1", "rates", "1,2", NULL}, "exclude each other"},
        {{"rates", "1,x", NULL}, "separated by commas"},
        {{"rates", "1,-1", NULL}, "not negative"},
        {{"rates", "1,2", "without", "time", NULL}, "--without time"},
        {{"rates", "1,2", "without", "hypernetwork,multirate", NULL}, "--without multirate"},
        {{"without", "wings", NULL}, "time,hypernetwork,multirate"},
        {{"without", "time,", NULL}, "time,hypernetwork,multirate"},
        {{"without", "none,time", NULL}, "time,hypernetwork,multirate"},
        {{"model", "edgebank", "without", "time", NULL}, "no parts"},
        {{"train-share", "0.8", "validation-share", "0.2", NULL}, "no test part"},
        {{"train-share", "0.8", "validation-share", "0.3", "split", "time", NULL}, "no test part"},
        {{"steps", "3", NULL}, "more --steps"},
        {{"labels", "f.csv", NULL}, "--task affinity"},
        {{"task", "affinity", "select", "ap", NULL}, "--select ap"},
        {{"task", "affinity", "train-pool", "destination", NULL}, "--train-pool"},
        {{"node-features", "random:0", NULL}, "--node-features"},
        {{"node-features", "random:70000", NULL}, "--node-features"},
        {{"node-features", "random:+3", NULL}, "--node-features"},
        {{"node-features", "all", NULL}, "--node-features"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_train_options options = sample_options(cases[i].settings);
        scadyg_error error;
        if (scadyg_train_check(&options, &error) != SCADYG_E_USAGE) fail_msg("case %zu is accepted", i);
        if (!strstr(error.message, cases[i].says)) fail_msg("case %zu: %s", i, error.message);
    }
    static const char *const good[][8] = {
        {"steps", "3", "split", "time", NULL},
        {"without", "time,hypernetwork,multirate", "gamma0", "3", NULL},
        {"task", "affinity", "model", "persistence", "labels", "f.csv", NULL},
        {"rates", "", "labels", "", "without", "", NULL},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        scadyg_train_options options = sample_options(good[i]);
        scadyg_error error;
        if (scadyg_train_check(&options, &error)) fail_msg("%s", error.message);
    }
}

static void wrong_fields(void **state)
{
    (void)state;
    scadyg_error error;
    scadyg_train_options options = defaults();
    options.learning_rate = strtod("nan", NULL);
    assert_int_equal(scadyg_train_check(&options, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "--lr"));
    options = defaults();
    options.model = 9;
    assert_int_equal(scadyg_train_check(&options, &error), SCADYG_E_USAGE);
    options = defaults();
    options.task = -1;
    assert_int_equal(scadyg_train_check(&options, &error), SCADYG_E_USAGE);
    options = defaults();
    options.messages.hops = 4;
    assert_int_equal(scadyg_train_check(&options, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "--hops"));
}

static void words_of_without(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned what;
    } cases[] = {{NULL, 0},
                 {"", 0},
                 {"none", 0},
                 {"time", SG_WITHOUT_TIME},
                 {"multirate,hypernetwork", SG_WITHOUT_MULTIRATE | SG_WITHOUT_HYPERNETWORK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned what = 99;
        assert_int_equal(sg_without(cases[i].text, &what, NULL), SCADYG_OK);
        assert_int_equal(what, cases[i].what);
    }
}

static void presets_apply(void **state)
{
    (void)state;
    size_t count = 0;
    const char *summary, *name;
    for (; (name = scadyg_preset_name(count, &summary)); count++) {
        scadyg_train_options options = defaults();
        scadyg_error error;
        /* Whatever was set before, a preset overrides what it says and leaves the rest. */
        options.learning_rate = 9;
        options.seed = 77;
        if (scadyg_preset_apply(name, &options, &error)) fail_msg("%s: %s", name, error.message);
        if (scadyg_train_check(&options, &error)) fail_msg("%s: %s", name, error.message);
        assert_true(options.learning_rate < 0.1 && options.seed == 77);
        assert_true(summary && strlen(summary) > 10);
        assert_int_equal(strncmp(name, count ? "paper" : "default", 5), 0);
    }
    assert_int_equal(count, 14);
    assert_null(scadyg_preset_name(SIZE_MAX, NULL));
}

static void figures_of_presets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int task;
        int64_t steps, window;
        double gamma0, rate;
        const char *features;
        size_t hidden;
    } published[] = {
        {"paper:mooc", 0, 100, 9, 5.68e-8, 0.00346, "none", 64},
        {"paper:uci", 0, 273, 10, 9.80e-7, 0.00463, "none", 64},
        {"paper:bitcoinalpha", 0, 226, 39, 9.77e-7, 0.0337, "none", 64},
        {"paper:enron", 0, 100, 24, 8.80e-7, 0.0250, "onehot", 128},
        {"paper:lastfm", 0, 500, 32, 2.27e-7, 0.00276, "none", 64},
        {"paper:unvote", 0, 72, 10, 0.227, 0.00276, "none", 64},
        {"paper:reddit-title", 0, 178, 36, 9.06e-6, 0.00055, "random:128", 128},
        {"paper:stackoverflow", 0, 91, 0, 0, 0.003, "none", 64},
        {"paper:trade", 1, 30, 26, 0.0341, 0.00887, "onehot", 128},
        {"paper:genre", 1, 1580, 0, 0, 0.003, "random:128", 128},
        {"paper:reddit", 1, 1090, 0, 0, 0.003, "random:128", 128},
        {"paper:token", 1, 785, 0, 0, 0.003, "random:128", 128},
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        scadyg_train_options o = defaults();
        assert_int_equal(scadyg_preset_apply(published[i].name, &o, NULL), SCADYG_OK);
        assert_int_equal(o.task, published[i].task);
        assert_int_equal(o.messages.steps, published[i].steps);
        assert_int_equal(o.messages.window, published[i].window);
        assert_true(o.messages.gamma0 >= published[i].gamma0 * 0.995);
        assert_true(o.messages.gamma0 <= published[i].gamma0 * 1.005);
        assert_true(o.learning_rate >= published[i].rate * 0.995 && o.learning_rate <= published[i].rate * 1.005);
        assert_string_equal(o.messages.node_features, published[i].features);
        assert_int_equal(sg_model_hidden(&o), published[i].hidden);
        assert_int_equal(o.messages.step_rule, strcmp(published[i].name, "paper:mooc") == 0);
    }
}

static void unknown_presets(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"mooc", "paper:mooc"},
                                           {"paper:moc", "paper:mooc"},
                                           {"Paper", "paper"},
                                           {"paper:bitcoin", "paper:bitcoinalpha"},
                                           {"paper:red", "paper:reddit-title"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scadyg_train_options options = defaults();
        scadyg_error error;
        char expected[64];
        assert_int_equal(scadyg_preset_apply(cases[i][0], &options, &error), SCADYG_E_USAGE);
        snprintf(expected, sizeof expected, "did you mean %s?", cases[i][1]);
        if (!strstr(error.message, expected)) fail_msg("%s", error.message);
        assert_true(options.learning_rate == 0.002);
    }
}

/* No preset is needed for what is recommended. */
static void default_is_the_table(void **state)
{
    (void)state;
    size_t count;
    const scadyg_option *table = scadyg_train_option_table(&count);
    scadyg_train_options options = {0}, same = {0};
    scadyg_options_default(table, count, &options);
    scadyg_options_default(table, count, &same);
    assert_int_equal(scadyg_preset_apply("default", &options, NULL), SCADYG_OK);
    char *one = sg_options_write(&options), *other = sg_options_write(&same);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

/* The width without a file is the width of a plan of the file. */
static void widths(void **state)
{
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        scadyg_model *model = sample_model(&samples[i]);
        scadyg_events *events = sample_events(&samples[i]);
        if (model->values)
            assert_int_equal(sg_hop_width(&model->options.messages, &model->trained_on) *
                                 (size_t)model->options.messages.hops,
                             sample_width(model, events));
        scadyg_events_close(events);
        scadyg_model_close(model);
    }
    scadyg_messages_options options = {.hops = 1, .repeat = 8, .rates = "1,2,3"};
    sg_trained_on trained_on = {.edge_features = 1};
    assert_int_equal(sg_hop_width(&options, &trained_on), 3);
    trained_on.edge_features = 2;
    assert_int_equal(sg_hop_width(&options, &trained_on), 0);
    options.rates = NULL;
    trained_on.edge_features = UINT32_MAX;
    assert_int_equal(sg_hop_width(&options, &trained_on), 0);
    trained_on.edge_features = 1 << 23;
    assert_int_equal(sg_hop_width(&options, &trained_on), 1 << 23);
    options.hops = 3;
    assert_int_equal(sg_hop_width(&options, &trained_on), 0);

    char *text = sg_equal_rates(0.1, 3);
    double rates[3];
    assert_int_equal(sg_rates_count(text), 3);
    assert_int_equal(sg_rates_parse(text, 3, rates, NULL), SCADYG_OK);
    assert_true(rates[0] == 0.1 && rates[1] == 0.1 && rates[2] == 0.1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_sound),       cmocka_unit_test(contradictions),   cmocka_unit_test(wrong_fields),
        cmocka_unit_test(default_is_the_table), cmocka_unit_test(words_of_without), cmocka_unit_test(presets_apply),
        cmocka_unit_test(figures_of_presets),   cmocka_unit_test(unknown_presets),  cmocka_unit_test(widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
