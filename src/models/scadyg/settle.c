/*
 * What is settled when the parameters are chosen, on the validation part: how much of what a pair is compared with has met
 * before (the one chance that answers whatever the pair is compared with), and whether a baseline is better than the net.
 */
#include "base/memory.h"
#include "models/baselines/rules.h"
#include "models/scadyg/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = SG_OUTPUTS - SG_CHANCE_RANDOM };

/* The training's own parts, also where a protocol would cut elsewhere; what comes behind them is not there. */
static sg_evaluated_data data_of(const sg_training *training)
{
    sg_evaluated_data data = {.columns = *training->view.columns,
                              .nodes = training->view.nodes,
                              .steps = &training->view.messages->steps,
                              .split = training->split,
                              .is_cut = 1,
                              .trained = training->split.train_end};
    if (!sg_train_of(training->model)->stepwise && data.columns.count > data.split.validation_end)
        data.columns.count = data.split.validation_end;
    return data;
}

/* Nothing of the part can be asked: as good as no part. */
static int is_nothing(int status, const sg_evaluation_scores *out)
{
    return status == SCADYG_E_USAGE && out->queries == 0;
}

/* ---- The shares ---- */

/*
 * Against random pairs the best share of others is none, against pairs that have met it is many. Of the shares that keep the
 * error against random pairs, 1 - AP, within a tenth (SG_SCADYG_ALLOWED) and a thousandth of its least those are taken that make the product of the
 * errors against pairs that have met and that met lately least (docs/accuracy.md, "One answer").
 */
#define QUERIES 6000

static const double tried[] = {0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};
enum { TRIED = sizeof tried / sizeof *tried, VARIANTS = TRIED * TRIED };

/* The first scorer answers by the net, and what it said of each kind stays for the others, which are asked the same. */
typedef struct variants {
    const sg_scorer *base;
    double *parts; /* [pairs][KINDS] of the questions at hand */
    size_t room;
    sg_pair_parts *kept; /* where the base is told to put them */
} variants;

typedef struct variant {
    variants *of;
    int is_first;
    double shares[KINDS];
} variant;

static int rewind_variant(void *context, scadyg_error *error)
{
    const variant *v = context;
    return v->is_first ? v->of->base->rewind(v->of->base->context, error) : SCADYG_OK;
}

static int score_variants(void *context, const sg_question *questions, size_t count, scadyg_error *error)
{
    const variant *v = context;
    size_t pairs = 0;
    int status = SCADYG_OK;
    for (size_t i = 0; i < count; i++) pairs += questions[i].count;
    if (v->is_first) {
        if (sg_grow(&v->of->parts, &v->of->room, pairs * KINDS + 1, sizeof *v->of->parts))
            return sg_fail_memory(error, "the scores of pairs");
        *v->of->kept = (sg_pair_parts){v->of->parts, 0};
        status = v->of->base->score_many(v->of->base->context, questions, count, error);
    }
    for (size_t i = 0; i < pairs && !status; i++)
        questions[0].score[i] = sg_pair_combine(v->of->parts + i * KINDS, v->shares);
    return status;
}

static int score_variant(void *context, const sg_question *question, scadyg_error *error)
{
    return score_variants(context, question, 1, error);
}

static void close_variant(void *context)
{
    (void)context;
}

/* The errors of all variants against one kind of pairs; all 0 where there is nothing to ask. */
static int measure_errors(sg_training *training, const sg_scorer *scorers, int pool, double *errors,
                          scadyg_error *error)
{
    sg_scores *scores = sg_alloc(VARIANTS, sizeof *scores);
    sg_evaluation_scores out = {.scores = scores};
    const sg_evaluated_data data = data_of(training);
    const sg_eval_options options = {.protocol = SG_PROTOCOL_DYGLIB,
                                     .pool = pool,
                                     .part = SG_PART_VALIDATION,
                                     .queries = QUERIES,
                                     .seeds = 1,
                                     .seed = sg_train_of(training->model)->seed};
    if (!scores) return sg_fail_memory(error, "the scores of pairs");
    int status = sg_evaluate_links(training->context, &data, &options, scorers, VARIANTS, NULL, &out, error);
    const int nothing = is_nothing(status, &out);
    for (size_t i = 0; i < VARIANTS && (!status || nothing); i++)
        errors[i] = nothing ? 0 : 1 - scores[i].of[SCADYG_AP];
    free(scores);
    return nothing ? SCADYG_OK : status;
}

/* The best of the variants that are allowed. */
static size_t choose_variant(double (*errors)[VARIANTS])
{
    size_t best = 0;
    double least = INFINITY, least_random = INFINITY;
    for (size_t i = 0; i < VARIANTS; i++) least_random = fmin(least_random, errors[0][i]);
    for (size_t i = 0; i < VARIANTS; i++) {
        const double product = errors[1][i] * errors[2][i];
        if (errors[0][i] > SG_SCADYG_ALLOWED * least_random + 0.001 || product >= least) continue;
        least = product;
        best = i;
    }
    return best;
}

