/* Popular destinations: those that lead by each of several keys. */
#include "base/memory.h"
#include "messages/pairs/ledger_near.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = SG_POPULAR_EACH, NEWEST = -1 };

/* Decayed counts at these rates; and nodes are numbered as they come. */
static const int rate_of[SG_POPULAR_KEYS] = {0, 2, 4, 5, 7, NEWEST};

#define LOG2_E 1.4426950408889634

/* The log of a decayed count as it would have been at the first event: a number that time does not change. */
static double key_of(const sg_ledger *l, uint32_t node, size_t which)
{
    const int k = rate_of[which];
    const sg_tally *tally = &l->record[node].in.tally;
    if (k == NEWEST) return node;
    return log2((double)tally->count[k]) +
           (tally->last - l->columns->time[0]) * l->options.plan.rates.rate[k] * LOG2_E;
}

/* At least that, without the logarithm: between two powers of 2 a line is at most .0861 below it. */
static double most_of(const sg_ledger *l, uint32_t node, size_t which)
{
    const int k = rate_of[which];
    const sg_tally *tally = &l->record[node].in.tally;
    uint32_t bits;
    if (k == NEWEST) return node;
    memcpy(&bits, &tally->count[k], sizeof bits);
    return (double)bits * 0x1p-23 - 126.9 +
           (tally->last - l->columns->time[0]) * l->options.plan.rates.rate[k] * LOG2_E;
}

static int comes_before(double key, uint32_t node, double other_key, uint32_t other)
{
    return key != other_key ? key > other_key : node < other;
}

/* Puts a node in its place; there is room for it. */
static void put_node(sg_popular_list *list, uint32_t node, double key)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (comes_before(list->key[middle], list->node[middle], key, node))
            low = middle + 1;
        else
            high = middle;
    }
    memmove(list->node + low + 1, list->node + low, (list->count - low) * sizeof *list->node);
    memmove(list->key + low + 1, list->key + low, (list->count - low) * sizeof *list->key);
    list->node[low] = node;
    list->key[low] = key;
    list->count++;
}

/* Whether it was there, with a key that was not greater. */
static int drop_node(sg_popular_list *list, uint32_t node, double key)
{
    size_t at = 0;
    while (at < list->count && list->node[at] != node) at++;
    if (at == list->count) return 1;
    const int rises = list->key[at] <= key;
    list->count--;
    memmove(list->node + at, list->node + at + 1, (list->count - at) * sizeof *list->node);
    memmove(list->key + at, list->key + at + 1, (list->count - at) * sizeof *list->key);
    return rises;
}

/* ---- From all nodes ---- */

typedef struct leader {
    double key;
    uint32_t node;
} leader;

static int by_key(const void *a, const void *b)
{
    const leader *one = a, *other = b;
    if (one->node == other->node) return 0;
    return comes_before(one->key, one->node, other->key, other->node) ? -1 : 1;
}

/* As many as lead, from a heap of twice as many that is cut when it is full. */
static size_t cut(leader *all, size_t count, size_t most)
{
    qsort(all, count, sizeof *all, by_key);
    return count < most ? count : most;
}

/* The newest nodes have the highest numbers, mostly: from them on few of the others ever lead. */
int sg_popular_find(sg_popular *p, const sg_ledger *l, scadyg_error *error)
{
    leader *all = sg_alloc(2 * MOST, sizeof *all);
    if (!all) return sg_fail_memory(error, "popular destinations");
    for (size_t i = 0; i < SG_POPULAR_KEYS; i++) {
        size_t count = 0;
        double least = -INFINITY; /* key that the last of the leaders has */
        for (size_t node = l->nodes; node-- > 0;) {
            if (!l->record[node].in.tally.times || most_of(l, (uint32_t)node, i) < least) continue;
            const double key = key_of(l, (uint32_t)node, i);
            if (key < least) continue;
            all[count++] = (leader){key, (uint32_t)node};
            if (count < 2 * MOST) continue;
            count = cut(all, count, MOST);
            least = all[count - 1].key;
        }
        p->list[i].count = cut(all, count, MOST);
        for (size_t k = 0; k < p->list[i].count; k++) {
            p->list[i].node[k] = all[k].node;
            p->list[i].key[k] = all[k].key;
        }
    }
    p->is_known = 1;
    free(all);
    return SCADYG_OK;
}

/* ---- And on from there ---- */

/* 0: rounding made the key of a leader fall, and nobody knows who comes in for it. */
static int take_event(sg_popular_list *list, uint32_t node, double key)
{
    const int is_full = list->count == MOST;
    const size_t last = list->count - 1;
    if (is_full && list->node[last] != node && !comes_before(key, node, list->key[last], list->node[last])) {
        for (size_t i = 0; i < MOST; i++)
            if (list->node[i] == node) return 0;
        return 1;
    }
    const int rises = drop_node(list, node, key);
    list->count -= list->count == MOST;
    put_node(list, node, key);
    return rises || !is_full;
}

int sg_popular_follow(sg_popular *p, const sg_ledger *l, const uint32_t *dst, size_t count, scadyg_error *error)
{
    int is_known = p->is_known;
    for (size_t e = 0; e < count && is_known; e++)
        for (size_t i = 0; i < SG_POPULAR_KEYS && is_known; i++)
            is_known = take_event(&p->list[i], dst[e], key_of(l, dst[e], i));
    return is_known ? SCADYG_OK : sg_popular_find(p, l, error);
}

size_t sg_popular_all(const sg_popular *p, uint32_t *all)
{
    size_t count = 0;
    for (size_t k = 0; k < MOST; k++)
        for (size_t i = 0; i < SG_POPULAR_KEYS; i++)
            if (k < p->list[i].count) all[count++] = p->list[i].node[k];
    return count;
}
