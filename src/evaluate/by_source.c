/* The events of a file by source: first contacts of all pairs, and those of a step or a time. */
#include "evaluate/negatives.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- First contacts ---- */

enum {
    WORD = 64,
    SCANNED = 16, /* a row up to a line of memory is searched from its begin */
    SOURCES = 2,  /* the stream of hashes that sources are kept by */
    ONE_IN_MOST = 1024
};
#define FIT_LEAST                                                                                                  \
    ((uint64_t)128 << 20) /* bytes for which no source is left out: small logs are asked about as a whole */

void sg_first_contacts_free(sg_first_contacts *contacts)
{
    SG_FREE(contacts->is_first, contacts->before, contacts->row, contacts->partner, contacts->number,
            contacts->sorted);
    *contacts = (sg_first_contacts){.one_in = contacts->one_in};
}

int sg_first_contacts_keeps(const sg_first_contacts *contacts, uint32_t src)
{
    return contacts->one_in <= 1 || sg_hash3(SOURCES, 0, src) % contacts->one_in == 0;
}

/* The destinations of all events by source, in order: those of source i end where cursor[i] is then. */
static int list_by_source(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes, size_t *cursor)
{
    for (uint64_t e = 0; e < columns->count; e++) {
        sg_columns_pass(columns, e, sizeof *columns->src);
        cursor[columns->src[e] + (size_t)1] += (size_t)sg_first_contacts_keeps(contacts, columns->src[e]);
    }
    for (uint64_t i = 0; i < nodes; i++) cursor[i + 1] += cursor[i];
    contacts->partner = sg_alloc(cursor[nodes], sizeof *contacts->partner);
    if (!contacts->partner) return -1;
    for (uint64_t e = 0; e < columns->count; e++) {
        sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst);
        if (sg_first_contacts_keeps(contacts, columns->src[e]))
            contacts->partner[cursor[columns->src[e]]++] = columns->dst[e];
    }
    return 0;
}

/* Each destination of a source once, where it was first; the rest of the list is given back. */
static int keep_distinct(sg_first_contacts *contacts, uint64_t nodes, const size_t *end)
{
    uint32_t *met_by = sg_alloc_zero((size_t)nodes, sizeof *met_by); /* 1 + the last source that had it */
    size_t pairs = 0, at = 0;
    contacts->row = sg_alloc((size_t)nodes + 1, sizeof *contacts->row);
    for (uint64_t i = 0; i < nodes && met_by && contacts->row; i++) {
        contacts->row[i] = (uint32_t)pairs;
        for (; at < end[i]; at++) {
            const uint32_t partner = contacts->partner[at];
            if (met_by[partner] == i + 1) continue;
            met_by[partner] = (uint32_t)i + 1;
            contacts->partner[pairs++] = partner;
        }
        if (pairs >= UINT32_MAX) break;
    }
    const int bad = !met_by || !contacts->row || pairs >= UINT32_MAX;
    free(met_by);
    if (bad) return -1;
    contacts->row[nodes] = (uint32_t)pairs;
    contacts->pairs = pairs;
    uint32_t *shorter = realloc(contacts->partner, (pairs ? pairs : 1) * sizeof *shorter);
    if (shorter) contacts->partner = shorter;
    return 0;
}

