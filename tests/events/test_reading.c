/* How a log was read stays with its events file, and times that are given for it are read so. */
#include "events/reading.h"

#include "importing.h"
#include "scadyg_lab.h"

static const char *put_events(const char *name, const char *text, const sg_import_options *options, char path[128])
{
    char log[128];
    import_one(NULL, put_text("put.csv", text, log), sample_path(name, path), options, NULL);
    remove_file("put.csv");
    return path;
}

static double read_time(const char *events, const char *text)
{
    scadyg_events *file = sample_open(events);
    scadyg_time_reader *reader = NULL;
    scadyg_error error = {0};
    double time = NAN;
    assert_int_equal(scadyg_time_reader_open(file, &reader, &error), SCADYG_OK);
    scadyg_events_close(file); /* it is not needed any more */
    if (scadyg_time_reader_read(reader, text, &time, &error)) time = NAN;
    scadyg_time_reader_close(reader);
    return time;
}

static char *reading_of(const char *events)
{
    scadyg_events *file = sample_open(events);
    char *reading = strdup(scadyg_events_reading(file));
    scadyg_events_close(file);
    assert_non_null(reading);
    return reading;
}

static void expect_reading(const char *events, const char *expected)
{
    char *reading = reading_of(events);
    assert_string_equal(reading, expected);
    free(reading);
}

static const char *const dotted = "src,dst,at\n1,2,31.01.2024 10:00\n3,4,01.02.2024 11:30\n";

static void is_kept(void **state)
{
    (void)state;
    char events[128], first[160];
    const sg_import_options berlin = {
        .told = {.src = "src", .time = "at"}, .timezone = "Europe/Berlin", .skip_bad = 3};
    put_events("plain.events", "src,dst,time\n1,2,2024-01-31\n3,4,2024-02-01\n", NULL, events);
    expect_reading(events, "");
    put_events("x.events", dotted, NULL, events);
    expect_reading(events, "times=%d.%m.%Y\n");
    put_events("y.events", dotted, &berlin, events);
    expect_reading(events, "src=src\ntime=at\ntimezone=Europe/Berlin\nskip-bad=3\ntimes=%d.%m.%Y\n");
    /* The first events of a file were read as it was. */
    scadyg_events *file = sample_open(events);
    snprintf(first, sizeof first, "%s.first", events);
    assert_int_equal(scadyg_events_first(NULL, file, 1, first, NULL), SCADYG_OK);
    scadyg_events_close(file);
    expect_reading(first, "src=src\ntime=at\ntimezone=Europe/Berlin\nskip-bad=3\ntimes=%d.%m.%Y\n");
}

static void times_of_a_log(void **state)
{
    (void)state;
    char events[128];
    const sg_import_options berlin = {.timezone = "Europe/Berlin"};
    put_events("y.events", dotted, &berlin, events);
    const double at = 1706691600; /* 2024-01-31 10:00 in Berlin */
    assert_true(read_time(events, "31.01.2024 10:00") == at);
    assert_true(read_time(events, "2024-01-31 10:00") == at);
    assert_true(read_time(events, "2024-01-31 09:00Z") == at);
    assert_true(read_time(events, "2024-01-31T10:00:00+01:00") == at);
    assert_true(read_time(events, "1706691600") == at);
    assert_true(isnan(read_time(events, "yesterday")));
    /* What is written of it says its zone. */
    scadyg_events *file = sample_open(events);
    scadyg_time_reader *reader = NULL;
    char text[64];
    double back = 0;
    assert_int_equal(scadyg_time_reader_open(file, &reader, NULL), SCADYG_OK);
    scadyg_events_close(file);
    scadyg_time_reader_text(reader, at + 0.25, text);
    assert_string_equal(text, "2024-01-31 09:00:00.25Z");
    scadyg_time_reader_text(reader, 1706659200, text);
    assert_string_equal(text, "2024-01-31 00:00:00Z");
    assert_int_equal(scadyg_time_reader_read(reader, text, &back, NULL), SCADYG_OK);
    assert_true(back == 1706659200);
    scadyg_time_reader_close(reader);
    /* The order of day and month is the log's; of a log with other dates it must be plain. */
    put_events("slashes.events", "src,dst,at\n1,2,31/01/2024\n3,4,01/02/2024\n", NULL, events);
    assert_true(read_time(events, "02/03/2024") == 1709337600); /* the second of March */
    put_events("iso.events", "src,dst,at\n1,2,2024-01-31\n3,4,2024-02-01\n", NULL, events);
    assert_true(isnan(read_time(events, "02/03/2024")));
    assert_true(read_time(events, "13/03/2024") == 1710288000);
    /* Numbers stay numbers, unless the log's dates look like them. */
    put_events("milli.events", "src,dst,time\n1,2,1706691600000\n3,4,1706691600500\n", NULL, events);
    assert_true(read_time(events, "2024-01-31 09:00") == at * 1000);
    assert_true(read_time(events, "1706691600123") == 1706691600123);
    put_events("digits.events", "src,dst,time\n1,2,20240131\n3,4,20240201\n", NULL, events);
    assert_true(read_time(events, "20240131") == 1706659200);
    put_events("numbers.events", "src,dst,time\n1,2,1\n3,4,2\n", NULL, events);
    assert_true(read_time(events, "1.5") == 1.5 && isnan(read_time(events, "2024-01-31")));
}

