/* Questions to a live state. */
#include "predict/live_parts.h"

#include "base/memory.h"
#include "predict/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- What is asked for ---- */

/* The time of a question: just after the newest event, or later. */
static int settle_time(const scadyg_live *live, double *at, scadyg_error *error)
{
    int status = sg_live_check(live, error);
    if (status) return status;
    if (live->events == 0)
        return sg_fail(error, SCADYG_E_USAGE, "no event has been observed: nothing is known yet");
    if (isnan(*at)) *at = nextafter(live->newest, INFINITY);
    if (isfinite(*at) && *at > live->newest) return SCADYG_OK;
    char asked[64], newest[64];
    scadyg_time_text(live->model->shape.time_kind, *at, asked);
    scadyg_time_text(live->model->shape.time_kind, live->newest, newest);
    return sg_fail(error, SCADYG_E_USAGE,
                   "time %s is not after the newest event at %s: a live state answers for what comes next", asked,
                   newest);
}

static int check_task(const scadyg_live *live, int task, scadyg_error *error)
{
    const scadyg_predictor p = {.model = live->model};
    return sg_predictor_check_task(&p, task, error);
}

static int check_nodes(const scadyg_live *live, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= live->ids.count) return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", nodes[i]);
    return SCADYG_OK;
}

/* ---- Readers: as many as ask at a time, kept for the next ---- */

static void close_reader(const scadyg_live *live, sg_live_reader *r)
{
    if (r->scorer.close) r->scorer.close(r->scorer.context);
    live->kind->reader_close(r->reader);
    free(r);
}

static void give_reader(scadyg_live *live, sg_live_reader *r)
{
    (void)pthread_mutex_lock(&live->readers);
    r->next = live->free_readers;
    live->free_readers = r;
    (void)pthread_mutex_unlock(&live->readers);
}

/* With room for all nodes, at the state as it is now. */
static int take_reader(scadyg_live *live, sg_live_reader **out, scadyg_error *error)
{
    (void)pthread_mutex_lock(&live->readers);
    sg_live_reader *r = live->free_readers;
    if (r) live->free_readers = r->next;
    (void)pthread_mutex_unlock(&live->readers);
    if (r && r->view.nodes < live->capacity) {
        close_reader(live, r);
        r = NULL;
    }
    if (!r) {
        r = sg_alloc_zero(1, sizeof *r);
        if (!r) return sg_fail_memory(error, "a reader");
        r->view = live->view;
        r->view.nodes = live->capacity;
        int status = live->kind->reader_open(live->state, &r->view, &r->reader, &r->scorer, error);
        if (status) {
            free(r);
            return status;
        }
    }
    live->kind->reader_renew(r->reader);
    *out = r;
    return SCADYG_OK;
}

/* A question: readers side by side, or one at a time where a predictor follows the log. */
static void begin_question(scadyg_live *live)
{
    if (live->kind)
        sg_fair_lock_read(&live->lock);
    else
        sg_fair_lock_write(&live->lock);
}

static int end_question(scadyg_live *live, int status)
{
    if (live->kind) {
        sg_fair_lock_read_end(&live->lock);
    } else {
        if (status == SCADYG_E_MEMORY || status == SCADYG_E_CANCELLED) sg_live_log_drop(live);
        sg_fair_lock_write_end(&live->lock);
    }
    return status;
}

/* ---- Scores ---- */

static int score_pairs(scadyg_live *live, const uint32_t *src, const uint32_t *dst, size_t count, double at,
                       double *score, scadyg_error *error)
{
    sg_live_reader *r = NULL;
    int status = take_reader(live, &r, error);
    if (status) return status;
    const sg_question question = {
        .at = at, .step = -1, .src = src, .dst = dst, .count = count, .score = score, .ask = SG_ASK_CHANCE};
    status = r->scorer.score(r->scorer.context, &question, error);
    give_reader(live, r);
    return status;
}

static int predict_pairs(scadyg_live *live, const uint32_t *src, const uint32_t *dst, size_t count, double at,
                         double *score, scadyg_error *error)
{
    scadyg_predictor *p = NULL;
    double *times = sg_alloc(count, sizeof *times);
    int status = times ? sg_live_log_predictor(live, 0, &p, error) : sg_fail_memory(error, "the pairs");
    for (size_t i = 0; i < count && times; i++) times[i] = at;
    if (!status) status = scadyg_predict(p, src, dst, times, count, score, error);
    free(times);
    return status;
}

