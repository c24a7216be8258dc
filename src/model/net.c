/* The net: where its groups of learned numbers lie, and their first values. */
#include "model/net.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

void sg_net_make(sg_net *net, int task, int hypernetwork, size_t width, size_t hidden, size_t outputs)
{
    const size_t inputs = task == SCADYG_TASK_LINK ? 2 * width : width, square = hypernetwork ? width * width : 0;
    memset(net, 0, sizeof *net);
    net->task = task;
    net->hypernetwork = hypernetwork != 0;
    net->width = width;
    net->hidden = hidden;
    net->outputs = outputs;
    net->w = 0;
    net->wr = net->w + square;
    net->wp = net->wr + square;
    net->fc1 = net->wp + (hypernetwork ? width : 0);
    net->fc1_bias = net->fc1 + inputs * hidden;
    net->fc2 = net->fc1_bias + hidden;
    net->fc2_bias = net->fc2 + hidden * outputs;
    net->count = net->fc2_bias + outputs;
}

const char *sg_net_group(const sg_net *net, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    const size_t d = net->width, inputs = net->task == SCADYG_TASK_LINK ? 2 * d : d;
    const struct {
        const char *name;
        size_t begin, rows, columns;
    } groups[] = {
        {"W", net->w, d, d},
        {"Wr", net->wr, d, d},
        {"Wp", net->wp, 1, d},
        {"fc1.weight", net->fc1, inputs, net->hidden},
        {"fc1.bias", net->fc1_bias, 1, net->hidden},
        {"fc2.weight", net->fc2, net->hidden, net->outputs},
        {"fc2.bias", net->fc2_bias, 1, net->outputs},
    };
    if (!net->hypernetwork) i += 3;
    if (i >= sizeof groups / sizeof *groups) return NULL;
    *begin = groups[i].begin;
    *rows = groups[i].rows;
    *columns = groups[i].columns;
    return groups[i].name;
}

void sg_net_init(const sg_net *net, uint64_t seed, float *values)
{
    for (size_t i = 0; i < net->count; i++) {
        size_t inputs = net->width;
        if (i >= net->fc1) inputs = net->task == SCADYG_TASK_LINK ? 2 * net->width : net->width;
        if (i >= net->fc2) inputs = net->hidden;
        const double u = sg_unit(sg_hash3(seed, 0, i));
        values[i] = (float)((2 * u - 1) / sqrt((double)inputs));
    }
}
