/* A reader: the ledger of a file, followed for a model; and how large that ledger is. */
#include "models/scadyg/reader.h"

#include "base/memory.h"
#include "events/node_id.h"
#include "messages/pairs/vectors.h"
#include "models/scadyg/cases.h"
#include "models/scadyg/one_source.h"

#include <math.h>

/* The first time that sees all of so many events. */
static double just_after(const sg_columns *columns, uint64_t events)
{
    return events ? nextafter(columns->time[events - 1], INFINITY) : -INFINITY;
}

/* Blank, or of a state that was kept of the first events; then the nodes that have come since are new. */
static int open_ledger(sg_pair_reader *reader, const sg_ledger_options *options, const uint64_t *keys,
                       scadyg_error *error)
{
    const sg_view *view = reader->view;
    const sg_view_state *from = &view->state;
    if (!from->reader)
        return sg_ledger_open(view->context, options, view->columns, keys, view->nodes, &reader->ledger, error);
    int status = sg_ledger_open_state(view->context, options, view->columns, keys, (size_t)from->nodes,
                                      from->reader, from->events, from->newest, &reader->ledger, error);
    if (!status) status = sg_ledger_grow(reader->ledger, keys, view->nodes, error);
    reader->reached = (sg_place){from->events, just_after(view->columns, from->events)};
    return status;
}

int sg_pair_reader_open(sg_pair_reader *reader, sg_view *view, scadyg_error *error)
{
    const sg_ledger_options options = sg_scadyg_ledger(view->model);
    *reader = (sg_pair_reader){.view = view, .reached = {0, -INFINITY}};
    const uint64_t *keys = NULL;
    int status = sg_events_keys(view->events, &keys, error);
    if (!status) status = open_ledger(reader, &options, keys, error);
    if (status) sg_pair_reader_close(reader);
    return status;
}

void sg_pair_reader_close(sg_pair_reader *reader)
{
    sg_ledger_close(reader->ledger);
    SG_FREE(reader->nodes, reader->between, reader->other_nodes, reader->other_between);
    *reader = (sg_pair_reader){0};
}

void sg_pair_reader_rewind(sg_pair_reader *reader)
{
    if (reader->reached.seen) sg_ledger_rewind(reader->ledger);
    reader->reached = (sg_place){0, -INFINITY};
}

sg_place sg_reader_place(const sg_view *view, int64_t step, double at, uint64_t seen)
{
    if (!sg_train_of(view->model)->stepwise) return (sg_place){seen, at};
    const sg_steps *steps = &view->messages->steps;
    int64_t over = sg_view_step(view, step, at, seen);
    if (over > steps->count) over = steps->count;
    /* Not the origin of the steps: the file may begin long after it, and nothing is read before its first time. */
    if (over <= 0 || steps->first[over] == 0) return (sg_place){0, view->columns->time[0]};
    return (sg_place){steps->first[over], nextafter(steps->end[over - 1], INFINITY)};
}

/* ---- Normalising: rows of nodes and of pairs, which have their logarithms already ---- */

#define PIECE_NUMBERS 65536
#define FARTHEST 8.0f /* deviations; what lies beyond teaches nothing but its direction */

typedef struct standardising {
    const float *mean, *scale;
    float *rows;
    size_t count, width, per_piece;
} standardising;

static void standardise_piece(void *data, size_t worker, size_t piece)
{
    (void)worker;
    const standardising *w = data;
    const size_t begin = piece * w->per_piece;
    const size_t end = w->count - begin < w->per_piece ? w->count : begin + w->per_piece;
    for (size_t row = begin; row < end; row++) {
        float *x = w->rows + row * w->width;
        for (size_t j = 0; j < w->width; j++) {
            float z = (x[j] - w->mean[j]) * w->scale[j];
            z = z < FARTHEST ? z : FARTHEST;
            x[j] = z > -FARTHEST ? z : -FARTHEST;
        }
    }
}

static void standardise(scadyg_context *context, standardising w)
{
    w.per_piece = w.width < PIECE_NUMBERS ? PIECE_NUMBERS / w.width : 1;
    if (w.count) sg_parallel_for(context, (w.count + w.per_piece - 1) / w.per_piece, standardise_piece, &w);
}

