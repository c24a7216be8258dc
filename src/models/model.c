/* The model in memory: made, shaped, checked, looked at, closed. */
#include "models/model.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "events/file.h"
#include "models/kind.h"
#include "scadyg_lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What its options mean ---- */

unsigned sg_model_without(const scadyg_model *model)
{
    unsigned without = 0;
    (void)sg_without(sg_train_of(model)->without, model->kind->parts, &without, NULL);
    return without;
}

int sg_model_reads_steps(const scadyg_model *model)
{
    return sg_train_of(model)->stepwise || model->kind->reads == SG_READS_MESSAGES;
}

int sg_model_standardises(const scadyg_model *model)
{
    const int how = sg_train_of(model)->normalise;
    return how == SG_NORMALISE_STANDARD || how == SG_NORMALISE_LOG_STANDARD;
}

const char *sg_model_normalise_hint(const scadyg_model *model)
{
    const int has = sg_option_find(model->kind->options, "normalise") != NULL;
    return has && sg_train_of(model)->normalise != SG_NORMALISE_LOG_STANDARD ? "--normalise log-standard or " : "";
}

/* Kinds that do not read node messages look only at steps: they need no columns. */
sg_messages_options sg_model_messages_options(const scadyg_model *model)
{
    sg_messages_options options = sg_train_of(model)->messages;
    options.seed = sg_train_of(model)->seed;
    options.double_precision = 0;
    if (model->kind->reads == SG_READS_MESSAGES) {
        if (!options.hops) options.hops = 1; /* for kinds that do not let the user choose */
        return options;
    }
    const int stored = model->kind->reads == SG_READS_LEDGER && model->shape.node_features;
    return (sg_messages_options){.steps = options.steps,
                                 .step_rule = options.step_rule,
                                 .hops = 1,
                                 .repeat = 8,
                                 .node_features = stored ? "stored" : "none",
                                 .seed = options.seed};
}

/* The same rules as in messages/nodes/plan.c, but for what is kept of a file instead of a file. */
size_t sg_model_hop_width(const scadyg_model *model)
{
    const sg_messages_options options = sg_model_messages_options(model);
    const sg_trained_on *trained_on = &model->trained_on;
    sg_node_part part;
    if (sg_node_part_parse(options.node_features, &part, NULL)) return 0;
    size_t node = part.width;
    if (part.kind == SG_NODE_ONEHOT) node = trained_on->column_count;
    if (part.kind == SG_NODE_STORED) node = trained_on->node_features;
    if (part.kind != SG_NODE_NONE && node == 0) return 0;
    if ((part.kind == SG_NODE_ONEHOT) != (trained_on->column_count > 0)) return 0;
    if ((part.kind == SG_NODE_STORED) != (trained_on->node_features > 0)) return 0;

    size_t given = sg_given(options.rates) ? sg_rates_count(options.rates) : 0;
    size_t edge = sg_trained_on_features(trained_on);
    if (edge <= 1) edge = given && !node ? given : (size_t)options.repeat;
    if (node > SG_WIDTH_MOST || edge > SG_WIDTH_MOST || (node + edge) * (size_t)options.hops > SG_WIDTH_MOST)
        return 0;
    if (given && given != node + edge) return 0;
    return node + edge;
}

/* ---- Making one ---- */

static int take_provenance(scadyg_model *model, const scadyg_events *events, scadyg_error *error)
{
    const char *slash = strrchr(events->path, '/');
    model->data = strdup(slash ? slash + 1 : events->path);
    if (events->reading) model->reading = strdup(events->reading);
    if (!model->data || (events->reading && !model->reading)) return sg_fail_memory(error, "a file name");
    model->checksum = scadyg_events_checksum(events);
    model->shape = events->shape;
    model->train_end = model->validation_end = events->shape.last_time;
    model->validation = NAN;
    return SCADYG_OK;
}

