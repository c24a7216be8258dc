/* Reading a date by a pattern, as strptime does, with names of months in several languages and what may follow a date. */
#include "events/time_format_parts.h"

#include "events/calendar.h"
#include "events/time_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct reader {
    const char *p, *end;
    int year, month, day, day_of_year;
    int week, weekday;                   /* of ISO 8601; week 0: none */
    int tight;                           /* digits stand beside digits: each number has two */
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

/* Blanks, among them the two that do not break a line: one of them stands before AM and PM in browsers. */
static void skip_blanks(reader *r)
{
    for (;;) {
        const size_t left = (size_t)(r->end - r->p);
        if (left && (*r->p == ' ' || *r->p == '\t'))
            r->p++;
        else if (left >= 2 && memcmp(r->p, "\xC2\xA0", 2) == 0)
            r->p += 2;
        else if (left >= 3 && memcmp(r->p, "\xE2\x80\xAF", 3) == 0)
            r->p += 3;
        else
            return;
    }
}

/* "January 31, 2014 at 9:30 AM" */
static void skip_at(reader *r)
{
    static const char *const words[] = {"at ", "um ", "à ", "@ "};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t length = strlen(words[k]);
        if ((size_t)(r->end - r->p) <= length || strncasecmp(r->p, words[k], length) != 0) continue;
        r->p += length;
        skip_blanks(r);
        return;
    }
}

/* A number into its place, from `low` to `high`. */
static int take_into(reader *r, int *place, int least, int most, int low, int high)
{
    *place = take_digits(r, least, most);
    return *place >= low && *place <= high ? 0 : -1;
}

/* Small letters, also of Latin-1's in UTF-8. */
static char make_small(const char *p, const char *begin)
{
    const unsigned char c = (unsigned char)*p;
    if (c >= 'A' && c <= 'Z') return (char)(c + 32);
    return p > begin && p[-1] == '\xC3' && c >= 0x80 && c <= 0x9E && c != 0x97 ? (char)(c + 32) : (char)c;
}

