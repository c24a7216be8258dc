/*
 * Learning links: one epoch is a pass over the training part in time order, a chunk of events at a time. The pairs of a
 * chunk are read from the ledger, then learned from in batches.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "evaluate/negatives.h"
#include "messages/pairs/vectors.h"
#include "models/baselines/rules.h"
#include "models/node_rows.h"
#include "models/scadyg/cases.h"
#include "models/scadyg/one_source.h"
#include "models/scadyg/reader.h"
#include "nn/decorrelate.h"
#include "scadyg_lab.h"

#include <stdlib.h>
#include <string.h>

#define MET_SHARE 0.02 /* of what a pair is compared with, until it is settled */
/* Of a single epoch, whose rate never falls: wiki-talk, 725,851 cases, validation MRR .618 with .99, .627 with .998, .628 with
 * .9995. */
#define AVERAGING_OF_ONE 0.999
#define STATISTICS 30000 /* events that the normalisation is learned from */
#define STATISTICS_WITHIN                                                                                          \
    (UINT64_C(1) << 24) /* the first events, where a sixteenth of the training part is no more */
#define TOGETHER 11     /* one pair of so many says how columns go together */

typedef struct learner {
    sg_training *training;
    scadyg_model *model;
    sg_pair_reader reader;
    sg_pair_cases cases;
    sg_pair_workspace *workspace;
    float *gradient;
    float *apart[2][2]; /* nodes and pairs: the matrix that takes their columns apart, and its inverse */
    sg_block blocks[4];
    double binary;
    uint64_t every; /* one in so many events is a case */
    size_t batch;   /* cases of a step */
    struct {        /* the pairs of a step */
        uint32_t *left, *right;
        float *between, *offset;
        unsigned char *in;
    } step;
} learner;

/* ---- An epoch ---- */

/* Cases number first, first + apart, ... of a chunk, side by side; returns how many. */
static size_t gather_cases(const learner *l, const sg_pair_chunk *chunk, size_t first, size_t apart)
{
    const size_t group = l->cases.group, row = sg_scadyg_of(l->model)->net.between * group;
    size_t count = 0;
    for (size_t c = first; c < chunk->count; c += apart, count++) {
        memcpy(l->step.left + count * group, chunk->left + c * group, group * sizeof *chunk->left);
        memcpy(l->step.right + count * group, chunk->right + c * group, group * sizeof *chunk->right);
        memcpy(l->step.offset + count * group, chunk->offset + c * group, group * sizeof *chunk->offset);
        memcpy(l->step.in + count * group, chunk->in + c * group, group);
        memcpy(l->step.between + count * row, l->reader.between + c * row, row * sizeof *l->step.between);
    }
    return count;
}

/* The cases of a step are spread over the chunk: neighbours in time are often alike, and would pull the same way. There may be
 * none: stepwise nothing is known before the second step. */
static double learn_chunk(learner *l, const sg_pair_chunk *chunk, sg_optimiser *optimiser)
{
    if (!chunk->count) return 0;
    scadyg_model *model = l->model;
    const size_t group = l->cases.group, size = sg_even_batch(chunk->count, l->batch),
                 steps = (chunk->count + size - 1) / size;
    double loss = 0;
    for (size_t i = 0; i < steps; i++) {
        const size_t count = gather_cases(l, chunk, i, steps);
        const sg_pair_rows rows = {.nodes = l->reader.nodes,
                                   .node_count = chunk->node_count,
                                   .left = l->step.left,
                                   .right = l->step.right,
                                   .between = l->step.between,
                                   .count = count * group,
                                   .offset = l->step.offset};
        loss += (double)count * sg_pair_gradient(l->workspace, sg_optimiser_at(optimiser, model->values), &rows,
                                                 group, l->step.in, l->binary, l->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, l->gradient);
    }
    return loss;
}

/* The next chunk, which the workers begin to read; NULL: none. */
static int start_next(learner *l, int64_t epoch, const sg_pair_chunk **chunk, scadyg_error *error)
{
    int status = sg_pair_cases_next(&l->cases, epoch, l->every, chunk, error);
    if (status || !*chunk) return status;
    const sg_read_plan read_plan = sg_pair_chunk_plan(*chunk);
    return sg_pair_reader_start(&l->reader, &read_plan, error);
}

/* While a chunk is learned from, the workers read the next one. */
static int learn_epoch(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                       uint64_t *events, scadyg_error *error)
{
    (void)training;
    learner *l = state;
    uint64_t learned = 0;
    double sum = 0;
    const sg_pair_chunk *chunk, *next;
    sg_pair_cases_rewind(&l->cases);
    sg_pair_reader_rewind(&l->reader);
    int status = start_next(l, epoch, &chunk, error);
    for (; chunk && !status; chunk = next) {
        status = sg_pair_reader_finish(&l->reader, error);
        if (!status) status = start_next(l, epoch, &next, error);
        if (status) break;
        sum += learn_chunk(l, chunk, optimiser);
        learned += chunk->count;
        status = sg_training_report(l->training, "learning", chunk->next, l->training->split.train_end, error);
        if (status) sg_pair_reader_drop(&l->reader);
    }
    *loss = learned ? sum / (double)learned : 0;
    *events = learned;
    return status;
}

