/* The events of a file by source: first contacts of all pairs, and those of a step or a time. */
#include "evaluate/negatives.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- First contacts ---- */

void sg_first_contacts_free(sg_first_contacts *contacts)
{
    SG_FREE(contacts->event, contacts->row, contacts->by_source);
    sg_pair_map_close(&contacts->index);
    *contacts = (sg_first_contacts){0};
}

static int find_first_events(sg_first_contacts *contacts, const sg_columns *columns)
{
    size_t capacity = 0;
    for (uint64_t e = 0; e < columns->count; e++) {
        int is_new;
        uint64_t *place = sg_pair_map_put(&contacts->index, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
        if (!place) return -1;
        if (!is_new) continue;
        if (sg_grow(&contacts->event, &capacity, contacts->pairs + 1, sizeof *contacts->event)) return -1;
        *place = contacts->pairs;
        contacts->event[contacts->pairs++] = e;
    }
    return 0;
}

static int sort_contacts(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes)
{
    contacts->row = sg_alloc_zero((size_t)nodes + 2, sizeof *contacts->row);
    contacts->by_source = sg_alloc(contacts->pairs, sizeof *contacts->by_source);
    if (!contacts->row || !contacts->by_source) return -1;
    /* Counted two places on, so that after filling row[i] is where i begins. */
    for (size_t p = 0; p < contacts->pairs; p++) contacts->row[columns->src[contacts->event[p]] + (size_t)2]++;
    for (uint64_t i = 0; i < nodes; i++) contacts->row[i + 2] += contacts->row[i + 1];
    for (size_t p = 0; p < contacts->pairs; p++) {
        uint64_t e = contacts->event[p];
        contacts->by_source[contacts->row[columns->src[e] + (size_t)1]++] = e;
    }
    return 0;
}

int sg_first_contacts_make(sg_first_contacts *contacts, const sg_columns *columns, uint64_t nodes,
                           scadyg_error *error)
{
    *contacts = (sg_first_contacts){0};
    contacts->events = columns->count;
    if (!sg_pair_map_open(&contacts->index) && !find_first_events(contacts, columns) &&
        !sort_contacts(contacts, columns, nodes) && contacts->pairs < UINT32_MAX)
        return SCADYG_OK;
    sg_first_contacts_free(contacts);
    return sg_fail_memory(error, "the pairs that have met");
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
