/* Popularity waves. */
#include "events/generate/waves.h"

#include <math.h>

#define PI 3.14159265358979323846
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
