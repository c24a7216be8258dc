/* The model in memory: made, shaped, looked at, closed. */
#include "model/model.h"

#include "base/memory.h"
#include "model/options.h"
#include "model/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts of options: one block, owned by the model ---- */

static const char *keep(char **at, const char *text)
{
    if (!sg_given(text)) return NULL;
    const size_t size = strlen(text) + 1;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

static size_t text_size(const char *text)
{
    return sg_given(text) ? strlen(text) + 1 : 0;
}

int sg_model_keep_options(scadyg_model *model, const scadyg_train_options *options, scadyg_error *error)
{
    const char *without = sg_given(options->without) ? options->without : "none";
    const char *features = sg_given(options->messages.node_features) ? options->messages.node_features : "none";
    char *block = sg_alloc(text_size(without) + text_size(features) + text_size(options->messages.rates) +
                               text_size(options->labels),
                           1);
    if (!block) return sg_fail_memory(error, "the options");
    char *at = block;
    scadyg_train_options copy = *options;
    copy.without = keep(&at, without);
    copy.messages.node_features = keep(&at, features);
    copy.messages.rates = keep(&at, options->messages.rates);
    copy.labels = keep(&at, options->labels);
    copy.messages.seed = options->seed;
    copy.messages.threads = options->threads;
    copy.messages.double_precision = 0;
    free(model->option_text);
    model->option_text = block;
    model->options = copy;
    return SCADYG_OK;
}

/* Rules without training and the head `pair` look only at steps: they need no columns. */
scadyg_messages_options sg_model_messages_options(const scadyg_model *model)
{
    scadyg_messages_options options = model->options.messages;
    if (model->options.model != SCADYG_MODEL_SCADYG || sg_model_reads_pairs(model)) {
        options.node_features = sg_model_reads_pairs(model) && model->shape.node_features ? "stored" : "none";
        if (sg_model_reads_pairs(model)) options.gamma0 = 0;
        options.rates = NULL;
        options.hops = 1;
    }
    return options;
}

/* ---- Making one ---- */

static int take_provenance(scadyg_model *model, const scadyg_events *events, scadyg_error *error)
{
    const char *slash = strrchr(events->path, '/');
    model->data = strdup(slash ? slash + 1 : events->path);
    if (!model->data) return sg_fail_memory(error, "a file name");
    model->checksum = scadyg_events_checksum(events);
    model->shape = events->shape;
    model->train_end = model->validation_end = events->shape.last_time;
    model->validation = NAN;
    return SCADYG_OK;
}

int sg_model_new(const scadyg_train_options *options, scadyg_events *events, scadyg_model **out,
                 scadyg_error *error)
{
    int status = scadyg_train_check(options, error);
    if (status) return status;
    scadyg_model *model = sg_alloc_zero(1, sizeof *model);
    if (!model) return sg_fail_memory(error, "a model");
    status = sg_model_keep_options(model, options, error);
    if (!status) status = take_provenance(model, events, error);
    if (!status) {
        const scadyg_messages_options messages = sg_model_messages_options(model);
        status = sg_trained_on_make(&model->trained_on, events, &messages, error);
    }
    if (status) {
        scadyg_model_close(model);
        return status;
    }
    sg_model_settle(model);
    *out = model;
    return SCADYG_OK;
}

size_t sg_model_hidden(const scadyg_train_options *options)
{
    sg_node_part part;
    if (options->hidden > 0) return (size_t)options->hidden;
    if (sg_options_mix(options)) return 32;
    return !sg_node_part_parse(options->messages.node_features, &part, NULL) && part.kind != SG_NODE_NONE ? 128
                                                                                                          : 64;
}

int sg_model_shape(scadyg_model *model, size_t width, size_t outputs, scadyg_error *error)
{
    unsigned without;
    int status = sg_without(model->options.without, &without, error);
    if (status) return status;
    if (!width || width > SG_WIDTH_MOST || !outputs || outputs > SG_CLASSES_MOST)
        return sg_fail(error, SCADYG_E_USAGE, "a net from %zu to %zu numbers cannot be made", width, outputs);
    sg_net net;
    sg_mix_net mix = {0};
    sg_net_make(&net, model->options.task, !(without & SG_WITHOUT_HYPERNETWORK), width,
                sg_model_hidden(&model->options), outputs);
    if (sg_options_mix(&model->options)) {
        status = sg_model_mix(&model->options, width, &mix, error);
        if (status) return status;
        net = sg_mix_figures(&net, &mix);
    }
    const int how = model->options.normalise;
    const int standard = how == SCADYG_NORMALISE_STANDARD || how == SCADYG_NORMALISE_LOG_STANDARD;
    float *values = sg_alloc_aligned(net.count, sizeof *values);
    float *mean = standard ? sg_alloc_zero(width, sizeof *mean) : NULL;
    float *scale = standard ? sg_alloc(width, sizeof *scale) : NULL;
    if (!values || (standard && (!mean || !scale))) {
        free(values);
        free(mean);
        free(scale);
        return sg_fail_memory(error, "the net");
    }
    for (size_t j = 0; standard && j < width; j++) scale[j] = 1;
    free(model->values);
    free(model->mean);
    free(model->scale);
    model->net = net;
    model->mix = mix;
    model->count = net.count;
    model->width = width;
    model->values = values;
    model->mean = mean;
    model->scale = scale;
    sg_model_settle(model);
    return SCADYG_OK;
}

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

void sg_model_settle(scadyg_model *model)
{
    const scadyg_train_options *options = &model->options;
    model->info = (scadyg_model_info){
        .options = options,
        .width = model->net.width + model->pair.node,
        .hidden = model->net.hidden + model->pair.hidden,
        .classes = model->classes,
        .parameters = model->count,
        .data = model->data,
        .checksum = model->checksum,
        .file_checksum = model->file_checksum,
        .shape = model->shape,
        .epochs = model->epochs,
        .best_epoch = model->best_epoch,
        .walk_width = (size_t)model->plan.width,
        .pair_bytes = model->plan.pair_bytes,
        .losses = model->curve,
        .validations = model->curve ? model->curve + model->epochs : NULL,
        .train_end = model->train_end,
        .validation_end = model->validation_end,
        .validation = model->validation,
        .score = options->task == SCADYG_TASK_AFFINITY                                      ? "NDCG@10"
                 : options->select || (options->head == SCADYG_HEAD_PAIR && options->split) ? "AP"
                                                                                            : "MRR",
    };
}

/* ---- Its messages ---- */

/* One rate for all columns, where an ablation says so: 0, or the largest one. */
static char *ablated_rates(const scadyg_model *model, const scadyg_messages_options *options, unsigned without)
{
    const double range = model->trained_on.range;
    double rate = 0;
    if (!(without & SG_WITHOUT_TIME))
        rate = options->gamma0 > 0 ? options->gamma0 : range > 0 && isfinite(1 / range) ? 1 / range : 1;
    return sg_equal_rates(rate, sg_hop_width(options, &model->trained_on));
}

int sg_model_messages(const scadyg_model *model, scadyg_events *events, int threads, scadyg_messages **messages,
                      scadyg_error *error)
{
    scadyg_messages_options options = sg_model_messages_options(model);
    options.seed = model->options.seed;
    options.threads = threads;
    options.double_precision = 0;
    unsigned without;
    int status = sg_without(model->options.without, &without, error);
    if (status) return status;
    char *rates = NULL;
    if (sg_model_reads_pairs(model)) without = 0;
    if (without & (SG_WITHOUT_TIME | SG_WITHOUT_MULTIRATE)) {
        if (!sg_hop_width(&options, &model->trained_on))
            return sg_fail(error, SCADYG_E_USAGE, "the options of the messages do not fit the events");
        rates = ablated_rates(model, &options, without);
        if (!rates) return sg_fail_memory(error, "the rates");
        options.rates = rates;
        options.gamma0 = 0;
    }
    scadyg_messages *made = NULL;
    status = sg_messages_open_trained_on(events, &options, &model->trained_on, &made, error);
    free(rates);
    if (status) return status;
    if (model->net.width && scadyg_messages_width(made) != model->net.width) {
        status = sg_fail(error, SCADYG_E_USAGE, "the model takes messages of %zu numbers; these have %zu",
                         model->net.width, scadyg_messages_width(made));
        scadyg_messages_close(made);
        return status;
    }
    *messages = made;
    return SCADYG_OK;
}

/* ---- The public view ---- */

void scadyg_model_close(scadyg_model *model)
{
    if (!model) return;
    free_classes(model);
    sg_trained_on_free(&model->trained_on);
    free(model->option_text);
    free(model->values);
    free(model->mean);
    free(model->scale);
    free(model->data);
    free(model->curve);
    free(model->result);
    free(model);
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

const char *scadyg_model_class(const scadyg_model *model, size_t i)
{
    return i < model->classes ? model->class_names[i] : NULL;
}

const char *scadyg_model_group(const scadyg_model *model, size_t i, size_t *rows, size_t *columns,
                               const float **values)
{
    size_t begin;
    if (!model->values) return NULL;
    const char *name = model->mix.count              ? sg_mix_net_group(&model->mix, i, &begin, rows, columns)
                       : sg_model_reads_pairs(model) ? sg_pair_net_group(&model->pair, i, &begin, rows, columns)
                                                     : sg_net_group(&model->net, i, &begin, rows, columns);
    if (name) *values = model->values + begin;
    return name;
}
