/* How the times of a log are written. */
#include "events/time_format.h"

#include "events/calendar.h"
#include "events/time_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

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
    {"%Y. %m. %d.%+", "2014. 01. 31. 09:30", 0},
    {"%d.%m.%Y%+", "31.01.2014 09:30", 0},
    {"%d.%m.%y%+", "31.01.14 09:30", 0},
    {"%d/%m/%Y%+", "31/01/2014 09:30 (day first)", 1},
    {"%m/%d/%Y%+", "01/31/2014 09:30 (month first)", -1},
    {"%d-%m-%Y%+", "31-01-2014 09:30 (day first)", 1},
    {"%m-%d-%Y%+", "01-31-2014 09:30 (month first)", -1},
    {"%d/%m/%y%+", "31/01/14 09:30 (day first)", 1},
    {"%m/%d/%y%+", "01/31/14 09:30 (month first)", -1},
    {"%d-%m-%y%+", "31-01-14 09:30 (day first)", 1},
    {"%m-%d-%y%+", "01-31-14 09:30 (month first)", -1},
    {"%y/%m/%d%+", "14/01/31 09:30 (year first)", 0},
    {"%y.%m.%d%+", "14.01.31 09:30 (year first)", 0},
    {"%y-%m-%d%+", "14-01-31 09:30 (year first)", 0},
    {"%Y%m%dT%H%M%S%z", "20140131T093000Z", 0},
    {"%Y%m%dT%H%M%S", "20140131T093000", 0},
    {"%Y%m%d%H%M%S", "20140131093000", 0},
    {"%Y%m%d%H%M", "201401310930", 0},
    {"%Y%m%d%H", "2014013109", 0},
    {"%y%m%d%H%M%S", "140131093000", 0},
    {"%Y%m%d%H%M%S%f", "20140131093000123", 0},
    {"%Y%m%d%+", "20140131", 0},
    {"%d%m%Y", "31012014 (day first)", 1},
    {"%m%d%Y", "01312014 (month first)", -1},
    {"%Y%m%d%H%M%S%z", "20140131093000Z", 0},
    {"%Y%m%d%H%M%S.%f%z", "20140131093000.0Z", 0},
    {"%Y%m%d_%H%M%S", "20140131_093000", 0},
    {"%Y%m%d-%H%M%S", "20140131-093000", 0},
    {"%Y-%m-%d %H", "2014-01-31 09", 0},
    {"%Y-%m-%dT%H", "2014-01-31T09", 0},
    {"%Y-%m-%d_%H-%M-%S", "2014-01-31_09-30-00", 0},
    {"%Y-%m-%d-%H-%M-%S", "2014-01-31-09-30-00", 0},
    {"%Y-%m-%d_%H:%M:%S", "2014-01-31_09:30:00", 0},
    {"%Y-%m-%d-%H.%M.%S.%f", "2014-01-31-09.30.00.000000", 0},
    {"%Y-%m-%d-%H.%M.%S", "2014-01-31-09.30.00", 0},
    {"%G-W%V-%u", "2014-W05-5", 0},
    {"%G-W%V", "2014-W05", 0},
    {"%Y-%m", "2014-01 (the month)", 0},
    {"%m/%Y", "01/2014 (the month)", 0},
    {"%b %Y", "January 2014 (the month)", 0},
    {"%Y-Q%q", "2014-Q1 (the quarter)", 0},
    {"%Y Q%q", "2014 Q1 (the quarter)", 0},
    {"Q%q %Y", "Q1 2014 (the quarter)", 0},
    {"/Date(%Q)/", "/Date(1391160600000)/", 0},
    {"/Date(%Q%z)/", "/Date(1391160600000+0100)/", 0},
    {"%d. %b %Y%+", "31. Januar 2014 09:30", 0},
    {"%d de %b de %Y%+", "31 de enero de 2014 09:30", 0},
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
    {"%d %b %y%+", "31 January 14 09:30", 0},
    {"%d %b %Y:%H:%M:%S", "31JAN2014:09:30:00", 0},
    {"%d %b %Y:%H:%M:%S.%f", "31JAN2014:09:30:00.000", 0},
    {"%b %d, %Y%+", "January 31, 2014 09:30", 0},
    {"%b %d %Y%+", "Jan 31 2014 09:30", 0},
    {"%b-%d-%Y%+", "Jan-31-2014 09:30", 0},
    {"%b-%d-%y%+", "Jan-31-14 09:30", 0},
    {"%a, %b %d, %Y%+", "Friday, January 31, 2014 09:30", 0},
    {"%a %d/%m/%Y%+", "Fri 31/01/2014 09:30 (day first)", 1},
    {"%a %m/%d/%Y%+", "Fri 01/31/2014 09:30 (month first)", -1},
    {"%a %d.%m.%Y%+", "Fri 31.01.2014 09:30", 0},
    {"%a, %d.%m.%Y%+", "Fri, 31.01.2014 09:30", 0},
    {"%Y年%m月%d日%+", "2014年1月31日 09:30", 0},
    {"%a, %d %b %Y%+", "Fri, 31 Jan 2014 09:30:00 +0100", 0},
    {"%a, %d %b %y%+", "Fri, 31 Jan 14 09:30:00 +0100", 0},
    {"%a %b %d %Y%+", "Fri Jan 31 2014 09:30:00 GMT+0100", 0},
    {"%a %b %d %H:%M:%S %Y", "Fri Jan 31 09:30:00 2014", 0},
    {"%a %b %d %H:%M:%S %Y %z", "Fri Jan 31 09:30:00 2014 +0100", 0},
    {"%a %b %d %H:%M:%S %Z %Y", "Fri Jan 31 09:30:00 UTC 2014", 0},
};
#define KNOWN (sizeof known / sizeof *known)

