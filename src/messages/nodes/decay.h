/* Exponentials of time differences for many events at once. */
#ifndef SG_MESSAGES_NODES_DECAY_H
#define SG_MESSAGES_NODES_DECAY_H

#include <stddef.h>

/* Events taken together: factors and messages of a tile stay in the first-level cache. */
#define SG_TILE 128

/*
 * out[i] = exp(-rate * (reference - time[i])) for count <= SG_TILE times in ascending order, none of which is
 * after the reference unless the rate is 0. The argument is reduced in double and only the rest is rounded to
 * float, so the relative error stays below 2e-7 however large the argument is. Below 1e-38 the result is 0.
 */
void sg_decay_float(const double *time, size_t count, double reference, double rate, float *out);

/* The same bytes, times in any order: a little slower. A time of -INFINITY gives 0. */
void sg_decay_each_float(const double *time, size_t count, double reference, double rate, float *out);

/* The first in double, with the C library's exp. */
void sg_decay_double(const double *time, size_t count, double reference, double rate, double *out);

/* One time at one rate. */
float sg_decay_one_float(double time, double reference, double rate);
double sg_decay_one_double(double time, double reference, double rate);

#endif