/* Brings the rows of the latest read to mean 0 and deviation 1 by the training statistics. */
static void normalise_rows(sg_pair_reader *reader)
{
    const sg_read_plan *plan = &reader->read_plan;
    const scadyg_model *model = reader->view->model;
    const sg_pair_net *net = &sg_scadyg_of(model)->net;
    const size_t nodes = plan->nodes ? plan->node_first[plan->count] : 0, pairs = plan->groups[plan->count - 1].end;
    standardise(reader->view->context,
                (standardising){model->mean, model->scale, reader->nodes, nodes, net->node, 0});
    standardise(reader->view->context, (standardising){model->mean + net->node, model->scale + net->node,
                                                       reader->between, pairs, net->between, 0});
}

void sg_pair_reader_normalise(const sg_pair_reader *reader, float *between)
{
    const scadyg_model *model = reader->view->model;
    const sg_pair_net *net = &sg_scadyg_of(model)->net;
    standardise(NULL,
                (standardising){model->mean + net->node, model->scale + net->node, between, 1, net->between, 0});
}

/* ---- Reading ---- */

/* Makes a plan of reading into the rows at hand, and the place it will reach. */
static int prepare_read(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    const sg_ledger_group *first = &asked->groups[0], *last = &asked->groups[asked->count - 1];
    const sg_pair_net *net = &sg_scadyg_of(reader->view->model)->net;
    const size_t node = net->node, between = net->between;
    const size_t rows = asked->nodes ? asked->node_first[asked->count] : 0;
    if (first->seen < reader->reached.seen || first->at < reader->reached.at) sg_pair_reader_rewind(reader);
    if (sg_renew(&reader->nodes, &reader->node_room, rows * node + 1, sizeof *reader->nodes) ||
        sg_renew(&reader->between, &reader->between_room, last->end * between + 1, sizeof *reader->between))
        return sg_fail_memory(error, "the pairs to read");
    reader->read_plan = *asked;
    reader->read_plan.between = reader->between;
    reader->read_plan.node_rows = reader->nodes;
    reader->reached = (sg_place){last->seen, last->at};
    return SCADYG_OK;
}

/* After a failure the ledger has taken in nobody knows what. */
static int settle_read(sg_pair_reader *reader, int status)
{
    if (!status) return status;
    reader->reached.seen = 1;
    sg_pair_reader_rewind(reader);
    return status;
}

/* A long way to where the first pairs stand is gone in stretches, so that it can be watched and stopped. */
static int follow_log(sg_pair_reader *reader, uint64_t seen, scadyg_error *error)
{
    const double *time = reader->view->columns->time;
    const uint64_t most = sg_view_stretch(reader->view);
    int status = SCADYG_OK;
    while (!status && seen - reader->reached.seen > most) {
        const uint64_t next = reader->reached.seen + most;
        const sg_ledger_group group = {next, time[next], 0, 0};
        const sg_read_plan stretch = {.groups = &group, .count = 1};
        status =
            sg_events_report(reader->view->context, reader->view->events, "following the log", next, seen, error);
        if (!status) status = prepare_read(reader, &stretch, error);
        if (!status) status = settle_read(reader, sg_ledger_run(reader->ledger, &reader->read_plan, error));
    }
    return status;
}

int sg_pair_reader_follow(sg_pair_reader *reader, scadyg_error *error)
{
    const sg_view *view = reader->view;
    const uint64_t count = view->columns->count, most = sg_view_stretch(view);
    int status = SCADYG_OK;
    for (uint64_t at = sg_ledger_taken(reader->ledger), next; at < count && !status; at = next) {
        next = count - at > most ? at + most : count;
        status = sg_events_report(view->context, view->events, "following the log", at, count, error);
        if (!status) status = settle_read(reader, sg_ledger_observe(reader->ledger, at, next, at, error));
        if (status) return status;
        sg_ledger_set_taken(reader->ledger, next);
        reader->reached = (sg_place){next, just_after(view->columns, next)};
    }
    return status;
}

