/* The lists of the ledger: the latest partners of nodes, what came up together. */
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wpsabi"

void sg_lists_clear(sg_node_lists *lists, size_t nodes)
{
    sg_role_lists none = {.events = 0};
    sg_recent_clear(&none.recent);
    for (size_t i = 0; i < nodes; i++) lists[i].out = lists[i].in = none;
}

/* ---- Taking in events ---- */

/*
 * Memory is asked for ahead of its use, so that an event finds what it touches in the cache: FAR events ahead the lists of both
 * nodes, NEAR ahead, when these have come, the buckets they lead to.
 */
enum { FAR = 8, NEAR = 4 };

SG_INLINE void fetch_lists(const sg_ledger *ledger, uint64_t e)
{
    const char *from = (const char *)&ledger->lists[ledger->columns->src[e]].out;
    const char *to = (const char *)&ledger->lists[ledger->columns->dst[e]].in;
    for (size_t line = 0; line < sizeof(sg_role_lists); line += 64) {
        __builtin_prefetch(from + line, 1);
        __builtin_prefetch(to + line, 1);
    }
}

SG_INLINE void fetch_buckets(const sg_ledger *ledger, uint64_t e)
{
    const sg_role_lists *from = &ledger->lists[ledger->columns->src[e]].out;
    const sg_role_lists *to = &ledger->lists[ledger->columns->dst[e]].in;
    sg_links_fetch(ledger->items, to->links, from->recent.who, sg_recent_count(&from->recent));
    sg_links_fetch(ledger->peers, from->links, to->recent.who, sg_recent_count(&to->recent));
}

SG_INLINE void fetch_ahead(const sg_ledger *ledger, uint64_t e)
{
    const uint64_t count = ledger->columns->count;
    if (e + FAR < count) fetch_lists(ledger, e + FAR);
    if (e + NEAR < count && ledger->items) fetch_buckets(ledger, e + NEAR);
}

/* What came up together: the latest partners, of which the latest count most, came before this node. */
static int add_links(sg_links *links, sg_link_place *list, const sg_recent *recent, uint32_t node,
                     scadyg_error *error)
{
    return sg_links_add_all(links, list, recent->who, sg_recent_near, sg_recent_count(recent), node, error);
}

static int add_together(sg_ledger *ledger, uint32_t src, uint32_t dst, scadyg_error *error)
{
    sg_role_lists *from = &ledger->lists[src].out, *to = &ledger->lists[dst].in;
    int status = ledger->items ? add_links(ledger->items, &to->links, &from->recent, dst, error) : SCADYG_OK;
    if (!status && ledger->peers) status = add_links(ledger->peers, &from->links, &to->recent, src, error);
    return status;
}

void sg_lists_meet(sg_role_lists *role, uint32_t partner)
{
    sg_recent_meet(&role->recent, partner);
    role->events++;
}

/* What came together at a time first, by the partners before it; then the partners. */
int sg_lists_add(sg_ledger *ledger, uint64_t first, uint64_t end, scadyg_error *error)
{
    const sg_columns *columns = ledger->columns;
    int status = SCADYG_OK;
    for (uint64_t e = first, next; e < end && !status; e = next) {
        for (next = e + 1; next < end && columns->time[next] == columns->time[e];) next++;
        for (uint64_t i = e; i < next && !status; i++) {
            fetch_ahead(ledger, i);
            status = add_together(ledger, columns->src[i], columns->dst[i], error);
        }
        for (uint64_t i = e; i < next && !status; i++) {
            sg_lists_meet(&ledger->lists[columns->src[i]].out, columns->dst[i]);
            sg_lists_meet(&ledger->lists[columns->dst[i]].in, columns->src[i]);
        }
    }
    return status;
}

/* ---- Reading ---- */

void sg_lists_prefetch(const sg_ledger *ledger, const uint32_t *dst, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *lists = (const char *)&ledger->lists[dst[i]];
        for (size_t line = 0; line < sizeof(sg_node_lists); line += 64) __builtin_prefetch(lists + line);
    }
    for (size_t i = 0; i < count && ledger->items; i++)
        sg_links_prefetch(ledger->items, ledger->lists[dst[i]].in.links);
}

