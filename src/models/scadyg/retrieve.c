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

int sg_retriever_list(sg_retriever *r, const sg_ledger *ledger, size_t nodes, uint32_t source, uint32_t *list,
                      size_t *count, size_t *others, scadyg_error *error)
{
    sg_near_listing near;
    near.list = list;
    near.most = SG_NEAR_MOST;
    (void)pthread_mutex_lock(&r->lock);
    int status = update(r, ledger, error);
    if (!status) {
        sg_near_list(ledger, source, &near);
        near.most = SG_RETRIEVED;
        for (size_t i = 0; i < r->all_count; i++) sg_near_add(ledger, &near, r->all[i]);
    }
    (void)pthread_mutex_unlock(&r->lock);
    if (status) return status;
    *count = near.count;
    near.most = near.count + SG_RETRIEVED_OTHERS;
    draw_others(ledger, nodes, &near);
    *others = near.count - *count;
    return SCADYG_OK;
}
