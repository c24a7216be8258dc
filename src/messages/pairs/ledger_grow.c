/*
 * The ledger of a log that grows: more nodes, and events one after the other.
 *
 * Events of one time are blind to each other, and nobody knows whether more of the newest time will come. So it stays open:
 * everything is taken in as it comes, and what the nodes of that time were before it is kept beside, for one more event of it
 * to see. What comes of it is what all of them together would have given, bit for bit.
 *
 *   counts    the destinations that a source met last
 *   lists     the latest partners of both nodes
 *   vectors   the latest destinations of a source, and which destinations were known
 */
#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/ledger_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node in one role, as it was before the newest time. */
typedef struct before {
    uint32_t node, role;        /* OUT, IN */
    uint32_t previous, earlier; /* as a source */
    sg_recent recent;
    sg_vector_past past; /* 0 without vectors */
} before;

enum { OUT, IN };

typedef struct sg_open_time {
    int is_open;
    double time;
    uint64_t known; /* vectors */
    before *of;
    size_t count, room;
    uint32_t *slots; /* [mask + 1], open addressing: 1 + the place in `of`; 0: free */
    size_t mask;
} sg_open_time;

/* ---- Who was what ---- */

void sg_open_time_close(sg_open_time *open)
{
    if (open) SG_FREE(open->of, open->slots, open);
}

static size_t slot_of(const sg_open_time *open, uint32_t node, uint32_t role)
{
    size_t at = (size_t)sg_hash64((uint64_t)role << 32 | node) & open->mask;
    for (; open->slots[at]; at = (at + 1) & open->mask) {
        const before *b = &open->of[open->slots[at] - 1];
        if (b->node == node && b->role == role) break;
    }
    return at;
}

/* One by one: most times have few events, and the table is as large as the largest. */
void sg_open_time_clear(sg_open_time *open)
{
    if (open->count > open->mask / 8) {
        memset(open->slots, 0, (open->mask + 1) * sizeof *open->slots);
    } else {
        for (size_t i = 0; i < open->count; i++) {
            size_t at = (size_t)sg_hash64((uint64_t)open->of[i].role << 32 | open->of[i].node) & open->mask;
            for (; open->slots[at]; at = (at + 1) & open->mask) open->slots[at] = 0;
        }
    }
    open->count = 0;
    open->is_open = 0;
}

/* -1 without memory. */
static int make_room(sg_open_time *open)
{
    if (sg_grow(&open->of, &open->room, open->count + 1, sizeof *open->of)) return -1;
    if (open->slots && 2 * (open->count + 1) <= open->mask) return 0;
    const size_t size = open->slots ? 2 * (open->mask + 1) : 64;
    uint32_t *slots = sg_alloc_zero(size, sizeof *slots);
    if (!slots) return -1;
    free(open->slots);
    open->slots = slots;
    open->mask = size - 1;
    for (size_t i = 0; i < open->count; i++)
        open->slots[slot_of(open, open->of[i].node, open->of[i].role)] = (uint32_t)i + 1;
    return 0;
}

/* What a node was before the newest time; NULL without memory. */
static const before *keep_before(sg_ledger *l, uint32_t node, uint32_t role)
{
    sg_open_time *open = l->open;
    size_t at = slot_of(open, node, role);
    if (open->slots[at]) return &open->of[open->slots[at] - 1];
    if (make_room(open)) return NULL;
    at = slot_of(open, node, role);
    const sg_role_lists *lists = role == OUT ? &l->lists[node].out : &l->lists[node].in;
    before *b = &open->of[open->count];
    *b = (before){.node = node,
                  .role = role,
                  .previous = l->record[node].previous,
                  .earlier = l->record[node].earlier,
                  .recent = lists->recent};
    if (l->vectors && role == OUT) b->past = *sg_vectors_past(l->vectors, node);
    open->slots[at] = (uint32_t)++open->count;
    return b;
}

/* ---- One more event of the newest time ---- */

static void put_before(sg_role_lists *role, const before *b)
{
    role->recent = b->recent;
}

/* What is kept of its partners as it is now, with one more: all but the lists of what came up together. */
static void put_after(sg_role_lists *role, const sg_role_lists *now, uint32_t partner)
{
    const sg_link_place links = role->links;
    *role = *now;
    role->links = links;
    sg_lists_meet(role, partner);
}

static int go_on_lists(sg_ledger *l, uint64_t e, const before *from, const before *to, scadyg_error *error)
{
    const uint32_t src = l->columns->src[e], dst = l->columns->dst[e];
    const sg_role_lists out = l->lists[src].out, in = l->lists[dst].in;
    put_before(&l->lists[src].out, from);
    put_before(&l->lists[dst].in, to);
    int status = sg_lists_add(l, e, e + 1, error);
    put_after(&l->lists[src].out, &out, dst);
    put_after(&l->lists[dst].in, &in, src);
    return status;
}

