/*
 * Learning affinities: an epoch is a pass over the labels of the training part in random order, in batches. Given
 * the messages, which are made once, labels do not depend on each other, so they need not come in the order of time.
 */
#include "tasks/affinity_train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "evaluate/evaluate.h"
#include "messages/pairs/label_figures.h"
#include "tasks/affinity_scorer.h"
#include "tasks/mix_train.h"
#include "tasks/task_labels.h"
#include "tasks/training.h"

#include <math.h>
#include <stdlib.h>

#define SHUFFLE ((uint64_t)0xAFF1 << 48) /* streams of random numbers: with the epoch in the low bits */
#define REPORT_EVERY 64                  /* batches */

typedef struct affinity_task {
    scadyg_model *model;
    scadyg_events *events;
    sg_columns columns;
    int threads;
    sg_labels labels;
    sg_label_split split;
    sg_affinity_rows rows;
    sg_label_scorer scorer;
    sg_label_state state; /* of a mix net */
    sg_workspace *workspace;
    const scadyg_progress *progress;

    size_t train;       /* rows to learn from */
    uint32_t *order;    /* [train] */
    size_t *first;      /* [batch + 1]: the labels of a batch, one after the other */
    uint32_t *class_of; /* [room] */
    float *weight;      /* [room] */
    size_t room;
    float *gradient;
} affinity_task;

/* ---- An epoch ---- */

static void shuffle(affinity_task *task, int64_t epoch)
{
    sg_rng rng;
    sg_rng_seed(&rng, (uint64_t)task->model->options.seed, SHUFFLE | (uint64_t)epoch);
    for (size_t i = 0; i < task->train; i++) task->order[i] = (uint32_t)i;
    for (size_t i = task->train; i > 1; i--) {
        const size_t j = (size_t)sg_rng_below(&rng, i);
        const uint32_t other = task->order[i - 1];
        task->order[i - 1] = task->order[j];
        task->order[j] = other;
    }
}

static int gather(affinity_task *task, const uint32_t *row, size_t count, scadyg_error *error)
{
    const sg_labels *labels = &task->labels;
    size_t entries = 0;
    for (size_t k = 0; k < count; k++) entries += labels->first[row[k] + 1] - labels->first[row[k]];
    size_t of_classes = task->room, of_weights = task->room;
    if (sg_grow(&task->class_of, &of_classes, entries, sizeof *task->class_of) ||
        sg_grow(&task->weight, &of_weights, entries, sizeof *task->weight))
        return sg_fail_memory(error, "the labels of a batch");
    task->room = of_weights;
    size_t at = 0;
    for (size_t k = 0; k < count; k++) {
        task->first[k] = at;
        for (size_t e = labels->first[row[k]]; e < labels->first[row[k] + 1]; e++, at++) {
            task->class_of[at] = labels->class_of[e];
            task->weight[at] = labels->weight[e];
        }
    }
    task->first[count] = at;
    return SCADYG_OK;
}

static int learn(void *context, int64_t epoch, sg_optimiser *optimiser, double *loss, uint64_t *cases,
                 scadyg_error *error)
{
    affinity_task *task = context;
    scadyg_model *model = task->model;
    const size_t batch = (size_t)model->options.batch;
    int status = SCADYG_OK;
    double sum = 0;
    shuffle(task, epoch);
    for (size_t begin = 0, batches = 0; begin < task->train && !status; begin += batch, batches++) {
        const size_t count = task->train - begin < batch ? task->train - begin : batch;
        const uint32_t *row = task->order + begin;
        if (batches % REPORT_EVERY == 0) status = sg_report(task->progress, "learning", begin, task->train, error);
        if (!status) status = gather(task, row, count, error);
        if (status) break;
        sum +=
            (double)count * sg_affinity_gradient(task->workspace, model->values, task->rows.messages, row,
                                                 task->first, task->class_of, task->weight, count, task->gradient);
        sg_optimiser_step(optimiser, model->count, model->values, task->gradient);
    }
    *loss = sum / (double)task->train;
    *cases = task->train; /* so "events" per second are labels here: one node at one label time each */
    return status;
}

static int validate(void *context, double *score, scadyg_error *error)
{
    affinity_task *task = context;
    const scadyg_eval_options judging = {.protocol = SCADYG_PROTOCOL_TGB_NODE,
                                         .part = SCADYG_PART_VALIDATION,
                                         .seeds = 1,
                                         .seed = task->model->options.seed,
                                         .threads = task->threads};
    const sg_evaluated_data trial = {.events = task->events,
                                     .columns = task->columns,
                                     .nodes = task->events->shape.nodes,
                                     .labels = &task->labels,
                                     .threads = task->threads};
    scadyg_scores scores;
    sg_evaluation_scores scores_out = {.scores = &scores};
    int status = sg_protocol_labels(&trial, &judging, &task->scorer, 1, task->progress, &scores_out, error);
    if (!status) *score = scores.ndcg10;
    return status;
}

/* ---- Before the first epoch ---- */

static int cut_parts(affinity_task *task, scadyg_error *error)
{
    const sg_labels *labels = &task->labels;
    task->split = sg_task_label_split(labels, &task->columns);
    const int no_training = task->split.train == 0;
    if (no_training || task->split.validation == task->split.train)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "there are no labels in the %s part: of the event times, 70 %% are for training and 15 %% for "
            "validation; %zu label times in all",
            no_training ? "training" : "validation", labels->groups);
    task->train = labels->first_row[task->split.train];
    if (task->train > UINT32_MAX)
        return sg_fail(error, SCADYG_E_USAGE, "more than 4,294,967,295 labels to learn from");
    task->model->train_end = labels->time[task->split.train - 1];
    task->model->validation_end = labels->time[task->split.validation - 1];
    return SCADYG_OK;
}

