/* The ways to write times: read, told apart, refused; and time zones. */
#include "cmocka_all.h"

#include "events/time_format.h"
#include "events/time_text.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double read_by(const char *pattern, const char *text, const sg_zone *zone)
{
    sg_time_format format;
    sg_time_read out;
    assert_int_equal(sg_time_format_tell(pattern, &format, NULL), SCADYG_OK);
    return sg_time_format_read(&format, zone, text, strlen(text), &out) ? -1e300 : out.seconds;
}

/* One text alone: what it is found to be, and read as. */
static double read_found(const char *text, int *ambiguous)
{
    const sg_time_sample sample = {text, strlen(text)};
    sg_time_format format;
    sg_time_read out = {-1e300, 0, 0, 0};
    const char *other;
    if (!sg_time_format_find(&sample, 1, &format, &other)) return -1e300;
    *ambiguous = other != NULL;
    if (format.kind == SG_TIMES_NUMBERS || format.kind == SG_TIMES_NANO) return -2e300;
    if (sg_time_format_read(&format, NULL, text, strlen(text), &out)) return -1e300;
    return out.seconds;
}

static void found(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double seconds;
        int ambiguous;
    } cases[] = {
        {"2024-01-02", 1704153600, 0},
        {"2024-01-02 03:18:42", 1704165522, 0},
        {"2024-01-02T03:18:42Z", 1704165522, 0},
        {"2024-01-02 03:18:42 UTC", 1704165522, 0},
        {"2024-01-02 03:18:42+02", 1704158322, 0},
        {"2024-01-02 03:18:42 +02:00", 1704158322, 0},
        {"2024-01-02 03:18:42.250-0530", 1704185322.25, 0},
        {"2024-01-02 03:18:42,250", 1704165522.25, 0},
        {"2024-01-02 3:18 PM", 1704208680, 0},
        {"2024-01-02 12:05 AM", 1704153900, 0},
        {"2024-01-02 3:18 p.m.", 1704208680, 0},
        {"2024-01-02-03.18.42.250000", 1704165522.25, 0},
        {"20240102031842Z", 1704165522, 0},
        {"20240102031842.0Z", 1704165522, 0},
        {"2024010203", 1704164400, 0},
        {"240102031842", 1704165522, 0},
        {"2024.01.02. 03:18:42", 1704165522, 0},
        {"2024. 01. 02.", 1704153600, 0},
        {"02.01.2024 03:18 Uhr", 1704165480, 0},
        {"13/01/2024 12h30", 1705149000, 0},
        {"2024-01-02 03", 1704164400, 0},
        {"2024-01-02_03-18-42", 1704165522, 0},
        {"20240102_031842", 1704165522, 0},
        {"Tue, 2 Jan 24 03:18:42 GMT", 1704165522, 0},
        {"2 Jan 24 03:18:42", 1704165522, 0},
        {"20240102031842250", 1704165522.25, 0},
        {"20240102031842250000", 1704165522.25, 0},
        {"Tue Jan 02 2024 04:18:42 GMT+0100 (Central European Standard Time)", 1704165522, 0},
        {"31/01/2024 08.59.28", 1706691568, 0},
        {"2024-01-01 24:00:00", 1704153600, 0},
        {"2024-01-01 24:00", 1704153600, 0},
        {"31012024", 1706659200, 0},
        {"02012024", 1704153600, 1},
        {"2024-01", 1704067200, 0},
        {"2024-W01-2", 1704153600, 0},
        {"2020-W53-7", 1609632000, 0},
        {"2024-W53-1", -1e300, 0},
        {"/Date(1704165522250)/", 1704165522.25, 0},
        {"2. M\xC3\xA4rz 2024", 1709337600, 0},
        {"2 AO\xC3\x9BT 2024", 1722556800, 0},
        {"2 de enero de 2024", 1704153600, 0},
        {"2 jui 2024", -1e300, 0},
        {"2024-01-02 03:18:42 EST", 1704183522, 0},
        {"2024-01-02 03:18:42 cest", 1704158322, 0},
        {"2024-01-02T03:18:42+01:00[Europe/Berlin]", 1704161922, 0},
        {"02-JAN-24 03.18.42.250000 PM", 1704208722.25, 0},
        {"02-JAN-24 03.18.42.000000 AM +01:00", 1704161922, 0},
        {"02/Jan/2024:03:18:42", 1704165522, 0},
        {"02/Jan/24 3:18 AM", 1704165480, 0},
        {"Tue Jan 2 03:18:42 2024 +0100", 1704161922, 0},
        {"Tue Jan 02 03:18:42 CET 2024", 1704161922, 0},
        {"Jan-02-24", 1704153600, 0},
        {"Tuesday, January 2, 2024", 1704153600, 0},
        {"2024/01/02", 1704153600, 0},
        {"2024/01/02 03:18", 1704165480, 0},
        {"20240102", 1704153600, 0},
        {"20240102T030405Z", 1704164645, 0},
        {"20240102T030405", 1704164645, 0},
        {"20240102030405", 1704164645, 0},
        {"02.01.2024 03:18", 1704165480, 0},
        {"2.1.2024", 1704153600, 0},
        {"01/02/2024", 1706745600, 1}, /* day first, unless it is told otherwise: so ambiguous */
        {"13/02/2024", 1707782400, 0},
        {"02/13/2024 03:18:42 AM", 1707794322, 0},
        {"13-02-2024", 1707782400, 0},
        {"31/12/23", 1703980800, 0},
        {"2-Jan-2024 03:18", 1704165480, 0},
        {"02 January 2024", 1704153600, 0},
        {"Jan 2, 2024, 3:18 PM", 1704208680, 0},
        {"Tue, 02 Jan 2024 03:18:42 +0200", 1704158322, 0},
        {"Tue, 2 Jan 2024 03:18:42 +0200 (CEST)", 1704158322, 0},
        {"Tue Jan  2 03:18:42 2024", 1704165522, 0},
        {"Tue Jan  2 03:18:42 UTC 2024", 1704165522, 0},
        {"02/Jan/2024:03:18:42 +0000", 1704165522, 0},
        {"2024-02-30", -1e300, 0},
        {"2024-13-01", -1e300, 0},
        {"2024-01-02 25:00", -1e300, 0},
        {"2024-01-02 03:18:42 Mars", -1e300, 0},
        {"SKU-50", -1e300, 0},
        {"03:18:42", -1e300, 0},
        {"", -1e300, 0},
        {"1704165522", -2e300, 0},
        {"1704165522123456789", -2e300, 0},
        {"20241332", -2e300, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int ambiguous = 0;
        const double seconds = read_found(cases[i].text, &ambiguous);
        if (seconds != cases[i].seconds || ambiguous != cases[i].ambiguous)
            fail_msg("'%s' is %.17g (%d), not %.17g (%d)", cases[i].text, seconds, ambiguous, cases[i].seconds,
                     cases[i].ambiguous);
    }
}

