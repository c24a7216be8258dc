/* Who is near a node, and between whom there is nothing. */
#include "messages/pairs/ledger_near.h"

#include "base/memory.h"
#include "base/rng.h"
#include "messages/pairs/ledger_parts.h"

#include <string.h>

/* What a mark says of a node. */
enum {
    PARTNER = 1, /* the source, or one of its latest partners: in lists of others */
    PEER = 2,    /* came before the source to where it went: among those who turned to another */
    BEFORE = 4,  /* one of its latest destinations: in what came up together with another */
    NEAR = 8     /* itself a destination with something between */
};

int sg_near_can(const sg_ledger *ledger)
{
    return !ledger->vectors;
}

static uint32_t place_of(uint32_t node)
{
    return node * 0x9E3779B1u >> 16;
}
_Static_assert(SG_NEAR_MARKS == 1 << 16, "as many as place_of tells apart");

static void mark_recent(sg_near *near, const sg_recent *list, int mark)
{
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++)
        near->mark[place_of(list->who[j])] |= (unsigned char)mark;
}

static void mark_links(sg_near *near, const sg_links *links, sg_link_place at, int mark)
{
    for (uint32_t b = 0; b < at.length; b++) {
        const sg_link_bucket *bucket = links->chunk[at.chunk] + at.first + b;
        for (size_t k = 0; k < SG_LINK_WAYS && bucket->who[k] != UINT32_MAX; k++)
            near->mark[place_of(bucket->who[k])] |= (unsigned char)mark;
    }
}

static int is_full(const sg_recent *list)
{
    return list->who[SG_RECENT - 1] != SG_RECENT_NOBODY;
}

void sg_near_set(const sg_ledger *l, uint32_t source, sg_near *near)
{
    const sg_node_lists *u = &l->lists[source];
    memset(near->mark, 0, sizeof near->mark);
    near->source = source;
    near->latest = l->record[source].previous;
    near->full_out = is_full(&u->out.recent);
    near->full_in = is_full(&u->in.recent);
    mark_recent(near, &u->out.recent, PARTNER | NEAR | BEFORE);
    mark_recent(near, &u->in.recent, PARTNER | NEAR);
    near->mark[place_of(source)] |= PARTNER | NEAR;
    if (near->latest != SG_LEDGER_NOBODY) near->mark[place_of(near->latest)] |= NEAR | BEFORE;
    if (l->peers) mark_links(near, l->peers, u->out.links, PEER);
    for (size_t j = 0; l->items && j < SG_RECENT && u->out.recent.who[j] != SG_RECENT_NOBODY; j++)
        mark_links(near, l->items, l->lists[u->out.recent.who[j]].in.links, NEAR);
    if (!l->successors || near->latest == SG_LEDGER_NOBODY) return;
    const sg_successor_line *line = sg_successors_line(l->successors, l->record[source].earlier, near->latest);
    for (size_t i = 0; i < SG_SUCCESSORS && sg_successors_at(line, i) != UINT32_MAX; i++)
        near->mark[place_of(sg_successors_at(line, i))] |= NEAR;
}

/* ---- Between whom there is nothing ---- */

static int has_marked(const sg_near *near, const sg_recent *list, int mark)
{
    int found = 0;
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++)
        found |= near->mark[place_of(list->who[j])];
    return found & mark;
}

static int links_marked(const sg_near *near, const sg_links *links, sg_link_place at, int mark)
{
    int found = 0;
    for (uint32_t b = 0; b < at.length; b++) {
        const sg_link_bucket *bucket = links->chunk[at.chunk] + at.first + b;
        for (size_t k = 0; k < SG_LINK_WAYS && bucket->who[k] != UINT32_MAX; k++)
            found |= near->mark[place_of(bucket->who[k])];
    }
    return found & mark;
}

/*
 * Which of the stores must be asked. A list of latest partners that is not full has all that there ever were. Likewise what came
 * up together with a destination, which a transition to it is a case of, unless the list had to make way for something.
 */
enum { ASK_THERE = 1, ASK_BACK = 2, ASK_TRANSITION = 4, ASK_NOBODY = 0, IS_NEAR = 8 };