/* Whether what it reads could be plain numbers. */
static int is_digits_only(const char *pattern)
{
    return strncmp(pattern, "%Y%m", 4) == 0 || strncmp(pattern, "%y%m", 4) == 0 || strcmp(pattern, "%d%m%Y") == 0 ||
           strcmp(pattern, "%m%d%Y") == 0;
}

/* ---- Reading by a pattern ---- */

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
    return take_clock(&r) == 0 && r.p == r.end && r.hour < 24;
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
    /* In writing that is less known they must be of a narrower time. */
    const double least =
        strncmp(pattern, "%Y%m%d", 6) == 0 && strcmp(pattern, "%Y%m%d%H") != 0 ? -2208988800.0 : 631152000.0;
    const int fraction = strstr(pattern, "%S%f") != NULL && pattern[strlen(pattern) - 1] == 'f';
    for (size_t i = 0; i < count; i++) {
        sg_time_read time;
        if (fraction && samples[i].length != 17 && samples[i].length != 20) return 0; /* milli-, microseconds */
        if (sg_time_format_read(&format, NULL, samples[i].text, samples[i].length, &time) || time.seconds < least ||
            time.seconds >= 4102444800.0) /* 1900, or 1990, to 2100 */
            return 0;
    }
    return count > 0;
}

const char *sg_time_format_suspect(const sg_time_sample *samples, size_t count)
{
    static const struct {
        const char *pattern;
        size_t length;
    } forms[] = {{"%Y%m", 6}, {"%y%m%d", 6}, {"%Y%j", 7}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        size_t fit = 0;
        for (size_t i = 0; i < count; i++) fit += samples[i].length == forms[k].length;
        if (fit == count && are_digit_dates(forms[k].pattern, samples, count)) return forms[k].pattern;
    }
    return NULL;
}

