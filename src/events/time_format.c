/*
 * The ways to write times that are known: dates by their patterns, numbers by their size. They are found (time_find.c), told by
 * a user, recalled from an events file, and shown to a person.
 */
#include "events/time_format_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/*
 * The ways to write dates that are known by themselves. %+ is ours: whatever may follow a date, which is nothing, or a time
 * of day with a fraction, AM or PM and a zone, each if it is there. Two that differ in the order of day and month stand one
 * after the other.
 */
const sg_known_date sg_known_dates[SG_KNOWN_DATES] = {
    {SG_ISO_PATTERN, "2014-01-31 09:30:00", 0},
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

sg_time_format sg_time_format_make(int kind, const char *pattern)
{
    sg_time_format format = {.kind = kind};
    snprintf(format.pattern, sizeof format.pattern, "%s", pattern);
    return format;
}

/* ---- Numbers ---- */

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

/* ---- Patterns ---- */

int sg_time_format_twin(const sg_time_format *format, sg_time_format *twin)
{
    for (const sg_known_date *known = sg_known_dates; known < sg_known_dates + SG_KNOWN_DATES; known++)
        if (known->has_twin && strcmp(format->pattern, known->pattern) == 0) {
            *twin = sg_time_format_make(SG_TIMES_PATTERN, known[known->has_twin].pattern);
            return 1;
        }
    return 0;
}

int sg_time_format_tell(const char *pattern, sg_time_format *format, scadyg_error *error)
{
    unsigned has = 0;
    if (strcmp(pattern, "number") == 0 || strcmp(pattern, "numbers") == 0) {
        *format = sg_time_format_make(SG_TIMES_NUMBERS, "");
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
    *format = sg_time_format_make(SG_TIMES_PATTERN, pattern);
    format->told = 1;
    if (!(has & 8)) strcat(format->pattern, "%+");
    return SCADYG_OK;
}

int sg_time_format_recall(const char *pattern, sg_time_format *format)
{
    const size_t length = strlen(pattern);
    for (size_t k = 0; k < SG_KNOWN_DATES; k++) {
        const char *rest = sg_known_dates[k].pattern + length;
        if (strncmp(sg_known_dates[k].pattern, pattern, length) != 0 || (*rest && strcmp(rest, "%+") != 0))
            continue;
        *format = sg_time_format_make(SG_TIMES_PATTERN, sg_known_dates[k].pattern);
        return 0;
    }
    return -1;
}

const char *sg_time_format_example(const sg_time_format *format)
{
    if (format->kind == SG_TIMES_ISO) return sg_known_dates[0].example;
    for (size_t k = 0; k < SG_KNOWN_DATES; k++)
        if (strcmp(format->pattern, sg_known_dates[k].pattern) == 0) return sg_known_dates[k].example;
    return format->pattern;
}
