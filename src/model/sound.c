/* Whether a model is sound, so that no code behind it has to ask again. */
#include "model/model_file.h"
#include "model/options.h"
#include "model/width.h"

#include <math.h>

int sg_all_finite(const float *values, size_t count)
{
    /* x - x is 0 for finite numbers and NaN for others. */
    float sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i] - values[i];
    return sum == 0;
}

static int is_flag(int value)
{
    return value == 0 || value == 1;
}

static const char *anchor_fault(const scadyg_model *model)
{
    const sg_trained_on *trained_on = &model->trained_on;
    if (!isfinite(trained_on->origin) || !isfinite(trained_on->range) || trained_on->range < 0 ||
        !isfinite(trained_on->origin + trained_on->range))
        return "its time range makes no sense";
    if (trained_on->step_events == 0) return "its steps have no events";
    if (!is_flag(trained_on->has_weight) || !is_flag(trained_on->features_zero))
        return "its trained_on makes no sense";
    if (model->options.model != SCADYG_MODEL_SCADYG)
        return trained_on->column_count || trained_on->node_features ? "a rule without training has columns" : NULL;
    const scadyg_messages_options messages = sg_model_messages_options(model);
    return sg_hop_width(&messages, trained_on) ? NULL : "its options and its columns do not fit";
}

static const char *shape_fault(const scadyg_model *model)
{
    const scadyg_shape *shape = &model->shape;
    if (shape->events == 0 || shape->nodes == 0 || shape->nodes >= UINT32_MAX || !is_flag(shape->has_weight) ||
        !is_flag(shape->has_label) || !is_flag(shape->two_id_spaces) || !is_flag(shape->integer_ids) ||
        shape->time_kind < SCADYG_TIME_NUMBER || shape->time_kind > SCADYG_TIME_DATETIME ||
        !isfinite(shape->last_time - shape->first_time) || shape->last_time < shape->first_time)
        return "the figures of its data make no sense";
    if (!isfinite(model->train_end) || !isfinite(model->validation_end) || model->epochs < 0 ||
        model->best_epoch < 0 || model->best_epoch > model->epochs)
        return "the figures of its training make no sense";
    if (!model->data || !*model->data) return "it does not say what it was trained on";
    if (model->best_epoch && !isfinite(model->validation)) return "its score is not a finite number";
    return NULL;
}

/* The shape of a net, from which its groups follow. By fields: the bytes between them may be anything. */
static int same_pair(const sg_pair_net *a, const sg_pair_net *b)
{
    return a->hypernetwork == b->hypernetwork && a->node == b->node && a->rates == b->rates && a->rest == b->rest &&
           a->hidden == b->hidden && a->hidden2 == b->hidden2 && a->count == b->count;
}

static int same_mix(const sg_mix_net *a, const sg_mix_net *b)
{
    return a->hypernetwork == b->hypernetwork && a->popularity == b->popularity && a->reverse == b->reverse &&
           a->rates == b->rates && a->pair == b->pair && a->summary == b->summary && a->hidden == b->hidden &&
           a->count == b->count;
}

static const char *pair_fault(const scadyg_model *model)
{
    const sg_ledger_plan *plan = &model->plan;
    double slower = 0;
    for (size_t k = 0; k < SG_RATES; slower = plan->rates.rate[k++])
        if (!(plan->rates.rate[k] >= slower) || !isfinite(plan->rates.rate[k])) return "its rates make no sense";
    if (!(plan->rates.rate[0] > 0) || !(plan->walk_rate >= 0) || !isfinite(plan->walk_rate))
        return "its rates make no sense";
    if (plan->width % SG_BLOCK || !plan->width || plan->width > SG_WALK_MOST || plan->pair_bytes == 0)
        return "its walk sketches make no sense";
    sg_pair_net net;
    if (sg_model_pair_net(model, &net, NULL) || !same_pair(&net, &model->pair) || !model->values)
        return "its net does not fit its options";
    if (model->net.count || !model->mean || !model->scale || model->width != net.node + net.rates + net.rest)
        return "its normalisation does not fit its options";
    if (!sg_all_finite(model->mean, model->width) || !sg_all_finite(model->scale, model->width))
        return "its normalisation has numbers that are not finite";
    return NULL;
}

static const char *mix_fault(const scadyg_model *model)
{
    const double gap = model->label_gap, span = model->label_span, noise = model->label_noise;
    if (!(gap > 0) || !isfinite(gap) || !(span >= 0) || !isfinite(span) || !(noise > 0) || !(noise <= 1))
        return "the figures of its labels make no sense";
    sg_mix_net mix;
    if (sg_model_mix(&model->options, model->net.width, &mix, NULL) || !same_mix(&mix, &model->mix))
        return "its net does not fit its options";
    return NULL;
}

static const char *net_fault(const scadyg_model *model)
{
    const sg_net *net = &model->net;
    const scadyg_train_options *options = &model->options;
    if (sg_model_reads_pairs(model)) return pair_fault(model);
    if (options->model != SCADYG_MODEL_SCADYG)
        return model->count || net->count || model->values || model->mean ? "a rule without training has a net"
                                                                          : NULL;
    unsigned without;
    if (sg_without(options->without, &without, NULL)) return "its ablations are unknown";
    const size_t width = sg_hop_width(&options->messages, &model->trained_on) * (size_t)options->messages.hops;
    if (net->task != options->task || net->hypernetwork != !(without & SG_WITHOUT_HYPERNETWORK) ||
        net->width != width || net->hidden != sg_model_hidden(options) ||
        net->outputs != (options->task == SCADYG_TASK_AFFINITY ? model->classes : 1) || !model->values)
        return "its net does not fit its options";
    if (sg_options_mix(options) && mix_fault(model)) return mix_fault(model);
    const int standard =
        options->normalise == SCADYG_NORMALISE_STANDARD || options->normalise == SCADYG_NORMALISE_LOG_STANDARD;
    if ((model->mean != NULL) != standard || (model->scale != NULL) != standard)
        return "its normalisation does not fit its options";
    if (standard && (!sg_all_finite(model->mean, net->width) || !sg_all_finite(model->scale, net->width)))
        return "its normalisation has numbers that are not finite";
    return NULL;
}

static const char *class_fault(const scadyg_model *model)
{
    const int affinity = model->options.task == SCADYG_TASK_AFFINITY;
    if (affinity != (model->classes > 0)) return affinity ? "it has no classes" : "a model of links has classes";
    return model->classes > SG_CLASSES_MOST ? "it has too many classes" : NULL;
}

const char *sg_model_fault(const scadyg_model *model)
{
    const char *fault = class_fault(model);
    if (!fault) fault = shape_fault(model);
    if (!fault) fault = anchor_fault(model);
    if (!fault) fault = net_fault(model);
    return fault;
}
