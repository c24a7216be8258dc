/* Options: what is taken, what is refused, and that each refusal says what would be right. */
#include "cmocka_all.h"

#include "base/options.h"
#include "base/rng.h"

#include <string.h>

typedef struct parameters {
    int flag;
    int64_t count;
    int64_t window;
    double rate;
    uint64_t memory;
    int rule;
    const char *text;
    double gamma;
    uint64_t room;
    int64_t least;
    const char *kind;
} parameters;

static const sg_option table[] = {
    SG_OPTION(parameters, flag, "flag", 0, SCADYG_OPTION_FLAG, NULL, NULL, NULL, 1, 0, "", 0),
    SG_OPTION(parameters, count, "count", 0, SCADYG_OPTION_INT, "N", "100", NULL, 1, 1000, "", 0),
    SG_OPTION(parameters, window, "window", 0, SCADYG_OPTION_INT, "N", "all", "all", 1, 1e18, "", 1),
    SG_OPTION(parameters, rate, "rate", 0, SCADYG_OPTION_REAL, "G", "0.5", NULL, 0, 1e18, "", 1),
    SG_OPTION(parameters, memory, "memory", 0, SCADYG_OPTION_SIZE, "SIZE", "1G", NULL, 1 << 20, 1e18, "", 1),
    SG_OPTION(parameters, rule, "rule", 0, SCADYG_OPTION_CHOICE, "R", "time", "time|count|other", 1, 0, "", 1),
    SG_OPTION(parameters, text, "text", 0, SCADYG_OPTION_TEXT, "T", NULL, NULL, 1, 0, "", 1),
    SG_OPTION(parameters, gamma, "gamma", 0, SCADYG_OPTION_REAL, "G", NULL, "auto", 1e-300, 1e300, "", 1),
    SG_OPTION(parameters, room, "room", 0, SCADYG_OPTION_SIZE, "SIZE", NULL, "auto", 1 << 20, 1e18, "", 1),
    SG_OPTION(parameters, least, "least", 0, SCADYG_OPTION_INT, "N", NULL, NULL, 5, 9, "", 1),
    SG_OPTION(parameters, kind, "kind", 0, SCADYG_OPTION_TEXT, "K", "none", NULL, 1, 0, "", 1),
};
enum { FLAG, COUNT, WINDOW, RATE, MEMORY, RULE, TEXT, GAMMA, ROOM, LEAST, KIND };

/* Together a window must be longer than what is counted. */
static int check_all(const void *values, scadyg_error *error)
{
    const parameters *p = values;
    if (p->window == 0 || p->window > p->count) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE, "--window must be more than --count");
}

static const sg_option_set options_set = SG_OPTION_SET("sample", table, parameters, check_all);
static const sg_option_set other_set = SG_OPTION_SET("other", table, parameters, NULL);

static int set(parameters *p, int option, const char *text, scadyg_error *error)
{
    return sg_option_set_text(&table[option], p, text, error);
}

static void defaults(void **state)
{
    (void)state;
    parameters p;
    memset(&p, 0x55, sizeof p);
    sg_options_defaults(&options_set, &p);
    assert_int_equal(p.flag, 0);
    assert_int_equal(p.count, 100);
    assert_int_equal(p.window, 0);
    assert_true(p.rate == 0.5);
    assert_int_equal(p.memory, (uint64_t)1 << 30);
    assert_int_equal(p.rule, 0);
    assert_null(p.text);
    assert_true(p.gamma == 0 && p.room == 0 && p.least == 0);
    assert_string_equal(p.kind, "none");
}

