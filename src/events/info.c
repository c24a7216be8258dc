/* Info: what is in an events file. */
#include "events/info.h"

#include "base/memory.h"
#include "base/pair_map.h"
#include "events/file.h"
#include "events/steps.h"
#include "scadyg_lab.h"

#include <stdlib.h>
#include <string.h>

#define TENTHS 10
#define BLOCK ((uint64_t)1 << 22) /* events between two progress reports */
#define DEFAULT_MEMORY ((uint64_t)1 << 30)
#define FEW_EVENTS ((uint64_t)1 << 15) /* done before other threads would have begun */

/* What one side, sources or destinations, tells of a node: one word, so that an event touches memory once. */
#define DEGREE_BITS 48
#define DEGREE_MASK (((uint64_t)1 << DEGREE_BITS) - 1) /* below: events; above: a bit per tenth it was active in */

typedef struct survey {
    sg_columns columns;
    uint64_t begin, end; /* events of the present block, all in one tenth */
    int tenth;
    uint64_t *sides[2]; /* [nodes] */
    uint64_t self_loops;
    uint64_t distinct_times;
} survey;

static void count_side(const survey *s, int side)
{
    const uint32_t *node = side ? s->columns.dst : s->columns.src;
    uint64_t *known = s->sides[side];
    const uint64_t active = (uint64_t)1 << (DEGREE_BITS + s->tenth);
    const uint32_t *src = s->columns.src;
    for (uint64_t i = s->begin; i < s->end; i++) {
        /* A self-loop is one event of its node: it counts on the side of the source only. */
        uint64_t one = !side || node[i] != src[i];
        known[node[i]] = (known[node[i]] + one) | active;
    }
}

static void count_loops_and_times(survey *s)
{
    const sg_columns *c = &s->columns;
    uint64_t loops = 0, changes = s->begin == 0;
    for (uint64_t i = s->begin; i < s->end; i++) loops += c->src[i] == c->dst[i];
    for (uint64_t i = s->begin ? s->begin : 1; i < s->end; i++) changes += c->time[i] != c->time[i - 1];
    s->self_loops += loops;
    s->distinct_times += changes;
}

static void run_survey_task(void *data, size_t worker, size_t task)
{
    (void)worker;
    survey *s = data;
    if (task < 2)
        count_side(s, (int)task);
    else
        count_loops_and_times(s);
}

/* Everything but the pairs, in blocks that do not cross a tenth. */
static int run_survey(scadyg_context *context, survey *s, const sg_steps *tenths, scadyg_error *error)
{
    scadyg_context *workers = s->columns.count < FEW_EVENTS ? NULL : context;
    for (s->tenth = 0; s->tenth < TENTHS; s->tenth++)
        for (s->begin = tenths->first[s->tenth]; s->begin < tenths->first[s->tenth + 1]; s->begin = s->end) {
            s->end = tenths->first[s->tenth + 1];
            if (s->end - s->begin > BLOCK) s->end = s->begin + BLOCK;
            sg_parallel_for(workers, 3, run_survey_task, s);
            int status =
                sg_events_report(context, s->columns.events, "counting events", s->end, s->columns.count, error);
            if (status) return status;
        }
    return SCADYG_OK;
}

/* Keeps the busiest nodes in order; of equally busy ones the one that came first. */
static void offer_top(scadyg_info *info, uint32_t node, uint64_t degree)
{
    size_t at = info->top_count;
    if (at == SCADYG_INFO_TOP && degree <= info->top_degrees[at - 1]) return;
    if (at == SCADYG_INFO_TOP)
        at--;
    else
        info->top_count++;
    for (; at > 0 && info->top_degrees[at - 1] < degree; at--) {
        info->top_degrees[at] = info->top_degrees[at - 1];
        info->top_nodes[at] = info->top_nodes[at - 1];
    }
    info->top_degrees[at] = degree;
    info->top_nodes[at] = node;
}

static void sum_up_nodes(const survey *s, uint64_t nodes, scadyg_info *info)
{
    uint64_t fresh[TENTHS] = {0}, active[TENTHS] = {0}, both = 0;
    for (uint64_t node = 0; node < nodes; node++) {
        uint64_t from = s->sides[0][node], to = s->sides[1][node];
        unsigned seen = (unsigned)((from | to) >> DEGREE_BITS);
        info->sources += from != 0;
        info->destinations += to != 0;
        both += from != 0 && to != 0;
        offer_top(info, (uint32_t)node, (from & DEGREE_MASK) + (to & DEGREE_MASK));
        if (!seen) continue;
        fresh[__builtin_ctz(seen)]++;
        for (; seen; seen &= seen - 1) active[__builtin_ctz(seen)]++;
    }
    info->bipartite = both == 0;
    for (int i = 0; i < TENTHS; i++) info->new_nodes[i] = active[i] ? (double)fresh[i] / (double)active[i] : 0;
}

