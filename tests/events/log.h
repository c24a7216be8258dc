/*
 * A log in memory, and a slow obvious importer: rows put in order one by one, nodes found by looking through
 * all of them. What an events file holds is compared with that.
 */
#ifndef TESTS_EVENTS_LOG_H
#define TESTS_EVENTS_LOG_H

#include "events/importing.h"

#include <math.h>
#include <time.h>

enum { LOG_FEATURES = 6, LOG_TEXT = 40 };

typedef struct log_row {
    char src[LOG_TEXT], dst[LOG_TEXT], when[LOG_TEXT]; /* as written, without quotes */
    double time;
    float weight, label, features[LOG_FEATURES];
} log_row;

typedef struct event_log {
    size_t count;
    log_row *rows;
    int has_weight, has_label, features, two_id_spaces, one_kind, dates;
    int any_clock; /* of dates: one has a time of day */
} event_log;

static inline void log_free(event_log *l)
{
    free(l->rows);
    *l = (event_log){0};
}

/* ---- Making one ---- */

static inline float random_number(sg_rng *rng, char out[LOG_TEXT])
{
    double value = (sg_rng_unit(rng) - 0.5) * (sg_rng_below(rng, 4) ? 20 : 1e12);
    switch (sg_rng_below(rng, 5)) {
    case 0: snprintf(out, LOG_TEXT, "%.0f", value); break;
    case 1: snprintf(out, LOG_TEXT, "%.3f", value); break;
    case 2: snprintf(out, LOG_TEXT, "%.9g", value); break;
    case 3: snprintf(out, LOG_TEXT, "%e", value); break;
    default: snprintf(out, LOG_TEXT, "%+.2f", value); break;
    }
    return (float)strtod(out, NULL);
}

/* Ids of a kind: 0 small integers, 1 any integers, 2 words, 3 everything. */
static inline void random_id(sg_rng *rng, int kind, size_t pool, char out[LOG_TEXT])
{
    static const char *const odd[] = {"007",      "+5",  "-0", "12345678901234567890", "x y",
                                      "São Tomé", "a'b", "-5", "9223372036854775807",  "-9223372036854775808",
                                      "1.0",      "d:e"};
    uint64_t number = sg_rng_below(rng, pool);
    if (kind == 3) kind = (int)(number % 4);
    if (kind == 0) snprintf(out, LOG_TEXT, "%d", (int)number);
    if (kind == 1) snprintf(out, LOG_TEXT, "%lld", (long long)sg_hash64(number) >> (number % 50));
    if (kind == 2) snprintf(out, LOG_TEXT, "node-%d", (int)number);
    if (kind == 3) strcpy(out, odd[number % (sizeof odd / sizeof *odd)]);
}

/* Times of a kind, as text and as the double they mean. */
enum times { UNIX_SECONDS, SMALL_NUMBERS, DECIMALS, ANY_NUMBERS, YEARS, DATES, MOMENTS, TIMES_KINDS };

static inline void random_date(sg_rng *rng, int with_clock, log_row *row, int *any_clock)
{
    static const char *const zones[] = {"", "", "Z", "+02:00", "-0530"};
    static const int offsets[] = {0, 0, 0, 7200, -19800};
    time_t seconds = (time_t)sg_rng_below(rng, 4000000000u) - 1000000000;
    if (!with_clock) seconds -= (seconds % 86400 + 86400) % 86400;
    struct tm parts;
    gmtime_r(&seconds, &parts);
    row->time = (double)seconds;
    strftime(row->when, LOG_TEXT, "%Y-%m-%d", &parts);
    if (!with_clock || (sg_rng_below(rng, 10) == 0 && parts.tm_hour + parts.tm_min + parts.tm_sec == 0)) return;
    *any_clock = 1;
    size_t zone = sg_rng_below(rng, 5), used = strlen(row->when);
    strftime(row->when + used, LOG_TEXT - used, sg_rng_below(rng, 2) ? "T%H:%M:%S" : " %H:%M:%S", &parts);
    if (sg_rng_below(rng, 3) == 0) {
        strcat(row->when, ".25");
        row->time += 0.25;
    }
    strcat(row->when, zones[zone]);
    row->time -= offsets[zone];
}

