/* The ledger: its state, and how it follows the log by a read plan. */
#include "messages/pairs/ledger.h"

#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICE 256  /* pairs read by a thread at a time */
#define AHEAD 4    /* nodes whose records are fetched ahead */
#define SOON 8     /* pairs whose lists are */
#define ALONE 2048 /* fewer pairs, or events, are not worth a second thread */

/* ---- Opening ---- */

/* How the bound is shared: contacts, transitions after one and after two, what came up together from either side. */
enum {
    CONTACTS = 8,
    TRANSITIONS = 2,
    AFTER_TWO = 2,
    ITEMS = 4,
    PEERS = 4,
    SHARES = CONTACTS + TRANSITIONS + AFTER_TWO + ITEMS + PEERS
};

static uint64_t share_of(const sg_ledger_options *o, int share)
{
    return o->plan.pair_bytes / SHARES * (uint64_t)share;
}

/* Random signs over the root of `kept`, so that lengths stay about the same. */
static float *make_signs(size_t count, size_t kept, uint64_t stream)
{
    float *signs = sg_alloc(count * kept, sizeof *signs);
    for (size_t i = 0; signs && i < count * kept; i++)
        signs[i] = (sg_hash3(1, stream, i) & 1 ? 1.0f : -1.0f) / sqrtf((float)kept);
    return signs;
}

static int open_features(sg_ledger *l, scadyg_error *error)
{
    const sg_ledger_options *o = &l->options;
    const size_t most = SG_LEDGER_FEATURES;
    l->edge_kept = o->edge_features < most ? o->edge_features : most;
    l->node_kept = o->node_features < most ? o->node_features : most;
    if (o->edge_features > most) l->edge_signs = make_signs(o->edge_features, most, 1);
    if (o->node_features > most) l->node_signs = make_signs(o->node_features, most, 2);
    if ((o->edge_features > most && !l->edge_signs) || (o->node_features > most && !l->node_signs))
        return sg_fail_memory(error, "the projection of features");
    return SCADYG_OK;
}

static void set_one_rate(sg_rates *rates)
{
    for (int k = 0; k < SG_RATES; k++) rates->rate[k] = rates->rate[1];
}

/* The stores of pairs, each unless it is left out. */
static int open_stores(sg_ledger *l, scadyg_error *error)
{
    const sg_ledger_options *o = &l->options;
    int status = SCADYG_OK;
    if (!(o->without & SG_LEDGER_NO_PAIRS))
        status = sg_pair_store_open(&o->plan.rates, o->weighted, share_of(o, CONTACTS), &l->pairs, error);
    if (!status && !(o->without & SG_LEDGER_NO_TRANSITIONS))
        status = sg_pair_store_open(&o->plan.rates, 0, share_of(o, TRANSITIONS), &l->transitions, error);
    if (!status && !(o->without & SG_LEDGER_NO_TRANSITIONS))
        status = sg_successors_open(share_of(o, AFTER_TWO), &l->successors, error);
    if (!status && !(o->without & SG_LEDGER_NO_TOGETHER))
        status = sg_links_open(share_of(o, ITEMS), &l->items, error);
    if (!status && !(o->without & SG_LEDGER_NO_TOGETHER))
        status = sg_links_open(share_of(o, PEERS), &l->peers, error);
    if (!status && o->vectors)
        status = sg_vectors_open(l->columns, l->keys, l->nodes, o->plan.vectors, &l->vectors, error);
    return status;
}

/* The arrays of nodes, unless they will come from a file. */
static int open_nodes(sg_ledger *l, scadyg_error *error)
{
    l->record = sg_alloc_pages(l->nodes, sizeof *l->record);
    l->lists = sg_alloc_pages(l->nodes, sizeof *l->lists);
    if (!l->record || !l->lists) return sg_fail_memory(error, "the records of the nodes");
    if (!l->edge_kept) return SCADYG_OK;
    l->edge_sums = sg_alloc_pages(l->nodes, 2 * l->edge_kept * sizeof *l->edge_sums);
    l->edge_time = sg_alloc_pages(l->nodes, sizeof *l->edge_time);
    return l->edge_sums && l->edge_time ? SCADYG_OK : sg_fail_memory(error, "the sums of edge features");
}