static int ascending(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int sort_rows(sg_first_contacts *contacts, uint64_t nodes)
{
    size_t longest = 0;
    for (uint64_t i = 0; i < nodes; i++)
        if (contacts->row[i + 1] - contacts->row[i] > longest) longest = contacts->row[i + 1] - contacts->row[i];
    contacts->sorted = sg_alloc(contacts->pairs, sizeof *contacts->sorted);
    uint64_t *key = sg_alloc(longest, sizeof *key);
    for (uint64_t i = 0; i < nodes && key && contacts->sorted; i++) {
        const size_t first = contacts->row[i], count = contacts->row[i + 1] - first;
        if (count <= SCANNED) continue;
        for (size_t k = 0; k < count; k++) key[k] = (uint64_t)contacts->partner[first + k] << 32 | (first + k);
        qsort(key, count, sizeof *key, ascending);
        for (size_t k = 0; k < count; k++) contacts->sorted[first + k] = (uint32_t)key[k];
    }
    free(key);
    return key && contacts->sorted ? 0 : -1;
}

/* An event is the first of its pair if its destination is the next that its source meets. */
static int number_pairs(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes, size_t *cursor)
{
    size_t pairs = 0;
    contacts->number = sg_alloc(contacts->pairs, sizeof *contacts->number);
    contacts->is_first = sg_alloc_zero((size_t)columns->count / WORD + 1, sizeof *contacts->is_first);
    contacts->before = sg_alloc((size_t)columns->count / SG_FIRST_EVENTS + 1, sizeof *contacts->before);
    if (!contacts->number || !contacts->is_first || !contacts->before) return -1;
    for (uint64_t i = 0; i < nodes; i++) cursor[i] = contacts->row[i];
    for (uint64_t e = 0; e < columns->count; e++) {
        sg_columns_pass(columns, e, sizeof *columns->src + sizeof *columns->dst);
        if (e % SG_FIRST_EVENTS == 0) contacts->before[e / SG_FIRST_EVENTS] = (uint32_t)pairs;
        size_t *next = &cursor[columns->src[e]];
        if (*next == contacts->row[columns->src[e] + (size_t)1] || contacts->partner[*next] != columns->dst[e])
            continue;
        contacts->is_first[e / WORD] |= (uint64_t)1 << e % WORD;
        contacts->number[(*next)++] = (uint32_t)pairs++;
    }
    if (columns->count % SG_FIRST_EVENTS == 0) contacts->before[columns->count / SG_FIRST_EVENTS] = (uint32_t)pairs;
    return 0;
}

int sg_first_contacts_make(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes,
                           scadyg_error *error)
{
    size_t *cursor = sg_alloc_zero((size_t)nodes + 1, sizeof *cursor);
    *contacts = (sg_first_contacts){.one_in = contacts->one_in, .events = columns->count};
    const int bad = !cursor || list_by_source(contacts, columns, nodes, cursor) ||
                    keep_distinct(contacts, nodes, cursor) || sort_rows(contacts, nodes) ||
                    number_pairs(contacts, columns, nodes, cursor);
    free(cursor);
    if (!bad) return SCADYG_OK;
    sg_first_contacts_free(contacts);
    return sg_fail_memory(error, "the pairs that have met");
}

/* Of a node: where its pairs begin and what they are made with; its marks; where it stands among destinations, twice, when it
 * first was one, and among sources. */
#define NODE_BYTES (4 + 8 + 1 + 4 + 4 + 8 + 4 + 4 + 4)

/* While they are made: all destinations, then the pairs with the keys of one row. Later four bytes a pair more to draw. Where
 * sources are left out those that are kept may have a quarter more than their share. */
uint64_t sg_first_contacts_bytes(uint64_t events, uint64_t pairs, uint64_t nodes, uint64_t one_in)
{
    const uint64_t list = 4 * events, kept = 16 * pairs, most = list > kept ? list : kept;
    const uint64_t share = one_in > 1 ? most / one_in + most / one_in / 4 : most;
    return share + events / 8 + events / (SG_FIRST_EVENTS / 4) + NODE_BYTES * nodes;
}

uint64_t sg_first_contacts_fit(uint64_t events, uint64_t pairs, uint64_t nodes, uint64_t bytes)
{
    uint64_t one_in = 1;
    if (bytes < FIT_LEAST) bytes = FIT_LEAST;
    while (one_in < ONE_IN_MOST && sg_first_contacts_bytes(events, pairs, nodes, one_in) > bytes) one_in *= 2;
    return one_in;
}

size_t sg_first_contacts_find(const sg_first_contacts *contacts, uint32_t src, uint32_t dst)
{
    size_t low = contacts->row[src], high = contacts->row[src + (size_t)1];
    if (high - low <= SCANNED) {
        while (low < high && contacts->partner[low] != dst) low++;
        return low < high ? low : SIZE_MAX;
    }
    const size_t end = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (contacts->partner[contacts->sorted[middle]] < dst)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && contacts->partner[contacts->sorted[low]] == dst ? contacts->sorted[low] : SIZE_MAX;
}

size_t sg_first_contacts_before(const sg_first_contacts *contacts, uint64_t event)
{
    if (event >= contacts->events) return contacts->pairs;
    size_t number = contacts->before[event / SG_FIRST_EVENTS];
    for (uint64_t w = event / SG_FIRST_EVENTS * (SG_FIRST_EVENTS / WORD); w < event / WORD; w++)
        number += (size_t)__builtin_popcountll(contacts->is_first[w]);
    const uint64_t earlier = ((uint64_t)1 << event % WORD) - 1;
    return number + (size_t)__builtin_popcountll(contacts->is_first[event / WORD] & earlier);
}

/* The last event that not more than so many pairs first met before is the first of the next pair. */
uint64_t sg_first_contacts_event(const sg_first_contacts *contacts, size_t number)
{
    uint64_t low = 0, high = contacts->events;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (sg_first_contacts_before(contacts, middle + 1) <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int sg_first_contacts_use(sg_first_contacts *kept, sg_first_contacts *own, const sg_columns *columns,
                          uint64_t nodes, const sg_first_contacts **used, scadyg_error *error)
{
    sg_first_contacts *contacts = kept ? kept : own;
    *used = contacts;
    if (contacts->row && contacts->events == columns->count) return SCADYG_OK;
    sg_first_contacts_free(contacts);
    return sg_first_contacts_make(contacts, columns, nodes, error);
}

/* ---- Events by source ---- */

int sg_by_source_open(sg_by_source *by_source, uint64_t nodes, scadyg_error *error)
{
    *by_source = (sg_by_source){.slot = sg_alloc_zero((size_t)nodes, sizeof(uint32_t))};
    return by_source->slot ? SCADYG_OK : sg_fail_memory(error, "the events by source");
}

void sg_by_source_close(sg_by_source *by_source)
{
    SG_FREE(by_source->source, by_source->first, by_source->event, by_source->slot, by_source->fill);
    *by_source = (sg_by_source){0};
}

static int grow_room(sg_by_source *by_source, size_t events)
{
    if (events <= by_source->capacity) return 0;
    SG_FREE(by_source->source, by_source->first, by_source->event, by_source->fill);
    size_t capacity = events + events / 2 + 16;
    const int bad = SG_ALLOC(SG_ARRAY(by_source->source, capacity), SG_ARRAY(by_source->first, capacity + 1),
                             SG_ARRAY(by_source->event, capacity), SG_ARRAY(by_source->fill, capacity));
    by_source->capacity = bad ? 0 : capacity;
    return bad;
}

/* No sorting, and nothing to clear: whether a slot is of this call is seen from what stands there. */
int sg_by_source_make(sg_by_source *by_source, const uint32_t *src, uint64_t begin, uint64_t end,
                      scadyg_error *error)
{
    by_source->sources = 0;
    if (grow_room(by_source, (size_t)(end - begin))) return sg_fail_memory(error, "the events by source");
    for (uint64_t e = begin; e < end; e++) {
        uint32_t node = src[e], slot = by_source->slot[node];
        if (slot >= by_source->sources || by_source->source[slot] != node) {
            slot = by_source->slot[node] = (uint32_t)by_source->sources++;
            by_source->source[slot] = node;
            by_source->fill[slot] = 0;
        }
        by_source->fill[slot]++;
    }
    size_t at = 0;
    for (size_t i = 0; i < by_source->sources; i++) {
        by_source->first[i] = at;
        at += by_source->fill[i];
        by_source->fill[i] = by_source->first[i];
    }
    by_source->first[by_source->sources] = at;
    for (uint64_t e = begin; e < end; e++) by_source->event[by_source->fill[by_source->slot[src[e]]]++] = e;
    return SCADYG_OK;
}

void sg_by_source_thin(sg_by_source *by_source, uint64_t every, uint64_t salt)
{
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < by_source->sources; i++) {
        const uint32_t source = by_source->source[i];
        const size_t begin = by_source->first[i], end = by_source->first[i + 1];
        if (sg_hash3(every, salt, source) % every) continue;
        by_source->source[kept] = source;
        by_source->first[kept++] = at;
        for (size_t k = begin; k < end; k++) by_source->event[at++] = by_source->event[k];
    }
    by_source->first[kept] = at;
    by_source->sources = kept;
}
