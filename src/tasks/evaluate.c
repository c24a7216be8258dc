/* Evaluation: a model and the heuristics, judged by one protocol on one file. */
#include "evaluate/evaluate.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "evaluate/contacts.h"
#include "tasks/affinity_scorer.h"
#include "tasks/link_scorer.h"
#include "tasks/split.h"
#include "tasks/task_labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SEEDS 1000

static const char *const protocol_names[] = {"paper", "tgb-link", "dyglib", "tgb-node"};
static const char *const part_names[] = {"test", "validation"};
static const char *const reveal_names[] = {"event", "batch"};

typedef struct judging {
    const scadyg_model *model;
    const scadyg_eval_options *options;
    sg_inputs inputs;
    sg_evaluated_data trial;
    sg_labels labels;
    sg_contacts contacts; /* the heuristics share them */
    sg_scorer scorers[SCADYG_JUDGED_MOST];
    sg_label_scorer label_scorers[SCADYG_JUDGED_MOST];
    size_t count;
    sg_evaluation_scores scores_out;
    double seconds[SCADYG_JUDGED_MOST];
} judging;

static int check_reveal(const scadyg_eval_options *options, scadyg_error *error)
{
    if (options->reveal == SCADYG_REVEAL_EVENT) return SCADYG_OK;
    if (options->reveal != SCADYG_REVEAL_BATCH)
        return sg_fail(error, SCADYG_E_USAGE, "there is no rule %d of revealing", options->reveal);
    if (options->protocol == SCADYG_PROTOCOL_PAPER)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "--reveal batch is for the protocols tgb-link and dyglib; paper reveals events a step at a time");
    if (options->protocol == SCADYG_PROTOCOL_TGB_NODE)
        return sg_fail(
            error, SCADYG_E_USAGE,
            "--reveal batch is for the protocols tgb-link and dyglib; tgb-node has label times, not batches");
    return SCADYG_OK;
}

static int check(const scadyg_model *model, const scadyg_eval_options *options, scadyg_error *error)
{
    if (options->protocol < SCADYG_PROTOCOL_PAPER || options->protocol > SCADYG_PROTOCOL_TGB_NODE)
        return sg_fail(error, SCADYG_E_USAGE, "there is no protocol %d", options->protocol);
    if (options->part != SCADYG_PART_TEST && options->part != SCADYG_PART_VALIDATION)
        return sg_fail(error, SCADYG_E_USAGE, "there is no part %d", options->part);
    if (options->seeds < 1 || options->seeds > MOST_SEEDS)
        return sg_fail(error, SCADYG_E_USAGE, "--seeds must be between 1 and %d", MOST_SEEDS);
    const int nodes = options->protocol == SCADYG_PROTOCOL_TGB_NODE, affinity = model->options.task;
    if (nodes && options->queries)
        return sg_fail(error, SCADYG_E_USAGE, "--queries is for links; tgb-node judges all label times");
    if (nodes == affinity) return check_reveal(options, error);
    if (affinity)
        return sg_fail(error, SCADYG_E_USAGE,
                       "the protocol %s judges link models; this is an affinity model: use tgb-node",
                       protocol_names[options->protocol]);
    return sg_fail(
        error, SCADYG_E_USAGE,
        "the protocol tgb-node judges affinity models; this is a link model: use paper, tgb-link or dyglib");
}

/* ---- Who is judged: the model first ---- */

static int add_links(judging *j, scadyg_error *error)
{
    const scadyg_model *model = j->model;
    int status = SCADYG_OK;
    if (sg_contacts_open(&j->contacts, &j->trial.columns)) return sg_fail_memory(error, "the pairs that have met");
    if (model->options.model == SCADYG_MODEL_SCADYG) {
        status = sg_link_scorer_open(&j->inputs, &j->scorers[0], error);
        j->count = !status;
    }
    for (size_t i = 0; i < SG_LINK_HEURISTICS && !status; i++) {
        /* A rule that is the model comes first and once. */
        const int kind = sg_link_heuristics[i], own = kind == model->options.model;
        if (!own && !j->options->heuristics) continue;
        sg_scorer scorer;
        status =
            sg_heuristic_open_shared(kind, &j->trial.columns, j->trial.nodes,
                                     model->train_end - model->trained_on.origin, &j->contacts, &scorer, error);
        if (status) break;
        if (own) memmove(j->scorers + 1, j->scorers, j->count * sizeof scorer);
        j->scorers[own ? 0 : j->count] = scorer;
        j->count++;
    }
    return status;
}

static int add_labels(judging *j, scadyg_error *error)
{
    const scadyg_model *model = j->model;
    int status = sg_task_labels(model, j->trial.events, j->trial.steps, j->options->labels, &j->labels, error);
    if (status) return status;
    j->trial.labels = &j->labels;
    if (model->options.model == SCADYG_MODEL_SCADYG) {
        status = sg_affinity_scorer_open(&j->inputs, &j->labels, &j->label_scorers[0], error);
        j->count = !status;
    }
    for (int kind = SCADYG_MODEL_PERSISTENCE; kind <= SCADYG_MODEL_MOVING_AVERAGE && !status; kind++) {
        const int own = kind == model->options.model;
        if (!own && !j->options->heuristics) continue;
        sg_label_scorer scorer;
        status = sg_label_heuristic_open(kind, &j->labels, j->trial.nodes, &scorer, error);
        if (status) break;
        if (own) memmove(j->label_scorers + 1, j->label_scorers, j->count * sizeof scorer);
        j->label_scorers[own ? 0 : j->count] = scorer;
        j->count++;
    }
    return status;
}