static int stores_to_ask(const sg_ledger *l, const sg_near *near, const sg_node_lists *v)
{
    int ask = ASK_NOBODY;
    if (l->pairs && near->full_out && is_full(&v->in.recent)) ask |= ASK_THERE;
    if (l->pairs && near->full_in && is_full(&v->out.recent)) ask |= ASK_BACK;
    if (l->transitions && near->latest != SG_LEDGER_NOBODY &&
        (!l->items || l->items->used >= l->items->most || v->in.links.length >= SG_LINK_BUCKETS))
        ask |= ASK_TRANSITION;
    return ask;
}

static int look_at(const sg_ledger *l, const sg_near *near, uint32_t dst)
{
    const sg_node_lists *v = &l->lists[dst];
    if (near->mark[place_of(dst)] & NEAR) return IS_NEAR;
    if (has_marked(near, &v->in.recent, PARTNER | PEER) || has_marked(near, &v->out.recent, PARTNER))
        return IS_NEAR;
    if (l->items && links_marked(near, l->items, v->in.links, BEFORE)) return IS_NEAR;
    return stores_to_ask(l, near, v);
}

/* Pairs that one of the stores is asked about, as many as are best fetched at a time. */
typedef struct asked {
    uint32_t src[SG_PAIR_GROUP], dst[SG_PAIR_GROUP];
    size_t index[SG_PAIR_GROUP], count;
} asked;

static void ask_store(const sg_pair_store *store, asked *a, unsigned char *blank)
{
    sg_pair_message found[SG_PAIR_GROUP];
    if (a->count == 0) return;
    sg_pair_store_find_many(store, a->src, a->dst, a->count, found);
    for (size_t i = 0; i < a->count; i++)
        if (found[i].tally) blank[a->index[i]] = 0;
    a->count = 0;
}

static void add_asked(const sg_pair_store *store, asked *a, uint32_t src, uint32_t dst, size_t index,
                      unsigned char *blank)
{
    a->src[a->count] = src;
    a->dst[a->count] = dst;
    a->index[a->count++] = index;
    if (a->count == SG_PAIR_GROUP) ask_store(store, a, blank);
}

/* The stores of pairs, asked about those that the lists leave open. */
typedef struct asking {
    const sg_ledger *ledger;
    const sg_near *near;
    unsigned char *blank;
    asked pairs, transitions;
} asking;

static void ask_about(asking *a, int ask, uint32_t dst, size_t index)
{
    const sg_ledger *l = a->ledger;
    if (ask & ASK_THERE) add_asked(l->pairs, &a->pairs, a->near->source, dst, index, a->blank);
    if (ask & ASK_BACK) add_asked(l->pairs, &a->pairs, dst, a->near->source, index, a->blank);
    if (ask & ASK_TRANSITION) add_asked(l->transitions, &a->transitions, a->near->latest, dst, index, a->blank);
}

static void ask_the_rest(asking *a)
{
    if (a->ledger->pairs) ask_store(a->ledger->pairs, &a->pairs, a->blank);
    if (a->ledger->transitions) ask_store(a->ledger->transitions, &a->transitions, a->blank);
}

void sg_near_find_blank(const sg_ledger *l, const sg_near *near, const uint32_t *dst, size_t count,
                        unsigned char *blank)
{
    enum { SOON = 8 };
    asking a = {.ledger = l, .near = near, .blank = blank};
    for (size_t i = 0; i < count; i++) {
        if (i % SOON == 0) sg_lists_prefetch(l, dst + i, count - i < SOON ? count - i : SOON);
        const int ask = look_at(l, near, dst[i]);
        blank[i] = ask != IS_NEAR;
        if (blank[i]) ask_about(&a, ask, dst[i], i);
    }
    ask_the_rest(&a);
}

/* ---- The same by an index ---- */

enum { BY_IN, BY_OUT, BY_ITEMS, WAYS };

struct sg_near_index {
    size_t nodes;
    uint32_t *first[WAYS]; /* [nodes + 1]: of a node, in `who` */
    uint32_t *who[WAYS];   /* in whose list of latest sources, latest destinations, items it stands */
    unsigned char *ask;    /* [nodes]: which stores may have to be asked */
};

void sg_near_index_close(sg_near_index *x)
{
    if (!x) return;
    for (size_t i = 0; i < WAYS; i++) SG_FREE(x->first[i], x->who[i]);
    SG_FREE(x->ask, x);
}

