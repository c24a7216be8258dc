/* Who comes before whom. */
#include "messages/pairs/links.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 }; /* buckets */
#define NOBODY UINT32_MAX
#define NO_CHUNK UINT32_MAX

int sg_links_open(uint64_t bytes, sg_links **links, scadyg_error *error)
{
    sg_links *made = sg_alloc_zero(1, sizeof *made);
    *links = NULL;
    if (made) {
        const uint64_t chunks = bytes / (CHUNK * sizeof(sg_link_bucket));
        made->most = chunks > SG_LINK_SIZES ? chunks : SG_LINK_SIZES;
    }
    if (!made) return sg_fail_memory(error, "who comes before whom");
    sg_links_clear(made);
    *links = made;
    return SCADYG_OK;
}

void sg_links_close(sg_links *links)
{
    if (!links) return;
    for (size_t i = 0; i < links->chunks; i++) sg_state_free(&links->mapped, links->chunk[i]);
    SG_FREE(links->chunk, links);
}

void sg_links_clear(sg_links *links)
{
    links->used = 0;
    for (size_t i = 0; i < SG_LINK_SIZES; i++)
        links->size[i] = (sg_link_size){{.chunk = NO_CHUNK}, {.chunk = NO_CHUNK}};
}

uint64_t sg_links_bytes(const sg_links *links)
{
    return links->chunks * CHUNK * sizeof(sg_link_bucket);
}

/* Of its way to the full length a list leaves one bucket less than it has; the first addition takes one, and nine may take
 * all of it. */
uint64_t sg_links_bytes_for(uint64_t nodes, uint64_t additions)
{
    const uint64_t all = UINT64_MAX / (32 * sizeof(sg_link_bucket));
    const uint64_t by_nodes = (2 * SG_LINK_BUCKETS - 1) * (nodes < all ? nodes : all);
    const uint64_t by_additions = 2 * (additions < all ? additions : all);
    return ((by_nodes < by_additions ? by_nodes : by_additions) + SG_LINK_SIZES * CHUNK) * sizeof(sg_link_bucket);
}

/* ---- Room for lists ---- */

static sg_link_bucket *bucket_at(const sg_links *links, sg_link_place at)
{
    return links->chunk[at.chunk] + at.first;
}

static void clear_list(sg_link_bucket *list, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        memset(list[i].who, 0xFF, sizeof list[i].who);
        memset(list[i].weight, 0, sizeof list[i].weight);
    }
}

/* The next chunk, one that is there already or a new one. -1: the machine has no memory. */
static int add_chunk(sg_links *links)
{
    if (links->used == links->chunks) {
        if (sg_grow(&links->chunk, &links->chunk_room, links->chunks + 1, sizeof *links->chunk)) return -1;
        links->chunk[links->chunks] = sg_alloc_huge(CHUNK, sizeof(sg_link_bucket));
        if (!links->chunk[links->chunks]) return -1;
        links->chunks++;
    }
    links->used++;
    return 0;
}

/* A list of 1 << size buckets, cleared. length 0: the memory granted is used up. -1: there is none. */
static int take_list(sg_links *links, size_t size, sg_link_place *list)
{
    sg_link_size *own = &links->size[size];
    const uint16_t length = (uint16_t)(1u << size);
    *list = (sg_link_place){0};
    if (own->given_back.chunk != NO_CHUNK) {
        *list = own->given_back;
        memcpy(&own->given_back, bucket_at(links, *list), sizeof own->given_back);
    } else {
        if (own->next.chunk == NO_CHUNK) {
            if (links->used >= links->most) return 0;
            if (add_chunk(links)) return -1;
            own->next = (sg_link_place){.chunk = (uint32_t)(links->used - 1)};
        }
        *list = own->next;
        own->next.first = (uint16_t)(own->next.first + length);
        if (own->next.first == CHUNK) own->next.chunk = NO_CHUNK;
    }
    list->length = length;
    clear_list(bucket_at(links, *list), length);
    return 0;
}

static void give_back(sg_links *links, size_t size, sg_link_place list)
{
    memcpy(bucket_at(links, list), &links->size[size].given_back, sizeof list);
    links->size[size].given_back = list;
}

/* ---- Adding ---- */

static sg_link_bucket *find_bucket(const sg_links *links, sg_link_place at, uint32_t other)
{
    return bucket_at(links, at) + (sg_links_bucket(links, at, other) - bucket_at(links, at));
}

/* Where the node stands, or the first free place; SG_LINK_WAYS: neither. */
static size_t find_way(const sg_link_bucket *bucket, uint32_t other)
{
    size_t way = 0;
    while (way < SG_LINK_WAYS && bucket->who[way] != other && bucket->who[way] != NOBODY) way++;
    return way;
}

static size_t find_lightest(const sg_link_bucket *bucket)
{
    size_t lightest = 0;
    for (size_t i = 1; i < SG_LINK_WAYS; i++)
        if (bucket->weight[i] < bucket->weight[lightest]) lightest = i;
    return lightest;
}

static size_t size_of(uint16_t length)
{
    size_t size = 0;
    while (1u << size < length) size++;
    return size;
}

