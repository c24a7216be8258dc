/* The paper's model as a kind, for both tasks: its options and presets, its shape, its place in a file. */
#include "base/memory.h"
#include "models/scadyg_paper/paper.h"
#include "nn/kernels.h"

#include <stdlib.h>
#include <string.h>

/* ---- Options: the defaults are the paper's general rules ---- */

#define PARTS (SG_WITHOUT_TIME | SG_WITHOUT_HYPERNETWORK | SG_WITHOUT_MULTIRATE)
#define PART_WORDS "time, hypernetwork, multirate"

#define ROWS_HIDDEN                                                                                                \
    SG_OPTION(sg_paper_options, train.hidden, "hidden", 0, SCADYG_OPTION_INT, "N", "auto", "auto", 1,              \
              SG_HIDDEN_MOST, "hidden units of the predictor; auto is 64, with node features 128", 1)

/* No learning rate or window is published for all data. */
#define ROWS_LEARNING SG_ROWS_LEARNING(sg_paper_options, "0.003", "1e-4", "128", "100", "10")

static const sg_option link_table[] = {
    SG_ROWS_KIND(sg_paper_options, "scadyg-paper", "link"),
    SG_MESSAGES_STEP_OPTIONS(sg_paper_options, train.messages),
    SG_MESSAGES_COLUMN_OPTIONS(sg_paper_options, train.messages),
    SG_ROWS_STEPWISE(sg_paper_options, "1"),
    SG_ROWS_SPLIT(sg_paper_options),
    SG_ROWS_NORMALISE(sg_paper_options, "none"),
    SG_ROWS_WITHOUT(sg_paper_options, PART_WORDS),
    ROWS_HIDDEN,
    ROWS_LEARNING,
    SG_OPTION(sg_paper_options, select, "select", 0, SCADYG_OPTION_CHOICE, "SCORE", "mrr", "mrr|ap", 1, 0,
              "the validation score that chooses the epoch", 1),
    SG_OPTION(sg_paper_options, train_pool, "train-pool", 0, SCADYG_OPTION_CHOICE, "POOL", "any",
              "any|destination|seen", 1, 0,
              "training negatives are any nodes, destinations seen so far, or nodes seen so far", 1),
};

static const sg_option affinity_table[] = {
    SG_ROWS_KIND(sg_paper_options, "scadyg-paper", "affinity"),
    SG_ROWS_LABELS(sg_paper_options),
    SG_MESSAGES_STEP_OPTIONS(sg_paper_options, train.messages),
    SG_MESSAGES_COLUMN_OPTIONS(sg_paper_options, train.messages),
    SG_ROWS_STEPWISE(sg_paper_options, "1"),
    SG_ROWS_NORMALISE(sg_paper_options, "none"),
    SG_ROWS_WITHOUT(sg_paper_options, PART_WORDS),
    ROWS_HIDDEN,
    ROWS_LEARNING,
};

static int check_affinity(const void *values, scadyg_error *error)
{
    const sg_paper_options *options = values;
    unsigned without;
    int status = sg_without(options->train.without, PARTS, &without, error);
    if (!status) status = sg_check_columns(&options->train, without, error);
    return status;
}

static int check_link(const void *values, scadyg_error *error)
{
    int status = check_affinity(values, error);
    if (!status) status = sg_check_split(values, error);
    return status;
}

static const sg_option_set link_set = SG_OPTION_SET("scadyg-paper", link_table, sg_paper_options, check_link);
static const sg_option_set affinity_set =
    SG_OPTION_SET("scadyg-paper", affinity_table, sg_paper_options, check_affinity);

/* ---- Presets: docs/presets.md says where each figure is from ---- */

#define SETTINGS(...)                                                                                              \
    (const sg_setting[])                                                                                           \
    {                                                                                                              \
        __VA_ARGS__,                                                                                               \
        {                                                                                                          \
            NULL, NULL                                                                                             \
        }                                                                                                          \
    }

