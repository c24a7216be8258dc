/*
 * What is settled when the parameters are chosen, on the validation part: how much of what a pair is compared with has met
 * before (shares.c), and whether a baseline is better than the net.
 */
#include "base/memory.h"
#include "models/baselines/rules.h"
#include "models/scadyg/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The training's own parts, also where a protocol would cut elsewhere; what comes behind them is not there. */
static sg_evaluated_data data_of(const sg_training *training)
{
    return (sg_evaluated_data){.columns = sg_training_known(training),
                               .nodes = training->view.nodes,
                               .steps = &training->view.messages->steps,
                               .split = {training->split.train_end, sg_training_compared_end(training)},
                               .is_cut = 1,
                               .trained = training->split.train_end,
                               .contacts = training->contacts};
}

/* Nothing of the part can be asked: as good as no part. */
static int is_nothing(int status, const sg_evaluation_scores *out)
{
    return status == SCADYG_E_USAGE && out->queries == 0;
}

/* ---- A baseline instead ---- */

static int open_rules(sg_training *training, sg_past *past, sg_scorer *scorers, scadyg_error *error)
{
    const scadyg_model *model = training->model;
    const sg_view *view = &training->view;
    const double range = model->train_end - model->trained_on.origin;
    int status = sg_past_open(past, training->context, view->columns, view->nodes, range, SG_KEEPS_GENERAL, error);
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

/* Whether the baselines, which forget nothing, fit beside the model; counted if they might not. */
static int find_room(const sg_training *training, const sg_learner *learner, int *fit, scadyg_error *error)
{
    const uint64_t memory = sg_context_memory(training->context, 4);
    const sg_beside beside = sg_scadyg_beside(&training->view, memory, training->drawn_bytes);
    const uint64_t taken =
        sg_scadyg_scorer_used(&learner->scorer) + beside.pages + beside.batches + beside.evaluations;
    const sg_columns columns = sg_training_known(training);
    sg_log_size size = sg_log_size_most(columns.count, training->view.nodes);
    const scadyg_watch *watch = training->watch;
    char sentence[256];
    *fit = taken + sg_link_rules_bytes(&size, 0) <= memory;
    if (*fit) return SCADYG_OK;
    int status = sg_log_size_count(&columns, training->view.nodes, &size, error);
    const uint64_t bytes = sg_link_rules_bytes(&size, 0);
    *fit = !status && taken + bytes <= memory;
    if (status || *fit || !watch || !watch->note) return status;
    (void)snprintf(
        sentence, sizeof sentence,
        "not compared with the baselines, which would take about %.0f MiB beside the model's %.0f; a larger "
        "--memory, or eval with one, does that",
        (double)bytes * 0x1p-20, (double)taken * 0x1p-20);
    watch->note(watch->data, sentence);
    return SCADYG_OK;
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
        status = sg_scadyg_choose_shares(training, learner, own->compared, error);
    if (status || !sg_scadyg_options_of(training->model)->fallback) return status;
    int fit = 0;
    status = find_room(training, learner, &fit, error);
    if (!status && fit) status = choose_rule(training, learner, error);
    return status;
}
