/* Who has met whom, up to a point of the log. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

/* Pairs in a table of a power of two places, at most half full; a place is free if its time is NaN. */
struct report_past {
    const report *r;
    uint64_t seen;
    uint64_t *key;
    double *last;
    size_t size, used;
    uint64_t *activity; /* [nodes] */
    unsigned char *known;
};

static uint64_t key_of(uint32_t src, uint32_t dst)
{
    return (uint64_t)src << 32 | dst;
}

static size_t place_of(const report_past *past, uint64_t key)
{
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    size_t place = (size_t)(hash ^ hash >> 32) & (past->size - 1);
    while (!isnan(past->last[place]) && past->key[place] != key) place = (place + 1) & (past->size - 1);
    return place;
}

static int resize(report_past *past, size_t size)
{
    report_past old = *past;
    uint64_t *key = malloc(size * sizeof *key);
    double *last = malloc(size * sizeof *last);
    if (!key || !last) {
        free(key);
        free(last);
        return -1;
    }
    past->key = key, past->last = last, past->size = size;
    for (size_t i = 0; i < size; i++) last[i] = NAN;
    for (size_t i = 0; i < old.size; i++) {
        if (isnan(old.last[i])) continue;
        const size_t place = place_of(past, old.key[i]);
        key[place] = old.key[i];
        last[place] = old.last[i];
    }
    free(old.key);
    free(old.last);
    return 0;
}

report_past *report_past_open(const report *r)
{
    report_past *past = calloc(1, sizeof *past);
    if (!past) return NULL;
    past->r = r;
    past->activity = calloc(r->shape->nodes ? r->shape->nodes : 1, sizeof *past->activity);
    past->known = calloc(r->shape->nodes ? r->shape->nodes : 1, 1);
    if (past->activity && past->known && resize(past, 1024) == 0) return past;
    report_past_close(past);
    return NULL;
}

void report_past_close(report_past *past)
{
    if (!past) return;
    free(past->key);
    free(past->last);
    free(past->activity);
    free(past->known);
    free(past);
}

int report_past_follow(report_past *past, uint64_t seen)
{
    const report *r = past->r;
    for (; past->seen < seen; past->seen++) {
        const uint32_t src = r->src[past->seen], dst = r->dst[past->seen];
        if (2 * (past->used + 1) > past->size && resize(past, 2 * past->size)) return -1;
        const size_t place = place_of(past, key_of(src, dst));
        past->used += isnan(past->last[place]) != 0;
        past->key[place] = key_of(src, dst);
        past->last[place] = r->time[past->seen];
        past->activity[src]++;
        past->known[src] = past->known[dst] = 1;
    }
    return 0;
}

double report_past_met(const report_past *past, uint32_t src, uint32_t dst)
{
    return past->last[place_of(past, key_of(src, dst))];
}

uint64_t report_past_activity(const report_past *past, uint32_t node)
{
    return past->activity[node];
}

int report_past_knows(const report_past *past, uint32_t node)
{
    return past->known[node];
}
