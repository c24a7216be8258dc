/*
 * The batch engine: messages at one time, from the events of the window before it.
 *
 * The sums refer to that very time, so an event adds x * T(at - t) and nothing is carried. Memory: the sums
 * of the nodes, and a bounded scratch; with more than one hop also the sums of the nodes of one step, and 8
 * bytes per event of it.
 */
#include "base/context.h"
#include "base/memory.h"
#include "messages/nodes/step_sums.h"

#include <math.h>
#include <string.h>

/* Events between two reports of progress: about a tenth of a second. */
#define REPORT_EVENTS ((uint64_t)8 << 20)

/* Which events a message at a time is made of: those of the window, strictly before it. */
typedef struct span {
    uint64_t first, end;
    int64_t first_step, last_step;
} span;

static span find_span(const scadyg_messages *plan, double at)
{
    const sg_steps *steps = &plan->steps;
    span s = {.end = sg_events_before(plan->columns.time, plan->columns.count, at)};
    s.last_step = plan->trained_on ? sg_steps_find_open(steps, at) : sg_steps_find(steps, at);
    if (plan->window && s.last_step - plan->window >= 0) s.first_step = s.last_step - plan->window + 1;
    if (s.last_step >= steps->count) s.last_step = steps->count - 1;
    s.first = steps->first[s.first_step < steps->count ? s.first_step : steps->count];
    if (s.first > s.end) s.first = s.end;
    return s;
}

static int report_progress(const scadyg_messages *plan, uint64_t done, uint64_t total, scadyg_error *error)
{
    return sg_events_report(plan->context, plan->columns.events, "propagating", done, total, error);
}

/* ---- All nodes ---- */

static int add_one_hop(sg_sums *sums, const span *s, scadyg_error *error)
{
    scadyg_context *context = sums->plan->context;
    const sg_source source = sg_plan_source(sums->plan);
    const uint64_t total = s->end - s->first;
    for (uint64_t done = 0; done < total; done += REPORT_EVENTS) {
        const uint64_t size = total - done < REPORT_EVENTS ? total - done : REPORT_EVENTS;
        int status = report_progress(sums->plan, done, total, error);
        if (!status) status = sg_sums_add(context, sums, &source, s->first + done, size, NULL, NULL, error);
        if (status) return status;
    }
    return report_progress(sums->plan, total, total, error);
}

static int add_steps(sg_sums *sums, const span *s, scadyg_error *error)
{
    const scadyg_messages *plan = sums->plan;
    scadyg_context *context = plan->context;
    const sg_source source = sg_plan_source(plan);
    sg_step_sums step_sums;
    sg_step_sums_init(&step_sums, plan, 0);
    int status = SCADYG_OK;
    for (int64_t step = s->first_step; step <= s->last_step && !status; step++) {
        const uint64_t first = plan->steps.first[step];
        uint64_t end = plan->steps.first[step + 1];
        if (end > s->end) end = s->end;
        if (first >= end) continue;
        status = report_progress(plan, first - s->first, s->end - s->first, error);
        if (!status)
            status = sg_step_sums_make(context, &step_sums, &source, first, end - first, sums->frame, error);
        if (!status) sg_step_sums_fold(context, &step_sums, sums);
    }
    sg_step_sums_free(&step_sums);
    return status;
}

/* The sums of all nodes, rows by node number. */
static int add_for_all(sg_sums *sums, const span *s, scadyg_error *error)
{
    int status = sg_sums_reserve(sums, (size_t)sums->plan->nodes, error);
    if (status) return status;
    return sums->plan->hops > 1 ? add_steps(sums, s, error) : add_one_hop(sums, s, error);
}

/* ---- A few nodes: find the events that touch them, add only these, in the same order, so to the same bytes ---- */

#define PIECE ((uint64_t)1 << 16) /* events one task looks through */
#define CHUNK (16 * PIECE)        /* events looked through before any are added */
#define TOGETHER ((size_t)4096)   /* events added together */

typedef struct filter {
    sg_sums *sums;
    const sg_node_map *wanted;
    sg_source source;
    uint64_t *bits; /* one per node: it is wanted */
    uint64_t first, end;
    uint32_t *found;              /* [CHUNK]: events that touch a wanted node, from the piece's place on */
    size_t counts[CHUNK / PIECE]; /* how many per piece */
    sg_buffer buffer;
    uint32_t src_rows[TOGETHER], dst_rows[TOGETHER];
} filter;

static inline int is_wanted(const filter *f, uint32_t node)
{
    return (int)(f->bits[node >> 6] >> (node & 63) & 1);
}

static void filter_piece(void *data, size_t worker, size_t index)
{
    (void)worker;
    filter *f = data;
    const uint64_t begin = f->first + index * PIECE, end = f->end - begin < PIECE ? f->end : begin + PIECE;
    uint32_t *found = f->found + index * PIECE;
    size_t count = 0;
    for (uint64_t event = begin; event < end; event++) {
        found[count] = (uint32_t)(event - f->first);
        count += (size_t)(is_wanted(f, f->source.src[event]) | is_wanted(f, f->source.dst[event]));
    }
    f->counts[index] = count;
}

static int add_buffer(filter *f, scadyg_error *error)
{
    const sg_source source = sg_buffer_source(&f->buffer);
    const size_t count = f->buffer.count;
    for (size_t i = 0; i < count; i++) {
        f->src_rows[i] = is_wanted(f, source.src[i]) ? sg_node_map_find(f->wanted, source.src[i]) : SG_NO_ROW;
        f->dst_rows[i] = is_wanted(f, source.dst[i]) ? sg_node_map_find(f->wanted, source.dst[i]) : SG_NO_ROW;
    }
    f->buffer.count = 0;
    return sg_sums_add(NULL, f->sums, &source, 0, count, f->src_rows, f->dst_rows, error);
}

