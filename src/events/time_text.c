/* Times and their text. */
#include "events/time_text.h"

#include "base/status.h"
#include "events/calendar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FRACTION_LIMIT SG_FRACTION_MOST
static const int64_t FIRST_SECOND = -62135596800; /* 0001-01-01 */
static const int64_t END_SECOND = 253402300800;   /* 10000-01-01 */

int sg_is_date(double seconds)
{
    return seconds >= (double)FIRST_SECOND && seconds < (double)END_SECOND;
}

/* ---- Reading ---- */

/* `count` digits as a number, or -1. */
static int read_digits(const char *p, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        unsigned digit = (unsigned)(p[i] - '0');
        if (digit > 9) return -1;
        value = value * 10 + (int)digit;
    }
    return value;
}

/* Two digits up to `most`, after a separator (0: none). Moves *p on and returns the number, or -1. */
static int take_pair(const char **p, const char *end, char separator, int most)
{
    int skip = separator != 0;
    if (end - *p < 2 + skip || (separator && **p != separator)) return -1;
    int value = read_digits(*p + skip, 2);
    if (value > most) return -1;
    *p += 2 + skip;
    return value;
}

/* Nothing, 'Z' or an offset, up to the end; *offset in seconds. */
static int take_zone(const char *p, const char *end, int64_t *offset)
{
    *offset = 0;
    if (p == end) return 0;
    if (*p == 'Z' || *p == 'z') return p + 1 == end ? 0 : -1;
    if (*p != '+' && *p != '-') return -1;
    int sign = *p++ == '-' ? -1 : 1;
    int hours = take_pair(&p, end, 0, 23);
    if (hours < 0) return -1;
    int minutes = take_pair(&p, end, p < end && *p == ':' ? ':' : 0, 59);
    if (minutes < 0 || p != end) return -1;
    *offset = sign * (hours * 3600 + minutes * 60);
    return 0;
}

/* Through decimal text, since a sum would round twice. */
double sg_join_fraction(int64_t whole, const char *fraction, int count)
{
    char text[32 + FRACTION_LIMIT], digits[FRACTION_LIMIT];
    memcpy(digits, fraction, (size_t)count);
    while (count > 0 && digits[count - 1] == '0') count--;
    if (count == 0) return (double)whole;
    size_t length = 0;
    if (whole < 0) { /* -3 + 0.25 is -2.75: the complement of the digits */
        whole = -(whole + 1);
        for (int i = 0; i < count; i++) digits[i] = (char)('0' + '9' - digits[i]);
        digits[count - 1]++; /* it was not '0', so this cannot carry */
        text[length++] = '-';
    }
    length += sg_print_integer(whole, text + length);
    text[length++] = '.';
    memcpy(text + length, digits, (size_t)count);
    double value = 0;
    (void)sg_parse_double(text, length + (size_t)count, &value);
    return value;
}

/* HH:MM[:SS[.fff]] and the zone. */
static int take_clock(const char *p, const char *end, int64_t *seconds, const char **fraction, int *digits)
{
    int hour = take_pair(&p, end, 0, 23);
    if (hour < 0) return -1;
    int minute = take_pair(&p, end, ':', 59), second = 0;
    if (minute < 0) return -1;
    if (p < end && *p == ':') {
        second = take_pair(&p, end, ':', 59);
        if (second < 0) return -1;
        if (p < end && *p == '.') {
            *fraction = ++p;
            while (p < end && *p >= '0' && *p <= '9') p++;
            if (p == *fraction || p - *fraction > FRACTION_LIMIT) return -1;
            *digits = (int)(p - *fraction);
        }
    }
    int64_t offset;
    if (take_zone(p, end, &offset)) return -1;
    *seconds = hour * 3600 + minute * 60 + second - offset;
    return 0;
}

int sg_parse_date(const char *p, size_t length, double *seconds, int *has_time)
{
    if (length < 10 || p[4] != '-' || p[7] != '-') return -1;
    int year = read_digits(p, 4), month = read_digits(p + 5, 2), day = read_digits(p + 8, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > sg_days_in_month(year, month)) return -1;
    int64_t whole = sg_days_from_date(year, month, day) * SG_DAY, clock = 0;
    const char *fraction = p;
    int digits = 0, with_time = length > 10;
    if (with_time) {
        if (p[10] != ' ' && p[10] != 'T' && p[10] != 't') return -1;
        if (take_clock(p + 11, p + length, &clock, &fraction, &digits)) return -1;
    }
    whole += clock;
    double value = digits ? sg_join_fraction(whole, fraction, digits) : (double)whole;
    if (!sg_is_date(value)) return -1;
    *seconds = value;
    *has_time = with_time;
    return 0;
}

/* ---- Writing ---- */

/* Takes a time in whole seconds, rounded down, and the decimal digits of the rest. Returns their number, or
 * -1. */
static int split_fraction(double time, int64_t *whole, char fraction[FRACTION_LIMIT + 1])
{
    *whole = (int64_t)floor(time);
    fraction[0] = 0;
    if ((double)*whole == time) return 0;
    char digits[24];
    int exponent, count = sg_shortest_digits(fabs(time), digits, &exponent);
    int length = count - exponent; /* digits behind the point */
    if (length > FRACTION_LIMIT) return -1;
    for (int i = 0; i < length; i++) {
        int place = exponent + i;
        fraction[i] = place < 0 ? '0' : digits[place];
    }
    if (time < 0) {
        for (int i = 0; i < length; i++) fraction[i] = (char)('0' + '9' - fraction[i]);
        fraction[length - 1]++;
    }
    fraction[length] = 0;
    return length;
}