int sg_ledger_open_state(scadyg_context *context, const sg_ledger_options *options, const sg_columns *columns,
                         const uint64_t *keys, size_t nodes, const sg_state_reader *reader, uint64_t taken,
                         double newest, sg_ledger **ledger, scadyg_error *error)
{
    sg_ledger *l = sg_alloc_zero(1, sizeof *l);
    if (!l) return sg_fail_memory(error, "the ledger");
    l->options = *options;
    if (options->without & SG_LEDGER_ONE_RATE) set_one_rate(&l->options.plan.rates);
    l->context = context;
    l->columns = columns;
    l->keys = keys;
    l->nodes = nodes;
    for (size_t i = 0; i < SG_NODE_ARRAYS; i++) l->room[i] = nodes;
    l->widths = sg_ledger_widths_of(&l->options);
    l->vector_width = sg_ledger_vector_width(&l->options);
    l->part[SG_PART_COUNTS].width = SG_RAW;
    l->part[SG_PART_LISTS].width = SG_LIST;
    l->part[SG_PART_VECTORS].width = l->vector_width;
    int status = open_features(l, error);
    if (!status && !reader) status = open_nodes(l, error);
    if (!status) status = open_stores(l, error);
    if (!status && reader) status = sg_ledger_load(l, reader, taken, newest, error);
    if (status) {
        sg_ledger_close(l);
        return status;
    }
    if (!reader) sg_ledger_rewind(l);
    *ledger = l;
    return SCADYG_OK;
}

int sg_ledger_open(scadyg_context *context, const sg_ledger_options *options, const sg_columns *columns,
                   const uint64_t *keys, size_t nodes, sg_ledger **ledger, scadyg_error *error)
{
    return sg_ledger_open_state(context, options, columns, keys, nodes, NULL, 0, 0, ledger, error);
}

static void free_nodes(const sg_ledger *l, void *block, int array, size_t size)
{
    if (!sg_state_holds(&l->mapped, block)) sg_free_pages(block, l->room[array], size);
}

void sg_ledger_close(sg_ledger *l)
{
    if (!l) return;
    free_nodes(l, l->record, SG_ROOM_RECORDS, sizeof *l->record);
    free_nodes(l, l->lists, SG_ROOM_LISTS, sizeof *l->lists);
    free_nodes(l, l->edge_sums, SG_ROOM_EDGE_SUMS, 2 * l->edge_kept * sizeof *l->edge_sums);
    free_nodes(l, l->edge_time, SG_ROOM_EDGE_TIME, sizeof *l->edge_time);
    sg_open_time_close(l->open);
    sg_pair_store_close(l->pairs);
    sg_pair_store_close(l->transitions);
    sg_successors_close(l->successors);
    sg_links_close(l->items);
    sg_links_close(l->peers);
    sg_vectors_close(l->vectors);
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) free(l->part[i].rows);
    SG_FREE(l->edge_signs, l->node_signs, l);
}

void sg_ledger_clear_nodes(sg_ledger *l, size_t first)
{
    for (size_t i = first; i < l->nodes; i++)
        l->record[i] = (sg_node_record){.out.tally = SG_TALLY_NONE,
                                        .in.tally = SG_TALLY_NONE,
                                        .from = SG_TALLY_NONE,
                                        .previous = SG_LEDGER_NOBODY,
                                        .earlier = SG_LEDGER_NOBODY};
    sg_lists_clear(l->lists + first, l->nodes - first);
    if (!l->edge_kept) return;
    memset(l->edge_sums + first * 2 * l->edge_kept, 0,
           (l->nodes - first) * 2 * l->edge_kept * sizeof *l->edge_sums);
    for (size_t i = first; i < l->nodes; i++) l->edge_time[i] = l->columns->count ? l->columns->time[0] : 0;
}

void sg_ledger_rewind(sg_ledger *l)
{
    sg_ledger_clear_nodes(l, 0);
    l->all = SG_TALLY_NONE;
    if (l->open) sg_open_time_clear(l->open);
    if (l->pairs) sg_pair_store_clear(l->pairs);
    if (l->transitions) sg_pair_store_clear(l->transitions);
    if (l->successors) sg_successors_clear(l->successors);
    if (l->items) sg_links_clear(l->items);
    if (l->peers) sg_links_clear(l->peers);
    if (l->vectors) sg_vectors_rewind(l->vectors);
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) l->part[i].taken = 0;
}

/* Of a node, beside what the vectors keep of it. */
static uint64_t bytes_of_node(const sg_ledger_options *o)
{
    const size_t most = SG_LEDGER_FEATURES, edge = o->edge_features < most ? o->edge_features : most;
    const uint64_t features = edge ? 2 * edge * sizeof(float) + sizeof(double) : 0;
    return sizeof(sg_node_record) + sizeof(sg_node_lists) + features;
}

