/* The mix net of a model: what its options make of it. */
#include "messages/pairs/label_figures.h"
#include "model/model.h"
#include "model/options.h"

#include <math.h>

int sg_options_mix(const scadyg_train_options *options)
{
    return options->task == SCADYG_TASK_AFFINITY && options->head == SCADYG_HEAD_PAIR &&
           options->model == SCADYG_MODEL_SCADYG;
}

int sg_model_mix(const scadyg_train_options *options, size_t width, sg_mix_net *mix, scadyg_error *error)
{
    unsigned without;
    int status = sg_without(options->without, &without, error);
    if (status) return status;
    const int popularity = !(without & SG_WITHOUT_POPULARITY);
    /* Classes of a label file are no nodes: nothing turns to those that have them. */
    const int reverse = !(without & SG_WITHOUT_REVERSE) && !sg_given(options->labels);
    const size_t rates = SG_LABEL_RATES;
    *mix = (sg_mix_net){.hypernetwork = !(without & SG_WITHOUT_HYPERNETWORK),
                        .popularity = popularity,
                        .reverse = reverse,
                        .rates = rates,
                        .pair = (2 * rates - 1) * (1 + (size_t)popularity) + (rates + 1) * (size_t)reverse + 1,
                        .summary = 2 + rates + (without & SG_WITHOUT_NODES ? 0 : width),
                        .hidden = sg_model_hidden(options)};
    sg_mix_net_make(mix);
    return SCADYG_OK;
}

sg_net sg_mix_figures(const sg_net *net, const sg_mix_net *mix)
{
    return (sg_net){.task = net->task,
                    .hypernetwork = net->hypernetwork,
                    .width = net->width,
                    .hidden = net->hidden,
                    .outputs = net->outputs,
                    .count = mix->count};
}

int sg_model_label_rates(const scadyg_model *model, double *rates, scadyg_error *error)
{
    unsigned without;
    int status = sg_without(model->options.without, &without, error);
    if (status) return status;
    sg_label_rates(model->label_gap, model->label_span, rates);
    for (size_t k = 0; without & SG_WITHOUT_MULTIRATE && k < SG_LABEL_RATES; k++)
        rates[k] = log(2) / model->label_gap;
    return SCADYG_OK;
}