static const sg_preset link_presets[] = {
    {"mooc", "all settings as published; steps of equal counts, as the released data has them",
     SETTINGS({"steps", "100"}, {"step-rule", "equal-count"}, {"window", "9"}, {"gamma0", "5.6790098270506866e-08"},
              {"lr", "0.0034562317384750716"})},
    {"uci", "all settings as published",
     SETTINGS({"steps", "273"}, {"window", "10"}, {"gamma0", "9.796232886499929e-07"},
              {"lr", "0.004633535643731563"})},
    {"bitcoinalpha", "all settings as published",
     SETTINGS({"steps", "226"}, {"window", "39"}, {"gamma0", "9.772233221749005e-07"},
              {"lr", "0.03371303354056322"})},
    {"enron",
     "all settings as published, with normalise log, without which it does not learn; --lr 0.001 is better",
     SETTINGS({"steps", "100"}, {"window", "24"}, {"gamma0", "8.801956776817994e-07"},
              {"lr", "0.024951393100015522"}, {"node-features", "onehot"}, {"normalise", "log"})},
    {"lastfm", "all settings as published",
     SETTINGS({"steps", "500"}, {"window", "32"}, {"gamma0", "2.2661581547411702e-07"},
              {"lr", "0.002758079478978358"})},
    {"unvote", "all settings as published; the rate is for times in years",
     SETTINGS({"steps", "72"}, {"window", "10"}, {"gamma0", "0.22661581547411702"},
              {"lr", "0.002758079478978358"})},
    {"reddit-title", "all settings as published, with normalise log for the large sums of 128 node features",
     SETTINGS({"steps", "178"}, {"window", "36"}, {"gamma0", "9.063130587806096e-06"},
              {"lr", "0.0005502332748490608"}, {"node-features", "random:128"}, {"normalise", "log"})},
    {"stackoverflow", "steps as published; rate, learning rate and window are not: the general rules",
     SETTINGS({"steps", "91"})},
    {NULL, NULL, NULL},
};

#define BY_GENERAL_RULES                                                                                           \
    "steps and node features as published, the rest by the general rules; normalise log-standard for the large "   \
    "sums"

static const sg_preset affinity_presets[] = {
    {"trade",
     "as published, with normalise log-standard, without which it does not learn; the rate is for times in years",
     SETTINGS({"steps", "30"}, {"window", "26"}, {"gamma0", "0.034143450512559376"}, {"lr", "0.00886572355558703"},
              {"node-features", "onehot"}, {"normalise", "log-standard"})},
    {"genre", BY_GENERAL_RULES,
     SETTINGS({"steps", "1580"}, {"node-features", "random:128"}, {"normalise", "log-standard"})},
    {"reddit", BY_GENERAL_RULES,
     SETTINGS({"steps", "1090"}, {"node-features", "random:128"}, {"normalise", "log-standard"})},
    {"token", BY_GENERAL_RULES,
     SETTINGS({"steps", "785"}, {"node-features", "random:128"}, {"normalise", "log-standard"})},
    {NULL, NULL, NULL},
};

/* ---- Shape ---- */

static size_t hidden_of(const sg_train_options *options)
{
    sg_node_part part;
    if (options->hidden > 0) return (size_t)options->hidden;
    const int has_features =
        !sg_node_part_parse(options->messages.node_features, &part, NULL) && part.kind != SG_NODE_NONE;
    return has_features ? 128 : 64;
}

int sg_paper_shape(scadyg_model *model, size_t width, size_t outputs, scadyg_error *error)
{
    if (!width || width > SG_WIDTH_MOST || !outputs || outputs > SG_CLASSES_MOST)
        return sg_fail(error, SCADYG_E_USAGE, "a net from %zu to %zu numbers cannot be made", width, outputs);
    sg_net *net = sg_paper_net(model);
    sg_net_make(net, model->kind->task, !(sg_model_without(model) & SG_WITHOUT_HYPERNETWORK), width,
                hidden_of(sg_train_of(model)), outputs);
    return sg_model_shape(model, net->count, width, sg_model_standardises(model), error);
}

static const char *find_group(const scadyg_model *model, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    return sg_net_group(sg_paper_net(model), i, begin, rows, columns);
}

static void describe_model(const scadyg_model *model, scadyg_model_info *info)
{
    info->width = sg_paper_net(model)->width;
    info->hidden = sg_paper_net(model)->hidden;
}

/* Messages and embeddings of all nodes, and what the head makes of them. */
static double count_bytes(const scadyg_model *model, const scadyg_shape *shape)
{
    const sg_net *net = sg_paper_net(model);
    return sg_node_rows_bytes(model, shape) +
           2 * (double)shape->nodes * (double)(net->width + net->hidden) * sizeof(float);
}