uint64_t sg_ledger_bytes(const sg_ledger_options *o, uint64_t nodes, uint64_t sources)
{
    return nodes * bytes_of_node(o) + (o->vectors ? sg_vector_past_bytes(nodes, sources) : 0);
}

uint64_t sg_ledger_pairs(const sg_ledger_options *o)
{
    return share_of(o, CONTACTS) / (sg_pair_store_bytes_for(1u << 20, o->weighted) >> 20);
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t sg_ledger_vector_bytes(const sg_ledger_options *o, uint64_t destinations)
{
    return o->vectors ? least_of(o->plan.vectors, destinations) * SG_VECTOR_ROW_BYTES : 0;
}

uint64_t sg_ledger_store_bytes(const sg_ledger_options *o, uint64_t nodes, uint64_t events)
{
    const uint64_t together = events < UINT64_MAX / SG_RECENT ? SG_RECENT * events : UINT64_MAX;
    uint64_t bytes = 0;
    if (!(o->without & SG_LEDGER_NO_PAIRS))
        bytes += least_of(share_of(o, CONTACTS), sg_pair_store_bytes_for(events, o->weighted));
    if (!(o->without & SG_LEDGER_NO_TRANSITIONS))
        bytes += least_of(share_of(o, TRANSITIONS), sg_pair_store_bytes_for(events, 0)) +
                 least_of(share_of(o, AFTER_TWO), sg_successors_bytes_for(events));
    if (!(o->without & SG_LEDGER_NO_TOGETHER))
        bytes += least_of(share_of(o, ITEMS), sg_links_bytes_for(nodes, together)) +
                 least_of(share_of(o, PEERS), sg_links_bytes_for(nodes, together));
    return bytes;
}

/* A store takes no less than it begins with, however small its share is. */
static uint64_t most_of(uint64_t share, uint64_t least, uint64_t most)
{
    return share < least ? least : least_of(share, most);
}

uint64_t sg_ledger_bound(const sg_ledger_options *o)
{
    const uint64_t any = UINT64_MAX, links = sg_links_bytes_for(0, 0);
    uint64_t bytes = sg_ledger_vector_bytes(o, UINT32_MAX);
    if (!(o->without & SG_LEDGER_NO_PAIRS))
        bytes += most_of(share_of(o, CONTACTS), sg_pair_store_bytes_for(0, o->weighted),
                         sg_pair_store_bytes_for(any, o->weighted));
    if (!(o->without & SG_LEDGER_NO_TRANSITIONS))
        bytes += most_of(share_of(o, TRANSITIONS), sg_pair_store_bytes_for(0, 0), sg_pair_store_bytes_for(any, 0)) +
                 most_of(share_of(o, AFTER_TWO), sg_successors_bytes_for(0), any);
    if (!(o->without & SG_LEDGER_NO_TOGETHER))
        bytes += most_of(share_of(o, ITEMS), links, any) + most_of(share_of(o, PEERS), links, any);
    return bytes;
}

uint64_t sg_ledger_read_bytes(const sg_ledger_options *o, uint64_t pairs)
{
    return pairs * (SG_RAW + SG_LIST + sg_ledger_vector_width(o)) * sizeof(float);
}

uint64_t sg_ledger_used(const sg_ledger *l)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) rows += l->part[i].room * sizeof *l->part[i].rows;
    return rows + l->nodes * bytes_of_node(&l->options) + (l->vectors ? sg_vectors_bytes(l->vectors) : 0) +
           (l->pairs ? sg_pair_store_bytes(l->pairs) : 0) +
           (l->transitions ? sg_pair_store_bytes(l->transitions) : 0) +
           (l->successors ? sg_successors_bytes(l->successors) : 0) +
           (l->items ? sg_links_bytes(l->items) + sg_links_bytes(l->peers) : 0);
}

/* ---- Following the log ---- */

/* The events a group may see, without parting those of one time. */
static uint64_t count_whole_times(const sg_columns *columns, uint64_t seen)
{
    if (seen > 0 && seen < columns->count)
        while (seen > 0 && columns->time[seen - 1] == columns->time[seen]) seen--;
    return seen;
}

static int add_events(sg_ledger *l, size_t part, uint64_t first, uint64_t end, scadyg_error *error)
{
    if (part == SG_PART_COUNTS) return sg_counts_add(l, first, end, error);
    if (part == SG_PART_LISTS) return sg_lists_add(l, first, end, error);
    return l->vectors ? sg_vectors_add(l->vectors, first, end, error) : SCADYG_OK;
}