/* Numbers since other beginnings than 1970, told by their size: each is of 1990 to 2080. */
static const struct {
    int kind;
    double least, end;
    int64_t epoch; /* 1970 in them */
    int per_micro; /* so many of them are a microsecond */
    const char *name;
} since[] = {
    {SG_TIMES_WEBKIT, 1.25e16, 1.52e16, 11644473600000000, 1, "microseconds since 1601, kept as those since 1970"},
    {SG_TIMES_WINDOWS, 1.25e17, 1.52e17, 116444736000000000, 10,
     "Windows' tenths of microseconds since 1601, kept as microseconds since 1970"},
    {SG_TIMES_DOTNET, 6.27e17, 6.57e17, 621355968000000000, 10, ".NET's ticks, kept as microseconds since 1970"},
};
#define SINCE (sizeof since / sizeof *since)

int sg_time_number_kind(double value)
{
    for (size_t k = 0; k < SINCE; k++)
        if (value >= since[k].least && value < since[k].end) return since[k].kind;
    return value >= SG_NANO_LEAST && value < 1e19 ? SG_TIMES_NANO : SG_TIMES_NUMBERS;
}

const char *sg_time_number_name(int kind)
{
    for (size_t k = 0; k < SINCE; k++)
        if (since[k].kind == kind) return since[k].name;
    return kind == SG_TIMES_NANO ? "nanoseconds, kept as microseconds" : "numbers";
}

int sg_time_number_read(int kind, const char *text, size_t length, double *micro)
{
    int64_t value = 0;
    if (length == 0 || length > 18) return -1;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i])) return -1;
        value = value * 10 + text[i] - '0';
    }
    for (size_t k = 0; k < SINCE; k++) {
        if (since[k].kind != kind) continue;
        value -= since[k].epoch;
        *micro = (double)(value / since[k].per_micro) + (double)(value % since[k].per_micro) / since[k].per_micro;
        return 0;
    }
    return -1;
}

/* How many are numbers, and what most of them are by their size. */
static size_t count_numbers(const sg_time_sample *samples, size_t count, int *kind)
{
    size_t numbers = 0, large[SG_TIMES_ISO] = {0};
    for (size_t i = 0; i < count; i++) {
        double value;
        if (sg_parse_double(samples[i].text, samples[i].length, &value) < 0) continue;
        numbers++;
        large[sg_time_number_kind(value)]++;
    }
    *kind = SG_TIMES_NUMBERS;
    for (int k = SG_TIMES_NANO; k < SG_TIMES_ISO; k++)
        if (numbers && 2 * large[k] > numbers) *kind = k;
    return numbers;
}

static int find_digit_dates(const sg_time_sample *samples, size_t count, sg_time_format *format, const char **other)
{
    for (size_t k = 0; k < KNOWN; k++) {
        if (!is_digits_only(known[k].pattern) || !are_digit_dates(known[k].pattern, samples, count)) continue;
        *format = make_format(SG_TIMES_PATTERN, known[k].pattern);
        if (known[k].has_twin == 1 && are_digit_dates(known[k + 1].pattern, samples, count))
            *other = known[k + 1].pattern;
        return 1;
    }
    return 0;
}

/* The time of day of a text as a pattern, with what stands before it: " %H:%M:%S.%f", "T%H:%M". 0, or -1: there is none. */
static int make_clock_pattern(const char *text, size_t length, char out[32])
{
    const char *colon = memchr(text, ':', length), *end = text + length;
    const char *clock = colon;
    if (!colon) return -1;
    while (clock > text && isdigit((unsigned char)clock[-1])) clock--;
    if (clock == text || clock == colon || (clock[-1] != ' ' && clock[-1] != 'T')) return -1;
    const char *second = memchr(colon + 1, ':', (size_t)(end - colon) - 1);
    const char *fraction = second;
    while (fraction && fraction < end && *fraction != '.' && *fraction != ',') fraction++;
    if (fraction == end) fraction = NULL;
    const int half = strchr("mM", end[-1]) != NULL;
    snprintf(out, 32, "%c%s:%%M%s%s%s%s", clock[-1], half ? "%I" : "%H", second ? ":%S" : "",
             !fraction          ? ""
             : *fraction == '.' ? "."
                                : ",",
             fraction ? "%f" : "", half ? " %p" : "");
    return 0;
}