/* To twice the length, or from nothing to one bucket. -1: there is no memory. */
static int lengthen(sg_links *links, sg_link_place *list)
{
    const size_t size = list->length ? size_of(list->length) + 1 : 0;
    sg_link_place longer;
    if (take_list(links, size, &longer)) return -1;
    if (longer.length == 0) return 0;
    for (size_t i = 0; i < list->length; i++) {
        const sg_link_bucket *from = bucket_at(links, *list) + i;
        for (size_t k = 0; k < SG_LINK_WAYS && from->who[k] != NOBODY; k++) {
            sg_link_bucket *to = find_bucket(links, longer, from->who[k]);
            const size_t way = find_way(to, from->who[k]);
            if (way == SG_LINK_WAYS) continue; /* in a list from a file that somebody forged */
            to->who[way] = from->who[k];
            to->weight[way] = from->weight[k];
        }
    }
    if (list->length) give_back(links, size - 1, *list);
    *list = longer;
    return 0;
}

int sg_links_add(sg_links *links, sg_link_place *list, uint32_t other, float weight, scadyg_error *error)
{
    for (;;) {
        const uint16_t length = list->length;
        sg_link_bucket *bucket = length ? find_bucket(links, *list, other) : NULL;
        size_t way = bucket ? find_way(bucket, other) : SG_LINK_WAYS;
        if (way == SG_LINK_WAYS && length < SG_LINK_BUCKETS) {
            if (lengthen(links, list)) return sg_fail_memory(error, "who comes before whom");
            if (list->length > length) continue;
        }
        if (!bucket) return SCADYG_OK;
        if (way == SG_LINK_WAYS) bucket->weight[way = find_lightest(bucket)] = 0;
        bucket->who[way] = other;
        bucket->weight[way] += weight;
        return SCADYG_OK;
    }
}

/* ---- Snapshots ---- */

typedef struct numbers {
    uint64_t used;
    sg_link_size size[SG_LINK_SIZES];
} numbers;

void sg_links_save(const sg_links *links, uint32_t kind, sg_state_writer *w)
{
    numbers n = {.used = links->used};
    memcpy(n.size, links->size, sizeof n.size);
    sg_state_begin(w, kind);
    sg_state_copy(w, &n, sizeof n);
    sg_state_begin(w, kind + 1);
    for (size_t i = 0; i < links->used; i++) sg_state_put(w, links->chunk[i], CHUNK * sizeof(sg_link_bucket));
}

int sg_links_load(sg_links *links, uint32_t kind, const sg_state_reader *r, scadyg_error *error)
{
    const numbers *n = NULL;
    sg_link_bucket *buckets = NULL;
    int status = sg_state_take(r, kind, sizeof *n, &n, error);
    if (!status && (n->used > links->most || n->used >= NO_CHUNK))
        status = sg_state_bad(r, "what came up together makes no sense", error);
    if (!status) status = sg_state_take(r, kind + 1, n->used * CHUNK * sizeof *buckets, &buckets, error);
    if (status) return status;
    if (sg_grow(&links->chunk, &links->chunk_room, (size_t)n->used, sizeof *links->chunk))
        return sg_fail_memory(error, "who comes before whom");
    links->mapped = (sg_state_range){r->data, r->data + r->size};
    for (size_t i = 0; i < n->used; i++) links->chunk[i] = buckets + i * CHUNK;
    links->chunks = links->used = (size_t)n->used;
    memcpy(links->size, n->size, sizeof links->size);
    return SCADYG_OK;
}

uint64_t sg_links_buckets(const sg_links *links)
{
    return (uint64_t)links->used * CHUNK;
}

static int claim(uint64_t *claimed, uint64_t first, uint64_t count)
{
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t bit = (uint64_t)1 << i % 64;
        if (claimed[i / 64] & bit) return -1;
        claimed[i / 64] |= bit;
    }
    return 0;
}

int sg_links_claim(const sg_links *links, uint64_t *claimed, sg_link_place at)
{
    if (at.length == 0) return 0;
    if (at.length > SG_LINK_BUCKETS || at.length & (at.length - 1) || at.chunk >= links->used ||
        at.first > CHUNK - at.length)
        return -1;
    return claim(claimed, (uint64_t)at.chunk * CHUNK + at.first, at.length);
}

/* Lists given back lead from one to the next; one that comes twice is claimed already. */
int sg_links_claim_free(const sg_links *links, uint64_t *claimed)
{
    for (size_t i = 0; i < SG_LINK_SIZES; i++) {
        const uint16_t length = (uint16_t)(1u << i);
        const sg_link_place next = links->size[i].next;
        if (next.chunk != NO_CHUNK &&
            (next.chunk >= links->used || next.first >= CHUNK || next.first % length ||
             claim(claimed, (uint64_t)next.chunk * CHUNK + next.first, CHUNK - next.first)))
            return -1;
        for (sg_link_place at = links->size[i].given_back; at.chunk != NO_CHUNK;) {
            at.length = length;
            if (sg_links_claim(links, claimed, at)) return -1;
            memcpy(&at, bucket_at(links, at), sizeof at);
        }
    }
    return 0;
}
