/* The default model for affinity as a kind: its options, its shape, its place in a file. */
#include "models/label_mix/label_mix.h"
#include "messages/pairs/label_past.h"

#include <math.h>

/* ---- Options ---- */

#define PARTS                                                                                                      \
    (SG_WITHOUT_HYPERNETWORK | SG_WITHOUT_MULTIRATE | SG_WITHOUT_NODES | SG_WITHOUT_POPULARITY | SG_WITHOUT_REVERSE)

static const sg_option table[] = {
    SG_ROWS_KIND(sg_label_mix_options, "scadyg", "affinity"),
    SG_ROWS_LABELS(sg_label_mix_options),
    SG_MESSAGES_STEP_OPTIONS(sg_label_mix_options, train.messages),
    SG_OPTION(sg_label_mix_options, train.messages.repeat, "repeat", 0, SCADYG_OPTION_INT, "K", "8", NULL, 1, 4096,
              "repeat a single edge feature K times, once per rate", 1),
    SG_ROWS_STEPWISE(sg_label_mix_options, "0"),
    SG_ROWS_NORMALISE(sg_label_mix_options, "log"),
    SG_ROWS_WITHOUT(sg_label_mix_options, "hypernetwork, multirate, nodes, popularity, reverse"),
    SG_OPTION(sg_label_mix_options, train.hidden, "hidden", 0, SCADYG_OPTION_INT, "N", "auto", "auto", 1,
              SG_HIDDEN_MOST, "hidden units; auto is 32", 1),
    SG_ROWS_LEARNING(sg_label_mix_options, "0.002", "1e-5", "200", "20", "4"),
    SG_ROWS_SCHEDULE(sg_label_mix_options, "0.8"),
};

static int check_options(const void *values, scadyg_error *error)
{
    const sg_label_mix_options *options = values;
    unsigned without;
    return sg_without(options->train.without, PARTS, &without, error);
}

static const sg_option_set set = SG_OPTION_SET("scadyg", table, sg_label_mix_options, check_options);

/* ---- Shape ---- */

static sg_mix_net net_of(const scadyg_model *model, size_t width)
{
    const unsigned without = sg_model_without(model);
    const sg_train_options *options = sg_train_of(model);
    const int popularity = !(without & SG_WITHOUT_POPULARITY);
    /* Classes of a label file are no nodes: nothing turns to those that have them. */
    const int reverse = !(without & SG_WITHOUT_REVERSE) && !model->label_file.lines;
    const size_t rates = SG_LABEL_RATES;
    sg_mix_net net = {.hypernetwork = !(without & SG_WITHOUT_HYPERNETWORK),
                      .popularity = popularity,
                      .reverse = reverse,
                      .rates = rates,
                      .pair = (2 * rates - 1) * (1 + (size_t)popularity) + (rates + 1) * (size_t)reverse + 1,
                      .summary = 2 + rates + (without & SG_WITHOUT_NODES ? 0 : width),
                      .hidden = options->hidden > 0 ? (size_t)options->hidden : 32};
    sg_mix_net_make(&net);
    return net;
}

int sg_label_mix_shape(scadyg_model *model, size_t width, scadyg_error *error)
{
    sg_mix_net *net = &sg_label_mix_of(model)->net;
    if (!width || width > SG_WIDTH_MOST)
        return sg_fail(error, SCADYG_E_USAGE, "a net that reads %zu numbers cannot be made", width);
    *net = net_of(model, width);
    return sg_model_shape(model, net->count, width, sg_model_standardises(model), error);
}

void sg_label_mix_rates(const scadyg_model *model, double *rates)
{
    const sg_label_mix_own *own = sg_label_mix_of(model);
    sg_label_rates(own->gap, own->span, rates);
    for (size_t k = 0; sg_model_without(model) & SG_WITHOUT_MULTIRATE && k < SG_LABEL_RATES; k++)
        rates[k] = log(2) / own->gap;
}

static const char *find_group(const scadyg_model *model, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    return sg_mix_net_group(&sg_label_mix_of(model)->net, i, begin, rows, columns);
}

static void describe_model(const scadyg_model *model, scadyg_model_info *info)
{
    info->width = model->width;
    info->hidden = sg_label_mix_of(model)->net.hidden;
}

/* Messages, the past of the labels, and a scratch row of all classes for each piece of work. */
static double count_bytes(const scadyg_model *model, const scadyg_shape *shape)
{
    const double each = (double)(3 * SG_LABEL_RATES + 40) * sizeof(float);
    return sg_node_rows_bytes(model, shape) + (double)shape->nodes * sizeof(sg_label_memory) +
           (double)model->classes * each;
}

/* ---- In a file ---- */

#define OWN(width, own)                                                                                            \
    SG_NUMBERS(SG_NUMBER(width), SG_NUMBER((own)->gap), SG_NUMBER((own)->span), SG_NUMBER((own)->noise),           \
               SG_NUMBER((own)->start))

static void pack_own(const scadyg_model *model, sg_pack *pack)
{
    sg_pack_numbers(pack, OWN(model->width, sg_label_mix_of(model)));
}

static int unpack_own(scadyg_model *model, sg_slice *slice, scadyg_error *error)
{
    (void)error;
    sg_label_mix_own *own = sg_label_mix_of(model);
    uint64_t width;
    sg_slice_numbers(slice, OWN(width, own));
    if (!width || width > SG_WIDTH_MOST) slice->bad = 1;
    if (slice->bad) return SCADYG_OK;
    own->net = net_of(model, width);
    model->count = own->net.count;
    model->width = width;
    return SCADYG_OK;
}

static const char *find_fault(const scadyg_model *model)
{
    const sg_label_mix_own *own = sg_label_mix_of(model);
    if (!(own->gap > 0) || !isfinite(own->gap) || !(own->span >= 0) || !isfinite(own->span) || !(own->noise > 0) ||
        !(own->noise <= 1) || own->start >= SG_MIX_STARTS)
        return "the figures of its labels make no sense";
    const sg_mix_net net = net_of(model, model->width);
    if (model->width != sg_model_hop_width(model) || net.count != model->count || net.count != own->net.count ||
        net.pair != own->net.pair || net.summary != own->net.summary || net.hidden != own->net.hidden)
        return "its net does not fit its options";
    if ((model->mean != NULL) != sg_model_standardises(model)) return "its normalisation does not fit its options";
    return NULL;
}

/* ---- Validation ---- */

static size_t set_validation(const scadyg_model *model, size_t i, sg_eval_options *options, int *score)
{
    (void)model, (void)i;
    options->protocol = SG_PROTOCOL_TGB_NODE;
    *score = SCADYG_NDCG10;
    return 1;
}

const sg_kind sg_kind_scadyg_affinity = {
    .shown = {"scadyg", "affinity", "the default: averages of earlier labels, mixed by a small net", 1},
    .task = SG_TASK_AFFINITY,
    .options = &set,
    .parts = PARTS,
    .reads = SG_READS_MESSAGES,
    .own_size = sizeof(sg_label_mix_own),
    .learning = &sg_label_mix_learning,
    .validation = set_validation,
    .label_scorer_open = sg_label_mix_scorer_open,
    .needs_labels = 1,
    .pack = pack_own,
    .unpack = unpack_own,
    .bytes = count_bytes,
    .fault = find_fault,
    .group = find_group,
    .describe = describe_model,
    .embed = sg_label_mix_embed,
};
