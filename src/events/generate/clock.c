/* The clock of the generated graph. */
#include "events/generate/clock.h"

#include <math.h>

#define HOUR 3600.0
#define PI 3.14159265358979323846

void sg_clock_start(sg_clock *clock, double events_per_day)
{
    *clock = (sg_clock){.hour = 0};
    for (int h = 0; h < 24; h++) clock->rate[h] = events_per_day / SG_DAY * (1 + 0.8 * sin(2 * PI * (h - 9) / 24));
}

double sg_clock_next(sg_clock *clock, sg_rng *rng)
{
    /* A waiting time of mean 1, spent hour by hour at the rate of each hour. */
    double wait = -log(1 - sg_rng_unit(rng));
    for (;;) {
        double rate = clock->rate[clock->hour % 24], left = (HOUR - clock->second) * rate;
        if (wait < left) {
            clock->second += wait / rate;
            break;
        }
        wait -= left;
        clock->hour++;
        clock->second = 0;
    }
    return floor(((double)clock->hour * HOUR + clock->second) * 1000) / 1000;
}