static int go_on(sg_ledger *l, uint64_t e, scadyg_error *error)
{
    const uint32_t src = l->columns->src[e], dst = l->columns->dst[e];
    if (!keep_before(l, src, OUT)) return sg_fail_memory(error, "the newest time");
    const before *to = keep_before(l, dst, IN), *from = to ? keep_before(l, src, OUT) : NULL;
    if (!from) return sg_fail_memory(error, "the newest time");
    const uint32_t latest = l->record[src].previous;
    l->record[src].previous = from->previous;
    l->record[src].earlier = from->earlier;
    int status = sg_counts_add(l, e, e + 1, error);
    l->record[src].earlier = latest;
    if (!status) status = go_on_lists(l, e, from, to, error);
    if (!status && l->vectors) status = sg_vectors_go_on(l->vectors, e, (size_t)l->open->known, &from->past, error);
    return status;
}

/* ---- Events as they come ---- */

typedef struct taking {
    sg_ledger *ledger;
    uint64_t first, end;
    int status[SG_LEDGER_PARTS];
    scadyg_error error[SG_LEDGER_PARTS];
} taking;

static void take_part(void *data, size_t worker, size_t part)
{
    taking *t = data;
    sg_ledger *l = t->ledger;
    (void)worker;
    if (part == SG_PART_COUNTS)
        t->status[part] = sg_counts_add(l, t->first, t->end, &t->error[part]);
    else if (part == SG_PART_LISTS)
        t->status[part] = sg_lists_add(l, t->first, t->end, &t->error[part]);
    else if (l->vectors)
        t->status[part] = sg_vectors_add(l->vectors, t->first, t->end, &t->error[part]);
}

#define ALONE 128 /* fewer events are not worth a second thread */

static int take_events(sg_ledger *l, uint64_t first, uint64_t end, scadyg_error *error)
{
    taking t = {.ledger = l, .first = first, .end = end};
    if (first == end) return SCADYG_OK;
    sg_parallel_for(end - first >= ALONE ? l->context : NULL, SG_LEDGER_PARTS, take_part, &t);
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) {
        if (!t.status[i]) continue;
        if (error) *error = t.error[i];
        return t.status[i];
    }
    return SCADYG_OK;
}

static int keep_open(sg_ledger *l, scadyg_error *error)
{
    if (!l->open) l->open = sg_alloc_zero(1, sizeof *l->open);
    if (!l->open || make_room(l->open)) return sg_fail_memory(error, "the newest time");
    return SCADYG_OK;
}

int sg_ledger_observe(sg_ledger *l, uint64_t first, uint64_t end, uint64_t number, scadyg_error *error)
{
    const sg_columns *columns = l->columns;
    int status = keep_open(l, error);
    sg_open_time *open = l->open;
    if (l->vectors) sg_vectors_set_number(l->vectors, number - first);
    while (!status && first < end && open->is_open && columns->time[first] == open->time)
        status = go_on(l, first++, error);
    if (status || first == end) return status;
    uint64_t newest = end - 1;
    while (newest > first && columns->time[newest - 1] == columns->time[newest]) newest--;
    status = take_events(l, first, newest, error);
    if (status) return status;
    sg_open_time_clear(open);
    open->is_open = 1;
    open->time = columns->time[newest];
    open->known = l->vectors ? sg_vectors_known(l->vectors) : 0;
    for (uint64_t e = newest; e < end; e++)
        if (!keep_before(l, columns->src[e], OUT) || !keep_before(l, columns->dst[e], IN))
            return sg_fail_memory(error, "the newest time");
    return take_events(l, newest, end, error);
}

void sg_ledger_set_taken(sg_ledger *l, uint64_t taken)
{
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) l->part[i].taken = taken;
}

uint64_t sg_ledger_taken(const sg_ledger *l)
{
    return l->part[SG_PART_COUNTS].taken;
}

double sg_ledger_open_time(const sg_ledger *l)
{
    return l->open && l->open->is_open ? l->open->time : NAN;
}

/* ---- More nodes ---- */

/* Room for an array of nodes; what lies in a file is copied. -1 without memory. */
static int regrow(sg_ledger *l, void *array, int number, size_t room, size_t size)
{
    void *old, *made;
    if (room <= l->room[number]) return 0;
    memcpy(&old, array, sizeof old);
    if (sg_state_holds(&l->mapped, old)) {
        made = sg_alloc_pages(room, size);
        if (made) memcpy(made, old, l->nodes * size);
    } else {
        made = sg_regrow_pages(old, l->room[number], room, size);
    }
    if (!made) return -1;
    memcpy(array, &made, sizeof made);
    l->room[number] = room;
    return 0;
}

