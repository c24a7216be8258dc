/* Many destinations of one source. */
#include "models/scadyg/one_source.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_MOST ((uint64_t)256 << 20) /* bytes of what is kept of nodes */
#define INDEX_MOST ((uint64_t)128 << 20)
enum { SLICE = 1024 }; /* destinations a thread looks at at a time */

static size_t width_of(const scadyg_model *model)
{
    return SG_LANES(sg_scadyg_of(model)->net.hidden);
}

static uint64_t kept_bytes(size_t width, uint64_t nodes)
{
    return nodes * (width * sizeof(float) + sizeof(uint32_t));
}

uint64_t sg_one_source_kept(size_t hidden, uint64_t nodes)
{
    const uint64_t kept = kept_bytes(SG_LANES(hidden), nodes);
    return kept > KEPT_MOST ? 0 : kept + nodes;
}

uint64_t sg_one_source_bytes(const scadyg_model *model, uint64_t nodes)
{
    const uint64_t kept = kept_bytes(width_of(model), nodes);
    return kept > KEPT_MOST ? SG_ONE_SOURCE_SLAB * width_of(model) * sizeof(float) : kept + nodes;
}

int sg_one_source_open(sg_one_source **out, sg_pair_reader *reader, int keeps, scadyg_error *error)
{
    const scadyg_model *model = reader->view->model;
    const sg_pair_net *net = &sg_scadyg_of(model)->net;
    const size_t nodes = reader->view->nodes;
    sg_one_source *one = sg_alloc_zero(1, sizeof *one);
    *out = NULL;
    if (!one) return sg_fail_memory(error, "the candidates");
    one->reader = reader;
    one->keeps = keeps && kept_bytes(width_of(model), nodes) <= KEPT_MOST;
    one->place = (sg_place){0, INFINITY};
    one->source = sg_alloc(net->node + 1, sizeof(float));
    one->between = sg_alloc(net->between + 1, sizeof(float));
    one->right = sg_alloc_huge(one->keeps ? nodes : SG_ONE_SOURCE_SLAB, width_of(model) * sizeof(float));
    if (one->keeps) one->known = sg_alloc_zero(nodes, sizeof *one->known);
    if (!one->source || !one->between || !one->right || (one->keeps && !one->known)) {
        sg_one_source_close(one);
        return sg_fail_memory(error, "the candidates");
    }
    *out = one;
    return SCADYG_OK;
}

void sg_one_source_close(sg_one_source *one)
{
    if (!one) return;
    sg_near_index_close(one->index);
    SG_FREE(one->source, one->between, one->right, one->known, one->is_near, one);
}

/* Rows of nodes at the place, in the reader. */
static int read_nodes(sg_one_source *one, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    const sg_ledger_group group = {one->place.seen, one->place.at, 0, 0};
    const size_t node_first[2] = {0, count};
    const sg_read_plan plan = {.groups = &group, .count = 1, .nodes = nodes, .node_first = node_first};
    return sg_pair_reader_run(one->reader, &plan, error);
}

/* Answers can do without the index, so it has what the memory leaves beside all that they cannot do without. */
static uint64_t index_most(const sg_one_source *one)
{
    const sg_view *view = one->reader->view;
    const double left = view->events ? sg_view_left(view->context, view->model, view->events) : INFINITY;
    return left < (double)INDEX_MOST ? (uint64_t)fmax(0, left) : INDEX_MOST;
}

/* The index is of a state, and takes as long to make as two questions about all nodes do without it. */
static void choose_index(sg_one_source *one, int is_other_state, size_t count)
{
    const size_t nodes = one->reader->view->nodes;
    if (is_other_state) {
        sg_near_index_close(one->index);
        one->index = NULL;
        one->large_before = 0;
    }
    one->large = one->keeps && count >= nodes / 4;
    if (one->large && one->large_before && !one->index) {
        if (!one->is_near) one->is_near = sg_alloc(nodes, 1);
        if (one->is_near) one->index = sg_near_index_open(one->reader->ledger, index_most(one));
    }
    one->large_before |= one->large;
}

