/* How the times of a log are written. */
#include "events/time_format.h"

#include "events/calendar.h"
#include "events/time_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * The ways to write dates that are known by themselves. %+ is ours: whatever may follow a date, which is nothing, or a time
 * of day with a fraction, AM or PM and a zone, each if it is there. Two that differ in the order of day and month stand one
 * after the other.
 */
static const struct {
    const char *pattern, *example;
    int has_twin; /* 1: the next one, -1: the one before has day and month the other way round */
} known[] = {
    {"%Y-%m-%d%+", "2014-01-31 09:30:00", 0},
    {"%Y/%m/%d%+", "2014/01/31 09:30", 0},
    {"%Y.%m.%d%+", "2014.01.31 09:30", 0},
    {"%d.%m.%Y%+", "31.01.2014 09:30", 0},
    {"%d.%m.%y%+", "31.01.14 09:30", 0},
    {"%d/%m/%Y%+", "31/01/2014 09:30 (day first)", 1},
    {"%m/%d/%Y%+", "01/31/2014 09:30 (month first)", -1},
    {"%d-%m-%Y%+", "31-01-2014 09:30 (day first)", 1},
    {"%m-%d-%Y%+", "01-31-2014 09:30 (month first)", -1},
    {"%d/%m/%y%+", "31/01/14 09:30 (day first)", 1},
    {"%m/%d/%y%+", "01/31/14 09:30 (month first)", -1},
    {"%Y%m%dT%H%M%S%z", "20140131T093000Z", 0},
    {"%Y%m%dT%H%M%S", "20140131T093000", 0},
    {"%Y%m%d%H%M%S", "20140131093000", 0},
    {"%Y%m%d%H%M", "201401310930", 0},
    {"%Y%m%d%+", "20140131", 0},
    {"%d-%b-%Y%+", "31-Jan-2014 09:30", 0},
    {"%d-%b-%y%+", "31-Jan-14 09:30", 0},
    {"%d/%b/%Y%+", "31/Jan/2014 09:30", 0},
    {"%d/%b/%y%+", "31/Jan/14 09:30", 0},
    {"%d/%b/%Y:%H:%M:%S %z", "31/Jan/2014:09:30:00 +0100", 0},
    {"%d/%b/%Y:%H:%M:%S", "31/Jan/2014:09:30:00", 0},
    {"%d-%b-%y %I.%M.%S.%f %p", "31-JAN-14 09.30.00.000000 AM", 0},
    {"%d-%b-%y %I.%M.%S.%f %p %z", "31-JAN-14 09.30.00.000000 AM +01:00", 0},
    {"%d-%b-%y %I.%M.%S %p", "31-JAN-14 09.30.00 AM", 0},
    {"%d %b %Y%+", "31 January 2014 09:30", 0},
    {"%b %d, %Y%+", "January 31, 2014 09:30", 0},
    {"%b %d %Y%+", "Jan 31 2014 09:30", 0},
    {"%b-%d-%Y%+", "Jan-31-2014 09:30", 0},
    {"%b-%d-%y%+", "Jan-31-14 09:30", 0},
    {"%a, %b %d, %Y%+", "Friday, January 31, 2014 09:30", 0},
    {"%a, %d %b %Y%+", "Fri, 31 Jan 2014 09:30:00 +0100", 0},
    {"%a %b %d %H:%M:%S %Y", "Fri Jan 31 09:30:00 2014", 0},
    {"%a %b %d %H:%M:%S %Y %z", "Fri Jan 31 09:30:00 2014 +0100", 0},
    {"%a %b %d %H:%M:%S %Z %Y", "Fri Jan 31 09:30:00 UTC 2014", 0},
};
#define KNOWN (sizeof known / sizeof *known)
#define DIGITS_ONLY(pattern) (strncmp(pattern, "%Y%m", 4) == 0) /* could be plain numbers */

/* ---- Reading by a pattern ---- */