int sg_pair_reader_run_raw(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    if (asked->count == 0) return SCADYG_OK;
    const sg_ledger_group *first = &asked->groups[0];
    if (first->seen < reader->reached.seen || first->at < reader->reached.at) sg_pair_reader_rewind(reader);
    int status = follow_log(reader, first->seen, error);
    if (!status) status = prepare_read(reader, asked, error);
    if (status) return status;
    return settle_read(reader, sg_ledger_run(reader->ledger, &reader->read_plan, error));
}

int sg_pair_reader_run(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    int status = sg_pair_reader_run_raw(reader, asked, error);
    if (!status && asked->count) normalise_rows(reader);
    return status;
}

static void swap_rows(sg_pair_reader *r)
{
    float *const nodes = r->nodes, *const between = r->between;
    const size_t node_room = r->node_room, between_room = r->between_room;
    r->nodes = r->other_nodes, r->between = r->other_between;
    r->node_room = r->other_node_room, r->between_room = r->other_between_room;
    r->other_nodes = nodes, r->other_between = between;
    r->other_node_room = node_room, r->other_between_room = between_room;
}

int sg_pair_reader_start(sg_pair_reader *reader, const sg_read_plan *asked, scadyg_error *error)
{
    reader->read_plan = (sg_read_plan){0};
    if (asked->count == 0) return SCADYG_OK;
    swap_rows(reader);
    int status = prepare_read(reader, asked, error);
    if (!status) status = settle_read(reader, sg_ledger_start(reader->ledger, &reader->read_plan, error));
    swap_rows(reader);
    if (status) reader->read_plan = (sg_read_plan){0};
    return status;
}

int sg_pair_reader_finish(sg_pair_reader *reader, scadyg_error *error)
{
    if (reader->read_plan.count == 0) return SCADYG_OK;
    swap_rows(reader);
    int status = settle_read(reader, sg_ledger_finish(reader->ledger, error));
    if (!status) normalise_rows(reader);
    reader->read_plan = (sg_read_plan){0}; /* once more would be over other rows */
    return status;
}

void sg_pair_reader_drop(sg_pair_reader *reader)
{
    if (reader->read_plan.count == 0) return;
    sg_ledger_drop(reader->ledger);
    reader->reached = (sg_place){UINT64_MAX, INFINITY}; /* the next read begins anew */
    reader->read_plan = (sg_read_plan){0};
}

/* ---- The plan of a ledger: rates from the events, room for pairs from the memory ---- */

#define PAIRS_LEAST (16u << 20) /* bytes for pairs */
#define VECTORS_LEAST 1024u     /* destinations that have vectors */

/* What training keeps of a node beside the ledger: keys, what cases are drawn from, where its row is. */
#define NODE_EXTRA (8 + 4 + 4 + 1 + 4 + 4)

/*
 * Room for four times the pairs that this log can have, in whole powers of two: it may grow, and the bound, which is kept
 * in the model, does not depend on the machine as long as memory is not short.
 */
static uint64_t ample_bytes(const sg_view *view)
{
    const scadyg_messages *messages = view->messages;
    uint64_t wanted = PAIRS_LEAST;
    while (wanted < 4 * sg_pair_store_bytes_for(messages->columns.count, messages->columns.weight != NULL))
        wanted *= 2;
    return wanted;
}

static uint64_t row_bytes(const sg_pair_net *net, sg_read_size size)
{
    const uint64_t bytes = (size.pairs * net->between + size.nodes * net->node) * sizeof(float);
    return bytes + bytes / 16; /* sg_renew */
}

uint64_t sg_pair_reader_bytes(const scadyg_model *model, sg_read_size size)
{
    const sg_ledger_options ledger = sg_scadyg_ledger(model);
    const sg_pair_net net = sg_scadyg_net(model);
    const uint64_t read = sg_ledger_read_bytes(&ledger, size.pairs);
    return row_bytes(&net, size) + read + read / 16 + size.pairs * SG_LANES(net.hidden) * sizeof(float);
}

