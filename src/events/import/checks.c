/* What looks odd in a log that was understood. */
#include "events/import/checks.h"

#include "base/csv.h"
#include "base/memory.h"
#include "events/import/amount.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    ENOUGH = 200,       /* events without which a share is nothing odd, */
    ENOUGH_OF_ONE = 50, /* ... and that of one node */
    SOME = 10,          /* events without which nothing is */
    KEYS_LEAST = 20,    /* events without which ids that do not come again are nothing odd */
    FEW_TIMES = 20,     /* different times that are few */
    RATINGS = 12        /* different small whole numbers that look like ratings */
};
#define MOST 0.5        /* of the events have one node */
#define CONSTANT 0.995  /* of the numbers are the same */
#define FAR 10          /* times the span of nearly all events */
#define PLACEHOLDERS 10 /* one in so many events at most has no date */
#define DISORDER 3      /* one in so many rows goes back in time */
#define COUNTED 0.5     /* of the numbers up to the largest are ids: then 0 is one like others */

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

/* "1 event", "1,313 events" */
static const char *count_events(uint64_t count, char text[40])
{
    char number[32];
    snprintf(text, 40, "%s event%s", sg_count_text(count, number), count == 1 ? "" : "s");
    return text;
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
    char first[64], last[64], events[40], times[32], other[32];
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
        return sg_add_line(error, text, "all %s have the same time, %s", count_events(c->events, events), first);
    if (c->events >= ENOUGH && c->distinct_times < FEW_TIMES)
        return sg_add_line(error, text, "%s have only %s different times", count_events(c->events, events),
                           sg_count_text(c->distinct_times, times));
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
    char events[40], from[64], to[64], begin[64], end[64];
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
    count_events(early ? before : behind, events);
    if (other <= 0)
        return sg_add_line(error, text, "%s %s the time %s, far from the others (%s to %s)", events,
                           (early ? before : behind) == 1 ? "has" : "have", from, begin, end);
    return sg_add_line(error, text, "%s, from %s to %s, are far from the others (%s to %s)", events, from, to,
                       begin, end);
}