static int is_letter(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

/*
 * A name of one of the lists, whole or its first letters, three or more; its number from 0, -1: none, or it could be several. A
 * list has the names of a language between blanks.
 */
static int take_name(reader *r, const char *const *lists, size_t count)
{
    char word[24] = "";
    size_t letters = 0;
    int found = -1;
    for (; r->p + letters < r->end && is_letter(r->p[letters]); letters++) {
        if (letters + 1 == sizeof word) return -1;
        word[letters] = make_small(r->p + letters, r->p);
    }
    if (letters < 3) return -1;
    for (size_t k = 0; k < count; k++) {
        int number = 0;
        for (const char *name = lists[k]; *name; number++) {
            const size_t length = strcspn(name, " ");
            if (letters <= length && strncmp(name, word, letters) == 0) {
                if (found >= 0 && found != number && letters < length) return -1; /* jui: juin, juillet */
                found = number;
            }
            name += length + (name[length] == ' ');
        }
    }
    if (found < 0) return -1;
    r->p += letters;
    if (r->p < r->end && *r->p == '.') r->p++;
    return found;
}

static int take_month(reader *r)
{
    static const char *const names[] = {
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jänner februar mrz april mai juni juli august sept oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv fevrier mars avril mai juin juil aout sept octobre novembre decembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "januari februari maart april mei juni juli augustus september oktober november december",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"};
    r->month = take_name(r, names, sizeof names / sizeof *names) + 1;
    return r->month ? 0 : -1;
}

/* Of German: Mo, Di, Mi. */
static int take_short_weekday(reader *r)
{
    static const char names[] = "MoDiMiDoFrSaSo";
    for (size_t k = 0; k + 1 < sizeof names; k += 2)
        if (r->end - r->p > 2 && memcmp(r->p, names + k, 2) == 0 && !is_letter(r->p[2])) {
            r->p += r->p[2] == '.' ? 3 : 2;
            return 0;
        }
    return -1;
}

static int take_weekday(reader *r)
{
    static const char *const names[] = {"monday tuesday wednesday thursday friday saturday sunday",
                                        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
                                        "lundi mardi mercredi jeudi vendredi samedi dimanche",
                                        "lunes martes miércoles jueves viernes sábado domingo"};
    return take_name(r, names, sizeof names / sizeof *names) < 0 ? take_short_weekday(r) : 0;
}

static int take_fraction(reader *r)
{
    r->fraction = r->p;
    while (r->p < r->end && isdigit((unsigned char)*r->p)) r->p++;
    r->digits = (int)(r->p - r->fraction);
    return r->digits > 0 && r->digits <= SG_FRACTION_MOST ? 0 : -1;
}

/* AM, pm, a.m. */
static int take_half(reader *r)
{
    const char *p = r->p;
    if (p == r->end || !strchr("AaPp", *p)) return -1;
    const int afternoon = *p == 'P' || *p == 'p';
    p++;
    const int dotted = p < r->end && *p == '.';
    p += dotted;
    if (dotted && p < r->end && *p == ' ') p++;
    if (p == r->end || (*p != 'M' && *p != 'm')) return -1;
    p++;
    if (dotted && p < r->end && *p == '.') p++;
    r->afternoon = afternoon;
    r->p = p;
    return r->hour >= 1 && r->hour <= 12 ? 0 : -1;
}

static int take_zone(reader *r)
{
    const size_t used = sg_zone_read(r->p, (size_t)(r->end - r->p), &r->offset);
    r->p += used;
    r->has_zone = 1;
    return used ? 0 : -1;
}

/* 12h30, as French writes it: behind the h. */
static int take_french_minutes(reader *r)
{
    if (take_into(r, &r->minute, 2, 2, 0, 59)) return -1;
    if (r->p < r->end && (*r->p == 'm' || *r->p == 'M' || *r->p == ':')) {
        r->p++;
        if (r->p < r->end && take_into(r, &r->second, 2, 2, 0, 60)) return -1;
        if (r->p < r->end && (*r->p == 's' || *r->p == 'S')) r->p++;
    }
    return r->hour == 24 && (r->minute || r->second) ? -1 : 0;
}

/* HH:MM[:SS[.f]], then AM or PM if it is there; between them stands a colon or what `dot` is. 24:00:00 ends a day. */
static int take_clock_by(reader *r, char dot)
{
    r->has_clock = 1;
    if (take_into(r, &r->hour, 1, 2, 0, 24) || r->p == r->end) return -1;
    const char between = *r->p++;
    if (dot != ':' && (between == 'h' || between == 'H')) return take_french_minutes(r);
    if ((between != ':' && between != dot) || take_into(r, &r->minute, 2, 2, 0, 59)) return -1;
    if (r->p < r->end && *r->p == between) {
        r->p++;
        if (take_into(r, &r->second, 2, 2, 0, 60)) return -1;
        if (r->p < r->end && (*r->p == '.' || *r->p == ',')) {
            r->p++;
            if (take_fraction(r)) return -1;
        }
    }
    if (r->hour == 24 && (r->minute || r->second || r->digits)) return -1;
    const char *here = r->p;
    skip_blanks(r);
    if (r->p < r->end && strchr("AaPp", *r->p)) return take_half(r);
    r->p = here;
    return 0;
}

static int take_clock(reader *r)
{
    return take_clock_by(r, ':');
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

/* "10:04 Uhr": the word says no more than that it is a time of day. */
static void skip_oclock(reader *r)
{
    static const char *const words[] = {"Uhr", "uur", "hrs", "hs", "h"};
    const char *here = r->p;
    skip_blanks(r);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t length = strlen(words[k]), left = (size_t)(r->end - r->p);
        if (left < length || strncasecmp(r->p, words[k], length) != 0 ||
            (left > length && (is_letter(r->p[length]) || isdigit((unsigned char)r->p[length]))))
            continue;
        r->p += length;
        if (r->p < r->end && *r->p == '.') r->p++;
        return;
    }
    r->p = here;
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
    skip_at(r);
    if (take_clock_by(r, '.')) return -1;
    skip_oclock(r);
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

/* Of %Y%m%d the month and the day have two digits each: nothing else tells where one ends. */
static int is_tight(const char *begin, const char *directive)
{
    static const char numbers[] = "YymdHIMS";
    const int before = directive > begin + 1 && directive[-2] == '%' && strchr(numbers, directive[-1]) != NULL;
    return before || (directive[2] == '%' && directive[3] && strchr(numbers, directive[3]) != NULL);
}

static int take_pattern(reader *r, const char *pattern)
{
    for (const char *begin = pattern; *pattern; pattern++) {
        if (*pattern == '%') {
            r->tight = is_tight(begin, pattern);
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
    r->has_seconds = r->has_clock = r->has_zone = 1;
    return r->p > first ? 0 : -1;
}

/* Milliseconds since 1970. */
static int take_milliseconds(reader *r)
{
    const char *first = r->p;
    while (r->p < r->end && (isdigit((unsigned char)*r->p) || (r->p == first && *r->p == '-'))) r->p++;
    reader whole = *r;
    if (r->p - first < 5 || r->p - first > 15) return -1;
    whole.p = first;
    whole.end = r->p - 3;
    if (*first == '-' || take_seconds(&whole) || whole.p != whole.end) return -1;
    r->seconds = whole.seconds;
    r->fraction = r->p - 3;
    r->digits = 3;
    r->has_seconds = r->has_clock = r->has_zone = 1;
    return 0;
}

static int take_clock_part(reader *r, int *place, int high)
{
    r->has_clock = 1;
    return take_into(r, place, r->tight ? 2 : 1, 2, 0, high);
}

static int take_quarter(reader *r)
{
    int quarter;
    if (take_into(r, &quarter, 1, 1, 1, 4)) return -1;
    r->month = 3 * quarter - 2;
    return 0;
}

static int take_by(reader *r, char what)
{
    if (expand(what)) return take_pattern(r, expand(what));
    switch (what) {
    case 'Y': return take_into(r, &r->year, 4, 4, 1, 9999);
    case 'y': return take_short_year(r);
    case 'm': return take_into(r, &r->month, r->tight ? 2 : 1, 2, 1, 12);
    case 'e': skip_blanks(r); return take_into(r, &r->day, 1, 2, 1, 31);
    case 'd': skip_blanks(r); return take_into(r, &r->day, r->tight ? 2 : 1, 2, 1, 31);
    case 'G': return take_into(r, &r->year, 4, 4, 1, 9999);
    case 'V': return take_into(r, &r->week, 2, 2, 1, 53);
    case 'u': return take_into(r, &r->weekday, 1, 1, 1, 7);
    case 'Q': return take_milliseconds(r);
    case 'q': return take_quarter(r);
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

/* Monday of the first week is that of the week with January 4 in it. The last week of a year may not be the 53rd. */
static int find_week_day(const reader *r, int64_t *days)
{
    const int64_t fourth = sg_days_from_date(r->year, 1, 4), next = sg_days_from_date(r->year + 1, 1, 4);
    const int64_t monday = fourth - ((fourth + 3) % 7 + 7) % 7, end = next - ((next + 3) % 7 + 7) % 7;
    *days = monday + 7 * (r->week - 1) + (r->weekday ? r->weekday - 1 : 0);
    return *days < end ? 0 : -1;
}

/* What was read as a time. */
static int finish(const reader *r, const sg_zone *zone, sg_time_read *out)
{
    int64_t whole = r->seconds;
    int skipped = 0;
    if (r->p != r->end) return -1;
    if (!r->has_seconds) {
        if (!r->day_of_year && r->day > sg_days_in_month(r->year, r->month)) return -1;
        const int hour = r->afternoon < 0 ? r->hour : r->hour % 12 + 12 * r->afternoon;
        int64_t days = sg_days_from_date(r->year, r->day_of_year ? 1 : r->month, r->day_of_year ? 1 : r->day);
        if (r->day_of_year) days += r->day_of_year - 1;
        if (r->week && find_week_day(r, &days)) return -1;
        whole = days * SG_DAY + hour * 3600 + r->minute * 60 + r->second;
        whole = r->has_zone ? whole - r->offset : sg_zone_to_utc_or_skip(zone, whole, &skipped);
    }
    const double seconds = r->digits ? sg_join_fraction(whole, r->fraction, r->digits) : (double)whole;
    if (!sg_is_date(seconds)) return -1;
    *out = (sg_time_read){seconds, r->has_clock, r->has_zone, skipped && r->has_clock};
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
            *out = (sg_time_read){seconds, has_clock, has_zone, 0};
            return 0;
        }
    }
    return take_pattern(&r, format->kind == SG_TIMES_ISO ? SG_ISO_PATTERN : format->pattern)
               ? -1
               : finish(&r, zone, out);
}

int sg_time_format_read_two(const sg_time_format *format, const sg_zone *zone, const char *date, size_t length,
                            const char *clock, size_t clock_length, int digits, sg_time_read *out)
{
    reader r = NOTHING;
    r.p = date;
    r.end = date + length;
    if (take_pattern(&r, format->kind == SG_TIMES_ISO ? SG_ISO_PATTERN : format->pattern) || r.p != r.end ||
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
    return take_clock(&r) == 0 && r.p == r.end && r.hour < 24;
}
