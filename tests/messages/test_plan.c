/* The plan: columns, rates and names from options, and a clear answer to each wrong one. */
#include "make_events.h"
#include "messages/opening.h"

#include <math.h>

static const uint32_t src[] = {0, 1, 0}, dst[] = {1, 2, 2};
static const double times[] = {10, 15, 30};
static const float weights[] = {2, 3, 4}, features[] = {1, 2, 3, 4, 5, 6};

static made_events base(void)
{
    return (made_events){.count = 3, .nodes = 3, .src = src, .dst = dst, .time = times};
}

static void check(const made_events *made, const sg_messages_options *options, size_t width, const char *first_name,
                  const char *last_name, double first_rate)
{
    scadyg_events *events = make_events(made);
    scadyg_messages *plan = must_open(NULL, events, options);
    assert_int_equal(scadyg_messages_width(plan), width);
    assert_string_equal(scadyg_messages_column_name(plan, 0), first_name);
    assert_string_equal(scadyg_messages_column_name(plan, width - 1), last_name);
    assert_null(scadyg_messages_column_name(plan, width));
    assert_true(fabs(scadyg_messages_rates(plan)[0] - first_rate) <= 1e-15);
    scadyg_messages_close(plan);
    scadyg_events_close(events);
}

static void columns_and_rates(void **state)
{
    (void)state;
    made_events made = base();
    sg_messages_options options = default_messages();
    assert_int_equal(options.steps, 100);
    assert_int_equal(options.window, 0);
    check(&made, &options, 8, "time#1", "time#8", 1.0 / 20);
    made.weight = weights;
    check(&made, &options, 8, "weight#1", "weight#8", 1.0 / 20);
    made.edge_features = 1;
    made.features = features;
    check(&made, &options, 8, "f0#1", "f0#8", 1.0 / 20);
    made.edge_features = 2;
    options.gamma0 = 0.5;
    check(&made, &options, 2, "f0", "f1", 0.5);
    options.node_features = "onehot";
    options.hops = 2;
    check(&made, &options, 10, "f0", "hop2.node:2", 0.5);
    made = base();
    options = default_messages();
    options.repeat = 1;
    check(&made, &options, 1, "time", "time", 1.0 / 20);
    options.rates = "0.3,0.2,0";
    check(&made, &options, 3, "time#1", "time#3", 0.3);
    options.node_features = "random:2";
    check(&made, &options, 3, "time", "node:1", 0.3);
}

static void one_moment_has_rate_one(void **state)
{
    (void)state;
    made_events made = base();
    made.count = 1;
    sg_messages_options options = default_messages();
    check(&made, &options, 8, "time#1", "time#8", 1);
}

static void refuse(const made_events *made, const sg_messages_options *options, const char *message)
{
    scadyg_events *events = make_events(made);
    scadyg_messages *plan = NULL;
    scadyg_error error = {0};
    assert_int_equal(sg_messages_open(NULL, events, options, &plan, &error), SCADYG_E_USAGE);
    assert_null(plan);
    if (!strstr(error.message, message)) fail_msg("'%s' lacks '%s'", error.message, message);
    scadyg_events_close(events);
}

