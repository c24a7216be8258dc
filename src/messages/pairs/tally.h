/*
 * A tally: a decayed count at SG_RATES rates, with the time of the latest and how many there were. It is section 3 of
 * the method with the number 1 (or a weight) as the message; a node has one for each direction, a pair has one.
 *
 *   count_k(t) = sum over events of amount * exp(-rate_k * (t - t_e))
 */
#ifndef SG_MESSAGES_PAIRS_TALLY_H
#define SG_MESSAGES_PAIRS_TALLY_H

#include <math.h>
#include <stdint.h>

#define SG_RATES 8

/* Rates per unit of time, none below 0, in any order. */
typedef struct sg_rates {
    double rate[SG_RATES];
} sg_rates;

typedef struct sg_tally {
    double last;       /* time of the latest; counts are as of then. -INFINITY: none yet */
    uint32_t times;    /* how many; stops at UINT32_MAX */
    uint32_t clock[2]; /* for the owner: counts of its own at the time of the latest */
    uint32_t unused;
    float count[SG_RATES];
} sg_tally;

#define SG_TALLY_NONE ((sg_tally){.last = -INFINITY})

/*
 * out[k] = exp(-rate_k * elapsed), elapsed >= 0, with a relative error below 2e-7; below 1e-38 it is 0. The same bytes
 * on every processor, and those of sg_decay_one_float. After an infinite time it is 0 at every rate, even at 0.
 */
void sg_rates_decay(const sg_rates *rates, double elapsed, float *out);

/* out[k] = sums[k] * exp(-rate_k * elapsed); out may be sums. */
void sg_rates_fade(const sg_rates *rates, double elapsed, const float *sums, float *out);

/* Times never decrease. */
void sg_tally_add(const sg_rates *rates, sg_tally *tally, double time, float amount);

/* The same with sums of another number of the events beside the tally: weights[SG_RATES], as of tally->last. */
void sg_tally_add_weight(const sg_rates *rates, sg_tally *tally, double time, float amount, float *weights,
                         float weight);

/* The counts as of a time that is not before the latest. */
void sg_tally_read(const sg_rates *rates, const sg_tally *tally, double at, float *out);

#endif
