/* The features of nodes: stored in the file, random numbers that need no storage, or one-hot columns. */
#include "base/memory.h"
#include "base/rng.h"
#include "base/search.h"
#include "messages/nodes/trained_on.h"

#include <stdlib.h>
#include <string.h>

void sg_node_feature(const scadyg_messages *plan, uint32_t node, size_t begin, size_t count, float *z)
{
    if (plan->node_kind == SG_NODE_RANDOM) {
        /* Any node has them, also one that the file does not know: its number then stands for its id. */
        const uint64_t key = node < plan->nodes ? plan->keys[node] : node;
        for (size_t j = 0; j < count; j++) z[j] = (float)(sg_hash3(plan->seed, key, begin + j) >> 40) * 0x1.0p-24f;
    } else if (plan->node_kind == SG_NODE_STORED && node < plan->nodes) {
        memcpy(z, plan->columns.node_features + node * plan->node_width + begin, count * sizeof *z);
    } else {
        memset(z, 0, count * sizeof *z);
    }
}

/* ---- One-hot: nodes of this file to columns of the other, by a sorted list of keys ---- */

typedef struct keyed {
    uint64_t key;
    uint32_t column;
} keyed;

static int compare_keys(const void *a, const void *b)
{
    const keyed *one = a, *other = b;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return one->column < other->column ? -1 : one->column > other->column;
}

typedef struct wanted {
    const keyed *list;
    uint64_t key;
} wanted;

static int is_before(const void *data, size_t index)
{
    const wanted *w = data;
    return w->list[index].key < w->key;
}

static uint32_t find_column(const keyed *list, size_t count, uint64_t key)
{
    const size_t at = sg_first(count, is_before, &(wanted){list, key});
    return at < count && list[at].key == key ? list[at].column : UINT32_MAX;
}

int sg_onehot_columns(scadyg_messages *plan, scadyg_error *error)
{
    const size_t count = plan->trained_on->column_count;
    keyed *list = sg_alloc(count, sizeof *list);
    plan->column_of = sg_alloc((size_t)plan->nodes, sizeof *plan->column_of);
    if (!list || !plan->column_of) {
        free(list);
        return sg_fail_memory(error, "the one-hot columns");
    }
    for (size_t i = 0; i < count; i++) list[i] = (keyed){plan->trained_on->columns[i], (uint32_t)i};
    qsort(list, count, sizeof *list, compare_keys);
    for (uint64_t node = 0; node < plan->nodes; node++)
        plan->column_of[node] = find_column(list, count, plan->keys[node]);
    free(list);
    return SCADYG_OK;
}