static inline void random_time(sg_rng *rng, enum times kind, log_row *row, int *any_clock)
{
    static const char *const odd[] = {"-0",
                                      "0",
                                      "-3.5",
                                      "1e3",
                                      "2.5E-3",
                                      "+7",
                                      "9007199254740992",
                                      "-12345",
                                      "-9007199254740992",
                                      "0.1",
                                      "1234567890.123456",
                                      ".5",
                                      "5.",
                                      "9007199254740994"};
    if (kind == DATES || kind == MOMENTS) {
        random_date(rng, kind == MOMENTS, row, any_clock);
        return;
    }
    if (kind == UNIX_SECONDS) snprintf(row->when, LOG_TEXT, "%d", (int)(1082040961 + sg_rng_below(rng, 3000)));
    if (kind == SMALL_NUMBERS) snprintf(row->when, LOG_TEXT, "%d", (int)sg_rng_below(rng, 400));
    if (kind == DECIMALS) snprintf(row->when, LOG_TEXT, "%.*f", (int)sg_rng_below(rng, 10), 1e6 * sg_rng_unit(rng));
    if (kind == ANY_NUMBERS) strcpy(row->when, odd[sg_rng_below(rng, sizeof odd / sizeof *odd)]);
    if (kind == YEARS) snprintf(row->when, LOG_TEXT, "%d", (int)(1870 + sg_rng_below(rng, 145)));
    row->time = strtod(row->when, NULL);
    if (row->time == 0) row->time = 0; /* there is no negative zero among times */
}

static inline void log_make(event_log *l, sg_rng *rng, size_t count, int id_kind, enum times times)
{
    size_t pool = 1 + sg_rng_below(rng, 60);
    l->count = count;
    l->dates = times == DATES || times == MOMENTS;
    l->rows = calloc(count + 1, sizeof *l->rows);
    if (!l->rows) abort();
    for (size_t i = 0; i < count; i++) {
        random_id(rng, id_kind, pool, l->rows[i].src);
        random_id(rng, id_kind, pool, l->rows[i].dst);
        random_time(rng, times, &l->rows[i], &l->any_clock);
    }
}

/* ---- The slow importer ---- */

static inline int log_by_time(const void *a, const void *b)
{
    const log_row *x = *(const log_row *const *)a, *y = *(const log_row *const *)b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x < y ? -1 : x > y; /* they lie in the order of input */
}

typedef struct log_nodes {
    const char *names[4096];
    int sides[4096];
    uint32_t count;
} log_nodes;

static inline uint32_t log_node(log_nodes *nodes, const char *name, int side)
{
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->sides[i] == side && strcmp(nodes->names[i], name) == 0) return i;
    if (nodes->count == 4096) abort();
    nodes->names[nodes->count] = name;
    nodes->sides[nodes->count] = side;
    return nodes->count++;
}

static inline int log_time_kind(const event_log *l, const log_row *const *order)
{
    double first = order[0]->time, last = order[l->count - 1]->time;
    int whole = 1;
    for (size_t i = 0; i < l->count; i++) whole &= floor(order[i]->time) == order[i]->time;
    if (l->dates) return l->any_clock ? SCADYG_TIME_DATETIME : SCADYG_TIME_DATE;
    if (whole && first >= 1000 && last < 3000) return SCADYG_TIME_YEAR;
    if (first >= 1e8 && last < 1e10) return SCADYG_TIME_UNIX;
    return first >= 1e11 && last < 1e13 ? SCADYG_TIME_UNIX_MILLI : SCADYG_TIME_NUMBER;
}

