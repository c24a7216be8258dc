/* First first_contacts of all pairs. */
#include "evaluate/first_contacts.h"

#include "base/memory.h"

#include <stdlib.h>

void sg_first_contacts_free(sg_first_contacts *first_contacts)
{
    free(first_contacts->event);
    free(first_contacts->row);
    free(first_contacts->by_source);
    sg_pair_map_close(&first_contacts->index);
    *first_contacts = (sg_first_contacts){0};
}

size_t sg_events_until(const uint64_t *events, size_t count, uint64_t event)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (events[middle] < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int find_firsts(sg_first_contacts *first_contacts, const sg_columns *columns)
{
    size_t capacity = 0;
    for (uint64_t e = 0; e < columns->count; e++) {
        int is_new;
        uint64_t *place =
            sg_pair_map_put(&first_contacts->index, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
        if (!place) return -1;
        if (!is_new) continue;
        if (sg_grow(&first_contacts->event, &capacity, first_contacts->pairs + 1, sizeof *first_contacts->event))
            return -1;
        *place = first_contacts->pairs;
        first_contacts->event[first_contacts->pairs++] = e;
    }
    return 0;
}

static int sort_by_source(sg_first_contacts *first_contacts, const sg_columns *columns, uint64_t nodes)
{
    first_contacts->row = sg_alloc_zero((size_t)nodes + 2, sizeof *first_contacts->row);
    first_contacts->by_source = sg_alloc(first_contacts->pairs, sizeof *first_contacts->by_source);
    if (!first_contacts->row || !first_contacts->by_source) return -1;
    /* Counted two places on, so that after filling row[i] is where i begins. */
    for (size_t p = 0; p < first_contacts->pairs; p++)
        first_contacts->row[columns->src[first_contacts->event[p]] + (size_t)2]++;
    for (uint64_t i = 0; i < nodes; i++) first_contacts->row[i + 2] += first_contacts->row[i + 1];
    for (size_t p = 0; p < first_contacts->pairs; p++) {
        uint64_t e = first_contacts->event[p];
        first_contacts->by_source[first_contacts->row[columns->src[e] + (size_t)1]++] = e;
    }
    return 0;
}

int sg_first_contacts_make(sg_first_contacts *first_contacts, const sg_columns *columns, uint64_t nodes,
                           scadyg_error *error)
{
    *first_contacts = (sg_first_contacts){0};
    if (!sg_pair_map_open(&first_contacts->index) && !find_firsts(first_contacts, columns) &&
        !sort_by_source(first_contacts, columns, nodes) && first_contacts->pairs < UINT32_MAX)
        return SCADYG_OK;
    sg_first_contacts_free(first_contacts);
    return sg_fail_memory(error, "the pairs that have met");
}
