/* The features of a node: stored in the file, or random numbers that need no storage. */
#include "messages/nodes/plan.h"

#include "base/rng.h"

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
