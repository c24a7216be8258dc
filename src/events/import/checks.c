/* What looks odd in a log that was understood. */
#include "events/import/checks.h"

#include "base/csv.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENOUGH = 200,   /* events without which nothing is odd */
    FEW_TIMES = 20, /* different times that are few */
    RATINGS = 12    /* different small whole numbers that look like ratings */
};
#define MOST 0.5       /* of the events have one node */
#define CONSTANT 0.995 /* of the numbers are the same */
#define FAR 10         /* times the span of nearly all events */

int sg_checks_open(sg_checks *checks, size_t columns, scadyg_error *error)
{
    *checks = (sg_checks){.columns = columns, .all_whole = 1};
    checks->constants = sg_alloc_zero(columns + 1, sizeof *checks->constants);
    return checks->constants ? SCADYG_OK : sg_fail_memory(error, "the checks");
}

void sg_checks_close(sg_checks *checks)
{
    free(checks->constants);
    *checks = (sg_checks){0};
}

/* ---- Majorities: each event votes for its own and against the one that leads ---- */

static void vote_node(sg_majority *majority, uint32_t node)
{
    if (majority->votes == 0) majority->node = node;
    if (majority->node == node)
        majority->votes++;
    else
        majority->votes--;
}

static void vote_value(sg_constant *constant, float value)
{
    if (constant->votes == 0) constant->value = value;
    if (constant->value == value)
        constant->votes++;
    else
        constant->votes--;
}

void sg_checks_vote(sg_checks *checks, uint32_t src, uint32_t dst, const float *values, size_t first, size_t count)
{
    if (first == 0) { /* once for an event */
        vote_node(&checks->ends[0], src);
        vote_node(&checks->ends[1], dst);
    }
    for (size_t k = 0; k < count; k++) vote_value(&checks->constants[first + k], values[k]);
}

/* ---- By time ---- */

void sg_checks_count(sg_checks *checks, uint32_t src, uint32_t dst, double time, uint64_t events)
{
    const uint64_t number = checks->seen++;
    checks->events = events;
    checks->ends[0].count += src == checks->ends[0].node;
    checks->ends[1].count += dst == checks->ends[1].node;
    checks->distinct_times += number == 0 || time != checks->last;
    checks->zeros += time == 0;
    checks->seconds += time >= 1e8 && time < 1e10;
    checks->milliseconds += time >= 1e11 && time < 1e13;
    checks->all_whole &= time == floor(time);
    if (number == events / 100) checks->early = time;
    if (number == events - 1 - events / 100) checks->late = time;
    checks->last = time;
}

void sg_checks_count_value(sg_checks *checks, size_t column, float value)
{
    checks->constants[column].count += value == checks->constants[column].value;
}

/* ---- For a person ---- */

/* Spreadsheets count days since 1900: from 1982 to 2050 here, and nothing that counts from the beginning of a log. */
static int describe_serial_days(const scadyg_shape *shape, char **text, scadyg_error *error)
{
    char first[64], last[64], from[64], to[64];
    if (shape->time_kind != SCADYG_TIME_NUMBER || shape->first_time < 30000 || shape->last_time > 55000)
        return SCADYG_OK;
    scadyg_time_text(shape->time_kind, shape->first_time, first);
    scadyg_time_text(shape->time_kind, shape->last_time, last);
    scadyg_time_text(SCADYG_TIME_DATE, (floor(shape->first_time) - 25569) * 86400, from);
    scadyg_time_text(SCADYG_TIME_DATE, (floor(shape->last_time) - 25569) * 86400, to);
    return sg_add_line(error, text,
                       "the times, from %s to %s, look like a spreadsheet's days since 1900 (%s to %s): format the "
                       "column as a date and export it again if so",
                       first, last, from, to);
}

static int describe_times(const sg_checks *c, const scadyg_shape *shape, char **text, scadyg_error *error)
{
    char first[64], last[64], early[64], late[64];
    const double span = c->late - c->early;
    int status = SCADYG_OK;
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    scadyg_time_human(shape->time_kind, c->early, early);
    scadyg_time_human(shape->time_kind, c->late, late);
    if (c->events >= ENOUGH && c->distinct_times <= RATINGS && c->all_whole && shape->first_time >= 0 &&
        shape->last_time <= 100 && shape->first_time < shape->last_time)
        status = sg_add_line(
            error, text,
            "the times are only %llu whole numbers from %s to %s, as ratings are: is it the right column?",
            (unsigned long long)c->distinct_times, first, last);
    else if (c->events >= ENOUGH && c->distinct_times < FEW_TIMES)
        status = sg_add_line(error, text, "%llu events have only %llu different times",
                             (unsigned long long)c->events, (unsigned long long)c->distinct_times);
    if (!status && c->seconds && c->milliseconds && shape->time_kind == SCADYG_TIME_NUMBER)
        status = sg_add_line(error, text, "%llu times look like seconds since 1970 and %llu like milliseconds",
                             (unsigned long long)c->seconds, (unsigned long long)c->milliseconds);
    else if (!status && c->zeros && c->events >= ENOUGH && c->early > 1e6)
        status = sg_add_line(error, text, "%llu events have the time 0, far from the others",
                             (unsigned long long)c->zeros);
    else if (!status && span > 0 && c->early - shape->first_time > FAR * span)
        status = sg_add_line(error, text, "the first events, from %s on, are far from the others (%s to %s)", first,
                             early, late);
    if (!status && span > 0 && shape->last_time - c->late > FAR * span)
        status = sg_add_line(error, text, "the last events, up to %s, are far from the others (%s to %s)", last,
                             early, late);
    return status;
}

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