static int describe_far(const sg_checks *c, const scadyg_shape *shape, char **text, scadyg_error *error)
{
    char first[64], last[64], early[64], late[64], zero[64], events[40];
    const double span = c->late - c->early;
    int low = 0, high = 0, status = SCADYG_OK;
    scadyg_time_human(shape->time_kind, 0, zero);
    scadyg_time_human(shape->time_kind, shape->first_time, first);
    scadyg_time_human(shape->time_kind, shape->last_time, last);
    scadyg_time_human(shape->time_kind, c->early, early);
    scadyg_time_human(shape->time_kind, c->late, late);
    if (c->zeros && c->zeros < c->events && c->last > 1e6 && !is_mixed(c, shape)) {
        low = 1;
        status = sg_add_line(error, text, "%s %s the time %s, far from the others", count_events(c->zeros, events),
                             c->zeros == 1 ? "has" : "have", zero);
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
    char first[64], last[64], events[40];
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
        return sg_add_line(error, text, "%s %s in the future, up to %s", count_events(future, events),
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

static size_t count_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9') count++;
    return count;
}

/* 4.91E+11, 1e+05: fewer decimals than digits were there. */
int sg_is_shortened(const char *id, size_t length)
{
    if (length < 5 || count_digits(id, length) != 1) return 0;
    const size_t decimals = id[1] == '.' || id[1] == ',' ? count_digits(id + 2, length - 2) : 0;
    const size_t e = decimals ? 2 + decimals : 1;
    if (e + 3 >= length || (id[e] != 'E' && id[e] != 'e') || id[e + 1] != '+') return 0;
    size_t exponent = 0;
    for (size_t i = e + 2; i < length; i++) {
        if (id[i] < '0' || id[i] > '9' || exponent > 99) return 0;
        exponent = exponent * 10 + (size_t)(id[i] - '0');
    }
    return decimals < exponent;
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

/* [12, 13], {...}, 12|13|14: a basket in one field. */
static int is_basket(const char *id, size_t length)
{
    if (length > 2 && ((id[0] == '[' && id[length - 1] == ']') || (id[0] == '{' && id[length - 1] == '}')))
        return memchr(id, ',', length) || memchr(id, ' ', length);
    const size_t first = count_digits(id, length);
    return first > 0 && first + 1 < length && strchr("|;", id[first]) != NULL &&
           count_digits(id + first + 1, length - first - 1) > 0;
}

/* ="00123": how a spreadsheet is kept from taking it for a number. */
static int is_formula(const char *id, size_t length)
{
    return length > 3 && id[0] == '=' && id[1] == '"' && id[length - 1] == '"';
}

/* Ids that a program has changed, or that are several: the first of each kind. */
static int describe_texts(const sg_ids *ids, char **text, scadyg_error *error)
{
    static const struct {
        int (*is)(const char *id, size_t length);
        const char *odd;
    } kinds[] = {{sg_is_shortened,
                  "looks like a long number that a spreadsheet has shortened: different ids may have become "
                  "one"},
                 {is_floated,
                  "is a whole number written with a point, as pandas does where a column has gaps: without "
                  "the point it would be another id"},
                 {is_basket, "looks like several ids: an event has one source and one destination"},
                 {is_formula, "is a spreadsheet's formula, and kept as it stands"},
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

/* ---- Ids that differ only in their writing ---- */

#define WRITTEN_LONGEST 128
#define BY_RIGHT 1000 /* fewer pairs than one in so many ids are nothing odd */

/* In small letters, without zeros before a whole number or ".0" behind it. Returns its length; 0: it is the same. */
static size_t write_plainly(const char *id, size_t length, char out[WRITTEN_LONGEST])
{
    const size_t digits = count_digits(id, length);
    size_t zeros = 0, changed = 0;
    if (length >= WRITTEN_LONGEST) return 0;
    if (digits == length || is_floated(id, length)) {
        while (zeros + 1 < digits && id[zeros] == '0') zeros++;
        memcpy(out, id + zeros, digits - zeros);
        return zeros || digits < length ? digits - zeros : 0;
    }
    for (size_t i = 0; i < length; i++) {
        const int large = id[i] >= 'A' && id[i] <= 'Z';
        out[i] = (char)(id[i] + 32 * large);
        changed += (size_t)large;
    }
    return changed ? length : 0;
}

/* The node whose id is that of another in plain writing; UINT32_MAX: there is none. */
static uint32_t find_twin(const sg_checks *c, const sg_ids *ids, uint32_t node, const char *id, size_t length)
{
    char plain[WRITTEN_LONGEST];
    sg_id twin;
    uint32_t found[2];
    const size_t size = write_plainly(id, length, plain);
    if (!size) return UINT32_MAX;
    sg_id_parse(&twin, &ids->key, plain, size);
    sg_ids_find_sides(ids, &twin, found);
    const int side = (ids->kinds[node] & SG_ID_DESTINATION) != 0;
    return found[side] == UINT32_MAX && c->by_ids ? found[!side] : found[side];
}

/* Pairs of nodes with such ids: how many, and the first. */
typedef struct twin_ids {
    uint64_t count;
    uint32_t node, twin;
} twin_ids;

static int describe_pair(const twin_ids *twins, const sg_ids *ids, char **text, scadyg_error *error)
{
    char digits[24], other_digits[24], number[32];
    size_t length, other_length;
    const char *one = sg_ids_text(ids, twins->node, digits, &length),
               *other = sg_ids_text(ids, twins->twin, other_digits, &other_length);
    const int many = twins->count > 1;
    return sg_add_line(error, text, "%s%s'%.*s' and '%.*s' are different ids: are they meant as one?",
                       many ? sg_count_text(twins->count, number) : "", many ? " pairs such as " : "",
                       (int)(length < 60 ? length : 60), one, (int)(other_length < 60 ? other_length : 60), other);
}

/*
 * '007' and '7', '12.0' and '12', 'ANN' and 'ann': nodes of their own, which may be meant as one. Names of files and the like
 * differ in a few large letters by right.
 */
static int describe_twins(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    twin_ids numbers = {0}, words = {0};
    for (uint32_t node = 0; node < ids->count; node++) {
        char digits[24];
        size_t length;
        if (!(ids->kinds[node] & SG_ID_TEXT)) continue;
        const char *id = sg_ids_text(ids, node, digits, &length);
        const uint32_t twin = find_twin(c, ids, node, id, length);
        if (twin == UINT32_MAX) continue;
        twin_ids *twins = ids->kinds[twin] & SG_ID_TEXT ? &words : &numbers;
        if (twins->count++ == 0) *twins = (twin_ids){1, node, twin};
    }
    int status = numbers.count ? describe_pair(&numbers, ids, text, error) : SCADYG_OK;
    if (!status && words.count && words.count * BY_RIGHT >= ids->count)
        status = describe_pair(&words, ids, text, error);
    return status;
}

/* ---- Ids that may stand for none ---- */

/* Words for nobody, whatever signs stand around them; and signs alone. */
static int is_nobody(const char *id, size_t length)
{
    static const char *const words[] = {"null",       "nil",          "none",          "na",
                                        "n/a",        "nan",          "unknown",       "undefined",
                                        "undef",      "missing",      "anonymous",     "anon",
                                        "guest",      "nobody",       "not set",       "notset",
                                        "not_set",    "not provided", "not available", "not applicable",
                                        "unassigned", "empty",        "blank",         "void",
                                        "unbekannt",  "gast",         "anonym",        "inconnu",
                                        "invité",     "desconocido",  "invitado",      "n.a",
                                        "no data",    "other",        "default"};
    size_t begin = 0, end = length;
    while (begin < end && strchr("#<>()[]{}\"'\\*-_.?/ ", id[begin])) begin++;
    while (end > begin && strchr("#<>()[]{}\"'\\*-_.?/!: ", id[end - 1])) end--;
    if (begin == end) return 1;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == end - begin && strncasecmp(words[k], id + begin, end - begin) == 0) return 1;
    return 0;
}

/* 00000000-0000-0000-0000-000000000000, 0x0000, 000000 */
static int is_zeros(const char *id, size_t length)
{
    size_t zeros = 0;
    for (size_t i = 0; i < length; i++) {
        zeros += id[i] == '0';
        if (id[i] != '0' && id[i] != '-' && !(i == 1 && id[i] == 'x')) return 0;
    }
    return zeros > 1;
}

/* Whether the whole numbers among the ids of a node's side are counted from 0 on. */
static int is_counted_from_zero(const sg_ids *ids, uint32_t node)
{
    uint64_t count = 0;
    int64_t most = 0;
    const int side = ids->kinds[node] & SG_ID_DESTINATION;
    for (size_t i = 0; i < ids->count; i++) {
        if ((ids->kinds[i] & SG_ID_TEXT) || ids->keys[i] < 0 || (ids->kinds[i] & SG_ID_DESTINATION) != side)
            continue;
        count++;
        if (ids->keys[i] > most) most = ids->keys[i];
    }
    return (double)count >= COUNTED * ((double)most + 1);
}

static int is_null_node(const sg_ids *ids, uint32_t node)
{
    char digits[24];
    size_t length;
    if (!(ids->kinds[node] & SG_ID_TEXT))
        return ids->keys[node] == -1 || (ids->keys[node] == 0 && !is_counted_from_zero(ids, node));
    const char *id = sg_ids_text(ids, node, digits, &length);
    return is_nobody(id, length) || is_zeros(id, length);
}

void sg_checks_find_nulls(sg_checks *checks, const sg_ids *ids)
{
    checks->null_count = 0;
    for (uint32_t node = 0; node < ids->count && checks->null_count < SG_NULLS_MOST; node++)
        if (is_null_node(ids, node)) checks->nulls[checks->null_count++] = (sg_null_node){.node = node};
}

static int describe_null(const sg_null_node *null, const sg_ids *ids, char **text, scadyg_error *error)
{
    char digits[24], one[40], other[40];
    size_t length;
    const char *id = sg_ids_text(ids, null->node, digits, &length);
    const int shown = (int)(length < 60 ? length : 60);
    count_events(null->count[0], one);
    count_events(null->count[1], other);
    if (null->count[0] && null->count[1])
        return sg_add_line(
            error, text, "'%.*s' is the source of %s and the destination of %s: is it one node, or is it missing?",
            shown, id, one, other);
    return sg_add_line(error, text, "'%.*s' is the %s of %s: is it one node, or is it missing?", shown, id,
                       null->count[0] ? "source" : "destination", null->count[0] ? one : other);
}

/* Every event has a node of its own on one side, while those of the other come again: a key of the rows, as order numbers are. */
static int describe_keys(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    uint64_t nodes[2] = {0, 0};
    if (c->events < KEYS_LEAST) return SCADYG_OK;
    for (size_t node = 0; node < ids->count; node++) {
        const int sides = ids->spaces == 2
                              ? (ids->kinds[node] & SG_ID_DESTINATION) ? SG_SIDE_DESTINATION : SG_SIDE_SOURCE
                              : sg_ids_sides(ids, node);
        nodes[0] += (sides & SG_SIDE_SOURCE) != 0;
        nodes[1] += (sides & SG_SIDE_DESTINATION) != 0;
    }
    for (int end = 0; end < 2; end++)
        if (nodes[end] == c->events && 2 * nodes[!end] <= c->events)
            return sg_add_line(error, text,
                               "every event has a %s of its own: is it a key of the rows, as order numbers are?",
                               end ? "destination" : "source");
    return SCADYG_OK;
}

static int describe_nodes(const sg_checks *c, const sg_ids *ids, char **text, scadyg_error *error)
{
    static const char *const ends[] = {"source", "destination"};
    int status = SCADYG_OK;
    for (int end = 0; end < 2 && c->events >= ENOUGH_OF_ONE && !status; end++) {
        char digits[24];
        size_t length;
        if ((double)c->ends[end].count <= MOST * (double)c->events) continue;
        const char *id = sg_ids_text(ids, c->ends[end].node, digits, &length);
        status =
            sg_add_line(error, text, "'%.*s' is the %s of %.1f %% of the events", (int)(length < 60 ? length : 60),
                        id, ends[end], 100 * (double)c->ends[end].count / (double)c->events);
    }
    if (!status) status = describe_keys(c, ids, text, error);
    if (!status && ids->text_count) status = describe_texts(ids, text, error);
    if (!status && ids->text_count) status = describe_twins(c, ids, text, error);
    for (size_t k = 0; k < c->null_count && !status; k++) status = describe_null(&c->nulls[k], ids, text, error);
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
                       sg_count_text(c->headers, number), c->headers == 1 ? "" : "s");
}

int sg_checks_describe(const sg_checks *checks, const sg_ids *ids, const scadyg_shape *shape, int has_weight,
                       char **text, scadyg_error *error)
{
    int status = describe_times(checks, shape, text, error);
    if (!status) status = describe_serial_days(shape, text, error);
    if (!status) status = describe_nodes(checks, ids, text, error);
    if (!status) status = describe_currencies(checks, text, error);
    if (!status) status = describe_constants(checks, has_weight, text, error);
    return status ? status : describe_headers(checks, text, error);
}
