/* The model file: sections written and read. */
#include "models/model.h"

#include "base/memory.h"
#include "events/import/import.h"
#include "models/kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The numbers of its sections, in their order ---- */

#define TRAINED_ON(t)                                                                                              \
    SG_NUMBERS(SG_NUMBER((t)->origin), SG_NUMBER((t)->range), SG_NUMBER((t)->events),                              \
               SG_NUMBER((t)->edge_features), SG_NUMBER((t)->node_features), SG_NUMBER((t)->has_weight),           \
               SG_NUMBER((t)->features_zero), SG_NUMBER((t)->column_count), SG_NUMBER((t)->steps),                 \
               SG_NUMBER((t)->step_rule))

#define PROVENANCE(m, s, validation)                                                                               \
    SG_NUMBERS(SG_NUMBER((m)->checksum), SG_NUMBER((s)->time_kind), SG_NUMBER((s)->events), SG_NUMBER((s)->nodes), \
               SG_NUMBER((s)->edge_features), SG_NUMBER((s)->node_features), SG_NUMBER((s)->has_weight),           \
               SG_NUMBER((s)->has_label), SG_NUMBER((s)->two_id_spaces), SG_NUMBER((s)->integer_ids),              \
               SG_NUMBER((s)->first_time), SG_NUMBER((s)->last_time), SG_NUMBER((m)->train_end),                   \
               SG_NUMBER((m)->validation_end), SG_NUMBER((m)->epochs), SG_NUMBER((m)->best_epoch),                 \
               SG_NUMBER(validation), SG_NUMBER((m)->refit), SG_NUMBER((m)->from))

static int is_flag(int value)
{
    return value == 0 || value == 1;
}

/* ---- Writing ---- */

static void pack_trained_on(const sg_trained_on *trained_on, sg_pack *pack)
{
    sg_pack_begin(pack, SG_PART_TRAINED_ON);
    sg_pack_numbers(pack, TRAINED_ON(trained_on));
    sg_pack_put(pack, trained_on->columns, trained_on->column_count * sizeof *trained_on->columns);
}

static void pack_net(const scadyg_model *model, sg_pack *pack)
{
    if (!model->values) return;
    sg_pack_begin(pack, SG_PART_NET);
    if (model->kind->pack) model->kind->pack(model, pack);
    sg_pack_numbers(pack, SG_NUMBERS(SG_NUMBER(model->count)));
    sg_pack_begin(pack, SG_PART_VALUES);
    sg_pack_put(pack, model->values, model->count * sizeof *model->values);
    if (!model->mean) return;
    sg_pack_begin(pack, SG_PART_NORMALISATION);
    sg_pack_put(pack, model->mean, model->width * sizeof *model->mean);
    sg_pack_put(pack, model->scale, model->width * sizeof *model->scale);
}

static void pack_classes(const scadyg_model *model, sg_pack *pack)
{
    if (!model->classes) return;
    sg_pack_begin(pack, SG_PART_CLASSES);
    sg_pack_numbers(pack, SG_NUMBERS(SG_NUMBER(model->classes)));
    for (size_t i = 0; i < model->classes; i++)
        sg_pack_put(pack, model->class_names[i], strlen(model->class_names[i]) + 1);
}

static void pack_provenance(const scadyg_model *model, sg_pack *pack)
{
    const double validation = isfinite(model->validation) ? model->validation : 0;
    sg_pack_begin(pack, SG_PART_PROVENANCE);
    sg_pack_numbers(pack, PROVENANCE(model, &model->shape, validation));
    sg_pack_put(pack, model->data, strlen(model->data));
}

#define LABEL_FILE(f) SG_NUMBERS(SG_NUMBER((f)->lines), SG_NUMBER((f)->checksum))

void sg_model_pack_last(const scadyg_model *model, sg_pack *pack)
{
    if (model->label_file.lines) {
        sg_pack_begin(pack, SG_PART_LABELS);
        sg_pack_numbers(pack, LABEL_FILE(&model->label_file));
    }
    if (!model->reading) return;
    sg_pack_begin(pack, SG_PART_READING);
    sg_pack_put(pack, model->reading, strlen(model->reading));
}

