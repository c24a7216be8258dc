/* A toy kind: logistic regression on how busy a destination is. What a new kind takes. */
#include "base/memory.h"
#include "base/rng.h"
#include "models/kind.h"

#include <math.h>
#include <stdlib.h>

typedef struct toy_options {
    sg_train_options train;
} toy_options;

static const sg_option table[] = {SG_ROWS_KIND(toy_options, "toy", "link"),
                                  SG_MESSAGES_STEP_OPTIONS(toy_options, train.messages), SG_ROWS_SPLIT(toy_options),
                                  SG_ROWS_LEARNING(toy_options, "0.01", "0", "1", "3", "3")};
static const sg_option_set set = SG_OPTION_SET("toy", table, toy_options, NULL);

/* What follows the log: how often each node was a destination. The same for learning and answering. */
typedef struct toy {
    sg_view *view;
    uint64_t seen;
    float busy[];
} toy;

static float score_of(const toy *t, uint32_t dst)
{
    return t->view->model->values[0] * logf(1 + t->busy[dst]) + t->view->model->values[1];
}

static int rewind_log(void *state, scadyg_error *error)
{
    toy *t = state;
    for (size_t i = 0; i < t->view->nodes; i++) t->busy[i] = 0;
    return (void)error, t->seen = 0, SCADYG_OK;
}

static int score(void *state, const sg_question *question, scadyg_error *error)
{
    toy *t = state;
    if (question->seen < t->seen) (void)rewind_log(t, error);
    while (t->seen < question->seen) t->busy[t->view->columns->dst[t->seen++]]++;
    for (size_t i = 0; i < question->count; i++) question->score[i] = (double)score_of(t, question->dst[i]);
    return SCADYG_OK;
}

static int open_scorer(const sg_kind *kind, sg_view *view, sg_scorer *scorer, scadyg_error *error)
{
    toy *t = sg_alloc_zero(1, sizeof *t + view->nodes * sizeof *t->busy);
    if (!t) return sg_fail_memory(error, "a toy");
    t->view = view;
    *scorer = (sg_scorer){kind->shown.name, t, rewind_log, score, free, NULL};
    return SCADYG_OK;
}

static int learn(sg_training *training, void *state, int64_t epoch, sg_optimiser *optimiser, double *loss,
                 uint64_t *cases, scadyg_error *error)
{
    toy *t = *(toy **)state;
    const uint32_t *column = t->view->columns->dst;
    sg_rng rng;
    sg_rng_seed(&rng, (uint64_t)sg_train_of(training->model)->seed, (uint64_t)epoch);
    *loss = 0, *cases = training->split.train_end;
    for ((void)rewind_log(t, error); t->seen < *cases; t->busy[column[t->seen++]]++)
        for (int label = 0; label < 2; label++) {
            const uint32_t dst = label ? column[t->seen] : (uint32_t)sg_rng_below(&rng, t->view->nodes);
            const float p = 1 / (1 + expf(-score_of(t, dst))), slope = p - (float)label;
            const float gradient[2] = {slope * logf(1 + t->busy[dst]), slope};
            *loss -= log((double)(label ? p : 1 - p)) / (double)*cases;
            sg_optimiser_step(optimiser, 2, training->model->values, gradient);
        }
    return SCADYG_OK;
}

static int open_learner(sg_training *training, sg_learner *learner, scadyg_error *error)
{
    int status = sg_model_shape(training->model, 2, 0, 0, error);
    if (!status) status = open_scorer(training->model->kind, &training->view, &learner->scorer, error);
    if (status) return status;
    *(void **)learner->state = learner->scorer.context;
    training->model->values[0] = training->model->values[1] = 0;
    return SCADYG_OK;
}

static const sg_learning learning = {.size = sizeof(toy *), .open = open_learner, .learn = learn};

static const char *find_fault(const scadyg_model *model)
{
    return model->count == 2 ? NULL : "a toy has two parameters";
}

const sg_kind sg_kind_toy = {.shown = {"toy", "link", "a toy: how busy a destination is", 1},
                             .task = SG_TASK_LINK,
                             .options = &set,
                             .learning = &learning,
                             .scorer_open = open_scorer,
                             .fault = find_fault};
