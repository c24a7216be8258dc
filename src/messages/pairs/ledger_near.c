/* Who is near a node, and between whom there is nothing. */
#include "messages/pairs/ledger_near.h"

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
    if (!l->successors || u->out.latest == SG_LEDGER_NOBODY) return;
    const sg_successor_line *line = sg_successors_line(l->successors, u->out.earlier, u->out.latest);
    for (size_t i = 0; line->all > 0 && i < SG_SUCCESSORS && line->who[i] != UINT32_MAX; i++)
        near->mark[place_of(line->who[i])] |= NEAR;
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

static int look_at(const sg_ledger *l, const sg_near *near, uint32_t dst)
{
    const sg_node_lists *v = &l->lists[dst];
    if (near->mark[place_of(dst)] & NEAR) return IS_NEAR;
    if (has_marked(near, &v->in.recent, PARTNER | PEER) || has_marked(near, &v->out.recent, PARTNER))
        return IS_NEAR;
    if (l->items && links_marked(near, l->items, v->in.links, BEFORE)) return IS_NEAR;
    int ask = ASK_NOBODY;
    if (l->pairs && near->full_out && is_full(&v->in.recent)) ask |= ASK_THERE;
    if (l->pairs && near->full_in && is_full(&v->out.recent)) ask |= ASK_BACK;
    if (l->transitions && near->latest != SG_LEDGER_NOBODY &&
        (!l->items || l->items->used >= l->items->most || v->in.links.length >= SG_LINK_BUCKETS))
        ask |= ASK_TRANSITION;
    return ask;
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

void sg_near_find_blank(const sg_ledger *l, const sg_near *near, const uint32_t *dst, size_t count,
                        unsigned char *blank)
{
    enum { SOON = 8 };
    asked pairs = {.count = 0}, transitions = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        if (i % SOON == 0) sg_lists_prefetch(l, dst + i, count - i < SOON ? count - i : SOON);
        const int ask = look_at(l, near, dst[i]);
        blank[i] = ask != IS_NEAR;
        if (ask == IS_NEAR) continue;
        if (ask & ASK_THERE) add_asked(l->pairs, &pairs, near->source, dst[i], i, blank);
        if (ask & ASK_BACK) add_asked(l->pairs, &pairs, dst[i], near->source, i, blank);
        if (ask & ASK_TRANSITION) add_asked(l->transitions, &transitions, near->latest, dst[i], i, blank);
    }
    if (l->pairs) ask_store(l->pairs, &pairs, blank);
    if (l->transitions) ask_store(l->transitions, &transitions, blank);
}

void sg_near_blank_row(const sg_ledger *l, uint32_t source, double at, float *row)
{
    float raw[SG_RAW], list[SG_LIST];
    memset(raw, 0, sizeof raw);
    memset(list, 0, sizeof list);
    sg_counts_blank(l, source, at, raw);
    sg_lists_blank(l, source, list);
    sg_ledger_row(l, raw, list, NULL, row);
}

/* ---- Whom lists lead to ---- */

void sg_near_add(const sg_ledger *l, sg_near_listing *to, uint32_t node)
{
    enum { MASK = SG_NEAR_SEEN - 1 };
    /* Lists from a file may name anybody. */
    if (to->count == to->most || node >= l->nodes || !l->record[node].in.tally.times) return;
    size_t at = (node * 0x9E3779B1u >> 8) & MASK;
    while (to->seen[at] != SG_LEDGER_NOBODY && to->seen[at] != node) at = (at + 1) & MASK;
    if (to->seen[at] == node) return;
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

static void add_successors(const sg_ledger *l, sg_near_listing *to, const sg_role_lists *u)
{
    if (!l->successors || u->latest == SG_LEDGER_NOBODY) return;
    const sg_successor_line *line = sg_successors_line(l->successors, u->earlier, u->latest);
    for (size_t i = 0; line->all > 0 && i < SG_SUCCESSORS && line->who[i] != UINT32_MAX; i++)
        sg_near_add(l, to, line->who[i]);
}

void sg_near_list(const sg_ledger *l, uint32_t source, sg_near_listing *to)
{
    const sg_node_lists *u = &l->lists[source];
    memset(to->seen, 0xFF, sizeof to->seen);
    to->count = 0;
    sg_near_add(l, to, source);
    add_recent(l, to, &u->out.recent);
    add_recent(l, to, &u->in.recent);
    add_successors(l, to, &u->out);
    for (size_t j = 0; l->items && j < SG_RECENT && u->out.recent.who[j] != SG_RECENT_NOBODY; j++)
        add_links(l, to, l->items, l->lists[u->out.recent.who[j]].in.links);
    add_theirs(l, to, &u->out.recent);
    add_theirs(l, to, &u->in.recent);
    if (l->peers) add_links(l, to, l->peers, u->out.links);
}