typedef struct reader {
    const char *p, *end;
    int year, month, day, day_of_year;
    int hour, minute, second, afternoon; /* afternoon: 0 AM, 1 PM, -1 not said */
    const char *fraction;
    int digits;
    int has_clock, has_zone, has_seconds;
    int64_t offset, seconds; /* seconds: %s */
} reader;

/* Between `least` and `most` digits. Returns -1 if there are none such. */
static int take_digits(reader *r, int least, int most)
{
    int value = 0, count = 0;
    while (count < most && r->p < r->end && isdigit((unsigned char)*r->p)) {
        value = value * 10 + *r->p++ - '0';
        count++;
    }
    return count >= least ? value : -1;
}

static void skip_blanks(reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\t')) r->p++;
}

/* A number into its place, from `low` to `high`. */
static int take_into(reader *r, int *place, int least, int most, int low, int high)
{
    *place = take_digits(r, least, most);
    return *place >= low && *place <= high ? 0 : -1;
}

/* One of the names, whole or its first three letters; its number from 0, -1: none. */
static int take_name(reader *r, const char *const *names, int count)
{
    size_t letters = 0;
    while (r->p + letters < r->end && isalpha((unsigned char)r->p[letters])) letters++;
    for (int i = 0; i < count; i++)
        if ((letters == 3 || letters == strlen(names[i]) || (letters == 4 && strncasecmp(r->p, "sept", 4) == 0)) &&
            strncasecmp(r->p, names[i], letters) == 0) {
            r->p += letters;
            if (r->p < r->end && *r->p == '.') r->p++;
            return i;
        }
    return -1;
}

static int take_month(reader *r)
{
    static const char *const names[] = {"january", "february", "march",     "april",   "may",      "june",
                                        "july",    "august",   "september", "october", "november", "december"};
    r->month = take_name(r, names, 12) + 1;
    return r->month ? 0 : -1;
}

static int take_weekday(reader *r)
{
    static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                        "friday", "saturday", "sunday"};
    return take_name(r, names, 7) < 0 ? -1 : 0;
}

static int take_fraction(reader *r)
{
    r->fraction = r->p;
    while (r->p < r->end && isdigit((unsigned char)*r->p)) r->p++;
    r->digits = (int)(r->p - r->fraction);
    return r->digits > 0 && r->digits <= SG_FRACTION_MOST ? 0 : -1;
}

static int take_half(reader *r)
{
    if (r->end - r->p < 2 || (r->p[1] != 'M' && r->p[1] != 'm') || !strchr("AaPp", r->p[0])) return -1;
    r->afternoon = r->p[0] == 'P' || r->p[0] == 'p';
    r->p += 2;
    return r->hour >= 1 && r->hour <= 12 ? 0 : -1;
}

static int take_zone(reader *r)
{
    const size_t used = sg_zone_read(r->p, (size_t)(r->end - r->p), &r->offset);
    r->p += used;
    r->has_zone = 1;
    return used ? 0 : -1;
}

/* HH:MM[:SS[.f]], then AM or PM if it is there. */
static int take_clock(reader *r)
{
    r->has_clock = 1;
    if (take_into(r, &r->hour, 1, 2, 0, 23) || r->p == r->end || *r->p++ != ':' ||
        take_into(r, &r->minute, 2, 2, 0, 59))
        return -1;
    if (r->p < r->end && *r->p == ':') {
        r->p++;
        if (take_into(r, &r->second, 2, 2, 0, 60)) return -1;
        if (r->p < r->end && (*r->p == '.' || *r->p == ',')) {
            r->p++;
            if (take_fraction(r)) return -1;
        }
    }
    const char *here = r->p;
    skip_blanks(r);
    if (r->p < r->end && strchr("AaPp", *r->p)) return take_half(r);
    r->p = here;
    return 0;
}