int sg_one_source_begin(sg_one_source *one, sg_place place, uint32_t source, size_t count, scadyg_error *error)
{
    const sg_pair_net *net = &sg_scadyg_of(one->reader->view->model)->net;
    const int is_other_state = place.seen != one->place.seen || place.at < one->place.at,
              moved = is_other_state || place.at != one->place.at;
    one->place = place;
    int status = read_nodes(one, &source, 1, error);
    if (status) {
        one->place = (sg_place){0, INFINITY}; /* whatever comes next is another state */
        return status;
    }
    if (moved && one->keeps && ++one->round == 0) {
        memset(one->known, 0, one->reader->view->nodes * sizeof *one->known);
        one->round = 1;
    }
    memcpy(one->source, one->reader->nodes, net->node * sizeof *one->source);
    choose_index(one, is_other_state, count);
    sg_near_set(one->reader->ledger, source, &one->near);
    if (one->large && one->index) sg_near_index_mark(one->index, one->reader->ledger, source, one->is_near);
    sg_near_blank_row(one->reader->ledger, source, place.at, one->between);
    sg_pair_reader_normalise(one->reader, one->between);
    return SCADYG_OK;
}

/* ---- A slab ---- */

typedef struct look {
    sg_one_source *one;
    const uint32_t *dst;
    size_t count;
} look;

static void look_slice(void *data, size_t worker, size_t slice)
{
    const look *work = data;
    const size_t begin = slice * SLICE, count = work->count - begin < SLICE ? work->count - begin : SLICE;
    (void)worker;
    sg_one_source *one = work->one;
    const sg_ledger *ledger = one->reader->ledger;
    if (one->large && one->index)
        sg_near_index_find_blank(one->index, ledger, &one->near, one->is_near, work->dst + begin, count,
                                 one->blank + begin);
    else
        sg_near_find_blank(ledger, &one->near, work->dst + begin, count, one->blank + begin);
}

/* Lists what is to be read, what is blank and what is not. Returns how many are blank. */
static size_t part_slab(sg_one_source *one, const uint32_t *dst, size_t count, size_t *unread)
{
    size_t blank = 0;
    *unread = one->rest_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!one->blank[i]) {
            one->rest[one->rest_count++] = i;
            continue;
        }
        const uint32_t at = one->keeps ? dst[i] : (uint32_t)blank;
        if (!one->keeps || one->known[at] != one->round) {
            if (one->keeps) one->known[at] = one->round;
            one->unread[*unread] = dst[i];
            one->unread_at[(*unread)++] = at;
        }
        one->at[blank] = at;
        one->to[blank++] = i;
    }
    return blank;
}

int sg_one_source_score(sg_one_source *one, const uint32_t *dst, size_t count, int output, double *score,
                        scadyg_error *error)
{
    const sg_view *view = one->reader->view;
    const sg_pair_net *net = &sg_scadyg_of(view->model)->net;
    size_t unread;
    look work = {one, dst, count};
    sg_parallel_for(count > SLICE ? view->context : NULL, (count + SLICE - 1) / SLICE, look_slice, &work);
    const size_t blank = part_slab(one, dst, count, &unread);
    int status = unread ? read_nodes(one, one->unread, unread, error) : SCADYG_OK;
    if (!status)
        status = sg_pair_right_sides(view->context, net, view->model->values, one->reader->nodes, unread,
                                     one->unread_at, one->right, error);
    if (status) {
        one->place = (sg_place){0, INFINITY}; /* what is known is uncertain */
        return status;
    }
    const sg_blank_pairs pairs = {.source = one->source,
                                  .between = one->between,
                                  .right = one->right,
                                  .at = one->at,
                                  .to = one->to,
                                  .count = blank,
                                  .compared = sg_scadyg_of(view->model)->compared,
                                  .output = output};
    return sg_pair_blank_scores(view->context, net, view->model->values, &pairs, score, error);
}