int sg_model_pack(const scadyg_model *model, sg_pack *pack, scadyg_error *error)
{
    const char *fault = sg_model_fault(model);
    if (fault) return sg_fail(error, SCADYG_E_USAGE, "the model cannot be saved: %s", fault);
    char *options = sg_options_write(model->options);
    if (!options) return sg_fail_memory(error, "the options");
    sg_pack_begin(pack, SG_PART_OPTIONS);
    sg_pack_put(pack, options, strlen(options));
    free(options);
    pack_trained_on(&model->trained_on, pack);
    pack_net(model, pack);
    pack_classes(model, pack);
    pack_provenance(model, pack);
    if (model->result) {
        sg_pack_begin(pack, SG_PART_RESULT);
        sg_pack_put(pack, model->result, strlen(model->result));
    }
    return SCADYG_OK;
}

/* All sections of a model file. After a failure nothing is left. */
static int pack_whole(const scadyg_model *model, sg_pack *pack, scadyg_error *error)
{
    int status = sg_model_pack(model, pack, error);
    if (status) {
        free(pack->data);
        return status;
    }
    if (model->curve) {
        sg_pack_begin(pack, SG_PART_CURVE);
        sg_pack_put(pack, model->curve, 2 * (size_t)model->epochs * sizeof *model->curve);
    }
    sg_model_pack_last(model, pack);
    return SCADYG_OK;
}

int sg_model_checksum(const scadyg_model *model, uint32_t *checksum, scadyg_error *error)
{
    sg_pack pack = {0};
    *checksum = model->file_checksum ? model->file_checksum : scadyg_model_mark(model);
    if (model->file_checksum || sg_model_fault(model)) return SCADYG_OK;
    int status = pack_whole(model, &pack, error);
    return status ? status : sg_pack_checksum(&pack, SG_MODEL_MAGIC, checksum, error);
}

int scadyg_model_save(const scadyg_model *model, const char *path, scadyg_error *error)
{
    if (!sg_all_finite(model->values, model->count))
        return sg_fail(error, SCADYG_E_USAGE,
                       "the model has numbers that are not finite, so training has diverged; use %sa smaller --lr",
                       sg_model_normalise_hint(model));
    sg_pack pack = {0};
    int status = pack_whole(model, &pack, error);
    return status ? status : sg_pack_finish(&pack, SG_MODEL_MAGIC, path, error);
}

/* ---- Reading ---- */

static int unpack_trained_on(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    sg_slice *slice = &unpack->parts[SG_PART_TRAINED_ON];
    sg_trained_on *trained_on = &model->trained_on;
    sg_slice_numbers(slice, TRAINED_ON(trained_on));
    const size_t columns = trained_on->column_count, each = sizeof *trained_on->columns;
    if (slice->bad || !is_flag(trained_on->has_weight) || !is_flag(trained_on->features_zero) ||
        columns != (slice->size - slice->at) / each || (slice->size - slice->at) % each)
        return sg_unpack_damaged(unpack, "the figures of its training data make no sense", error);
    if (!columns) return SCADYG_OK;
    trained_on->columns = sg_alloc(columns, sizeof *trained_on->columns);
    if (!trained_on->columns) return sg_fail_memory(error, "the one-hot columns");
    memcpy(trained_on->columns, slice->data + slice->at, columns * sizeof *trained_on->columns);
    return SCADYG_OK;
}

static float *floats(const sg_slice *slice, size_t first, size_t count)
{
    float *copy = sg_alloc_aligned(count, sizeof *copy);
    if (copy) memcpy(copy, slice->data + first * sizeof *copy, count * sizeof *copy);
    return copy;
}

static int unpack_normalisation(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    const sg_slice *slice = &unpack->parts[SG_PART_NORMALISATION];
    const size_t width = model->width;
    if (!slice->data) return SCADYG_OK;
    if (slice->size != 2 * width * sizeof(float))
        return sg_unpack_damaged(unpack, "its normalisation has the wrong length", error);
    model->mean = floats(slice, 0, width);
    model->scale = floats(slice, width, width);
    return model->mean && model->scale ? SCADYG_OK : sg_fail_memory(error, "the normalisation");
}

