/* First meetings of all pairs. */
#include "evaluate/meetings.h"

#include "base/memory.h"

#include <stdlib.h>

void sg_meetings_free(sg_meetings *meetings)
{
    free(meetings->event);
    free(meetings->row);
    free(meetings->by_source);
    sg_pair_map_close(&meetings->index);
    *meetings = (sg_meetings){0};
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

static int find_firsts(sg_meetings *meetings, const sg_columns *columns)
{
    size_t capacity = 0;
    for (uint64_t e = 0; e < columns->count; e++) {
        int is_new;
        uint64_t *place = sg_pair_map_put(&meetings->index, sg_pair_key(columns->src[e], columns->dst[e]), &is_new);
        if (!place) return -1;
        if (!is_new) continue;
        if (sg_grow(&meetings->event, &capacity, meetings->pairs + 1, sizeof *meetings->event)) return -1;
        *place = meetings->pairs;
        meetings->event[meetings->pairs++] = e;
    }
    return 0;
}

static int sort_by_source(sg_meetings *meetings, const sg_columns *columns, uint64_t nodes)
{
    meetings->row = sg_alloc_zero((size_t)nodes + 2, sizeof *meetings->row);
    meetings->by_source = sg_alloc(meetings->pairs, sizeof *meetings->by_source);
    if (!meetings->row || !meetings->by_source) return -1;
    /* Counted two places on, so that after filling row[i] is where i begins. */
    for (size_t p = 0; p < meetings->pairs; p++) meetings->row[columns->src[meetings->event[p]] + (size_t)2]++;
    for (uint64_t i = 0; i < nodes; i++) meetings->row[i + 2] += meetings->row[i + 1];
    for (size_t p = 0; p < meetings->pairs; p++) {
        uint64_t e = meetings->event[p];
        meetings->by_source[meetings->row[columns->src[e] + (size_t)1]++] = e;
    }
    return 0;
}

int sg_meetings_make(sg_meetings *meetings, const sg_columns *columns, uint64_t nodes, scadyg_error *error)
{
    *meetings = (sg_meetings){0};
    if (!sg_pair_map_open(&meetings->index) && !find_firsts(meetings, columns) &&
        !sort_by_source(meetings, columns, nodes) && meetings->pairs < UINT32_MAX)
        return SCADYG_OK;
    sg_meetings_free(meetings);
    return sg_fail_memory(error, "the pairs that have met");
}
