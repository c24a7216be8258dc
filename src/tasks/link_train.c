/*
 * Learning links: one epoch is a pass over the steps of the training part in time order; the cases of a step come in
 * random order, in batches. Batches follow each other, and one of a narrow net takes microseconds, so threads serve only
 * wide nets, inside a batch.
 */
#include "tasks/link_train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "evaluate/evaluate.h"
#include "tasks/link_cases.h"
#include "tasks/link_scorer.h"
#include "tasks/pair_train.h"
#include "tasks/pool.h"
#include "tasks/split.h"
#include "tasks/training.h"

#include <math.h>
#include <stdlib.h>

typedef struct link_task {
    scadyg_model *model;
    sg_inputs inputs;
    sg_past_reader past;
    sg_split split;
    sg_train_pool pool;
    sg_scorer scorer;
    sg_workspace *workspace;
    float *gradient;
    const scadyg_progress *progress;
    scadyg_eval_options judging;

    sg_link_cases cases;
    double loss; /* sum over cases */
    uint64_t learned;
} link_task;

/* The events of a step that are trained on. Nothing is known before step 0, so it teaches nothing. */
static int step_events(const link_task *task, int64_t step, uint64_t *first, uint64_t *end)
{
    const sg_steps *steps = &task->inputs.messages->steps;
    *first = steps->first[step];
    *end = steps->first[step + 1] < task->split.train_end ? steps->first[step + 1] : task->split.train_end;
    return step > 0 && *first < *end;
}

static void learn_cases(link_task *task, sg_optimiser *optimiser)
{
    scadyg_model *model = task->model;
    const sg_link_cases *cases = &task->cases;
    const size_t batch = (size_t)model->options.batch;
    /* Batches of nearly equal size, so that no odd one of a few cases is left. */
    const size_t batches = cases->count / batch ? cases->count / batch : 1;
    const size_t size = (cases->count + batches - 1) / batches;
    for (size_t begin = 0; begin < cases->count; begin += size) {
        const size_t count = cases->count - begin < size ? cases->count - begin : size;
        task->loss +=
            (double)count * sg_link_gradient(task->workspace, model->values, cases->rows, cases->left + begin,
                                             cases->right + begin, cases->label + begin, count, task->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, task->gradient);
    }
    task->learned += cases->count / 2;
}

static int learn(void *context, int64_t epoch, sg_optimiser *optimiser, double *loss, uint64_t *events,
                 scadyg_error *error)
{
    link_task *task = context;
    const uint64_t seed = (uint64_t)task->model->options.seed;
    int status = SCADYG_OK;
    task->loss = 0;
    task->learned = 0;
    sg_past_reader_rewind(&task->past);
    for (int64_t step = 1; step < task->inputs.messages->steps.count && !status; step++) {
        uint64_t first, end;
        if (!step_events(task, step, &first, &end)) continue;
        status = sg_report(task->progress, "learning", task->learned, task->split.train_end, error);
        if (!status)
            status =
                sg_link_cases_make(&task->cases, &task->past, &task->pool, step, first, end, seed, epoch, error);
        if (!status) learn_cases(task, optimiser);
    }
    *loss = task->learned ? task->loss / (2 * (double)task->learned) : 0;
    *events = task->learned;
    return status;
}

static int validate(void *context, double *score, scadyg_error *error)
{
    link_task *task = context;
    const scadyg_messages *messages = task->inputs.messages;
    const sg_evaluated_data trial = {.events = task->inputs.events,
                                     .columns = messages->columns,
                                     .nodes = messages->nodes,
                                     .steps = &messages->steps,
                                     .split = task->split,
                                     .threads = task->inputs.threads};
    scadyg_scores scores;
    sg_evaluation_scores scores_out = {.scores = &scores};
    int status = sg_protocol_links(&trial, &task->judging, &task->scorer, 1, task->progress, &scores_out, error);
    if (!status) *score = task->model->options.select ? scores.ap : scores.mrr;
    return status;
}

static int set_split(link_task *task, scadyg_error *error)
{
    const scadyg_messages *messages = task->inputs.messages;
    const double *time = messages->columns.time;
    int status = sg_model_split(task->model, messages, &task->split, error);
    if (status) return status;
    task->model->train_end = time[task->split.train_end - 1];
    task->model->validation_end = time[task->split.validation_end - 1];
    return SCADYG_OK;
}

static int open_task(link_task *task, scadyg_events *events, const scadyg_watch *watch, scadyg_error *error)
{
    scadyg_model *model = task->model;
    const scadyg_train_options *options = &model->options;
    const double began = sg_seconds();
    const int threads = sg_threads(options->threads);
    uint64_t memory = options->memory ? options->memory : sg_physical_memory() / 4;
    /* With event freshness every event has its own messages; only the stream makes them. */
    if (options->freshness == SCADYG_FRESHNESS_EVENT) memory = 0;
    int status = sg_inputs_open(model, events, threads, &task->inputs, error);
    if (!status) status = set_split(task, error);
    if (!status) status = sg_model_shape(model, task->inputs.width, 1, error);
    if (!status) status = sg_inputs_prepare(&task->inputs, model, &task->split, memory, task->progress, error);
    if (!status) status = sg_past_reader_open(&task->past, &task->inputs, error);
    if (!status)
        status = sg_train_pool_make(&task->pool, &task->inputs.messages->columns, task->inputs.nodes,
                                    &task->inputs.messages->steps, options->train_pool, error);
    if (!status) status = sg_link_scorer_open(&task->inputs, &task->scorer, error);
    if (!status)
        status = sg_workspace_open(&model->net, 2 * (size_t)options->batch, threads, &task->workspace, error);
    if (status) return status;
    task->gradient = sg_alloc_aligned(model->count, sizeof *task->gradient);
    if (!task->gradient) return sg_fail_memory(error, "the gradient");
    sg_net_init(&model->net, (uint64_t)options->seed, model->values);
    task->judging = (scadyg_eval_options){.protocol = SCADYG_PROTOCOL_PAPER,
                                          .part = SCADYG_PART_VALIDATION,
                                          .seeds = 1,
                                          .seed = options->seed,
                                          .threads = threads};
    if (watch && watch->prepared)
        watch->prepared(watch->context, sg_seconds() - began, task->inputs.width, task->inputs.bytes,
                        task->inputs.kept != NULL);
    return SCADYG_OK;
}

static void close_task(link_task *task)
{
    if (task->scorer.close) task->scorer.close(task->scorer.context);
    sg_link_cases_free(&task->cases);
    sg_past_reader_close(&task->past);
    sg_inputs_close(&task->inputs);
    sg_workspace_close(task->workspace);
    sg_train_pool_free(&task->pool);
    free(task->gradient);
}

int sg_link_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                  const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error)
{
    if (sg_model_reads_pairs(model))
        return sg_pair_train(model, events, checkpoint, resume, watch, progress, error);
    link_task task = {.model = model, .progress = progress};
    const sg_learner learner = {&task, model->options.select ? "AP" : "MRR", learn, validate, 0};
    int status = open_task(&task, events, watch, error);
    if (!status) status = sg_training_run(model, &learner, checkpoint, resume, watch, progress, error);
    close_task(&task);
    return status;
}