/* One of them decides for all. */
static void decided_by_another(void **state)
{
    (void)state;
    static const struct {
        const char *texts[3];
        const char *pattern;
        int ambiguous;
    } cases[] = {
        {{"01/02/2024", "03/04/2024", "05/06/2024"}, "%d/%m/%Y%+", 1},
        {{"01/02/2024", "13/04/2024", "05/06/2024"}, "%d/%m/%Y%+", 0},
        {{"01/02/2024", "03/14/2024", "05/06/2024"}, "%m/%d/%Y%+", 0},
        {{"01-02-2024", "03-14-2024", "n/a"}, "%m-%d-%Y%+", 0},
        {{"20240102", "20240103", "20240104"}, "%Y%m%d%+", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        sg_time_sample samples[3];
        for (size_t k = 0; k < 3; k++) samples[k] = (sg_time_sample){cases[i].texts[k], strlen(cases[i].texts[k])};
        sg_time_format format;
        const char *other;
        assert_true(sg_time_format_find(samples, 3, &format, &other) >= 2);
        assert_int_equal(format.kind, SG_TIMES_PATTERN);
        assert_string_equal(format.pattern, cases[i].pattern);
        assert_int_equal(other != NULL, cases[i].ambiguous);
    }
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *texts[2];
        int kind;
    } cases[] = {{{"1", "2"}, SG_TIMES_NUMBERS},
                 {{"1704165522123", "1704165522124"}, SG_TIMES_NUMBERS},
                 {{"1704165522123456789", "1704165522123456790"}, SG_TIMES_NANO},
                 {{"20240102", "20240199"}, SG_TIMES_NUMBERS}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        const sg_time_sample samples[] = {{cases[i].texts[0], strlen(cases[i].texts[0])},
                                          {cases[i].texts[1], strlen(cases[i].texts[1])}};
        sg_time_format format;
        const char *other;
        assert_int_equal(sg_time_format_find(samples, 2, &format, &other), 2);
        assert_int_equal(format.kind, cases[i].kind);
    }
}

