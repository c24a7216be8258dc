/* Options: what is taken, what is refused, and that each refusal says what would be right. */
#include "cmocka_all.h"

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
} parameters;

static const scadyg_option table[] = {
    {"flag", 0, SCADYG_OPTION_FLAG, offsetof(parameters, flag), NULL, NULL, NULL, 1, 0, ""},
    {"count", 0, SCADYG_OPTION_INT, offsetof(parameters, count), "N", "100", NULL, 1, 1000, ""},
    {"window", 0, SCADYG_OPTION_INT, offsetof(parameters, window), "N", "all", "all", 1, 1e18, ""},
    {"rate", 0, SCADYG_OPTION_REAL, offsetof(parameters, rate), "G", "0.5", NULL, 0, 1e18, ""},
    {"memory", 0, SCADYG_OPTION_SIZE, offsetof(parameters, memory), "SIZE", "1G", NULL, 1 << 20, 1e18, ""},
    {"rule", 0, SCADYG_OPTION_CHOICE, offsetof(parameters, rule), "R", "time", "time|count|other", 1, 0, ""},
    {"text", 0, SCADYG_OPTION_TEXT, offsetof(parameters, text), "T", NULL, NULL, 1, 0, ""},
};
enum { FLAG, COUNT, WINDOW, RATE, MEMORY, RULE, TEXT, OPTIONS };

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
        cmocka_unit_test(defaults),
        cmocka_unit_test(good_values),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(messages_are_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
