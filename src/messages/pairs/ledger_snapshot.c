/*
 * Snapshots of the ledger: its arrays as they lie in memory, and back. What is read is checked as if somebody had forged it:
 * numbers that lead somewhere (nodes, records, lists, rows) must lead to something that is there, and tables must have the free
 * places that a search ends at. Counts and sums may be anything.
 */
#include "base/memory.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sections. */
enum {
    NUMBERS = SG_STATE_LEDGER,
    RECORDS,
    LISTS,
    EDGE_SUMS,
    EDGE_TIME,
    PAIRS,                   /* three */
    TRANSITIONS = PAIRS + 3, /* three */
    SUCCESSORS = TRANSITIONS + 3,
    ITEMS = SUCCESSORS + 2,
    PEERS = ITEMS + 2,
    VECTORS = PEERS + 2, /* SG_VECTOR_SECTIONS */
    OPEN_TIME = VECTORS + SG_VECTOR_SECTIONS
};

typedef struct ledger_numbers {
    uint64_t nodes, edge_kept;
    sg_ledger_plan plan;
    uint32_t weighted, without, vectors, unused;
    sg_tally all;
} ledger_numbers;

static ledger_numbers numbers_of(const sg_ledger *l, size_t nodes)
{
    ledger_numbers n;
    memset(&n, 0, sizeof n);
    n.nodes = nodes;
    n.edge_kept = l->edge_kept;
    n.plan = l->options.plan;
    n.weighted = (uint32_t)(l->options.weighted != 0);
    n.without = l->options.without;
    n.vectors = (uint32_t)(l->options.vectors != 0);
    n.all = l->all;
    return n;
}

void sg_ledger_save(const sg_ledger *l, size_t nodes, sg_state_writer *w)
{
    const ledger_numbers n = numbers_of(l, nodes);
    sg_state_begin(w, NUMBERS);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, RECORDS);
    sg_state_put(w, l->record, nodes * sizeof *l->record);
    sg_state_begin(w, LISTS);
    sg_state_put(w, l->lists, nodes * sizeof *l->lists);
    if (l->edge_kept) {
        sg_state_begin(w, EDGE_SUMS);
        sg_state_put(w, l->edge_sums, nodes * 2 * l->edge_kept * sizeof *l->edge_sums);
        sg_state_begin(w, EDGE_TIME);
        sg_state_put(w, l->edge_time, nodes * sizeof *l->edge_time);
    }
    if (l->pairs) sg_pair_store_save(l->pairs, PAIRS, w);
    if (l->transitions) sg_pair_store_save(l->transitions, TRANSITIONS, w);
    if (l->successors) sg_successors_save(l->successors, SUCCESSORS, w);
    if (l->items) sg_links_save(l->items, ITEMS, w);
    if (l->peers) sg_links_save(l->peers, PEERS, w);
    if (l->vectors) sg_vectors_save(l->vectors, VECTORS, nodes, w);
    sg_open_time_save(l->open, OPEN_TIME, w);
}

/* ---- Reading ---- */

/* The arrays of nodes, from the file. */
static int take_nodes(sg_ledger *l, const sg_state_reader *r, scadyg_error *error)
{
    sg_node_record *record = NULL;
    sg_node_lists *lists = NULL;
    float *sums = NULL;
    double *time = NULL;
    const size_t sum = 2 * l->edge_kept * sizeof *sums;
    int status = sg_state_take(r, RECORDS, l->nodes * sizeof *record, &record, error);
    if (!status) status = sg_state_take(r, LISTS, l->nodes * sizeof *lists, &lists, error);
    if (!status) status = sg_state_take(r, EDGE_SUMS, l->nodes * sum, &sums, error);
    if (!status) status = sg_state_take(r, EDGE_TIME, l->edge_kept ? l->nodes * sizeof *time : 0, &time, error);
    if (status) return status;
    sg_free_pages(l->record, l->room[SG_ROOM_RECORDS], sizeof *l->record);
    sg_free_pages(l->lists, l->room[SG_ROOM_LISTS], sizeof *l->lists);
    if (l->edge_kept) {
        sg_free_pages(l->edge_sums, l->room[SG_ROOM_EDGE_SUMS], sum);
        sg_free_pages(l->edge_time, l->room[SG_ROOM_EDGE_TIME], sizeof *l->edge_time);
        l->edge_sums = sums;
        l->edge_time = time;
    }
    l->mapped = (sg_state_range){r->data, r->data + r->size};
    l->record = record;
    l->lists = lists;
    for (size_t i = 0; i < SG_NODE_ARRAYS; i++) l->room[i] = l->nodes;
    return SCADYG_OK;
}

