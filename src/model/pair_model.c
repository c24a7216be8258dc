/* A model with the head `pair` for links: its net, and the ledger it reads. */
#include "model/model.h"

#include "base/memory.h"

#include <stdlib.h>

int sg_model_reads_pairs(const scadyg_model *model)
{
    const scadyg_train_options *options = &model->options;
    return options->model == SCADYG_MODEL_SCADYG && options->task == SCADYG_TASK_LINK &&
           options->head == SCADYG_HEAD_PAIR;
}

double sg_model_binary(const scadyg_model *model)
{
    unsigned without = 0;
    return sg_without(model->options.without, &without, NULL) || without & SG_WITHOUT_RANKING
               ? 1
               : model->options.binary;
}

int sg_model_ledger(const scadyg_model *model, sg_ledger_options *options, scadyg_error *error)
{
    static const unsigned parts[][2] = {
        {SG_WITHOUT_MULTIRATE, SG_LEDGER_ONE_RATE}, {SG_WITHOUT_NODES, SG_LEDGER_NO_NODES},
        {SG_WITHOUT_PAIRS, SG_LEDGER_NO_PAIRS},     {SG_WITHOUT_TRANSITIONS, SG_LEDGER_NO_TRANSITIONS},
        {SG_WITHOUT_WALKS1, SG_LEDGER_NO_S1},       {SG_WITHOUT_WALKS2, SG_LEDGER_NO_S2}};
    unsigned without;
    int status = sg_without(model->options.without, &without, error);
    if (status) return status;
    *options = (sg_ledger_options){.plan = model->plan,
                                   .weighted = model->trained_on.has_weight,
                                   .edge_features = sg_trained_on_features(&model->trained_on),
                                   .node_features = model->trained_on.node_features};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (without & parts[i][0]) options->without |= parts[i][1];
    return SCADYG_OK;
}

int sg_model_pair_net(const scadyg_model *model, sg_pair_net *net, scadyg_error *error)
{
    unsigned without;
    sg_ledger_options ledger;
    int status = sg_without(model->options.without, &without, error);
    if (!status) status = sg_model_ledger(model, &ledger, error);
    if (status) return status;
    const sg_ledger_widths widths = sg_ledger_widths_of(&ledger);
    const size_t hidden = model->options.hidden > 0 ? (size_t)model->options.hidden : 64;
    *net = (sg_pair_net){0};
    sg_pair_net_make(net, !(without & SG_WITHOUT_HYPERNETWORK), widths.node, widths.rates, widths.rest, hidden,
                     hidden);
    return SCADYG_OK;
}

int sg_model_shape_pair(scadyg_model *model, scadyg_error *error)
{
    sg_pair_net net;
    int status = sg_model_pair_net(model, &net, error);
    if (status) return status;
    const size_t width = net.node + net.rates + net.rest;
    float *values = sg_alloc_aligned(net.count, sizeof *values);
    float *mean = sg_alloc_zero(width, sizeof *mean), *scale = sg_alloc(width, sizeof *scale);
    if (!values || !mean || !scale) {
        free(values);
        free(mean);
        free(scale);
        return sg_fail_memory(error, "the net");
    }
    for (size_t j = 0; j < width; j++) scale[j] = 1;
    free(model->values);
    free(model->mean);
    free(model->scale);
    model->pair = net;
    model->count = net.count;
    model->width = width;
    model->values = values;
    model->mean = mean;
    model->scale = scale;
    sg_model_settle(model);
    return SCADYG_OK;
}
