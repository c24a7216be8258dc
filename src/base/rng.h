/* Random numbers: the same on every machine, for ever. */
#ifndef SG_BASE_RNG_H
#define SG_BASE_RNG_H

#include <math.h>
#include <stdint.h>

/* A good mix of 64 bits (the finaliser of splitmix64). */
static inline uint64_t sg_hash64(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* The n-th number of stream `stream` of `seed`: for work that threads share, no state needed. */
static inline uint64_t sg_hash3(uint64_t seed, uint64_t stream, uint64_t n)
{
    return sg_hash64(sg_hash64(sg_hash64(seed) ^ stream) ^ n);
}

/* 53 bits as a double in [0, 1). */
static inline double sg_unit(uint64_t bits)
{
    return (double)(bits >> 11) * 0x1.0p-53;
}

/* A sequence (xoshiro256**). */
typedef struct sg_rng {
    uint64_t s[4];
} sg_rng;

static inline void sg_rng_seed(sg_rng *rng, uint64_t seed, uint64_t stream)
{
    for (uint64_t i = 0; i < 4; i++) rng->s[i] = sg_hash3(seed, stream, i);
}

static inline uint64_t sg_rng_next(sg_rng *rng)
{
    uint64_t *s = rng->s;
    const uint64_t x = s[1] * 5, result = ((x << 7) | (x >> 57)) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

static inline double sg_rng_unit(sg_rng *rng)
{
    return sg_unit(sg_rng_next(rng));
}

/* Uniform in 0 .. n-1, n > 0; the bias is below 2^-32 for n < 2^32. */
static inline uint64_t sg_rng_below(sg_rng *rng, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)sg_rng_next(rng) * n) >> 64);
}

/*
 * Standard normal, by the polar method: log and sqrt of the same arguments give the same bits on every IEEE machine with
 * this libm.
 */
static inline double sg_rng_normal(sg_rng *rng)
{
    for (;;) {
        double x = 2 * sg_rng_unit(rng) - 1, y = 2 * sg_rng_unit(rng) - 1, r = x * x + y * y;
        if (r > 0 && r < 1) return x * sqrt(-2 * log(r) / r);
    }
}

#endif
