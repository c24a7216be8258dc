/* Time zones: offsets, and the files of the time zone database (RFC 8536). */
#include "events/time_zone.h"

#include "base/file.h"
#include "base/memory.h"
#include "events/calendar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* When a clock is put forward or back in a year: day `day` (0: Sunday) of week `week` (5: the last) of a month, or a day of
 * the year, and a time of day that may lie beyond the day. */
typedef struct zone_rule {
    char form; /* 'M', 'J' (1 to 365, no leap day) or 'n' (from 0) */
    int month, week, day;
    int64_t second;
} zone_rule;

struct sg_zone {
    size_t count;     /* of changes */
    int64_t *at;      /* [count], UTC, ascending */
    int64_t *offset;  /* [count + 1]: before the first, then after each */
    int has_rules;    /* after the last change these go on: standard and summer time */
    int64_t standard; /* offset; without rules for ever after the last change */
    int64_t summer;
    zone_rule begin, end; /* of summer time */
    int has_footer;
};

/* ---- Offsets ---- */

static int two_digits(const char *p)
{
    return isdigit((unsigned char)p[0]) && isdigit((unsigned char)p[1]) ? (p[0] - '0') * 10 + p[1] - '0' : -1;
}

size_t sg_zone_read_offset(const char *p, size_t length, int64_t *offset)
{
    *offset = 0;
    if (length >= 3 && (strncasecmp(p, "UTC", 3) == 0 || strncasecmp(p, "GMT", 3) == 0)) {
        /* UTC+02:00 is an offset too. */
        const size_t more =
            length > 3 && (p[3] == '+' || p[3] == '-') ? sg_zone_read_offset(p + 3, length - 3, offset) : 0;
        return 3 + more;
    }
    if (length >= 1 && (*p == 'Z' || *p == 'z')) return 1;
    if (length < 3 || (*p != '+' && *p != '-')) return 0;
    const int hours = two_digits(p + 1);
    size_t used = 3;
    int minutes = 0;
    if (hours < 0 || hours > 23) return 0;
    const size_t colon = length > used && p[used] == ':';
    if (length >= used + colon + 2 && two_digits(p + used + colon) >= 0) {
        minutes = two_digits(p + used + colon);
        used += colon + 2;
        if (minutes > 59) return 0;
    } else if (colon)
        return 0;
    *offset = (*p == '-' ? -1 : 1) * (int64_t)(hours * 3600 + minutes * 60);
    return used;
}

size_t sg_zone_read(const char *p, size_t length, int64_t *offset)
{
    /* Those of RFC 2822 and of Europe; others mean different zones in different places. */
    static const struct {
        const char *name;
        int hours;
    } names[] = {{"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8},
                 {"PDT", -7}, {"WET", 0},  {"CET", 1},  {"WEST", 1}, {"CEST", 2}, {"EET", 2},  {"EEST", 3}};
    const size_t used = sg_zone_read_offset(p, length, offset);
    size_t letters = 0;
    if (used) return used;
    while (letters < length && isalpha((unsigned char)p[letters])) letters++;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].name) == letters && strncasecmp(p, names[k].name, letters) == 0) {
            *offset = (int64_t)names[k].hours * 3600;
            return letters;
        }
    return 0;
}

/* ---- The footer of a file: "CET-1CEST,M3.5.0,M10.5.0/3", as POSIX has it ---- */

typedef struct footer {
    const char *p, *end;
    int bad;
} footer;

static int has_more(const footer *f)
{
    return f->p < f->end;
}

static void skip_name(footer *f)
{
    const char *begin = f->p;
    if (has_more(f) && *f->p == '<') {
        while (has_more(f) && *f->p != '>') f->p++;
        if (has_more(f)) f->p++;
    } else
        while (has_more(f) && isalpha((unsigned char)*f->p)) f->p++;
    if (f->p - begin < 3) f->bad = 1;
}

static int64_t take_number(footer *f)
{
    int64_t value = 0;
    if (!has_more(f) || !isdigit((unsigned char)*f->p)) f->bad = 1;
    while (has_more(f) && isdigit((unsigned char)*f->p) && value < 100000) value = value * 10 + *f->p++ - '0';
    return value;
}

