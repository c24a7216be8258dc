/* Random numbers: the same on every machine, for ever. */
#include "base/rng.h"

#include <math.h>

void sg_rng_seed(sg_rng *rng, uint64_t seed, uint64_t stream)
{
    for (uint64_t i = 0; i < 4; i++) rng->s[i] = sg_hash3(seed, stream, i);
}

double sg_rng_normal(sg_rng *rng)
{
    /* Polar method: log and sqrt of the same arguments give the same bits on every IEEE machine with this libm. */
    for (;;) {
        double x = 2 * sg_rng_unit(rng) - 1, y = 2 * sg_rng_unit(rng) - 1, r = x * x + y * y;
        if (r > 0 && r < 1) return x * sqrt(-2 * log(r) / r);
    }
}
