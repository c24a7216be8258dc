/*
 * Retrieval: which few of all destinations a ranking looks at. Those that lists lead to from the source
 * (messages/pairs/ledger_near.h), and those that lead by one of several rates, or by being new, which are the same for all
 * sources. What is listed is a function of the state and the source alone.
 */
#ifndef SG_MODELS_SCADYG_RETRIEVE_H
#define SG_MODELS_SCADYG_RETRIEVE_H

#include "messages/pairs/ledger_near.h"
#include "models/kind.h"

#include <pthread.h>

enum {
    SG_TOUCHED = 4096
}; /* destinations of events since the popular ones were listed; beyond that they are listed anew */

typedef struct sg_retriever {
    pthread_mutex_t lock; /* who asks may share one */
    sg_popular popular;
    uint32_t *touched; /* [SG_TOUCHED] */
    size_t touched_count;
    uint64_t seen;                  /* by who reads a file: events that the lists are of */
    uint32_t all[SG_POPULAR_NODES]; /* of all lists, each once */
    size_t all_count;
} sg_retriever;

int sg_retriever_open(sg_retriever **retriever, scadyg_error *error);
void sg_retriever_close(sg_retriever *retriever); /* NULL is fine */

/* Events that the ledger has taken in, while nobody asks. */
void sg_retriever_touch(sg_retriever *retriever, const uint32_t *dst, size_t count);
void sg_retriever_forget(sg_retriever *retriever); /* what was listed is of another state */

/* See sg_retrieval (models/kind.h): list[SG_RETRIEVED]. nodes: that there are. */
enum { SG_RETRIEVED_OTHERS = 1024, SG_RETRIEVED = SG_NEAR_MOST + SG_POPULAR_NODES + SG_RETRIEVED_OTHERS };
_Static_assert(2 * SG_RETRIEVED <= SG_NEAR_SEEN, "see sg_near_listing");
int sg_retriever_list(sg_retriever *retriever, const sg_ledger *ledger, size_t nodes, sg_retrieval *retrieval,
                      scadyg_error *error);

#endif
