/*
 * Learning links with the head `pair`: one epoch is a pass over the training part in time order, a chunk of events at a
 * time. The pairs of a chunk are read from the ledger, then learned from in batches.
 */
#include "tasks/pair_train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "evaluate/evaluate.h"
#include "tasks/moments.h"
#include "tasks/pair_cases.h"
#include "tasks/pair_plan.h"
#include "tasks/pair_scorer.h"
#include "tasks/split.h"
#include "tasks/training.h"

#include <stdlib.h>

#define STATISTICS 100000 /* events that the normalisation is learned from */

/* Queries that are enough to tell epochs apart, which are all asked the same ones. */
#define STEP_QUERIES 6000  /* of 101 pairs */
#define TIME_QUERIES 60000 /* of two */

typedef struct pair_task {
    scadyg_model *model;
    sg_inputs inputs;
    sg_split split;
    sg_pair_reader reader;
    sg_pair_cases cases;
    sg_scorer scorer;
    sg_pair_workspace *workspace;
    float *gradient;
    double binary;
    const scadyg_progress *progress;
} pair_task;

/* ---- An epoch ---- */

/* Cases begin .. begin+count-1 of the chunk that was read last. */
static sg_pair_rows rows_of(const pair_task *task, const sg_pair_chunk *chunk, size_t begin, size_t count)
{
    const sg_pair_net *net = &task->model->pair;
    const size_t first = begin * task->cases.group;
    return (sg_pair_rows){.nodes = task->reader.nodes,
                          .node_count = chunk->node_count,
                          .left = chunk->left + first,
                          .right = chunk->right + first,
                          .between = task->reader.between + first * (net->rates + net->rest),
                          .count = count * task->cases.group,
                          .offset = chunk->offset + first};
}

static double learn_chunk(pair_task *task, const sg_pair_chunk *chunk, sg_optimiser *optimiser)
{
    scadyg_model *model = task->model;
    const size_t batch = (size_t)model->options.batch, group = task->cases.group;
    /* Batches of nearly equal size, so that no odd one of a few cases is left. */
    const size_t batches = chunk->count / batch ? chunk->count / batch : 1;
    const size_t size = (chunk->count + batches - 1) / batches;
    double loss = 0;
    for (size_t begin = 0; begin < chunk->count; begin += size) {
        const size_t count = chunk->count - begin < size ? chunk->count - begin : size;
        const sg_pair_rows rows = rows_of(task, chunk, begin, count);
        loss += (double)count * sg_pair_gradient(task->workspace, sg_optimiser_at(optimiser, model->values), &rows,
                                                 group, chunk->own + begin * group, task->binary, task->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, task->gradient);
    }
    return loss;
}

/* The next chunk, which the workers begins to read; NULL: none. */
static int start_next(pair_task *task, int64_t epoch, const sg_pair_chunk **chunk, scadyg_error *error)
{
    *chunk = sg_pair_cases_next(&task->cases, epoch, 1);
    if (!*chunk) return SCADYG_OK;
    const sg_read_plan read_plan = sg_pair_chunk_plan(*chunk);
    return sg_pair_reader_start(&task->reader, &read_plan, error);
}

/* While a chunk is learned from, the workers reads the next one. */
static int learn(void *context, int64_t epoch, sg_optimiser *optimiser, double *loss, uint64_t *events,
                 scadyg_error *error)
{
    pair_task *task = context;
    uint64_t learned = 0;
    double sum = 0;
    const sg_pair_chunk *chunk, *next;
    sg_pair_cases_rewind(&task->cases);
    sg_pair_reader_rewind(&task->reader);
    int status = start_next(task, epoch, &chunk, error);
    for (; chunk && !status; chunk = next) {
        status = sg_pair_reader_finish(&task->reader, error);
        if (!status) status = start_next(task, epoch, &next, error);
        if (status) break;
        sum += learn_chunk(task, chunk, optimiser);
        learned += chunk->count;
        status = sg_report(task->progress, "learning", chunk->next, task->split.train_end, error);
        if (status) (void)sg_pair_reader_finish(&task->reader, NULL);
    }
    *loss = learned ? sum / (double)learned : 0;
    *events = learned;
    return status;
}

/* ---- Validation: the protocol that cuts the parts as training does, the mean over its pools ---- */

