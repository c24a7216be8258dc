/* Numbers, dates and their text: exact in both directions, whatever the locale. */
#include "cmocka_all.h"

#include "base/rng.h"
#include "events/time_text.h"
#include "scadyg.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void assert_same(double a, double b, const char *text)
{
    if (bits_of(a) != bits_of(b)) fail_msg("%s: %.17g is not %.17g", text, a, b);
}

static void numbers_are_read(void **state)
{
    (void)state;
    const char *good[] = {"0",
                          "-0",
                          "+1",
                          "007",
                          "1.5",
                          ".5",
                          "5.",
                          "1e3",
                          "1E-3",
                          "-2.5e+2",
                          "1e22",
                          "1e23",
                          "9007199254740993",
                          "123456789012345678901234567890",
                          "0.1",
                          "4.9e-324",
                          "2.2250738585072011e-308",
                          "1e-400",
                          "17976931348623157e292",
                          "0.000000000000000000000000000000000001",
                          "8.41e21",
                          "9214843084008499",
                          "0.500000000000000166533453693773481063544750213623046875",
                          "1e000000000000000000003",
                          "00000000000000000000000000000000000000012.5",
                          "1.00000000000000011102230246251565404",
                          "9223372036854775808",
                          "18446744073709551616",
                          "100000000000000000000000000000e-27"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        double value = 1;
        assert_int_equal(sg_parse_double(good[i], strlen(good[i]), &value), 0);
        assert_same(value, strtod(good[i], NULL), good[i]);
    }
    const char *bad[] = {"",   "-",   ".",   "e5",   "1e", "1e+", "1.2.3", "0x10", " 1",
                         "1 ", "1,5", "abc", "nanx", "in", "--1", "1e5.5", "+-1",  "1_000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double value = 7;
        assert_int_equal(sg_parse_double(bad[i], strlen(bad[i]), &value), -1);
        assert_true(value == 7);
    }
    const char *wild[] = {"nan", "NaN", "-nan", "inf", "+Inf", "-INFINITY", "infinity", "1e999", "-1e400"};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        double value = 7;
        assert_int_equal(sg_parse_double(wild[i], strlen(wild[i]), &value), 1);
        assert_true(value == 7);
    }
    double value;
    assert_int_equal(sg_parse_double("12345", 3, &value), 0); /* the field ends where its length says */
    assert_true(value == 123);
    char *endless = malloc(5000);
    assert_non_null(endless);
    memset(endless, '1', 5000);
    endless[1] = '.';
    assert_int_equal(sg_parse_double(endless, 5000, &value), 0);
    assert_true(value == 10.0 / 9 || fabs(value - 10.0 / 9) < 1e-15);
    free(endless);
}

/* Random decimals with up to 19 digits: the fast ways must agree with the C library to the last bit. */
static void reading_agrees_with_strtod(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 1, 1);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        uint64_t digits = sg_rng_next(&rng) >> sg_rng_below(&rng, 64);
        int exponent = (int)sg_rng_below(&rng, 60) - 30;
        size_t length = (size_t)snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        double value;
        assert_int_equal(sg_parse_double(text, length, &value), 0);
        assert_same(value, strtod(text, NULL), text);
    }
}

static void assert_reads_back(double value)
{
    char text[32];
    size_t length = sg_print_double(value, text);
    double back;
    assert_int_equal(length, strlen(text));
    assert_int_equal(sg_parse_double(text, length, &back), 0);
    assert_same(back, value, text);
    assert_same(strtod(text, NULL), value, text);
}

static void assert_float_reads_back(float value)
{
    char text[32];
    size_t length = sg_print_float(value, text);
    double back;
    assert_int_equal(length, strlen(text));
    assert_int_equal(sg_parse_double(text, length, &back), 0);
    assert_same((double)(float)back, (double)value, text);
    assert_same((double)strtof(text, NULL), (double)value, text);
}

static void printing_reads_back(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 2, 1);
    for (int i = 0; i < 15000; i++) {
        uint64_t bits = sg_rng_next(&rng);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isfinite(any)) assert_reads_back(any);
        assert_reads_back(2e9 + 1e8 * sg_rng_unit(&rng));
        assert_reads_back(-2e9 * sg_rng_unit(&rng));
        assert_reads_back(rint(1e6 * sg_rng_unit(&rng)) / 1000);
        assert_reads_back(sg_rng_unit(&rng) * 1e-5);
        assert_reads_back(ldexp(1, (int)sg_rng_below(&rng, 2000) - 1040));
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        if (isfinite(single)) assert_float_reads_back(single);
        assert_float_reads_back((float)sg_rng_normal(&rng));
        assert_float_reads_back((float)(sg_rng_normal(&rng) * 1e-6));
    }
}