/* Letters that may name a zone: IST, Europe/Berlin. */
static int is_zone_word(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalpha((unsigned char)word[i]) && word[i] != '/' && word[i] != '_') return 0;
    return length >= 3;
}

int sg_time_format_tail(const char *text, size_t length, char pattern[SG_PATTERN_LONGEST + 1], const char **tail)
{
    sg_time_format format;
    char clock[32];
    const char *other, *blank = memrchr(text, ' ', length);
    if (!blank || blank == text || !is_zone_word(blank + 1, length - (size_t)(blank - text) - 1)) return -1;
    const sg_time_sample head = {text, (size_t)(blank - text)};
    if (!sg_time_format_find(&head, 1, &format, &other) || format.kind < SG_TIMES_ISO ||
        make_clock_pattern(text, head.length, clock))
        return -1;
    const char *date = format.kind == SG_TIMES_ISO ? known[0].pattern : format.pattern, *rest = strstr(date, "%+");
    if (!rest) return -1;
    *tail = blank + 1;
    snprintf(pattern, SG_PATTERN_LONGEST + 1, "%.*s%s %.*s", (int)(rest - date), date, clock,
             (int)(length - head.length - 1), *tail);
    return 0;
}

/* ---- Of years of two digits: first or last ---- */

/* Of "%d/%m/%y" and "%m/%d/%y" the way with the year first; NULL: the year has four digits. */
static const char *find_year_first(const char *pattern)
{
    char first[12];
    if (strlen(pattern) < 8 || pattern[6] != '%' || pattern[7] != 'y' || pattern[2] != pattern[5] ||
        (memcmp(pattern, "%d", 2) != 0 && memcmp(pattern, "%m", 2) != 0))
        return NULL;
    snprintf(first, sizeof first, "%%y%c%%m%c%%d%%+", pattern[2], pattern[2]);
    for (size_t k = 0; k < KNOWN; k++)
        if (strcmp(known[k].pattern, first) == 0) return known[k].pattern;
    return NULL;
}

/* What speaks for one way to read dates: their order in the log, how many different days of the month, and whether all are past. */
typedef struct date_look {
    size_t read, rising, falling;
    uint32_t days;     /* a bit for each */
    double last;       /* the latest */
    uint64_t years[2]; /* a bit for each of 100 */
} date_look;

static date_look look_at(const char *pattern, const sg_time_sample *samples, size_t count)
{
    const sg_time_format format = make_format(SG_TIMES_PATTERN, pattern);
    date_look look = {.last = -INFINITY};
    double before = 0;
    for (size_t i = 0; i < count; i++) {
        sg_time_read time;
        int year, month, day;
        if (sg_time_format_read(&format, NULL, samples[i].text, samples[i].length, &time)) continue;
        look.rising += look.read && time.seconds > before;
        look.falling += look.read && time.seconds < before;
        before = time.seconds;
        if (time.seconds > look.last) look.last = time.seconds;
        sg_date_from_days(sg_day_of((int64_t)floor(time.seconds)), &year, &month, &day);
        look.days |= UINT32_C(1) << day;
        look.years[year % 100 / 50] |= UINT64_C(1) << year % 50;
        look.read++;
    }
    return look;
}

static int count_years(const date_look *look)
{
    return __builtin_popcountll(look->years[0]) + __builtin_popcountll(look->years[1]);
}

/* The log is in the order of its times, and these are several. */
static int is_in_order(const date_look *look)
{
    return (look->rising >= 2 && !look->falling) || (look->falling >= 2 && !look->rising);
}

#define TOMORROW 172800.0

/*
 * 24/01/02 is of 2024 or of 2002. A log that is in order by one reading and not by the other says it; else one by which all is of
 * few years and days of all the month, where by the other nearly all years differ; else one by which nothing is still to come.
 * 1: the year is first, -1: last, 0: nothing decides it.
 */