static void good_values(void **state)
{
    (void)state;
    parameters p = {0};
    assert_int_equal(set(&p, FLAG, NULL, NULL), SCADYG_OK);
    assert_int_equal(p.flag, 1);
    assert_int_equal(set(&p, FLAG, "false", NULL), SCADYG_OK);
    assert_int_equal(p.flag, 0);
    assert_int_equal(set(&p, FLAG, "1", NULL), SCADYG_OK);
    assert_int_equal(p.flag, 1);
    assert_int_equal(set(&p, FLAG, "0", NULL), SCADYG_OK);
    assert_int_equal(p.flag, 0);
    assert_int_equal(set(&p, COUNT, "1000", NULL), SCADYG_OK);
    assert_int_equal(p.count, 1000);
    assert_int_equal(set(&p, WINDOW, "7", NULL), SCADYG_OK);
    assert_int_equal(p.window, 7);
    assert_int_equal(set(&p, WINDOW, "all", NULL), SCADYG_OK);
    assert_int_equal(p.window, 0);
    assert_int_equal(set(&p, RATE, "1e-7", NULL), SCADYG_OK);
    assert_true(p.rate == 1e-7);
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"1048576", 1048576}, {"2M", 2097152},           {"2MB", 2097152},  {"2MiB", 2097152},
                 {"1.5g", 1610612736}, {"3T", (uint64_t)3 << 40}, {"1024K", 1048576}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(set(&p, MEMORY, sizes[i].text, NULL), SCADYG_OK);
        assert_int_equal(p.memory, sizes[i].bytes);
    }
    assert_int_equal(set(&p, RULE, "other", NULL), SCADYG_OK);
    assert_int_equal(p.rule, 2);
    assert_int_equal(set(&p, TEXT, "anything", NULL), SCADYG_OK);
    assert_string_equal(p.text, "anything");
    p.gamma = 7;
    p.room = 7;
    assert_int_equal(set(&p, GAMMA, "auto", NULL), SCADYG_OK);
    assert_true(p.gamma == 0);
    assert_int_equal(set(&p, GAMMA, "2.5", NULL), SCADYG_OK);
    assert_true(p.gamma == 2.5);
    assert_int_equal(set(&p, ROOM, "auto", NULL), SCADYG_OK);
    assert_int_equal(p.room, 0);
}