static void told(void **state)
{
    (void)state;
    assert_true(read_by("%d|%m|%Y %H.%M", "02|01|2024 03.18", NULL) == 1704165480);
    assert_true(read_by("%Y-%m-%d %H:%M:%S.%f", "2024-01-02 03:18:42.5", NULL) == 1704165522.5);
    assert_true(read_by("%m/%d/%y %I:%M %p", "01/02/24 03:18 pm", NULL) == 1704208680);
    assert_true(read_by("%Y%j", "2024002", NULL) == 1704153600);
    assert_true(read_by("t=%s", "t=1704165522", NULL) == 1704165522);
    assert_true(read_by("%B %Y", "January 2024", NULL) == 1704067200);
    assert_true(read_by("%d.%m.%Y", "02.01.2024x", NULL) == -1e300);
    sg_time_format format;
    scadyg_error error = {0};
    assert_int_equal(sg_time_format_tell("%H:%M", &format, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "names no year"));
    assert_int_equal(sg_time_format_tell("%Y-%q", &format, &error), SCADYG_E_USAGE);
    assert_non_null(strstr(error.message, "'%q'"));
    assert_int_equal(sg_time_format_tell("%Y-%m-%", &format, &error), SCADYG_E_USAGE);
}

static void two_fields(void **state)
{
    (void)state;
    const sg_time_format iso = {.kind = SG_TIMES_ISO};
    sg_time_read out;
    assert_int_equal(sg_time_format_read_two(&iso, NULL, "2024-01-02", 10, "03:18:42", 8, 0, &out), 0);
    assert_true(out.seconds == 1704165522 && out.has_clock);
    assert_int_equal(sg_time_format_read_two(&iso, NULL, "2024-01-02", 10, "3:18 PM", 7, 0, &out), 0);
    assert_true(out.seconds == 1704208680);
    assert_int_equal(sg_time_format_read_two(&iso, NULL, "2024-01-02", 10, "noon", 4, 0, &out), -1);
    assert_int_equal(sg_time_format_read_two(&iso, NULL, "2024-01-02 03:18", 16, "03:18", 5, 0, &out), -1);
    assert_true(sg_is_clock("03:18:42", 8) && sg_is_clock("3:18 pm", 7) && !sg_is_clock("3:61", 4));
}

/* "CET-1CEST,M3.5.0,M10.5.0/3" without a single change before: a slim file of the database. */
static const unsigned char *make_file(const char *footer, size_t *size)
{
    static unsigned char data[256];
    memset(data, 0, sizeof data);
    for (size_t at = 0; at <= 44; at += 44) { /* both headers have one type and no changes */
        memcpy(data + at, "TZif2", 5);
        data[at + 20 + 19] = at ? 1 : 0;
        data[at + 20 + 23] = at ? 4 : 0;
    }
    size_t at = 88;
    data[at + 2] = 0x0E, data[at + 3] = 0x10; /* 3600 */
    at += 6;
    memcpy(data + at, "CET", 4);
    at += 4;
    data[at++] = '\n';
    memcpy(data + at, footer, strlen(footer));
    at += strlen(footer);
    data[at++] = '\n';
    *size = at;
    return data;
}

