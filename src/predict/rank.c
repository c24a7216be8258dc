/* The likeliest partners of a node. */
#include "predict/rank.h"

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

/* The best `top` of all, in order. */
static void find_best(const uint32_t *nodes, const double *scores, size_t count, ranked *best, size_t top)
{
    if (top > count) top = count;
    if (top == 0) return;
    for (size_t i = 0; i < top; i++) best[i] = (ranked){scores[i], nodes[i]};
    for (size_t i = top; i-- > 0;) sift(best, top, i);
    for (size_t i = top; i < count; i++) {
        const ranked next = {scores[i], nodes[i]};
        if (by_score(&next, &best[0]) > 0) continue;
        best[0] = next;
        sift(best, top, 0);
    }
    qsort(best, top, sizeof *best, by_score);
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
    if (p->listed == 0) p->destinations = 0;
    for (; p->listed < seen; p->listed++) {
        unsigned char *is = &p->is_destination[p->view.columns->dst[p->listed]];
        p->destinations += !*is;
        *is = 1;
    }
    return SCADYG_OK;
}

void sg_ranking_ask_met(sg_ranking *r, const sg_ranking_asked *asked, size_t *first, size_t *count)
{
    *first = 0;
    *count = r->is_chosen ? 0 : r->count;
    if (r->is_chosen || asked->how & SCADYG_RANK_EXCLUDE_SEEN) return;
    memset(r->met, 1, r->count);
    while (*first < r->count && r->dst[*first] != asked->source) ++*first;
    *count = *first < r->count;
}

/* The source itself only if it has met itself. Others than those looked at are moved up. */
void sg_ranking_choose(sg_ranking *r, const sg_ranking_asked *asked)
{
    const int exclude = asked->how & SCADYG_RANK_EXCLUDE_SEEN;
    const size_t looked_at = r->count;
    if (r->is_chosen) return;
    r->count = 0;
    for (size_t i = 0; i < looked_at; i++)
        if (r->met[i] ? !exclude : r->dst[i] != asked->source) r->dst[r->count++] = r->dst[i];
    memmove(r->dst + r->count, r->dst + looked_at, r->others * sizeof *r->dst);
    r->all_count -= looked_at - r->count;
}

int sg_rank_retrieves(const scadyg_model *model, const sg_ranking_asked *asked, size_t destinations,
                      size_t rank_all)
{
    const sg_kind *kind = model->kind;
    return kind->retrieve && kind->live->can(model) && !(asked->how & SCADYG_RANK_EXACT) &&
           destinations > rank_all && asked->top <= SG_RANK_TOP;
}

/* All that the source has not met, for which there may be no room yet. */
static int list_unmet(sg_ranking *r, const scadyg_model *model, const sg_scorer *scorer,
                      const sg_ranking_asked *asked, const sg_nodes_asked *place, scadyg_error *error)
{
    sg_ranking_close(r);
    int status = sg_ranking_open(r, place->count, asked->top, error);
    if (!status) status = model->kind->unmet(scorer->context, place, asked->source, r->dst, &r->count, error);
    r->all_count = r->count;
    return status;
}

int sg_ranking_retrieve(sg_ranking *r, const scadyg_model *model, const sg_scorer *scorer,
                        const sg_ranking_asked *asked, size_t nodes, size_t destinations, scadyg_error *error)
{
    const sg_nodes_asked place = {asked->at, asked->seen, NULL, nodes};
    sg_retrieval to = {.source = asked->source,
                       .unmet = (asked->how & SCADYG_RANK_EXCLUDE_SEEN) != 0,
                       .destinations = destinations,
                       .list = r->dst};
    int status = model->kind->retrieve(scorer->context, &place, &to, error);
    if (status) return status;
    r->count = to.count;
    r->others = to.others;
    r->all_count = to.all_count;
    if (to.too_few || (to.unmet && to.count < asked->top && to.count < to.all_count))
        status = list_unmet(r, model, scorer, asked, &place, error);
    r->is_chosen = to.unmet;
    return status;
}

/* Whom the source has met before the time: as a model remembers it, where it has pairs; else as the log says. */
static int find_met(scadyg_predictor *p, uint32_t source, double at, uint64_t seen, const uint32_t *list,
                    size_t count, unsigned char *met, scadyg_error *error)
{
    const sg_kind *kind = p->model->kind;
    if (kind->met && kind->live->can(p->model))
        return kind->met(p->scorer.context, &(sg_nodes_asked){at, seen, list, count}, source, met, error);
    const sg_columns *columns = p->view.columns;
    unsigned char *of = sg_alloc_zero(p->view.nodes, 1);
    if (!of) return sg_fail_memory(error, "the candidates");
    for (uint64_t e = 0; e < seen; e++)
        if (columns->src[e] == source) of[columns->dst[e]] = 1;
    for (size_t i = 0; i < count; i++) met[i] = of[list[i]];
    free(of);
    return SCADYG_OK;
}