static int add_chunk(filter *f, scadyg_error *error)
{
    const size_t pieces = (size_t)((f->end - f->first + PIECE - 1) / PIECE);
    sg_parallel_for(f->sums->plan->context, pieces, filter_piece, f);
    int status = SCADYG_OK;
    for (size_t piece = 0; piece < pieces; piece++)
        for (size_t i = 0; i < f->counts[piece] && !status; i++) {
            const uint64_t event = f->first + f->found[piece * PIECE + i];
            status = sg_buffer_append(&f->buffer, f->sums->plan, &f->source, event, 1, error);
            if (!status && f->buffer.count == TOGETHER) status = add_buffer(f, error);
        }
    return status;
}

static int filter_span(filter *f, const span *s, scadyg_error *error)
{
    const uint64_t total = s->end - s->first;
    for (size_t row = 0; row < f->wanted->count; row++)
        f->bits[f->wanted->nodes[row] >> 6] |= (uint64_t)1 << (f->wanted->nodes[row] & 63);
    for (uint64_t done = 0; done < total; done += CHUNK) {
        int status = report_progress(f->sums->plan, done, total, error);
        f->first = s->first + done;
        f->end = total - done < CHUNK ? s->end : f->first + CHUNK;
        if (!status) status = add_chunk(f, error);
        if (status) return status;
    }
    int status = add_buffer(f, error);
    return status ? status : report_progress(f->sums->plan, total, total, error);
}

/* The sums of the mapped nodes, one hop. */
static int add_for_some(sg_sums *sums, const sg_node_map *wanted, const span *s, scadyg_error *error)
{
    int status = sg_sums_reserve(sums, wanted->count, error);
    if (status) return status;
    filter *f = sg_alloc_zero(1, sizeof *f);
    if (!f) return sg_fail_memory(error, "the wanted nodes");
    f->sums = sums;
    f->wanted = wanted;
    f->source = sg_plan_source(sums->plan);
    f->bits = sg_alloc_zero((size_t)(sums->plan->nodes / 64 + 1), sizeof *f->bits);
    f->found = sg_alloc((size_t)CHUNK, sizeof *f->found);
    status = f->bits && f->found ? filter_span(f, s, error) : sg_fail_memory(error, "the wanted nodes");
    sg_buffer_free(&f->buffer);
    SG_FREE(f->bits, f->found, f);
    return status;
}

/* ---- The way out: from sums to the caller's doubles ---- */

#define SLICE ((size_t)1024)

typedef struct output {
    const sg_sums *sums;
    const sg_node_map *rows; /* NULL: the row of a node is its number */
    const uint32_t *nodes;
    size_t count;
    double *out;
} output;

static void write_slice(void *data, size_t worker, size_t index)
{
    (void)worker;
    const output *o = data;
    const size_t width = o->sums->plan->width, begin = index * SLICE;
    const size_t end = o->count - begin < SLICE ? o->count : begin + SLICE;
    memset(o->out + begin * width, 0, (end - begin) * width * sizeof *o->out);
    for (size_t i = begin; i < end; i++) {
        const uint32_t node = o->nodes ? o->nodes[i] : (uint32_t)i;
        const size_t row = o->rows ? sg_node_map_find(o->rows, node) : node;
        sg_sums_read(o->sums, row, o->sums->frame, o->out + i * width);
    }
}

/* A pass over all events for a few nodes is cheaper than all sums; the results are the same. */
static int worth_filtering(const scadyg_messages *plan, const uint32_t *nodes, size_t count)
{
    return nodes && plan->hops == 1 && count <= plan->nodes / 8;
}

static int map_nodes(sg_node_map *map, const uint32_t *nodes, size_t count, scadyg_error *error)
{
    int status = SCADYG_OK;
    uint32_t row;
    for (size_t i = 0; i < count && !status; i++) status = sg_node_map_add(map, nodes[i], &row, error);
    return status;
}

int scadyg_messages_at(scadyg_messages *plan, double at, const uint32_t *nodes, size_t count, double *out,
                       scadyg_error *error)
{
    if (!isfinite(at)) return sg_fail(error, SCADYG_E_USAGE, "the time of messages must be a finite number");
    if (!nodes && count != plan->nodes)
        return sg_fail(error, SCADYG_E_USAGE, "the messages of all nodes are %llu, not %zu",
                       (unsigned long long)plan->nodes, count);
    for (size_t i = 0; nodes && i < count; i++)
        if (nodes[i] >= plan->nodes) return sg_fail(error, SCADYG_E_NOT_FOUND, "there is no node %u", nodes[i]);
    int status = scadyg_events_check(plan->columns.events, error);
    if (status) return status;
    const span s = find_span(plan, at);
    const int some = worth_filtering(plan, nodes, count);
    sg_node_map rows = {0};
    sg_sums sums;
    sg_sums_init(&sums, plan);
    sg_sums_fix(&sums, at);
    status = some ? map_nodes(&rows, nodes, count, error) : SCADYG_OK;
    if (!status) status = some ? add_for_some(&sums, &rows, &s, error) : add_for_all(&sums, &s, error);
    if (!status) {
        output o = {&sums, some ? &rows : NULL, nodes, count, out};
        sg_parallel_for(plan->context, (count + SLICE - 1) / SLICE, write_slice, &o);
    }
    sg_node_map_free(&rows);
    sg_sums_free(&sums);
    return status;
}