int scadyg_live_score(scadyg_live *live, const uint32_t *src, const uint32_t *dst, size_t count, double at,
                      double *score, scadyg_error *error)
{
    int status = check_task(live, SG_TASK_LINK, error);
    if (status) return status;
    begin_question(live);
    status = settle_time(live, &at, error);
    if (!status) status = check_nodes(live, src, count, error);
    if (!status) status = check_nodes(live, dst, count, error);
    if (!status && count)
        status = (live->kind ? score_pairs : predict_pairs)(live, src, dst, count, at, score, error);
    return end_question(live, status);
}

/* ---- Rankings ---- */

static int list_candidates(const scadyg_live *live, const sg_scorer *scorer, const sg_ranking_asked *asked,
                           int retrieves, sg_ranking *ranking, scadyg_error *error)
{
    const size_t nodes = live->ids.count;
    int status = SCADYG_OK;
    if (retrieves) {
        status = sg_ranking_retrieve(ranking, live->model, scorer, asked, nodes, live->destinations, error);
    } else {
        for (size_t node = 0; node < nodes; node++)
            if (live->is_destination[node]) ranking->dst[ranking->count++] = (uint32_t)node;
        ranking->all_count = ranking->count;
    }
    if (status) return status;
    size_t first, count;
    sg_ranking_ask_met(ranking, asked, &first, &count);
    live->kind->met(live->state, asked->source, ranking->dst + first, count, ranking->met + first);
    sg_ranking_choose(ranking, asked);
    return SCADYG_OK;
}

static int rank_live(scadyg_live *live, const sg_ranking_asked *asked, uint32_t *nodes, double *scores,
                     double *probabilities, size_t *count, scadyg_error *error)
{
    sg_ranking ranking;
    sg_live_reader *r = NULL;
    const int retrieves = sg_rank_retrieves(live->model, asked, live->destinations, live->rank_all);
    int status =
        sg_ranking_open(&ranking, retrieves ? live->model->kind->retrieved : live->ids.count, asked->top, error);
    if (!status) status = take_reader(live, &r, error);
    if (!status) {
        status = list_candidates(live, &r->scorer, asked, retrieves, &ranking, error);
        if (!status) status = sg_ranking_run(&ranking, &r->scorer, asked, error);
        give_reader(live, r);
    }
    if (!status) sg_ranking_take(&ranking, live->model, asked->top, nodes, scores, probabilities, count);
    sg_ranking_close(&ranking);
    return status;
}

int scadyg_live_rank(scadyg_live *live, uint32_t source, double at, int how, size_t top, uint32_t *nodes,
                     double *scores, double *probabilities, size_t *count, scadyg_error *error)
{
    scadyg_predictor *p = NULL;
    int status = check_task(live, SG_TASK_LINK, error);
    if (status) return status;
    begin_question(live);
    status = settle_time(live, &at, error);
    if (!status) status = check_nodes(live, &source, 1, error);
    if (!status && live->kind) {
        status = rank_live(live, &(sg_ranking_asked){source, at, 0, top, how}, nodes, scores, probabilities, count,
                           error);
    } else if (!status) {
        status = sg_live_log_predictor(live, 0, &p, error);
        if (!status) status = scadyg_rank(p, source, at, how, top, nodes, scores, probabilities, count, error);
    }
    return end_question(live, status);
}

/* ---- Beyond scores ---- */

static int embed_nodes(scadyg_live *live, double at, const uint32_t *nodes, size_t count, float *out,
                       scadyg_error *error)
{
    sg_live_reader *r = NULL;
    scadyg_predictor *p = NULL;
    int status = SCADYG_OK;
    if (!live->kind) {
        status = sg_live_log_predictor(live, 1, &p, error);
        return status ? status : scadyg_embed(p, at, nodes, count, out, error);
    }
    status = take_reader(live, &r, error);
    if (status) return status;
    status = live->model->kind->embed(r->scorer.context, &(sg_nodes_asked){at, 0, nodes, count}, out, error);
    give_reader(live, r);
    return status;
}