int sg_model_new(const scadyg_options *options, scadyg_events *events, scadyg_model **out, scadyg_error *error)
{
    scadyg_options *defaults = NULL;
    int status = options ? SCADYG_OK : scadyg_options_open_train(NULL, NULL, &defaults, error);
    if (!status && defaults) {
        status = sg_model_new(defaults, events, out, error);
        scadyg_options_close(defaults);
        return status;
    }
    if (status) return status;
    const sg_kind *kind = options->owner;
    if (!kind) return sg_fail(error, SCADYG_E_USAGE, "these are not options of training");
    status = scadyg_options_check(options, error);
    if (status) return status;
    scadyg_model *model = sg_alloc_zero(1, sizeof *model);
    if (!model) return sg_fail_memory(error, "a model");
    model->kind = kind;
    if (kind->own_size && !(model->own = sg_alloc_zero(1, kind->own_size)))
        status = sg_fail_memory(error, "a model");
    if (!status) status = scadyg_options_copy(options, &model->options, error);
    if (!status) status = take_provenance(model, events, error);
    if (!status) {
        const sg_messages_options messages = sg_model_messages_options(model);
        status = sg_trained_on_make(&model->trained_on, events, &messages, error);
    }
    return sg_model_finish(model, status, out);
}

int sg_model_shape(scadyg_model *model, size_t count, size_t width, int standard, scadyg_error *error)
{
    float *values = sg_alloc_aligned(count, sizeof *values);
    float *mean = standard ? sg_alloc_zero(width, sizeof *mean) : NULL;
    float *scale = standard ? sg_alloc(width, sizeof *scale) : NULL;
    if (!values || (standard && (!mean || !scale))) {
        SG_FREE(values, mean, scale);
        return sg_fail_memory(error, "the net");
    }
    for (size_t j = 0; standard && j < width; j++) scale[j] = 1;
    SG_FREE(model->values, model->mean, model->scale);
    model->count = count;
    model->width = width;
    model->values = values;
    model->mean = mean;
    model->scale = scale;
    sg_model_settle(model);
    return SCADYG_OK;
}

/* ---- Going on from another one ---- */

uint32_t scadyg_model_mark(const scadyg_model *model)
{
    const uint32_t mark = sg_crc32c(0, model->values, model->count * sizeof *model->values);
    return mark ? mark : 1;
}

int sg_model_keep_data(scadyg_model *model, const scadyg_model *from, scadyg_error *error)
{
    const size_t columns = from->trained_on.column_count;
    uint64_t *copy = columns ? sg_alloc(columns, sizeof *copy) : NULL;
    if (columns && !copy) return sg_fail_memory(error, "the one-hot columns");
    if (columns) memcpy(copy, from->trained_on.columns, columns * sizeof *copy);
    sg_trained_on_free(&model->trained_on);
    model->trained_on = from->trained_on;
    model->trained_on.columns = copy;
    if (!model->reading && from->reading && !(model->reading = strdup(from->reading)))
        return sg_fail_memory(error, "how the log was read");
    model->from = scadyg_model_mark(from);
    return from->classes ? sg_model_set_classes(model, from->class_names, from->classes, error) : SCADYG_OK;
}

int sg_model_keep_values(scadyg_model *model, const scadyg_model *from, scadyg_error *error)
{
    int status = sg_model_shape(model, from->count, from->width, from->mean != NULL, error);
    if (status) return status;
    if (model->own) memcpy(model->own, from->own, model->kind->own_size);
    memcpy(model->values, from->values, from->count * sizeof *from->values);
    if (!from->mean) return SCADYG_OK;
    memcpy(model->mean, from->mean, from->width * sizeof *from->mean);
    memcpy(model->scale, from->scale, from->width * sizeof *from->scale);
    return SCADYG_OK;
}

/* ---- Classes ---- */

static void free_classes(scadyg_model *model)
{
    for (size_t i = 0; i < model->classes && model->class_names; i++) free(model->class_names[i]);
    free(model->class_names);
    model->class_names = NULL;
    model->classes = 0;
}

