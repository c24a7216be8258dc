/* Times and their text: numbers and dates, both exact in both directions. */
#ifndef SG_EVENTS_TIME_TEXT_H
#define SG_EVENTS_TIME_TEXT_H

#include "events/number_text.h"

/*
 * Reads YYYY-MM-DD, or with a time: YYYY-MM-DD HH:MM[:SS[.fff]], 'T' instead of the space, then nothing, 'Z'
 * or an offset +HH:MM, -HH:MM, +HHMM, -HHMM. Years 0001 to 9999, days that exist. *seconds is the nearest
 * double to the seconds since 1970-01-01 UTC; *has_time says whether there was a time of day. Returns 0, or
 * -1: not a date.
 */
int sg_parse_date(const char *p, size_t length, double *seconds, int *has_time);

/* whole + 0.FRACTION seconds as the nearest double. */
#define SG_FRACTION_MOST 30 /* digits behind the point of a second */
double sg_join_fraction(int64_t whole, const char *fraction, int count);

/* Whether times of a kind are dates, or numbers that stand for some; and seconds since 1970 as a number of that kind. */
int sg_kind_has_dates(int time_kind);
double sg_seconds_to_kind(int time_kind, double seconds);

/* scadyg_time_text for logs whose own times are of another zone than UTC: dates say that they are of UTC. */
void sg_time_text_utc(int time_kind, double time, char buffer[64]);

/* Whether a time in seconds since 1970 lies in the years 1 to 9999. */
int sg_is_date(double seconds);

#endif
