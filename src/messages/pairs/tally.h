/*
 * A tally: a decayed count at SG_RATES rates, with the time of the latest and how many there were. It is section 3 of
 * the method with the number 1 (or a weight) as the message; a node has one for each direction, a pair has one.
 *
 *   count_k(t) = sum over events of amount * exp(-rate_k * (t - t_e))
 */
#ifndef SG_MESSAGES_PAIRS_TALLY_H
#define SG_MESSAGES_PAIRS_TALLY_H

#include "messages/nodes/decay.h"

#include <math.h>
#include <stdint.h>

typedef struct sg_tally {
    double last;       /* time of the latest; counts are as of then. -INFINITY: none yet */
    uint32_t times;    /* how many; stops at UINT32_MAX */
    uint32_t clock[2]; /* for the owner: counts of its own at the time of the latest */
    uint32_t unused;
    float count[SG_RATES];
} sg_tally;

#define SG_TALLY_NONE ((sg_tally){.last = -INFINITY})

/*
 * Adds an event; times never decrease. weights[SG_RATES] (may be NULL) are sums of another number of the events, `weight`,
 * that stand beside the tally, as of tally->last.
 */
static inline void sg_tally_add_weight(const sg_rates *rates, sg_tally *tally, double time, float amount,
                                       float *weights, float weight)
{
    sg_rates_add(rates, time - tally->last, tally->count, amount, weights, weight);
    tally->last = time;
    tally->times += tally->times < UINT32_MAX;
}

static inline void sg_tally_add(const sg_rates *rates, sg_tally *tally, double time, float amount)
{
    sg_tally_add_weight(rates, tally, time, amount, NULL, 0);
}

/* The counts as of a time that is not before the latest. */
static inline void sg_tally_read(const sg_rates *rates, const sg_tally *tally, double at, float *out)
{
    sg_rates_fade(rates, at - tally->last, tally->count, out);
}

#endif
