/* Options: what is taken, what is refused, and that each refusal says what would be right. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "base/status.h"

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
} parameters;

static const scadyg_option table[] = {
    {"flag", 0, SCADYG_OPTION_FLAG, offsetof(parameters, flag), NULL, NULL, NULL, 1, 0, ""},
    {"count", 0, SCADYG_OPTION_INT, offsetof(parameters, count), "N", "100", NULL, 1, 1000, ""},
    {"window", 0, SCADYG_OPTION_INT, offsetof(parameters, window), "N", "all", "all", 1, 1e18, ""},
    {"rate", 0, SCADYG_OPTION_REAL, offsetof(parameters, rate), "G", "0.5", NULL, 0, 1e18, ""},
    {"memory", 0, SCADYG_OPTION_SIZE, offsetof(parameters, memory), "SIZE", "1G", NULL, 1 << 20, 1e18, ""},
    {"rule", 0, SCADYG_OPTION_CHOICE, offsetof(parameters, rule), "R", "time", "time|count|other", 1, 0, ""},
    {"text", 0, SCADYG_OPTION_TEXT, offsetof(parameters, text), "T", NULL, NULL, 1, 0, ""},
    {"gamma", 0, SCADYG_OPTION_REAL, offsetof(parameters, gamma), "G", NULL, "auto", 1e-300, 1e300, ""},
    {"room", 0, SCADYG_OPTION_SIZE, offsetof(parameters, room), "SIZE", NULL, "auto", 1 << 20, 1e18, ""},
};
enum { FLAG, COUNT, WINDOW, RATE, MEMORY, RULE, TEXT, GAMMA, ROOM, OPTIONS };

static int set(parameters *p, int option, const char *text, scadyg_error *error)
{
    return scadyg_option_set(&table[option], p, text, error);
}

static void defaults(void **state)
{
    (void)state;
    parameters p;
    memset(&p, 0x55, sizeof p);
    p.flag = 0;
    p.text = NULL;
    scadyg_options_default(table, OPTIONS, &p);
    assert_int_equal(p.flag, 0);
    assert_int_equal(p.count, 100);
    assert_int_equal(p.window, 0);
    assert_true(p.rate == 0.5);
    assert_int_equal(p.memory, (uint64_t)1 << 30);
    assert_int_equal(p.rule, 0);
    assert_null(p.text);
}

static void good_values(void **state)
{
    (void)state;
    parameters p = {0};
    assert_int_equal(set(&p, FLAG, NULL, NULL), SCADYG_OK);
    assert_int_equal(p.flag, 1);
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
    assert_int_equal(scadyg_option_text(&table[option], p, text, sizeof text), strlen(expected));
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
    assert_int_equal(scadyg_option_text(&table[TEXT], &p, small, sizeof small), 4);
    assert_string_equal(small, "lon");
    assert_int_equal(scadyg_option_text(&table[TEXT], &p, NULL, 0), 4);
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
            scadyg_option_text(&table[option], &p, text, sizeof text);
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
        if (!strstr(error.message, bad[i].says) || !strstr(error.message, table[bad[i].option].name))
            fail_msg("'%s' answered by '%s'", bad[i].text ? bad[i].text : "nothing", error.message);
        assert_memory_equal(&p, &before, sizeof p);
    }
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
    for (int status = SCADYG_OK; status <= SCADYG_E_CANCELLED; status++)
        assert_string_not_equal(scadyg_status_name(status), "unknown status");
    assert_string_equal(scadyg_status_name(99), "unknown status");
    assert_string_equal(scadyg_version(), "0.1.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),        cmocka_unit_test(good_values),
        cmocka_unit_test(bad_values),      cmocka_unit_test(values_as_text),
        cmocka_unit_test(text_reads_back), cmocka_unit_test(messages_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