/* The labels, their parts and their messages. The plan is needed only for that. */
static int prepare(affinity_task *task, scadyg_error *error)
{
    scadyg_model *model = task->model;
    sg_inputs inputs;
    int status = sg_inputs_open(model, task->events, task->threads, &inputs, error);
    if (status) return status;
    task->columns = inputs.messages->columns;
    status = sg_task_labels(model, task->events, &inputs.messages->steps, NULL, &task->labels, error);
    if (!status) status = cut_parts(task, error);
    if (!status) status = sg_model_set_classes(model, task->labels.names, task->labels.classes, error);
    /* A rule needs no more than the classes and the parts. */
    const int learns = model->options.model == SCADYG_MODEL_SCADYG;
    if (!status && learns) status = sg_model_shape(model, inputs.width, task->labels.classes, error);
    if (!status && learns)
        status = sg_affinity_rows_make(&task->rows, model, &inputs, &task->labels, task->split.train,
                                       task->split.validation, task->progress, error);
    sg_inputs_close(&inputs);
    return status;
}

static int open_task(affinity_task *task, scadyg_error *error)
{
    scadyg_model *model = task->model;
    const size_t batch = (size_t)model->options.batch;
    int status = sg_affinity_rows_scorer_open(model, &task->rows, NULL, task->threads, &task->scorer, error);
    if (!status) status = sg_workspace_open(&model->net, batch, task->threads, &task->workspace, error);
    if (status) return status;
    task->order = sg_alloc(task->train, sizeof *task->order);
    task->first = sg_alloc(batch + 1, sizeof *task->first);
    task->gradient = sg_alloc_aligned(model->count, sizeof *task->gradient);
    if (!task->order || !task->first || !task->gradient) return sg_fail_memory(error, "the training");
    sg_net_init(&model->net, (uint64_t)model->options.seed, model->values);
    return SCADYG_OK;
}

/* ---- A mix net ---- */

static int learn_mix(void *context, int64_t epoch, sg_optimiser *optimiser, double *loss, uint64_t *cases,
                     scadyg_error *error)
{
    affinity_task *task = context;
    *cases = task->train;
    return sg_mix_learn(&(sg_mix_course){task->model, &task->labels, &task->split, &task->rows, &task->state,
                                         task->order, task->gradient, task->progress},
                        epoch, optimiser, loss, error);
}

/* It begins with the moving average, or the mean of two next to each other, that does best on the validation part. */
static int choose_start(affinity_task *task, scadyg_error *error)
{
    static const double others[] = {0.003, 0.01};
    scadyg_model *model = task->model;
    const uint64_t seed = (uint64_t)model->options.seed;
    sg_mix_start best = {0, 0, others[0]};
    double most = -INFINITY;
    int status = SCADYG_OK;
    for (size_t i = 0; i < 2 * model->mix.rates - 1 && !status; i++)
        for (size_t j = 0; j < sizeof others / sizeof *others && !status; j++) {
            const sg_mix_start start = {i / 2, (i + 1) / 2, others[j]};
            double score = 0;
            sg_mix_net_init(&model->mix, seed, &start, model->values);
            status = validate(task, &score, error);
            if (score > most) best = start;
            most = fmax(most, score);
        }
    sg_mix_net_init(&model->mix, seed, &best, model->values);
    return status;
}

static int open_mix(affinity_task *task, scadyg_error *error)
{
    scadyg_model *model = task->model;
    int status = sg_label_gap(&task->labels, task->split.train, &model->label_gap, error);
    if (!status)
        status =
            sg_label_noise(&task->labels, task->split.train, task->events->shape.nodes, &model->label_noise, error);
    if (status) return status;
    model->label_span = task->labels.time[task->split.train - 1] - task->labels.time[0];
    status = sg_label_state_open(&task->state, model, task->events, &task->labels, task->threads, error);
    if (!status)
        status =
            sg_affinity_rows_scorer_open(model, &task->rows, &task->state, task->threads, &task->scorer, error);
    if (status) return status;
    task->order = sg_alloc(task->train, sizeof *task->order);
    task->gradient = sg_alloc_aligned(model->count, sizeof *task->gradient);
    if (!task->order || !task->gradient) return sg_fail_memory(error, "the training");
    return choose_start(task, error);
}

static void close_task(affinity_task *task)
{
    if (task->scorer.close) task->scorer.close(task->scorer.context);
    sg_affinity_rows_free(&task->rows);
    sg_label_state_close(&task->state);
    sg_labels_free(&task->labels);
    sg_workspace_close(task->workspace);
    free(task->order);
    free(task->first);
    free(task->class_of);
    free(task->weight);
    free(task->gradient);
}

int sg_affinity_train(scadyg_model *model, scadyg_events *events, const char *checkpoint, int resume,
                      const scadyg_watch *watch, const scadyg_progress *progress, scadyg_error *error)
{
    affinity_task task = {
        .model = model, .events = events, .threads = sg_threads(model->options.threads), .progress = progress};
    const int mixes = sg_options_mix(&model->options);
    const sg_learner learner = {&task, "NDCG@10", mixes ? learn_mix : learn, validate, mixes};
    const double began = sg_seconds();
    int status = prepare(&task, error);
    if (status || model->options.model != SCADYG_MODEL_SCADYG) {
        close_task(&task);
        return status;
    }
    status = mixes ? open_mix(&task, error) : open_task(&task, error);
    if (!status && watch && watch->prepared)
        watch->prepared(watch->context, sg_seconds() - began, task.rows.width,
                        (uint64_t)task.rows.count * task.rows.width * sizeof *task.rows.messages, 1);
    if (!status) status = sg_training_run(model, &learner, checkpoint, resume, watch, progress, error);
    close_task(&task);
    return status;
}
