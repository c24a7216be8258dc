/* The ledger: its state, and how it follows the log by a read plan. */
#include "messages/pairs/ledger.h"

#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <string.h>

#define SLICE 256  /* pairs read by a thread at a time */
#define AHEAD 4    /* nodes whose records are fetched ahead */
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
    if (l->edge_kept) {
        l->edge_sums = sg_alloc_aligned(l->nodes * 2 * l->edge_kept, sizeof *l->edge_sums);
        l->edge_time = sg_alloc_zero(l->nodes, sizeof *l->edge_time);
        if (!l->edge_sums || !l->edge_time) return sg_fail_memory(error, "the sums of edge features");
    }
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
        status = sg_links_open(l->nodes, share_of(o, ITEMS), &l->items, error);
    if (!status && !(o->without & SG_LEDGER_NO_TOGETHER))
        status = sg_links_open(l->nodes, share_of(o, PEERS), &l->peers, error);
    if (!status && o->vectors) status = sg_vectors_open(l->columns, l->keys, l->nodes, &l->vectors, error);
    return status;
}

int sg_ledger_open(scadyg_context *context, const sg_ledger_options *options, const sg_columns *columns,
                   const uint64_t *keys, size_t nodes, sg_ledger **ledger, scadyg_error *error)
{
    sg_ledger *l = sg_alloc_zero(1, sizeof *l);
    if (!l) return sg_fail_memory(error, "the ledger");
    l->options = *options;
    if (options->without & SG_LEDGER_ONE_RATE) set_one_rate(&l->options.plan.rates);
    l->context = context;
    l->columns = columns;
    l->keys = keys;
    l->nodes = nodes;
    l->widths = sg_ledger_widths_of(&l->options);
    l->vector_width = sg_ledger_vector_width(&l->options);
    l->record = sg_alloc_aligned(nodes, sizeof *l->record);
    l->lists = sg_alloc_aligned(nodes, sizeof *l->lists);
    int status = l->record && l->lists ? SCADYG_OK : sg_fail_memory(error, "the records of the nodes");
    if (!status) status = open_features(l, error);
    if (!status) status = open_stores(l, error);
    if (status) {
        sg_ledger_close(l);
        return status;
    }
    sg_ledger_rewind(l);
    *ledger = l;
    return SCADYG_OK;
}

void sg_ledger_close(sg_ledger *l)
{
    if (!l) return;
    sg_pair_store_close(l->pairs);
    sg_pair_store_close(l->transitions);
    sg_successors_close(l->successors);
    sg_links_close(l->items);
    sg_links_close(l->peers);
    sg_vectors_close(l->vectors);
    SG_FREE(l->record, l->lists, l->edge_sums, l->edge_time, l->edge_signs, l->node_signs, l->raw, l->identity, l);
}

static void rewind_nodes(sg_ledger *l)
{
    for (size_t i = 0; i < l->nodes; i++) {
        l->record[i] = (sg_node_record){.out.tally = SG_TALLY_NONE,
                                        .in.tally = SG_TALLY_NONE,
                                        .from = SG_TALLY_NONE,
                                        .previous = SG_LEDGER_NOBODY,
                                        .earlier = SG_LEDGER_NOBODY};
        sg_recent_clear(&l->lists[i].out);
        sg_recent_clear(&l->lists[i].in);
    }
    l->all = SG_TALLY_NONE;
    if (l->edge_kept) memset(l->edge_sums, 0, l->nodes * 2 * l->edge_kept * sizeof *l->edge_sums);
    for (size_t i = 0; l->edge_kept && l->columns->count && i < l->nodes; i++)
        l->edge_time[i] = l->columns->time[0];
}

void sg_ledger_rewind(sg_ledger *l)
{
    rewind_nodes(l);
    if (l->pairs) sg_pair_store_clear(l->pairs);
    if (l->transitions) sg_pair_store_clear(l->transitions);
    if (l->successors) sg_successors_clear(l->successors);
    if (l->items) sg_links_clear(l->items);
    if (l->peers) sg_links_clear(l->peers);
    if (l->vectors) sg_vectors_rewind(l->vectors);
    l->counted = l->learned = 0;
}