size_t sg_pair_validation(const scadyg_train_options *options, size_t pool, scadyg_eval_options *judging)
{
    static const int step_pools[] = {SCADYG_POOL_ANY, SCADYG_POOL_DESTINATION};
    static const int time_pools[] = {SCADYG_POOL_DESTINATION, SCADYG_POOL_HISTORICAL, SCADYG_POOL_INDUCTIVE};
    const int step = options->split == 0;
    *judging = (scadyg_eval_options){.protocol = step ? SCADYG_PROTOCOL_PAPER : SCADYG_PROTOCOL_DYGLIB,
                                     .pool = step ? step_pools[pool] : time_pools[pool],
                                     .part = SCADYG_PART_VALIDATION,
                                     .queries = step ? STEP_QUERIES : TIME_QUERIES,
                                     .seeds = 1,
                                     .seed = options->seed,
                                     .threads = options->threads};
    return step ? sizeof step_pools / sizeof *step_pools : sizeof time_pools / sizeof *time_pools;
}

static int validate(void *context, double *score, scadyg_error *error)
{
    pair_task *task = context;
    const scadyg_messages *messages = task->inputs.messages;
    const sg_evaluated_data trial = {.events = task->inputs.events,
                                     .columns = messages->columns,
                                     .nodes = messages->nodes,
                                     .steps = &messages->steps,
                                     .split = task->split,
                                     .threads = task->inputs.threads};
    int status = SCADYG_OK;
    *score = 0;
    for (size_t i = 0, pools = 1; i < pools && !status; i++) {
        scadyg_eval_options judging;
        scadyg_scores scores;
        sg_evaluation_scores scores_out = {.scores = &scores};
        pools = sg_pair_validation(&task->model->options, i, &judging);
        status = sg_protocol_links(&trial, &judging, &task->scorer, 1, task->progress, &scores_out, error);
        if (!status) *score += (judging.protocol == SCADYG_PROTOCOL_PAPER ? scores.mrr : scores.ap) / (double)pools;
    }
    return status;
}

/* ---- Before the first epoch ---- */

/* Adds rows of a chunk, as they are before normalisation. */
static void add_rows(const pair_task *task, const sg_pair_chunk *chunk, sg_column_stats *nodes,
                     sg_column_stats *pairs)
{
    const sg_pair_net *net = &task->model->pair;
    /* A node counts as often as it is met, though its row is there once. */
    for (size_t i = 0; i < chunk->count * task->cases.group; i++) {
        if (i % task->cases.group == 0 || chunk->left[i] != chunk->left[i - i % task->cases.group])
            sg_column_stats_add(nodes, task->reader.nodes + chunk->left[i] * net->node);
        sg_column_stats_add(nodes, task->reader.nodes + chunk->right[i] * net->node);
        sg_column_stats_add(pairs, task->reader.between + i * (net->rates + net->rest));
    }
}

/* The mean and deviation of every column, from cases spread over the training part. */
static int learn_normalisation(pair_task *task, scadyg_error *error)
{
    scadyg_model *model = task->model;
    const uint64_t every = task->split.train_end / STATISTICS + 1;
    sg_column_stats nodes = {0}, pairs = {0};
    int status = sg_column_stats_open(&nodes, model->pair.node, error);
    if (!status) status = sg_column_stats_open(&pairs, model->pair.rates + model->pair.rest, error);
    sg_pair_cases_rewind(&task->cases);
    const sg_pair_chunk *chunk;
    while (!status && (chunk = sg_pair_cases_next(&task->cases, 0, every))) {
        const sg_read_plan read_plan = sg_pair_chunk_plan(chunk);
        status = sg_report(task->progress, "preparing", task->cases.next, task->split.train_end, error);
        if (!status) status = sg_pair_reader_run_raw(&task->reader, &read_plan, error);
        if (!status) add_rows(task, chunk, &nodes, &pairs);
    }
    if (!status) {
        sg_column_stats_settle(&nodes, model->mean, model->scale);
        sg_column_stats_settle(&pairs, model->mean + model->pair.node, model->scale + model->pair.node);
    }
    sg_column_stats_close(&nodes);
    sg_column_stats_close(&pairs);
    return status;
}

/* Reads and learns from the next chunk for the measure only; nothing of it stays. *learned 0: there is none. */
static int try_chunk(pair_task *task, size_t *learned, scadyg_error *error)
{
    const size_t batch = (size_t)task->model->options.batch, group = task->cases.group;
    const sg_pair_chunk *chunk;
    int status = SCADYG_OK;
    *learned = 0;
    while (!status && !*learned && (chunk = sg_pair_cases_next(&task->cases, 0, 1))) {
        const sg_read_plan read_plan = sg_pair_chunk_plan(chunk);
        status = sg_pair_reader_run(&task->reader, &read_plan, error);
        for (size_t begin = 0; !status && begin < chunk->count; begin += batch) {
            const size_t left = chunk->count - begin, count = left < batch ? left : batch;
            const sg_pair_rows rows = rows_of(task, chunk, begin, count);
            (void)sg_pair_gradient(task->workspace, task->model->values, &rows, group, chunk->own + begin * group,
                                   task->binary, task->gradient);
            *learned += count;
        }
    }
    return status;
}

