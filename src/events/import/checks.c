/* What looks odd in a log that was understood: its times, weights and features; for its nodes see checks_nodes.c. */
#include "events/import/checks.h"

#include "base/memory.h"
#include "events/import/amount.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ENOUGH = 200,   /* events without which a share is nothing odd */
    SOME = 10,      /* events without which nothing is */
    FEW_TIMES = 20, /* different times that are few */
    RATINGS = 12    /* different small whole numbers that look like ratings */
};
#define CONSTANT 0.995  /* of the numbers are the same */
#define FAR 10          /* times the span of nearly all events */
#define PLACEHOLDERS 10 /* one in so many events at most has no date */
#define DISORDER 3      /* one in so many rows goes back in time */

int sg_checks_open(sg_checks *checks, size_t columns, scadyg_error *error)
{
    const double tomorrow = (double)time(NULL) + 86400;
    *checks = (sg_checks){.columns = columns, .all_whole = 1, .now = tomorrow};
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

void sg_checks_order(sg_checks *checks, double time)
{
    if (checks->given++) {
        checks->back += time < checks->last_given;
        checks->forth += time > checks->last_given;
    }
    checks->last_given = time;
}

/* ---- By time ---- */

void sg_checks_count(sg_checks *checks, uint32_t src, uint32_t dst, double time, uint64_t events)
{
    const uint64_t number = checks->seen++;
    checks->events = events;
    checks->ends[0].count += src == checks->ends[0].node;
    checks->ends[1].count += dst == checks->ends[1].node;
    if (number == 0)
        checks->first = time;
    else if (time - checks->last > checks->gap.width)
        checks->gap = (sg_gap){time - checks->last, checks->last, time, number};
    for (size_t k = 0; k < checks->null_count; k++) {
        checks->nulls[k].count[0] += src == checks->nulls[k].node;
        checks->nulls[k].count[1] += dst == checks->nulls[k].node;
    }
    checks->distinct_times += number == 0 || time != checks->last;
    checks->future[0] += time > checks->now;
    checks->future[1] += time > checks->now * 1e3;
    checks->future[2] += time > checks->now * 1e6;
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

/* Seconds and milliseconds in one column. */
static int is_mixed(const sg_checks *c, const scadyg_shape *shape)
{
    return c->seconds && c->milliseconds && shape->time_kind == SCADYG_TIME_NUMBER;
}

/* Numbers that say nothing of a time themselves, in no order: amounts, days of the month. The newest first is an order. */
static int is_disordered(const sg_checks *c, const scadyg_shape *shape)
{
    const int plain = shape->time_kind == SCADYG_TIME_NUMBER || shape->time_kind == SCADYG_TIME_YEAR;
    const int falling = c->given >= SOME && !c->forth;
    return plain && !c->time_told && c->back && DISORDER * c->back >= c->given && !falling && !is_mixed(c, shape);
}

static int describe_kind(const sg_checks *c, const scadyg_shape *shape, char **text, scadyg_error *error)
{
    char first[64], last[64], events[48], times[32], other[32];
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    if (c->events >= SOME && c->distinct_times <= RATINGS && 2 * c->distinct_times <= c->events && c->all_whole &&
        shape->first_time >= -10 && shape->last_time <= 100 && shape->first_time < shape->last_time)
        return sg_add_line(
            error, text,
            "the times are only %s whole numbers from %s to %s, as ratings are: is it the right column?",
            sg_count_text(c->distinct_times, times), first, last);
    if (is_disordered(c, shape))
        return sg_add_line(error, text,
                           "the times are no dates and go back in %s of %s rows: is this column the time?",
                           sg_count_text(c->back, times), sg_count_text(c->given, other));
    if (c->events >= SOME && c->distinct_times == 1)
        return sg_add_line(error, text, "all %s have the same time, %s", sg_count_noun(c->events, "event", events),
                           first);
    if (c->events >= ENOUGH && c->distinct_times < FEW_TIMES)
        return sg_add_line(error, text, "%s have only %s different times",
                           sg_count_noun(c->events, "event", events), sg_count_text(c->distinct_times, times));
    if (is_mixed(c, shape))
        return sg_add_line(error, text, "%s time%s like seconds since 1970 and %s like milliseconds",
                           sg_count_text(c->seconds, times), c->seconds == 1 ? " looks" : "s look",
                           sg_count_text(c->milliseconds, other));
    return SCADYG_OK;
}

/* The first instant of a year or its last day, as programs write where there is no date: 1970-01-01, 9999-12-31. */
static int is_placeholder(int time_kind, double time)
{
    char text[64];
    scadyg_time_human(time_kind, time, text);
    return strlen(text) >= 10 && text[4] == '-' &&
           (strncmp(text + 5, "12-31", 5) == 0 ||
            (strncmp(text + 5, "01-01", 5) == 0 && (!text[10] || strncmp(text + 10, " 00:00:00", 9) == 0)));
}

/* A few events before or behind a long stop. *low, *high: those at an end have been told of. */
static int describe_gap(const sg_checks *c, const scadyg_shape *shape, int *low, int *high, char **text,
                        scadyg_error *error)
{
    const sg_gap *gap = &c->gap;
    const uint64_t before = gap->before, behind = c->events - before;
    const int early = before < behind;
    const double span = early ? c->last - gap->to : gap->from - c->first, alone = early ? gap->from : gap->to;
    const double other = early ? gap->from - c->first : c->last - gap->to;
    char events[48], from[64], to[64], begin[64], end[64];
    if (c->events < SOME || before == behind || span <= 0 || *low || is_mixed(c, shape)) return SCADYG_OK;
    /* Of logs by months or years the first is as good as any: a placeholder is rare. */
    const int rare = PLACEHOLDERS * (early ? before : behind) <= c->events;
    if (!(gap->width > FAR * span) &&
        !(other <= 0 && rare && 2 * gap->width > span && is_placeholder(shape->time_kind, alone)))
        return SCADYG_OK;
    *(early ? low : high) = 1;
    scadyg_time_human(shape->time_kind, early ? c->first : gap->to, from);
    scadyg_time_human(shape->time_kind, early ? gap->from : c->last, to);
    scadyg_time_human(shape->time_kind, early ? gap->to : c->first, begin);
    scadyg_time_human(shape->time_kind, early ? c->last : gap->from, end);
    sg_count_noun(early ? before : behind, "event", events);
    if (other <= 0)
        return sg_add_line(error, text, "%s %s the time %s, far from the others (%s to %s)", events,
                           (early ? before : behind) == 1 ? "has" : "have", from, begin, end);
    return sg_add_line(error, text, "%s, from %s to %s, are far from the others (%s to %s)", events, from, to,
                       begin, end);
}

static int describe_far(const sg_checks *c, const scadyg_shape *shape, char **text, scadyg_error *error)
{
    char first[64], last[64], early[64], late[64], zero[64], events[48];
    const double span = c->late - c->early;
    int low = 0, high = 0, status = SCADYG_OK;
    scadyg_time_human(shape->time_kind, 0, zero);
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    scadyg_time_human(shape->time_kind, c->early, early);
    scadyg_time_human(shape->time_kind, c->late, late);
    if (c->zeros && c->zeros < c->events && c->last > 1e6 && !is_mixed(c, shape)) {
        low = 1;
        status = sg_add_line(error, text, "%s %s the time %s, far from the others",
                             sg_count_noun(c->zeros, "event", events), c->zeros == 1 ? "has" : "have", zero);
    }
    if (!status) status = describe_gap(c, shape, &low, &high, text, error);
    if (!status && !low && span > 0 && c->early - shape->first_time > FAR * span)
        status = sg_add_line(error, text, "the first events, from %s on, are far from the others (%s to %s)", first,
                             early, late);
    if (!status && !high && span > 0 && shape->last_time - c->late > FAR * span)
        status = sg_add_line(error, text, "the last events, up to %s, are far from the others (%s to %s)", last,
                             early, late);
    return status;
}

/* Later than tomorrow; and Apple's seconds, which count from 2001, as those since 1970. */
static int describe_epoch(const sg_checks *c, const scadyg_shape *shape, char **text, scadyg_error *error)
{
    char first[64], last[64], events[48];
    const int kind = shape->time_kind;
    const uint64_t future = kind == SCADYG_TIME_UNIX_MILLI                           ? c->future[1]
                            : kind == SCADYG_TIME_UNIX_MICRO                         ? c->future[2]
                            : kind == SCADYG_TIME_NUMBER || kind == SCADYG_TIME_YEAR ? 0
                                                                                     : c->future[0];
    scadyg_time_human(kind, shape->last_time, last);
    if (future == c->events && future) {
        scadyg_time_human(kind, shape->first_time, first);
        return sg_add_line(error, text, "all times are in the future, from %s to %s", first, last);
    }
    if (future)
        return sg_add_line(error, text, "%s %s in the future, up to %s", sg_count_noun(future, "event", events),
                           future == 1 ? "is" : "are", last);
    if (kind != SCADYG_TIME_UNIX || c->all_whole || shape->first_time < 3.5e8 || shape->last_time > 9.4e8)
        return SCADYG_OK;
    scadyg_time_human(kind, shape->last_time + 978307200, first);
    return sg_add_line(
        error, text,
        "the times end on %s if they count from 1970; Apple's programs count from 2001, then they end "
        "on %s: add 978307200 if so",
        last, first);
}

static int describe_clocks(const sg_checks *c, char **text, scadyg_error *error)
{
    char number[32];
    if (!c->skipped_clocks) return SCADYG_OK;
    return sg_add_line(error, text,
                       "%s time%s not exist in %s, where clocks were put forward: read as if they had not been",
                       sg_count_text(c->skipped_clocks, number), c->skipped_clocks == 1 ? " does" : "s do",
                       c->zone ? c->zone : "the zone");
}

static int describe_times(const sg_checks *c, const scadyg_shape *shape, char **text, scadyg_error *error)
{
    int status = describe_kind(c, shape, text, error);
    if (!status) status = describe_far(c, shape, text, error);
    if (!status) status = describe_epoch(c, shape, text, error);
    return status ? status : describe_clocks(c, text, error);
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

static int describe_currencies(const sg_checks *c, char **text, scadyg_error *error)
{
    char list[8 * SG_CURRENCIES] = "";
    size_t used = 0;
    int count = 0;
    for (int k = 1; k <= SG_CURRENCIES; k++) {
        if (!(c->currencies >> k & 1)) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count++ ? ", " : "", sg_currency(k));
    }
    if (count < 2) return SCADYG_OK;
    return sg_add_line(error, text, "weights are of several currencies (%s), and are taken as numbers of one",
                       list);
}

static int describe_headers(const sg_checks *c, char **text, scadyg_error *error)
{
    char number[32];
    if (!c->headers) return SCADYG_OK;
    return sg_add_line(error, text, "the header stands in %s more line%s, as where files were joined: left out",
                       sg_count_text(c->headers, number), sg_plural(c->headers));
}

int sg_checks_describe(const sg_checks *checks, const sg_ids *ids, const scadyg_shape *shape, int has_weight,
                       char **text, scadyg_error *error)
{
    int status = describe_times(checks, shape, text, error);
    if (!status) status = describe_serial_days(shape, text, error);
    if (!status) status = sg_checks_describe_nodes(checks, ids, text, error);
    if (!status) status = describe_currencies(checks, text, error);
    if (!status) status = describe_constants(checks, has_weight, text, error);
    return status ? status : describe_headers(checks, text, error);
}
