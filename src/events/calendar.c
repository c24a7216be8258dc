/* The calendar: days since 1970-01-01 and dates. */
#include "events/calendar.h"

#include <math.h>

/* Years are counted from March, so that the leap day is the last of its year. */
int64_t sg_days_from_date(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t m = month <= 2 ? month + 9 : month - 3;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 719469;
}

int sg_days_in_month(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* A first guess of the year from the mean length, then exact. */
void sg_date_from_days(int64_t days, int *year, int *month, int *day)
{
    int y = (int)floor(((double)days + 719162) / 365.2425) + 1;
    while (sg_days_from_date(y + 1, 1, 1) <= days) y++;
    while (sg_days_from_date(y, 1, 1) > days) y--;
    int m = 1;
    int64_t rest = days - sg_days_from_date(y, 1, 1);
    while (rest >= sg_days_in_month(y, m)) rest -= sg_days_in_month(y, m++);
    *year = y;
    *month = m;
    *day = (int)rest + 1;
}
