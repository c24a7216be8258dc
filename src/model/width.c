/* How long a model's messages are. The same rules as in messages/plan.c, but for an trained_on instead of a file. */
#include "model/width.h"

#include "base/memory.h"
#include "messages/nodes/rates.h"
#include "model/options.h"

#include <stdio.h>
#include <string.h>

size_t sg_hop_width(const scadyg_messages_options *options, const sg_trained_on *trained_on)
{
    sg_node_part part;
    if (sg_node_part_parse(options->node_features, &part, NULL)) return 0;
    size_t node = part.width;
    if (part.kind == SG_NODE_ONEHOT) node = trained_on->column_count;
    if (part.kind == SG_NODE_STORED) node = trained_on->node_features;
    if (part.kind != SG_NODE_NONE && node == 0) return 0;
    if ((part.kind == SG_NODE_ONEHOT) != (trained_on->column_count > 0)) return 0;
    if ((part.kind == SG_NODE_STORED) != (trained_on->node_features > 0)) return 0;

    size_t given = sg_given(options->rates) ? sg_rates_count(options->rates) : 0;
    size_t edge = sg_trained_on_features(trained_on);
    if (edge <= 1) edge = given && !node ? given : (size_t)options->repeat;
    if (node > SG_WIDTH_MOST || edge > SG_WIDTH_MOST || (node + edge) * (size_t)options->hops > SG_WIDTH_MOST)
        return 0;
    if (given && given != node + edge) return 0;
    return node + edge;
}

char *sg_equal_rates(double rate, size_t count)
{
    char number[32];
    const size_t length = (size_t)snprintf(number, sizeof number, "%.17g,", rate);
    char *text = sg_alloc(count, length);
    if (!text) return NULL;
    for (size_t i = 0; i < count; i++) memcpy(text + i * length, number, length);
    text[count * length - 1] = 0;
    return text;
}