uint64_t sg_ledger_bytes(const sg_ledger_options *o, uint64_t nodes)
{
    const size_t most = SG_LEDGER_FEATURES, edge = o->edge_features < most ? o->edge_features : most;
    uint64_t each = sizeof(sg_node_record) + sizeof(sg_node_lists);
    if (!(o->without & SG_LEDGER_NO_TOGETHER)) each += 2 * sizeof(sg_link_place);
    if (edge) each += 2 * edge * sizeof(float) + sizeof(double);
    if (o->vectors) each += SG_VECTOR_BYTES;
    return nodes * each;
}

uint64_t sg_ledger_pairs(const sg_ledger_options *o)
{
    return share_of(o, CONTACTS) / (sg_pair_store_bytes_for(1u << 20, o->weighted) >> 20);
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
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

uint64_t sg_ledger_used(const sg_ledger *l)
{
    return sg_ledger_bytes(&l->options, l->nodes) + (l->pairs ? sg_pair_store_bytes(l->pairs) : 0) +
           (l->transitions ? sg_pair_store_bytes(l->transitions) : 0) +
           (l->successors ? sg_successors_bytes(l->successors) : 0) +
           (l->items ? sg_links_bytes(l->items) + sg_links_bytes(l->peers) : 0) + l->raw_room * sizeof *l->raw +
           l->identity_room * sizeof *l->identity;
}

/* ---- Following the log ---- */

/* The events a group may see, without parting those of one time. */
static uint64_t count_whole_times(const sg_columns *columns, uint64_t seen)
{
    if (seen > 0 && seen < columns->count)
        while (seen > 0 && columns->time[seen - 1] == columns->time[seen]) seen--;
    return seen;
}

static void add_exact(sg_ledger *l, uint64_t seen)
{
    if (seen <= l->counted || l->status) return;
    l->status = sg_exact_add(l, l->counted, seen, &l->error);
    l->counted = seen;
}

static void read_exact(const sg_ledger *l, const sg_read_plan *read_plan, double at, size_t first, size_t end,
                       float *raw)
{
    const size_t all = read_plan->groups[read_plan->count - 1].end;
    const uint32_t *src = read_plan->src, *dst = read_plan->dst;
    for (size_t i = first; i < end; i++, raw += SG_RAW) {
        if (i % SG_PAIR_GROUP == 0)
            sg_exact_prefetch(l, src + i, dst + i, all - i < SG_PAIR_GROUP ? all - i : SG_PAIR_GROUP);
        sg_exact_pair(l, src[i], dst[i], at, raw);
    }
}

static void add_vectors(sg_ledger *l, uint64_t seen)
{
    if (seen <= l->learned || l->identity_status) return;
    l->identity_status = sg_vectors_add(l->vectors, l->learned, seen, &l->identity_error);
    l->learned = seen;
}

static void read_vectors(const sg_ledger *l, size_t first, size_t end, float *to)
{
    sg_vector_query query = {.source = UINT32_MAX};
    for (size_t i = first; l->vectors && i < end; i++, to += l->vector_width)
        sg_vectors_read(l->vectors, l->read_plan.src[i], l->read_plan.dst[i], &query, to);
}

static void read_nodes(const sg_ledger *l, const sg_read_plan *read_plan, size_t group, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        if (i + AHEAD < end) __builtin_prefetch(&l->record[read_plan->nodes[i + AHEAD]]);
        sg_exact_node(l, read_plan->nodes[i], read_plan->groups[group].at,
                      read_plan->node_rows + i * l->widths.node);
    }
}

/* Two parts that do not depend on each other: the exact counts, and the vectors. */
enum { EXACT, VECTORS, PARTS };

static void advance_part(void *data, size_t worker, size_t part)
{
    sg_ledger *l = data;
    const uint64_t seen = count_whole_times(l->columns, l->read_plan.groups[0].seen);
    (void)worker;
    if (part == EXACT)
        add_exact(l, seen);
    else if (l->vectors)
        add_vectors(l, seen);
}

/* The first pair of the read plan: `raw` and `identity` begin with it. */
static size_t first_of(const sg_ledger *l)
{
    return l->read_plan.groups[0].first;
}

static void follow_exact(sg_ledger *l)
{
    const sg_read_plan *read_plan = &l->read_plan;
    for (size_t g = 0; g < read_plan->count; g++) {
        const sg_ledger_group *group = &read_plan->groups[g];
        add_exact(l, count_whole_times(l->columns, group->seen));
        read_exact(l, read_plan, group->at, group->first, group->end,
                   l->raw + (group->first - first_of(l)) * SG_RAW);
        if (read_plan->nodes) read_nodes(l, read_plan, g, read_plan->node_first[g], read_plan->node_first[g + 1]);
    }
}