static int open_judging(judging *j, scadyg_events *events, scadyg_error *error)
{
    const int threads = sg_threads(j->options->threads);
    int status = sg_inputs_open(j->model, events, threads, &j->inputs, error);
    if (!status && j->model->net.count && j->inputs.width != j->model->net.width)
        status = sg_fail(error, SCADYG_E_USAGE, "the model takes messages of %zu numbers; these have %zu",
                         j->model->net.width, j->inputs.width);
    if (status) return status;
    const scadyg_messages *messages = j->inputs.messages;
    j->trial = (sg_evaluated_data){.events = events,
                                   .columns = messages->columns,
                                   .nodes = messages->nodes,
                                   .steps = &messages->steps,
                                   .threads = threads};
    /* Only the part that is judged needs events: a file may hold nothing but what came after training. */
    if (j->options->protocol == SCADYG_PROTOCOL_PAPER)
        j->trial.split = sg_model_parts(j->model, messages);
    else
        j->trial.split = sg_split_time(messages->columns.time, messages->columns.count, 0.70, 0.15);
    return j->model->options.task == SCADYG_TASK_LINK ? add_links(j, error) : add_labels(j, error);
}

static void close_judging(judging *j)
{
    for (size_t i = 0; i < j->count; i++) {
        if (j->scorers[i].close) j->scorers[i].close(j->scorers[i].context);
        if (j->label_scorers[i].close) j->label_scorers[i].close(j->label_scorers[i].context);
    }
    sg_contacts_close(&j->contacts);
    sg_labels_free(&j->labels);
    sg_inputs_close(&j->inputs);
    free(j->scores_out.scores);
}

/* ---- Results ---- */

/* The share of the judged part that the model was trained on. */
static double overlap(const judging *j)
{
    const scadyg_model *model = j->model;
    if (model->options.model != SCADYG_MODEL_SCADYG) return 0;
    const int validation = j->options->part == SCADYG_PART_VALIDATION;
    const sg_columns *columns = &j->trial.columns;
    const uint64_t first = validation ? j->trial.split.train_end : j->trial.split.validation_end;
    const uint64_t end = validation ? j->trial.split.validation_end : columns->count;
    const uint64_t known = sg_events_before(columns->time, columns->count, nextafter(model->train_end, INFINITY));
    if (end <= first || known <= first) return 0;
    return (double)((known < end ? known : end) - first) / (double)(end - first);
}

static double *score_at(scadyg_scores *scores, size_t i)
{
    double *const fields[] = {&scores->mrr, &scores->hits1, &scores->hits3, &scores->hits10,
                              &scores->ap,  &scores->auc,   &scores->ndcg10};
    return fields[i];
}

static void summarise(const scadyg_scores *scores, size_t seeds, scadyg_judged *judged)
{
    for (size_t i = 0; i < sizeof *scores / sizeof(double); i++) {
        double sum = 0, square = 0;
        for (size_t s = 0; s < seeds; s++) {
            scadyg_scores one = scores[s];
            sum += *score_at(&one, i);
        }
        const double mean = sum / (double)seeds;
        for (size_t s = 0; s < seeds; s++) {
            scadyg_scores one = scores[s];
            const double difference = *score_at(&one, i) - mean;
            square += difference * difference;
        }
        *score_at(&judged->mean, i) = mean;
        *score_at(&judged->spread, i) = seeds > 1 ? sqrt(square / (double)(seeds - 1)) : mean - mean;
    }
}

static void fill(const judging *j, scadyg_result *result)
{
    const size_t seeds = (size_t)j->options->seeds;
    *result = (scadyg_result){.protocol = protocol_names[j->options->protocol],
                              .pool = j->scores_out.pool,
                              .part = part_names[j->options->part],
                              .reveal = reveal_names[j->options->reveal],
                              .seeds = j->options->seeds,
                              .first_seed = j->options->seed,
                              .negatives = j->scores_out.negatives,
                              .queries = j->scores_out.queries,
                              .one_in = j->scores_out.one_in ? j->scores_out.one_in : 1,
                              .overlap = overlap(j),
                              .count = j->count};
    const int link = j->model->options.task == SCADYG_TASK_LINK;
    for (size_t i = 0; i < j->count; i++) {
        result->judged[i].name = link ? j->scorers[i].name : j->label_scorers[i].name;
        result->judged[i].seconds = j->seconds[i];
        summarise(j->scores_out.scores + i * seeds, seeds, &result->judged[i]);
    }
}

int scadyg_evaluate(const scadyg_model *model, scadyg_events *events, const scadyg_eval_options *options,
                    const scadyg_progress *progress, scadyg_result *result, scadyg_error *error)
{
    int status = check(model, options, error);
    if (status) return status;
    judging j = {.model = model, .options = options};
    status = open_judging(&j, events, error);
    if (!status) {
        j.scores_out.seconds = j.seconds;
        j.scores_out.scores = sg_alloc_zero(j.count * (size_t)options->seeds, sizeof *j.scores_out.scores);
        if (!j.scores_out.scores) status = sg_fail_memory(error, "the scores");
    }
    if (!status && model->options.task == SCADYG_TASK_LINK)
        status = sg_protocol_links(&j.trial, options, j.scorers, j.count, progress, &j.scores_out, error);
    else if (!status)
        status = sg_protocol_labels(&j.trial, options, j.label_scorers, j.count, progress, &j.scores_out, error);
    if (!status) fill(&j, result);
    close_judging(&j);
    return status;
}
