/* The rhythm of the generated graph: the clock and the waves. */
#include "events/generate/rhythm.h"

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

/* ---- Waves ---- */

#define TICK 900.0           /* seconds between changes */
#define STREAM_WAVES 0x3A7Eu /* of the random numbers */

static void set_strengths(sg_waves *waves, double time)
{
    waves->total = 0;
    for (int k = 0; k < waves->count; k++) {
        double life = time / SG_WAVE_LIFE + (double)k / waves->count, number = floor(life);
        double root = sin(PI * (life - number));
        uint64_t bits = sg_hash3(waves->seed, STREAM_WAVES, (uint64_t)number * SG_WAVE_LIMIT + (uint64_t)k);
        waves->node[k] = waves->first + (uint32_t)(((bits >> 32) * waves->size) >> 32);
        waves->strength[k] = root * root;
        waves->total += waves->strength[k];
    }
}

void sg_waves_start(sg_waves *waves, uint64_t seed, uint32_t first, uint32_t size)
{
    *waves = (sg_waves){.seed = seed, .first = first, .size = size};
    waves->count = size / 50 < 4 ? 4 : size / 50 > SG_WAVE_LIMIT ? SG_WAVE_LIMIT : (int)(size / 50);
    sg_waves_move(waves, 0);
}

void sg_waves_move(sg_waves *waves, double time)
{
    double tick = floor(time / TICK);
    set_strengths(waves, tick * TICK);
    waves->next_change = (tick + 1) * TICK;
}

uint32_t sg_waves_draw(const sg_waves *waves, sg_rng *rng)
{
    double x = sg_rng_unit(rng) * waves->total;
    int k = 0;
    while (k + 1 < waves->count && x >= waves->strength[k]) x -= waves->strength[k++];
    return waves->node[k];
}