static void wrong_options(void **state)
{
    (void)state;
    made_events made = base();
    struct {
        const char *rates, *node_features, *message;
    } texts[] = {
        {"1,2,x", "none", "numbers separated by commas"},
        {"1,,2", "none", "numbers separated by commas"},
        {"", "none", "numbers separated by commas"},
        {"1,-2", "none", "not negative, not -2"},
        {"1,inf", "none", "finite"},
        {"1,2", "random:3", "--rates has 2 numbers where the message has 11 columns"},
        {NULL, "stored", "no node features"},
        {NULL, "random:0", "D between 1 and 65536"},
        {NULL, "random:-1", "D between 1 and 65536"},
        {NULL, "random:", "D between 1 and 65536"},
        {NULL, "blue", "none, onehot, random:D or stored, not 'blue'"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sg_messages_options options = default_messages();
        options.rates = texts[i].rates;
        options.node_features = texts[i].node_features;
        refuse(&made, &options, texts[i].message);
    }
    sg_messages_options options = default_messages();
    options.gamma0 = -1;
    refuse(&made, &options, "--gamma0");
    options.gamma0 = NAN;
    refuse(&made, &options, "--gamma0");
    options.gamma0 = 1;
    options.rates = "1";
    refuse(&made, &options, "exclude");
    options = default_messages();
    options.hops = 4;
    refuse(&made, &options, "--hops");
    options = default_messages();
    options.steps = 0;
    refuse(&made, &options, "--steps");
    options = default_messages();
    options.window = -1;
    refuse(&made, &options, "--window");
    options = default_messages();
    options.node_features = "onehot";
    made.nodes = 20000;
    refuse(&made, &options, "one-hot features of 20000 nodes");
}

static void the_table_sets_every_field(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"steps", "7"},   {"step-rule", "equal-count"}, {"window", "3"}, {"hops", "2"},  {"gamma0", "0.5"},
        {"rates", "1,2"}, {"node-features", "onehot"},  {"repeat", "4"}, {"seed", "-9"}, {"double", "1"},
    };
    const sg_option *table = sg_messages_set.table;
    assert_int_equal(sg_messages_set.count, sizeof words / sizeof *words);
    sg_messages_options options = default_messages();
    for (size_t i = 0; i < sg_messages_set.count; i++) {
        assert_string_equal(table[i].shown.name, words[i][0]);
        MUST(sg_option_set_text(&table[i], &options, words[i][1], &failure));
        assert_true(table[i].shown.help && table[i].shown.help[0]);
    }
    assert_true(options.steps == 7 && options.step_rule == 1 && options.window == 3 && options.hops == 2 &&
                options.gamma0 == 0.5 && options.repeat == 4 && options.seed == -9 && options.double_precision);
    assert_string_equal(options.rates, "1,2");
    assert_string_equal(options.node_features, "onehot");
    MUST(sg_option_set_text(&table[2], &options, "all", &failure));
    assert_int_equal(options.window, 0);
    scadyg_error error;
    assert_int_equal(sg_option_set_text(&table[2], &options, "0", &error), SCADYG_E_USAGE);
}

/* Other structs take the same rows for the options they hold. */
static void another_table_has_the_rows(void **state)
{
    (void)state;
    typedef struct other {
        double before;
        sg_messages_options messages;
    } other;
    static const sg_option steps[] = {SG_MESSAGES_STEP_OPTIONS(other, messages)};
    static const sg_option all[] = {SG_MESSAGES_OPTIONS(other, messages)};
    static const sg_option_set set = SG_OPTION_SET("other", all, other, NULL);
    assert_int_equal(sizeof steps / sizeof *steps, 2);
    assert_true(set.count + 2 == sg_messages_set.count); /* seed and double are for "messages" alone */
    for (size_t i = 0; i < set.count; i++) {
        assert_string_equal(all[i].shown.name, sg_messages_set.table[i].shown.name);
        assert_int_equal(all[i].offset, sg_messages_set.table[i].offset + offsetof(other, messages));
    }
}

/* By name, from outside; NULL stands for the defaults. */
static void the_public_call(void **state)
{
    (void)state;
    const made_events made = base();
    scadyg_events *events = make_events(&made);
    scadyg_options *options;
    scadyg_messages *plan;
    scadyg_error error;
    MUST(scadyg_messages_open(NULL, events, NULL, &plan, &failure));
    assert_int_equal(scadyg_messages_width(plan), 8);
    scadyg_messages_close(plan);
    MUST(sg_options_open(&sg_messages_set, &options, &failure));
    MUST(sg_options_set(options, sg_option_find(&sg_messages_set, "rates"), "0.3,0.2,0", &failure));
    MUST(scadyg_messages_open(NULL, events, options, &plan, &failure));
    assert_int_equal(scadyg_messages_width(plan), 3);
    scadyg_messages_close(plan);
    MUST(sg_options_set(options, sg_option_find(&sg_messages_set, "gamma0"), "1", &failure));
    assert_int_equal(scadyg_messages_open(NULL, events, options, &plan, &error), SCADYG_E_USAGE);
    scadyg_options_close(options);
    const sg_option_set other = {.name = "other"};
    const scadyg_options wrong = {.set = &other};
    assert_int_equal(scadyg_messages_open(NULL, events, &wrong, &plan, &error), SCADYG_E_USAGE);
    scadyg_events_close(events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_and_rates),
        cmocka_unit_test(one_moment_has_rate_one),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(the_table_sets_every_field),
        cmocka_unit_test(another_table_has_the_rows),
        cmocka_unit_test(the_public_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