static int unpack_net(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    const sg_slice *values = &unpack->parts[SG_PART_VALUES];
    if (!unpack->parts[SG_PART_NET].data && !values->data && !unpack->parts[SG_PART_NORMALISATION].data)
        return SCADYG_OK;
    sg_slice *net = &unpack->parts[SG_PART_NET];
    if (!net->data || !values->data || !model->kind->shown.learns)
        return sg_unpack_damaged(unpack, "its parameters make no sense", error);
    int status = model->kind->unpack ? model->kind->unpack(model, net, error) : SCADYG_OK;
    if (status) return status;
    uint64_t count;
    sg_slice_numbers(net, SG_NUMBERS(SG_NUMBER(count)));
    if (net->bad || net->at != net->size)
        return sg_unpack_damaged(unpack, "the shape of its net makes no sense", error);
    if (!model->kind->unpack) model->count = count; /* how many it must be says kind->fault */
    if (count != model->count || values->size % sizeof(float) || count != values->size / sizeof(float))
        return sg_unpack_damaged(unpack, "its net has the wrong length", error);
    model->values = floats(values, 0, count);
    if (!model->values) return sg_fail_memory(error, "the net");
    return unpack_normalisation(unpack, model, error);
}

static int unpack_classes(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    sg_slice *slice = &unpack->parts[SG_PART_CLASSES];
    if (!slice->data) return SCADYG_OK;
    uint64_t count;
    sg_slice_numbers(slice, SG_NUMBERS(SG_NUMBER(count)));
    size_t ends = 0;
    for (size_t i = slice->at; i < slice->size; i++) ends += slice->data[i] == 0;
    if (slice->bad || !count || count != ends || count > SG_CLASSES_MOST || slice->data[slice->size - 1] != 0)
        return sg_unpack_damaged(unpack, "the names of its classes make no sense", error);
    model->class_names = sg_alloc_zero(count, sizeof *model->class_names);
    if (!model->class_names) return sg_fail_memory(error, "the names of the classes");
    const char *name = (const char *)slice->data + slice->at;
    for (; model->classes < count; name += strlen(name) + 1) {
        model->class_names[model->classes] = strdup(name);
        if (!model->class_names[model->classes]) return sg_fail_memory(error, "the names of the classes");
        model->classes++;
    }
    return SCADYG_OK;
}

static int unpack_labels(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    sg_slice *slice = &unpack->parts[SG_PART_LABELS];
    if (!slice->data) return SCADYG_OK;
    sg_slice_numbers(slice, LABEL_FILE(&model->label_file));
    if (slice->bad || slice->at != slice->size || !model->label_file.lines || model->kind->task != SG_TASK_AFFINITY)
        return sg_unpack_damaged(unpack, "what it says of its labels makes no sense", error);
    return SCADYG_OK;
}

/* The rest of a section as text without zeros. */
static int unpack_text(sg_unpack *unpack, const sg_slice *slice, char **text, scadyg_error *error)
{
    const char *begin = (const char *)slice->data + slice->at;
    const size_t size = slice->size - slice->at;
    if (!size || memchr(begin, 0, size)) return sg_unpack_damaged(unpack, "a text in it is none", error);
    *text = strndup(begin, size);
    return *text ? SCADYG_OK : sg_fail_memory(error, "a text");
}

static int unpack_reading(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    const sg_slice *slice = &unpack->parts[SG_PART_READING];
    scadyg_error reason = {0};
    if (!slice->data) return SCADYG_OK;
    int status = unpack_text(unpack, slice, &model->reading, error);
    if (status || !sg_reading_check(model->reading, &reason)) return status;
    if (reason.status == SCADYG_E_MEMORY) return sg_fail(error, reason.status, "%s", reason.message);
    return sg_unpack_damaged(unpack, "what it says of how its log was read makes no sense", error);
}

static int unpack_provenance(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    sg_slice *slice = &unpack->parts[SG_PART_PROVENANCE];
    scadyg_shape *shape = &model->shape;
    sg_slice_numbers(slice, PROVENANCE(model, shape, model->validation));
    if (slice->bad || (unsigned)shape->time_kind > SCADYG_TIME_UNIX_MICRO || !is_flag(shape->has_weight) ||
        !is_flag(shape->has_label) || !is_flag(shape->two_id_spaces) || !is_flag(shape->integer_ids) ||
        !is_flag(model->refit))
        return sg_unpack_damaged(unpack, "the figures of its data make no sense", error);
    /* The best of a training may be where it began. */
    if (!model->best_epoch && model->validation == 0) model->validation = NAN;
    return unpack_text(unpack, slice, &model->data, error);
}