/* The list of a node by a way: who[j], how many. */
static size_t list_of(const sg_ledger *l, size_t node, size_t way, uint32_t *who)
{
    const sg_node_lists *v = &l->lists[node];
    size_t count = 0;
    if (way != BY_ITEMS) {
        const sg_recent *list = way == BY_IN ? &v->in.recent : &v->out.recent;
        for (; count < SG_RECENT && list->who[count] != SG_RECENT_NOBODY; count++) who[count] = list->who[count];
        return count;
    }
    for (uint32_t b = 0; l->items && b < v->in.links.length; b++) {
        const sg_link_bucket *bucket = l->items->chunk[v->in.links.chunk] + v->in.links.first + b;
        for (size_t k = 0; k < SG_LINK_WAYS && bucket->who[k] < l->nodes; k++) who[count++] = bucket->who[k];
    }
    return count;
}

/* Counts first, then fills from the end of each node's part. */
static int turn_lists(const sg_ledger *l, size_t way, uint64_t most, sg_near_index *x)
{
    uint32_t who[SG_LINK_BUCKETS * SG_LINK_WAYS], *first = sg_alloc_zero(l->nodes + 1, sizeof *first);
    uint64_t all = 0;
    x->first[way] = first;
    if (!first) return -1;
    for (size_t node = 0; node < l->nodes; node++) {
        const size_t count = list_of(l, node, way, who);
        for (size_t j = 0; j < count; j++) first[who[j]]++;
        all += count;
    }
    if (all * sizeof *first > most || all > UINT32_MAX) return -1;
    x->who[way] = sg_alloc(all + 1, sizeof *x->who[way]);
    if (!x->who[way]) return -1;
    for (size_t node = 1; node <= l->nodes; node++) first[node] += first[node - 1];
    for (size_t node = l->nodes; node-- > 0;) {
        const size_t count = list_of(l, node, way, who);
        for (size_t j = 0; j < count; j++) x->who[way][--first[who[j]]] = (uint32_t)node;
    }
    return 0;
}

sg_near_index *sg_near_index_open(const sg_ledger *l, uint64_t most)
{
    const sg_near all = {.full_out = 1, .full_in = 1};
    sg_near_index *x = sg_alloc_zero(1, sizeof *x);
    if (!x) return NULL;
    x->nodes = l->nodes;
    x->ask = sg_alloc(l->nodes, 1);
    int failed = !x->ask;
    for (size_t way = 0; way < WAYS && !failed; way++) failed = turn_lists(l, way, most / WAYS, x);
    if (failed) {
        sg_near_index_close(x);
        return NULL;
    }
    for (size_t node = 0; node < l->nodes; node++)
        x->ask[node] = (unsigned char)stores_to_ask(l, &all, &l->lists[node]);
    return x;
}

typedef struct marking {
    const sg_near_index *index;
    unsigned char *is_near;
} marking;

static void mark_node(const marking *m, uint32_t node)
{
    if (node < m->index->nodes) m->is_near[node] = 1;
}

/* Those in whose lists a node stands. */
static void mark_by(const marking *m, size_t way, uint32_t node)
{
    if (node >= m->index->nodes) return;
    const uint32_t *who = m->index->who[way];
    for (uint32_t i = m->index->first[way][node]; i < m->index->first[way][node + 1]; i++) m->is_near[who[i]] = 1;
}

static void mark_partners(const marking *m, const sg_recent *list)
{
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++) {
        mark_node(m, list->who[j]);
        mark_by(m, BY_IN, list->who[j]);
        mark_by(m, BY_OUT, list->who[j]);
    }
}

static void mark_list(const marking *m, const sg_links *links, sg_link_place at, int by_them)
{
    for (uint32_t b = 0; b < at.length; b++) {
        const sg_link_bucket *bucket = links->chunk[at.chunk] + at.first + b;
        for (size_t k = 0; k < SG_LINK_WAYS && bucket->who[k] != UINT32_MAX; k++)
            if (by_them)
                mark_by(m, BY_IN, bucket->who[k]);
            else
                mark_node(m, bucket->who[k]);
    }
}