static int take_sign(footer *f)
{
    if (!has_more(f) || (*f->p != '+' && *f->p != '-')) return 1;
    return *f->p++ == '-' ? -1 : 1;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static int64_t take_clock(footer *f)
{
    const int sign = take_sign(f);
    int64_t seconds = take_number(f) * 3600;
    for (int unit = 60; unit >= 1 && has_more(f) && *f->p == ':'; unit /= 60) {
        f->p++;
        seconds += take_number(f) * unit;
    }
    return sign * seconds;
}

static void expect(footer *f, char c)
{
    if (has_more(f) && *f->p == c)
        f->p++;
    else
        f->bad = 1;
}

static zone_rule take_rule(footer *f)
{
    zone_rule rule = {.form = 'n', .second = 7200};
    expect(f, ',');
    if (has_more(f) && (*f->p == 'M' || *f->p == 'J')) rule.form = *f->p++;
    if (rule.form == 'M') {
        rule.month = (int)take_number(f);
        expect(f, '.');
        rule.week = (int)take_number(f);
        expect(f, '.');
    }
    rule.day = (int)take_number(f);
    if (has_more(f) && *f->p == '/') {
        f->p++;
        rule.second = take_clock(f);
    }
    if (rule.form == 'M' ? rule.month < 1 || rule.month > 12 || rule.week < 1 || rule.week > 5 || rule.day > 6
                         : rule.day > 365)
        f->bad = 1;
    return rule;
}

/* POSIX counts offsets to the west. */
static int read_footer(sg_zone *zone, const char *text, size_t length)
{
    footer f = {text, text + length, 0};
    skip_name(&f);
    zone->standard = -take_clock(&f);
    zone->has_footer = 1;
    if (has_more(&f)) {
        skip_name(&f);
        zone->summer = has_more(&f) && *f.p != ',' ? -take_clock(&f) : zone->standard + 3600;
        zone->begin = take_rule(&f);
        zone->end = take_rule(&f);
        zone->has_rules = 1;
    }
    return f.bad || has_more(&f) ? -1 : 0;
}

/* When a rule applies in a year, in seconds of a clock that has not been changed. */
static int64_t apply_rule(const zone_rule *rule, int year)
{
    int64_t days = sg_days_from_date(year, 1, 1);
    if (rule->form == 'n') {
        days += rule->day;
    } else if (rule->form == 'J') {
        days += rule->day - 1 + (rule->day >= 60 && sg_days_in_month(year, 2) == 29);
    } else {
        const int64_t first = sg_days_from_date(year, rule->month, 1);
        const int weekday = (int)(((first + 4) % 7 + 7) % 7); /* 1970-01-01 was a Thursday */
        days = first + (rule->day - weekday + 7) % 7 + 7 * (rule->week - 1);
        while (days >= first + sg_days_in_month(year, rule->month)) days -= 7;
    }
    return days * SG_DAY + rule->second;
}

/* ---- The file ---- */

#define HEADER 44
#define MOST_CHANGES 100000

static int64_t read_big(const unsigned char *p, int bytes)
{
    uint64_t value = p[0] & 0x80 && bytes < 8 ? UINT64_MAX : 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | p[i];
    return (int64_t)value;
}

typedef struct counts {
    size_t utc, standard, leaps, changes, types, characters;
    size_t size; /* of all that follows the header */
} counts;

static counts read_counts(const unsigned char *header, size_t time)
{
    const unsigned char *p = header + 20;
    counts c = {(size_t)read_big(p, 4) & 0xFFFFFFFF,
                (size_t)read_big(p + 4, 4) & 0xFFFFFFFF,
                (size_t)read_big(p + 8, 4) & 0xFFFFFFFF,
                (size_t)read_big(p + 12, 4) & 0xFFFFFFFF,
                (size_t)read_big(p + 16, 4) & 0xFFFFFFFF,
                (size_t)read_big(p + 20, 4) & 0xFFFFFFFF,
                0};
    c.size = c.changes * (time + 1) + c.types * 6 + c.characters + c.leaps * (time + 4) + c.standard + c.utc;
    return c;
}

static int is_header(const unsigned char *data, size_t size)
{
    return size >= HEADER && memcmp(data, "TZif", 4) == 0;
}

static int read_changes(sg_zone *zone, const unsigned char *data, const counts *c, size_t time)
{
    const unsigned char *type = data + c->changes * time, *info = type + c->changes;
    zone->at = sg_alloc(c->changes + 1, sizeof *zone->at);
    zone->offset = sg_alloc(c->changes + 1, sizeof *zone->offset);
    if (!zone->at || !zone->offset) return -1;
    zone->count = c->changes;
    zone->offset[0] = read_big(info, 4);
    for (size_t i = 0; i < c->changes; i++) {
        zone->at[i] = read_big(data + i * time, (int)time);
        if (type[i] >= c->types || (i && zone->at[i] <= zone->at[i - 1])) return -2;
        zone->offset[i + 1] = read_big(info + (size_t)type[i] * 6, 4);
    }
    for (size_t i = 0; i <= c->changes; i++)
        if (zone->offset[i] < -90000 || zone->offset[i] > 90000) return -2;
    return 0;
}

/* The second block of a file, where there is one, has times of 64 bits and a footer. */
static int parse_file(sg_zone *zone, const unsigned char *data, size_t size)
{
    size_t time = 4;
    if (!is_header(data, size)) return -2;
    counts c = read_counts(data, time);
    if (data[4] >= '2') {
        if (c.size > size - HEADER || !is_header(data + HEADER + c.size, size - HEADER - c.size)) return -2;
        data += HEADER + c.size;
        size -= HEADER + c.size;
        time = 8;
        c = read_counts(data, time);
    }
    if (c.size > size - HEADER || c.changes > MOST_CHANGES || !c.types) return -2;
    int status = read_changes(zone, data + HEADER, &c, time);
    if (status || time == 4) return status;
    const char *text = (const char *)data + HEADER + c.size, *end = (const char *)data + size;
    if (end - text < 2 || *text != '\n') return -2;
    const char *newline = memchr(text + 1, '\n', (size_t)(end - text) - 1);
    if (!newline) return -2;
    return newline > text + 1 && read_footer(zone, text + 1, (size_t)(newline - text) - 1) ? -2 : 0;
}

int sg_zone_parse(const unsigned char *data, size_t size, const char *name, sg_zone **out, scadyg_error *error)
{
    sg_zone *zone = sg_alloc_zero(1, sizeof *zone);
    if (!zone) return sg_fail_memory(error, "a time zone");
    int status = parse_file(zone, data, size);
    if (!status) {
        *out = zone;
        return SCADYG_OK;
    }
    sg_zone_close(zone);
    if (status == -1) return sg_fail_memory(error, "a time zone");
    return sg_fail(error, SCADYG_E_USAGE, "the time zone '%.100s' of this machine's database cannot be read", name);
}

void sg_zone_close(sg_zone *zone)
{
    if (zone) SG_FREE(zone->at, zone->offset);
    free(zone);
}

/* ---- By name ---- */

static int open_offset(int64_t offset, sg_zone **out, scadyg_error *error)
{
    sg_zone *zone = sg_alloc_zero(1, sizeof *zone);
    if (zone) zone->offset = sg_alloc(1, sizeof *zone->offset);
    if (!zone || !zone->offset) {
        sg_zone_close(zone);
        return sg_fail_memory(error, "a time zone");
    }
    zone->offset[0] = offset;
    *out = zone;
    return SCADYG_OK;
}

/* Names are made of letters, digits and _+-/; nothing leads out of the database. */
static int is_name(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_+-/", *c)) return 0;
    return *name && *name != '/' && strlen(name) < 64;
}

int sg_zone_open(const char *name, sg_zone **zone, scadyg_error *error)
{
    int64_t offset;
    const size_t length = strlen(name);
    if (length && sg_zone_read_offset(name, length, &offset) == length) return open_offset(offset, zone, error);
    char path[128] = "/usr/share/zoneinfo/";
    sg_mapping file = {0};
    if (is_name(name)) strncat(path, name, sizeof path - strlen(path) - 1);
    if (!is_name(name) || sg_map(&file, path, NULL))
        return sg_fail(error, SCADYG_E_USAGE,
                       "there is no time zone '%.100s' here; give an offset such as +02:00, or a name such as "
                       "Europe/Berlin (Debian: package tzdata)",
                       name);
    int status = sg_zone_parse(file.data, file.size, name, zone, error);
    sg_unmap(&file);
    return status;
}

/* ---- Use ---- */

/* The offset in force at a time of UTC. */
static int64_t find_offset(const sg_zone *zone, int64_t utc)
{
    size_t low = 0, high = zone->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (zone->at[middle] <= utc)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < zone->count || !zone->has_footer) return zone->offset[low];
    if (!zone->has_rules) return zone->standard;
    int year, month, day;
    sg_date_from_days(sg_day_of(utc + zone->standard), &year, &month, &day);
    const int64_t begin = apply_rule(&zone->begin, year) - zone->standard;
    const int64_t end = apply_rule(&zone->end, year) - zone->summer;
    const int summer = begin < end ? utc >= begin && utc < end : utc >= begin || utc < end;
    return summer ? zone->summer : zone->standard;
}

int64_t sg_zone_to_utc_or_skip(const sg_zone *zone, int64_t local, int *skipped)
{
    *skipped = 0;
    if (!zone) return local;
    /* The offsets around the time: a change is felt within a day of it. The larger one gives the earlier time. */
    const int64_t before = find_offset(zone, local - SG_DAY), after = find_offset(zone, local + SG_DAY);
    if (find_offset(zone, local - before) == before) return local - before;
    if (find_offset(zone, local - after) == after) return local - after;
    *skipped = 1;
    return local - before; /* as if it had not been put forward */
}

int64_t sg_zone_to_utc(const sg_zone *zone, int64_t local)
{
    int skipped;
    return sg_zone_to_utc_or_skip(zone, local, &skipped);
}