static void advance(sg_ledger *l, size_t part, uint64_t seen)
{
    if (seen <= l->part[part].taken || l->part[part].status) return;
    if (part == SG_PART_COUNTS && l->columns->events) /* the others read the same pages, and less of them */
        sg_events_pass(l->columns->events, (seen - l->part[part].taken) * sg_columns_event_bytes(l->columns));
    l->part[part].status = add_events(l, part, l->part[part].taken, seen, &l->part[part].error);
    l->part[part].taken = seen;
}

static void read_counts(const sg_ledger *l, double at, size_t first, size_t end, float *raw)
{
    const sg_read_plan *plan = &l->read_plan;
    const size_t all = plan->groups[plan->count - 1].end;
    for (size_t i = first; i < end; i++, raw += SG_RAW) {
        if (i % SG_PAIR_GROUP == 0)
            sg_counts_prefetch(l, plan->src + i, plan->dst + i, all - i < SG_PAIR_GROUP ? all - i : SG_PAIR_GROUP);
        sg_counts_pair(l, plan->src[i], plan->dst[i], at, raw);
    }
}

static void read_lists(const sg_ledger *l, size_t first, size_t end, float *raw)
{
    const sg_read_plan *plan = &l->read_plan;
    const size_t all = plan->groups[plan->count - 1].end;
    for (size_t i = first; i < end; i++, raw += SG_LIST) {
        if (i % SOON == 0) sg_lists_prefetch(l, plan->dst + i, all - i < SOON ? all - i : SOON);
        sg_lists_pair(l, plan->src[i], plan->dst[i], raw);
    }
}

static void read_vectors(const sg_ledger *l, size_t first, size_t end, float *to)
{
    sg_vector_query query = {.source = UINT32_MAX};
    for (size_t i = first; l->vectors && i < end; i++, to += l->vector_width)
        sg_vectors_read(l->vectors, l->read_plan.src[i], l->read_plan.dst[i], &query, to);
}

/* What a part says of pairs first .. end-1, one row after the other. */
static void read_pairs(const sg_ledger *l, size_t part, double at, size_t first, size_t end, float *rows)
{
    if (part == SG_PART_COUNTS)
        read_counts(l, at, first, end, rows);
    else if (part == SG_PART_LISTS)
        read_lists(l, first, end, rows);
    else
        read_vectors(l, first, end, rows);
}

static void read_nodes(const sg_ledger *l, size_t group, size_t first, size_t end)
{
    const sg_read_plan *plan = &l->read_plan;
    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end) __builtin_prefetch(&l->record[plan->nodes[i + AHEAD]]);
        sg_counts_node(l, plan->nodes[i], plan->groups[group].at, plan->node_rows + i * l->widths.node);
    }
}

static void advance_part(void *data, size_t worker, size_t part)
{
    sg_ledger *l = data;
    (void)worker;
    advance(l, part, count_whole_times(l->columns, l->read_plan.groups[0].seen));
}

/* The first pair of the read plan: the rows of parts begin with it. */
static size_t first_of(const sg_ledger *l)
{
    return l->read_plan.groups[0].first;
}

static void follow_part(void *data, size_t worker, size_t part)
{
    sg_ledger *l = data;
    const sg_read_plan *plan = &l->read_plan;
    (void)worker;
    for (size_t g = 0; g < plan->count; g++) {
        const sg_ledger_group *group = &plan->groups[g];
        advance(l, part, count_whole_times(l->columns, group->seen));
        read_pairs(l, part, group->at, group->first, group->end,
                   l->part[part].rows + (group->first - first_of(l)) * l->part[part].width);
        if (part == SG_PART_COUNTS && plan->nodes) read_nodes(l, g, plan->node_first[g], plan->node_first[g + 1]);
    }
}

static float *row_of(const sg_ledger *l, size_t pair)
{
    return l->read_plan.between + pair * l->widths.between;
}

static void finish_slice(void *data, size_t worker, size_t slice)
{
    sg_ledger *l = data;
    const size_t begin = slice * SLICE, end = l->length - begin < SLICE ? l->length : begin + SLICE;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        sg_ledger_row(l, l->part[SG_PART_COUNTS].rows + i * SG_RAW, l->part[SG_PART_LISTS].rows + i * SG_LIST,
                      l->part[SG_PART_VECTORS].rows + i * l->vector_width, row_of(l, first_of(l) + i));
}