enum { CHECKED = 4096 }; /* nodes at a time */

typedef struct node_check {
    const sg_ledger *ledger;
    double newest;
    _Atomic int bad;
} node_check;

static int are_partners(const sg_recent *recent, size_t nodes)
{
    int good = 1;
    for (size_t i = 0; i < SG_RECENT; i++) good &= recent->who[i] < nodes || recent->who[i] == SG_RECENT_NOBODY;
    return good;
}

static void check_nodes(void *data, size_t worker, size_t piece)
{
    node_check *c = data;
    const sg_ledger *l = c->ledger;
    const size_t first = piece * CHECKED, end = l->nodes - first < CHECKED ? l->nodes : first + CHECKED;
    int good = 1;
    (void)worker;
    for (size_t i = first; i < end; i++) {
        const uint32_t previous = l->record[i].previous;
        good &= previous < l->nodes || previous == SG_LEDGER_NOBODY;
        good &= l->record[i].out.tally.last <= c->newest && l->record[i].in.tally.last <= c->newest &&
                l->record[i].from.last <= c->newest && (!l->edge_kept || l->edge_time[i] <= c->newest);
        good &= are_partners(&l->lists[i].out.recent, l->nodes) && are_partners(&l->lists[i].in.recent, l->nodes);
    }
    if (!good) c->bad = 1;
}

/* Every list has buckets of its own. */
static int check_links(const sg_ledger *l, const sg_state_reader *r, const sg_links *links, int in,
                       scadyg_error *error)
{
    uint64_t *claimed = sg_alloc_zero((size_t)(sg_links_buckets(links) / 64 + 1), sizeof *claimed);
    if (!claimed) return sg_fail_memory(error, "a snapshot");
    int bad = 0;
    for (size_t i = 0; i < l->nodes && !bad; i++)
        bad = sg_links_claim(links, claimed, in ? l->lists[i].in.links : l->lists[i].out.links);
    if (!bad) bad = sg_links_claim_free(links, claimed);
    free(claimed);
    return bad ? sg_state_bad(r, "what came up together makes no sense", error) : SCADYG_OK;
}

static int load_stores(sg_ledger *l, const sg_state_reader *r, double newest, scadyg_error *error)
{
    int status = SCADYG_OK;
    if (l->pairs) status = sg_pair_store_load(l->pairs, l->context, PAIRS, r, newest, error);
    if (!status && l->transitions)
        status = sg_pair_store_load(l->transitions, l->context, TRANSITIONS, r, newest, error);
    if (!status && l->successors) status = sg_successors_load(l->successors, l->context, SUCCESSORS, r, error);
    if (!status && l->items) status = sg_links_load(l->items, ITEMS, r, error);
    if (!status && l->items) status = check_links(l, r, l->items, 1, error);
    if (!status && l->peers) status = sg_links_load(l->peers, PEERS, r, error);
    if (!status && l->peers) status = check_links(l, r, l->peers, 0, error);
    if (!status && l->vectors) status = sg_vectors_load(l->vectors, VECTORS, r, error);
    return status;
}

int sg_ledger_load(sg_ledger *l, const sg_state_reader *r, uint64_t taken, double newest, scadyg_error *error)
{
    const ledger_numbers *n = NULL;
    int status = sg_state_take(r, NUMBERS, sizeof *n, &n, error);
    if (status) return status;
    ledger_numbers own = numbers_of(l, l->nodes);
    own.all = n->all;
    if (memcmp(&own, n, sizeof own) != 0)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is the state of another model", r->path);
    if (n->all.last != newest) return sg_state_bad(r, "its newest time is another one", error);
    l->all = n->all;
    status = take_nodes(l, r, error);
    if (status) return status;
    node_check check = {.ledger = l, .newest = newest};
    sg_parallel_for(l->context, (l->nodes + CHECKED - 1) / CHECKED, check_nodes, &check);
    if (check.bad) return sg_state_bad(r, "it names nodes that are not there, or times to come", error);
    status = load_stores(l, r, newest, error);
    if (!status) status = sg_open_time_load(l, OPEN_TIME, r, error);
    if (!status && sg_ledger_open_time(l) > newest)
        status = sg_state_bad(r, "its newest time is another one", error);
    sg_ledger_set_taken(l, taken);
    return status;
}