/* H, HH, HHMM, HHMMSS */
static int take_digit_clock(reader *r, size_t length)
{
    r->has_clock = 1;
    if (length != 1 && length != 2 && length != 4 && length != 6) return -1;
    if (take_into(r, &r->hour, 1, 2, 0, 23)) return -1;
    if (length >= 4 && take_into(r, &r->minute, 2, 2, 0, 59)) return -1;
    return length == 6 ? take_into(r, &r->second, 2, 2, 0, 60) : 0;
}

/* Mail and Java add the name of a zone in brackets behind its offset. */
static void skip_comment(reader *r)
{
    skip_blanks(r);
    if (r->p == r->end) return;
    if ((*r->p == '(' && r->end[-1] == ')') || (*r->p == '[' && r->end[-1] == ']')) r->p = r->end;
}

/* %+: up to the end. */
static int take_rest(reader *r)
{
    if (r->p == r->end) return 0;
    if (*r->p == 'T' || *r->p == 't') {
        r->p++;
    } else if (*r->p == ',') {
        r->p++;
        skip_blanks(r);
    } else {
        const char *here = r->p;
        skip_blanks(r);
        if (r->p == here) return -1;
        if (r->p == r->end) return 0;
    }
    if (take_clock(r)) return -1;
    skip_blanks(r);
    if (r->p < r->end && take_zone(r)) return -1;
    skip_comment(r);
    return 0;
}

static int take_by(reader *r, char what);

/* A pattern that stands for others, or NULL. */
static const char *expand(char what)
{
    switch (what) {
    case 'F': return "%Y-%m-%d";
    case 'T': return "%H:%M:%S";
    case 'R': return "%H:%M";
    case 'D': return "%m/%d/%y";
    default: return NULL;
    }
}

static int take_pattern(reader *r, const char *pattern)
{
    for (; *pattern; pattern++) {
        if (*pattern == '%') {
            if (take_by(r, *++pattern)) return -1;
        } else if (*pattern == ' ') {
            skip_blanks(r);
        } else if (r->p == r->end || *r->p++ != *pattern)
            return -1;
    }
    return 0;
}

static int take_short_year(reader *r)
{
    if (take_into(r, &r->year, 2, 2, 0, 99)) return -1;
    r->year += r->year < 69 ? 2000 : 1900; /* as POSIX has it */
    return 0;
}

static int take_seconds(reader *r)
{
    int64_t value = 0;
    const int negative = r->p < r->end && *r->p == '-';
    r->p += negative;
    const char *first = r->p;
    while (r->p < r->end && isdigit((unsigned char)*r->p) && r->p - first < 12) value = value * 10 + *r->p++ - '0';
    r->seconds = negative ? -value : value;
    r->has_seconds = r->has_clock = 1;
    return r->p > first ? 0 : -1;
}

static int take_clock_part(reader *r, int *place, int high)
{
    r->has_clock = 1;
    return take_into(r, place, 1, 2, 0, high);
}

static int take_by(reader *r, char what)
{
    if (expand(what)) return take_pattern(r, expand(what));
    switch (what) {
    case 'Y': return take_into(r, &r->year, 4, 4, 1, 9999);
    case 'y': return take_short_year(r);
    case 'm': return take_into(r, &r->month, 1, 2, 1, 12);
    case 'e': skip_blanks(r); return take_into(r, &r->day, 1, 2, 1, 31);
    case 'd': skip_blanks(r); return take_into(r, &r->day, 1, 2, 1, 31);
    case 'j': return take_into(r, &r->day_of_year, 1, 3, 1, 366);
    case 'H': return take_clock_part(r, &r->hour, 23);
    case 'I': return take_clock_part(r, &r->hour, 12);
    case 'M': return take_clock_part(r, &r->minute, 59);
    case 'S': return take_clock_part(r, &r->second, 60);
    case 'f': return take_fraction(r);
    case 'p': return take_half(r);
    case 'z':
    case 'Z': return take_zone(r);
    case 'b':
    case 'B':
    case 'h': return take_month(r);
    case 'a':
    case 'A': return take_weekday(r);
    case 's': return take_seconds(r);
    case '+': return take_rest(r);
    case 't':
    case 'n': skip_blanks(r); return 0;
    case '%': return r->p < r->end && *r->p++ == '%' ? 0 : -1;
    default: return -1;
    }
}