/* Returns 0 if the time has no such text: outside the years 1 to 9999, or with too many digits. */
static int print_date(double time, int with_clock, int with_fraction, char buffer[64])
{
    if (!sg_is_date(time)) return 0;
    int64_t whole;
    char fraction[FRACTION_LIMIT + 1];
    int digits = split_fraction(time, &whole, fraction);
    if (digits < 0 && with_fraction) return 0;
    int64_t days = sg_day_of(whole);
    int year, month, day, clock = (int)(whole - days * SG_DAY);
    sg_date_from_days(days, &year, &month, &day);
    int length = snprintf(buffer, 64, "%04d-%02d-%02d", year, month, day);
    if (with_clock || clock || (with_fraction && digits > 0))
        length += snprintf(buffer + length, 64 - (size_t)length, " %02d:%02d:%02d", clock / 3600, clock / 60 % 60,
                           clock % 60);
    if (with_fraction && digits > 0) snprintf(buffer + length, 64 - (size_t)length, ".%s", fraction);
    return 1;
}

const char *scadyg_time_kind_name(int time_kind)
{
    switch (time_kind) {
    case SCADYG_TIME_NUMBER: return "numbers";
    case SCADYG_TIME_YEAR: return "years";
    case SCADYG_TIME_UNIX: return "unix seconds";
    case SCADYG_TIME_UNIX_MILLI: return "unix milliseconds";
    case SCADYG_TIME_UNIX_MICRO: return "unix microseconds";
    case SCADYG_TIME_DATE: return "dates";
    case SCADYG_TIME_DATETIME: return "dates with times";
    default: return "unknown";
    }
}

void scadyg_time_text(int time_kind, double time, char buffer[64])
{
    if ((time_kind == SCADYG_TIME_DATE || time_kind == SCADYG_TIME_DATETIME) &&
        print_date(time, time_kind == SCADYG_TIME_DATETIME, 1, buffer))
        return;
    sg_print_double(time, buffer);
}

void sg_time_text_utc(int time_kind, double time, char buffer[64])
{
    scadyg_time_text(time_kind, time, buffer);
    size_t length = strlen(buffer);
    if ((time_kind != SCADYG_TIME_DATE && time_kind != SCADYG_TIME_DATETIME) || length < 10 || buffer[4] != '-')
        return;
    if (!strchr(buffer, ' ')) length += (size_t)snprintf(buffer + length, 64 - length, " 00:00:00");
    if (length < 63) strcat(buffer, "Z");
}

void scadyg_time_human(int time_kind, double time, char buffer[64])
{
    if ((time_kind == SCADYG_TIME_UNIX && print_date(time, 1, 0, buffer)) ||
        (time_kind == SCADYG_TIME_UNIX_MILLI && print_date(floor(time / 1000), 1, 0, buffer)) ||
        (time_kind == SCADYG_TIME_UNIX_MICRO && print_date(floor(time / 1e6), 1, 0, buffer)) ||
        (time_kind == SCADYG_TIME_DATETIME && print_date(time, 1, 0, buffer)))
        return;
    scadyg_time_text(time_kind, time, buffer);
}

int sg_kind_has_dates(int time_kind)
{
    return time_kind == SCADYG_TIME_UNIX || time_kind == SCADYG_TIME_UNIX_MILLI ||
           time_kind == SCADYG_TIME_UNIX_MICRO || time_kind == SCADYG_TIME_DATE ||
           time_kind == SCADYG_TIME_DATETIME;
}

double sg_seconds_to_kind(int time_kind, double value)
{
    /* A double holds present times to less than a microsecond, so a whole number of milliseconds comes out whole. */
    if (time_kind == SCADYG_TIME_UNIX_MILLI) {
        value *= 1000;
        if (fabs(value - rint(value)) < 0.001) value = rint(value);
    }
    return time_kind == SCADYG_TIME_UNIX_MICRO ? rint(value * 1e6) : value;
}

int scadyg_time_parse(int time_kind, const char *text, double *time, scadyg_error *error)
{
    size_t length = strlen(text);
    double value;
    int status = sg_parse_double(text, length, &value), has_time;
    if (status == 1) return sg_fail(error, SCADYG_E_USAGE, "the time '%.100s' is not finite", text);
    if (status == 0) {
        *time = value;
        return SCADYG_OK;
    }
    if (!sg_kind_has_dates(time_kind))
        return sg_fail(error, SCADYG_E_USAGE, "the times here are %s, so a time is a number, not '%.100s'",
                       scadyg_time_kind_name(time_kind), text);
    if (sg_parse_date(text, length, &value, &has_time))
        return sg_fail(error, SCADYG_E_USAGE,
                       "a time is a number or a date such as 2014-01-31 or '2014-01-31 09:30:00', not '%.100s'",
                       text);
    *time = sg_seconds_to_kind(time_kind, value);
    return SCADYG_OK;
}