static int is_all_zero(const float *values, uint64_t count)
{
    if (!values) return 0;
    for (uint64_t i = 0; i < count; i++)
        if (values[i] != 0) return 0;
    return 1;
}

static int cut_times(const sg_columns *columns, sg_steps *tenths, scadyg_info *info, scadyg_error *error)
{
    sg_steps bins;
    int status = sg_steps_make(&bins, columns->time, columns->count, SCADYG_INFO_BINS, SG_STEPS_EQUAL_TIME, error);
    if (status) return status;
    for (int i = 0; i < SCADYG_INFO_BINS; i++) info->histogram[i] = bins.first[i + 1] - bins.first[i];
    sg_steps_free(&bins);
    status = sg_steps_make(tenths, columns->time, columns->count, TENTHS, SG_STEPS_EQUAL_TIME, error);
    for (int i = 0; i < TENTHS && !status; i++) info->events_in_tenth[i] = tenths->first[i + 1] - tenths->first[i];
    return status;
}

/* ---- Pairs ---- */

#define BATCH 64 /* events whose slots are fetched ahead together */
#define LEAST_SLOTS ((uint64_t)1024)

/* The pairs of one partition in work: by each its latest time. */
typedef struct partition {
    sg_pair_map pairs;
    uint64_t repeated_events;
    int full;
} partition;

typedef struct pair_count {
    sg_columns columns;
    uint64_t begin, end; /* events of the present block */
    uint64_t slots;      /* of each table, a power of two */
    uint64_t partitions; /* in all */
    uint64_t first;      /* partition of tables[0] */
    uint64_t width;      /* tables */
    partition *tables;
} pair_count;

static void add_pair(const pair_count *c, partition *table, uint64_t event)
{
    const uint64_t key = sg_pair_key(c->columns.src[event], c->columns.dst[event]);
    sg_pair_slot *slot = sg_pair_map_slot(&table->pairs, key);
    uint64_t time;
    const double now =
        c->columns.time[event] + 0.0; /* there is no negative zero among times, but there may be in a file */
    memcpy(&time, &now, sizeof time);
    if (slot->key == key) {
        table->repeated_events += slot->value == time;
    } else if (table->pairs.count >= c->slots / 4 * 3) {
        table->full = 1;
        return;
    } else {
        table->pairs.count++;
    }
    *slot = (sg_pair_slot){key, time};
}

/* One partition's share of a block of events. Slots are asked for a batch ahead: memory is slow. */
static void scan_block(void *data, size_t worker, size_t index)
{
    (void)worker;
    const pair_count *c = data;
    partition *table = &c->tables[index];
    const uint64_t wanted = c->first + index;
    uint64_t events[BATCH];
    for (uint64_t at = c->begin; at < c->end && !table->full; at += BATCH) {
        uint64_t end = at + BATCH < c->end ? at + BATCH : c->end, count = 0;
        for (uint64_t i = at; i < end; i++) {
            const uint64_t key = sg_pair_key(c->columns.src[i], c->columns.dst[i]);
            const uint64_t hash = sg_hash_number(&table->pairs.key, key);
            events[count] = i;
            if (((hash >> 32) * c->partitions) >> 32 != wanted) continue;
            __builtin_prefetch(&table->pairs.slots[hash & table->pairs.mask], 1);
            count++;
        }
        for (uint64_t i = 0; i < count && !table->full; i++) add_pair(c, table, events[i]);
    }
}

/* One reading of the events for the partitions first .. first + width - 1. *full: a table was too small. */
static int run_round(scadyg_context *context, pair_count *c, int *full, scadyg_error *error)
{
    for (uint64_t i = 0; i < c->width; i++) {
        sg_pair_map_clear(&c->tables[i].pairs);
        c->tables[i].repeated_events = 0;
        c->tables[i].full = 0;
    }
    const uint64_t events = c->columns.count;
    for (uint64_t at = 0; at < events; at += BLOCK) {
        c->begin = at;
        c->end = at + BLOCK < events ? at + BLOCK : events;
        sg_parallel_for(context, c->width, scan_block, c);
        for (uint64_t i = 0; i < c->width; i++) *full |= c->tables[i].full;
        int status =
            sg_events_report(context, c->columns.events, "counting pairs", (c->first / c->width) * events + c->end,
                             (c->partitions / c->width) * events, error);
        if (status || *full) return status;
    }
    return SCADYG_OK;
}