int sg_model_set_classes(scadyg_model *model, char *const *names, size_t count, scadyg_error *error)
{
    char **copy = sg_alloc_zero(count, sizeof *copy);
    size_t made = 0;
    while (copy && made < count && (copy[made] = strdup(names[made]))) made++;
    if (!copy || made < count) {
        while (made) free(copy[--made]);
        free(copy);
        return sg_fail_memory(error, "the names of the classes");
    }
    free_classes(model);
    model->class_names = copy;
    model->classes = count;
    sg_model_settle(model);
    return SCADYG_OK;
}

/* ---- Whether it is sound, so that no code behind it has to ask again ---- */

#define VALUE_MOST 1e6f
#define EVENTS_MOST ((uint64_t)1 << 40) /* times the most steps is still a whole number of 64 bits */

static int is_flag(int value)
{
    return value == 0 || value == 1;
}

static const char *trained_on_fault(const scadyg_model *model)
{
    const sg_trained_on *trained_on = &model->trained_on;
    if (!isfinite(trained_on->origin) || !isfinite(trained_on->range) || trained_on->range < 0 ||
        !isfinite(trained_on->origin + trained_on->range))
        return "its time range makes no sense";
    /* A model that went on from another keeps the steps of the log that one was trained on. */
    if ((trained_on->events != model->shape.events && !model->from) || trained_on->events > EVENTS_MOST ||
        trained_on->steps < 1 || trained_on->steps > SG_STEPS_MOST || !is_flag(trained_on->step_rule))
        return "its steps make no sense";
    if (!is_flag(trained_on->has_weight) || !is_flag(trained_on->features_zero))
        return "the figures of its training data make no sense";
    if (model->kind->reads == SG_READS_STEPS && (trained_on->column_count || trained_on->node_features))
        return "it has columns that nothing reads";
    return sg_model_hop_width(model) ? NULL : "its options and its columns do not fit";
}

static const char *shape_fault(const scadyg_model *model)
{
    const scadyg_shape *shape = &model->shape;
    if (shape->events == 0 || shape->nodes == 0 || shape->nodes >= UINT32_MAX || !is_flag(shape->has_weight) ||
        !is_flag(shape->has_label) || !is_flag(shape->two_id_spaces) || !is_flag(shape->integer_ids) ||
        shape->time_kind < SCADYG_TIME_NUMBER || shape->time_kind > SCADYG_TIME_UNIX_MICRO ||
        !isfinite(shape->last_time - shape->first_time) || shape->last_time < shape->first_time)
        return "the figures of its data make no sense";
    if (!isfinite(model->train_end) || !isfinite(model->validation_end) || model->epochs < 0 ||
        model->best_epoch < 0 || model->best_epoch > model->epochs || !is_flag(model->refit))
        return "the figures of its training make no sense";
    if (!model->data || !*model->data) return "it does not say what it was trained on";
    if (model->best_epoch && !isfinite(model->validation)) return "its score is not a finite number";
    return NULL;
}

static const char *class_fault(const scadyg_model *model)
{
    const int affinity = model->kind->task == SG_TASK_AFFINITY;
    if (affinity != (model->classes > 0)) return affinity ? "it has no classes" : "a model of links has classes";
    return model->classes > SG_CLASSES_MOST ? "it has too many classes" : NULL;
}

static const char *values_fault(const scadyg_model *model)
{
    if (!model->kind->shown.learns)
        return model->count || model->values || model->mean ? "a baseline without training has parameters" : NULL;
    if (!model->values || !model->count) return "it has no parameters";
    if ((model->mean != NULL) != (model->scale != NULL)) return "its normalisation does not fit its options";
    /* What training gives stays below a thousand; beyond this a net of three layers overflows. */
    for (size_t i = 0; i < model->count; i++)
        if (isfinite(model->values[i]) && fabsf(model->values[i]) > VALUE_MOST)
            return "its parameters are too large";
    if (model->mean && (!sg_all_finite(model->mean, model->width) || !sg_all_finite(model->scale, model->width)))
        return "its normalisation has numbers that are not finite";
    return NULL;
}