int sg_ledger_grow(sg_ledger *l, const uint64_t *keys, size_t nodes, scadyg_error *error)
{
    const size_t known = l->nodes;
    l->keys = keys;
    if (nodes <= known) return l->vectors ? sg_vectors_grow(l->vectors, keys, known, error) : SCADYG_OK;
    if (regrow(l, &l->record, SG_ROOM_RECORDS, nodes, sizeof *l->record) ||
        regrow(l, &l->lists, SG_ROOM_LISTS, nodes, sizeof *l->lists) ||
        (l->edge_kept &&
         (regrow(l, &l->edge_sums, SG_ROOM_EDGE_SUMS, nodes, 2 * l->edge_kept * sizeof *l->edge_sums) ||
          regrow(l, &l->edge_time, SG_ROOM_EDGE_TIME, nodes, sizeof *l->edge_time))))
        return sg_fail_memory(error, "the records of the nodes");
    l->nodes = nodes;
    sg_ledger_clear_nodes(l, known);
    return l->vectors ? sg_vectors_grow(l->vectors, keys, nodes, error) : SCADYG_OK;
}

/* ---- Reading while others read ---- */

void sg_ledger_share(const sg_ledger *shared, sg_ledger *copy)
{
    *copy = *shared;
    copy->read_plan = (sg_read_plan){0};
    for (size_t i = 0; i < SG_LEDGER_PARTS; i++) {
        copy->part[i].rows = NULL;
        copy->part[i].room = 0;
    }
}

size_t sg_ledger_size(void)
{
    return sizeof(sg_ledger);
}

int sg_ledger_met(const sg_ledger *l, uint32_t src, const uint32_t *dst, size_t count, unsigned char *met)
{
    uint32_t from[SG_PAIR_GROUP];
    sg_pair_message messages[SG_PAIR_GROUP];
    if (!l->pairs) return 0;
    for (size_t i = 0; i < SG_PAIR_GROUP; i++) from[i] = src;
    for (size_t i = 0; i < count; i += SG_PAIR_GROUP) {
        const size_t some = count - i < SG_PAIR_GROUP ? count - i : SG_PAIR_GROUP;
        sg_pair_store_find_many(l->pairs, from, dst + i, some, messages);
        for (size_t k = 0; k < some; k++) met[i + k] = messages[k].tally != NULL;
    }
    return 1;
}

/* ---- The newest time in a snapshot ---- */

typedef struct open_numbers {
    uint64_t is_open, known, count;
    double time;
} open_numbers;

void sg_open_time_save(const sg_open_time *open, uint32_t kind, sg_state_writer *w)
{
    const open_numbers n = {open ? (uint64_t)open->is_open : 0, open ? open->known : 0, open ? open->count : 0,
                            open ? open->time : 0};
    sg_state_begin(w, kind);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + 1);
    if (open) sg_state_copy(w, open->of, open->count * sizeof *open->of);
}

/* Partners are nodes, or nobody behind the last. */
static int is_sound(const sg_ledger *l, const before *b)
{
    int good = b->node < l->nodes && b->role <= IN && (b->previous < l->nodes || b->previous == SG_LEDGER_NOBODY);
    for (size_t i = 0; i < SG_RECENT; i++)
        good &= b->recent.who[i] < l->nodes || b->recent.who[i] == SG_RECENT_NOBODY;
    if (l->vectors && b->role == OUT) good &= sg_vector_past_is_sound(&b->past, l->nodes);
    return good;
}

int sg_open_time_load(sg_ledger *l, uint32_t kind, const sg_state_reader *r, scadyg_error *error)
{
    const open_numbers *n = NULL;
    const before *of = NULL;
    int status = sg_state_take(r, kind, sizeof *n, &n, error);
    if (!status && n->count > 2 * (uint64_t)l->nodes)
        status = sg_state_bad(r, "its newest time is too large", error);
    if (!status) status = sg_state_take(r, kind + 1, n->count * sizeof *of, &of, error);
    if (!status) status = keep_open(l, error);
    if (status) return status;
    sg_open_time *open = l->open;
    open->is_open = n->is_open != 0;
    open->time = n->time;
    open->known = n->known;
    if (l->vectors && n->known > sg_vectors_known(l->vectors))
        return sg_state_bad(r, "it knows destinations that are not there", error);
    for (uint64_t i = 0; i < n->count; i++) {
        if (!is_sound(l, &of[i])) return sg_state_bad(r, "its newest time names nodes that are not there", error);
        if (make_room(open)) return sg_fail_memory(error, "the newest time");
        const size_t at = slot_of(open, of[i].node, of[i].role);
        if (open->slots[at]) return sg_state_bad(r, "its newest time has a node twice", error);
        open->of[open->count] = of[i];
        open->slots[at] = (uint32_t)++open->count;
    }
    return SCADYG_OK;
}