/* All rounds with the present number of partitions. */
static int run_rounds(scadyg_context *context, pair_count *c, sg_pair_counts *counts, int *full,
                      scadyg_error *error)
{
    *counts = (sg_pair_counts){.partitions = c->partitions};
    for (c->first = 0; c->first < c->partitions; c->first += c->width) {
        int status = run_round(context, c, full, error);
        if (status || *full) return status;
        for (uint64_t i = 0; i < c->width; i++) {
            counts->distinct_pairs += c->tables[i].pairs.count;
            counts->repeated_events += c->tables[i].repeated_events;
        }
    }
    return SCADYG_OK;
}

int sg_count_pairs(scadyg_context *context, const sg_columns *columns, uint64_t memory, sg_pair_counts *counts,
                   scadyg_error *error)
{
    const uint64_t events = columns->count;
    const uint64_t width = events < FEW_EVENTS ? 1 : sg_context_threads(context);
    const uint64_t room = memory / width / sizeof(sg_pair_slot);
    pair_count c = {.columns = *columns, .slots = LEAST_SLOTS, .partitions = width, .width = width};
    while (c.slots < 2 * (events / width) && c.slots * 2 <= room) c.slots *= 2;
    c.tables = sg_alloc_zero(width, sizeof *c.tables);
    int status = c.tables ? SCADYG_OK : sg_fail_memory(error, "counting pairs");
    for (uint64_t i = 0; i < width && !status; i++)
        if (sg_pair_map_open_slots(&c.tables[i].pairs, c.slots)) status = sg_fail_memory(error, "counting pairs");
    /* The hash says in which of the tables a pair is, so they share it. */
    for (uint64_t i = 1; i < width && !status; i++) c.tables[i].pairs.key = c.tables[0].pairs.key;
    /* A table that is too small shows it early, so trying and doubling costs less than knowing beforehand. */
    for (int full = 1; full && !status; c.partitions *= 2) {
        full = 0;
        status = run_rounds(context, &c, counts, &full, error);
    }
    for (uint64_t i = 0; c.tables && i < width; i++) sg_pair_map_close(&c.tables[i].pairs);
    free(c.tables);
    return status;
}

/* ---- All of it ---- */

static int compute_info(scadyg_context *context, survey *s, sg_steps *tenths, scadyg_info *info,
                        scadyg_error *error)
{
    const scadyg_shape *shape = info->shape;
    s->sides[0] = sg_alloc_zero(shape->nodes, sizeof(uint64_t));
    s->sides[1] = sg_alloc_zero(shape->nodes, sizeof(uint64_t));
    if (!s->sides[0] || !s->sides[1]) return sg_fail_memory(error, "the activity of the nodes");
    int status = cut_times(&s->columns, tenths, info, error);
    if (!status) status = run_survey(context, s, tenths, error);
    if (status) return status;
    sum_up_nodes(s, shape->nodes, info);
    sg_pair_counts pairs;
    status = sg_count_pairs(context, &s->columns, sg_context_memory_or(context, DEFAULT_MEMORY), &pairs, error);
    if (status) return status;
    info->self_loops = s->self_loops;
    info->distinct_times = s->distinct_times;
    info->distinct_pairs = pairs.distinct_pairs;
    info->repeated_pairs = shape->events - pairs.distinct_pairs;
    info->repeated_events = pairs.repeated_events;
    info->average_degree = 2 * (double)shape->events / (double)shape->nodes;
    info->edge_features_zero = is_all_zero(s->columns.edge_features, shape->events * shape->edge_features);
    info->node_features_zero = is_all_zero(s->columns.node_features, shape->nodes * shape->node_features);
    return SCADYG_OK;
}

int scadyg_info_compute(scadyg_context *context, scadyg_events *events, scadyg_info **out, scadyg_error *error)
{
    survey s = {0};
    sg_steps tenths = {0};
    scadyg_info *info = sg_alloc_zero(1, sizeof *info);
    if (!info) return sg_fail_memory(error, "the figures of the file");
    info->shape = scadyg_events_shape(events);
    int status = sg_events_columns(context, events, 0, 1, &s.columns, error);
    if (!status) status = compute_info(context, &s, &tenths, info, error);
    status = sg_events_finish(status, events, error);
    sg_steps_free(&tenths);
    SG_FREE(s.sides[0], s.sides[1]);
    if (status)
        scadyg_info_free(info);
    else
        *out = info;
    return status;
}

void scadyg_info_free(scadyg_info *info)
{
    free(info);
}