/* What a stranger wrote into the place of it is no reading. */
static void lines(void **state)
{
    (void)state;
    static const char *const good[] = {"src=a\n", "src=a\ntimes=%d.%m.%Y\n", "timezone=UTC\n", "where=a == b\n"};
    static const char *const bad[] = {"",
                                      "src=a",
                                      "src\n",
                                      "src=a\nsrc=b\n",
                                      "=a\n",
                                      "nobody=1\n",
                                      "times=%d\n",
                                      "times=%Y\n",
                                      "src=\x1b[0m\n",
                                      "\n",
                                      "src=a\n\n",
                                      "skip-bad=few\n",
                                      "edge-features=f\n",
                                      "times=%Y%m%d\ntimes=%Y%m%d\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(sg_reading_check(good[i], NULL), SCADYG_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (sg_reading_check(bad[i], NULL) == SCADYG_OK) fail_msg("%zu is taken", i);
    int failed = 0;
    char *value = sg_reading_value("src=a\ntime=b c\n", "time", &failed);
    assert_string_equal(value, "b c");
    free(value);
    assert_null(sg_reading_value("src=a\ntime=b\n", "tim", &failed));
    assert_null(sg_reading_value(NULL, "time", &failed));
    assert_int_equal(failed, 0);
}

/* It is verified when the file is opened. */
static void damaged(void **state)
{
    (void)state;
    char events[128];
    scadyg_events *file = NULL;
    put_events("d.events", dotted, NULL, events);
    const size_t size = strlen("times=%d.%m.%Y\n");
    for (size_t i = 1; i <= size; i++) {
        FILE *stream = fopen(events, "r+b");
        assert_non_null(stream);
        assert_int_equal(fseek(stream, -(long)i, SEEK_END), 0);
        const int byte = getc(stream);
        assert_int_equal(fseek(stream, -(long)i, SEEK_END), 0);
        putc(byte ^ 1, stream);
        fclose(stream);
        scadyg_error error = {0};
        assert_int_equal(scadyg_events_open(events, &file, &error), SCADYG_E_FORMAT);
        assert_non_null(strstr(error.message, "damaged"));
        put_events("d.events", dotted, NULL, events);
    }
    assert_int_equal(scadyg_events_open(events, &file, NULL), SCADYG_OK);
    scadyg_events_close(file);
}

/* The order of day and month in what is appended is that of what was there. */
static void appended(void **state)
{
    (void)state;
    char events[128], whole[128], text[128];
    scadyg_error error = {0};
    const char *const more = "1,4,02/02/2024\n";
    char all[256], alone[128];
    snprintf(all, sizeof all, "src,dst,at\n1,2,31/01/2024\n3,4,01/02/2024\n%s", more);
    snprintf(alone, sizeof alone, "src,dst,at\n%s", more);
    put_events("w.events", all, NULL, whole);
    put_events("a.events", "src,dst,at\n1,2,31/01/2024\n3,4,01/02/2024\n", NULL, events);
    const char *file = put_text("more.csv", alone, text);
    for (int dry = 1; dry >= 0; dry--)
        if (scadyg_append(NULL, events, &file, 1, dry, NULL, NULL, &error)) fail_msg("%s", error.message);
    assert_same_files(whole, events);
    expect_reading(events, "times=%d/%m/%Y\n");
}

static int set_up(void **state)
{
    (void)state;
    sample_in_memory();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_kept), cmocka_unit_test(times_of_a_log),
                                       cmocka_unit_test(lines), cmocka_unit_test(damaged),
                                       cmocka_unit_test(appended)};
    int failed = cmocka_run_group_tests(tests, set_up, NULL);
    sample_clean();
    return failed;
}