static inline void check_events(const event_log *l, const log_row *const *order, scadyg_events *events,
                                log_nodes *nodes)
{
    const uint32_t *src = column_of(events, SCADYG_COLUMN_SRC), *dst = column_of(events, SCADYG_COLUMN_DST);
    const double *times = column_of(events, SCADYG_COLUMN_TIME);
    const float *weight = l->has_weight ? column_of(events, SCADYG_COLUMN_WEIGHT) : NULL;
    const float *label = l->has_label ? column_of(events, SCADYG_COLUMN_LABEL) : NULL;
    const float *features = l->features ? column_of(events, SCADYG_COLUMN_EDGE_FEATURES) : NULL;
    for (size_t i = 0; i < l->count; i++) {
        const log_row *row = order[i];
        uint32_t u = log_node(nodes, row->src, 0), v = log_node(nodes, row->dst, l->two_id_spaces);
        if (src[i] != u || dst[i] != v || memcmp(&times[i], &row->time, 8) != 0)
            fail_msg("event %zu is %u %u %.17g, not %u %u %.17g (%s %s %s)", i, src[i], dst[i], times[i], u, v,
                     row->time, row->src, row->dst, row->when);
        if (weight) assert_memory_equal(&weight[i], &row->weight, 4);
        if (label) assert_memory_equal(&label[i], &row->label, 4);
        if (features)
            assert_memory_equal(features + i * (size_t)l->features, row->features, 4 * (size_t)l->features);
    }
}

/* Whether an id occurs on both sides. */
static inline int log_has_both(const event_log *l)
{
    for (size_t i = 0; i < l->count; i++)
        for (size_t k = 0; k < l->count; k++)
            if (strcmp(l->rows[i].src, l->rows[k].dst) == 0) return 1;
    return 0;
}

/* Everything in an events file is what the log says. */
static inline void check_log(const event_log *l, const char *path)
{
    scadyg_events *events = sample_open(path);
    const scadyg_shape *shape = scadyg_events_shape(events);
    const log_row **order = malloc(l->count * sizeof *order);
    log_nodes *nodes = calloc(1, sizeof *nodes);
    if (!order || !nodes) abort();
    for (size_t i = 0; i < l->count; i++) order[i] = &l->rows[i];
    qsort(order, l->count, sizeof *order, log_by_time);
    assert_int_equal(scadyg_events_verify(NULL, events, NULL), SCADYG_OK);
    assert_int_equal(shape->events, l->count);
    assert_int_equal(shape->has_weight, l->has_weight);
    assert_int_equal(shape->has_label, l->has_label);
    assert_int_equal(shape->edge_features, l->features);
    assert_int_equal(shape->two_id_spaces, l->two_id_spaces || (!l->one_kind && !log_has_both(l)));
    check_events(l, order, events, nodes);
    assert_int_equal(shape->nodes, nodes->count);
    assert_int_equal(shape->time_kind, log_time_kind(l, order));
    for (uint32_t i = 0; i < nodes->count; i++) {
        char name[LOG_TEXT + 8];
        assert_int_equal(scadyg_node_name(events, i, name, sizeof name, NULL, NULL), SCADYG_OK);
        assert_string_equal(name, nodes->names[i]);
    }
    free(order);
    free(nodes);
    scadyg_events_close(events);
}

/* What a report counts, counted again. */
static inline void check_report(const event_log *l, const scadyg_import_report *report)
{
    uint64_t back = 0, loops = 0, ties = 0;
    double *times = malloc((l->count + 1) * sizeof *times);
    if (!times) abort();
    for (size_t i = 0; i < l->count; i++) {
        size_t k = i;
        back += i > 0 && l->rows[i].time < l->rows[i - 1].time;
        loops += !l->two_id_spaces && strcmp(l->rows[i].src, l->rows[i].dst) == 0;
        for (; k > 0 && l->rows[i].time < times[k - 1]; k--) times[k] = times[k - 1];
        times[k] = l->rows[i].time;
    }
    for (size_t i = 1; i < l->count; i++) ties += times[i] == times[i - 1];
    free(times);
    assert_int_equal(report->rows - report->bad, l->count);
    assert_int_equal(report->out_of_order, back);
    assert_int_equal(report->self_loops, loops);
    assert_int_equal(report->ties, ties);
}

#endif
