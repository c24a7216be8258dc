/*
 * Pair messages: for every ordered pair that has met, a tally, exact, in a hash table that grows with the pairs.
 *
 * The memory is bounded. When a new pair does not fit, the quarter of the pairs whose last contact is longest ago is
 * forgotten (equal times: those that came first), as if they had never met; `forgotten` counts them. So nothing is
 * lost as long as the pairs fit, and what is lost is what a decayed sum has nearly forgotten anyway.
 *
 * With weights every pair also has decayed sums of its events' weights.
 */
#ifndef SG_MESSAGES_PAIR_STORE_H
#define SG_MESSAGES_PAIR_STORE_H

#include "base/status.h"
#include "messages/tally.h"

typedef struct sg_pair_store sg_pair_store;

/* A pair's message. weight points behind it, NULL in a store without weights. Valid until the next add. */
typedef struct sg_pair_message {
    const sg_tally *tally;
    const float *weight; /* [SG_RATES], as of tally->last */
} sg_pair_message;

/* most: bytes it may take in all, table included, also while it grows. At least a few thousand pairs always fit. */
int sg_pair_store_open(const sg_rates *rates, int weighted, uint64_t most, sg_pair_store **store,
                       scadyg_error *error);
void sg_pair_store_close(sg_pair_store *store); /* NULL is fine */
void sg_pair_store_clear(sg_pair_store *store); /* forgets everything, keeps the memory */

/* Adds a contact. clock is kept in the tally. weight is passed over in a store without weights. */
int sg_pair_store_add(sg_pair_store *store, uint32_t src, uint32_t dst, double time, float weight, uint32_t clock,
                      scadyg_error *error);

/* Whether they have met; *message only if they have. Many threads may ask at once while nobody adds. */
int sg_pair_store_find(const sg_pair_store *store, uint32_t src, uint32_t dst, sg_pair_message *message);

/* Brings what a find of this pair will touch into the cache. */
void sg_pair_store_prefetch(const sg_pair_store *store, uint32_t src, uint32_t dst);

uint64_t sg_pair_store_count(const sg_pair_store *store);
uint64_t sg_pair_store_forgotten(const sg_pair_store *store);
uint64_t sg_pair_store_bytes(const sg_pair_store *store);

/* Bytes for this many pairs, growth included: what a plan says. */
uint64_t sg_pair_store_bytes_for(uint64_t pairs, int weighted);

#endif
