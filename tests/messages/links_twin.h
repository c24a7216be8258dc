/* The slow twin of links: one flat list a node, gone through for everything. */
#ifndef TESTS_MESSAGES_LINKS_TWIN_H
#define TESTS_MESSAGES_LINKS_TWIN_H

#include "messages/pairs/links.h"

#include <stddef.h>
#include <stdint.h>

enum { TWIN_LINKS = SG_LINK_WAYS * SG_LINK_BUCKETS };

typedef struct twin_links {
    size_t count, buckets;
    uint32_t who[TWIN_LINKS]; /* in the order in which their places were first taken */
    float weight[TWIN_LINKS]; /* as the lists have it, so that both find the same one lightest */
} twin_links;

/* Buckets are halves, quarters and eighths of the hashes. */
static inline size_t twin_bucket(uint32_t who, size_t buckets)
{
    return (size_t)((double)(uint32_t)(who * 0x9E3779B1u) / 4294967296.0 * (double)buckets);
}

static inline size_t twin_in_bucket(const twin_links *list, uint32_t who, size_t *lightest)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (twin_bucket(list->who[i], list->buckets) != twin_bucket(who, list->buckets)) continue;
        if (count++ == 0 || list->weight[i] < list->weight[*lightest]) *lightest = i;
    }
    return count;
}

static inline void twin_link(twin_links *list, uint32_t who, float weight)
{
    size_t lightest = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->who[i] == who) {
            list->weight[i] += weight;
            return;
        }
    if (list->buckets == 0) list->buckets = 1;
    while (twin_in_bucket(list, who, &lightest) == SG_LINK_WAYS && list->buckets < SG_LINK_BUCKETS)
        list->buckets *= 2;
    const size_t at = twin_in_bucket(list, who, &lightest) == SG_LINK_WAYS ? lightest : list->count++;
    list->who[at] = who;
    list->weight[at] = weight;
}

static inline float twin_linked(const twin_links *list, uint32_t who)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->who[i] == who) return list->weight[i];
    return 0;
}

#endif