/* ---- In a file ---- */

#define NET(n)                                                                                                     \
    SG_NUMBERS(SG_NUMBER((n)->task), SG_NUMBER((n)->hypernetwork), SG_NUMBER((n)->width), SG_NUMBER((n)->hidden),  \
               SG_NUMBER((n)->outputs))

static void pack_own(const scadyg_model *model, sg_pack *pack)
{
    sg_pack_numbers(pack, NET(sg_paper_net(model)));
}

/* What the net must be follows from the options; the section says it again, and both must agree (find_fault). */
static int unpack_own(scadyg_model *model, sg_slice *slice, scadyg_error *error)
{
    (void)error;
    sg_net is;
    sg_slice_numbers(slice, NET(&is));
    /* These bounds keep every product below 2^50. */
    if ((unsigned)is.task > 1 || (unsigned)is.hypernetwork > 1 || !is.width || is.width > SG_WIDTH_MOST ||
        !is.hidden || is.hidden > SG_HIDDEN_MOST || !is.outputs || is.outputs > SG_CLASSES_MOST)
        slice->bad = 1;
    if (slice->bad) return SCADYG_OK;
    sg_net *net = sg_paper_net(model);
    sg_net_make(net, is.task, is.hypernetwork, is.width, is.hidden, is.outputs);
    model->count = net->count;
    model->width = net->width;
    return SCADYG_OK;
}

static const char *find_fault(const scadyg_model *model)
{
    const sg_net *net = sg_paper_net(model);
    const size_t width = sg_model_hop_width(model) * (size_t)sg_train_of(model)->messages.hops;
    const int hypernetwork = !(sg_model_without(model) & SG_WITHOUT_HYPERNETWORK);
    if (net->task != model->kind->task || net->hypernetwork != hypernetwork || net->width != width ||
        net->hidden != hidden_of(sg_train_of(model)) || net->count != model->count || net->width != model->width ||
        net->outputs != (model->kind->task == SG_TASK_AFFINITY ? model->classes : 1))
        return "its net does not fit its options";
    if ((model->mean != NULL) != sg_model_standardises(model)) return "its normalisation does not fit its options";
    return NULL;
}

/* ---- Validation and answers ---- */

static size_t validate_links(const scadyg_model *model, size_t i, sg_eval_options *options, int *score)
{
    (void)i;
    if (sg_train_of(model)->stepwise)
        options->protocol = SG_PROTOCOL_PAPER;
    else
        (void)sg_validation_live(options, score);
    *score = sg_paper_options_of(model)->select ? SCADYG_AP : SCADYG_MRR;
    return 1;
}

static size_t validate_labels(const scadyg_model *model, size_t i, sg_eval_options *options, int *score)
{
    (void)model, (void)i;
    options->protocol = SG_PROTOCOL_TGB_NODE;
    *score = SCADYG_NDCG10;
    return 1;
}

static int open_link_scorer(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error)
{
    (void)kind;
    return sg_paper_link_scorer_share(view, NULL, scorer, error);
}

static int open_label_scorer(const sg_kind *kind, sg_view *view, const sg_labels *labels, sg_label_scorer *scorer,
                             scadyg_error *error)
{
    (void)kind, (void)labels;
    return sg_paper_label_scorer_share(view, NULL, scorer, error);
}

/* ---- Beyond scores: the same for both tasks ---- */

static int embed_nodes(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    const sg_paper_scorer *s = scorer;
    const sg_view *view = s->view;
    float *rows = sg_alloc(asked->count * view->width, sizeof *rows);
    int status = rows ? s->read(scorer, asked, rows, error) : sg_fail_memory(error, "the messages");
    if (!status)
        status =
            sg_embed(view->context, sg_paper_net(view->model), view->model->values, rows, asked->count, out, error);
    free(rows);
    return status;
}

static int make_matrix(void *scorer, const sg_nodes_asked *asked, float *matrix, scadyg_error *error)
{
    const sg_paper_scorer *s = scorer;
    const scadyg_model *model = s->view->model;
    const sg_net *net = sg_paper_net(model);
    const size_t d = net->width;
    float *row = sg_alloc(d, sizeof *row);
    int status = row ? s->read(scorer, asked, row, error) : sg_fail_memory(error, "a message");
    if (!status)
        sg_hyper_matrix(d, model->values + net->w, model->values + net->wr, model->values + net->wp, row, matrix);
    free(row);
    return status;
}