static void printing_is_short(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-5, "-5"},
                 {0.1, "0.1"},
                 {-0.25, "-0.25"},
                 {0.05, "0.05"},
                 {100.001, "100.001"},
                 {1082040961, "1082040961"},
                 {1082040961.5, "1082040961.5"},
                 {9007199254740991, "9007199254740991"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {1e300, "1e300"},
                 {1.5e-9, "1.5e-9"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e308"}};
    char text[32];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sg_print_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    sg_print_float(0.1f, text);
    assert_string_equal(text, "0.1");
    sg_print_float(-0.319991479053f, text);
    assert_string_equal(text, "-0.31999147");
    sg_print_float(3.4028235e38f, text);
    assert_string_equal(text, "3.4028235e38");
    sg_print_float(NAN, text);
    assert_string_equal(text, "nan");
    sg_print_float(-INFINITY, text);
    assert_string_equal(text, "-inf");
}

static double date(const char *text)
{
    double seconds = NAN;
    int has_time = -1;
    if (sg_parse_date(text, strlen(text), &seconds, &has_time)) fail_msg("%s is a date", text);
    assert_int_equal(has_time, strlen(text) > 10);
    return seconds;
}

static void dates_are_read(void **state)
{
    (void)state;
    assert_true(date("1970-01-01") == 0);
    assert_true(date("1970-01-01 00:00") == 0);
    assert_true(date("2004-04-15 14:56:01") == 1082040961);
    assert_true(date("2004-04-15T14:56:01Z") == 1082040961);
    assert_true(date("2004-04-15T14:56:01+00:00") == 1082040961);
    assert_true(date("2004-04-15T16:56:01+02:00") == 1082040961);
    assert_true(date("2004-04-15T09:26:01-0530") == 1082040961);
    assert_true(date("2004-04-15 14:56:01.25") == 1082040961.25);
    assert_true(date("1969-12-31 23:59:57.25") == -2.75);
    assert_true(date("1969-12-31 23:59:59.999") == -0.001);
    assert_true(date("1969-12-31 23:59:58.100") == -1.9);
    assert_true(date("0001-01-01") == -62135596800);
    assert_true(date("9999-12-31T23:59:59") == 253402300799);
    assert_true(date("2000-02-29") == 951782400);
    assert_true(date("2014-01-01 09:30") == 1388568600);
    const char *bad[] = {"2001-02-29",
                         "1900-02-29",
                         "2014-13-01",
                         "2014-00-01",
                         "2014-01-00",
                         "2014-04-31",
                         "0000-01-01",
                         "2014-1-1",
                         "2014/01/01",
                         "20140101",
                         "2014-01-01 ",
                         "2014-01-01 24:00",
                         "2014-01-01 23:60",
                         "2014-01-01 23:59:60",
                         "2014-01-01 9:30",
                         "2014-01-01 09:30:",
                         "2014-01-01 09:30:00.",
                         "2014-01-01 09:30:00.5x",
                         "2014-01-01 09:30:00 Z",
                         "2014-01-01 09:30:00+1",
                         "2014-01-01 09:30:00+25:00",
                         "2014-01-01 09:30:00+01:00Z",
                         "2014-01-01X09:30",
                         "-014-01-01",
                         "2014-01-01Z",
                         "0001-01-01 00:00+01:00",
                         "9999-12-31 23:59:59-00:01",
                         "9999-12-31 23:59:59.99999999999999",
                         ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double seconds;
        int has_time;
        if (!sg_parse_date(bad[i], strlen(bad[i]), &seconds, &has_time)) fail_msg("%s is no date", bad[i]);
    }
}

/* Days all over the calendar, against the C library. */
static void days_of_all_years(void **state)
{
    (void)state;
    int64_t first = -62135596800 / 86400, end = 253402300800 / 86400;
    for (int64_t day = first; day < end; day += 5 + day % 3) {
        time_t seconds = (time_t)(day * 86400);
        struct tm parts;
        assert_non_null(gmtime_r(&seconds, &parts));
        char expected[64], text[64];
        snprintf(expected, sizeof expected, "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                 parts.tm_mday);
        scadyg_time_text(SCADYG_TIME_DATE, (double)seconds, text);
        assert_string_equal(text, expected);
        double back;
        int has_time;
        assert_int_equal(sg_parse_date(text, 10, &back, &has_time), 0);
        assert_true(back == (double)seconds);
    }
}

static void times_read_back(void **state)
{
    (void)state;
    sg_rng rng;
    sg_rng_seed(&rng, 3, 1);
    for (int i = 0; i < 15000; i++) {
        double candidates[] = {
            (double)(int64_t)(sg_rng_below(&rng, 315537897600) - 62135596800),
            -62135596800 + 315537897600 * sg_rng_unit(&rng),
            2e9 + sg_rng_unit(&rng),
            -2 * sg_rng_unit(&rng),
            sg_rng_unit(&rng) * 1e-7,
            -sg_rng_unit(&rng) * 1e-7,
            rint(4e12 * sg_rng_unit(&rng)) / 1000 - 2e9,
            sg_rng_unit(&rng) * 1e-40,
            1e14 * sg_rng_unit(&rng),
        };
        for (size_t k = 0; k < sizeof candidates / sizeof *candidates; k++)
            for (int kind = SCADYG_TIME_NUMBER; kind <= SCADYG_TIME_DATETIME; kind++) {
                char text[64];
                double back;
                scadyg_time_text(kind, candidates[k], text);
                if (i % 10 && kind < SCADYG_TIME_DATE) continue;
                assert_int_equal(scadyg_time_parse(kind, text, &back, NULL), SCADYG_OK);
                assert_same(back, candidates[k], text);
            }
    }
}

static void times_for_people(void **state)
{
    (void)state;
    char text[64];
    scadyg_time_human(SCADYG_TIME_UNIX, 1082040961, text);
    assert_string_equal(text, "2004-04-15 14:56:01");
    scadyg_time_human(SCADYG_TIME_UNIX, 1082040961.999, text);
    assert_string_equal(text, "2004-04-15 14:56:01");
    scadyg_time_human(SCADYG_TIME_UNIX_MILLI, 1082040961123, text);
    assert_string_equal(text, "2004-04-15 14:56:01");
    scadyg_time_human(SCADYG_TIME_UNIX, -1, text);
    assert_string_equal(text, "1969-12-31 23:59:59");
    scadyg_time_human(SCADYG_TIME_UNIX, 1e18, text);
    assert_string_equal(text, "1e18");
    scadyg_time_human(SCADYG_TIME_NUMBER, 0.5, text);
    assert_string_equal(text, "0.5");
    scadyg_time_human(SCADYG_TIME_YEAR, 1870, text);
    assert_string_equal(text, "1870");
    scadyg_time_text(SCADYG_TIME_DATETIME, 1388568600, text);
    assert_string_equal(text, "2014-01-01 09:30:00");
    scadyg_time_text(SCADYG_TIME_DATETIME, -2.75, text);
    assert_string_equal(text, "1969-12-31 23:59:57.25");
    scadyg_time_text(SCADYG_TIME_UNIX, 1082040961, text);
    assert_string_equal(text, "1082040961");
    assert_string_equal(scadyg_time_kind_name(SCADYG_TIME_UNIX), "unix seconds");
}

static void time_arguments(void **state)
{
    (void)state;
    scadyg_error error;
    double time;
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_UNIX, "2004-04-15 14:56:01", &time, &error), SCADYG_OK);
    assert_true(time == 1082040961);
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_UNIX_MILLI, "2004-04-15 14:56:01.123", &time, &error),
                     SCADYG_OK);
    assert_true(time == 1082040961123);
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_DATE, "86400", &time, &error), SCADYG_OK);
    assert_true(time == 86400);
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_NUMBER, "2004-04-15", &time, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "number"));
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_YEAR, "2004-04-15", &time, &error), SCADYG_E_USAGE);
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_DATE, "yesterday", &time, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "yesterday"));
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_UNIX, "inf", &time, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "finite"));
    assert_int_equal(scadyg_time_parse(SCADYG_TIME_UNIX, "", &time, &error), SCADYG_E_USAGE);
}

/* A locale with a decimal comma must change nothing; without one installed the C locale is tested again. */
static void any_locale(void **state)
{
    const char *commas[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof commas / sizeof *commas; i++)
        if (setlocale(LC_ALL, commas[i])) break;
    char text[32];
    double value;
    sg_print_double(0.30000000000000004, text);
    assert_string_equal(text, "0.30000000000000004");
    assert_int_equal(sg_parse_double("0.30000000000000004", 19, &value), 0);
    assert_true(value == 0.30000000000000004);
    assert_int_equal(sg_parse_double("1.2345678901234567890123e-40", 28, &value), 0);
    assert_true(value == 1.2345678901234567890123e-40);
    setlocale(LC_ALL, "C");
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_read),    cmocka_unit_test(reading_agrees_with_strtod),
        cmocka_unit_test(printing_reads_back), cmocka_unit_test(printing_is_short),
        cmocka_unit_test(dates_are_read),      cmocka_unit_test(days_of_all_years),
        cmocka_unit_test(times_read_back),     cmocka_unit_test(times_for_people),
        cmocka_unit_test(time_arguments),      cmocka_unit_test(any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
