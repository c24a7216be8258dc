/* Finding how the times of a log are written, from some of them. */
#include "events/time_format_parts.h"

#include "events/calendar.h"
#include "events/number_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Whether what it reads could be plain numbers. */
static int is_digits_only(const char *pattern)
{
    return strncmp(pattern, "%Y%m", 4) == 0 || strncmp(pattern, "%y%m", 4) == 0 || strcmp(pattern, "%d%m%Y") == 0 ||
           strcmp(pattern, "%m%d%Y") == 0;
}
static size_t count_read(const char *pattern, const sg_time_sample *samples, size_t count)
{
    const sg_time_format format = sg_time_format_make(SG_TIMES_PATTERN, pattern);
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
    const sg_time_format format = sg_time_format_make(SG_TIMES_PATTERN, pattern);
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
    for (size_t k = 0; k < SG_KNOWN_DATES; k++) {
        const sg_known_date *known = &sg_known_dates[k];
        if (!is_digits_only(known->pattern) || !are_digit_dates(known->pattern, samples, count)) continue;
        *format = sg_time_format_make(SG_TIMES_PATTERN, known->pattern);
        if (known->has_twin == 1 && are_digit_dates(known[1].pattern, samples, count)) *other = known[1].pattern;
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
    const char *date = format.kind == SG_TIMES_ISO ? SG_ISO_PATTERN : format.pattern, *rest = strstr(date, "%+");
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
    for (size_t k = 0; k < SG_KNOWN_DATES; k++)
        if (strcmp(sg_known_dates[k].pattern, first) == 0) return sg_known_dates[k].pattern;
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
    const sg_time_format format = sg_time_format_make(SG_TIMES_PATTERN, pattern);
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
    const sg_known_date *known = sg_known_dates;
    size_t best = 0;
    int kind;
    const size_t numbers = count_numbers(samples, count, &kind);
    *other = NULL;
    if (2 * numbers > count || (numbers && numbers == count)) {
        if (find_digit_dates(samples, count, format, other)) return count;
        *format = sg_time_format_make(kind, "");
        return numbers;
    }
    for (size_t k = 0; k < SG_KNOWN_DATES; k++) {
        const size_t good = count_read(sg_known_dates[k].pattern, samples, count);
        if (good <= best) continue;
        best = good;
        known = &sg_known_dates[k];
    }
    if (best < numbers || !best) {
        *format = sg_time_format_make(kind, "");
        return numbers;
    }
    *format = sg_time_format_make(known == sg_known_dates ? SG_TIMES_ISO : SG_TIMES_PATTERN, known->pattern);
    if (known->has_twin == 1 && count_read(known[1].pattern, samples, count) == best) *other = known[1].pattern;
    const char *first = find_year_first(known->pattern);
    if (!first || count_read(first, samples, count) < best) return best;
    const int year = find_year_place(first, known->pattern, *other, samples, count);
    if (year > 0) {
        *format = sg_time_format_make(SG_TIMES_PATTERN, first);
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
