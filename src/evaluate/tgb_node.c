/*
 * TGB's protocol for affinity: at every label time of the part the nodes with a label are predicted from what lies
 * strictly before, scored by NDCG@10, then the labels are revealed. Mean over nodes, then over label times.
 */
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "evaluate/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TOP = 10, CHUNK = 1 << 20 }; /* numbers predicted at once */

typedef struct tgb_node {
    const sg_evaluated_data *trial;
    const scadyg_eval_options *options;
    const sg_label_scorer *scorers;
    size_t count;
    sg_evaluation_scores *scores_out;
    double from, until; /* label times t of the part: from < t <= until */
    double *truth;      /* [classes] */
    float *score;       /* [chunk][classes] */
    size_t chunk;       /* nodes predicted at once */
    double *sum;        /* [scorers]: of the means of label times */
    size_t times;       /* label times judged */
} tgb_node;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The sum of NDCG@10 over `count` rows from `first` on, predicted in block->score. */
static double sum_rows(tgb_node *p, size_t first, size_t count, scadyg_query query)
{
    const sg_labels *labels = p->trial->labels;
    double sum = 0;
    memset(p->truth, 0, labels->classes * sizeof *p->truth);
    for (size_t row = first; row < first + count; row++) {
        for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++)
            p->truth[labels->class_of[i]] = (double)labels->weight[i];
        query.score = sg_ndcg(p->truth, p->score + (row - first) * labels->classes, labels->classes, TOP);
        query.node = labels->node[row];
        sum += query.score;
        sg_evaluation_tell(p->options, &query);
        for (size_t i = labels->first[row]; i < labels->first[row + 1]; i++) p->truth[labels->class_of[i]] = 0;
    }
    return sum;
}

static int judge_group(tgb_node *p, size_t scorer, size_t group, uint64_t seen, scadyg_error *error)
{
    const sg_labels *labels = p->trial->labels;
    const size_t first = labels->first_row[group], end = labels->first_row[group + 1];
    const scadyg_query query = {
        .judged = scorer, .at = labels->time[group], .seen = seen, .positive = NAN, .negative = NAN};
    double sum = 0, begun = seconds_now(), scoring = 0;
    for (size_t row = first; row < end; row += p->chunk) {
        const size_t rows = end - row < p->chunk ? end - row : p->chunk;
        const sg_label_question block = {group, labels->time[group], seen, labels->node + row, rows, p->score};
        begun = seconds_now();
        int status = p->scorers[scorer].score(p->scorers[scorer].context, &block, error);
        if (status) return status;
        scoring += seconds_now() - begun;
        sum += sum_rows(p, row, rows, query);
    }
    p->sum[scorer] += sum / (double)(end - first);
    if (p->scores_out->seconds) p->scores_out->seconds[scorer] += scoring;
    return SCADYG_OK;
}

static int take_group(tgb_node *p, size_t group, scadyg_error *error)
{
    const sg_labels *labels = p->trial->labels;
    const sg_columns *columns = &p->trial->columns;
    const double at = labels->time[group];
    const size_t rows = labels->first_row[group + 1] - labels->first_row[group];
    const int judged = rows > 0 && at > p->from && at <= p->until;
    const uint64_t seen = sg_events_before(columns->time, columns->count, at);
    int status = SCADYG_OK;
    for (size_t i = 0; i < p->count && !status; i++) {
        if (judged) status = judge_group(p, i, group, seen, error);
        if (!status && p->scorers[i].reveal) status = p->scorers[i].reveal(p->scorers[i].context, group, error);
    }
    if (judged) {
        p->times++;
        p->scores_out->queries += rows;
    }
    return status;
}

static int take_groups(tgb_node *p, const scadyg_progress *progress, scadyg_error *error)
{
    const sg_labels *labels = p->trial->labels;
    int status = SCADYG_OK;
    for (size_t i = 0; i < p->count && !status; i++) {
        if (p->scores_out->seconds) p->scores_out->seconds[i] = 0;
        status = p->scorers[i].rewind(p->scorers[i].context, error);
    }
    for (size_t group = 0; group < labels->groups && labels->time[group] <= p->until && !status; group++) {
        status = take_group(p, group, error);
        if (!status) status = sg_report(progress, "judging", group + 1, labels->groups, error);
    }
    if (!status && p->times == 0)
        status = sg_fail(error, SCADYG_E_USAGE, "there is nothing to judge: no label time is in the part");
    return status;
}

/* Label times are parted by the quantiles of the event times. */
static void find_part(tgb_node *p, int part)
{
    const sg_columns *columns = &p->trial->columns;
    const double middle = sg_quantile(columns->time, columns->count, 0.70 + 0.15);
    p->from = part == SCADYG_PART_TEST ? middle : sg_quantile(columns->time, columns->count, 0.70);
    p->until = part == SCADYG_PART_TEST ? INFINITY : middle;
}

int sg_protocol_labels(const sg_evaluated_data *trial, const scadyg_eval_options *options,
                       const sg_label_scorer *scorers, size_t count, const scadyg_progress *progress,
                       sg_evaluation_scores *scores_out, scadyg_error *error)
{
    tgb_node p = {.trial = trial, .options = options, .scorers = scorers, .count = count, .scores_out = scores_out};
    const sg_labels *labels = trial->labels;
    if (!labels || labels->classes == 0)
        return sg_fail(error, SCADYG_E_USAGE, "the protocol tgb-node needs labels");
    if (options->seeds < 1) return sg_fail(error, SCADYG_E_USAGE, "--seeds must be at least 1");
    scores_out->queries = 0;
    scores_out->negatives = 0;
    scores_out->pool = "none";
    find_part(&p, options->part);
    p.chunk = labels->classes < CHUNK ? CHUNK / labels->classes : 1;
    p.truth = sg_alloc(labels->classes, sizeof *p.truth);
    p.score = sg_alloc(p.chunk * labels->classes, sizeof *p.score);
    p.sum = sg_alloc_zero(count ? count : 1, sizeof *p.sum);
    int status = p.truth && p.score && p.sum ? SCADYG_OK : sg_fail_memory(error, "the predictions");
    if (!status) status = take_groups(&p, progress, error);
    for (size_t i = 0; i < count && !status; i++)
        for (size_t s = 0; s < (size_t)options->seeds; s++) { /* nothing is drawn: all seeds agree */
            scadyg_scores *scores = &scores_out->scores[i * (size_t)options->seeds + s];
            *scores = sg_no_scores();
            scores->ndcg10 = p.sum[i] / (double)p.times;
        }
    free(p.truth);
    free(p.score);
    free(p.sum);
    return status;
}
