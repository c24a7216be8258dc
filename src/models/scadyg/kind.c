/* The default model for links as a kind: its options, its shape, its place in a file. */
#include "models/scadyg/retrieve.h"
#include "models/scadyg/scadyg.h"

#include "models/baselines/rules.h"

#include <math.h>
#include <string.h>

/* ---- Options ---- */

#define PARTS                                                                                                      \
    (SG_WITHOUT_MULTIRATE | SG_WITHOUT_NODES | SG_WITHOUT_PAIRS | SG_WITHOUT_TRANSITIONS | SG_WITHOUT_PARTNERS |   \
     SG_WITHOUT_TOGETHER | SG_WITHOUT_RANKING)

static const sg_option table[] = {
    SG_ROWS_KIND(sg_scadyg_options, "scadyg", "link"),
    SG_MESSAGES_STEP_OPTIONS(sg_scadyg_options, train.messages),
    SG_ROWS_STEPWISE(sg_scadyg_options, "0"),
    SG_ROWS_SPLIT(sg_scadyg_options),
    SG_ROWS_WITHOUT(sg_scadyg_options, "multirate, nodes, pairs, transitions, partners, together, ranking"),
    SG_OPTION(sg_scadyg_options, train.hidden, "hidden", 0, SCADYG_OPTION_INT, "N", "auto", "auto", 1,
              SG_HIDDEN_MOST, "hidden units of each layer; auto is 64", 1),
    SG_OPTION(
        sg_scadyg_options, vectors, "vectors", 0, SCADYG_OPTION_CHOICE, "HOW", "auto", "auto|off|on", 1, 0,
        "learn vectors of destinations as events come (auto: where there are many new ones and short trainings say "
        "that it pays)",
        1),
    SG_OPTION(sg_scadyg_options, fallback, "fallback", 0, SCADYG_OPTION_FLAG, NULL, "1", NULL, 1, 0,
              "answer as the best baseline where no epoch is clearly better than it on the validation part", 1),
    SG_ROWS_LEARNING_BY(
        sg_scadyg_options, "0.002", "1e-5", "auto", "auto",
        "events with their negatives per step of Adam; auto makes about 512 steps of an epoch, with 32 to "
        "64 events each",
        "auto", "auto", "passes at most; auto: 1 to 20, by the log", "3"),
    SG_ROWS_SCHEDULE(sg_scadyg_options, "0.6"),
    SG_OPTION(sg_scadyg_options, train_pool, "train-pool", 0, SCADYG_OPTION_CHOICE, "POOL", "mixed",
              "any|destination|mixed", 1, 0,
              "random training negatives are any nodes, destinations seen so far, or both by halves", 1),
    SG_OPTION(
        sg_scadyg_options, cases, "cases", 0, SCADYG_OPTION_INT, "N", "auto", "auto", 1, 1e15,
        "events that an epoch learns from at most, spread over the training part, others in each epoch; auto is "
        "262144, and up to 1048576 on logs of more than 12 million",
        1),
    SG_OPTION(sg_scadyg_options, negatives, "negatives", 0, SCADYG_OPTION_INT, "N", "5", NULL, 1, 100,
              "training negatives for each event", 1),
    SG_OPTION(sg_scadyg_options, binary, "binary", 0, SCADYG_OPTION_REAL, "SHARE", "0.5", NULL, 0, 1,
              "share of the binary loss, which teaches chances, beside the ranking loss, which teaches order", 1),
};

static int check_options(const void *values, scadyg_error *error)
{
    const sg_scadyg_options *options = values;
    unsigned without;
    int status = sg_without(options->train.without, PARTS, &without, error);
    if (!status) status = sg_check_split(&options->train, error);
    return status;
}

static const sg_option_set set = SG_OPTION_SET("scadyg", table, sg_scadyg_options, check_options);

/* ---- Shape ---- */

/* Of an epoch. Few steps of large batches are too few on a small log, and no better on a large one: docs/accuracy.md. */
enum { STEPS = 512, BATCH_LEAST = 32, BATCH_MOST = 64 };

/* Learned from in all epochs together, but for the first epochs: what comes behind them adds little (docs/accuracy.md). */
enum { ALL_CASES = 1 << 19, FIRST_EPOCHS = 4, FIRST_CASES = 1 << 20 };

/* Of a long log, where following it takes longer than learning, an epoch has more cases, and there are fewer epochs. */
enum { LONG_SHARE = 32 };

double sg_scadyg_binary(const scadyg_model *model)
{
    return sg_model_without(model) & SG_WITHOUT_RANKING ? 1 : sg_scadyg_options_of(model)->binary;
}