static int compare_year_places(const date_look *first, const date_look *last)
{
    const double soon = (double)time(NULL) + TOMORROW;
    const int first_order = is_in_order(first), last_order = is_in_order(last);
    const int first_past = first->last < soon, last_past = last->last < soon;
    if (first_order != last_order) return first_order ? 1 : -1;
    const int first_years = count_years(first), last_years = count_years(last);
    const int first_days = __builtin_popcount(first->days), last_days = __builtin_popcount(last->days);
    if (3 * first_years <= last_years && (first_days >= 12 || !last_past) && first_past) return 1;
    if (3 * last_years <= first_years && (last_days >= 12 || !first_past) && last_past) return -1;
    return first_past == last_past ? 0 : first_past ? 1 : -1;
}

/* The same of the samples, which `pattern`, with the year last, and `twin` (NULL: none) read as well as `first` does. */
static int find_year_place(const char *first, const char *pattern, const char *twin, const sg_time_sample *samples,
                           size_t count)
{
    const date_look year_first = look_at(first, samples, count);
    date_look year_last = look_at(pattern, samples, count);
    if (twin && !is_in_order(&year_last)) {
        const date_look other = look_at(twin, samples, count);
        if (other.read == year_last.read && is_in_order(&other)) year_last = other;
    }
    const int place = compare_year_places(&year_first, &year_last);
    if (place || pattern[2] != '.') return place;
    /* With points the day is first nearly everywhere, so that is doubted only where something speaks against it. */
    return count_years(&year_last) <= count_years(&year_first) && year_last.last >= year_first.last ? -1 : 0;
}

size_t sg_time_format_find(const sg_time_sample *samples, size_t count, sg_time_format *format, const char **other)
{
    size_t best = 0, place = 0;
    int kind;
    const size_t numbers = count_numbers(samples, count, &kind);
    *other = NULL;
    if (2 * numbers > count || (numbers && numbers == count)) {
        if (find_digit_dates(samples, count, format, other)) return count;
        *format = make_format(kind, "");
        return numbers;
    }
    for (size_t k = 0; k < KNOWN; k++) {
        const size_t good = count_read(known[k].pattern, samples, count);
        if (good <= best) continue;
        best = good;
        place = k;
    }
    if (best < numbers || !best) {
        *format = make_format(kind, "");
        return numbers;
    }
    *format = make_format(place ? SG_TIMES_PATTERN : SG_TIMES_ISO, known[place].pattern);
    if (known[place].has_twin == 1 && count_read(known[place + 1].pattern, samples, count) == best)
        *other = known[place + 1].pattern;
    const char *first = find_year_first(known[place].pattern);
    if (!first || count_read(first, samples, count) < best) return best;
    const int year = find_year_place(first, known[place].pattern, *other, samples, count);
    if (year > 0) {
        *format = make_format(SG_TIMES_PATTERN, first);
        *other = NULL;
    } else if (year == 0)
        *other = first;
    return best;
}