static int choose_shares(sg_training *training, const sg_learner *learner, scadyg_error *error)
{
    static const int pools[KINDS] = {SG_POOL_DESTINATION, SG_POOL_HISTORICAL, SG_POOL_INDUCTIVE};
    sg_pair_parts *kept = sg_scadyg_scorer_parts(&learner->scorer);
    variants all = {.base = &learner->scorer, .kept = kept};
    variant each[VARIANTS];
    sg_scorer scorers[VARIANTS];
    double errors[KINDS][VARIANTS];
    int status = SCADYG_OK;
    for (size_t i = 0; i < VARIANTS; i++) {
        each[i] = (variant){&all, i == 0, {1, tried[i / TRIED], tried[i % TRIED]}};
        scorers[i] = (sg_scorer){"", &each[i], rewind_variant, score_variant, close_variant, score_variants};
    }
    for (size_t k = 0; k < KINDS && !status; k++)
        status = measure_errors(training, scorers, pools[k], errors[k], error);
    *kept = (sg_pair_parts){0};
    free(all.parts);
    if (!status)
        memcpy(sg_scadyg_of(training->model)->compared, each[choose_variant(errors)].shares, sizeof each[0].shares);
    return status;
}

/* ---- A baseline instead ---- */

static int open_rules(sg_training *training, sg_past *past, sg_scorer *scorers, scadyg_error *error)
{
    const scadyg_model *model = training->model;
    const sg_view *view = &training->view;
    const double range = model->train_end - model->trained_on.origin;
    int status = sg_past_open(past, view->columns, view->nodes, range, error);
    for (size_t i = 0; i < SG_GENERAL_RULES && !status; i++)
        status = sg_link_rule_open(&sg_link_rules[i], view->columns, view->nodes, range, past, &scorers[i], error);
    return status;
}

/* What each would be chosen by, the mean over the evaluations of the kind's validation; in error_of[] the largest standard
 * error of the differences, at most. */
static int compare(sg_training *training, const sg_scorer *scorers, double *mean, double *error_of,
                   scadyg_error *error)
{
    const scadyg_model *model = training->model;
    const sg_evaluated_data data = data_of(training);
    int status = SCADYG_OK;
    for (size_t i = 0, count = 1; i < count && !status; i++) {
        sg_eval_options options = {.part = SG_PART_VALIDATION, .seeds = 1, .seed = sg_train_of(model)->seed};
        sg_scores scores[1 + SG_GENERAL_RULES];
        double errors[1 + SG_GENERAL_RULES][SG_SCORES];
        sg_evaluation_scores out = {.scores = scores, .score_errors = errors[0]};
        int number = SCADYG_MRR;
        count = model->kind->validation(model, i, &options, &number);
        status =
            sg_evaluate_links(training->context, &data, &options, scorers, 1 + SG_GENERAL_RULES, NULL, &out, error);
        for (size_t k = 0; k <= SG_GENERAL_RULES && !status; k++) {
            mean[k] += sg_choice_of(scores[k].of, options.protocol, number) / (double)count;
            error_of[k] = fmax(error_of[k], sg_choice_of(errors[k], options.protocol, number));
        }
        if (is_nothing(status, &out)) {
            mean[0] = NAN;
            return SCADYG_OK;
        }
    }
    return status;
}

static void say_instead(const sg_training *training, const char *name, double rule, double net)
{
    const scadyg_watch *watch = training->watch;
    char sentence[256];
    if (!watch || !watch->note) return;
    (void)snprintf(
        sentence, sizeof sentence,
        "no epoch is clearly better on the validation part than the baseline %s (%s %.4f, the net %.4f): the "
        "model answers as that baseline",
        name, sg_train_of(training->model)->stepwise ? "MRR" : "mean of MRR and both APs", rule, net);
    watch->note(watch->data, sentence);
}

static int choose_rule(sg_training *training, const sg_learner *learner, scadyg_error *error)
{
    sg_past past = {0};
    sg_scorer scorers[1 + SG_GENERAL_RULES] = {learner->scorer};
    double mean[1 + SG_GENERAL_RULES] = {0}, error_of[1 + SG_GENERAL_RULES] = {0};
    size_t best = 1;
    int status = open_rules(training, &past, scorers + 1, error);
    if (!status) status = compare(training, scorers, mean, error_of, error);
    for (size_t k = 1; k <= SG_GENERAL_RULES; k++) {
        if (scorers[k].close) scorers[k].close(scorers[k].context);
        if (mean[k] > mean[best]) best = k;
    }
    sg_past_close(&past);
    if (status || isnan(mean[0])) return status;
    const double ahead = mean[0] - mean[best];
    if (ahead < 0 || (isfinite(error_of[best]) && ahead < error_of[best])) {
        sg_scadyg_of(training->model)->rule = best;
        say_instead(training, sg_link_rules[best - 1].name, mean[best], mean[0]);
    }
    return SCADYG_OK;
}

int sg_scadyg_settle(sg_training *training, const sg_learner *learner, scadyg_error *error)
{
    sg_scadyg_own *own = sg_scadyg_of(training->model);
    if (training->chosen) { /* once more on all events: what was settled for the first training stays */
        const sg_scadyg_own *first = sg_scadyg_of(training->chosen);
        memcpy(own->compared, first->compared, sizeof own->compared);
        own->rule = first->rule;
        return SCADYG_OK;
    }
    if (!training->validates) return SCADYG_OK; /* so does that of a model it goes on from */
    int status = SCADYG_OK;
    own->rule = 0;
    if (!sg_train_of(training->model)->stepwise && sg_scadyg_binary(training->model) > 0)
        status = choose_shares(training, learner, error);
    if (!status && sg_scadyg_options_of(training->model)->fallback) status = choose_rule(training, learner, error);
    return status;
}
