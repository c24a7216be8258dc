/*
 * How the times of a log are written: as numbers, or as dates in one of many ways. Found from some of them, or told by a
 * pattern as of strptime.
 */
#ifndef SG_EVENTS_TIME_FORMAT_H
#define SG_EVENTS_TIME_FORMAT_H

#include "base/status.h"
#include "events/time_zone.h"

#include <stddef.h>
#include <stdint.h>

/* Seconds since 1970-01-01 UTC, as the nearest double, of a date of the proleptic Gregorian calendar, years 1 to 9999. */
typedef struct sg_time_read {
    double seconds;
    int has_clock; /* a time of day was written */
    int has_zone;  /* ... and a zone */
} sg_time_read;

enum {
    SG_TIMES_NUMBERS, /* whatever they count */
    SG_TIMES_NANO,    /* nanoseconds since 1970, which a double does not hold: read as microseconds */
    SG_TIMES_ISO,     /* 2014-01-31, 2014-01-31 09:30:00.5, with T, Z, +02:00: the usual way, and the fast one */
    SG_TIMES_PATTERN  /* as `pattern` says */
};

#define SG_NANO_LEAST 7e17 /* 1992: below are the ticks of .NET and Windows */

#define SG_PATTERN_LONGEST 95

typedef struct sg_time_format {
    int kind;                             /* SG_TIMES_... */
    char pattern[SG_PATTERN_LONGEST + 1]; /* of strptime; "": none */
} sg_time_format;

/* A text to learn from. */
typedef struct sg_time_sample {
    const char *text;
    size_t length;
} sg_time_sample;

/*
 * What most of the samples are. Returns how many of them it reads; 0: they are no times. *other: if they read as well with
 * the day and the month exchanged, and nothing among them decides it, the pattern of that; else NULL.
 */
size_t sg_time_format_find(const sg_time_sample *samples, size_t count, sg_time_format *format, const char **other);

/* A pattern of a user. SCADYG_E_USAGE names what is wrong with it. One without a time of day reads dates that have one too. */
int sg_time_format_tell(const char *pattern, sg_time_format *format, scadyg_error *error);

/* Reads a date (not the numbers) that fills the whole text. zone: of dates without one. 0, or -1: it is none such. */
int sg_time_format_read(const sg_time_format *format, const sg_zone *zone, const char *text, size_t length,
                        sg_time_read *out);

/*
 * The same of a date without a time of day, whose time of day "HH:MM[:SS[.f]]" stands in another field; or with `digits` "H", "HH",
 * "HHMM" or "HHMMSS" there.
 */
int sg_time_format_read_two(const sg_time_format *format, const sg_zone *zone, const char *date, size_t length,
                            const char *clock, size_t clock_length, int digits, sg_time_read *out);

/* Whether a text is a time of day: 9:30, 09:30:00.5, 9:30 PM. */
int sg_is_clock(const char *text, size_t length);

/* For a person: "like 2014-01-31 09:30:00", "like 31.01.2014". */
const char *sg_time_format_example(const sg_time_format *format);

#endif