/* 4.91E+11: what a spreadsheet shows of a long number, and writes. */
static int is_shortened(const char *id, size_t length)
{
    const size_t whole = count_digits(id, length), point = whole + 1;
    if (whole != 1 || length < 5 || (id[1] != '.' && id[1] != ',' && id[1] != 'E')) return 0;
    const size_t end = id[1] == 'E' ? 1 : point + count_digits(id + point, length - point);
    return end + 3 < length && id[end] == 'E' && id[end + 1] == '+' &&
           count_digits(id + end + 2, length - end - 2) == length - end - 2;
}

/* 12.0: what pandas makes of ids where one was missing. */
static int is_floated(const char *id, size_t length)
{
    const size_t whole = count_digits(id, length);
    return whole > 0 && length == whole + 2 && id[whole] == '.' && id[whole + 1] == '0';
}

static int is_several(const char *id, size_t length)
{
    const char *at = memchr(id, '@', length);
    const size_t rest = at ? length - (size_t)(at - id) - 1 : 0;
    return at && memchr(at + 1, '@', rest) && (memchr(at + 1, ',', rest) || memchr(at + 1, ';', rest));
}

/* Ids that a program has changed, or that are several: the first of each kind. */
static int describe_texts(const sg_ids *ids, char **text, scadyg_error *error)
{
    static const struct {
        int (*is)(const char *id, size_t length);
        const char *odd;
    } kinds[] = {
        {is_shortened, "looks like a long number that a spreadsheet has shortened: different ids may have become "
                       "one"},
        {is_floated, "is a whole number written with a point, as pandas does where a column has gaps: without "
                     "the point it would be another id"},
        {is_several, "looks like several addresses: an event has one destination"}};
    int status = SCADYG_OK;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t node = 0; node < ids->count && !status; node++) {
            char digits[24];
            size_t length;
            const char *id = sg_ids_text(ids, node, digits, &length);
            if (!(ids->kinds[node] & SG_ID_TEXT) || !kinds[k].is(id, length)) continue;
            status =
                sg_add_line(error, text, "the id '%.*s' %s", (int)(length < 60 ? length : 60), id, kinds[k].odd);
            break;
        }
    return status;
}

static int describe_nodes(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    static const char *const ends[] = {"source", "destination"};
    int status = SCADYG_OK;
    for (int end = 0; end < 2 && c->events >= ENOUGH && !status; end++) {
        char digits[24];
        size_t length;
        if ((double)c->ends[end].count <= MOST * (double)c->events) continue;
        const char *id = sg_ids_text(ids, c->ends[end].node, digits, &length);
        status =
            sg_add_line(error, text, "'%.*s' is the %s of %.1f %% of the events", (int)(length < 60 ? length : 60),
                        id, ends[end], 100 * (double)c->ends[end].count / (double)c->events);
    }
    if (!status && ids->text_count) status = describe_texts(ids, text, error);
    for (uint32_t node = 0, told = 0; node < ids->count && ids->text_count && told < 3 && !status; node++) {
        char digits[24];
        size_t length;
        const char *id = sg_ids_text(ids, node, digits, &length);
        if (!sg_is_null(id, length)) continue;
        told++;
        status =
            sg_add_line(error, text, "a node has the id '%.*s': is that one, or is it missing?", (int)length, id);
    }
    return status;
}

static int describe_constants(const sg_checks *c, int has_weight, char **text, scadyg_error *error)
{
    int status = SCADYG_OK;
    for (size_t k = 0; k < c->columns && c->events >= ENOUGH && !status; k++) {
        const double share = (double)c->constants[k].count / (double)c->events;
        if (share < CONSTANT) continue;
        if (k == 0 && has_weight)
            status = sg_add_line(error, text, "the weight is %g in %.4g %% of the events",
                                 (double)c->constants[k].value, 100 * share);
        else
            status = sg_add_line(error, text, "feature %zu is %g in %.4g %% of the events", k + !has_weight,
                                 (double)c->constants[k].value, 100 * share);
    }
    return status;
}

int sg_checks_describe(const sg_checks *checks, const sg_ids *ids, const scadyg_shape *shape, int has_weight,
                       char **text, scadyg_error *error)
{
    int status = describe_times(checks, shape, text, error);
    if (!status) status = describe_serial_days(shape, text, error);
    if (!status) status = describe_nodes(checks, ids, text, error);
    if (!status) status = describe_constants(checks, has_weight, text, error);
    return status;
}
