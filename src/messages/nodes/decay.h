/*
 * What time leaves of a number: exp(-rate * elapsed), for many events at one rate, or for one event at eight rates.
 *
 * In float, the exponent is reduced in double and only its rest is rounded, so the relative error stays below 2e-7
 * however large the exponent is. Below 1e-38 the result is 0. Every function gives the same bytes on every processor, and
 * all those in float give the bytes of sg_decay_one_float.
 */
#ifndef SG_MESSAGES_NODES_DECAY_H
#define SG_MESSAGES_NODES_DECAY_H

#include <stddef.h>

/* ---- Many events, one rate ---- */

/* Events taken together: factors and messages of a tile stay in the first-level cache. */
#define SG_TILE 128

/*
 * out[i] = exp(-rate * (reference - time[i])) for count <= SG_TILE times in ascending order, none of which is after the
 * reference unless the rate is 0.
 */
void sg_decay_float(const double *time, size_t count, double reference, double rate, float *out);

/* The same bytes, times in any order: a little slower. A time of -INFINITY gives 0. */
void sg_decay_each_float(const double *time, size_t count, double reference, double rate, float *out);

/* The first in double, with the C library's exp. */
void sg_decay_double(const double *time, size_t count, double reference, double rate, double *out);

/* One time at one rate. */
float sg_decay_one_float(double time, double reference, double rate);
double sg_decay_one_double(double time, double reference, double rate);

/* ---- One event, eight rates ---- */

#define SG_RATES 8

/* Rates per unit of time, none below 0, in any order. */
typedef struct sg_rates {
    double rate[SG_RATES];
} sg_rates;

/* out[k] = exp(-rate_k * elapsed), elapsed >= 0. After an infinite time it is 0 at every rate, even at 0. */
void sg_rates_decay(const sg_rates *rates, double elapsed, float *out);

/* out[k] = sums[k] * exp(-rate_k * elapsed); out may be sums. */
void sg_rates_fade(const sg_rates *rates, double elapsed, const float *sums, float *out);

/*
 * sums[k] = sums[k] * exp(-rate_k * elapsed) + amount, and with the same exponentials the same of other[SG_RATES] (may be
 * NULL) and other_amount.
 */
void sg_rates_add(const sg_rates *rates, double elapsed, float *sums, float amount, float *other,
                  float other_amount);

#endif
