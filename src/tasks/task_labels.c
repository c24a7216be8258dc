/* The labels of an affinity model over a file, and the parts they fall in. */
#include "tasks/task_labels.h"

#include "events/split.h"

int sg_task_labels(const scadyg_model *model, scadyg_events *events, const sg_steps *steps, const char *file,
                   sg_labels *labels, scadyg_error *error)
{
    const char *path = file ? file : model->options.labels;
    char *const *names = model->classes ? model->class_names : NULL;
    if (path && *path) return sg_labels_read(labels, events, path, names, model->classes, error);
    return sg_labels_derive(labels, events, steps, names, model->classes, error);
}

/* How many label times are not after a time. */
static size_t groups_until(const sg_labels *labels, double time)
{
    size_t low = 0, high = labels->groups;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (labels->time[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

sg_label_split sg_task_label_split(const sg_labels *labels, const sg_columns *columns)
{
    return (sg_label_split){groups_until(labels, sg_quantile(columns->time, columns->count, .70)),
                            groups_until(labels, sg_quantile(columns->time, columns->count, .85))};
}