static int embed_all(scadyg_live *live, double at, size_t count, float *out, scadyg_error *error)
{
    if (count != live->ids.count)
        return sg_fail(error, SCADYG_E_USAGE, "the embeddings of all nodes are %zu, not %zu", live->ids.count,
                       count);
    uint32_t *all = sg_alloc(count, sizeof *all);
    if (!all) return sg_fail_memory(error, "the list of nodes");
    for (size_t i = 0; i < count; i++) all[i] = (uint32_t)i;
    const int status = embed_nodes(live, at, all, count, out, error);
    free(all);
    return status;
}

int scadyg_live_embed(scadyg_live *live, double at, const uint32_t *nodes, size_t count, float *out,
                      scadyg_error *error)
{
    const scadyg_predictor shown = {.model = live->model};
    if (!live->model->kind->embed) return sg_predictor_cannot(&shown, "embeddings", error);
    begin_question(live);
    int status = settle_time(live, &at, error);
    if (!status && nodes) status = check_nodes(live, nodes, count, error);
    if (!status)
        status = nodes ? embed_nodes(live, at, nodes, count, out, error) : embed_all(live, at, count, out, error);
    return end_question(live, status);
}

int scadyg_live_affinity(scadyg_live *live, uint32_t node, double at, double *out, scadyg_error *error)
{
    scadyg_predictor *p = NULL;
    int status = check_task(live, SG_TASK_AFFINITY, error);
    if (status) return status;
    begin_question(live);
    status = settle_time(live, &at, error);
    if (!status) status = check_nodes(live, &node, 1, error);
    if (!status) status = sg_live_log_predictor(live, 1, &p, error);
    if (!status) status = scadyg_affinity(p, node, at, out, error);
    return end_question(live, status);
}

/* ---- Nodes, and figures ---- */

int scadyg_live_find(scadyg_live *live, int role, const char *id, uint32_t *node, scadyg_error *error)
{
    sg_fair_lock_read(&live->lock);
    const size_t length = strlen(id);
    const uint32_t source = sg_live_ids_find(&live->ids, id, length, 0),
                   destination = live->ids.two_sides ? sg_live_ids_find(&live->ids, id, length, 1) : source;
    sg_fair_lock_read_end(&live->lock);
    const uint32_t found = role == SCADYG_SOURCE        ? source
                           : role == SCADYG_DESTINATION ? destination
                           : source == NONE             ? destination
                                                        : source;
    if (found == NONE) return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node '%.200s'", id);
    if (role == SCADYG_ANY_ROLE && source != NONE && destination != NONE && source != destination)
        return sg_fail(error, SCADYG_E_NOT_FOUND,
                       "%.200s is a source and a destination, two different nodes: the role says which", id);
    *node = found;
    return SCADYG_OK;
}

int scadyg_live_name(scadyg_live *live, uint32_t node, char *buffer, size_t size, size_t *length,
                     scadyg_error *error)
{
    sg_fair_lock_read(&live->lock);
    int status = check_nodes(live, &node, 1, error);
    if (!status) {
        char digits[24];
        const char *text;
        const size_t count = sg_live_ids_text(&live->ids, node, digits, &text);
        const size_t kept = count < size ? count : size ? size - 1 : 0;
        if (length) *length = count;
        if (kept) memcpy(buffer, text, kept);
        if (size) buffer[kept] = 0;
    }
    sg_fair_lock_read_end(&live->lock);
    return status;
}

void scadyg_live_look(scadyg_live *live, scadyg_live_info *info)
{
    sg_fair_lock_read(&live->lock);
    uint64_t bytes = live->capacity + live->ids.room * 24 + live->ids.text_room + (live->ids.mask + 1) * 4;
    if (live->state) bytes += live->kind->bytes(live->state);
    if (live->log) bytes += sg_live_log_bytes(live->log);
    const scadyg_live_info now = {.size = sizeof now,
                                  .events = live->events,
                                  .nodes = live->ids.count,
                                  .late = live->late,
                                  .held = live->held_count,
                                  .first_time = live->first_time,
                                  .newest_time = live->events ? live->newest : NAN,
                                  .bytes = bytes,
                                  .keeps_log = !live->kind};
    sg_fair_lock_read_end(&live->lock);
    const size_t size = info->size < sizeof now ? info->size : sizeof now;
    memcpy(info, &now, size);
    info->size = size;
}