static void zones(void **state)
{
    (void)state;
    static const struct {
        int64_t local, utc;
    } cases[] = {
        {1704165522, 1704165522 - 3600},               /* winter */
        {1720000000, 1720000000 - 7200},               /* summer */
        {1711850399, 1711850399 - 3600},               /* 2024-03-31 01:59:59 */
        {1711854000, 1711854000 - 7200},               /* 03:00:00 */
        {1711852200, 1711852200 - 3600},               /* 02:30 does not exist: 01:30 UTC, which is 03:30 */
        {1729994400 - 1, 1729994400 - 1 - 7200},       /* 2024-10-27 01:59:59, summer */
        {1729994400 + 1800, 1729994400 + 1800 - 7200}, /* 02:30 is there twice: the first */
        {1729998000, 1729998000 - 3600},               /* 03:00 */
        {4100000000, 4100000000 - 3600},               /* far ahead */
    };
    sg_zone *zone = NULL;
    size_t size;
    const unsigned char *data = make_file("CET-1CEST,M3.5.0,M10.5.0/3", &size);
    assert_int_equal(sg_zone_parse(data, size, "x", &zone, NULL), SCADYG_OK);
    for (size_t i = 0; i < COUNT(cases); i++)
        if (sg_zone_to_utc(zone, cases[i].local) != cases[i].utc)
            fail_msg("%lld is %lld, not %lld", (long long)cases[i].local,
                     (long long)sg_zone_to_utc(zone, cases[i].local), (long long)cases[i].utc);
    assert_true(read_by("%d.%m.%Y %H:%M", "02.07.2024 12:00", zone) == 1719914400);
    sg_zone_close(zone);
    /* Every cut of it, and footers that make no sense. */
    for (size_t cut = 0; cut < size; cut++) {
        zone = NULL;
        assert_int_equal(sg_zone_parse(data, cut, "x", &zone, NULL), SCADYG_E_USAGE);
    }
    static const char *const bad[] = {"C-1", "CET", "CET-1CEST", "CET-1CEST,M13.1.0,M10.5.0",
                                      "CET-1CEST,M3.5.0,M10.5.0x"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        data = make_file(bad[i], &size);
        assert_int_equal(sg_zone_parse(data, size, "x", &zone, NULL), SCADYG_E_USAGE);
    }
}

static void zone_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t offset;
    } good[] = {{"UTC", 0},     {"utc", 0},   {"+02:00", 7200},     {"-0330", -12600},
                {"+05", 18000}, {"UTC+1", 1}, {"GMT-03:00", -10800}};
    for (size_t i = 0; i < COUNT(good); i++) {
        sg_zone *zone = NULL;
        int status = sg_zone_open(good[i].name, &zone, NULL);
        if (good[i].offset == 1) {
            assert_int_not_equal(status, SCADYG_OK);
            continue;
        }
        assert_int_equal(status, SCADYG_OK);
        assert_true(sg_zone_to_utc(zone, 1000000) == 1000000 - good[i].offset);
        sg_zone_close(zone);
    }
    static const char *const bad[] = {"", "Nowhere/Land", "../../etc/passwd", "/etc/localtime", "Europe", "+25:00"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        sg_zone *zone = NULL;
        scadyg_error error = {0};
        assert_int_equal(sg_zone_open(bad[i], &zone, &error), SCADYG_E_USAGE);
        assert_non_null(strstr(error.message, "there is no time zone"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found),      cmocka_unit_test(decided_by_another), cmocka_unit_test(numbers),
        cmocka_unit_test(told),       cmocka_unit_test(two_fields),         cmocka_unit_test(zones),
        cmocka_unit_test(zone_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
