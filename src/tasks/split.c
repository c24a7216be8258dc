/* The parts a model is trained, chosen and tested on. */
#include "tasks/split.h"

sg_split sg_model_parts(const scadyg_model *model, const scadyg_messages *messages)
{
    const scadyg_train_options *options = &model->options;
    const sg_columns *columns = &messages->columns;
    if (options->split)
        return sg_split_time(columns->time, columns->count, options->train_share, options->validation_share);
    return sg_split_steps(&messages->steps, options->train_share, options->validation_share);
}

int sg_model_split(const scadyg_model *model, const scadyg_messages *messages, sg_split *split, scadyg_error *error)
{
    const sg_columns *columns = &messages->columns;
    *split = sg_model_parts(model, messages);
    const uint64_t first = messages->steps.first[messages->steps.count > 1 ? 1 : 0];
    const char *empty = NULL;
    if (split->train_end <= first)
        empty = "training";
    else if (split->validation_end <= split->train_end)
        empty = "validation";
    else if (columns->count <= split->validation_end)
        empty = "test";
    if (!empty) return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_USAGE,
        "the %s part of the %llu events is empty; use other --steps, another --step-rule or --split time", empty,
        (unsigned long long)columns->count);
}