/* Nodes that were a destination before the time, all or those retrieved. */
static int list_candidates(scadyg_predictor *p, const sg_ranking_asked *asked, int retrieves, sg_ranking *r,
                           scadyg_error *error)
{
    int status = SCADYG_OK;
    if (retrieves) {
        status = sg_ranking_retrieve(r, p->model, &p->scorer, asked, p->view.nodes, p->destinations, error);
    } else {
        for (size_t node = 0; node < p->view.nodes; node++)
            if (p->is_destination[node]) r->dst[r->count++] = (uint32_t)node;
        r->all_count = r->count;
    }
    size_t first = 0, count = 0;
    if (!status) sg_ranking_ask_met(r, asked, &first, &count);
    if (!status)
        status = find_met(p, asked->source, asked->at, asked->seen, r->dst + first, count, r->met + first, error);
    if (!status) sg_ranking_choose(r, asked);
    return status;
}

int sg_ranking_open(sg_ranking *r, size_t most, size_t top, scadyg_error *error)
{
    *r = (sg_ranking){sg_alloc(most, 1),
                      sg_alloc(most, sizeof *r->src),
                      sg_alloc(most, sizeof *r->dst),
                      sg_alloc(most, sizeof *r->score),
                      sg_alloc(top < most ? top : most, sizeof(ranked)),
                      0,
                      0,
                      0,
                      0};
    return r->met && r->src && r->dst && r->score && r->best ? SCADYG_OK : sg_fail_memory(error, "the candidates");
}

void sg_ranking_close(sg_ranking *r)
{
    SG_FREE(r->met, r->src, r->dst, r->score, r->best);
    *r = (sg_ranking){0};
}

/* Log of the sum of exp(score) over the candidates. Those not looked at are on average as the others drawn from them. */
static double log_sum(const sg_ranking *r)
{
    const double best = r->count ? ((const ranked *)r->best)[0].score : 0;
    double sum = 0, others = 0;
    for (size_t i = 0; i < r->count; i++) sum += exp(r->score[i] - best);
    for (size_t i = 0; i < r->others; i++) others += exp(r->score[r->count + i] - best);
    if (r->others) sum += others / (double)r->others * (double)(r->all_count - r->count);
    return best + log(sum);
}

int sg_ranking_run(sg_ranking *r, const sg_scorer *scorer, const sg_ranking_asked *asked, scadyg_error *error)
{
    const size_t count = r->count + r->others;
    for (size_t i = 0; i < count; i++) r->src[i] = asked->source;
    const sg_question question = {asked->at, asked->seen, -1, r->src, r->dst, count, r->score, SG_ASK_ORDER};
    const int status = count ? scorer->score(scorer->context, &question, error) : SCADYG_OK;
    if (status) return status;
    find_best(r->dst, r->score, r->count, r->best, asked->top);
    return SCADYG_OK;
}

void sg_ranking_take(const sg_ranking *r, const scadyg_model *model, size_t top, uint32_t *nodes, double *scores,
                     double *probabilities, size_t *count)
{
    const ranked *best = r->best;
    const int learned = model->kind->shown.learns && !model->info.answers_as;
    const double all = probabilities && learned ? log_sum(r) : NAN;
    *count = r->count < top ? r->count : top;
    for (size_t i = 0; i < *count; i++) {
        nodes[i] = best[i].node;
        scores[i] = best[i].score;
        if (probabilities) probabilities[i] = exp(scores[i] - all);
    }
}

int scadyg_rank(scadyg_predictor *p, uint32_t source, double at, int how, size_t top, uint32_t *nodes,
                double *scores, double *probabilities, size_t *count, scadyg_error *error)
{
    int status = sg_predictor_check_task(p, SG_TASK_LINK, error);
    if (!status) status = sg_predictor_check_node(p, source, error);
    if (!status) status = sg_predictor_check_time(p, at, error);
    if (!status) status = sg_predictor_report(p, "ranking", 0, 1, error);
    if (status) return status;
    const sg_ranking_asked asked = {source, at, sg_predictor_seen(p, at), top, how};
    sg_ranking r = {0};
    status = see_destinations(p, asked.seen, error);
    if (status) return status;
    const int retrieves = sg_rank_retrieves(p->model, &asked, p->destinations, p->rank_all);
    status = sg_ranking_open(&r, retrieves ? p->model->kind->retrieved : p->view.nodes, top, error);
    if (!status) status = sg_predictor_from(p, at, at, error);
    if (!status) status = list_candidates(p, &asked, retrieves, &r, error);
    if (!status) status = sg_ranking_run(&r, &p->scorer, &asked, error);
    status = sg_events_finish(status, p->view.events, error);
    if (!status) sg_ranking_take(&r, p->model, top, nodes, scores, probabilities, count);
    sg_ranking_close(&r);
    return status;
}