/* ---- Before the first epoch ---- */

/* What is known of the columns of nodes, and of those of pairs. */
typedef struct statistics {
    sg_column_stats nodes, pairs;
    sg_covariance nodes_together, pairs_together;
} statistics;

static int open_statistics(const sg_pair_net *net, statistics *s, scadyg_error *error)
{
    int status = sg_column_stats_open(&s->nodes, net->node, error);
    if (!status) status = sg_column_stats_open(&s->pairs, net->between, error);
    if (!status) status = sg_covariance_open(&s->nodes_together, net->node, error);
    if (!status) status = sg_covariance_open(&s->pairs_together, net->between, error);
    return status;
}

static void close_statistics(statistics *s)
{
    sg_column_stats_close(&s->nodes);
    sg_column_stats_close(&s->pairs);
    sg_covariance_close(&s->nodes_together);
    sg_covariance_close(&s->pairs_together);
}

/* Adds rows of a chunk, as they are before normalisation. */
static void add_rows(const learner *l, const sg_pair_chunk *chunk, statistics *s)
{
    const sg_pair_net *net = &sg_scadyg_of(l->model)->net;
    /* A node counts as often as it is met, though its row is there once. */
    for (size_t i = 0; i < chunk->count * l->cases.group; i++) {
        const float *left = l->reader.nodes + chunk->left[i] * net->node,
                    *right = l->reader.nodes + chunk->right[i] * net->node,
                    *between = l->reader.between + i * net->between;
        if (i % l->cases.group == 0 || chunk->left[i] != chunk->left[i - i % l->cases.group])
            sg_column_stats_add(&s->nodes, left);
        sg_column_stats_add(&s->nodes, right);
        sg_column_stats_add(&s->pairs, between);
        if (i % TOGETHER) continue;
        sg_covariance_add(&s->nodes_together, left);
        sg_covariance_add(&s->nodes_together, right);
        sg_covariance_add(&s->pairs_together, between);
    }
}

/* The weights of both nodes' inputs, of the pair's, and what goes from the pair to the outputs directly. */
static void list_blocks(learner *l)
{
    const sg_pair_net *net = &sg_scadyg_of(l->model)->net;
    const size_t node = net->node * net->hidden;
    const sg_block blocks[] = {
        {net->fc1, net->node, net->hidden, l->apart[0][0], l->apart[0][1]},
        {net->fc1 + node, net->node, net->hidden, l->apart[0][0], l->apart[0][1]},
        {net->fc1 + 2 * node, net->between, net->hidden, l->apart[1][0], l->apart[1][1]},
        {net->direct, net->between, SG_OUTPUTS, l->apart[1][0], l->apart[1][1]},
    };
    memcpy(l->blocks, blocks, sizeof blocks);
}

static int settle_statistics(learner *l, const statistics *s, scadyg_error *error)
{
    scadyg_model *model = l->model;
    const size_t node = sg_scadyg_of(model)->net.node, between = sg_scadyg_of(model)->net.between;
    if (!l->training->from) {
        sg_column_stats_settle(&s->nodes, model->mean, model->scale);
        sg_column_stats_settle(&s->pairs, model->mean + node, model->scale + node);
    }
    if (SG_ALLOC(SG_ARRAY(l->apart[0][0], node * node), SG_ARRAY(l->apart[0][1], node * node),
                 SG_ARRAY(l->apart[1][0], between * between), SG_ARRAY(l->apart[1][1], between * between)))
        return sg_fail_memory(error, "the training");
    int status = sg_decorrelate(&s->nodes_together, model->scale, l->apart[0][0], l->apart[0][1], error);
    if (!status)
        status = sg_decorrelate(&s->pairs_together, model->scale + node, l->apart[1][0], l->apart[1][1], error);
    if (!status) list_blocks(l);
    return status;
}

/* The mean and deviation of every column, and how they go together, from cases spread over the training part, or over the
 * beginning of a long one: following all of it would take as long as an epoch. */