static const reader NOTHING = {.year = 1970, .month = 1, .day = 1, .afternoon = -1};

/* What was read as a time. */
static int finish(const reader *r, const sg_zone *zone, sg_time_read *out)
{
    int64_t whole = r->seconds;
    if (r->p != r->end) return -1;
    if (!r->has_seconds) {
        if (!r->day_of_year && r->day > sg_days_in_month(r->year, r->month)) return -1;
        const int hour = r->afternoon < 0 ? r->hour : r->hour % 12 + 12 * r->afternoon;
        int64_t days = sg_days_from_date(r->year, r->day_of_year ? 1 : r->month, r->day_of_year ? 1 : r->day);
        if (r->day_of_year) days += r->day_of_year - 1;
        whole = days * SG_DAY + hour * 3600 + r->minute * 60 + r->second;
        whole = r->has_zone ? whole - r->offset : sg_zone_to_utc(zone, whole);
    }
    const double seconds = r->digits ? sg_join_fraction(whole, r->fraction, r->digits) : (double)whole;
    if (!sg_is_date(seconds)) return -1;
    *out = (sg_time_read){seconds, r->has_clock, r->has_zone};
    return 0;
}

int sg_time_format_read(const sg_time_format *format, const sg_zone *zone, const char *text, size_t length,
                        sg_time_read *out)
{
    reader r = NOTHING;
    r.p = text;
    r.end = text + length;
    if (format->kind == SG_TIMES_ISO && !zone) {
        /* The fast way, which knows all but a few odd forms. */
        int has_clock;
        double seconds;
        if (sg_parse_date(text, length, &seconds, &has_clock) == 0) {
            const int has_zone =
                has_clock && (strchr("Zz", text[length - 1]) || memchr(text + 11, '+', length - 11) ||
                              memchr(text + 11, '-', length - 11));
            *out = (sg_time_read){seconds, has_clock, has_zone};
            return 0;
        }
    }
    return take_pattern(&r, format->kind == SG_TIMES_ISO ? known[0].pattern : format->pattern)
               ? -1
               : finish(&r, zone, out);
}

int sg_time_format_read_two(const sg_time_format *format, const sg_zone *zone, const char *date, size_t length,
                            const char *clock, size_t clock_length, int digits, sg_time_read *out)
{
    reader r = NOTHING;
    r.p = date;
    r.end = date + length;
    if (take_pattern(&r, format->kind == SG_TIMES_ISO ? known[0].pattern : format->pattern) || r.p != r.end ||
        r.has_clock)
        return -1;
    r.p = clock;
    r.end = clock + clock_length;
    if (digits ? take_digit_clock(&r, clock_length) : take_clock(&r)) return -1;
    skip_blanks(&r);
    if (r.p < r.end && take_zone(&r)) return -1;
    return finish(&r, zone, out);
}

int sg_is_clock(const char *text, size_t length)
{
    reader r = NOTHING;
    r.p = text;
    r.end = text + length;
    return take_clock(&r) == 0 && r.p == r.end;
}

/* ---- Finding ---- */

static sg_time_format make_format(int kind, const char *pattern)
{
    sg_time_format format = {.kind = kind};
    snprintf(format.pattern, sizeof format.pattern, "%s", pattern);
    return format;
}

static size_t count_read(const char *pattern, const sg_time_sample *samples, size_t count)
{
    const sg_time_format format = make_format(SG_TIMES_PATTERN, pattern);
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        sg_time_read ignored;
        good += sg_time_format_read(&format, NULL, samples[i].text, samples[i].length, &ignored) == 0;
    }
    return good;
}