/* Which place each has among the latest partners of the other, and whom both have. */
SG_INLINE void read_partners(const sg_node_lists *u, const sg_node_lists *v, uint32_t src, uint32_t dst, float *raw)
{
    const sg_recent *const list[4] = {&u->out.recent, &v->in.recent, &u->in.recent, &v->out.recent};
    float *place = raw + SG_LIST_PLACES, *common = raw + SG_LIST_COMMON;
    for (size_t i = 0; i < 4; i++) {
        const size_t at = sg_recent_place(list[i], i % 2 ? src : dst);
        if (at == SG_RECENT) continue;
        place[i] = sg_recent_near[at];
        if (i < 2) place[4 + i] = sg_recent_near[sg_recent_above(list[i], at)];
    }
    common[0] = sg_recent_common(list[0], list[1], &common[4]);
    common[1] = sg_recent_common(list[2], list[3], &common[5]);
    common[2] = sg_recent_common(list[0], list[3], &common[6]);
    common[3] = sg_recent_common(list[2], list[1], &common[7]);
}

/*
 * Of u's latest destinations: how often v came with each, after it and before it; in all, and relative to how often both
 * came at all.
 */
SG_INLINE void read_items(const sg_ledger *ledger, const sg_node_lists *u, const sg_node_lists *v, uint32_t dst,
                          float *to)
{
    const sg_recent *list = &u->out.recent;
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++) {
        const sg_role_lists *other = &ledger->lists[list->who[j]].in;
        const float after = sg_links_find(ledger->items, v->in.links, list->who[j]),
                    before = sg_links_find(ledger->items, other->links, dst);
        if (!(after + before > 0)) continue;
        const float times = (float)other->events, near = sg_recent_near[j];
        const float each = 100 / (sqrtf((float)v->in.events * times) + 5), share = each * (after + before);
        to[0] += after + before;
        to[1] += share * near;
        to[2] = share > to[2] ? share : to[2];
        to[3] += each * after * near;
        to[4] = each * after > to[4] ? each * after : to[4];
        to[5] += each * before * near;
        to[6] += 100 * after / (times + 5);
    }
}

/* Of v's latest sources: how often u came after each of them, to wherever they went. */
SG_INLINE void read_peers(const sg_ledger *ledger, const sg_node_lists *u, const sg_node_lists *v, float *to)
{
    const sg_recent *list = &v->in.recent;
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++) {
        const float after = sg_links_find(ledger->peers, u->out.links, list->who[j]);
        if (!(after > 0)) continue;
        const float times = (float)ledger->lists[list->who[j]].out.events;
        const float share = 100 * after / (sqrtf((float)u->out.events * times) + 5);
        to[0] += after;
        to[1] += share * sg_recent_near[j];
        to[2] = share > to[2] ? share : to[2];
    }
}

SG_INLINE void read_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, float *raw)
{
    const sg_node_lists *u = &ledger->lists[src], *v = &ledger->lists[dst];
    memset(raw, 0, SG_LIST * sizeof *raw);
    if (!(ledger->options.without & SG_LEDGER_NO_PARTNERS)) read_partners(u, v, src, dst, raw);
    if (ledger->items) read_items(ledger, u, v, dst, raw + SG_LIST_ITEMS);
    if (ledger->peers) read_peers(ledger, u, v, raw + SG_LIST_PEERS);
}

SG_AVX2 static void read_pair_avx2(const sg_ledger *ledger, uint32_t src, uint32_t dst, float *raw)
{
    read_pair(ledger, src, dst, raw);
}

void sg_lists_pair(const sg_ledger *ledger, uint32_t src, uint32_t dst, float *raw)
{
    if (SG_HAS_AVX2())
        read_pair_avx2(ledger, src, dst, raw);
    else
        read_pair(ledger, src, dst, raw);
}