static int learn_normalisation(learner *l, scadyg_error *error)
{
    const uint64_t train_end = l->training->split.train_end,
                   sixteenth = train_end / 16 > STATISTICS_WITHIN ? train_end / 16 : STATISTICS_WITHIN,
                   end = train_end < sixteenth ? train_end : sixteenth, every = end / STATISTICS + 1;
    statistics s = {0};
    int status = open_statistics(&sg_scadyg_of(l->model)->net, &s, error);
    sg_pair_cases_rewind(&l->cases);
    for (const sg_pair_chunk *chunk; !status;) {
        status = sg_pair_cases_next(&l->cases, 0, every, &chunk, error);
        if (status || !chunk || chunk->next > end) break;
        const sg_read_plan read_plan = sg_pair_chunk_plan(chunk);
        status = sg_training_report(l->training, "preparing", l->cases.next, end, error);
        if (!status) status = sg_pair_reader_run_raw(&l->reader, &read_plan, error);
        if (!status) add_rows(l, chunk, &s);
    }
    if (!status) status = settle_statistics(l, &s, error);
    close_statistics(&s);
    return status;
}

/* Cases begin .. begin+count-1 of a chunk that was read, as they lie there. */
static sg_pair_rows rows_of(const learner *l, const sg_pair_chunk *chunk, size_t begin, size_t count)
{
    const sg_pair_net *net = &sg_scadyg_of(l->model)->net;
    const size_t first = begin * l->cases.group;
    return (sg_pair_rows){.nodes = l->reader.nodes,
                          .node_count = chunk->node_count,
                          .left = chunk->left + first,
                          .right = chunk->right + first,
                          .between = l->reader.between + first * net->between,
                          .count = count * l->cases.group,
                          .offset = chunk->offset + first};
}

/* Reads and learns from the next chunk for the measure only; nothing of it stays. *learned 0: there is none. */
static int try_chunk(learner *l, size_t *learned, scadyg_error *error)
{
    const size_t batch = l->batch, group = l->cases.group;
    int status = SCADYG_OK;
    *learned = 0;
    for (const sg_pair_chunk *chunk; !status && !*learned;) {
        status = sg_pair_cases_next(&l->cases, 0, l->every, &chunk, error);
        if (status || !chunk) break;
        const sg_read_plan read_plan = sg_pair_chunk_plan(chunk);
        status = sg_pair_reader_run(&l->reader, &read_plan, error);
        for (size_t begin = 0; !status && begin < chunk->count; begin += batch) {
            const size_t left = chunk->count - begin, count = left < batch ? left : batch;
            const sg_pair_rows rows = rows_of(l, chunk, begin, count);
            (void)sg_pair_gradient(l->workspace, l->model->values, &rows, group, chunk->in + begin * group,
                                   l->binary, l->gradient);
            *learned += count;
        }
    }
    return status;
}

/* The first chunk warms up: it touches all memory for the first time. */
static int measure_speed(learner *l, double *events_per_second, scadyg_error *error)
{
    int status = SCADYG_OK;
    *events_per_second = 1;
    for (int round = 0; round < 3 && !status; round++) {
        size_t learned;
        const double began = sg_seconds();
        status = try_chunk(l, &learned, error);
        if (learned) *events_per_second = (double)learned / (sg_seconds() - began);
    }
    return status;
}

/* What the evaluations of the training and the test of its model take: pairs that have met to draw from, at most all of the
 * log; rows of nodes. */
static int plan_evaluations(sg_training *training, scadyg_error *error)
{
    sg_log_size size;
    if (sg_train_of(training->model)->stepwise) return SCADYG_OK; /* it draws from destinations and nodes */
    int status = sg_log_size_count(training->view.columns, training->view.nodes, &size, error);
    if (status) return status;
    const int64_t asked = sg_train_of(training->model)->hidden;
    training->contacts->one_in = sg_first_contacts_fit(size.events, size.pairs, size.nodes,
                                                       sg_context_memory(training->context, 4) / SG_MET_SHARE);
    training->drawn_bytes =
        sg_first_contacts_bytes(size.events, size.pairs, size.nodes, training->contacts->one_in);
    training->answer_bytes = sg_one_source_kept(asked > 0 ? (size_t)asked : SG_SCADYG_HIDDEN, size.nodes);
    return SCADYG_OK;
}

static int tell_plan(learner *l, uint64_t memory, int64_t most_epochs, scadyg_error *error)
{
    const scadyg_model *model = l->model;
    const scadyg_watch *watch = l->training->watch;
    const sg_scadyg_own *own = sg_scadyg_of(model);
    if (!watch || !watch->plan) return SCADYG_OK;
    const sg_ledger_options ledger = sg_scadyg_ledger(model);
    const sg_view *view = &l->training->view;
    const sg_beside beside = sg_scadyg_beside(view, memory, l->training->drawn_bytes + l->training->answer_bytes);
    sg_vector_roles roles = {0};
    int status = ledger.vectors ? sg_vectors_count_roles(view->columns, view->nodes, &roles, error) : SCADYG_OK;
    if (status) return status;
    scadyg_plan plan = {.memory = memory,
                        .node_bytes = sg_ledger_bytes(&ledger, view->nodes, roles.sources),
                        .pair_bytes = own->plan.pair_bytes,
                        .pairs = sg_ledger_pairs(&ledger),
                        .vector_bytes = sg_ledger_vector_bytes(&ledger, UINT64_MAX),
                        .vectors = own->plan.vectors,
                        .inputs = 2 * own->net.node + own->net.between,
                        .slowest = own->plan.rates.rate[0],
                        .fastest = own->plan.rates.rate[SG_RATES - 1],
                        .events = (l->training->split.train_end + l->every - 1) / l->every,
                        .one_in = l->every,
                        .negatives = sg_scadyg_options_of(model)->negatives,
                        .epochs = sg_training_epochs(l->training, most_epochs),
                        .page_bytes = beside.pages,
                        .batch_bytes = beside.batches,
                        .evaluation_bytes = beside.evaluations};
    status = measure_speed(l, &plan.events_per_second, error);
    if (!status) watch->plan(watch->data, &plan);
    return status;
}