/* Plain numbers that could be dates too, 20140131: only if all are, of a time when logs are kept. */
static int are_digit_dates(const char *pattern, const sg_time_sample *samples, size_t count)
{
    const sg_time_format format = make_format(SG_TIMES_PATTERN, pattern);
    for (size_t i = 0; i < count; i++) {
        sg_time_read time;
        if (sg_time_format_read(&format, NULL, samples[i].text, samples[i].length, &time) ||
            time.seconds < -2208988800.0 || time.seconds >= 4102444800.0) /* 1900 to 2100 */
            return 0;
    }
    return count > 0;
}

static size_t count_numbers(const sg_time_sample *samples, size_t count, int *nano)
{
    size_t numbers = 0, large = 0;
    for (size_t i = 0; i < count; i++) {
        double value;
        if (sg_parse_double(samples[i].text, samples[i].length, &value) < 0) continue;
        numbers++;
        large += value >= SG_NANO_LEAST && value < 1e19;
    }
    *nano = numbers > 0 && 2 * large > numbers;
    return numbers;
}

size_t sg_time_format_find(const sg_time_sample *samples, size_t count, sg_time_format *format, const char **other)
{
    size_t best = 0, place = 0;
    int nano;
    const size_t numbers = count_numbers(samples, count, &nano);
    *other = NULL;
    if (2 * numbers > count || (numbers && numbers == count)) {
        for (size_t k = 0; k < KNOWN; k++)
            if (DIGITS_ONLY(known[k].pattern) && are_digit_dates(known[k].pattern, samples, count)) {
                *format = make_format(SG_TIMES_PATTERN, known[k].pattern);
                return count;
            }
        *format = make_format(nano ? SG_TIMES_NANO : SG_TIMES_NUMBERS, "");
        return numbers;
    }
    for (size_t k = 0; k < KNOWN; k++) {
        const size_t good = count_read(known[k].pattern, samples, count);
        if (good <= best) continue;
        best = good;
        place = k;
    }
    if (best < numbers || !best) {
        *format = make_format(nano ? SG_TIMES_NANO : SG_TIMES_NUMBERS, "");
        return numbers;
    }
    *format = make_format(place ? SG_TIMES_PATTERN : SG_TIMES_ISO, known[place].pattern);
    if (known[place].has_twin == 1 && count_read(known[place + 1].pattern, samples, count) == best)
        *other = known[place + 1].pattern;
    return best;
}

int sg_time_format_tell(const char *pattern, sg_time_format *format, scadyg_error *error)
{
    unsigned has = 0;
    for (const char *c = pattern; *c; c++) {
        if (*c != '%') continue;
        if (!*++c || !strchr("YymdejHIMSfpzZbBhaAsFTRDtn%", *c))
            return sg_fail(
                error, SCADYG_E_USAGE,
                "--time-format: '%%%.1s' is not known; known are %%Y %%m %%d %%H %%M %%S and the like, as "
                "of strptime",
                c);
        has |= strchr("YyFD", *c) ? 1u : 0;
        has |= strchr("mbBhFDj", *c) ? 2u : 0;
        has |= strchr("dejFD", *c) ? 4u : 0;
        has |= *c == 's' ? 15u : 0;
        has |= strchr("HIMSTRfpzZ", *c) ? 8u : 0;
    }
    if ((has & 3) != 3)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "--time-format '%.100s' names no %s; a date such as 31.01.2014 09:30 is '%%d.%%m.%%Y %%H:%%M'", pattern,
            has & 1 ? "month" : "year");
    if (strlen(pattern) + 2 > SG_PATTERN_LONGEST)
        return sg_fail(error, SCADYG_E_USAGE, "--time-format is longer than %d characters", SG_PATTERN_LONGEST - 2);
    *format = make_format(SG_TIMES_PATTERN, pattern);
    if (!(has & 8)) strcat(format->pattern, "%+");
    return SCADYG_OK;
}

const char *sg_time_format_example(const sg_time_format *format)
{
    if (format->kind == SG_TIMES_ISO) return known[0].example;
    for (size_t k = 0; k < KNOWN; k++)
        if (strcmp(format->pattern, known[k].pattern) == 0) return known[k].example;
    return format->pattern;
}
