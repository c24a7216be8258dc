/* Training: from an events file and options to a model. */
#include "tasks/affinity_train.h"
#include "tasks/inputs.h"
#include "tasks/link_train.h"
#include "tasks/split.h"

/* A rule needs no training; it only has to know where the training part ends. */
static int settle_rule(scadyg_model *model, scadyg_events *events, scadyg_error *error)
{
    scadyg_messages *messages = NULL;
    sg_split split;
    int status = sg_model_messages(model, events, 1, &messages, error);
    if (!status) status = sg_model_split(model, messages, &split, error);
    if (!status) {
        model->train_end = messages->columns.time[split.train_end - 1];
        model->validation_end = messages->columns.time[split.validation_end - 1];
    }
    scadyg_messages_close(messages);
    return status;
}

static int train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                 const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error)
{
    if (model->options.task == SCADYG_TASK_AFFINITY)
        return sg_affinity_train(model, events, checkpoint, resume, watch, progress, error);
    if (model->options.model != SCADYG_MODEL_SCADYG) return settle_rule(model, events, error);
    return sg_link_train(model, events, checkpoint, resume, watch, progress, error);
}

int scadyg_train(scadyg_events *events, const scadyg_train_options *options, const char *checkpoint, int resume,
                 const scadyg_watch *watch, const scadyg_progress *progress, scadyg_model **model,
                 scadyg_error *error)
{
    scadyg_model *made = NULL;
    int status = scadyg_train_check(options, error);
    if (!status) status = sg_model_new(options, events, &made, error);
    if (status) return status;
    status = train(made, events, checkpoint, resume, watch, progress, error);
    if (status) {
        scadyg_model_close(made);
        return status;
    }
    sg_model_settle(made);
    *model = made;
    return SCADYG_OK;
}
