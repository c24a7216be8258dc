/* The state of the default model: kept in a file, and live. It is the ledger, whoever follows it. */
#include "base/memory.h"
#include "models/scadyg/reader.h"
#include "models/scadyg/retrieve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stepwise it sees whole steps, and as a baseline it has the baseline's state; whom a source has met is asked of the pairs. */
static int can_live(const scadyg_model *model)
{
    return !sg_train_of(model)->stepwise && !sg_scadyg_of(model)->rule &&
           !(sg_model_without(model) & SG_WITHOUT_PAIRS);
}

/* ---- Of a scorer ---- */

static int follow_scorer(void *scorer, scadyg_error *error)
{
    return sg_pair_reader_follow(sg_scadyg_reader(scorer), error);
}

static void save_scorer(const void *scorer, sg_state_writer *writer)
{
    const sg_pair_reader *reader = sg_scadyg_reader(scorer);
    sg_ledger_save(reader->ledger, reader->view->nodes, writer);
}

int sg_scadyg_met(void *scorer, const sg_nodes_asked *asked, uint32_t source, unsigned char *met,
                  scadyg_error *error)
{
    sg_pair_reader *reader = sg_scadyg_reader(scorer);
    const sg_place place = sg_reader_place(reader->view, -1, asked->at, asked->seen);
    const sg_ledger_group group = {place.seen, place.at, 0, 0};
    int status = sg_pair_reader_run_raw(reader, &(sg_read_plan){.groups = &group, .count = 1}, error);
    if (!status) (void)sg_ledger_met(reader->ledger, source, asked->nodes, asked->count, met);
    return status;
}

/* ---- Live ---- */

typedef struct live_state {
    sg_ledger *ledger;
    sg_retriever *retriever;
    const sg_columns *columns;
} live_state;

static void close_live(void *state)
{
    live_state *s = state;
    if (!s) return;
    sg_ledger_close(s->ledger);
    sg_retriever_close(s->retriever);
    free(s);
}

static int open_live(sg_view *view, const uint64_t *keys, void **state, scadyg_error *error)
{
    const sg_ledger_options options = sg_scadyg_ledger(view->model);
    const sg_view_state *from = &view->state;
    live_state *s = sg_alloc_zero(1, sizeof *s);
    if (!s) return sg_fail_memory(error, "a live state");
    s->columns = view->columns;
    int status = sg_retriever_open(&s->retriever, error);
    if (!status)
        status = sg_ledger_open_state(view->context, &options, view->columns, keys,
                                      from->reader ? (size_t)from->nodes : view->nodes, from->reader, 0,
                                      from->newest, &s->ledger, error);
    if (!status) status = sg_ledger_grow(s->ledger, keys, view->nodes, error);
    if (status) {
        close_live(s);
        return status;
    }
    *state = s;
    return SCADYG_OK;
}

static int grow_live(void *state, const uint64_t *keys, size_t nodes, scadyg_error *error)
{
    live_state *s = state;
    return sg_ledger_grow(s->ledger, keys, nodes, error);
}

static int observe_live(void *state, uint64_t first, uint64_t end, uint64_t number, scadyg_error *error)
{
    live_state *s = state;
    int status = sg_ledger_observe(s->ledger, first, end, number, error);
    if (!status) sg_retriever_touch(s->retriever, s->columns->dst + first, (size_t)(end - first));
    return status;
}

static void save_live(const void *state, size_t nodes, sg_state_writer *writer)
{
    const live_state *s = state;
    sg_ledger_save(s->ledger, nodes, writer);
}

static uint64_t bytes_of_live(const void *state)
{
    const live_state *s = state;
    return sg_ledger_used(s->ledger);
}

/* A vector has a bound, as pairs have. */
static uint64_t bytes_of_node(const scadyg_model *model)
{
    const sg_ledger_options options = sg_scadyg_ledger(model);
    return sg_ledger_bytes(&options, 1, 1);
}

static uint64_t bound_of_rest(const scadyg_model *model)
{
    const sg_ledger_options options = sg_scadyg_ledger(model);
    return sg_ledger_bound(&options);
}

static void find_met(const void *state, uint32_t source, const uint32_t *nodes, size_t count, unsigned char *met)
{
    const live_state *s = state;
    (void)sg_ledger_met(s->ledger, source, nodes, count, met);
}

/* ---- Readers of it ---- */

typedef struct live_reader {
    const live_state *state;
    sg_pair_reader reader; /* its ledger is a copy that shares the state */
} live_reader;

static void renew_reader(void *reader)
{
    live_reader *r = reader;
    sg_ledger_share(r->state->ledger, r->reader.ledger);
    r->reader.reached = (sg_place){0, -INFINITY};
}

static void close_reader(void *reader)
{
    live_reader *r = reader;
    if (!r) return;
    free(r->reader.ledger);
    r->reader.ledger = NULL;
    sg_pair_reader_close(&r->reader);
    free(r);
}

static int open_reader(const void *state, sg_view *view, void **reader, sg_scorer *scorer, scadyg_error *error)
{
    live_reader *r = sg_alloc_zero(1, sizeof *r);
    if (!r) return sg_fail_memory(error, "a reader");
    *r = (live_reader){.state = state, .reader = {.view = view, .ledger = sg_alloc(sg_ledger_size(), 1)}};
    int status = r->reader.ledger ? SCADYG_OK : sg_fail_memory(error, "a reader");
    if (!status) status = sg_scadyg_scorer_share(view, &r->reader, scorer, error);
    if (!status) sg_scadyg_scorer_retriever(scorer, r->state->retriever);
    if (status) {
        close_reader(r);
        return status;
    }
    *reader = r;
    return SCADYG_OK;
}

const sg_live_kind sg_scadyg_live = {
    .can = can_live,
    .follow = follow_scorer,
    .save_scorer = save_scorer,
    .open = open_live,
    .close = close_live,
    .grow = grow_live,
    .observe = observe_live,
    .save = save_live,
    .bytes = bytes_of_live,
    .node_bytes = bytes_of_node,
    .bound = bound_of_rest,
    .reader_open = open_reader,
    .reader_renew = renew_reader,
    .reader_close = close_reader,
    .met = find_met,
};
