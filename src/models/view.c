/* A view: a model joined with an events file. */
#include "models/view.h"

#include "base/memory.h"
#include "base/search.h"
#include "models/kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The plan of the messages ---- */

/* "rate,rate,...", count times. NULL without memory. */
static char *repeat_rate(double rate, size_t count)
{
    char number[32];
    const size_t length = (size_t)snprintf(number, sizeof number, "%.17g,", rate);
    char *text = sg_alloc(count, length);
    if (!text) return NULL;
    for (size_t i = 0; i < count; i++) memcpy(text + i * length, number, length);
    text[count * length - 1] = 0;
    return text;
}

/* One rate for all columns, where an ablation says so: 0, or the largest one. */
static int ablate_rates(const scadyg_model *model, sg_messages_options *options, char **rates, scadyg_error *error)
{
    const unsigned without = model->kind->reads == SG_READS_MESSAGES ? sg_model_without(model) : 0;
    if (!(without & (SG_WITHOUT_TIME | SG_WITHOUT_MULTIRATE))) return SCADYG_OK;
    const size_t width = sg_model_hop_width(model);
    if (!width) return sg_fail(error, SCADYG_E_USAGE, "the options of the messages do not fit the events");
    const double range = model->trained_on.range;
    double rate = 0;
    if (!(without & SG_WITHOUT_TIME))
        rate = options->gamma0 > 0 ? options->gamma0 : range > 0 && isfinite(1 / range) ? 1 / range : 1;
    *rates = repeat_rate(rate, width);
    if (!*rates) return sg_fail_memory(error, "the rates");
    options->rates = *rates;
    options->gamma0 = 0;
    return SCADYG_OK;
}

/* ---- Whether there is memory for it ---- */

/* Steps go on behind the last one of the grid as far as the times reach. */
static double count_steps(const scadyg_model *model, const scadyg_shape *shape)
{
    const double steps = (double)model->trained_on.steps, range = model->trained_on.range;
    const double reached = range > 0 ? steps * ((shape->last_time - model->trained_on.origin) / range) : 0;
    return reached > steps ? fmin(reached, SG_STEPS_REACH) : steps;
}

static double count_bytes(const scadyg_model *model, const scadyg_shape *shape)
{
    const double steps = count_steps(model, shape) * SG_STEP_BYTES;
    return steps + (model->kind->bytes ? model->kind->bytes(model, shape) : 0);
}

/* With pages of the file, which are a quarter of the memory at most. */
static int check_room(const scadyg_context *context, const scadyg_model *model, const scadyg_shape *shape,
                      double file, scadyg_error *error)
{
    const double memory = (double)sg_context_memory(context, 2), needed = count_bytes(model, shape);
    if (!model->is_read || needed + fmin(file, memory / 4) <= memory) return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_MEMORY,
        "the model needs about %.0f bytes for the %llu nodes of the events, more than the %.0f it may take; "
        "--memory allows more",
        ceil(fmin(needed + file, needed / 3 * 4)), (unsigned long long)shape->nodes, memory);
}

int sg_view_check_shape(const scadyg_context *context, const scadyg_model *model, const scadyg_shape *shape,
                        scadyg_error *error)
{
    return check_room(context, model, shape, 0, error);
}

int sg_view_check_memory(const scadyg_context *context, const scadyg_model *model, const scadyg_events *events,
                         scadyg_error *error)
{
    return check_room(context, model, scadyg_events_shape(events), (double)events->mapping.size, error);
}

int sg_view_check_roles(const scadyg_model *model, const scadyg_events *events, scadyg_error *error)
{
    const int separate = model->shape.two_id_spaces;
    if (events->shape.two_id_spaces == separate) return SCADYG_OK;
    return sg_fail(error, SCADYG_E_USAGE,
                   "the model was trained with sources and destinations %s, and in %s they are %s: "
                   "scadyg_events_set_roles makes them fit, or import the log with --%s",
                   separate ? "separate" : "of one kind", events->path, separate ? "of one kind" : "separate",
                   separate ? "bipartite" : "one-kind");
}

