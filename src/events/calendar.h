/* The calendar: days since 1970-01-01 and dates, Gregorian throughout, years 1 to 9999. */
#ifndef SG_EVENTS_CALENDAR_H
#define SG_EVENTS_CALENDAR_H

#include <stdint.h>

#define SG_DAY 86400

/* Days since 1970-01-01; the date must exist. */
int64_t sg_days_from_date(int64_t year, int month, int day);

/* The date of a day. */
void sg_date_from_days(int64_t days, int *year, int *month, int *day);

/* Of a month, from 1. */
int sg_days_in_month(int64_t year, int month);

/* The day that a number of seconds since 1970 falls in: rounded down. */
static inline int64_t sg_day_of(int64_t seconds)
{
    return seconds >= 0 ? seconds / SG_DAY : -((SG_DAY - 1 - seconds) / SG_DAY);
}

#endif