static void text_is(const parameters *p, int option, const char *expected)
{
    char text[64];
    assert_int_equal(sg_option_text(&table[option], p, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

static void values_as_text(void **state)
{
    (void)state;
    parameters p = {.flag = 1, .count = 100, .rate = 0.0034, .memory = 3 << 20, .rule = 1, .text = "a b"};
    text_is(&p, FLAG, "1");
    text_is(&p, COUNT, "100");
    text_is(&p, WINDOW, "all");
    text_is(&p, RATE, "0.0034");
    text_is(&p, MEMORY, "3M");
    text_is(&p, RULE, "count");
    text_is(&p, TEXT, "a b");
    text_is(&p, GAMMA, "auto");
    text_is(&p, ROOM, "auto");
    p = (parameters){.window = -3, .rate = 1e-300, .memory = 1025, .rule = 3};
    text_is(&p, FLAG, "0");
    text_is(&p, COUNT, "0");
    text_is(&p, WINDOW, "-3");
    text_is(&p, RATE, "1e-300");
    text_is(&p, MEMORY, "1025");
    text_is(&p, RULE, "");
    text_is(&p, TEXT, "");
    p.rule = -1;
    text_is(&p, RULE, "");
    p.rate = 5.6790098270506866e-08;
    text_is(&p, RATE, "5.6790098270506866e-08");

    char small[4] = "xxx";
    p.text = "long";
    assert_int_equal(sg_option_text(&table[TEXT], &p, small, sizeof small), 4);
    assert_string_equal(small, "lon");
    assert_int_equal(sg_option_text(&table[TEXT], &p, NULL, 0), 4);
}

/* What is written reads back to the same value, and a digit less would not. */
static void text_reads_back(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 0);
    for (int i = 0; i < 20000; i++) {
        parameters p = {0}, q = {0};
        uint64_t bits = sg_rng_next(&rng) & ~((uint64_t)1 << 63);
        memcpy(&p.rate, &bits, sizeof bits);
        if (i % 2) p.rate = (double)sg_rng_below(&rng, 100000) / 1e4;
        if (!(p.rate <= 1e18)) continue;
        p.memory = ((uint64_t)1 << 20) + (sg_rng_next(&rng) >> (12 + sg_rng_below(&rng, 40)));
        p.window = (int64_t)sg_rng_below(&rng, 1000);
        p.rule = (int)sg_rng_below(&rng, 3);
        for (int option = WINDOW; option <= RULE; option++) {
            char text[64];
            sg_option_text(&table[option], &p, text, sizeof text);
            assert_int_equal(set(&q, option, text, NULL), SCADYG_OK);
        }
        assert_memory_equal(&p, &q, sizeof p);
    }
}

static void bad_values(void **state)
{
    (void)state;
    static const struct {
        int option;
        const char *text, *says;
    } bad[] = {
        {FLAG, "", "0 or 1"},
        {FLAG, "perhaps", "0 or 1"},
        {COUNT, "", "whole number"},
        {COUNT, "1.5", "whole number"},
        {COUNT, "12x", "whole number"},
        {COUNT, "99999999999999999999", "whole number"},
        {COUNT, "0", "between 1 and 1000"},
        {COUNT, "1001", "between 1 and 1000"},
        {COUNT, NULL, "takes an argument"},
        {WINDOW, "some", "a whole number or 'all'"},
        {WINDOW, "0", "at least 1"},
        {RATE, "fast", "a number"},
        {RATE, "nan", "a number"},
        {RATE, "inf", "a number"},
        {RATE, "-1", "at least 0"},
        {GAMMA, "none", "a number or 'auto'"},
        {GAMMA, "0", "at least 1e-300"},
        {MEMORY, "-1G", "such as"},
        {MEMORY, "1X", "such as"},
        {MEMORY, "1GG", "such as"},
        {MEMORY, "nan", "such as"},
        {MEMORY, "1e30", "such as"},
        {MEMORY, "9999999T", "such as"},
        {MEMORY, "10", "at least 1048576"},
        {RULE, "", "time|count|other"},
        {RULE, "tim", "time|count|other"},
        {RULE, "time|count", "time|count|other"},
        {TEXT, NULL, "takes an argument"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        parameters p, before;
        memset(&p, 0x33, sizeof p);
        before = p;
        scadyg_error error = {0};
        assert_int_equal(set(&p, bad[i].option, bad[i].text, &error), SCADYG_E_USAGE);
        if (!strstr(error.message, bad[i].says) || !strstr(error.message, table[bad[i].option].shown.name))
            fail_msg("'%s' answered by '%s'", bad[i].text ? bad[i].text : "nothing", error.message);
        assert_memory_equal(&p, &before, sizeof p);
    }
}

/* ---- Sets ---- */

static scadyg_options *open_options(void)
{
    scadyg_options *options = NULL;
    assert_int_equal(sg_options_open(&options_set, &options, NULL), SCADYG_OK);
    return options;
}

static int set_by_name(scadyg_options *options, const char *name, const char *text)
{
    const sg_option *option = sg_option_find(options->set, name);
    assert_non_null(option);
    return sg_options_set(options, option, text, NULL);
}

static void value_is(const scadyg_options *options, const char *name, const char *expected)
{
    char text[64] = "x";
    assert_int_equal(scadyg_options_get(options, name, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
}

static void sets_by_name(void **state)
{
    (void)state;
    scadyg_options *options = open_options();
    assert_null(sg_option_find(&options_set, "coun"));
    value_is(options, "count", "100");
    value_is(options, "nothing of the kind", "");
    value_is(options, "text", "");
    assert_int_equal(set_by_name(options, "count", "7"), SCADYG_OK);
    assert_int_equal(set_by_name(options, "count", "0"), SCADYG_E_USAGE);
    value_is(options, "count", "7"); /* left as it was */
    assert_int_equal(set_by_name(options, "flag", NULL), SCADYG_OK);
    value_is(options, "flag", "1");
    assert_int_equal(scadyg_options_get(options, "memory", NULL, 0), 2);
    size_t count = 0;
    while (scadyg_options_at(options, count)) count++;
    assert_int_equal(count, sizeof table / sizeof *table);
    assert_string_equal(scadyg_options_at(options, WINDOW)->name, "window");
    assert_int_equal(scadyg_options_at(options, WINDOW)->level, 1);
    scadyg_options_close(options);
    scadyg_options_close(NULL);
}

static void texts_are_owned(void **state)
{
    (void)state;
    scadyg_options *options = open_options(), *copy = NULL;
    char text[] = "first";
    assert_int_equal(set_by_name(options, "text", text), SCADYG_OK);
    assert_int_equal(set_by_name(options, "window", "500"), SCADYG_OK);
    memset(text, 'x', sizeof text - 1);
    value_is(options, "text", "first");
    assert_int_equal(scadyg_options_copy(options, &copy, NULL), SCADYG_OK);
    assert_int_equal(set_by_name(options, "text", "second"), SCADYG_OK);
    value_is(copy, "text", "first");
    scadyg_options_close(options);
    value_is(copy, "text", "first");
    value_is(copy, "window", "500");
    value_is(copy, "kind", "none");
    /* An empty text is as if none were given. */
    parameters values;
    assert_int_equal(set_by_name(copy, "text", ""), SCADYG_OK);
    assert_int_equal(set_by_name(copy, "kind", ""), SCADYG_OK);
    assert_int_equal(sg_options_values(copy, &options_set, &values, NULL), SCADYG_OK);
    assert_null(values.text);
    assert_string_equal(values.kind, "");
    scadyg_options_close(copy);
}

static void values_for_a_call(void **state)
{
    (void)state;
    scadyg_error error = {0};
    parameters values;
    memset(&values, 0x55, sizeof values);
    assert_int_equal(sg_options_values(NULL, &options_set, &values, &error), SCADYG_OK);
    assert_int_equal(values.count, 100);
    scadyg_options *options = open_options();
    assert_int_equal(set_by_name(options, "rate", "2"), SCADYG_OK);
    assert_int_equal(sg_options_values(options, &options_set, &values, &error), SCADYG_OK);
    assert_true(values.rate == 2);
    assert_int_equal(sg_options_values(options, &other_set, &values, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "\"sample\""));
    assert_non_null(strstr(error.message, "\"other\""));
    assert_int_equal(set_by_name(options, "window", "50"), SCADYG_OK);
    assert_int_equal(sg_options_values(options, &options_set, &values, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "more than --count"));
    scadyg_options_close(options);
    /* Structs that were filled by hand are checked by the same table. */
    sg_options_defaults(&options_set, &values);
    assert_int_equal(sg_options_check_values(&options_set, &values, &error), SCADYG_OK);
    values.least = 4;
    assert_int_equal(sg_options_check_values(&options_set, &values, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "between 5 and 9"));
    values.least = 5;
    values.rule = 3;
    assert_int_equal(sg_options_check_values(&options_set, &values, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "time|count|other"));
}

static void messages_are_one_line(void **state)
{
    (void)state;
    scadyg_error error;
    assert_int_equal(sg_fail(&error, SCADYG_E_INPUT, "a\nb\x1b[31m\tc %s", "d\r\n"), SCADYG_E_INPUT);
    assert_string_equal(error.message, "a?b?[31m?c d??");
    char path[3000];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    assert_int_equal(sg_fail_system(&error, 2, "cannot open %s", path), SCADYG_E_IO);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_int_equal(sg_fail(NULL, SCADYG_E_INPUT, "nobody listens"), SCADYG_E_INPUT);
    for (int status = SCADYG_OK; status <= SCADYG_E_CHANGED; status++)
        assert_string_not_equal(scadyg_status_name(status), "unknown status");
    assert_string_equal(scadyg_status_name(99), "unknown status");
    assert_string_equal(scadyg_version(), "0.2.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),          cmocka_unit_test(good_values),
        cmocka_unit_test(bad_values),        cmocka_unit_test(values_as_text),
        cmocka_unit_test(text_reads_back),   cmocka_unit_test(messages_are_one_line),
        cmocka_unit_test(sets_by_name),      cmocka_unit_test(texts_are_owned),
        cmocka_unit_test(values_for_a_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