uint64_t sg_scadyg_every(const scadyg_model *model, uint64_t train_end)
{
    const int64_t asked = sg_scadyg_options_of(model)->cases;
    const uint64_t usual = train_end / LONG_SHARE, most = FIRST_CASES;
    const uint64_t cases = asked > 0                 ? (uint64_t)asked
                           : usual < SG_SCADYG_CASES ? SG_SCADYG_CASES
                           : usual > most            ? most
                                                     : usual;
    return train_end > cases ? (train_end + cases - 1) / cases : 1;
}

int64_t sg_scadyg_most_epochs(uint64_t cases)
{
    const uint64_t epochs = cases ? (ALL_CASES + cases / 2) / cases : 1,
                   first = cases > FIRST_CASES / FIRST_EPOCHS ? (FIRST_CASES + cases / 2) / cases : FIRST_EPOCHS;
    return (int64_t)(epochs > first ? epochs : first);
}

size_t sg_scadyg_batch(const scadyg_model *model, uint64_t cases)
{
    const int64_t asked = sg_train_of(model)->batch;
    const uint64_t each = cases / STEPS;
    return asked > 0            ? (size_t)asked
           : each < BATCH_LEAST ? BATCH_LEAST
           : each > BATCH_MOST  ? BATCH_MOST
                                : (size_t)each;
}

sg_ledger_options sg_scadyg_ledger(const scadyg_model *model)
{
    static const unsigned parts[][2] = {
        {SG_WITHOUT_MULTIRATE, SG_LEDGER_ONE_RATE},   {SG_WITHOUT_NODES, SG_LEDGER_NO_NODES},
        {SG_WITHOUT_PAIRS, SG_LEDGER_NO_PAIRS},       {SG_WITHOUT_TRANSITIONS, SG_LEDGER_NO_TRANSITIONS},
        {SG_WITHOUT_PARTNERS, SG_LEDGER_NO_PARTNERS}, {SG_WITHOUT_TOGETHER, SG_LEDGER_NO_TOGETHER}};
    const unsigned without = sg_model_without(model);
    sg_ledger_options options = {.plan = sg_scadyg_of(model)->plan,
                                 .weighted = model->trained_on.has_weight,
                                 .edge_features = sg_trained_on_features(&model->trained_on),
                                 .node_features = model->trained_on.node_features,
                                 .vectors = sg_scadyg_options_of(model)->vectors == SG_SCADYG_VECTORS_ON};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (without & parts[i][0]) options.without |= parts[i][1];
    return options;
}

sg_pair_net sg_scadyg_net(const scadyg_model *model)
{
    const sg_ledger_options ledger = sg_scadyg_ledger(model);
    const sg_ledger_widths widths = sg_ledger_widths_of(&ledger);
    const int64_t asked = sg_train_of(model)->hidden;
    const size_t hidden = asked > 0 ? (size_t)asked : SG_SCADYG_HIDDEN;
    sg_pair_net net;
    sg_pair_net_make(&net, widths.node, widths.between, hidden, hidden);
    return net;
}

static size_t width_of(const sg_pair_net *net)
{
    return net->node + net->between;
}

int sg_scadyg_shape(scadyg_model *model, scadyg_error *error)
{
    sg_pair_net *net = &sg_scadyg_of(model)->net;
    *net = sg_scadyg_net(model);
    return sg_model_shape(model, net->count, width_of(net), 1, error);
}

static const char *find_group(const scadyg_model *model, size_t i, size_t *begin, size_t *rows, size_t *columns)
{
    return sg_pair_net_group(&sg_scadyg_of(model)->net, i, begin, rows, columns);
}

static void describe_model(const scadyg_model *model, scadyg_model_info *info)
{
    const sg_scadyg_own *own = sg_scadyg_of(model);
    info->width = 2 * own->net.hidden;
    info->hidden = own->net.hidden;
    info->answers_as = own->rule ? sg_link_rules[own->rule - 1].name : NULL;
    info->probabilities = !own->rule && sg_scadyg_binary(model) > 0;
}

static double find_figure(const scadyg_model *model, const char *name)
{
    const sg_ledger_plan *plan = &sg_scadyg_of(model)->plan;
    static const char *const shares[] = {"share_random", "share_met", "share_late"};
    for (size_t k = 0; k < SG_OUTPUTS - 1; k++)
        if (strcmp(name, shares[k]) == 0) return sg_scadyg_of(model)->compared[k];
    if (strcmp(name, "vectors") == 0) return (double)plan->vectors;
    if (strcmp(name, "inputs") == 0) return (double)sg_scadyg_of(model)->net.inputs;
    return strcmp(name, "pair_bytes") == 0 ? (double)plan->pair_bytes : NAN;
}

/* ---- In a file: the net follows from the options, trained_on and the plan of the ledger ---- */

