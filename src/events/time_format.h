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
    int skipped;   /* the clocks of the zone that is not written skip it */
} sg_time_read;

enum {
    SG_TIMES_NUMBERS, /* whatever they count */
    SG_TIMES_NANO,    /* nanoseconds since 1970, which a double does not hold: read as microseconds */
    SG_TIMES_WINDOWS, /* tenths of microseconds since 1601 (FILETIME): likewise */
    SG_TIMES_DOTNET,  /* tenths of microseconds since the year 1 (.NET's ticks): likewise */
    SG_TIMES_WEBKIT,  /* microseconds since 1601 (Chrome): read as those since 1970 */
    SG_TIMES_ISO,     /* 2014-01-31, 2014-01-31 09:30:00.5, with T, Z, +02:00: the usual way, and the fast one */
    SG_TIMES_PATTERN  /* as `pattern` says */
};

#define SG_NANO_LEAST 7e17 /* 1992: below are the ticks of .NET and Windows */

#define SG_PATTERN_LONGEST 95

typedef struct sg_time_format {
    int kind;                             /* SG_TIMES_... */
    char pattern[SG_PATTERN_LONGEST + 1]; /* of strptime; "": none */
    int told;                             /* by a user */
} sg_time_format;

/* A text to learn from. */
typedef struct sg_time_sample {
    const char *text;
    size_t length;
} sg_time_sample;

/*
 * What most of the samples are. Returns how many of them it reads; 0: they are no times. *other: if they read as well with
 * the day and the month exchanged, or with a year of two digits first, and nothing among them decides it, the pattern of that;
 * else NULL. Where the year may be first, day and month may be exchanged as well (sg_time_format_twin).
 */
size_t sg_time_format_find(const sg_time_sample *samples, size_t count, sg_time_format *format, const char **other);

/* Of plain numbers: which of the kinds before SG_TIMES_ISO they are by their size. */
int sg_time_number_kind(double value);

/* Whole numbers of one of those kinds as microseconds since 1970. 0, or -1: it is none. */
int sg_time_number_read(int kind, const char *text, size_t length, double *micro);

/* What such numbers are called: "numbers", "nanoseconds, kept as microseconds". */
const char *sg_time_number_name(int kind);

/* The way to write dates in which day and month are the other way round. 0 if there is none. */
int sg_time_format_twin(const sg_time_format *format, sg_time_format *twin);

/*
 * Numbers that are taken as such and may be dates written without signs: all of them are months (202401) or days (240131). The
 * pattern that reads them, or NULL.
 */
const char *sg_time_format_suspect(const sg_time_sample *samples, size_t count);

/*
 * Of a time that is none for its zone alone, one by a name that is not known or is that of a place ("2014-01-31 09:30 IST"): the
 * pattern that reads those that end so, and where the name begins. 0, or -1: it is none such.
 */
int sg_time_format_tail(const char *text, size_t length, char pattern[SG_PATTERN_LONGEST + 1], const char **tail);

/*
 * Of dates in a way that is not known by itself, as it may mean something else: what --time-format could be to read all of the
 * samples, in quotes, two where the day and the month may be exchanged ("'%m.%d.%Y'"). 0: nothing is known.
 */
#define SG_GUESS_LONGEST 80
int sg_time_format_guess(const sg_time_sample *samples, size_t count, char guess[SG_GUESS_LONGEST]);

/* "number": they are plain numbers, whatever they look like. Else a pattern of a user. SCADYG_E_USAGE names what is wrong with it. One without a time of day reads dates that have one too. */
int sg_time_format_tell(const char *pattern, sg_time_format *format, scadyg_error *error);

/* A pattern that was found before, as sg_time_format_find made it, but for "%+" at its end. 0, or -1: it is none such. */
int sg_time_format_recall(const char *pattern, sg_time_format *format);

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