const char *sg_model_fault(const scadyg_model *model)
{
    const char *fault = class_fault(model);
    if (!fault) fault = shape_fault(model);
    if (!fault) fault = trained_on_fault(model);
    if (!fault) fault = values_fault(model);
    if (!fault && model->kind->fault) fault = model->kind->fault(model);
    return fault;
}

void sg_model_settle(scadyg_model *model)
{
    model->info = (scadyg_model_info){
        .kind = model->kind->shown.name,
        .task = model->kind->shown.task,
        .learns = model->kind->shown.learns,
        .options = model->options,
        .classes = model->classes,
        .parameters = model->count,
        .data = model->data,
        .reading = model->reading ? model->reading : "",
        .checksum = model->checksum,
        .file_checksum = model->file_checksum,
        .shape = &model->shape,
        .epochs = model->epochs,
        .best_epoch = model->best_epoch,
        .losses = model->curve,
        .validations = model->curve ? model->curve + model->epochs : NULL,
        .train_end = model->train_end,
        .validation_end = model->validation_end,
        .label_lines = model->label_file.lines,
        .label_checksum = model->label_file.checksum,
        .validation = model->validation,
        .score = sg_validation_score(model),
        .refit = model->refit,
        .from = model->from,
        .unfinished = model->unfinished,
        .probabilities = model->kind->shown.learns && model->kind->task == SG_TASK_LINK,
    };
    if (model->kind->describe && model->values) model->kind->describe(model, &model->info);
}

int sg_model_finish(scadyg_model *model, int status, scadyg_model **out)
{
    if (status) {
        scadyg_model_close(model);
        return status;
    }
    sg_model_settle(model);
    *out = model;
    return SCADYG_OK;
}

/* ---- The public view ---- */

void scadyg_model_close(scadyg_model *model)
{
    if (!model) return;
    free_classes(model);
    sg_trained_on_free(&model->trained_on);
    scadyg_options_close(model->options);
    SG_FREE(model->own, model->values, model->mean, model->scale, model->data, model->reading, model->curve,
            model->result, model);
}

const scadyg_model_info *scadyg_model_look(const scadyg_model *model)
{
    return &model->info;
}

int scadyg_model_set_result(scadyg_model *model, const char *json, scadyg_error *error)
{
    char *copy = NULL;
    if (sg_given(json)) {
        copy = strdup(json);
        if (!copy) return sg_fail_memory(error, "a result");
    }
    free(model->result);
    model->result = copy;
    return SCADYG_OK;
}

const char *scadyg_model_result(const scadyg_model *model)
{
    return model->result ? model->result : "";
}

double scadyg_model_figure(const scadyg_model *model, const char *name)
{
    return model->kind->figure && model->values ? model->kind->figure(model, name) : NAN;
}

int scadyg_model_set_labels(scadyg_model *model, const char *path, int *match, scadyg_error *error)
{
    const sg_option *option = sg_option_find(model->options->set, "labels");
    if (!option)
        return sg_fail(error, SCADYG_E_USAGE, "a model of the task %s has no labels", model->kind->shown.task);
    sg_label_file file;
    int found = SCADYG_LABELS_OTHER;
    int status = sg_label_file_look(path, &model->label_file, &file, &found, error);
    if (!status) status = sg_options_set(model->options, option, path, error);
    if (!status && match) *match = found;
    return status;
}

const char *scadyg_model_class(const scadyg_model *model, size_t i)
{
    return i < model->classes ? model->class_names[i] : NULL;
}

const char *scadyg_model_group(const scadyg_model *model, size_t i, size_t *rows, size_t *columns,
                               const float **values)
{
    size_t begin = 0;
    if (!model->values || !model->kind->group) return NULL;
    const char *name = model->kind->group(model, i, &begin, rows, columns);
    if (name) *values = model->values + begin;
    return name;
}
