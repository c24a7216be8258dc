/* The parts of time_format.h: time_format.c has the known ways to write times, time_pattern.c reads, time_find.c finds. */
#ifndef SG_EVENTS_TIME_FORMAT_PARTS_H
#define SG_EVENTS_TIME_FORMAT_PARTS_H

#include "events/time_format.h"

/* A way to write dates that is known by itself. */
typedef struct sg_known_date {
    const char *pattern, *example;
    int has_twin; /* 1: the next one, -1: the one before has day and month the other way round */
} sg_known_date;

#define SG_ISO_PATTERN "%Y-%m-%d%+" /* of SG_TIMES_ISO, the first of them */

#define SG_KNOWN_DATES 79
extern const sg_known_date sg_known_dates[SG_KNOWN_DATES];

sg_time_format sg_time_format_make(int kind, const char *pattern);

#endif