/* A chunk that is learned from while the next one is read; or, in place of that, as many pairs as are asked about at a time. */
static uint64_t batch_bytes(const scadyg_model *model, uint64_t events)
{
    const sg_read_size chunk = sg_pair_chunk_most(model, events),
                       asked = {SG_ONE_SOURCE_SLAB, 2 * SG_ONE_SOURCE_SLAB};
    const sg_read_size larger = {chunk.pairs > asked.pairs ? chunk.pairs : asked.pairs,
                                 chunk.nodes > asked.nodes ? chunk.nodes : asked.nodes};
    const sg_pair_net net = sg_scadyg_net(model);
    return sg_pair_reader_bytes(model, larger) + row_bytes(&net, chunk) + sg_pair_chunk_bytes(model) +
           sg_pair_step_bytes(model);
}

/* As much as is needed, up to a quarter, is for the pages of the events file that were read (sg_events_hold). */
sg_beside sg_scadyg_beside(const sg_view *view, uint64_t memory, uint64_t evaluations)
{
    const uint64_t pages = view->columns->count * sg_columns_event_bytes(view->columns);
    return (sg_beside){.pages = pages < memory / 4 ? pages : memory / 4,
                       .batches = batch_bytes(view->model, view->columns->count),
                       .evaluations = evaluations};
}

/* What of the memory is for the ledger. */
static uint64_t usable_bytes(const sg_view *view, uint64_t memory, uint64_t evaluations)
{
    const sg_beside beside = sg_scadyg_beside(view, memory, evaluations);
    const uint64_t taken = beside.pages + beside.batches + beside.evaluations;
    return memory > taken ? memory - taken : 0;
}

/* The least memory of which so much is usable: a byte more of it never gives more than a byte. */
static uint64_t least_memory(const sg_view *view, uint64_t needed, uint64_t evaluations)
{
    uint64_t memory = needed;
    for (uint64_t has; (has = usable_bytes(view, memory, evaluations)) < needed;) memory += needed - has;
    return memory;
}

/* Vectors for four times the destinations of this log, within a quarter of the memory and half of what the pairs can spare. */
static uint64_t ample_vectors(const sg_vector_roles *roles, uint64_t memory, uint64_t left)
{
    const uint64_t pasts = sg_vector_past_bytes(roles->nodes, roles->sources), spare = (left - PAIRS_LEAST) / 2;
    const uint64_t quarter = memory / 4 > pasts ? memory / 4 - pasts : 0;
    const uint64_t fit = (quarter < spare ? quarter : spare) / SG_VECTOR_ROW_BYTES,
                   wanted = 4 * roles->destinations;
    const uint64_t most = fit < wanted ? fit : wanted;
    return most < VECTORS_LEAST ? VECTORS_LEAST : most;
}

/* What the nodes leave is for the pairs and the vectors. */
int sg_scadyg_plan(scadyg_model *model, const sg_view *view, uint64_t train_end, uint64_t memory,
                   uint64_t evaluations, scadyg_error *error)
{
    const uint64_t nodes = view->nodes, room = usable_bytes(view, memory, evaluations);
    sg_ledger_plan *plan = &sg_scadyg_of(model)->plan;
    const sg_ledger_options options = sg_scadyg_ledger(model);
    sg_vector_roles roles = {0};
    int status = sg_ledger_rates(view->columns, nodes, train_end, &plan->rates, error);
    if (!status && options.vectors) status = sg_vectors_count_roles(view->columns, nodes, &roles, error);
    if (status) return status;
    const uint64_t fixed = sg_ledger_bytes(&options, nodes, roles.sources) + nodes * NODE_EXTRA;
    const uint64_t vectors = options.vectors ? VECTORS_LEAST * SG_VECTOR_ROW_BYTES : 0;
    const uint64_t needed = fixed + fixed / 2 + PAIRS_LEAST + vectors;
    if (room < needed)
        return sg_fail(error, SCADYG_E_MEMORY,
                       "--memory %llu is not enough for %llu nodes and %llu events: at least %llu bytes are needed",
                       (unsigned long long)memory, (unsigned long long)nodes,
                       (unsigned long long)view->columns->count,
                       (unsigned long long)least_memory(view, needed, evaluations));
    plan->vectors = options.vectors ? ample_vectors(&roles, memory, room - fixed) : 0;
    const uint64_t wanted = ample_bytes(view), left = room - fixed - plan->vectors * SG_VECTOR_ROW_BYTES;
    plan->pair_bytes = wanted < left ? wanted : left;
    return SCADYG_OK;
}
