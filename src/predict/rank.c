/* The likeliest partners of a node. */
#include "predict/predictor.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double score;
    uint32_t node;
} ranked;

static int by_score(const void *a, const void *b)
{
    const ranked *one = a, *other = b;
    /* A score that is not a number comes last. */
    const double x = isnan(one->score) ? -INFINITY : one->score, y = isnan(other->score) ? -INFINITY : other->score;
    if (x != y) return x > y ? -1 : 1;
    return one->node < other->node ? -1 : one->node > other->node;
}

/* ---- The best of many, without sorting all: a heap with the worst of them on top ---- */

static void sift(ranked *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && by_score(&heap[child + 1], &heap[child]) > 0) child++;
        if (by_score(&heap[child], &heap[at]) < 0) return;
        const ranked down = heap[at];
        heap[at] = heap[child];
        heap[child] = down;
    }
}

/* The best `top` of all come first, in order. */
static void bring_up(ranked *all, size_t count, size_t top)
{
    if (top > count) top = count;
    if (top == 0) return;
    for (size_t i = top; i-- > 0;) sift(all, top, i);
    for (size_t i = top; i < count; i++) {
        if (by_score(&all[i], &all[0]) > 0) continue;
        const ranked out = all[0];
        all[0] = all[i];
        all[i] = out;
        sift(all, top, 0);
    }
    qsort(all, top, sizeof *all, by_score);
}

/* ---- Candidates ---- */

/* Which nodes were a destination in the first `seen` events; kept for the next question. */
static int see_destinations(scadyg_predictor *p, uint64_t seen, scadyg_error *error)
{
    if (!p->is_destination) p->is_destination = sg_alloc(p->view.nodes, 1);
    if (!p->is_destination) return sg_fail_memory(error, "the candidates");
    if (p->listed == 0 || seen < p->listed) {
        memset(p->is_destination, 0, p->view.nodes);
        p->listed = 0;
    }
    for (; p->listed < seen; p->listed++) p->is_destination[p->view.columns->dst[p->listed]] = 1;
    return SCADYG_OK;
}

/* Nodes that were a destination before the time. The source itself only if it has met itself. */
static size_t list_candidates(const scadyg_predictor *p, uint32_t source, uint64_t seen, int exclude_seen,
                              unsigned char *met, uint32_t *list)
{
    const sg_columns *columns = p->view.columns;
    for (uint64_t e = 0; e < seen; e++)
        if (columns->src[e] == source) met[columns->dst[e]] = 1;
    size_t count = 0;
    for (size_t node = 0; node < p->view.nodes; node++)
        if (p->is_destination[node] && (met[node] ? !exclude_seen : node != source)) list[count++] = (uint32_t)node;
    return count;
}

typedef struct ranking {
    unsigned char *met; /* by the source */
    uint32_t *src, *dst;
    double *score;
    ranked *ranked;
    size_t count;
} ranking;

static int score_candidates(scadyg_predictor *p, uint32_t source, double at, uint64_t seen, size_t top, ranking *r,
                            scadyg_error *error)
{
    for (size_t i = 0; i < r->count; i++) r->src[i] = source;
    const sg_question question = {at, seen, -1, r->src, r->dst, r->count, r->score, SG_ASK_ORDER};
    int status = sg_predictor_from(p, at, at, error);
    if (!status && r->count) status = p->scorer.score(p->scorer.context, &question, error);
    if (status) return status;
    for (size_t i = 0; i < r->count; i++) r->ranked[i] = (ranked){r->score[i], r->dst[i]};
    bring_up(r->ranked, r->count, top);
    return SCADYG_OK;
}

/* Log of the sum of exp(score) over the candidates. */
static double log_sum(const ranking *r)
{
    const double best = r->count ? r->ranked[0].score : 0;
    double sum = 0;
    for (size_t i = 0; i < r->count; i++) sum += exp(r->score[i] - best);
    return best + log(sum);
}

int scadyg_rank(scadyg_predictor *p, uint32_t source, double at, int exclude_seen, size_t top, uint32_t *nodes,
                double *scores, double *probabilities, size_t *count, scadyg_error *error)
{
    int status = sg_predictor_check_task(p, SG_TASK_LINK, error);
    if (!status) status = sg_predictor_check_node(p, source, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (!status) status = sg_predictor_report(p, "ranking", 0, 1, error);
    if (status) return status;
    const size_t most = p->view.nodes;
    const uint64_t seen = sg_predictor_seen(p, at);
    ranking r = {sg_alloc_zero(most, 1),          sg_alloc(most, sizeof *r.src),    sg_alloc(most, sizeof *r.dst),
                 sg_alloc(most, sizeof *r.score), sg_alloc(most, sizeof *r.ranked), 0};
    if (!r.met || !r.src || !r.dst || !r.score || !r.ranked) status = sg_fail_memory(error, "the candidates");
    if (!status) status = see_destinations(p, seen, error);
    if (!status) {
        r.count = list_candidates(p, source, seen, exclude_seen, r.met, r.dst);
        status = score_candidates(p, source, at, seen, top, &r, error);
    }
    status = sg_events_finish(status, p->view.events, error);
    if (!status) {
        const int learned = p->model->kind->shown.learns && !p->model->info.answers_as;
        const double all = probabilities && learned ? log_sum(&r) : NAN;
        *count = r.count < top ? r.count : top;
        for (size_t i = 0; i < *count; i++) {
            nodes[i] = r.ranked[i].node;
            scores[i] = r.ranked[i].score;
            if (probabilities) probabilities[i] = exp(scores[i] - all);
        }
    }
    SG_FREE(r.met, r.src, r.dst, r.score, r.ranked);
    return status;
}
