/* Retrieval: which few of all destinations a ranking looks at. */
#include "models/scadyg/retrieve.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

int sg_retriever_open(sg_retriever **out, scadyg_error *error)
{
    sg_retriever *r = sg_alloc_zero(1, sizeof *r);
    *out = NULL;
    if (!r) return sg_fail_memory(error, "popular destinations");
    if (pthread_mutex_init(&r->lock, NULL)) {
        free(r);
        return sg_fail(error, SCADYG_E_MEMORY, "there can be no more locks");
    }
    r->touched = sg_alloc(SG_TOUCHED, sizeof *r->touched);
    if (!r->touched) {
        sg_retriever_close(r);
        return sg_fail_memory(error, "popular destinations");
    }
    *out = r;
    return SCADYG_OK;
}

void sg_retriever_close(sg_retriever *r)
{
    if (!r) return;
    (void)pthread_mutex_destroy(&r->lock);
    SG_FREE(r->touched, r);
}

void sg_retriever_touch(sg_retriever *r, const uint32_t *dst, size_t count)
{
    if (!r->popular.is_known) return;
    if (count > SG_TOUCHED - r->touched_count) {
        sg_retriever_forget(r);
        return;
    }
    memcpy(r->touched + r->touched_count, dst, count * sizeof *dst);
    r->touched_count += count;
}

void sg_retriever_forget(sg_retriever *r)
{
    r->popular.is_known = 0;
    r->touched_count = 0;
}

/* Brings the lists to the state at hand. */
static int update(sg_retriever *r, const sg_ledger *ledger, scadyg_error *error)
{
    if (r->popular.is_known && r->touched_count == 0) return SCADYG_OK;
    const int status = sg_popular_follow(&r->popular, ledger, r->touched, r->touched_count, error);
    if (status) {
        sg_retriever_forget(r);
        return status;
    }
    r->touched_count = 0;
    r->all_count = sg_popular_all(&r->popular, r->all);
    return SCADYG_OK;
}

/* Any nodes, always the same numbers where there are as many. */
static void draw_others(const sg_ledger *ledger, size_t nodes, sg_near_listing *near)
{
    for (uint64_t i = 0; i < 4 * SG_RETRIEVED_OTHERS && near->count < near->most; i++)
        sg_near_add(ledger, near, (uint32_t)(sg_hash3(0xDA, 0, i) % nodes));
}

/* Whether the source has met so many of the leading that those behind them may be among its best: nobody knows who they are. */
static int are_met(const sg_retriever *r, const sg_ledger *ledger, uint32_t source)
{
    unsigned char met[SG_POPULAR_EACH] = {0};
    for (size_t i = 0; i < SG_POPULAR_KEYS; i++) {
        const sg_popular_list *list = &r->popular.list[i];
        size_t count = 0;
        (void)sg_ledger_met(ledger, source, list->node, list->count, met);
        for (size_t k = 0; k < list->count; k++) count += met[k];
        if (2 * count > list->count) return 1;
    }
    return 0;
}

/* Of those not met: few are soon looked at, and the others drawn from them would be few too. */
static int count_all(const sg_ledger *ledger, size_t nodes, sg_retrieval *to)
{
    to->all_count = to->destinations;
    if (!to->unmet) return 0;
    to->all_count = sg_near_count_unmet(ledger, to->source, nodes, to->destinations);
    return 2 * to->all_count < to->destinations;
}

int sg_retriever_list(sg_retriever *r, const sg_ledger *ledger, size_t nodes, sg_retrieval *to, scadyg_error *error)
{
    sg_near_listing near;
    near.list = to->list;
    near.most = SG_NEAR_MOST;
    near.unmet = to->unmet;
    to->count = to->others = 0;
    to->too_few = count_all(ledger, nodes, to);
    if (to->too_few) return SCADYG_OK;
    (void)pthread_mutex_lock(&r->lock);
    int status = update(r, ledger, error);
    if (!status) {
        to->too_few = to->unmet && are_met(r, ledger, to->source);
        sg_near_list(ledger, to->source, &near);
        near.most = SG_RETRIEVED;
        for (size_t i = 0; i < r->all_count; i++) sg_near_add(ledger, &near, r->all[i]);
    }
    (void)pthread_mutex_unlock(&r->lock);
    if (status || to->too_few) return status;
    to->count = near.count;
    near.most = near.count + SG_RETRIEVED_OTHERS;
    draw_others(ledger, nodes, &near);
    to->others = near.count - to->count;
    /* An estimate of how many there are says less than those that were found. */
    if (to->all_count < near.count) to->all_count = near.count;
    return SCADYG_OK;
}
