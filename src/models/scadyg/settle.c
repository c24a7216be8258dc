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

/* Those that fit into the memory, the net in front of them; which[k] is the number of scorers[k] in sg_link_rules, from 1. */
typedef struct rivals {
    unsigned keeps; /* SG_KEEPS_... */
    sg_past past;
    size_t count;
    size_t which[1 + SG_GENERAL_RULES];
    sg_scorer scorers[1 + SG_GENERAL_RULES];
} rivals;

static int open_rivals(const sg_training *training, const sg_learner *learner, rivals *r, scadyg_error *error)
{
    const scadyg_model *model = training->model;
    const sg_view *view = &training->view;
    const double range = model->train_end - model->trained_on.origin;
    int status = sg_past_open(&r->past, training->context, view->columns, view->nodes, range, r->keeps, error);
    r->scorers[0] = learner->scorer;
    r->count = 1;
    for (size_t i = 0; i < SG_GENERAL_RULES && !status; i++) {
        if (sg_link_rules[i].keeps & ~r->keeps) continue;
        r->which[r->count] = i + 1;
        status = sg_link_rule_open(&sg_link_rules[i], view->columns, view->nodes, range, &r->past,
                                   &r->scorers[r->count], error);
        r->count += !status;
    }
    return status;
}

static void close_rivals(rivals *r)
{
    for (size_t k = 1; k < r->count; k++) r->scorers[k].close(r->scorers[k].context);
    sg_past_close(&r->past);
}

/* What each would be chosen by, the mean over the evaluations of the kind's validation; in error_of[] the largest standard
 * error of the differences, at most. */
static int compare(sg_training *training, const rivals *r, double *mean, double *error_of, scadyg_error *error)
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
        status = sg_evaluate_links(training->context, &data, &options, r->scorers, r->count, NULL, &out, error);
        for (size_t k = 0; k < r->count && !status; k++) {
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

static void say_left_out(const sg_training *training, unsigned keeps)
{
    const scadyg_watch *watch = training->watch;
    char sentence[384] = "not enough --memory to compare with", *end = sentence + strlen(sentence);
    if (!watch || !watch->note) return;
    for (size_t i = 0, named = 0; i < SG_GENERAL_RULES; i++)
        if (sg_link_rules[i].keeps & ~keeps)
            end += snprintf(end, sizeof sentence - (size_t)(end - sentence), "%s %s", named++ ? "," : "",
                            sg_link_rules[i].name);
    watch->note(watch->data, sentence);
}

/* What the baselines, which forget nothing, can keep beside the model; counted if that might not be all. */
static int find_room(const sg_training *training, const sg_learner *learner, unsigned *keeps, scadyg_error *error)
{
    const uint64_t memory = sg_context_memory(training->context, 4);
    const sg_beside beside = sg_scadyg_beside(&training->view, memory, training->drawn_bytes);
    const uint64_t taken =
        sg_scadyg_scorer_used(&learner->scorer) + beside.pages + beside.batches + beside.evaluations;
    const sg_columns columns = sg_training_known(training);
    sg_log_size size = sg_log_size_most(columns.count, training->view.nodes);
    *keeps = SG_KEEPS_GENERAL;
    if (taken + sg_past_bytes(&size, *keeps) <= memory) return SCADYG_OK;
    int status = sg_log_size_count(&columns, training->view.nodes, &size, error);
    if (status) return status;
    *keeps = sg_past_within(&size, *keeps, (double)memory - (double)taken);
    if (*keeps != SG_KEEPS_GENERAL) say_left_out(training, *keeps);
    return SCADYG_OK;
}

static int choose_rule(sg_training *training, const sg_learner *learner, unsigned keeps, scadyg_error *error)
{
    rivals r = {.keeps = keeps};
    double mean[1 + SG_GENERAL_RULES] = {0}, error_of[1 + SG_GENERAL_RULES] = {0};
    size_t best = 1;
    int status = open_rivals(training, learner, &r, error);
    if (!status) status = compare(training, &r, mean, error_of, error);
    close_rivals(&r);
    for (size_t k = 2; k < r.count; k++)
        if (mean[k] > mean[best]) best = k;
    if (status || isnan(mean[0])) return status;
    const double ahead = mean[0] - mean[best];
    if (ahead < 0 || (isfinite(error_of[best]) && ahead < error_of[best])) {
        sg_scadyg_of(training->model)->rule = r.which[best];
        say_instead(training, sg_link_rules[r.which[best] - 1].name, mean[best], mean[0]);
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
    unsigned keeps = 0;
    status = find_room(training, learner, &keeps, error);
    if (!status && keeps) status = choose_rule(training, learner, keeps, error);
    return status;
}
