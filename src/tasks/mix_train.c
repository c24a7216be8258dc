/* Learning by a mix net: one epoch. */
#include "tasks/mix_train.h"

#include "base/rng.h"

#define SHUFFLE ((uint64_t)0xAFF2 << 48) /* streams of random numbers: with epoch and label time below */

static void shuffle(const sg_mix_course *read_plan, int64_t epoch, size_t begin, size_t end)
{
    sg_rng rng;
    sg_rng_seed(&rng, (uint64_t)read_plan->model->options.seed, SHUFFLE ^ (uint64_t)epoch << 32 ^ begin);
    for (size_t i = begin; i < end; i++) read_plan->order[i] = (uint32_t)i;
    for (size_t i = end - begin; i > 1; i--) {
        const size_t j = begin + (size_t)sg_rng_below(&rng, i);
        const uint32_t other = read_plan->order[begin + i - 1];
        read_plan->order[begin + i - 1] = read_plan->order[j];
        read_plan->order[j] = other;
    }
}

/* Weight decay is for the head alone: a mixture has nothing to gain from being near to even. */
static void spare_mixture(const sg_mix_course *read_plan, const float *values, double decay)
{
    for (size_t i = 0; i < read_plan->model->mix.v; i++) read_plan->gradient[i] -= (float)decay * values[i];
}

/* Small steps: the start is good, and the labels of a time are alike. */
#define NODES_MOST 32

/* One label time. */
static int learn_group(const sg_mix_course *read_plan, int64_t epoch, size_t group, sg_optimiser *optimiser,
                       double *sum, scadyg_error *error)
{
    scadyg_model *model = read_plan->model;
    const size_t begin = read_plan->labels->first_row[group], end = read_plan->labels->first_row[group + 1];
    const size_t batch = model->options.batch < NODES_MOST ? (size_t)model->options.batch : NODES_MOST;
    int status = SCADYG_OK;
    shuffle(read_plan, epoch, begin, end);
    for (size_t at = begin; at < end && !status; at += batch) {
        const size_t count = end - at < batch ? end - at : batch;
        const float *values = sg_optimiser_at(optimiser, model->values);
        double loss = 0;
        status = sg_label_state_gradient(read_plan->state, values, read_plan->order + at, read_plan->rows->messages,
                                         count, &loss, read_plan->gradient, error);
        if (status) break;
        spare_mixture(read_plan, values, optimiser->adam.weight_decay);
        sg_optimiser_step(optimiser, model->count, model->values, read_plan->gradient);
        *sum += loss * (double)count;
    }
    return status;
}

int sg_mix_learn(const sg_mix_course *read_plan, int64_t epoch, sg_optimiser *optimiser, double *loss,
                 scadyg_error *error)
{
    const size_t train = read_plan->split->train;
    double sum = 0;
    int status = SCADYG_OK;
    sg_label_state_clear(read_plan->state);
    for (size_t group = 0; group < train && !status; group++) {
        status = sg_report(read_plan->progress, "learning", group, train, error);
        /* Before the first labels there is nothing to tell classes apart by. */
        if (!status && group > 0) status = learn_group(read_plan, epoch, group, optimiser, &sum, error);
        if (!status) status = sg_label_state_add(read_plan->state, group, error);
    }
    *loss = sum / (double)read_plan->labels->first_row[train];
    return status;
}