/* The first chunk warms up: it touches all memory for the first time. */
static int measure(pair_task *task, double *events_per_second, scadyg_error *error)
{
    int status = SCADYG_OK;
    *events_per_second = 1;
    for (int round = 0; round < 3 && !status; round++) {
        size_t learned;
        const double began = sg_seconds();
        status = try_chunk(task, &learned, error);
        if (learned) *events_per_second = (double)learned / (sg_seconds() - began);
    }
    return status;
}

static int tell_plan(pair_task *task, const scadyg_watch *watch, uint64_t memory, scadyg_error *error)
{
    const scadyg_model *model = task->model;
    sg_ledger_options ledger;
    scadyg_plan plan = {.memory = memory};
    if (!watch || !watch->plan) return SCADYG_OK;
    int status = sg_model_ledger(model, &ledger, error);
    if (!status) status = measure(task, &plan.events_per_second, error);
    if (status) return status;
    plan.node_bytes = sg_ledger_bytes(&ledger, task->inputs.nodes);
    plan.pair_bytes = model->plan.pair_bytes;
    plan.pairs = sg_ledger_pairs(&ledger);
    plan.walk_width = (size_t)model->plan.width;
    plan.inputs = 2 * model->pair.node + model->pair.rates + model->pair.rest;
    plan.slowest = model->plan.rates.rate[0];
    plan.fastest = model->plan.rates.rate[SG_RATES - 1];
    plan.events = task->split.train_end;
    plan.negatives = model->options.negatives;
    plan.epochs = model->options.epochs;
    watch->plan(watch->context, &plan);
    return SCADYG_OK;
}

static int set_split(pair_task *task, scadyg_error *error)
{
    const scadyg_messages *messages = task->inputs.messages;
    int status = sg_model_split(task->model, messages, &task->split, error);
    if (status) return status;
    task->model->train_end = messages->columns.time[task->split.train_end - 1];
    task->model->validation_end = messages->columns.time[task->split.validation_end - 1];
    return SCADYG_OK;
}

static int open_task(pair_task *task, scadyg_events *events, const scadyg_watch *watch, scadyg_error *error)
{
    scadyg_model *model = task->model;
    const scadyg_train_options *options = &model->options;
    const double began = sg_seconds();
    const int threads = sg_threads(options->threads);
    const uint64_t memory = options->memory ? options->memory : sg_physical_memory() / 4;
    const size_t cases = 2 * (size_t)options->batch < SG_CHUNK ? 2 * (size_t)options->batch : SG_CHUNK;
    task->binary = sg_model_binary(model);
    int status = sg_inputs_open(model, events, threads, &task->inputs, error);
    if (!status) status = set_split(task, error);
    if (!status) status = sg_pair_plan(model, &task->inputs, task->split.train_end, memory, error);
    if (!status) status = sg_model_shape_pair(model, error);
    if (!status) status = sg_pair_reader_open(&task->reader, &task->inputs, error);
    if (!status) status = sg_pair_cases_open(&task->cases, &task->inputs, task->split.train_end, error);
    if (!status)
        status = sg_pair_workspace_open(&model->pair, cases * task->cases.group, task->inputs.workers,
                                        &task->workspace, error);
    if (status) return status;
    task->gradient = sg_alloc_aligned(model->count, sizeof *task->gradient);
    if (!task->gradient) return sg_fail_memory(error, "the training");
    sg_pair_net_init(&model->pair, (uint64_t)options->seed, model->values);
    status = tell_plan(task, watch, memory, error);
    if (!status) status = learn_normalisation(task, error);
    if (!status) status = sg_pair_scorer_share(&task->inputs, &task->reader, &task->scorer, error);
    if (status) return status;
    if (watch && watch->prepared)
        watch->prepared(watch->context, sg_seconds() - began, model->width, sg_ledger_used(task->reader.ledger), 1);
    return SCADYG_OK;
}

static void close_task(pair_task *task)
{
    if (task->scorer.close) task->scorer.close(task->scorer.context);
    sg_pair_cases_close(&task->cases);
    sg_pair_reader_close(&task->reader);
    sg_inputs_close(&task->inputs);
    sg_pair_workspace_close(task->workspace);
    free(task->gradient);
}

int sg_pair_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                  const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error)
{
    pair_task task = {.model = model, .progress = progress};
    const char *score = model->options.split == 0 ? "MRR" : "AP";
    const sg_learner learner = {&task, score, learn, validate, 0};
    int status = open_task(&task, events, watch, error);
    if (!status) status = sg_training_run(model, &learner, checkpoint, resume, watch, progress, error);
    close_task(&task);
    return status;
}