/* As sg_near_set marks and look_at looks, from the other side. */
void sg_near_index_mark(const sg_near_index *x, const sg_ledger *l, uint32_t source, unsigned char *is_near)
{
    const marking m = {x, is_near};
    const sg_node_lists *u = &l->lists[source];
    const uint32_t latest = l->record[source].previous;
    memset(is_near, 0, x->nodes);
    mark_node(&m, source);
    mark_by(&m, BY_IN, source);
    mark_by(&m, BY_OUT, source);
    mark_partners(&m, &u->out.recent);
    mark_partners(&m, &u->in.recent);
    mark_node(&m, latest);
    mark_by(&m, BY_ITEMS, latest);
    if (l->peers) mark_list(&m, l->peers, u->out.links, 1);
    for (size_t j = 0; l->items && j < SG_RECENT && u->out.recent.who[j] != SG_RECENT_NOBODY; j++) {
        mark_by(&m, BY_ITEMS, u->out.recent.who[j]);
        mark_list(&m, l->items, l->lists[u->out.recent.who[j]].in.links, 0);
    }
    if (!l->successors || latest == SG_LEDGER_NOBODY) return;
    const sg_successor_line *line = sg_successors_line(l->successors, l->record[source].earlier, latest);
    for (size_t i = 0; i < SG_SUCCESSORS; i++) mark_node(&m, sg_successors_at(line, i));
}

void sg_near_index_find_blank(const sg_near_index *x, const sg_ledger *l, const sg_near *near,
                              const unsigned char *is_near, const uint32_t *dst, size_t count, unsigned char *blank)
{
    asking a = {.ledger = l, .near = near, .blank = blank};
    const int may = (near->full_out ? ASK_THERE : 0) | (near->full_in ? ASK_BACK : 0) |
                    (near->latest != SG_LEDGER_NOBODY ? ASK_TRANSITION : 0);
    for (size_t i = 0; i < count; i++) {
        blank[i] = !is_near[dst[i]];
        const int ask = x->ask[dst[i]] & may;
        if (blank[i] && ask) ask_about(&a, ask, dst[i], i);
    }
    ask_the_rest(&a);
}

void sg_near_blank_row(const sg_ledger *l, uint32_t source, double at, float *row)
{
    float raw[SG_RAW], list[SG_LIST];
    memset(raw, 0, sizeof raw);
    memset(list, 0, sizeof list);
    sg_counts_blank(l, source, at, raw);
    sg_ledger_row(l, raw, list, NULL, row);
}

/* ---- Whom lists lead to ---- */

static int have_met(const sg_ledger *l, uint32_t src, uint32_t dst)
{
    sg_pair_message message;
    return l->pairs && sg_pair_store_find(l->pairs, src, dst, &message);
}

static int is_left_out(const sg_ledger *l, const sg_near_listing *to, uint32_t node)
{
    return to->unmet && (node == to->source || have_met(l, to->source, node));
}

void sg_near_add(const sg_ledger *l, sg_near_listing *to, uint32_t node)
{
    enum { MASK = SG_NEAR_SEEN - 1 };
    /* Lists from a file may name anybody. */
    if (to->count == to->most || node >= l->nodes || !l->record[node].in.tally.times) return;
    size_t at = (node * 0x9E3779B1u >> 8) & MASK;
    while (to->seen[at] != SG_LEDGER_NOBODY && to->seen[at] != node) at = (at + 1) & MASK;
    if (to->seen[at] == node || is_left_out(l, to, node)) return;
    to->seen[at] = node;
    to->list[to->count++] = node;
}

static void add_recent(const sg_ledger *l, sg_near_listing *to, const sg_recent *list)
{
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++) sg_near_add(l, to, list->who[j]);
}

static void add_links(const sg_ledger *l, sg_near_listing *to, const sg_links *links, sg_link_place at)
{
    for (uint32_t b = 0; b < at.length; b++) {
        const sg_link_bucket *bucket = links->chunk[at.chunk] + at.first + b;
        for (size_t k = 0; k < SG_LINK_WAYS && bucket->who[k] != UINT32_MAX; k++)
            sg_near_add(l, to, bucket->who[k]);
    }
}