#define OWN(o)                                                                                                     \
    SG_NUMBERS(SG_NUMBER((o)->plan.rates.rate), SG_NUMBER((o)->plan.pair_bytes), SG_NUMBER((o)->plan.vectors),     \
               SG_NUMBER((o)->compared), SG_NUMBER((o)->rule))

static void pack_own(const scadyg_model *model, sg_pack *pack)
{
    sg_pack_numbers(pack, OWN(sg_scadyg_of(model)));
}

static int unpack_own(scadyg_model *model, sg_slice *slice, scadyg_error *error)
{
    (void)error;
    sg_scadyg_own *own = sg_scadyg_of(model);
    sg_slice_numbers(slice, OWN(own));
    if (slice->bad) return SCADYG_OK;
    own->net = sg_scadyg_net(model);
    model->count = own->net.count;
    model->width = width_of(&own->net);
    return SCADYG_OK;
}

static const char *find_fault(const scadyg_model *model)
{
    const sg_scadyg_own *own = sg_scadyg_of(model);
    const sg_ledger_plan *plan = &own->plan;
    double slower = 0;
    for (size_t k = 0; k < SG_RATES; slower = plan->rates.rate[k++])
        if (!(plan->rates.rate[k] >= slower) || !isfinite(plan->rates.rate[k])) return "its rates make no sense";
    if (!(plan->rates.rate[0] > 0)) return "its rates make no sense";
    if (plan->pair_bytes == 0 || (plan->vectors > 0) != sg_scadyg_ledger(model).vectors)
        return "its memory makes no sense";
    for (size_t k = 0; k < SG_OUTPUTS - 1; k++)
        if (!(own->compared[k] >= 0 && own->compared[k] <= 1))
            return "what its chances are compared with makes no sense";
    if (!(own->compared[0] > 0) || own->rule > SG_GENERAL_RULES) return "how it answers makes no sense";
    const sg_pair_net net = sg_scadyg_net(model);
    if (net.count != own->net.count || net.count != model->count || net.node != own->net.node ||
        net.between != own->net.between || net.hidden != own->net.hidden)
        return "its net does not fit its options";
    if (!model->mean || model->width != width_of(&net)) return "its normalisation does not fit its options";
    return NULL;
}

/* ---- Validation: the protocol that cuts the parts as training does, the mean over its pools ---- */

#define STEP_QUERIES 6000 /* of 101 pairs, enough to tell epochs apart, which are all asked the same ones */
#define LEAST_QUERIES 2000

/* Under live: as many as cost what an epoch of learning does, within bounds. */
static int64_t count_queries(const scadyg_model *model, int64_t most, int64_t negatives)
{
    const sg_scadyg_options *options = sg_scadyg_options_of(model);
    const uint64_t train_end = (uint64_t)(options->train.train_share * (double)model->shape.events);
    const uint64_t cases = train_end / sg_scadyg_every(model, train_end);
    const int64_t queries = (int64_t)cases * (options->negatives + 2) / (negatives + 1);
    return queries > most ? most : queries < LEAST_QUERIES ? LEAST_QUERIES : queries;
}

static size_t set_validation(const scadyg_model *model, size_t i, sg_eval_options *options, int *score)
{
    static const int step_pools[] = {SG_POOL_ANY, SG_POOL_DESTINATION};
    if (!sg_train_of(model)->stepwise) {
        const size_t count = sg_validation_live(options, score);
        options->queries = count_queries(model, options->queries, options->negatives);
        return count;
    }
    *score = SCADYG_MRR;
    options->queries = STEP_QUERIES;
    options->protocol = SG_PROTOCOL_PAPER;
    options->pool = step_pools[i];
    return sizeof step_pools / sizeof *step_pools;
}

const sg_kind sg_kind_scadyg = {
    .shown = {"scadyg", "link", "the default: messages of nodes and pairs, a small net on top", 1},
    .task = SG_TASK_LINK,
    .options = &set,
    .parts = PARTS,
    .reads = SG_READS_LEDGER,
    .own_size = sizeof(sg_scadyg_own),
    .learning = &sg_scadyg_learning,
    .trial = &sg_scadyg_trial,
    .validation = set_validation,
    .scorer_open = sg_scadyg_scorer_open,
    .pack = pack_own,
    .unpack = unpack_own,
    .bytes = sg_scadyg_bytes,
    .fault = find_fault,
    .group = find_group,
    .describe = describe_model,
    .figure = find_figure,
    .live = &sg_scadyg_live,
    .met = sg_scadyg_met,
    .retrieved = SG_RETRIEVED,
    .retrieve = sg_scadyg_retrieve,
    .unmet = sg_scadyg_unmet,
    .embed = sg_scadyg_embed,
    .memory_rates = sg_scadyg_memory_rates,
    .memory_vectors = sg_scadyg_memory_vectors,
};