static void follow_vectors(sg_ledger *l)
{
    const sg_read_plan *read_plan = &l->read_plan;
    for (size_t g = 0; l->vectors && g < read_plan->count; g++) {
        const sg_ledger_group *group = &read_plan->groups[g];
        add_vectors(l, count_whole_times(l->columns, group->seen));
        read_vectors(l, group->first, group->end, l->identity + (group->first - first_of(l)) * l->vector_width);
    }
}

static void follow_part(void *data, size_t worker, size_t part)
{
    (void)worker;
    if (part == EXACT)
        follow_exact(data);
    else
        follow_vectors(data);
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
        sg_ledger_row(l, l->raw + i * SG_RAW, l->identity + i * l->vector_width, row_of(l, first_of(l) + i));
}

/* Everything of a slice of a single group, at one place of the log. */
static void read_slice(void *data, size_t worker, size_t slice)
{
    sg_ledger *l = data;
    const sg_ledger_group *group = &l->read_plan.groups[0];
    const size_t begin = group->first + slice * SLICE;
    const size_t end = group->end - begin < SLICE ? group->end : begin + SLICE;
    float raw[SLICE * SG_RAW], identity[SLICE * SG_VECTOR_NUMBERS];
    (void)worker;
    read_exact(l, &l->read_plan, group->at, begin, end, raw);
    read_vectors(l, begin, end, identity);
    for (size_t i = begin; i < end; i++)
        sg_ledger_row(l, raw + (i - begin) * SG_RAW, identity + (i - begin) * l->vector_width, row_of(l, i));
}

static void read_node_slice(void *data, size_t worker, size_t slice)
{
    const sg_ledger *l = data;
    const size_t *first = l->read_plan.node_first;
    const size_t begin = first[0] + slice * SLICE;
    (void)worker;
    read_nodes(l, &l->read_plan, 0, begin, first[1] - begin < SLICE ? first[1] : begin + SLICE);
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
    l->status = l->identity_status = SCADYG_OK;
    l->read_plan = *read_plan;
    l->length = read_plan->count ? read_plan->groups[read_plan->count - 1].end - read_plan->groups[0].first : 0;
}

static int end_read_plan(sg_ledger *l, scadyg_error *error)
{
    l->read_plan = (sg_read_plan){0};
    if (l->identity_status && !l->status) {
        l->status = l->identity_status;
        l->error = l->identity_error;
    }
    if (l->status && error) *error = l->error;
    return l->status;
}

/* One group: the parts advance side by side, then its pairs are read side by side. */
static int run_wide(sg_ledger *l, scadyg_error *error)
{
    const sg_read_plan *read_plan = &l->read_plan;
    const uint64_t ahead = read_plan->groups[0].seen > l->counted ? read_plan->groups[0].seen - l->counted : 0;
    const int worth = l->length >= ALONE;
    run_pieces(l, ahead >= ALONE, PARTS, advance_part);
    run_pieces(l, worth, count_slices(l->length), read_slice);
    if (read_plan->nodes)
        run_pieces(l, worth, count_slices(read_plan->node_first[1] - read_plan->node_first[0]), read_node_slice);
    return end_read_plan(l, error);
}

static int make_room(sg_ledger *l)
{
    if (sg_grow(&l->raw, &l->raw_room, l->length * SG_RAW, sizeof *l->raw) ||
        sg_grow(&l->identity, &l->identity_room, l->length * l->vector_width + 1, sizeof *l->identity))
        l->status = sg_fail_memory(&l->error, "the rows of pairs");
    return l->status;
}

int sg_ledger_run(sg_ledger *l, const sg_read_plan *read_plan, scadyg_error *error)
{
    begin_read_plan(l, read_plan);
    if (read_plan->count == 0) return SCADYG_OK;
    if (read_plan->count == 1) return run_wide(l, error);
    if (make_room(l)) return end_read_plan(l, error);
    run_pieces(l, l->length >= ALONE, PARTS, follow_part);
    run_pieces(l, l->length >= ALONE, count_slices(l->length), finish_slice);
    return end_read_plan(l, error);
}

int sg_ledger_start(sg_ledger *l, const sg_read_plan *read_plan, scadyg_error *error)
{
    begin_read_plan(l, read_plan);
    if (read_plan->count == 0) return SCADYG_OK;
    if (make_room(l)) return end_read_plan(l, error);
    sg_background_start(l->context, &l->job, PARTS, follow_part, l);
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