int sg_time_format_guess(const sg_time_sample *samples, size_t count, char guess[SG_GUESS_LONGEST])
{
    /* A pattern and that with day and month the other way round, or NULL. */
    static const char *const patterns[][2] = {
        {"%m.%d.%Y%+", NULL},
        {"%m.%d.%y%+", NULL},
        {"%Y-%d-%m%+", NULL},
        {"%Y/%d/%m%+", NULL},
        {"%Y.%d.%m%+", NULL},
        {"%Y:%m:%d %H:%M:%S", NULL},
        {"%Y_%m_%d%+", NULL},
        {"%Y %m %d%+", NULL},
        {"%Y-%b-%d%+", NULL},
        {"%Y %b %d%+", NULL},
        {"%d.%b.%Y%+", NULL},
        {"%Y-%m-%d %H-%M-%S", NULL},
        {"%Y-%m-%d %H%M", NULL},
        {"%Y-%m-%d %H%M%S", NULL},
        {"%Y-%m-%d/%H:%M:%S", NULL},
        {"%d_%m_%Y%+", "%m_%d_%Y%+"},
        {"%d %m %Y%+", "%m %d %Y%+"},
        {"%d.%m.%Y-%H:%M:%S", NULL},
        {"%d.%m.%Y - %H:%M:%S", NULL},
        {"%d.%m.%Y - %H:%M", NULL},
        {"%d/%m/%Y-%H:%M:%S", "%m/%d/%Y-%H:%M:%S"},
        {"%d/%m/%Y - %H:%M", "%m/%d/%Y - %H:%M"},
        {"%d-%m-%Y_%H-%M-%S", "%m-%d-%Y_%H-%M-%S"},
        {"%H:%M:%S %d.%m.%Y", NULL},
        {"%H:%M %d.%m.%Y", NULL},
        {"%H:%M:%S %d/%m/%Y", "%H:%M:%S %m/%d/%Y"},
        {"%H:%M %d/%m/%Y", "%H:%M %m/%d/%Y"},
    };
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns && count; k++) {
        const char *found[2] = {NULL, NULL};
        for (size_t i = 0, f = 0; i < 2 && patterns[k][i]; i++)
            if (count_read(patterns[k][i], samples, count) == count) found[f++] = patterns[k][i];
        if (!found[0]) continue;
        const int length = (int)(strlen(found[0]) - (strstr(found[0], "%+") ? 2 : 0));
        snprintf(guess, SG_GUESS_LONGEST, found[1] ? "'%.*s' or '%.*s'" : "'%.*s'", length, found[0], length,
                 found[1] ? found[1] : "");
        return 1;
    }
    return 0;
}

int sg_time_format_twin(const sg_time_format *format, sg_time_format *twin)
{
    for (size_t k = 0; k < KNOWN; k++)
        if (known[k].has_twin && strcmp(format->pattern, known[k].pattern) == 0) {
            *twin = make_format(SG_TIMES_PATTERN, known[known[k].has_twin > 0 ? k + 1 : k - 1].pattern);
            return 1;
        }
    return 0;
}

int sg_time_format_tell(const char *pattern, sg_time_format *format, scadyg_error *error)
{
    unsigned has = 0;
    if (strcmp(pattern, "number") == 0 || strcmp(pattern, "numbers") == 0) {
        *format = make_format(SG_TIMES_NUMBERS, "");
        format->told = 1;
        return SCADYG_OK;
    }
    for (const char *c = pattern; *c; c++) {
        if (*c != '%') continue;
        if (!*++c || !strchr("YymdejHIMSfpzZbBhaAsFTRDtnGVu%", *c))
            return sg_fail(
                error, SCADYG_E_USAGE,
                "--time-format: '%%%.1s' is not known; known are %%Y %%m %%d %%H %%M %%S and the like, as "
                "of strptime",
                c);
        has |= strchr("YyFDG", *c) ? 1u : 0;
        has |= strchr("mbBhFDjV", *c) ? 2u : 0;
        has |= strchr("dejFDu", *c) ? 4u : 0;
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
    format->told = 1;
    if (!(has & 8)) strcat(format->pattern, "%+");
    return SCADYG_OK;
}

int sg_time_format_recall(const char *pattern, sg_time_format *format)
{
    const size_t length = strlen(pattern);
    for (size_t k = 0; k < KNOWN; k++) {
        const char *rest = known[k].pattern + length;
        if (strncmp(known[k].pattern, pattern, length) != 0 || (*rest && strcmp(rest, "%+") != 0)) continue;
        *format = make_format(SG_TIMES_PATTERN, known[k].pattern);
        return 0;
    }
    return -1;
}

const char *sg_time_format_example(const sg_time_format *format)
{
    if (format->kind == SG_TIMES_ISO) return known[0].example;
    for (size_t k = 0; k < KNOWN; k++)
        if (strcmp(format->pattern, known[k].pattern) == 0) return known[k].example;
    return format->pattern;
}