int sg_view_open(scadyg_context *context, const scadyg_model *model, scadyg_events *events, sg_view *view,
                 scadyg_error *error)
{
    sg_messages_options options = sg_model_messages_options(model);
    char *rates = NULL;
    *view = (sg_view){.context = context, .model = model, .events = events};
    int status = sg_view_check_roles(model, events, error);
    if (!status) status = ablate_rates(model, &options, &rates, error);
    if (!status)
        status = sg_messages_open_trained_on(context, events, &options, &model->trained_on, &view->messages, error);
    free(rates);
    if (status) return status;
    view->columns = &view->messages->columns;
    view->nodes = (size_t)view->messages->nodes;
    view->width = view->messages->width;
    if (model->kind->reads == SG_READS_MESSAGES && model->width && view->width != model->width) {
        status = sg_fail(error, SCADYG_E_USAGE, "the model takes messages of %zu number%s; these have %zu",
                         model->width, sg_plural(model->width), view->width);
        sg_view_close(view);
    }
    return status;
}

void sg_view_close(sg_view *view)
{
    scadyg_messages_close(view->messages);
    *view = (sg_view){0};
}

#define STRETCH ((uint64_t)1 << 18) /* events */
#define STRETCH_LEAST 1024

/* Fewer where their pages would be more than are held. */
uint64_t sg_view_stretch(const sg_view *view)
{
    const uint64_t held = view->events ? atomic_load(&view->events->resident) : 0;
    const uint64_t fit = held / 2 / sg_columns_event_bytes(view->columns);
    return !held || fit > STRETCH ? STRETCH : fit < STRETCH_LEAST ? STRETCH_LEAST : fit;
}

int64_t sg_view_step(const sg_view *view, int64_t step, double at, uint64_t seen)
{
    if (step < 0) step = sg_messages_step_of(view->messages, at);
    if (seen >= view->columns->count) return step;
    const int64_t hidden = sg_messages_step_of(view->messages, view->columns->time[seen]);
    return hidden < step ? hidden : step;
}

/* ---- Parts ---- */

sg_split sg_view_step_parts(const sg_view *view)
{
    const sg_train_options *options = sg_train_of(view->model);
    const sg_columns *columns = view->columns;
    const double train = options->train_share, validation = sg_validation_share(options);
    sg_split split;
    /* What came after training only has no training part. */
    if (!columns->count || columns->time[0] > view->model->trained_on.origin)
        return sg_split_steps(&view->messages->steps, train, validation);
    (void)sg_split_serving(&view->messages->steps, train, validation, &split);
    return split;
}

sg_split sg_view_parts(const sg_view *view)
{
    const sg_train_options *options = sg_train_of(view->model);
    if (options->stepwise) return sg_view_step_parts(view);
    return sg_split_events(view->columns->time, view->columns->count, options->train_share,
                           sg_validation_share(options));
}

sg_split sg_view_trained_parts(const sg_view *view)
{
    const sg_columns *columns = view->columns;
    return (sg_split){.train_end = sg_after_double(columns->time, (size_t)columns->count, view->model->train_end),
                      .validation_end =
                          sg_after_double(columns->time, (size_t)columns->count, view->model->validation_end)};
}

int sg_view_split(const sg_view *view, sg_split *split, scadyg_error *error)
{
    const sg_columns *columns = view->columns;
    const uint64_t past = view->messages->steps.first[1]; /* nothing is known of what lies before the first step */
    *split = sg_view_parts(view);
    if (!sg_train_of(view->model)->stepwise) return SCADYG_OK;
    if (split->train_end > past && split->validation_end > split->train_end &&
        columns->count > split->validation_end)
        return SCADYG_OK;
    return sg_fail_times(columns->time, columns->count, error);
}

/* ---- Labels ---- */

int sg_view_has_labels(const sg_view *view, scadyg_error *error)
{
    const sg_label_file *file = &view->model->label_file;
    if (!file->lines || sg_given(sg_train_of(view->model)->labels)) return SCADYG_OK;
    return sg_fail(
        error, SCADYG_E_USAGE,
        "the model was trained with labels from a file of %llu line%s, which it does not keep; give that file "
        "with --labels",
        (unsigned long long)file->lines, sg_plural(file->lines));
}

int sg_view_labels(const sg_view *view, sg_labels *labels, scadyg_error *error)
{
    const scadyg_model *model = view->model;
    const char *path = sg_train_of(model)->labels;
    char *const *names = model->classes ? model->class_names : NULL;
    int status = sg_view_has_labels(view, error);
    if (status) return status;
    if (sg_given(path)) return sg_labels_read(labels, view->events, path, names, model->classes, error);
    return sg_labels_derive(labels, view->events, &view->messages->steps, names, model->classes, error);
}