static void close_learner(void *state)
{
    learner *l = state;
    sg_pair_cases_close(&l->cases);
    sg_pair_reader_close(&l->reader);
    sg_pair_workspace_close(l->workspace);
    SG_FREE(l->gradient, l->apart[0][0], l->apart[0][1], l->apart[1][0], l->apart[1][1]);
    SG_FREE(l->step.left, l->step.right, l->step.between, l->step.offset, l->step.in);
}

/* For steps of so many cases. */
static int open_steps(learner *l, size_t cases, scadyg_error *error)
{
    const sg_pair_net *net = &sg_scadyg_of(l->model)->net;
    const size_t pairs = cases * l->cases.group;
    l->gradient = sg_alloc_aligned(l->model->count, sizeof *l->gradient);
    l->step.between = sg_alloc_aligned(pairs * net->between, sizeof *l->step.between);
    if (!l->gradient || !l->step.between ||
        SG_ALLOC(SG_ARRAY(l->step.left, pairs), SG_ARRAY(l->step.right, pairs), SG_ARRAY(l->step.offset, pairs),
                 SG_ARRAY(l->step.in, pairs)))
        return sg_fail_memory(error, "the training");
    return sg_pair_workspace_open(l->training->context, net, pairs, &l->workspace, error);
}

static int open_learner(sg_training *training, sg_learner *out, scadyg_error *error)
{
    learner *l = out->state;
    scadyg_model *model = training->model;
    const sg_train_options *options = sg_train_of(model);
    const uint64_t memory = sg_context_memory(training->context, 4), train_end = training->split.train_end;
    const sg_pair_net *net = &sg_scadyg_of(model)->net;
    l->training = training;
    l->model = model;
    l->binary = sg_scadyg_binary(model);
    l->every = sg_scadyg_every(model, train_end);
    l->batch = sg_scadyg_batch(model, train_end / l->every);
    const size_t cases = 2 * l->batch < SG_CHUNK ? 2 * l->batch : SG_CHUNK;
    const double met = options->stepwise ? 0 : MET_SHARE; /* stepwise nothing is learned of those */
    *sg_scadyg_of(model) =
        (sg_scadyg_own){.plan = sg_scadyg_of(model)->plan, .net = *net, .compared = {1, met, met}};
    int status = plan_evaluations(training, error);
    if (!status)
        status = training->from ? sg_model_keep_values(model, training->from, error)
                                : sg_scadyg_plan(model, &training->view, train_end, memory,
                                                 training->drawn_bytes + training->answer_bytes, error);
    if (!status && !training->from) status = sg_scadyg_shape(model, error);
    if (!status) status = sg_pair_reader_open(&l->reader, &training->view, error);
    if (!status) status = sg_pair_cases_open(&l->cases, &training->view, train_end, error);
    l->cases.training = training;
    if (!status) status = open_steps(l, cases, error);
    if (status) return status;
    if (!training->from) sg_pair_net_init(net, (uint64_t)options->seed, model->values);
    out->most_epochs = sg_scadyg_most_epochs(train_end / l->every);
    if (out->most_epochs == 1) out->averaging = AVERAGING_OF_ONE;
    status = tell_plan(l, memory, out->most_epochs, error);
    if (!status) status = learn_normalisation(l, error);
    if (!status) status = sg_scadyg_scorer_share(&training->view, &l->reader, &out->scorer, error);
    if (status) return status;
    out->blocks = l->blocks;
    out->block_count = sizeof l->blocks / sizeof *l->blocks;
    out->width = model->width;
    out->bytes = sg_ledger_used(l->reader.ledger);
    out->kept = 1;
    return SCADYG_OK;
}

const sg_learning sg_scadyg_learning = {.size = sizeof(learner),
                                        .open = open_learner,
                                        .learn = learn_epoch,
                                        .settle = sg_scadyg_settle,
                                        .close = close_learner,
                                        .clear_gains = 1};