/* Everything of a slice of a single group, at one place of the log. */
static void read_slice(void *data, size_t worker, size_t slice)
{
    sg_ledger *l = data;
    const sg_ledger_group *group = &l->read_plan.groups[0];
    const size_t begin = group->first + slice * SLICE;
    const size_t end = group->end - begin < SLICE ? group->end : begin + SLICE;
    float raw[SLICE * SG_RAW], list[SLICE * SG_LIST], identity[SLICE * SG_VECTOR_NUMBERS];
    (void)worker;
    read_counts(l, group->at, begin, end, raw);
    read_lists(l, begin, end, list);
    read_vectors(l, begin, end, identity);
    for (size_t i = begin; i < end; i++)
        sg_ledger_row(l, raw + (i - begin) * SG_RAW, list + (i - begin) * SG_LIST,
                      identity + (i - begin) * l->vector_width, row_of(l, i));
}

static void read_node_slice(void *data, size_t worker, size_t slice)
{
    const sg_ledger *l = data;
    const size_t *first = l->read_plan.node_first;
    const size_t begin = first[0] + slice * SLICE;
    (void)worker;
    read_nodes(l, 0, begin, first[1] - begin < SLICE ? first[1] : begin + SLICE);
}

static size_t count_slices(size_t count)
{
    return (count + SLICE - 1) / SLICE;
}

/* On the workers if it is worth it. */
static void run_pieces(sg_ledger *l, int worth, size_t count, sg_body *body)
{
    sg_parallel_for(worth ? l->context : NULL, count, body, l);
}

static void begin_read_plan(sg_ledger *l, const sg_read_plan *read_plan)
{
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) l->part[i].status = SCADYG_OK;
    l->read_plan = *read_plan;
    l->length = read_plan->count ? read_plan->groups[read_plan->count - 1].end - read_plan->groups[0].first : 0;
}

/* The first failure, if there was one. */
static int end_read_plan(sg_ledger *l, scadyg_error *error)
{
    l->read_plan = (sg_read_plan){0};
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) {
        if (!l->part[i].status) continue;
        if (error) *error = l->part[i].error;
        return l->part[i].status;
    }
    return SCADYG_OK;
}

/* One group: the parts advance side by side, then its pairs are read side by side. */
static int run_wide(sg_ledger *l, scadyg_error *error)
{
    const sg_read_plan *read_plan = &l->read_plan;
    const uint64_t taken = l->part[SG_PART_COUNTS].taken, seen = read_plan->groups[0].seen;
    const int worth = l->length >= ALONE;
    run_pieces(l, seen > taken && seen - taken >= ALONE, SG_LEDGER_PARTS, advance_part);
    run_pieces(l, worth, count_slices(l->length), read_slice);
    if (read_plan->nodes)
        run_pieces(l, worth, count_slices(read_plan->node_first[1] - read_plan->node_first[0]), read_node_slice);
    return end_read_plan(l, error);
}

static int make_room(sg_ledger *l)
{
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++)
        if (sg_renew(&l->part[i].rows, &l->part[i].room, l->length * l->part[i].width + 1, sizeof(float)))
            return l->part[i].status = sg_fail_memory(&l->part[i].error, "the rows of pairs");
    return SCADYG_OK;
}

int sg_ledger_run(sg_ledger *l, const sg_read_plan *read_plan, scadyg_error *error)
{
    begin_read_plan(l, read_plan);
    if (read_plan->count == 0) return SCADYG_OK;
    if (read_plan->count == 1) return run_wide(l, error);
    if (make_room(l)) return end_read_plan(l, error);
    run_pieces(l, l->length >= ALONE, SG_LEDGER_PARTS, follow_part);
    run_pieces(l, l->length >= ALONE, count_slices(l->length), finish_slice);
    return end_read_plan(l, error);
}

int sg_ledger_start(sg_ledger *l, const sg_read_plan *read_plan, scadyg_error *error)
{
    begin_read_plan(l, read_plan);
    if (read_plan->count == 0) return SCADYG_OK;
    if (make_room(l)) return end_read_plan(l, error);
    sg_background_start(l->context, &l->job, SG_LEDGER_PARTS, follow_part, l);
    return SCADYG_OK;
}

int sg_ledger_finish(sg_ledger *l, scadyg_error *error)
{
    if (l->read_plan.count == 0) return SCADYG_OK;
    sg_background_finish(l->context, &l->job);
    run_pieces(l, l->length >= ALONE, count_slices(l->length), finish_slice);
    return end_read_plan(l, error);
}

void sg_ledger_drop(sg_ledger *l)
{
    if (l->read_plan.count == 0) return;
    sg_background_drop(l->context, &l->job);
    (void)end_read_plan(l, NULL);
}