/* Partners of the partners in a list. */
static void add_theirs(const sg_ledger *l, sg_near_listing *to, const sg_recent *list)
{
    for (size_t j = 0; j < SG_RECENT && list->who[j] != SG_RECENT_NOBODY; j++) {
        add_recent(l, to, &l->lists[list->who[j]].out.recent);
        add_recent(l, to, &l->lists[list->who[j]].in.recent);
    }
}

static void add_successors(const sg_ledger *l, sg_near_listing *to, const sg_node_record *u)
{
    if (!l->successors || u->previous == SG_LEDGER_NOBODY) return;
    const sg_successor_line *line = sg_successors_line(l->successors, u->earlier, u->previous);
    for (size_t i = 0; i < SG_SUCCESSORS; i++) sg_near_add(l, to, sg_successors_at(line, i));
}

void sg_near_list(const sg_ledger *l, uint32_t source, sg_near_listing *to)
{
    const sg_node_lists *u = &l->lists[source];
    memset(to->seen, 0xFF, sizeof to->seen);
    to->count = 0;
    to->source = source;
    sg_near_add(l, to, source);
    add_recent(l, to, &u->out.recent);
    add_recent(l, to, &u->in.recent);
    add_successors(l, to, &l->record[source]);
    for (size_t j = 0; l->items && j < SG_RECENT && u->out.recent.who[j] != SG_RECENT_NOBODY; j++)
        add_links(l, to, l->items, l->lists[u->out.recent.who[j]].in.links);
    add_theirs(l, to, &u->out.recent);
    add_theirs(l, to, &u->in.recent);
    if (l->peers) add_links(l, to, l->peers, u->out.links);
}

/* ---- Whom the source has not met ---- */

/* Of `count` nodes the destinations that it has not met, in the same order, without itself; *met: those that it has. */
static size_t keep_unmet(const sg_ledger *l, uint32_t source, uint32_t *nodes, size_t count, size_t *met)
{
    unsigned char is_met[SG_PAIR_GROUP] = {0};
    size_t kept = 0, destinations = 0;
    for (size_t i = 0; i < count; i++)
        if (l->record[nodes[i]].in.tally.times) nodes[destinations++] = nodes[i];
    (void)sg_ledger_met(l, source, nodes, destinations, is_met);
    for (size_t i = 0; i < destinations; i++) {
        *met += is_met[i];
        if (!is_met[i] && nodes[i] != source) nodes[kept++] = nodes[i];
    }
    return kept;
}

/* By some that are drawn, always the same where there are as many nodes. */
static double share_of_met(const sg_ledger *l, uint32_t source, size_t nodes)
{
    enum { DRAWN = 2048 };
    size_t met = 0, unmet = 0;
    for (uint64_t i = 0; i < DRAWN;) {
        uint32_t drawn[SG_PAIR_GROUP];
        for (size_t k = 0; k < SG_PAIR_GROUP; k++) drawn[k] = (uint32_t)(sg_hash3(0xDB, 0, i++) % nodes);
        unmet += keep_unmet(l, source, drawn, SG_PAIR_GROUP, &met);
    }
    return met ? (double)met / (double)(met + unmet) : 0;
}

size_t sg_near_count_unmet(const sg_ledger *l, uint32_t source, size_t nodes, size_t destinations)
{
    const sg_node_record *u = &l->record[source];
    size_t met = u->out.tally.clock[0];
    if (l->pairs && sg_pair_store_forgotten(l->pairs))
        met = (size_t)(share_of_met(l, source, nodes) * (double)destinations);
    met += u->in.tally.times && !have_met(l, source, source);
    return met < destinations ? destinations - met : 0;
}

size_t sg_near_list_unmet(const sg_ledger *l, uint32_t source, size_t nodes, uint32_t *list)
{
    size_t count = 0, met = 0;
    for (size_t first = 0; first < nodes; first += SG_PAIR_GROUP) {
        uint32_t some[SG_PAIR_GROUP];
        const size_t length = nodes - first < SG_PAIR_GROUP ? nodes - first : SG_PAIR_GROUP;
        for (size_t k = 0; k < length; k++) some[k] = (uint32_t)(first + k);
        const size_t kept = keep_unmet(l, source, some, length, &met);
        memcpy(list + count, some, kept * sizeof *list);
        count += kept;
    }
    return count;
}
