/*
 * TGB's protocol for affinity: at every label time of the part the nodes with a label are predicted from what lies
 * strictly before, scored by NDCG@10, then the labels are revealed. Mean over nodes, then over label times.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/search.h"
#include "evaluate/evaluation.h"

#include <math.h>
#include <string.h>

enum { TOP = 10, CHUNK = 1 << 20 }; /* numbers predicted at once */

typedef struct tgb_node {
    sg_evaluation *evaluation;
    const sg_labels *labels;
    double from, until; /* label times t of the part: from < t <= until */
    double *truth;      /* [classes] */
    float *score;       /* [chunk][classes] */
    size_t chunk;       /* nodes predicted at once */
    size_t times;       /* label times evaluated */
} tgb_node;

/* The sum of NDCG@10 over `count` rows from `first` on, predicted in p->score. weight: of a row in the mean. */
static double sum_rows(tgb_node *p, size_t first, size_t count, double weight, scadyg_query query)
{
    const sg_labels *labels = p->labels;
    double sum = 0;
    memset(p->truth, 0, labels->classes * sizeof *p->truth);
    for (size_t row = first; row < first + count; row++) {
        for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++)
            p->truth[labels->class_of[i]] = (double)labels->weight[i];
        query.score = sg_ndcg(p->truth, p->score + (row - first) * labels->classes, labels->classes, TOP);
        query.node = labels->node[row];
        sum += query.score;
        sg_evaluation_compare(p->evaluation, query.evaluated, query.node, query.score, weight);
        sg_evaluation_tell(p->evaluation, &query);
        for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++) p->truth[labels->class_of[i]] = 0;
    }
    return sum;
}

static int evaluate_group(tgb_node *p, size_t number, size_t group, uint64_t seen, scadyg_error *error)
{
    const sg_evaluation *evaluation = p->evaluation;
    const sg_label_scorer *scorer = &evaluation->label_scorers[number];
    const sg_labels *labels = p->labels;
    const size_t first = labels->first_row[group], end = labels->first_row[group + 1];
    const scadyg_query query = {
        .evaluated = number, .at = labels->time[group], .seen = seen, .positive = NAN, .negative = NAN};
    double sum = 0, seconds = 0;
    for (size_t row = first; row < end; row += p->chunk) {
        const size_t rows = end - row < p->chunk ? end - row : p->chunk;
        const sg_label_question question = {group, labels->time[group], seen, labels->node + row, rows, p->score};
        const double begun = sg_seconds();
        int status = scorer->score(scorer->context, &question, error);
        if (status) return status;
        seconds += sg_seconds() - begun;
        sum += sum_rows(p, row, rows, 1 / (double)(end - first), query);
    }
    sg_score_sums *sums = &evaluation->sums[number * evaluation->seeds];
    sums->of[SCADYG_NDCG10] += sum / (double)(end - first);
    sums->weight[SG_OVER_OWN]++;
    if (evaluation->out->seconds) evaluation->out->seconds[number] += seconds;
    return SCADYG_OK;
}

/* Predicts a label time if it is in the part, and reveals it. */
static int pass_group(tgb_node *p, size_t group, scadyg_error *error)
{
    const sg_evaluation *evaluation = p->evaluation;
    const sg_columns *columns = &evaluation->data->columns;
    const double at = p->labels->time[group];
    const size_t rows = p->labels->first_row[group + 1] - p->labels->first_row[group];
    const int in_part = rows > 0 && at > p->from && at <= p->until;
    const uint64_t seen = sg_events_before(columns->time, columns->count, at);
    int status = SCADYG_OK;
    for (size_t i = 0; i < evaluation->count && !status; i++) {
        const sg_label_scorer *scorer = &evaluation->label_scorers[i];
        if (in_part) status = evaluate_group(p, i, group, seen, error);
        if (!status && scorer->reveal) status = scorer->reveal(scorer->context, group, error);
    }
    if (in_part) {
        p->times++;
        evaluation->out->queries += rows;
    }
    return status;
}

static int pass_groups(tgb_node *p, scadyg_error *error)
{
    const sg_labels *labels = p->labels;
    int status = SCADYG_OK;
    for (size_t group = 0; group < labels->groups && labels->time[group] <= p->until && !status; group++) {
        status = pass_group(p, group, error);
        if (!status) status = sg_evaluation_progress(p->evaluation, group + 1, labels->groups, error);
    }
    if (!status && p->times == 0)
        status = sg_fail(error, SCADYG_E_USAGE, "there is nothing to evaluate: no label time is in the part");
    sg_evaluation_same_seeds(p->evaluation, 1); /* nothing is drawn */
    return status;
}

/* The labels behind `after` and up to `until`. */
static scadyg_part describe_labels(const sg_labels *labels, double after, double until)
{
    const size_t first = sg_after_double(labels->time, labels->groups, after),
                 end = sg_after_double(labels->time, labels->groups, until);
    if (end <= first) return (scadyg_part){0, NAN, NAN};
    return (scadyg_part){labels->first_row[end] - labels->first_row[first], labels->time[first],
                         labels->time[end - 1]};
}

static int has_labels(const tgb_node *p)
{
    return describe_labels(p->labels, p->from, p->until).events > 0;
}

/* Label times belong to the parts by the quantiles of the event times. */
static void find_times(tgb_node *p, int test)
{
    const sg_evaluated_data *data = p->evaluation->data;
    const sg_columns *columns = &data->columns;
    const double middle = sg_quantile(columns->time, columns->count, 0.70 + 0.15);
    p->from = test ? middle : sg_quantile(columns->time, columns->count, 0.70);
    p->until = test ? INFINITY : middle;
    if (!data->trained) return;
    /* Where that leaves a part without labels, or a model that goes on has learned from more, training has cut elsewhere. */
    if (!test && (data->trained_until > p->from || !has_labels(p))) {
        p->from = data->trained_until;
        p->until = data->chosen_until;
    }
    if (test && !has_labels(p)) p->from = data->chosen_until;
    /* What a model was trained on is never scored as test. */
    if (test && data->trained_until > p->from) p->from = data->trained_until;
}

static void find_parts(tgb_node *p)
{
    const sg_evaluated_data *data = p->evaluation->data;
    scadyg_part *parts = p->evaluation->out->parts;
    find_times(p, 0);
    parts[0] = describe_labels(p->labels, -INFINITY, data->trained ? data->trained_until : p->from);
    parts[1] = describe_labels(p->labels, p->from, p->until);
    find_times(p, 1);
    parts[2] = describe_labels(p->labels, p->from, p->until);
    find_times(p, p->evaluation->options->part == SG_PART_TEST);
}

int sg_evaluate_tgb_node(sg_evaluation *evaluation, scadyg_error *error)
{
    const sg_labels *labels = evaluation->data->labels;
    if (!labels || labels->classes == 0)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol tgb-node needs labels");
    tgb_node p = {.evaluation = evaluation, .labels = labels};
    find_parts(&p);
    p.chunk = labels->classes < CHUNK ? CHUNK / labels->classes : 1;
    p.truth = sg_alloc(labels->classes, sizeof *p.truth);
    p.score = sg_alloc(p.chunk * labels->classes, sizeof *p.score);
    int status = p.truth && p.score ? SCADYG_OK : sg_fail_memory(error, "the predictions");
    if (!status) status = pass_groups(&p, error);
    SG_FREE(p.truth, p.score);
    return status;
}