static int weigh_node(void *scorer, const sg_nodes_asked *asked, float *out, scadyg_error *error)
{
    if (!sg_paper_net(((sg_paper_scorer *)scorer)->view->model)->hypernetwork)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the model was trained without the hypernetwork, which makes weights");
    return make_matrix(scorer, asked, out, error);
}

/* Memory: the columns of the first hop. */
static int tell_rates(void *scorer, size_t *count, const double **rates, int *is_logarithm, scadyg_error *error)
{
    (void)error;
    const sg_view *view = ((sg_paper_scorer *)scorer)->view;
    const sg_train_options *options = sg_train_of(view->model);
    *count = view->width / (size_t)options->messages.hops;
    *rates = view->messages->rates;
    *is_logarithm = options->normalise == SG_NORMALISE_LOG || options->normalise == SG_NORMALISE_LOG_STANDARD;
    return SCADYG_OK;
}

/* Adds weight times row i of fc1 to the vector of column j. */
static void add_row(const scadyg_model *model, size_t i, size_t j, double weight, double *vectors)
{
    const size_t hidden = sg_paper_net(model)->hidden;
    const float *row = model->values + sg_paper_net(model)->fc1 + i * hidden;
    if (model->scale) weight *= (double)model->scale[j];
    for (size_t h = 0; h < hidden; h++) vectors[j * hidden + h] += weight * (double)row[h];
}

/* Without the hypernetwork there is no matrix: each column goes to its own row. */
static void fill_vectors(const scadyg_model *model, size_t columns, const float *matrix, double *vectors)
{
    const size_t d = sg_paper_net(model)->width;
    for (size_t j = 0; j < columns; j++) {
        if (!matrix) add_row(model, j, j, 1, vectors);
        for (size_t i = 0; matrix && i < d; i++) add_row(model, i, j, (double)matrix[i * d + j], vectors);
    }
}

static int make_vectors(void *scorer, const sg_nodes_asked *asked, size_t *hidden, double **vectors,
                        scadyg_error *error)
{
    const sg_view *view = ((sg_paper_scorer *)scorer)->view;
    const size_t d = view->width, columns = d / (size_t)sg_train_of(view->model)->messages.hops;
    *hidden = sg_paper_net(view->model)->hidden;
    const int weighted = sg_paper_net(view->model)->hypernetwork;
    float *matrix = weighted ? sg_alloc(d * d, sizeof *matrix) : NULL;
    *vectors = sg_alloc_zero(columns * *hidden, sizeof **vectors);
    int status = *vectors && (matrix || !weighted) ? SCADYG_OK : sg_fail_memory(error, "a memory curve");
    if (!status && weighted) status = make_matrix(scorer, asked, matrix, error);
    if (!status) fill_vectors(view->model, columns, matrix, *vectors);
    free(matrix);
    return status;
}

/* What both tasks have in common. */
#define SHARED                                                                                                     \
    .parts = PARTS, .reads = SG_READS_MESSAGES, .own_size = sizeof(sg_paper_own), .pack = pack_own,                \
    .unpack = unpack_own, .bytes = count_bytes, .fault = find_fault, .group = find_group,                          \
    .describe = describe_model, .embed = embed_nodes, .node_weights = weigh_node, .memory_rates = tell_rates,      \
    .memory_vectors = make_vectors

const sg_kind sg_kind_paper = {
    .shown = {"scadyg-paper", "link", "the model of the paper: messages of nodes, side by side", 1},
    .task = SG_TASK_LINK,
    .options = &link_set,
    .presets = link_presets,
    .learning = &sg_paper_link_learning,
    .validation = validate_links,
    .scorer_open = open_link_scorer,
    SHARED,
};

const sg_kind sg_kind_paper_affinity = {
    .shown = {"scadyg-paper", "affinity", "the model of the paper: messages of nodes, a softmax over classes", 1},
    .task = SG_TASK_AFFINITY,
    .options = &affinity_set,
    .presets = affinity_presets,
    .learning = &sg_paper_affinity_learning,
    .validation = validate_labels,
    .label_scorer_open = open_label_scorer,
    SHARED,
};
