/*
 * Pair messages: for every ordered pair that has met, a tally, exact, in a hash table that grows with the pairs.
 *
 * The memory is bounded. When a new pair does not fit, the quarter of the pairs whose last contact is longest ago is
 * forgotten (equal times: those that have been in the store for longer), as if they had never met; `forgotten` counts
 * them. So nothing is lost as long as the pairs fit, and what is lost is what a decayed sum has nearly forgotten anyway.
 * Which pairs are forgotten depends on the events and the bound alone.
 *
 * With weights every pair also has decayed sums of its events' weights.
 */
#ifndef SG_MESSAGES_PAIRS_PAIR_STORE_H
#define SG_MESSAGES_PAIRS_PAIR_STORE_H

#include "base/state_file.h"
#include "base/status.h"
#include "messages/nodes/decay.h"

#include <math.h>
#include <stdint.h>

/*
 * A tally: a decayed count at SG_RATES rates, with the time of the latest and how many there were. It is section 3 of
 * the method with the number 1 (or a weight) as the message; a node has one for each direction, a pair has one.
 *
 *   count_k(t) = sum over events of amount * exp(-rate_k * (t - t_e))
 */

typedef struct sg_tally {
    double last;       /* time of the latest; counts are as of then. -INFINITY: none yet */
    uint32_t times;    /* how many; stops at UINT32_MAX */
    uint32_t clock[2]; /* for the owner: counts of its own at the time of the latest */
    float life; /* from the first to the latest, in lengths of the slowest memory; to seven digits of itself */
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
    if (tally->times) tally->life += (float)((time - tally->last) * rates->rate[0]);
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

typedef struct sg_pair_store sg_pair_store;

/* A pair's message. weight points behind it, NULL in a store without weights. Valid until the next add. */
typedef struct sg_pair_message {
    const sg_tally *tally;
    const float *weight; /* [SG_RATES], as of tally->last */
} sg_pair_message;

/*
 * most: bytes it may take in all, table included, also while it grows. As many pairs fit as sg_pair_store_bytes_for
 * says; 4096 always do.
 */
int sg_pair_store_open(const sg_rates *rates, int weighted, uint64_t most, sg_pair_store **store,
                       scadyg_error *error);
void sg_pair_store_close(sg_pair_store *store); /* NULL is fine */
void sg_pair_store_clear(sg_pair_store *store); /* as if new, but keeps the memory */

/* What a contact has beside its time. weight is passed over in a store without weights. */
typedef struct sg_pair_event {
    float weight;
    uint32_t clock[2]; /* kept of the latest */
} sg_pair_event;

/*
 * Adds a contact; times never decrease. *tally (may be NULL) is the pair's, until the next call. Without memory it fails, and
 * nothing has changed.
 */
int sg_pair_store_add(sg_pair_store *store, uint32_t src, uint32_t dst, double time, const sg_pair_event *event,
                      const sg_tally **tally, scadyg_error *error);

/* Whether they have met; *message only if they have. Many threads may ask at once while nobody adds. */
int sg_pair_store_find(const sg_pair_store *store, uint32_t src, uint32_t dst, sg_pair_message *message);

/* The same for many pairs, several times as fast when they are far apart in memory. tally is NULL if they never met. */
void sg_pair_store_find_many(const sg_pair_store *store, const uint32_t *src, const uint32_t *dst, size_t count,
                             sg_pair_message *messages);

/*
 * Brings into the cache what adds or finds of these pairs will touch: best for the next SG_PAIR_GROUP pairs, then those.
 * One pair at a time would gain little, because its place in the table must be there before its message can be asked for.
 */
#define SG_PAIR_GROUP 32
void sg_pair_store_prefetch(const sg_pair_store *store, const uint32_t *src, const uint32_t *dst, size_t count);

uint64_t sg_pair_store_count(const sg_pair_store *store);
uint64_t sg_pair_store_forgotten(const sg_pair_store *store);
uint64_t sg_pair_store_bytes(const sg_pair_store *store);

/* Three sections from `kind` on; and back, into a store just opened, which is checked: whatever the file has, the store is
 * safe to use, and no contact is later than the newest time. */
void sg_pair_store_save(const sg_pair_store *store, uint32_t kind, sg_state_writer *writer);
int sg_pair_store_load(sg_pair_store *store, scadyg_context *context, uint32_t kind, const sg_state_reader *reader,
                       double newest, scadyg_error *error);

/* Bytes for this many pairs, growth included: what a plan says. A store opened with them forgets none of so many. */
uint64_t sg_pair_store_bytes_for(uint64_t pairs, int weighted);

#endif