static int unpack_curve(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    const sg_slice *slice = &unpack->parts[SG_PART_CURVE];
    const size_t each = 2 * sizeof *model->curve;
    if (!slice->data) return SCADYG_OK;
    if (slice->size == 0 || slice->size % each || slice->size / each != (uint64_t)model->epochs)
        return sg_unpack_damaged(unpack, "its learning curve has the wrong length", error);
    model->curve = sg_alloc(slice->size, 1);
    if (!model->curve) return sg_fail_memory(error, "the learning curve");
    memcpy(model->curve, slice->data, slice->size);
    /* NaN stands for a validation score that could not be measured. */
    for (int64_t i = 0; i < model->epochs; i++)
        if (!isfinite(model->curve[i]) || isinf(model->curve[model->epochs + i]))
            return sg_unpack_damaged(unpack, "its learning curve has numbers that are not finite", error);
    return SCADYG_OK;
}

static int unpack_all(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    const sg_slice *options = &unpack->parts[SG_PART_OPTIONS], *result = &unpack->parts[SG_PART_RESULT];
    if (!options->data || !unpack->parts[SG_PART_TRAINED_ON].data || !unpack->parts[SG_PART_PROVENANCE].data)
        return sg_unpack_damaged(unpack, "a section is missing", error);
    int status = sg_options_read((const char *)options->data, options->size, unpack->path, &model->options, error);
    if (status) return status;
    model->kind = model->options->owner;
    if (model->kind->own_size && !(model->own = sg_alloc_zero(1, model->kind->own_size)))
        return sg_fail_memory(error, "a model");
    status = unpack_trained_on(unpack, model, error);
    if (!status) status = unpack_classes(unpack, model, error);
    if (!status) status = unpack_labels(unpack, model, error);
    if (!status) status = unpack_reading(unpack, model, error);
    if (!status) status = unpack_provenance(unpack, model, error);
    if (!status) status = unpack_net(unpack, model, error);
    if (!status) status = unpack_curve(unpack, model, error);
    if (!status && result->data) status = unpack_text(unpack, result, &model->result, error);
    const char *fault = status ? NULL : sg_model_fault(model);
    return fault ? sg_unpack_damaged(unpack, fault, error) : status;
}

int sg_model_unpack(sg_unpack *unpack, scadyg_model **out, scadyg_error *error)
{
    scadyg_model *model = sg_alloc_zero(1, sizeof *model);
    if (!model) return sg_fail_memory(error, "a model");
    int status = unpack_all(unpack, model, error);
    return sg_model_finish(model, status, out);
}

/* A model has no section of a checkpoint. Of a checkpoint the best values so far are the model. */
static int unpack_best(sg_unpack *unpack, scadyg_model *model, scadyg_error *error)
{
    for (int kind = SG_PART_PROGRESS; kind <= SG_PART_VALIDATED && !unpack->is_checkpoint; kind++)
        if (unpack->parts[kind].data) return sg_unpack_damaged(unpack, "it has an unknown section", error);
    if (!unpack->is_checkpoint) return SCADYG_OK;
    const sg_slice *best = &unpack->parts[SG_PART_BEST];
    if (!best->data || !model->values || best->size != model->count * sizeof *model->values)
        return sg_unpack_damaged(unpack, "the state of its training has the wrong length", error);
    memcpy(model->values, best->data, best->size);
    model->unfinished = model->info.unfinished = 1;
    const char *fault = sg_model_fault(model);
    return fault ? sg_unpack_damaged(unpack, fault, error) : SCADYG_OK;
}

int scadyg_model_open(const char *path, scadyg_model **out, scadyg_error *error)
{
    sg_unpack unpack;
    scadyg_model *model = NULL;
    int status = sg_unpack_open(&unpack, NULL, "a model file", path, error);
    if (status) return status;
    status = sg_model_unpack(&unpack, &model, error);
    if (!status) status = unpack_best(&unpack, model, error);
    if (!status) model->file_checksum = model->info.file_checksum = sg_unpack_checksum(&unpack);
    if (!status) model->is_read = 1;
    if (!status && !sg_all_finite(model->values, model->count))
        status = sg_unpack_damaged(&unpack, "it has numbers that are not finite", error);
    status = sg_unpack_close(&unpack, status, error);
    if (status) {
        scadyg_model_close(model);
        return status;
    }
    *out = model;
    return SCADYG_OK;
}
